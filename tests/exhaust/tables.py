"""The tables that are searched: each game as its document has it, and with the settings that change most.

The watch for factory order is off: a tiny deck has no order that chance could not give it.
"""

from __future__ import annotations

TABLES = (
    "2-card-action layout=C shoe.unshuffled=off",
    "2-card-action layout=A void=supervisor round.open=auto round.settle=auto core.shoe_numbered=no"
    " shoe.unshuffled=off",
    "baccarat decks=1 shoe.unshuffled=off",
    "baccarat decks=1 void=automatic squeeze=yes round.close=first_card shoe.unshuffled=off",
    "two-cards-high seats=1 shoe.unshuffled=off",
    "casino-holdem round.decision_s=20 shoe.kind=continuous shoe.unshuffled=off",
)
