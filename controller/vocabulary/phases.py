"""The names of the phases of a round, as every display shows them. ``round/phases.py`` has their order."""

from __future__ import annotations

from typing import Final, Literal

Phase = Literal["idle", "betting", "dealing", "decision", "reveal", "result", "settled", "final", "void"]

IN_ROUND: Final[frozenset[Phase]] = frozenset({"betting", "dealing", "decision", "reveal", "result"})
"""From "Place your bets, please" to the end of the settlement (definition of Round of play)."""
