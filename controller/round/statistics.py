"""How the players of a hand decided, in percent ("Decision Statistics")."""

from __future__ import annotations

from collections.abc import Mapping

from controller.vocabulary.display import DecisionCounts, DecisionPercent, ShownDecisions


def shown_decisions(counted: Mapping[str, DecisionCounts]) -> dict[str, ShownDecisions]:
    """Hand -> its counts, and what part of all its players each of them is."""
    return {
        hand: ShownDecisions(one.play, one.fold, one.auto, _percent(one)) for hand, one in counted.items()
    }


def _percent(counts: DecisionCounts) -> DecisionPercent | None:
    """Whole percent that make a hundred: what rounding down leaves goes to the largest remainders."""
    parts = (counts.play, counts.fold, counts.auto)
    players = sum(parts)
    if not players:
        return None
    whole = [100 * part // players for part in parts]
    remainders = sorted(range(len(parts)), key=lambda place: -(100 * parts[place] % players))
    for place in remainders[: 100 - sum(whole)]:
        whole[place] += 1
    return DecisionPercent(*whole)
