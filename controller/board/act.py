"""What the dealer does next, as a code and its parameters; the page puts it into words of its language.

Read off the public ``display`` alone, so the dealer's page knows no more than anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from controller.games.game import Game
from controller.games.registry import game_class
from controller.vocabulary.errors import ConfigurationError

Display = Mapping[str, object]
Act = dict[str, object]


def next_act(display: Display) -> Act:
    """The next legal step: ``code``, and what the words need (``position``, ``card`` from 1, ``why``...)."""
    hold = display.get("hold")
    if isinstance(hold, Mapping):
        return _in_hold(hold)
    shoe = display.get("shoe")
    burns = shoe.get("burns_pending") if isinstance(shoe, Mapping) else 0
    if isinstance(burns, int) and burns > 0:
        return {"code": "burn", "cards": burns}
    phase = display.get("phase")
    if phase == "dealing":
        return _deal(display)
    if phase in ("betting", "decision", "reveal", "result"):
        return {"code": str(phase)}
    return _between(display)


def _in_hold(hold: Mapping[str, object]) -> Act:
    act: Act = {"code": "hold", "reason": hold.get("reason"), "choices": hold.get("choices")}
    if hold.get("next_out"):
        act["next_out"] = hold["next_out"]
    return act


def _deal(display: Display) -> Act:
    position = display.get("next")
    cards = display.get("cards")
    if not isinstance(position, str) or not isinstance(cards, list):
        return {"code": "dealing"}
    lie = sum(isinstance(card, Mapping) and card.get("position") == position for card in cards)
    if position == "burn":
        return {"code": "burn", "cards": 1}
    game = game_of(display)
    if game is not None and lie + 1 in game.named_cards:
        return {"code": game.named_cards[lie + 1], "position": position}
    return {"code": "draw", "position": position, "card": lie + 1}


def game_of(display: Display) -> type[Game] | None:
    """The game that is shown; None if this board's program does not know it."""
    return _known(str(display.get("game")))


@lru_cache(maxsize=64)
def _known(name: str) -> type[Game] | None:
    try:
        return game_class(name)
    except ConfigurationError:
        return None


def _between(display: Display) -> Act:
    may = display.get("may_open")
    if not isinstance(may, Mapping) or may.get("open"):
        return {"code": "open"}
    return {"code": "wait", "why": may.get("code"), "message": may.get("why")}
