"""Baccarat coefficients from the drawing rules: orders of a multiset of unseen cards by outcome.

The unseen cards of a round are exchangeable, so the ordered ways to an outcome are a sum over multisets of
point classes of (ways to draw the multiset in one order) x (orders of it that give the outcome). The latter
is a small integer that depends on the rules alone. It is built backwards: two cards unseen straight from
the rules, and with one more card unseen as the sum over what that card is.

The rules ask for no more of the cards dealt than a state: nothing before the deal; Player's first card
after one; from two cards on Player's points so far x 10 + Banker's points so far. Six cards are always
counted, also where the round ends with four or five.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from controller.odds.multisets import CLASSES, HALF, multisets, parts
from controller.odds.tableau import OUTCOMES, outcome

Coefficients = npt.NDArray[np.uint16]
"""By state (one or two axes of ten), outcome, multiset."""


def tables() -> dict[str, bytes]:
    """Tables ``baccarat-0`` to ``baccarat-4`` by known cards: bytes by state, outcome and multiset."""
    four = _four_known()
    three = np.stack(
        [_one_less([four[:, (banker + card) % 10] for card in range(10)]) for banker in range(10)], 1
    )
    two = np.stack([_one_less([three[(player + card) % 10] for card in range(10)]) for player in range(10)])
    one = _one_less([two[:, card] for card in range(10)])
    none = _one_less([one[card] for card in range(10)])
    content = {}
    for known, table in enumerate((none, one, two, three, four)):
        if table.max() > 255:
            raise OverflowError(f"a coefficient after {known} cards does not fit in a byte")
        content[f"baccarat-{known}"] = table.astype(np.uint8).tobytes()
    return content


def _four_known() -> Coefficients:
    """The last two cards, by the totals of Player and Banker after four."""
    numbers = _numbers(2)
    table = np.zeros((10, 10, OUTCOMES, len(numbers)), np.uint16)
    for player in range(10):
        for banker in range(10):
            for fifth in range(CLASSES):
                for sixth in range(CLASSES):
                    came = outcome((player, banker, 0, 0, fifth, sixth))
                    table[player, banker, came, numbers[_counts(fifth, sixth)]] += 1
    return table


def _one_less(after: list[Coefficients]) -> Coefficients:
    """Coefficients with one card fewer known, from those after each class of that card."""
    unseen = next(size for size in range(7) if len(_numbers(size)) == after[0].shape[-1]) + 1
    table = np.zeros((*after[0].shape[:-1], len(_numbers(unseen))), np.uint16)
    for card in range(CLASSES):
        with_card, without = _taking(unseen, card)
        table[..., with_card] += after[card][..., without]
    return table


@cache
def _numbers(size: int) -> dict[tuple[int, ...], int]:
    """The number of each multiset, by its count of each class."""
    return {
        (*parts(low_size)[low], *parts(size - low_size)[high]): number
        for number, (low_size, low, high) in enumerate(multisets(size))
    }


@cache
def _taking(size: int, card: int) -> tuple[list[int], list[int]]:
    """The multisets that hold a card, and what is left of each when it is taken."""
    numbers, fewer = _numbers(size), _numbers(size - 1)
    holding = {counts: number for counts, number in numbers.items() if counts[card]}
    left = [fewer[(*counts[:card], counts[card] - 1, *counts[card + 1 :])] for counts in holding]
    return list(holding.values()), left


def _counts(*cards: int) -> tuple[int, ...]:
    """The count of each class."""
    return tuple(cards.count(card) for card in range(2 * HALF))
