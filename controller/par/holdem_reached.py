"""How often each hand of hold'em lies on each board after some first fives: from the flops, where those are
known, on to the boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from controller.games import poker
from controller.par.card_sets import RANKS, SUIT, SUITED_TYPES, Counts, Indices, pair_types, pair_ways
from controller.par.holdem_boards import PlainBoards, SuitedBoards, held_by_pairs
from controller.par.holdem_flops import Flop, Holes, card_of, flops
from controller.par.holdem_play import carried_back, on_plain_boards
from controller.par.holdem_strengths import of_counts

FirstFive = tuple[str, str]
"""Category and leading rank."""

Bools = npt.NDArray[np.bool_]

_NONE = ("", "")
"""Of cards that the deck has not."""


def called(strength: int) -> FirstFive:
    """What a first five of this strength is."""
    return poker.category_of(strength), poker.leading_rank(strength)


def reached(
    plain: PlainBoards, suited: SuitedBoards, kinds: Sequence[frozenset[FirstFive] | None]
) -> tuple[Counts, Counts]:
    """For each kind of first fives (None: whatever they are) boards x hands: without suits, and for one suit.

    With first fives a hand on a board counts for each flop that the board can have had. A board with a suit
    is taken off the plain ones.
    """
    of_ranks, of_suit = _carried_back(plain, suited, [kind or frozenset() for kind in kinds])
    for place, kind in enumerate(kinds):
        if kind is None:
            of_ranks[place] = plain.boards.times[:, None] * pair_ways(plain.boards.left)
            of_suit[place] = SUIT * suited.boards.times[:, None] * pair_ways(suited.boards.left)
        of_ranks[place] -= on_plain_boards(suited, of_suit[place])
    return of_ranks, of_suit


def _carried_back(
    plain: PlainBoards, suited: SuitedBoards, kinds: Sequence[frozenset[FirstFive]]
) -> tuple[Counts, Counts]:
    if not any(kinds):
        boards = _nothing(len(kinds), len(plain.boards), RANKS)
        return boards, _nothing(len(kinds), len(suited.boards), SUITED_TYPES)
    by_ranks = _by_ranks(plain, kinds)
    of_ranks = _nothing(len(kinds), len(plain.flops), RANKS)
    of_suit = _nothing(len(kinds), len(suited.flops), SUITED_TYPES)
    for flop in flops():
        holes = Holes(flop)
        place, ranks = int(plain.flops.number(flop.ranks)), holes.rank_pairs()
        made = by_ranks[:, place, ranks]
        suits = {suit for _, suit in flop.cards}
        if len(suits) == 1:
            _with_flushes(made, flop, holes, kinds)
        _add(of_ranks[:, place], ranks, made, flop.alike)
        for suit in suits:
            number = int(suited.flops.number(*flop.by_suit(suit)))
            _add(of_suit[:, number], holes.type_pairs(suit), made, flop.alike)
    return carried_back(plain, of_ranks), carried_back(suited, of_suit)


def _nothing(kinds: int, sets: int, types: int) -> Counts:
    return np.zeros((kinds, sets, len(pair_types(types).low)), dtype=np.int32)


def _add(times: Counts, pairs: Indices, made: Bools, alike: int) -> None:
    """Add up hands by their pairs of types, for each kind."""
    for into, of_kind in zip(times, made, strict=True):
        into += alike * np.bincount(pairs[of_kind], minlength=len(into)).astype(into.dtype)


def _with_flushes(made: Bools, flop: Flop, holes: Holes, kinds: Sequence[frozenset[FirstFive]]) -> None:
    """Put right the hands that make a flush with a flop of one suit."""
    for hand in np.flatnonzero(holes.of_suit(0)):
        first = called(poker.strength([*map(card_of, flop.cards), *holes.cards(int(hand))]))
        made[:, hand] = [first in kind for kind in kinds]


def _by_ranks(plain: PlainBoards, kinds: Sequence[frozenset[FirstFive]]) -> Bools:
    """Kinds x flops by ranks x pairs of ranks: whether they make one of these, flushes left out."""
    both = plain.flops.counts[:, None, :] + held_by_pairs(RANKS)
    made = [
        _NONE if max(counts) > SUIT else called(of_counts(counts))
        for counts in both.reshape(-1, RANKS).tolist()
    ]
    firsts = {first: place for place, first in enumerate(dict.fromkeys(made))}
    fits = np.array([[first in kind for first in firsts] for kind in kinds], dtype=bool)
    return fits[:, [firsts[first] for first in made]].reshape(len(kinds), *both.shape[:2])
