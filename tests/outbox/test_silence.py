"""Who does not answer: a journal that gives nothing, a consumer that is not heard or not named any more."""

from __future__ import annotations

from typing import Any

from controller.journal.sqlite import SqliteJournal
from controller.outbox.rollcall import SILENT_S
from controller.vocabulary.errors import JournalError
from tests.harness.broker import Broker
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import Listener, Sender, ack


class Unreadable(SqliteJournal):
    """A journal whose disk gives nothing while ``broken``."""

    broken = False

    def messages(self, after: int, limit: int) -> Any:
        if self.broken:
            raise JournalError("cannot read the journal: disk I/O error")
        return super().messages(after, limit)


def test_a_journal_that_cannot_be_read_is_said_and_asked_again_until_it_can(broker: Broker) -> None:
    journal = scratch_journal(Unreadable)
    with Sender(broker, journal=journal) as sender, Listener(broker, "events") as listener:
        sender.connect()
        sender.write(2)
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        journal.broken = True
        sender.write(3)
        sender.run_until(lambda: "journal" in sender.held)
        assert "disk I/O error" in sender.message("journal")
        sender.ahead_s += 10
        sender.run_until(lambda: sender.publisher.counters.connections >= 2)
        journal.broken = False
        sender.ahead_s += 10
        sender.run_until(lambda: sender.publisher.counters.pending == 0 and "journal" not in sender.held)
        sender.run_until(lambda: sorted(set(listener.sequences)) == [1, 2, 3, 4, 5])
        assert sender.told_of("journal") == ["journal stops", "journal is over"]


def test_a_consumer_that_is_silent_is_seen_and_heard_again(sender: Sender, listener: Listener) -> None:
    sender.write(1)
    sender.run_until(lambda: sender.publisher.counters.taken == 1)
    sender.ahead_s += SILENT_S
    sender.run_until(lambda: "consumer-settlement" in sender.held)
    listener.say("acks/settlement", ack(5, 1))
    sender.run_until(lambda: "consumer-settlement" not in sender.held)


def test_a_consumer_that_is_no_longer_named_holds_back_and_is_said(broker: Broker) -> None:
    journal = scratch_journal()
    journal.add_consumer("archive")
    with Sender(broker, journal=journal, consumers=["settlement"]) as sender, Listener(broker) as listener:
        sender.connect()
        sender.write(2)
        sender.run_until(lambda: "consumer-archive" in sender.held)
        listener.say("acks/settlement", ack(5, 2))
        sender.run_until(lambda: sender.publisher.counters.acknowledged["settlement"] == 2)
        assert sender.publisher.counters.pending == 2
