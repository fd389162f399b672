"""What is left to be dealt: counts that somebody gives us, read strictly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as shown

from controller.vocabulary.cards import RANKS, Card
from controller.vocabulary.errors import InputError

MOST_CARDS = 416
"""Eight decks. Six of them can be drawn in fewer than 2**53 orders, so that floating point counts them
exactly."""


class OddsError(InputError):
    """A question about odds that has no answer; ``code`` says which kind."""

    code = "bad_odds_question"


def rank_counts(remaining: object) -> tuple[int, ...]:
    """The unseen cards of each rank in the order of ``RANKS``, from an object that names all thirteen.

    :class:`OddsError` with code ``unknown_rank``, ``missing_rank``, ``bad_count`` or ``too_many_cards``.
    """
    return counts_of(remaining, RANKS, "rank", MOST_CARDS)


def card_counts(remaining: object, deck: Sequence[Card], most: int) -> tuple[int, ...]:
    """The unseen cards in the order of ``deck``, from an object that names every card of it.

    :class:`OddsError` with code ``unknown_card``, ``missing_card``, ``bad_count`` or ``too_many_cards``.
    """
    return counts_of(remaining, deck, "card", most)


def counts_of(remaining: object, kinds: Iterable[str], kind: str, most: int) -> tuple[int, ...]:
    """The count of each kind in order; every kind must be named, nothing else may be."""
    kinds = tuple(kinds)
    if not isinstance(remaining, Mapping):
        raise OddsError(
            f"remaining is {shown(remaining)}: expected an object with a count for each {kind}", "bad_count"
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
