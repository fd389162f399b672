"""The recorder on a real broker and a real database: what it holds is what the tables said, whatever dies."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from controller.outbox.envelope import message_hash
from controller.outbox.signature import Signer
from controller.recorder.hearing import LOOK_S
from tests.harness.broker import Broker, free_port
from tests.harness.keys import SIGNER, by
from tests.harness.postgres import Postgres
from tests.harness.process import until
from tests.outbox.sender import Listener, Sender
from tests.recorder.recording import Recorder, asked, kept, run_until, table


def test_a_table_that_it_hears_later_is_told_where_it_listens_for_what_goes_again(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    """Else what it lacks would go to everybody."""
    with ExitStack() as house:
        first, later = (house.enter_context(table(broker, name)) for name in ("8", "7"))
        recorder = house.enter_context(Recorder(tmp_path, broker.port, url))
        listener = house.enter_context(Listener(broker, "acks/recorder"))

        def is_recorded(one: Sender) -> None:
            one.connect()
            one.write(2)
            run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 2, [one], recorder)

        is_recorded(first)
        is_recorded(later)
        until(lambda: listener.on("acks/recorder"), "it acknowledges")
        said = [json.loads(body) for body in listener.on("acks/recorder")]
        assert [one.get("repeats") for one in said] == [True] * len(said)


def test_what_a_stranger_writes_stops_no_record(tmp_path: Path, broker: Broker, url: str) -> None:
    """PostgreSQL takes no U+0000, and an alarm quotes what was said."""
    with (
        table(broker, "7") as one,
        Recorder(tmp_path, broker.port, url) as recorder,
        Listener(broker, "status") as stranger,
    ):
        one.connect()
        one.write(2)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 2, [one], recorder)
        forged = json.loads(kept(one)[1])
        for number in range(3, 9):
            body = {**forged, "id": f"5-{number}", "sequence": number, "source": "north/7\0"}
            stranger.say("events", json.dumps(body).encode())
            one.write()
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 8, [one], recorder)
        assert recorder.recorded("7") == kept(one)
        alarms = asked(url, "SELECT code, message FROM dealer_table.alarms")
        assert [(code, "north/7\ufffd" in message) for code, message in alarms] == [("no_message", True)]


def test_all_tables_of_a_site_are_recorded_in_order_and_acknowledged(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    with ExitStack() as house:
        tables = [house.enter_context(table(broker, name)) for name in ("7", "8", "9")]
        for one in tables:
            one.connect()
        recorder = house.enter_context(Recorder(tmp_path, broker.port, url))
        for count in (3, 1, 40):
            for one in tables:
                one.write(count)
        run_until(
            lambda: all(one.publisher.counters.acknowledged["recorder"] == 44 for one in tables),
            tables,
            recorder,
        )
        for one, name in zip(tables, ("7", "8", "9"), strict=True):
            assert recorder.recorded(name) == kept(one)
        [row] = asked(
            url,
            'SELECT site, "table", epoch, sequence, id, type, round, hash, body, raw, time, recorded_at'
            " FROM dealer_table.messages WHERE \"table\" = '8' AND sequence = 2",
        )
        assert row[:7] == ("north", "8", 5, 2, "5-2", "dealertable.round.card.v1", "1")
        assert row[7] == message_hash(row[9])
        assert row[8] == json.loads(by(SIGNER, row[9]))
        assert row[10].isoformat() == "2026-01-02T03:04:05+00:00"
        said = recorder.status()
        assert said.returncode == 0
        assert [line.split()[:3] for line in said.stdout.splitlines()] == [
            [f"north/{name}", "5-44", "complete"] for name in ("7", "8", "9")
        ]
        assert asked(url, "SELECT * FROM dealer_table.gaps") == []
        assert recorder.stop() == 0
        said = recorder.status()
        assert said.returncode == 1
        assert said.stdout.count("not known, no recorder is at work") == 3


def test_the_table_of_messages_is_as_the_contract_has_it(tmp_path: Path, broker: Broker, url: str) -> None:
    with Recorder(tmp_path, broker.port, url) as recorder:
        recorder.until(
            lambda: bool(
                recorder.rows("SELECT 1 FROM dealer_table.seen LIMIT 0") == [] and "recording" in recorder.log
            ),
            "it records",
        )
    columns = asked(
        url,
        "SELECT column_name, data_type, is_nullable FROM information_schema.columns"
        " WHERE table_schema = 'dealer_table' AND table_name = 'messages' ORDER BY ordinal_position",
    )
    when = "timestamp with time zone"
    assert columns == [
        ("site", "text", "NO"),
        ("table", "text", "NO"),
        ("epoch", "bigint", "NO"),
        ("sequence", "bigint", "NO"),
        ("id", "text", "NO"),
        ("type", "text", "NO"),
        ("round", "text", "YES"),
        ("time", when, "NO"),
        ("hash", "text", "NO"),
        ("body", "jsonb", "NO"),
        ("raw", "bytea", "NO"),
        ("recorded_at", when, "NO"),
    ]
    key = asked(
        url,
        "SELECT k.column_name FROM information_schema.table_constraints c"
        " JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name)"
        " WHERE c.table_schema = 'dealer_table' AND c.table_name = 'messages'"
        " AND c.constraint_type = 'PRIMARY KEY' ORDER BY k.ordinal_position",
    )
    assert [name for (name,) in key] == ["site", "table", "epoch", "sequence"]
    views = asked(url, "SELECT table_name FROM information_schema.views WHERE table_schema = 'dealer_table'")
    named = {"rounds", "results", "voids", "holds", "alerts", "shoes", "tables", "gaps", "hands_per_hour"}
    assert named == {name for (name,) in views}


def test_a_recorder_that_is_killed_again_and_again_loses_and_doubles_nothing(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    with ExitStack() as house:
        tables = [house.enter_context(table(broker, name)) for name in ("7", "8")]
        recorder = house.enter_context(Recorder(tmp_path, broker.port, url))
        for life in range(1, 5):
            for one in tables:
                one.write(150)
            before = (life - 1) * 150
            run_until(lambda before=before: len(recorder.recorded("7")) > before, tables, recorder)
            recorder.restart()
        run_until(
            lambda: all(one.publisher.counters.acknowledged["recorder"] == 600 for one in tables),
            tables,
            recorder,
        )
        assert [recorder.recorded(name) for name in ("7", "8")] == [kept(one) for one in tables]


def test_nothing_is_acknowledged_while_the_database_is_away(
    tmp_path: Path, broker: Broker, postgres: Postgres, url: str
) -> None:
    with table(broker, "7") as one, Recorder(tmp_path, broker.port, url) as recorder:
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        postgres.kill()
        try:
            one.write(20)
            run_until(lambda: "the database" in recorder.log, [one], recorder)
            assert one.publisher.counters.acknowledged["recorder"] == 5
        finally:
            postgres.start()
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 25, [one], recorder)
        assert recorder.recorded("7") == kept(one)


def test_a_second_recorder_waits_and_takes_over(tmp_path: Path, broker: Broker, url: str) -> None:
    with (
        table(broker, "7") as one,
        Recorder(tmp_path, broker.port, url) as first,
        Recorder(tmp_path, broker.port, url, "second") as second,
    ):
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], first)
        first.until(lambda: "recording" in first.log + second.log, "one of them records")
        waiting, active = (second, first) if "recording" in first.log else (first, second)
        waiting.until(lambda: "waits to take over" in waiting.log, "it waits")
        assert "recording" not in waiting.log
        active.kill()
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 10, [one], waiting)
        assert waiting.recorded("7") == kept(one)


def test_a_new_journal_is_recorded_and_said(tmp_path: Path, broker: Broker, url: str) -> None:
    with Recorder(tmp_path, broker.port, url) as recorder:
        with table(broker, "7") as one:
            one.write(5)
            run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        with table(broker, "7", epoch=6) as other:
            other.write(3)
            run_until(lambda: other.publisher.counters.acknowledged["recorder"] == 3, [other], recorder)
        assert recorder.recorded("7") == [*kept(one), *kept(other)]
        said = recorder.status()
        assert said.returncode == 1
        assert "6-3" in said.stdout
        assert "new_epoch" in said.stdout
        recorder.until(lambda: "a new journal" in recorder.log, "it says so")


def test_a_new_key_is_recorded_when_a_person_has_accepted_it(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    new = Signer(bytes(32))
    with Recorder(tmp_path, broker.port, url) as recorder:
        with table(broker, "7") as one:
            one.write(5)
            run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        with table(broker, "7", epoch=6, signer=new) as other:
            other.write(3)
            run_until(lambda: "Only what the table's known key signed" in recorder.log, [other], recorder)
            assert recorder.recorded("7") == kept(one)
            assert recorder.accept("north/7=short").returncode == 2
            assert recorder.accept(f"south/7={new.key}").returncode == 2
            assert recorder.accept(f"north/7={new.key}").returncode == 0
            run_until(lambda: other.publisher.counters.acknowledged["recorder"] == 3, [other], recorder)
        assert recorder.recorded("7") == [*kept(one), *kept(other)]
        keys = dict(recorder.rows("SELECT epoch, key FROM dealer_table.streams"))
        assert keys == {5: SIGNER.key, 6: new.key}, "each epoch stands beside the key that signed it"


def test_a_key_that_was_accepted_in_time_is_believed_whatever_another_table_has_said(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    """Table 7 is doubted all the time, so what is accepted is looked up before table 8 is doubted at all."""
    new = Signer(bytes(32))
    with Recorder(tmp_path, broker.port, url) as recorder, table(broker, "8") as before:
        with table(broker, "7") as first:
            before.write(2)
            first.write(2)
            run_until(
                lambda: (
                    before.publisher.counters.acknowledged["recorder"] == 2
                    and first.publisher.counters.acknowledged["recorder"] == 2
                ),
                [before, first],
                recorder,
            )
        with table(broker, "7", epoch=6, signer=Signer(b"x" * 32)) as doubted:
            doubted.write(1)
            run_until(lambda: "Only what the table's known key signed" in recorder.log, [doubted], recorder)
            assert recorder.accept(f"north/8={new.key}").returncode == 0
            ends_s = time.monotonic() + 2 * LOOK_S
            run_until(lambda: time.monotonic() > ends_s, [doubted], recorder)
            before.publisher.stop()
            with table(broker, "8", epoch=6, signer=new) as after:
                after.write(3)
                run_until(
                    lambda: after.publisher.counters.acknowledged["recorder"] == 3, [after, doubted], recorder
                )


def test_a_key_that_was_accepted_before_a_table_was_heard_is_its_key(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    new = Signer(bytes(32))
    with Recorder(tmp_path, broker.port, url) as recorder:
        run_until(lambda: "the broker is there" in recorder.log, [], recorder)
        assert recorder.accept(f"north/7={new.key}").returncode == 0
        with table(broker, "7") as stranger:
            stranger.write(2)
            run_until(lambda: "ALARM: REFUSED" in recorder.log, [stranger], recorder)
        assert recorder.recorded("7") == []


def test_a_table_that_does_not_name_the_recorder_is_said(tmp_path: Path, broker: Broker, url: str) -> None:
    with (
        table(broker, "7", consumers=["settlement"]) as one,
        Recorder(tmp_path, broker.port, url) as recorder,
    ):
        one.write(2)
        run_until(lambda: "does not name recorder" in recorder.log, [one], recorder)
        run_until(lambda: "not recorded" in recorder.status().stdout, [one], recorder)


@pytest.mark.parametrize("lost", ["SELECT 3", "SELECT generate_series(3, 5)", "SELECT 10"])
def test_what_is_missing_is_a_gap(tmp_path: Path, broker: Broker, url: str, lost: str) -> None:
    with table(broker, "7") as one, Recorder(tmp_path, broker.port, url) as recorder:
        one.write(10)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 10, [one], recorder)
    with psycopg.connect(url) as connection:
        connection.execute(f"DELETE FROM dealer_table.messages WHERE sequence IN ({lost})")
    gone = [number for (number,) in asked(url, lost)]
    assert asked(url, 'SELECT site, "table", epoch, first, last, missing FROM dealer_table.gaps') == [
        ("north", "7", 5, gone[0], gone[-1], len(gone))
    ]


def test_the_figures_of_the_recorder(tmp_path: Path, broker: Broker, url: str) -> None:
    port = free_port()
    keys: dict[str, Any] = {"recorder": {"metrics_port": port}}
    label = 'recorder="recorder"'
    with table(broker, "7") as one, Recorder(tmp_path, broker.port, url, **keys) as recorder:
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)

        def figures() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                return str(answer.read().decode())

        # what is missing is counted at each of its steps, and it acknowledges within one
        run_until(
            lambda: f"dealertable_recorder_missing_messages{{{label}}} 0\n" in figures(), [one], recorder
        )
        text = figures()
    for line in ("recording", "broker_connected", "tables"):
        assert f"dealertable_recorder_{line}{{{label}}} 1\n" in text
    assert f"dealertable_recorder_recorded_total{{{label}}} 5\n" in text
    assert f'dealertable_recorder_commit_seconds_bucket{{{label},le="+Inf"}}' in text
