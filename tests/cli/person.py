"""A person who sets up or commissions a table."""

from __future__ import annotations

import argparse
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from controller.cli.installing import INSTALLING


class Hands:
    """A person who answers by what is shown; of ``answers`` the longest beginning counts."""

    def __init__(self, answers: dict[str, str | Callable[[], object] | Sequence[Any]]) -> None:
        self._answers = answers
        self.told: list[str] = []
        self._typed: deque[str | None] = deque()
        self._more = threading.Semaphore(0)

    def lines(self) -> Iterator[str]:
        while True:
            self._more.acquire()
            line = self._typed.popleft()
            if line is None:
                return
            yield line

    def type(self, line: str | None) -> None:
        self._typed.append(line)
        self._more.release()

    def tell(self, text: str) -> None:
        self.told.append(text)
        fitting = [begin for begin in self._answers if text.startswith(begin)]
        if fitting:
            answer = self._answers[max(fitting, key=len)]
            for one in answer if isinstance(answer, list) else [answer]:
                one() if callable(one) else self.type(one)


def parsed(command: str, *words: str) -> argparse.Namespace:
    """What the command line makes of these words."""
    parser = argparse.ArgumentParser()
    next(one for one in INSTALLING if one.name == command).arguments(parser.add_argument)
    return parser.parse_args(words)
