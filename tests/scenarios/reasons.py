"""For each reason of a hold a conversation that ends in it. A reason without one fails the tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """How a hold comes about: the table's settings, and what is said to it."""

    table: str
    said: str


ONE_ROUND = "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED"
IN_THE_DEAL = "SHOE 416; OPEN; CLOSE; 8S"
FACTORY_ORDER = "SHOE 416; OPEN; CLOSE; 2S 3S 4S 5S; SETTLED; OPEN; CLOSE; 6S 7S 8S 9S"

CASES: dict[str, tuple[Case, ...]] = {
    "foreign_card": (
        Case("baccarat", f"{IN_THE_DEAL}; XX"),
        Case("2-card-action layout=C", "SHOE 416; OPEN; CLOSE; 8S 5C; SETTLED; XX"),
    ),
    "excess": (
        Case("baccarat", f"{IN_THE_DEAL}; LEFT 416"),
        Case("casino-holdem", "SHOE 52; OPEN; CLOSE; AS AS"),
    ),
    "duplicate_serial": (Case("baccarat", "SHOE 416; OPEN; CLOSE; 8S#1 8S#1"),),
    "insufficient_cards": (Case("baccarat", f"{IN_THE_DEAL}; EMPTY"),),
    "shortage": (
        Case("baccarat", f"{IN_THE_DEAL}; COUNT 415"),
        Case("baccarat", f"{ONE_ROUND}; COUNT 415"),
    ),
    "not_shuffled": (Case("baccarat", FACTORY_ORDER),),
    "fault": (
        Case("baccarat", f"{IN_THE_DEAL}; !5C"),
        Case("two-cards-high seats=1", "SHOE 40; OPEN; CLOSE; 5S 2H 3D AC 2C TH 7S TD 8C; !9C"),
        Case("baccarat", f"{ONE_ROUND}; !OPEN"),
    ),
    "reread_mismatch": (Case("baccarat", f"{IN_THE_DEAL} 5C; RETURN 5C; KC"),),
    "card_unread": (
        Case("baccarat", f"{IN_THE_DEAL}; ??"),
        Case("two-cards-high seats=1", "SHOE 40; OPEN; CLOSE; 5S ??"),
    ),
    "wrong_position": (Case("baccarat", "SHOE 416; OPEN; CLOSE; 8S@banker"),),
    "rapid_repeat": (Case("baccarat shoe.min_card_interval_ms=60000", f"{IN_THE_DEAL}; 8S"),),
    "early_card": (
        Case("baccarat", "SHOE 416; OPEN; 8S"),
        Case("casino-holdem", "SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; 6D"),
    ),
    "extra_card": (
        Case("baccarat", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H"),
        Case("2-card-action layout=C", "SHOE 416; OPEN; CLOSE; 8S 5C; 9H TC"),
        Case("baccarat", "SHOE 416; 9H"),
    ),
    "missing_card": (
        Case("baccarat", f"{IN_THE_DEAL}; SETTLED"),
        Case("casino-holdem", "SHOE 52; OPEN; CLOSE; AS KS 2H 3H 4C 5C QS JS TS; REVEAL"),
    ),
    "result_disagrees": (Case("baccarat", "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; RESULT banker"),),
    "restart_doubt": (Case("baccarat", f"{IN_THE_DEAL}; MISSED shoe"),),
    "device_lost": (
        Case("baccarat", f"{IN_THE_DEAL}; LOST shoe; BACK shoe"),
        Case("baccarat", f"{IN_THE_DEAL}; LOST shoe"),
    ),
    "shuffler_fault": (Case("baccarat shoe.kind=continuous", f"{IN_THE_DEAL}; SHUFFLE-FAILED jam"),),
    "requested": (Case("baccarat", f"{IN_THE_DEAL}; HOLD"), Case("baccarat", f"{ONE_ROUND}; HOLD")),
}
"""``!`` in front: we fail on this event."""
