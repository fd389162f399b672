"""The four games once more, read from the rule documents in the slowest way; imports nothing of the program.

Written so that it cannot be wrong in the same way: no tables by rank, no bits, no deal plan, ratios typed
from the documents. ``score`` and ``settle`` take a line of the contract and give the answer of the contract.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.vectors.baccarat import score_baccarat
from tests.vectors.casino_holdem import score_casino_holdem
from tests.vectors.two_card_action import score_two_card_action
from tests.vectors.two_cards_high import score_two_cards_high
from tests.vectors.words import LOSE, NOT_PLACED, PUSH, Json

SCORES = {
    "2-card-action": score_two_card_action,
    "baccarat": score_baccarat,
    "two-cards-high": score_two_cards_high,
    "casino-holdem": score_casino_holdem,
}


def score(line: Json) -> Json:
    """The answer to a whole round (incomplete ones are the program's own business)."""
    return SCORES[line["game"]](line)


def settle(line: Json, results: Json | None = None) -> Json:
    """The bets of one player after a whole round; ``results``: of each spot, where a house has its own."""
    results = results or score(line)["bets"]
    decisions = line.get("decisions", {})
    settled = []
    raised = []
    for bet in line["bets"]:
        result = results[bet["spot"]]
        hand, _, wager = bet["spot"].partition(".")
        if wager == "ante":
            plays = decisions.get(hand) == "play"
            if not plays:
                result = LOSE
            play: dict[str, Any] = {"spot": f"{hand}.play", "stake": 2 * bet["stake"] if plays else 0}
            raised.append(
                paid_back(play, results[play["spot"]] if plays else NOT_PLACED, void=line.get("void"))
            )
        settled.append(paid_back(bet, result, void=line.get("void")))
    settled += sorted(raised, key=lambda bet: str(bet["spot"]))
    staked, returned = (sum(bet[name] for bet in settled) for name in ("stake", "returned"))
    return {"bets": settled, "staked": staked, "returned": returned, "net": returned - staked}


def paid_back(bet: Json, result: Json, *, void: bool | None) -> Json:
    """One bet; any fraction of a minor unit is rounded down."""
    if void:
        result = PUSH if bet["stake"] else NOT_PLACED
    pays, returned = result["pays"], 0
    if result["result"] == "push":
        returned = bet["stake"]
    elif result["result"] == "win":
        price = bet.get("odds")
        if price is not None:
            to_one = Fraction(str(price)) - 1
            pays = f"{float(to_one):.2f}".rstrip("0").rstrip(".") + ":1"
        else:
            numerator, denominator = pays.split(":")
            to_one = Fraction(numerator) / int(denominator)
        returned = int(bet["stake"] * (1 + to_one))
    named = {"id": bet["id"]} if "id" in bet else {}
    return {
        **named,
        "spot": bet["spot"],
        "stake": bet["stake"],
        "result": result["result"],
        "pays": pays,
        "returned": returned,
    }
