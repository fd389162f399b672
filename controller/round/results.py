"""The result: published with the completing card or the reveal, compared with the shoe's own, settled."""

from __future__ import annotations

import msgspec

from controller.games.score import score_deal
from controller.round.cut_card import end_finished_shoe
from controller.round.holds import start_hold
from controller.round.recall import remember_result
from controller.round.state import Result
from controller.round.turn import Turn
from controller.vocabulary.events import ResultReported
from controller.vocabulary.irregularities import Irregularity

OPINIONS = {"winner": str, "player_pair": bool, "banker_pair": bool}
"""What a shoe may say of its own result, and of which type each is."""


def publish_result(turn: Turn) -> None:
    """The result stands: the output of ``score``, its revision, and the result that it replaces."""
    round_, game = turn.round, turn.game
    body: dict[str, object] = {
        **msgspec.json.decode(msgspec.json.encode(score_deal(game, turn.dealt))),
        "revision": round_.revision + 1,
        "replaces": round_.withdrawn,
        "pay_table": {"id": game.pay_table.id, "digest": game.pay_table.digest},
        "rules": game.rules_version,
    }
    message = turn.say_of_round("round.result", body)
    result = Result(message, round_.revision + 1, body)
    turn.set(last={"id": message, "kind": "result", "round": round_.id, **body})
    turn.set_round(result=result, withdrawn=None, revision=result.revision)
    remember_result(turn, body)
    compare_opinion(turn)
    settle_by_itself(turn)


def settle_by_itself(turn: Turn) -> None:
    """``settle = "auto"``: settled as soon as the result stands, that is with no hold open."""
    wanted = turn.state.configuration.round.settle == "auto"
    if wanted and turn.state.phase == "result" and not turn.state.holds:
        settle(turn)


def settle(turn: Turn) -> None:
    """The settlement for all players is made: the round of play is over (definition of Round of play)."""
    turn.step("settle")
    turn.say_of_round("round.settled", {"revision": turn.round.revision})
    end_finished_shoe(turn)


def compare_opinion(turn: Turn) -> None:
    """The shoe's own result is a free second opinion; where it disagrees the table holds."""
    round_ = turn.round
    if round_.opinion is None or round_.result is None:
        return
    outcome, bets = round_.result.body["outcome"], round_.result.body["bets"]
    if not isinstance(outcome, dict) or not isinstance(bets, dict):
        return
    ours: dict[str, object] = {"winner": outcome.get("winner")}
    ours |= {pair: bets[pair]["result"] == "win" for pair in ("player_pair", "banker_pair") if pair in bets}
    if any(ours.get(key) != value for key, value in round_.opinion.items()):
        finding = Irregularity("result_disagrees", {"shoe": round_.opinion, "table": ours})
        turn.set_round(opinion=None)
        start_hold(turn, (finding,))


def opinion_of(event: ResultReported) -> dict[str, object]:
    """The parts of a result that the shoe gave, in our words."""
    given: dict[str, object] = {}
    if isinstance(event.result, dict):
        given |= event.result
    elif event.result is not None:
        given["winner"] = event.result
    own = {"winner": event.winner, "player_pair": event.player_pair, "banker_pair": event.banker_pair}
    given |= {key: value for key, value in own.items() if value is not None}
    parts = {key: given[key] for key, kind in OPINIONS.items() if isinstance(given.get(key), kind)}
    if "winner" in parts:
        parts["winner"] = str(parts["winner"]).lower()[:40]
    return parts
