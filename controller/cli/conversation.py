"""A conversation with a person, or with a script on standard input; devices may speak into it.

Lines that are typed and readings of devices come on one queue, so that "press the button, or type skip" is
one wait. What comes while nobody waits for it is kept.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from controller.cli.telling import typed_lines
from controller.vocabulary.errors import InputError

KindT = TypeVar("KindT")
LOOK_S = 0.05
"""Between two looks at something that does not speak by itself."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was typed; None: there will be no more."""

    line: str | None


class Conversation:
    """Asks and hears. ``lines`` are read by a thread of their own (None: nobody types); ``tell`` shows a line
    to the person.
    """

    def __init__(self, lines: Iterable[str] | None, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        """Whoever has something to say puts it here, from any thread."""
        self._kept: list[object] = []
        self._ended = False
        if lines is not None:
            threading.Thread(target=self._read, args=(lines,), name="typed", daemon=True).start()

    def ask(self, question: str, default: str | None = None) -> str:
        """What the person types, without blanks around it; the default for an empty line.

        InputError if nobody types any more.
        """
        self.tell(f"{question} [{default}]" if default else question)
        while not (said := self.typed(question)) and default is None:
            self.tell("  an empty line is no answer here")
        return said or default or ""

    def choose(self, question: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of the choices, by its name or its number from 1."""
        for number, choice in enumerate(choices, 1):
            self.tell(f"  {number}  {choice}")
        while True:
            said = self.ask(question, default)
            if said in choices:
                return said
            if said.isascii() and said.isdigit() and 0 < int(said) <= len(choices):
                return choices[int(said) - 1]
            self.tell(f"{said!r} is none of them: {', '.join(choices)}")

    def agrees(self, question: str, *, default: bool = True) -> bool:
        """Yes or no."""
        return self.choose_word(f"{question} (y/n)", ("y", "n"), "y" if default else "n") == "y"

    def choose_word(self, question: str, words: Sequence[str], default: str | None = None) -> str:
        """One of a few words that the question itself names."""
        while (said := self.ask(question, default).lower()) not in words:
            self.tell(f"  {said!r} is no answer here; type one of: {', '.join(words)}")
        return said

    def choose_remark(self, question: str, words: Sequence[str]) -> tuple[str, str]:
        """One of a few words, by its name, and whatever stands behind it: ``skip no card at hand``."""
        while True:
            said, _, remark = self.ask(question).partition(" ")
            if said.lower() in words:
                return said.lower(), remark.strip()
            self.tell(f"  {said!r} is no answer here; type one of: {', '.join(words)}")

    def typed(self, question: str = "") -> str:
        """The next line."""
        said = self.wait(Typed)
        if said is None or said.line is None:
            raise InputError(f"standard input ended at the question: {question}")
        return said.line.strip()

    def wait(self, *kinds: type[KindT], within_s: float | None = None) -> KindT | None:
        """The next thing of these kinds, None if none comes in time (no limit without ``within_s``)."""
        for kept in self._kept:
            if isinstance(kept, kinds):
                self._kept.remove(kept)
                return kept
        if self._ended and Typed in kinds:
            return Typed(None)  # type: ignore[return-value]  # it is one of the kinds
        until = None if within_s is None else time.monotonic() + within_s
        while True:
            left = None if until is None else max(0.0, until - time.monotonic())
            try:
                found = self.heard.get(timeout=left)
            except queue.Empty:
                return None
            if found == Typed(None):
                self._ended = True
            if isinstance(found, kinds):
                return found
            if found != Typed(None):
                self._kept.append(found)

    def wait_for(self, seen: Callable[[], KindT | None]) -> KindT | str:
        """What ``seen`` finds, looking again and again, or the line that is typed meanwhile."""
        while True:
            found = seen()
            if found is not None:
                return found
            said = self.wait(Typed, within_s=LOOK_S)
            if said is not None:
                if said.line is None:
                    raise InputError("standard input ended while a device was waited for")
                return said.line.strip()

    def forget(self, kind: type[object]) -> None:
        """Drop what was kept of a kind: what came before the question is no answer to it."""
        while self.wait(kind, within_s=0) is not None:
            pass

    def _read(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                self.heard.put(Typed(line))
        finally:
            self.heard.put(Typed(None))


def at_terminal() -> Conversation:
    """On standard input and output. InputError where the caller has closed it."""

    def tell(text: str) -> None:
        print(text, flush=True)

    return Conversation(typed_lines(), tell)
