"""What is left to be dealt: counts that somebody gives us, read strictly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from controller.vocabulary.errors import InputError
from controller.vocabulary.shown import counted, shown, told

MOST_CARDS = 416
"""Eight decks. Six of them can be drawn in fewer than 2**53 orders, so that floating point counts them
exactly."""

SUITS_OF_A_RANK = 4
NameT = TypeVar("NameT", bound=str)


class OddsError(InputError):
    """A question about odds that has no answer; ``code`` says which kind."""

    code = "bad_odds_question"


def counts_of(remaining: object, kinds: Sequence[str], kind: str, most: int) -> tuple[int, ...]:
    """The unseen cards of each kind in order, from an object that must name every kind and nothing else.

    ``kind`` is ``card`` or ``rank``. :class:`OddsError` with code ``unknown_card``, ``missing_card`` (or
    ``..._rank``), ``bad_count`` or ``too_many_cards``.
    """
    if not isinstance(remaining, Mapping):
        raise OddsError(
            f"{told('remaining', remaining)}: expected an object with a count for each {kind}", "bad_count"
        )
    unknown = [name for name in remaining if name not in kinds]
    if unknown:
        raise OddsError(f"remaining names {shown(unknown[0])}, which is no {kind} here", f"unknown_{kind}")
    for name in kinds:
        if name not in remaining:
            raise OddsError(
                f"remaining has no count for {kind} {name}; write 0 where none is left", f"missing_{kind}"
            )
        count = remaining[name]
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise OddsError(
                f"remaining.{name} is {shown(count)}: expected a whole number from 0", "bad_count"
            )
    counts = tuple(remaining[name] for name in kinds)
    if sum(counts) > most:
        raise OddsError(f"remaining has more than {most} cards, the most that can be left", "too_many_cards")
    return counts


def check_shoe(counts: Mapping[NameT, int], dealt: Iterable[str], kind: str, decks: int) -> None:
    """Whether what is left and what lies can have come from one shoe of so many ``decks``.

    ``kind`` is ``card`` or ``rank``, and ``dealt`` names those. :class:`OddsError` with code
    ``too_many_copies``.
    """
    most = decks * (1 if kind == "card" else SUITS_OF_A_RANK)
    lie = Counter(dealt)
    for name, left in counts.items():
        if left + lie[name] > most:
            where = f", {lie[name]} in dealt" if lie[name] else ""
            raise OddsError(
                f"{kind} {name} is there {left + lie[name]} times, {left} in remaining{where}:"
                f" {counted(decks, 'deck')} {'has' if decks == 1 else 'have'} {most}",
                "too_many_copies",
            )
