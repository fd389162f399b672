"""Irregularities: problems of the world of the table, as values. All that apply are reported, not the first.

This page is the one home of the codes: what each means, its paragraph in 2 Card Action section 5, what
becomes of the shoe, and the choices of the supervisor with what each does (contract, "The round, and what
stops it"). The reference page for supervisors is printed from it.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from controller.vocabulary.evidence import Proof

ShoeFate = Literal["continue", "withdraw"]


class Irregularity(msgspec.Struct, frozen=True):
    """One finding: a code of :data:`KINDS` and the proof of it, which may name a card that lies face down."""

    code: str
    evidence: Proof = Proof()


class Kind(msgspec.Struct, frozen=True):
    """What a code means and what it does."""

    code: str
    meaning: str
    """In words for a supervisor."""
    choices: Mapping[str, str]
    """Of ``hold_cleared``, where the table holds for it, and what each does, in the order they are offered.
    """
    rank: int
    """Several findings: the lowest rank is the reason."""
    paragraph: str | None = None
    """Of 2 Card Action, section 5."""
    voids: bool = False
    """Voids the running round at once where the game's setting is ``automatic``."""
    void_reason: str = "supervisor"
    """Reason of ``round.void`` when the round is voided because of it."""
    withdraws: bool = False
    """No further round from this shoe."""


_VOID = "the round is void: all stakes go back, a result is retracted"
VOID_OF_NO_ROUND = "no round is touched; what the hold is about counts nowhere"
"""What `void` does in a hold that is about no round."""
_RESOLVE = {
    "continue": "it has been put right or was no fault: the round goes on",
    "stand": "the round goes on or its result stands; no further round is dealt from this shoe",
    "void": _VOID,
}
_RESOLVE_WITHDRAWN = _RESOLVE | {
    "continue": f"{_RESOLVE['continue']}; with game.void = automatic the shoe is withdrawn all the same"
}
"""Readings, 2 Card Action: foreign, excess and shortage withdraw the shoe, whatever is chosen."""
_RESOLVE_COPY = _RESOLVE_WITHDRAWN | {
    "continue": f"{_RESOLVE_WITHDRAWN['continue']}; a copy that one round cannot hold is set aside, and the"
    " next card takes its place"
}
_GO_ON = {"continue": "the round goes on where it stopped", "void": _VOID}
_BACK = "the card goes back and must come out next"


def _card(accept: str, back: str = _BACK) -> dict[str, str]:
    return {"accept": accept, "return": back, "void": _VOID}


def _cause(
    code: str, rank: int, paragraph: str, meaning: str, *, void_reason: str = "", withdraws: bool = True
) -> Kind:
    choices = _RESOLVE_COPY if code == "excess" else _RESOLVE_WITHDRAWN if withdraws else _RESOLVE
    return Kind(code, meaning, choices, rank, paragraph, True, void_reason or code, withdraws)


_ALL = (
    _cause("foreign_card", 10, "5.1.1", "a card that is not part of this set was found"),
    _cause("excess", 20, "5.1.2", "there are more cards, or more copies of one card, than the decks hold"),
    _cause("duplicate_serial", 21, "5.1.2", "the same physical card came twice", void_reason="excess"),
    _cause("insufficient_cards", 30, "5.1.4", "too few cards are left to complete the round"),
    _cause("shortage", 40, "5.1.2", "cards are missing from the decks"),
    _cause(
        "not_shuffled",
        50,
        "5.1.5",
        "the cards come out in factory order, or no shuffle was confirmed",
        withdraws=False,
    ),
    Kind(
        "shuffle_doubt",
        "the shoe was loaded otherwise than its shuffler said: another number, a failed shuffle, or none",
        {
            "continue": "the set that was shuffled has been counted (COUNT) and is whole: it may be dealt",
            "accept": "a supervisor attests, with a note, that they were shuffled by hand; never a count",
        },
        55,
        void_reason="not_shuffled",
    ),
    Kind(
        "fault",
        "the controller failed on an event; nothing was lost",
        {
            "continue": "what failed, and the cards that came after it, are tried again in their order",
            "void": f"{_VOID}; the shoe is withdrawn, for a card may be missing in the count",
        },
        60,
    ),
    Kind(
        "reread_mismatch",
        "not the card that went back came out next",
        {"continue": "the card counts as it was read", "void": _VOID},
        70,
        void_reason="wrong_card_count",
    ),
    Kind(
        "card_unread",
        "a card passed the reader unread",
        {
            "enter": "the card that was entered by hand takes its place; after CUT it was the cut card",
            "burn": "it was the burn card that was due; offered only where one is",
            "void": _VOID,
        },
        80,
    ),
    Kind(
        "wrong_position",
        "the shoe names another hand than the rules give this card to",
        _card("the card counts where the rules put it"),
        90,
    ),
    Kind(
        "rapid_repeat",
        "the same code came again too soon: a double read?",
        _card(
            "it is a second card, and judged as one",
            "it was no second card: it counts nowhere, and what came after it takes its turn",
        ),
        100,
    ),
    Kind(
        "early_card",
        "a card was drawn before its time",
        {
            "accept": "bets (or decisions) close and the card counts",
            "burn": "the card is a burn card; bets (or decisions) go on",
            "return": f"bets that are open close; {_BACK}",
            "void": _VOID,
        },
        110,
    ),
    Kind(
        "extra_card",
        "a card was drawn that no rule asks for",
        {
            "return": f"{_BACK}; offered only where a shoe is loaded",
            "burn": "the card is a burn card",
            "next_round": "it is the first card of the next round; a second one is burned; offered only with"
            ' round.exposed_card = "play"',
            "void": _VOID,
        },
        120,
        "5.1.3",
        void_reason="wrong_card_count",
    ),
    Kind(
        "missing_card",
        "the next step was asked for before all cards lay",
        _GO_ON,
        130,
        "5.1.3",
        void_reason="wrong_card_count",
    ),
    Kind(
        "result_disagrees",
        "the shoe's own result is another",
        _card("our result stands", "the last card goes back and must come out next; the result is withdrawn"),
        140,
    ),
    Kind(
        "restart_doubt", "nobody can prove that no card passed unseen: compare felt and screen", _GO_ON, 150
    ),
    Kind("device_lost", "a device does not answer", _GO_ON, 160),
    Kind(
        "book_silent",
        "whoever keeps the bets has not said that they are closed",
        {
            "continue": "people have seen to it that no more bets are taken: the deal begins; what was drawn"
            " before is early",
            "void": _VOID,
        },
        165,
    ),
    Kind("shuffler_fault", "the shuffler reports a failure in the round", _GO_ON, 170),
    Kind("requested", "the dealer asked for a supervisor", _GO_ON, 180),
)

KINDS: Final[dict[str, Kind]] = {kind.code: kind for kind in _ALL}

VOID_REASONS: Final[dict[str, tuple[str | None, ShoeFate]]] = {
    "foreign_card": ("5.1.1", "withdraw"),
    "excess": ("5.1.2", "withdraw"),
    "shortage": ("5.1.2", "withdraw"),
    "wrong_card_count": ("5.1.3", "continue"),
    "insufficient_cards": ("5.1.4", "withdraw"),
    "not_shuffled": ("5.1.5", "withdraw"),
    "supervisor": (None, "continue"),
}
"""Reason of ``round.void`` -> paragraph of 2 Card Action and what becomes of the shoe."""


def foremost(findings: tuple[Irregularity, ...]) -> Irregularity:
    """The finding that gives the reason: a void cause outranks a hold."""
    return min(findings, key=lambda finding: KINDS[finding.code].rank)
