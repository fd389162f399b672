"""A pay table that changes while a round is open: that round is paid by the old one, the next by the new."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from controller.games.paytable import PayTable, builtin_pay_table, load_pay_table, to_json
from controller.games.registry import build_game
from controller.journal.sqlite import SqliteJournal
from controller.settlement import Bet, settle
from controller.shell.replay import Printed, Replay
from controller.vocabulary import events
from controller.vocabulary.codec import encode_event
from controller.vocabulary.configuration import CoreConfiguration, GameSettings, TableSettings
from controller.vocabulary.events import AnyEvent, Stamp
from tests.cli.program import HOUSE, dealer_table
from tests.games.deals import deal

EIGHT = builtin_pay_table("baccarat")
NINE = load_pay_table(HOUSE / "config" / "pay-tables" / "baccarat-tie-nine.toml")
TIE = ("4S", "4H", "4D", "4C")
BETS_OPEN, BETS_CLOSED, SETTLED = events.BetsOpened(), events.BetsClosed(), events.RoundSettled()


def configured(table: PayTable) -> AnyEvent:
    game = GameSettings("baccarat")
    core = CoreConfiguration(TableSettings("north", "7"), game, pay_table=to_json(table))
    return events.TableConfigured(msgspec.to_builtins(core))


def cards(*codes: str) -> list[AnyEvent]:
    return [events.CardRead(code) for code in codes]


LOADED = [configured(EIGHT), events.ShoeLoaded(416, 8, shuffled=True)]
NEXT = [BETS_OPEN, BETS_CLOSED, *cards(*TIE), SETTLED]


def stamped(happened: Sequence[AnyEvent]) -> Iterator[tuple[AnyEvent, Stamp]]:
    for sequence, event in enumerate(happened, 1):
        yield event, Stamp(at=f"2026-11-21T20:{sequence:02d}:00Z", sequence=sequence)


def printed(happened: Sequence[AnyEvent]) -> list[Printed]:
    replay = Replay(1)
    return [message for event, stamp in stamped(happened) for message in replay.step(event, stamp)]


def said(happened: Sequence[AnyEvent], name: str) -> list[dict[str, object]]:
    """What the stream says under a name."""
    stream = [json.loads(bytes(one.payload)) for one in printed(happened) if not one.retain]
    return [message["data"] for message in stream if message["type"] == f"dealertable.{name}.v1"]


CHANGED_AT = {
    "while bets are open": [BETS_OPEN, configured(NINE), BETS_CLOSED, *cards(*TIE), SETTLED],
    "before the first card": [BETS_OPEN, BETS_CLOSED, configured(NINE), *cards(*TIE), SETTLED],
    "between two cards": [
        BETS_OPEN,
        BETS_CLOSED,
        *cards("4S", "4H"),
        configured(NINE),
        *cards("4D", "4C"),
        SETTLED,
    ],
    "before the settlement": [BETS_OPEN, BETS_CLOSED, *cards(*TIE), configured(NINE), SETTLED],
    "after the settlement": [BETS_OPEN, BETS_CLOSED, *cards(*TIE), SETTLED, configured(NINE)],
}


@pytest.mark.parametrize("round_", CHANGED_AT.values(), ids=CHANGED_AT)
def test_the_open_round_settles_by_the_old_table_and_the_next_by_the_new_one(round_: list[AnyEvent]) -> None:
    happened = [*LOADED, *round_, *NEXT]
    for name in ("round.opened", "round.result"):
        tables = [data["pay_table"] for data in said(happened, name)]
        assert tables == [{"id": one.id, "digest": one.digest} for one in (EIGHT, NINE)]
    ties = [data["bets"]["tie"] for data in said(happened, "round.result")]  # type: ignore[index]
    assert ties == [{"result": "win", "pays": "8:1"}, {"result": "win", "pays": "9:1"}]


def test_a_revision_after_the_change_is_still_by_the_old_table() -> None:
    """Until the next round opens the last one can be corrected, and it stays the round that was bet on."""
    back: list[AnyEvent] = [events.HoldRequested("dealer"), events.CardReturned("4C", by="boss")]
    again: list[AnyEvent] = [events.HoldCleared("continue", by="boss"), *cards("4C"), SETTLED]
    happened = [*LOADED, *CHANGED_AT["after the settlement"], *back, *again, *NEXT]
    results = said(happened, "round.result")
    assert [(data["revision"], data["pay_table"]) for data in results] == [
        (1, {"id": EIGHT.id, "digest": EIGHT.digest}),
        (2, {"id": EIGHT.id, "digest": EIGHT.digest}),
        (1, {"id": NINE.id, "digest": NINE.digest}),
    ]


def test_between_rounds_the_new_table_is_there_at_once() -> None:
    happened = [*LOADED, BETS_OPEN, events.RoundVoided("supervisor", by="boss"), configured(NINE), *NEXT]
    assert [data["pay_table"] for data in said(happened, "round.opened")] == [
        {"id": EIGHT.id, "digest": EIGHT.digest},
        {"id": NINE.id, "digest": NINE.digest},
    ]


def test_the_money_follows_the_digest_of_the_result() -> None:
    """A settlement system that keeps pay tables by digest pays what the result says."""
    kept = {table.digest: build_game(GameSettings("baccarat"), table) for table in (EIGHT, NINE)}
    results = said([*LOADED, *CHANGED_AT["between two cards"], *NEXT], "round.result")
    returned = []
    for data in results:
        game = kept[data["pay_table"]["digest"]]  # type: ignore[index]
        (settled,) = settle(game, deal(game, " ".join(TIE)), [Bet("tie", 100)], frozenset())
        returned.append(settled.returned_minor)
    assert returned == [900, 1000]


def test_the_journal_replays_without_a_configuration(tmp_path: Path) -> None:
    """Real program, real file: every table that was paid by stands in the record."""
    happened = [*LOADED, *CHANGED_AT["between two cards"], *NEXT]
    with SqliteJournal.create(tmp_path / "7.db", epoch=1) as journal:
        for event, stamp in stamped(happened):
            journal.commit([encode_event(event, stamp)])
    done = dealer_table("replay", str(tmp_path / "7.db"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(msgspec.json.encode(one).decode() + "\n" for one in printed(happened))


def test_a_table_that_the_program_no_longer_publishes_replays_from_the_record() -> None:
    older = PayTable("baccarat-fixed", NINE.source, "2019-01-01", NINE.game, NINE.rows)
    happened = [configured(older), LOADED[1], *NEXT]
    (result,) = said(happened, "round.result")
    assert result["pay_table"] == {"id": "baccarat-fixed", "digest": older.digest}
    assert older.digest != EIGHT.digest
