"""Where consumers stand is written beside the commits, a moment after their word."""

from __future__ import annotations

from pathlib import Path

from controller.journal.memory import MemoryJournal
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.places import KEEP_AFTER_S
from controller.vocabulary.errors import JournalError
from tests.broker import Broker
from tests.outbox.sender import Sender


class TestWhereConsumersStand:
    def test_is_in_the_file_a_moment_after_their_word(self, broker: Broker, tmp_path: Path) -> None:
        path = tmp_path / "table.db"
        with SqliteJournal.create(path, epoch=5) as journal, Sender(broker, journal=journal) as sender:
            sender.connect()
            sender.write(1)
            sender.run_until(lambda: journal.cursors() == {"broker": 1})
            sender.write(1)
            sender.run_until(lambda: journal.cursors() == {"broker": 2})
            now_s = sender.now_s()
            assert sender.courier.due_s(now_s) - now_s <= KEEP_AFTER_S
            sender.ahead_s += KEEP_AFTER_S
            sender.step()
            with SqliteReader.open(path) as reader:
                assert reader.cursors() == {"broker": 2}
            now_s = sender.now_s()
            assert sender.courier.due_s(now_s) - now_s > KEEP_AFTER_S

    def test_is_written_again_where_the_disk_did_not_take_it(self, broker: Broker) -> None:
        journal = FullDisk(epoch=5)
        with Sender(broker, journal=journal) as sender:
            sender.connect()
            sender.write(1)
            journal.full = True
            sender.run_until(lambda: journal.refused > 1)
            journal.full = False
            sender.run_until(lambda: journal.flushed)


class FullDisk(MemoryJournal):
    """Takes no cursor while it is full."""

    full, refused, flushed = False, 0, False

    def flush(self) -> None:
        if self.full:
            self.refused += 1
            raise JournalError("the disk is full")
        self.flushed = bool(self.refused)
