"""A primary and a synchronous standby: the primary dies, the standby takes over, and nothing that a table was
told to be safe is missing."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

from tests.harness.broker import Broker
from tests.harness.postgres import Postgres
from tests.recorder.recording import Recorder, asked, kept, run_until, table

WAITS = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name ~ '^dealer-table'"


def test_what_was_acknowledged_is_on_the_standby_when_the_primary_dies(
    tmp_path: Path, broker: Broker
) -> None:
    with ExitStack() as house:
        primary = house.enter_context(closing(Postgres()))
        url = primary.database()
        standby = house.enter_context(closing(Postgres(copied_from=primary)))
        primary.wait_for_standby()
        both = url.replace(f":{primary.port}/", f":{primary.port},127.0.0.1:{standby.port}/")
        recorder = house.enter_context(Recorder(tmp_path, broker.port, both))
        tables = [house.enter_context(table(broker, name)) for name in ("7", "8")]

        def acknowledged() -> list[int]:
            return [one.publisher.counters.acknowledged["recorder"] for one in tables]

        for one in tables:
            one.write(200)
        run_until(lambda: min(acknowledged()) > 0, tables, recorder)
        primary.kill()
        safe = acknowledged()
        there = url.replace(f":{primary.port}/", f":{standby.port}/")
        for name, count in zip(("7", "8"), safe, strict=True):
            [(held,)] = asked(there, f"SELECT count(*) FROM dealer_table.messages WHERE \"table\" = '{name}'")
            assert held >= count
        standby.promote()
        for one in tables:
            one.write(50)
        run_until(lambda: acknowledged() == [250, 250], tables, recorder)
        assert [recorder.recorded(name) for name in ("7", "8")] == [kept(one) for one in tables]


def test_a_commit_that_did_not_wait_for_the_standby_is_not_acknowledged(
    tmp_path: Path, broker: Broker
) -> None:
    with ExitStack() as house:
        primary = house.enter_context(closing(Postgres()))
        url = primary.database()
        recorder = house.enter_context(Recorder(tmp_path, broker.port, url))
        one = house.enter_context(table(broker, "7"))
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        standby = house.enter_context(closing(Postgres(copied_from=primary)))
        primary.wait_for_standby()
        standby.kill()
        one.write(1)  # one, so that it is one transaction

        def cut_short() -> bool:
            recorder.rows("SELECT pg_cancel_backend(pid) FROM (" + WAITS + ") waiting")
            return len(recorder.recorded("7")) == 6

        run_until(cut_short, [one], recorder)
        run_until(lambda: "committed with a warning" in recorder.log, [one], recorder)
        # What it then finds recorded is on the primary alone: it waits for the standby before it says so.
        run_until(lambda: len(recorder.rows(WAITS)) == 1, [one], recorder)
        assert one.publisher.counters.acknowledged["recorder"] == 5
        standby.start()
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 6, [one], recorder)
        assert recorder.recorded("7") == kept(one)


def test_a_recorder_whose_database_waits_for_its_standby_says_so_and_ends_when_it_is_told_to(
    tmp_path: Path, broker: Broker
) -> None:
    with ExitStack() as house:
        primary = house.enter_context(closing(Postgres()))
        recorder = house.enter_context(Recorder(tmp_path, broker.port, primary.database()))
        one = house.enter_context(table(broker, "7"))
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], recorder)
        standby = house.enter_context(closing(Postgres(copied_from=primary)))
        primary.wait_for_standby()
        standby.kill()
        one.write(5)
        run_until(lambda: "the database has not answered for" in recorder.log, [one], recorder)
        assert len(recorder.rows(WAITS)) == 1
        assert recorder.stop() == 0
        assert one.publisher.counters.acknowledged["recorder"] == 5
        standby.start()
        recorder.start()
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 10, [one], recorder)
        assert recorder.recorded("7") == kept(one)


def test_a_recorder_that_hears_nothing_sees_that_its_database_is_gone_and_makes_room_for_the_other(
    tmp_path: Path, broker: Broker
) -> None:
    """Two that record under one name take the broker's session from each other, and neither hears a word."""
    with ExitStack() as house:
        database = house.enter_context(closing(Postgres()))
        url = database.database()
        first = house.enter_context(Recorder(tmp_path, broker.port, url, "first"))
        first.until(lambda: "the broker is there" in first.log, "it records")
        second = house.enter_context(Recorder(tmp_path, broker.port, url, "second"))
        second.until(lambda: "waits to take over" in second.log, "it waits")
        database.kill()
        first.until(lambda: "the database:" in first.log, "it sees that its database is gone")
        database.start()
        one = house.enter_context(table(broker, "7"))
        one.write(5)
        run_until(lambda: one.publisher.counters.acknowledged["recorder"] == 5, [one], second)
        assert first.recorded("7") == kept(one)
