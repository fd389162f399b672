"""What outlives a dead unit, and the first words of the one that takes its place."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.__main__ import main
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.claim import Sighting
from controller.outbox.retained import Ack, Status, Unit, status_of
from controller.round.view import retained
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.restart import fold
from controller.shell.takeover import Remains, next_epoch, remains_of, take_over
from controller.vocabulary.codec import canonical
from controller.vocabulary.display import LastVoid
from controller.vocabulary.errors import InputError, JournalError
from controller.vocabulary.events import EpochStarted, Orphan, Stamp
from tests.harness.bench import Bench
from tests.harness.broker import Broker
from tests.harness.configuration import configured
from tests.outbox.sender import Listener, ack
from tests.scenarios.conversation import talk

EPOCH = 5
ROUND = "north-7-5-2"


def configuration(folder: Path, consumers: str = '["settlement"]') -> Configuration:
    shoe = 'devices.shoe = { driver = "angel-eye", port = "/dev/shoe" }'
    return load_configuration(configured(folder, f"mqtt.consumers = {consumers}", shoe))


def until(bench: Bench, point: str) -> None:
    """The second round of a table, up to some point."""
    bench.load()
    bench.play()
    if point == "settled":
        return
    assert bench.key("OPEN") == "OK"
    if point == "betting":
        return
    assert bench.key("CLOSE") == "OK"
    bench.deal(*("8S", "5C", "KC", "2D")[: 2 if point == "dealing" else 4])
    if point == "void":
        assert [bench.key(key) for key in ("KEY boss", "VOID supervisor", "NOKEY")] == ["OK"] * 3


def seen_of(bench: Bench, acknowledged: int = 3) -> Sighting:
    """What a broker keeps of the table."""
    topics = {name: canonical(payload) for name, payload in retained(bench.state).items()}
    status = Status("lost", 4, "1.0", "d", "live", EPOCH, bench.head())
    acks = {"settlement": Ack(EPOCH, acknowledged)}
    return Sighting(status, acks, topics["display"], topics.get("result"))


POINTS: list[tuple[str, bool | None, bool]] = [
    ("settled", True, True),
    ("betting", False, False),
    ("dealing", False, False),
    ("result", False, True),
    ("void", None, False),
]
"""Point, whether the round that is left was settled (None: none is left), whether it had a result."""


@pytest.mark.parametrize(("point", "settled", "has_result"), POINTS, ids=[case[0] for case in POINTS])
@pytest.mark.parametrize("source", ["broker", "disk", "both"])
def test_the_round_that_was_left_is_found(
    tmp_path: Path, point: str, settled: bool | None, has_result: bool, source: str
) -> None:
    disk = tmp_path / "old.db"
    with SqliteJournal.create(disk, epoch=EPOCH) as journal:
        bench = Bench(journal)
        until(bench, point)
        seen = Sighting() if source == "disk" else seen_of(bench)
        results = [m["id"] for m in bench.said() if m["type"] == "dealertable.round.result.v1"]
        head = bench.head()
    remains = found(tmp_path, seen, None if source == "broker" else disk)
    assert (remains.epoch, remains.head, remains.round_known) == (EPOCH, head, True)
    if settled is None:
        assert remains.orphan is None
        return
    orphan = remains.orphan
    assert orphan is not None
    assert (orphan.round, orphan.settled) == ("north-7-5-1" if point == "settled" else ROUND, settled)
    assert orphan.result == (results[-1] if has_result else None)
    assert orphan.game_number is not None


@pytest.mark.parametrize(
    ("shown", "ended"), list(product(("settled", "dealing", "result"), ("result", "void")))
)
def test_a_unit_that_dies_between_result_and_display_has_told_the_end_of_its_round(
    tmp_path: Path, shown: str, ended: str
) -> None:
    """The broker's display is of an earlier moment than its result, in the same round or in the last one."""
    before, after = Bench(), Bench()
    until(before, shown)
    until(after, ended)
    seen = msgspec.structs.replace(seen_of(before), result=seen_of(after).result)
    remains = found(tmp_path, seen)
    assert remains.round_known
    if ended == "void":
        assert remains.orphan is None
        return
    orphan = remains.orphan
    assert orphan is not None
    results = [m["id"] for m in after.said() if m["type"] == "dealertable.round.result.v1"]
    assert (orphan.round, orphan.settled, orphan.result) == (ROUND, False, results[-1])


