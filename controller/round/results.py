"""The result: published with the completing card or the reveal, compared with the shoe's own, settled, kept.

The last ones are kept for a player's dispute, and those of the shoe for the scoreboard.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict

from controller.games.game import Game
from controller.games.score import score_deal
from controller.round.holds import hold_for, wait
from controller.round.secrecy import may_quote
from controller.round.shoe_end import end_finished_shoe
from controller.round.state import Deferred, Result, RoadMark
from controller.round.terms import without_fixed_pays
from controller.round.turn import Turn
from controller.vocabulary.display import LastResult, Recalled, ShortVoid
from controller.vocabulary.events import ResultReported
from controller.vocabulary.evidence import Opinion, Proof
from controller.vocabulary.messages import RoundResult, RoundSettledMessage
from controller.vocabulary.parts import ResultBody, VoidNotice
from controller.vocabulary.values import PayTableName

KEPT = 20
"""Rounds that ``display`` carries; the journal has all of them."""


def publish_result(turn: Turn) -> None:
    """Publish the result: the answer of ``score``, its revision, and the result that it replaces."""
    round_, game = turn.round, turn.game
    score = score_deal(game, turn.dealt)
    bets = without_fixed_pays(turn.state.configuration, score.bets)
    body = ResultBody(
        **{**asdict(score), "bets": bets},
        revision=round_.revision + 1,
        replaces=round_.withdrawn,
        pay_table=PayTableName(game.pay_table.id, game.pay_table.digest),
        rules=game.rules_version,
    )
    message = turn.say(RoundResult(round=round_.id, **asdict(body)))
    result = Result(message, body.revision, body)
    turn.set(last=LastResult(round=round_.id, id=message, kind="result", **asdict(body)))
    turn.set_round(result=result, withdrawn=None, revision=result.revision)
    remember_result(turn, body)
    compare_opinion(turn)


def settle_by_itself(turn: Turn) -> None:
    """``settle = "auto"``: settle as soon as there is a result and no hold is open."""
    wanted = turn.state.configuration.round.settle == "auto"
    if wanted and turn.state.phase == "result" and not turn.state.holds:
        settle(turn)


def settle(turn: Turn) -> None:
    """The settlement for all players is made: the round of play is over (definition of Round of play)."""
    turn.step("settle")
    turn.set_round(paid=True)
    turn.say(RoundSettledMessage(round=turn.round.id, revision=turn.round.revision))
    end_finished_shoe(turn)


def result_reported(turn: Turn, event: ResultReported) -> None:
    """The shoe's own result: compared with ours as soon as both are known."""
    opinion = opinion_of(event)
    if not turn.state.voidable or opinion is None:
        turn.refuse("no_result", "no round is running that the shoe could speak of")
    else:
        judge_opinion(turn, opinion)


def judge_opinion(turn: Turn, opinion: Opinion) -> None:
    """Hold a result of the shoe against the cards, in a hold too; it waits behind cards that wait there."""
    if any(hold.cards or hold.events for hold in turn.state.holds):
        wait(turn, Deferred(opinion=opinion))
    elif turn.state.in_round and not turn.round.laid and agrees_with_last(turn, opinion):
        return  # it comes late: the shoe had to say it again
    elif turn.round.result is None and turn.state.phase != "reveal":
        public = opinion if may_quote(turn.state, turn.game) else None
        hold_for(turn, "result_disagrees", Proof(shoe=public, table=None, cards=len(turn.round.laid)))
    else:
        turn.set_round(opinion=opinion)
        compare_opinion(turn)


def compare_opinion(turn: Turn) -> None:
    """The shoe's own result is a free second opinion; where it disagrees the table holds."""
    round_ = turn.round
    if round_.opinion is None or round_.result is None:
        return
    ours = opinion_on(turn.game, round_.result.body)
    if msgspec.structs.replace(ours, **given_by(round_.opinion)) != ours:
        turn.set_round(opinion=None)
        hold_for(turn, "result_disagrees", Proof(shoe=round_.opinion, table=ours))


def agrees_with_last(turn: Turn, opinion: Opinion) -> bool:
    """Whether this is the result of the round before, as the table has it."""
    last = turn.state.last
    if not isinstance(last, LastResult):
        return False
    ours = opinion_on(turn.game, last)
    return msgspec.structs.replace(ours, **given_by(opinion)) == ours


def opinion_on(game: Game, body: ResultBody | LastResult) -> Opinion:
    """Our result as a shoe would give it; a winner or pair that the game does not have agrees with none.

    It is of the cards: a house may have left a pair's spot out, or let it win otherwise.
    """
    return Opinion(winner=getattr(body.outcome, "winner", None), **game.pairs(body.hands))


def given_by(opinion: Opinion) -> dict[str, str | bool | None]:
    """The parts that the shoe gave."""
    return {part: value for part, value in asdict(opinion).items() if value is not UNSET}


def opinion_of(event: ResultReported) -> Opinion | None:
    """The parts of a result that the shoe gave; None if it gave none."""
    given = event.result if isinstance(event.result, dict) else {"winner": event.result}
    winner = given.get("winner") if event.winner is None else event.winner
    player_pair = given.get("player_pair") if event.player_pair is None else event.player_pair
    banker_pair = given.get("banker_pair") if event.banker_pair is None else event.banker_pair
    opinion = Opinion(
        winner=winner.lower()[:40] if isinstance(winner, str) else UNSET,
        player_pair=player_pair if isinstance(player_pair, bool) else UNSET,
        banker_pair=banker_pair if isinstance(banker_pair, bool) else UNSET,
    )
    return opinion if given_by(opinion) else None


def remember_result(turn: Turn, body: ResultBody) -> None:
    """Add a result to the last results, in place of an earlier revision."""
    if body.revision > 1:
        forget_result(turn)
    round_ = turn.round
    entry = Recalled(
        round=round_.id,
        game_number=round_.game_number,
        hands=body.hands,
        outcome=body.outcome,
        revision=body.revision,
    )
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
    bead = turn.game.bead(turn.dealt)
    if bead is not None:
        turn.set(road=(*turn.state.road, RoadMark(round=round_.id, **asdict(bead))))


def forget_result(turn: Turn) -> None:
    """Take the running round out of the last results and off the scoreboard: it has no result any more."""
    round_id = turn.round.id
    turn.set(
        history=tuple(entry for entry in turn.state.history if entry.round != round_id),
        road=tuple(mark for mark in turn.state.road if mark.round != round_id),
    )


def remember_void(turn: Turn, round_id: str, game_number: str, notice: VoidNotice) -> None:
    """Add a void round to the last results: with its reason and without a result."""
    void = ShortVoid(notice.reason, notice.rule)
    entry = Recalled(round=round_id, game_number=game_number, void=void)
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
