"""Unshuffled cards (5.1.5): runs of factory order far beyond chance.

Looked at are *successions*: a card that follows its neighbour of the same suit by one rank, up or down (a
king and an ace follow each other). In a shuffled shoe a pair of neighbours is one in about 4 of 100 cases; in
factory order all are, after one riffle half of them, after each further riffle half of the rest.

- a run of :data:`RUN` cards in one direction: factory order, cut or not;
- too many successions among the last pairs, for each window of :data:`DENSE`: factory order after a cut or
  some riffles; the long windows see more, the short ones see it sooner.

``python -m tests.measure.unshuffled`` measures false alarms and detection; the figures, and the bound of the
false alarms by the binomial law, stand in docs/reference/unshuffled-cards.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from controller.vocabulary.cards import DECK_52, Card, order

RUN = 8
"""Cards of a run in one direction."""

DENSE = ((10, 8), (24, 12), (52, 16), (104, 22), (208, 31))
"""Of so many last pairs, so many successions (up and down together)."""

LOOKED_AT = DENSE[-1][0] + 1
"""Cards before the last so many decide nothing."""


_STEPS: dict[tuple[Card | None, Card | None], int] = {
    (before, after): 1 if distance == 1 else -1
    for before in DECK_52
    for after in DECK_52
    if before[1] == after[1] and (distance := (order(after) - order(before)) % 13) in (1, 12)
}


def step(before: Card | None, after: Card | None) -> int:
    """+1 or -1 if ``after`` follows ``before`` in factory order, else 0 (an unread card breaks a run)."""
    return _STEPS.get((before, after), 0)


def is_unshuffled(drawn: Sequence[Card | None]) -> bool:
    """Whether the cards drawn so far are in factory order beyond chance, and the last of them shows it."""
    if len(drawn) < 2 or not step(drawn[-2], drawn[-1]):
        return False  # most cards; nothing can have become worse
    tail = drawn[-LOOKED_AT:]
    steps = [_STEPS.get(pair, 0) for pair in pairwise(tail)][::-1]
    return run_length(steps) >= RUN or is_dense(steps)


def run_length(steps: Sequence[int]) -> int:
    """Cards of the run in one direction that the newest card ends; ``steps`` newest first."""
    length = 1
    for one in steps:
        if one != steps[0] or not one:
            break
        length += 1
    return length


def is_dense(steps: Sequence[int]) -> bool:
    """Whether one of the windows holds more successions than chance gives; ``steps`` newest first."""
    counts = list(accumulate(abs(one) for one in steps))
    return any(counts[min(window, len(counts)) - 1] >= needed for window, needed in DENSE)