def test_the_result_goes_out_before_the_display() -> None:
    """Else the broker could hold the display of a result that it does not hold."""
    bench = Bench()
    until(bench, "result")
    order = list(retained(bench.state))
    assert order.index("result") < order.index("display")


def found(folder: Path, seen: Sighting, old: Path | None = None) -> Remains:
    """What is known of a unit that somebody knows of."""
    remains = remains_of(configuration(folder), seen, old)
    assert remains is not None
    return remains


def test_the_newest_word_counts(tmp_path: Path) -> None:
    """The journal was put back from a copy: the broker's display is newer, and so is the acknowledgement."""
    disk = tmp_path / "old.db"
    with SqliteJournal.create(disk, epoch=EPOCH) as journal:
        bench = Bench(journal)
        bench.load()
        bench.play()
        journal.set_cursor("settlement", 2)
    later = Bench()
    until(later, "result")
    remains = found(tmp_path, seen_of(later, acknowledged=9), disk)
    assert remains.orphan is not None
    assert remains.orphan.round == ROUND
    assert remains.acknowledged == {"settlement": 9}
    # And the other way round: the disk is ahead of a broker that forgot its last minute.
    earlier = Bench()
    earlier.load()
    remains = found(tmp_path, seen_of(earlier, acknowledged=1), disk)
    assert remains.orphan is not None
    assert (remains.orphan.round, remains.acknowledged) == ("north-7-5-1", {"settlement": 2})


@pytest.mark.parametrize(
    "display",
    [None, b"", b"nonsense", b'{"phase": 5}', b'{"phase": "dealing", "round": "north-7-4-9"}'],
)
def test_a_display_that_is_not_there_or_not_of_that_epoch_leaves_the_round_unknown(
    tmp_path: Path, display: bytes | None
) -> None:
    status = Status("lost", 4, "1.0", "d", "live", EPOCH, 9)
    assert found(tmp_path, Sighting(status, {}, display)) == Remains(EPOCH, 9, {})


def test_what_could_not_stand_in_a_message_of_ours_is_not_taken_over(tmp_path: Path) -> None:
    """A snapshot with it could not be read again."""
    status = Status("lost", 4, "1.0", "d", "live", EPOCH, 9)
    display = f'{{"phase": "result", "round": "{ROUND}", "game_number": "noon", "revision": -1}}'
    result = f'{{"kind": "result", "round": "{ROUND}", "id": "the last one"}}'
    seen = Sighting(status, {}, display.encode(), result.encode())
    assert found(tmp_path, seen).orphan == Orphan(ROUND, game_number=None, result=None, revision=0)


def test_nobody_knows_of_a_unit_that_never_was(tmp_path: Path) -> None:
    assert remains_of(configuration(tmp_path), Sighting(), None) is None


def test_a_disk_that_gives_nothing_is_an_error(tmp_path: Path) -> None:
    odd = tmp_path / "odd.db"
    odd.write_bytes(b"nonsense" * 1000)
    with pytest.raises(JournalError):
        remains_of(configuration(tmp_path), Sighting(), odd)


def left(**changes: Any) -> Remains:
    orphan = Orphan(ROUND, "20:15:07", result="5-40")
    return msgspec.structs.replace(Remains(EPOCH, 44, {"settlement": 41}, orphan, True), **changes)


def taken_over(folder: Path, **changes: Any) -> int:
    """The epoch that goes on."""
    return take_over(configuration(folder), left(**changes), by="B12", note=None)


def messages(journal: SqliteReader) -> list[Any]:
    return [json.loads(message.body) for message in journal.unchecked_messages()]


