"""docs/reference/unshuffled-cards.md: what counts as not shuffled (5.1.5), and how sure that is."""

from __future__ import annotations

from controller.shoe.unshuffled import DENSE, RUN
from making.pages.text import page, table

FALSE_ALARMS = (
    (40, "0", "6.7e-8"),
    (52, "0", "1.1e-8"),
    (208, "0", "6.4e-8"),
    (312, "0", "1.2e-7"),
    (416, "0", "1.7e-7"),
)
"""Cards of a shoe, false alarms in 1,000,000 shuffled ones, upper bound of the probability of one in a shoe."""

SEEN = (
    ("one hold'em round: 11 of 52", "100 % (8)", "100 % (9)", "4.3 %", "0.1 %", "0 %"),
    ("one seat of Two Cards High: 10 of 40", "100 % (8)", "100 % (10)", "1.2 %", "0 %", "0 %"),
    ("40 of 40", "100 % (8)", "100 % (10)", "84 % (25)", "1.7 %", "0 %"),
    ("52 of 52", "100 % (8)", "100 % (9)", "99.5 % (26)", "13 % (47)", "0 %"),
    ("416 of 416", "100 % (8)", "100 % (9)", "100 % (24)", "100 % (56)", "99 % (123)"),
)
"""Measured with ``python -m tests.measure.unshuffled``: cards that were seen, and what was found of 2,000."""


def draw() -> str:
    """The page."""
    dense = table(
        ("of this many last pairs of cards", "this many successions"),
        ((str(of), str(hits)) for of, hits in DENSE),
    )
    return page(
        "When cards count as not shuffled",
        "2 Card Action, 5.1.5: cards that were not shuffled void the round, and the shoe is out of use until it is"
        " shuffled. There are two signs.\n",
        "**The confirmation is missing.** No round opens with a set that a shuffler has not reported as shuffled, nor in a"
        " one-deck game whose deck was not shuffled since its last round.\n",
        "**The cards come out in factory order.** A *succession* is a card that differs by one rank, up or down, from the"
        f" card before it, in the same suit. The finding is a run of {RUN} cards in one direction or, for a pack that was cut"
        " or riffled, too many successions among the last cards:\n",
        dense,
        '`shoe.unshuffled = "off"` switches this watch off for a house that does not want it.\n',
        "## False alarms\n",
        "`make measure` deals 1,000,000 fair shoes of each size:\n",
        table(
            ("cards of the shoe", "false alarms in 1,000,000 shoes", "probability for one shoe, at most"),
            ((str(cards), found, bound) for cards, found, bound in FALSE_ALARMS),
        ),
        "The bound sums the binomial distribution over all windows at all positions; the windows overlap, so the true"
        " figure is smaller. A table that deals ten shoes of 416 cards a day waits more than 1,000 years for a false alarm.\n",
        "## What is detected\n",
        "Share of 2,000 packs of each kind, and the median number of cards until detection:\n",
        table(
            ("cards drawn", "factory order", "one cut", "one riffle", "two riffles", "three riffles"), SEEN
        ),
        "A riffle follows the mathematical model (Gilbert, Shannon, Reeds). A few cards cannot distinguish one riffle from"
        " chance: in the one-deck games it is the shuffler's confirmation that protects the round.\n",
    )
