"""What other software told of the last round, where our rules read its record otherwise.

The records since the last snapshot are read by the rules of this software. A round that they leave unfinished
or never open, though the stream told of it, stands as it was told: people have bet and settled on it.
"""

from __future__ import annotations

import logging

import msgspec
from msgspec.structs import asdict, replace

from controller.journal.reader import SqliteReader
from controller.outbox.envelope import Envelope, name_of, read_envelope
from controller.round.results import forget_result, remember_result, remember_void
from controller.round.state import Laid, Result, Round
from controller.round.turn import Turn, next_game
from controller.shell.restart import Retelling, from_snapshot, stored
from controller.table import Table
from controller.vocabulary.display import LastResult, LastVoid, ShownVoid
from controller.vocabulary.events import Stamp
from controller.vocabulary.messages import RoundBetsClosed, RoundCard, RoundOpened
from controller.vocabulary.parts import ResultBody, VoidNotice

log = logging.getLogger(__name__)

_BODY = stored(ResultBody)
_CARD = msgspec.json.Decoder(RoundCard)
_NOTICE = msgspec.json.Decoder(VoidNotice)
_OPENED = msgspec.json.Decoder(RoundOpened)
_CLOSED = msgspec.json.Decoder(RoundBetsClosed)

Said = dict[str, list[Envelope]]
"""Name -> the messages about a round, in order."""


def stand_by_what_was_told(journal: SqliteReader, again: Retelling) -> None:
    """After a fold: take the last round as it was told, where other software wrote the record, and our rules
    do not know the round, or not that it is over."""
    if again.left is None or again.table.state is None:
        return
    turn = Turn(again.table.state, Stamp())
    round_id, said = told_last(journal, turn.state.round)
    known = turn.state.round is not None and turn.state.round.id == round_id
    over = not {"round.settled", "round.void"}.isdisjoint(said)
    if known and (not over or not turn.state.in_round or turn.round.paid):
        return
    if not known and "round.opened" not in said:
        return
    log.warning("round %s stands as it was told, though our rules read its record otherwise", round_id)
    turn.set(holds=(), timers=(), light="red")
    if not known:
        open_as_told(turn, said["round.opened"][-1], said.get("round.bets_closed", []))
    turn.set_round(aside=(), odds=None, withdrawn=None, burns_pending=0, result=None)
    forget_result(turn)
    lay_as_told(turn, said.get("round.card", []))
    if "round.void" in said:
        void_as_told(turn, said["round.void"][-1])
    elif "round.result" in said:
        result_as_told(turn, said["round.result"][-1], settled="round.settled" in said)
    again.table = Table(again.table.epoch, turn.state)


def told_last(journal: SqliteReader, known: Round | None) -> tuple[str | None, Said]:
    """The last round that was opened since the last snapshot, else the known one, and what was said of it."""
    start = journal.record(from_snapshot(journal)[1]).stream
    said: Said = {}
    round_id = None if known is None else known.id
    for message in journal.messages(start, journal.stream_head - start):
        one = read_envelope(message.body)
        name = name_of(one.type_) or one.type_
        if name == "round.opened":
            round_id, said = one.subject, {}
        if one.subject == round_id:
            said.setdefault(name, []).append(one)
    return round_id, said


def open_as_told(turn: Turn, opened: Envelope, closed: list[Envelope]) -> None:
    """A round that our rules would not have opened: no other one may have its number. Its seats are those
    that were told when bets closed; before that, those that were said last."""
    told = _OPENED.decode(opened.data)
    dealt = [_CLOSED.decode(one.data).seats for one in closed]
    seats = next_game(turn.state).seat_numbers if not dealt or dealt[-1] is msgspec.UNSET else dealt[-1]
    number = int(told.round.rpartition("-")[2])
    round_ = Round(
        id=told.round,
        number=number,
        game_number=told.game_number,
        opened_at=opened.time,
        shoe_id=told.shoe,
        phase="dealing",
        betting_round=1,
        free_hand=told.free_hand,
        gaming_day=told.gaming_day,
        seats=seats,
    )
    turn.set(round=round_, rounds=number, numbered_at=opened.time)


def lay_as_told(turn: Turn, cards: list[Envelope]) -> None:
    """The cards that were published last at each place, as the shoe read them."""
    out = {} if turn.state.shoe is None else {drawn.draw: drawn for drawn in turn.shoe.drawn}
    placed = {card.index: card for card in (_CARD.decode(one.data) for one in cards)}
    laid = [Laid(card.position, out[card.draw]) for _, card in sorted(placed.items()) if card.draw in out]
    turn.set_round(laid=tuple(laid))
    if turn.state.shoe is not None:
        turn.set_shoe(expected=())


def result_as_told(turn: Turn, result: Envelope, *, settled: bool) -> None:
    """The round has this result; all of it lies open."""
    body = _BODY.decode(result.data)
    turn.set_round(
        phase="settled" if settled else "result",
        paid=settled,
        laid=turn.round.laid[: body.used],
        revealed=True,
        result=Result(result.id, body.revision, body),
        revision=body.revision,
    )
    turn.set(last=LastResult(round=turn.round.id, id=result.id, kind="result", **asdict(body)))
    remember_result(turn, replace(body, revision=1))


def void_as_told(turn: Turn, void: Envelope) -> None:
    """The round was void: all stakes went back."""
    notice = _NOTICE.decode(void.data)
    turn.set_round(phase="void", void=ShownVoid(id=void.id, **asdict(notice)))
    turn.set(last=LastVoid(round=turn.round.id, id=void.id, kind="void", **asdict(notice)))
    if notice.shoe == "withdraw" and turn.state.shoe is not None and turn.shoe.id == turn.round.shoe_id:
        turn.set_shoe(unusable="fault")
    remember_void(turn, turn.round.id, turn.round.game_number, notice)