def test_the_new_journal_begins_with_the_takeover_and_every_consumer_at_its_first_message(
    tmp_path: Path,
) -> None:
    epoch = taken_over(tmp_path)
    with SqliteReader.open(tmp_path / "journal.db") as journal:
        assert journal.epoch == epoch > EPOCH
        assert journal.cursors() == {"settlement": 0}
        told = messages(journal)
        assert [m["type"].split(".", 1)[1] for m in told] == ["epoch.started.v1", "round.void.v1"]
        assert told[1]["subject"] == ROUND
        assert told[1]["data"]["retracts"] == "5-40"
        state = fold(journal, "another program").table.state
        assert state is not None
        assert (state.previous, state.shoe, state.in_round) == (EPOCH, None, False)
        assert isinstance(state.last, LastVoid)
    assert list(tmp_path.glob("*.replacing*")) == []
    assert main(["verify", str(tmp_path / "journal.db")]) == 0


def test_a_round_that_was_settled_stands(tmp_path: Path) -> None:
    settled = Orphan(ROUND, "20:15:07", settled=True, revision=1, result="5-40")
    taken_over(tmp_path, orphan=settled)
    with SqliteReader.open(tmp_path / "journal.db") as journal:
        told = messages(journal)
    assert [m["type"].split(".", 1)[1] for m in told] == ["epoch.started.v1", "round.final.v1"]
    assert told[1]["data"] == {"round": ROUND, "revision": 1}


def test_a_second_time_there_is_a_journal(tmp_path: Path) -> None:
    taken_over(tmp_path)
    before = (tmp_path / "journal.db").read_bytes()
    with pytest.raises(JournalError, match="is there already"):
        taken_over(tmp_path)
    assert (tmp_path / "journal.db").read_bytes() == before


def test_a_crash_on_the_way_leaves_no_journal_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def power_cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteJournal, "commit", power_cut)
        with pytest.raises(KeyboardInterrupt):
            taken_over(tmp_path)
    assert not (tmp_path / "journal.db").exists()
    assert taken_over(tmp_path) > EPOCH


def test_the_epoch_is_larger_whatever_the_clock_says() -> None:
    far = 4_000_000_000_000  # a year that a wrong clock once said
    assert next_epoch(far) == far + 1
    assert next_epoch(5) > 1_600_000_000_000
    with pytest.raises(InputError):
        next_epoch(1 << 60)


def test_an_epoch_is_taken_over_before_anything_is_said_and_once() -> None:
    bench = Bench()
    bench.load()
    head = bench.head()
    event = EpochStarted(previous=4, by="B12", orphan=Orphan(ROUND))
    table, effects = bench.loop.table.handle(event, Stamp(sequence=9))
    assert table.state is not None
    assert table.state.previous is None
    assert "round.void" not in [getattr(effect, "name", "") for effect in effects]
    assert head == bench.head()
    fresh = talk("baccarat", "epoch_started previous=4 by=B12; epoch_started previous=5 by=B12").state
    assert fresh.previous == 4


@pytest.mark.parametrize("badge", ["", " ", "dealer", "Dealer"])
def test_a_dealer_replaces_nothing(tmp_path: Path, badge: str, capsys: pytest.CaptureFixture[str]) -> None:
    configuration(tmp_path)
    assert main(["replace", "--config", str(tmp_path / "table.toml"), "--badge", badge]) == 2
    assert "--badge" in capsys.readouterr().err


def test_without_a_broker_nobody_can_say_that_the_old_unit_is_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.toml"
    configuration(tmp_path)
    assert main(["replace", "--config", str(path), "--badge", "B12"]) != 0
    assert "the broker cannot be asked" in capsys.readouterr().err
    assert not (tmp_path / "journal.db").exists()


def test_of_whom_the_broker_gives_no_acknowledgement_is_said(
    tmp_path: Path, broker: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some brokers keep what they do not give: nobody may think that there was no such consumer."""
    keys = {"mqtt": {"port": broker.port, "consumers": ["settlement", "recorder"]}}
    path = configured(tmp_path, 'devices.shoe = { driver = "angel-eye", port = "/dev/shoe" }', keys)
    with Listener(broker) as left:
        left.say("status", status_of(Unit(4, "1.0", "d"), "lost", EPOCH, 9), retain=True)
        left.say("acks/settlement", ack(EPOCH, 7), retain=True)
    said = ["replace", "--config", str(path), "--badge", "B12", "--round", "none"]
    assert main(said) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  recorder: the broker gives no acknowledgement of it; ask there what it holds" in lines
    assert "  settlement has everything up to 7; 2 messages may have reached nobody" in lines
