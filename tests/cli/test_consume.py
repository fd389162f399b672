"""``consume`` as an integrator starts it: keeps every message once, acknowledges, goes on where it stood."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

from controller.consumer.store import MessageStore
from controller.outbox.publisher import utc_now
from tests.cli.program import HOUSE, PROGRAM, refused, started
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S
from tests.outbox.sender import Sender

CONSUME = ("consume", "--name", "settlement", "--site", "north", "--table", "7", "--file")


def consume_until_acknowledged(broker: Broker, sender: Sender, file: Path, messages: int) -> list[int]:
    """Run the program until the table knows that all is safe; the sequences that it printed."""
    program = started([*CONSUME, str(file), "--port", str(broker.port)])
    try:
        sender.run_until(lambda: sender.publisher.counters.acknowledged.get("settlement") == messages)
    finally:
        program.send_signal(signal.SIGTERM)
        printed, _ = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0
    return [json.loads(line)["sequence"] for line in printed.splitlines()]


def test_prints_keeps_and_acknowledges_each_message_once_over_a_restart(
    broker: Broker, tmp_path: Path
) -> None:
    file = tmp_path / "kept.db"
    with Sender(broker, consumers=["settlement"], wall_clock=utc_now) as sender:
        sender.connect()
        sender.write(3)
        assert consume_until_acknowledged(broker, sender, file, 3) == [1, 2, 3]
        sender.write(4)
        assert consume_until_acknowledged(broker, sender, file, 7) == [4, 5, 6, 7]
    with MessageStore(file) as store:
        assert len(list(store.messages(5))) == 7


def test_a_person_at_a_terminal_is_shown_what_each_message_is_about(broker: Broker, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    call = [*PROGRAM, *CONSUME, str(tmp_path / "kept.db"), "--port", str(broker.port)]
    with Sender(broker, consumers=["settlement"], wall_clock=utc_now) as sender:
        sender.connect()
        sender.write(2)
        program = subprocess.Popen(call, stdout=theirs, cwd=HOUSE)
        os.close(theirs)
        try:
            sender.run_until(lambda: sender.publisher.counters.acknowledged.get("settlement") == 2)
        finally:
            program.send_signal(signal.SIGTERM)
            assert program.wait(PATIENCE_S) == 0
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert re.fullmatch(r"(\d+-[12] [a-z._]+ \S*\r\n){2}", shown), shown


def test_a_password_without_a_user_is_a_wrong_call(tmp_path: Path) -> None:
    assert "--username" in refused(*CONSUME, str(tmp_path / "k.db"), "--password-file", str(tmp_path / "p"))
