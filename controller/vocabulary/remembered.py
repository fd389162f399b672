"""Answers that are asked for again and again of the very same values, which never change."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

MOST = 16
"""Answers that are kept: those of a few tables in one process."""


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """The same pure function of frozen values, by position; asked of the very objects of a while ago it gives
    the answer that it gave then.

    Identity instead of equality: a state shares with the one before it whatever did not change, and to hash
    or compare a long history costs as much as to answer anew. An answer keeps its objects alive, so that no
    other object can take their identity.
    """
    known: dict[tuple[int, ...], tuple[object, R]] = {}

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        key = tuple(map(id, args))
        found = known.get(key)
        if found is not None:
            return found[1]
        answer = function(*args, **kwargs)
        if len(known) >= MOST:
            known.pop(next(iter(known)), None)
        known[key] = (args, answer)
        return answer

    return asked
