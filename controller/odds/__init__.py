"""Exact probabilities: what hands and bets are worth while a round is played.

Nothing here rounds before the last step, and numpy, where it is installed, is imported by the first
question that is faster with it. What is counted of a game is in the module of its name.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec


@cache
def takes_numpy(numpy: bool | None) -> bool:
    """Whether to count with numpy; None takes it where it is installed. The integers are the same."""
    return find_spec("numpy") is not None if numpy is None else numpy
