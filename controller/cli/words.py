"""The words of a call: what each must be."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Callable, Iterable
from typing import NoReturn

from controller.vocabulary.shown import meant

_OPTION = re.compile(r"(--[a-z][\w-]*)(=.*)?", re.DOTALL)


def one_of(choices: Iterable[str]) -> Callable[[str], str]:
    """One of these words."""
    known = tuple(choices)
    listed = f"it is one of {', '.join(known)}"

    def read(text: str) -> str:
        if text in known:
            return text
        raise _wrong(f"there is no {text!r}; {meant(text, known, listed)}")

    return read


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
            return int(text)
        raise _wrong(f"{text!r} is no whole number from {least} to {most}")

    return read


def place(text: str) -> str:
    """A table of a floor, or all of a site."""
    if text.count("/") == 1:
        return text
    raise _wrong(f"{text!r} is no table: needed is SITE/ID, as north/7, or SITE/+")


def seconds(text: str) -> float:
    """A time."""
    try:
        read = float(text)
    except ValueError:
        read = -1.0
    if 0 <= read <= 3600:
        return read
    raise _wrong(f"{text!r} is no time in seconds from 0 to 3600")


def _wrong(why: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(why)


class Call:
    """The arguments of one command as they are added, and then the words of a call by them."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser
        self._options = ["--help"]

    def add(self, *names: str, **how: object) -> argparse.Action:
        """As ``add_argument`` of a parser; one of ``choices`` is asked for by its neighbours."""
        self._options += [name for name in names if name.startswith("--")]
        choices = how.get("choices")
        if isinstance(choices, tuple):
            how["type"] = one_of(choices)
        return self._parser.add_argument(*names, **how)  # type: ignore[arg-type]  # whatever it takes

    def read(self, words: list[str]) -> argparse.Namespace:
        """What the words say. Ends the program, as a parser does, where they are wrong."""
        for word in itertools.takewhile(lambda word: word != "--", words):
            found = _OPTION.fullmatch(word)
            if found is not None and found[1] not in self._options:
                self._refuse(found[1])
        return self._parser.parse_args(words)

    def _refuse(self, option: str) -> NoReturn:
        otherwise = f"{self._parser.prog} --help lists them"
        self._parser.error(f"there is no option {option}; {meant(option, self._options, otherwise)}")
