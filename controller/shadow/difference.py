"""What the comparison finds: one struct for each difference, and the report that lists them."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Literal

import msgspec

Kind = Literal[
    "outcome",
    "bets",
    "money",
    "cards",
    "held_here",
    "void_here",
    "void_there",
    "unknown_here",
    "unknown_there",
    "not_judged",
    "unreadable",
]

MEANING: dict[Kind, str] = {
    "outcome": "the cards make something else by the rules",
    "bets": "a bet ends, or is paid, otherwise by the rules and the pay table",
    "money": "a player was given another amount back",
    "cards": "other cards, or cards in another order",
    "held_here": "this table would have stopped and called a supervisor; the other system played on",
    "void_here": "this table would have voided the round; the other system gave a result",
    "void_there": "the other system voided a round in which nothing was found here",
    "unknown_here": "the other system has a round that the shoe here did not deal",
    "unknown_there": "the shoe here dealt a round that the other system does not have",
    "not_judged": "the round could not be judged here, and why",
    "unreadable": "a line of the other system's list that says nothing sure",
}
"""What a kind of difference means, in words."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing in which the two differ, with what proves it."""

    kind: Kind
    about: str = ""
    """Of the outcome, the bets or the money: which part."""
    theirs: object = None
    """What the other system says."""
    ours: object = None
    """What this table says."""
    words: str
    """Both in one sentence."""
    paragraph: str | None = None
    """Of the rules, where a paragraph decides it."""
    round: str | None = None
    """The round as this table names it, for ``show``."""
    their_round: str | None = None
    """As the other system names it."""
    at: str | None = None
    """When: by the other system, else by this table."""
    cards: tuple[str, ...] = ()
    """As this table read them."""
    raw: tuple[str, ...] = ()
    """The bytes that devices sent in the round, each as ``device hex``."""
    line: str | None = None
    """The other system's line."""
    line_ends: int | None = None
    """Where the line ends in its file, in bytes."""
    records: tuple[int, int] | None = None
    """First and last record of the round in the journal."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All that was compared so far."""

    table: str
    game: str
    version: str
    digest: str
    since: str | None
    until: str | None
    """Times of the first and the last record."""
    records: int
    lines: int
    """Of the other system's list."""
    rounds: int
    """That the table here followed."""
    compared: int
    """Rounds that both have."""
    agreed: int
    """Of these, without any difference."""
    kinds: dict[str, int]
    """How many differences of each kind there are."""
    restarts: int
    more: int
    """Differences that are counted and not listed."""
    differences: tuple[Difference, ...]
