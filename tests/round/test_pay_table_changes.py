"""A pay table that changes while a round is open: that round is paid by the old one, the next by the new."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from controller.games.paytable import PayTable, builtin_pay_table, load_pay_table
from controller.games.registry import build_game
from controller.journal.sqlite import SqliteJournal
from controller.round.turn import Turn
from controller.settlement import Bet, settle
from controller.shell.replay import Replay, numbered
from controller.vocabulary.codec import encode_event
from controller.vocabulary.configuration import CoreConfiguration, GameSettings, TableSettings
from controller.vocabulary.events import Stamp
from tests.cli.program import HOUSE, dealer_table
from tests.games.deals import deal, told
from tests.scenarios.conversation import (
    AT,
    Conversation,
    Json,
    events_of,
    name_of,
)

EIGHT = builtin_pay_table("baccarat")
NINE = load_pay_table(HOUSE / "config" / "pay-tables" / "baccarat-tie-nine.toml")
OLD, NEW = ({"id": table.id, "digest": table.digest} for table in (EIGHT, NINE))
NEXT = "OPEN; CLOSE; 4S 4H 4D 4C; SETTLED"
CHANGED_AT = {
    "while bets are open": "OPEN; NINE; CLOSE; 4S 4H 4D 4C; SETTLED",
    "before the first card": "OPEN; CLOSE; NINE; 4S 4H 4D 4C; SETTLED",
    "between two cards": "OPEN; CLOSE; 4S 4H; NINE; 4D 4C; SETTLED",
    "before the settlement": "OPEN; CLOSE; 4S 4H 4D 4C; NINE; SETTLED",
    "after the settlement": "OPEN; CLOSE; 4S 4H 4D 4C; SETTLED; NINE",
}
"""``NINE``: the other pay table is configured."""


def configured(table: PayTable) -> CoreConfiguration:
    return CoreConfiguration(TableSettings("north", "7"), GameSettings("baccarat"), pay_table=told(table))


def happened(text: str) -> list[Json]:
    """The events of a table with a loaded shoe, and of the round after it."""
    events: list[Json] = []
    for part in f"SHOE 416; {text}; {NEXT}".split("; "):
        if part == "NINE":
            events.append({"event": "table_configured", "core": msgspec.to_builtins(configured(NINE))})
        else:
            events += events_of(part)
    return events


def said(text: str, name: str, table: PayTable = EIGHT) -> list[dict[str, object]]:
    """What the stream says under a name."""
    conversation = Conversation(configured(table))
    conversation.tell_all(happened(text))
    return [message["data"] for message in conversation.stream if name_of(message) == name]


@pytest.mark.parametrize("text", CHANGED_AT.values(), ids=CHANGED_AT)
def test_the_open_round_settles_by_the_old_table_and_the_next_by_the_new_one(text: str) -> None:
    for name in ("round.opened", "round.result"):
        assert [data["pay_table"] for data in said(text, name)] == [OLD, NEW]
    ties = [data["bets"]["tie"] for data in said(text, "round.result")]  # type: ignore[index]
    assert ties == [{"result": "win", "pays": "8:1"}, {"result": "win", "pays": "9:1"}]


def test_a_revision_after_the_change_is_still_by_the_old_table() -> None:
    """Until the next round opens the last one can be corrected, and it stays the round that was bet on."""
    corrected = f"{CHANGED_AT['after the settlement']}; HOLD; RETURN 4C; CLEAR continue; 4C; SETTLED"
    results = said(corrected, "round.result")
    assert [(data["revision"], data["pay_table"]) for data in results] == [(1, OLD), (2, OLD), (1, NEW)]


def test_between_rounds_the_new_table_is_there_at_once() -> None:
    assert [data["pay_table"] for data in said("OPEN; VOID supervisor; NINE", "round.opened")] == [OLD, NEW]


def test_a_turn_plays_the_game_of_its_configuration_also_when_that_changes() -> None:
    turn = Turn(Conversation(configured(EIGHT)).state, Stamp())
    assert turn.game.pay_table == EIGHT
    turn.set(configuration=configured(NINE))
    assert turn.game.pay_table == NINE


def test_the_money_follows_the_digest_of_the_result() -> None:
    """A settlement system that keeps pay tables by digest pays what the result says."""
    kept = {table.digest: build_game(GameSettings("baccarat"), table) for table in (EIGHT, NINE)}
    returned = []
    for data in said(CHANGED_AT["between two cards"], "round.result"):
        game = kept[data["pay_table"]["digest"]]  # type: ignore[index]
        (settled,) = settle(game, deal(game, "4S 4H 4D 4C"), [Bet("tie", 100)], frozenset())
        returned.append(settled.returned_minor)
    assert returned == [900, 1000]


def test_the_journal_replays_without_a_configuration(tmp_path: Path) -> None:
    """Real program, real file: every table that was paid by stands in the record."""
    first = {"event": "table_configured", "core": msgspec.to_builtins(configured(EIGHT))}
    lines = [first, *happened(CHANGED_AT["between two cards"])]
    stamped = [numbered(json.dumps({"at": AT, **line}).encode(), at) for at, line in enumerate(lines, 1)]
    replay = Replay(1)
    printed = []
    with SqliteJournal.create(tmp_path / "7.db", epoch=1) as journal:
        for event, stamp in stamped:
            told = list(replay.step(event, stamp))
            printed += told
            said = [bytes(one.payload) for one in told if not one.retain]
            journal.commit([encode_event(event, stamp)], said)
    done = dealer_table("replay", str(tmp_path / "7.db"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(msgspec.json.encode(one).decode() + "\n" for one in printed)


def test_a_table_that_the_program_no_longer_publishes_replays_from_the_record() -> None:
    older = PayTable("baccarat-fixed", NINE.source, "2019-01-01", NINE.game, NINE.rows)
    result, _ = said(NEXT, "round.result", older)
    assert result["pay_table"] == {"id": "baccarat-fixed", "digest": older.digest}
    assert older.digest != EIGHT.digest
