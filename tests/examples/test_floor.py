"""The examples at a floor's broker as it is shipped: each gets in with certificate, password and role."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from controller.outbox.envelope import StreamHead, envelope
from tests.broker_roles.roles import Floor
from tests.examples.running import MadeUpTable
from tests.examples.test_others import BOOKS, DISPLAY
from tests.harness.keys import SIGNER, by
from tests.harness.process import Program
from tests.node import EXAMPLES, NODE

MESSAGE = envelope(
    StreamHead(5, 1, "0" * 64),
    source="/dealer-table/north/7",
    mode="live",
    name="shoe.burned",
    subject=None,
    time="2026-01-31T20:15:00Z",
    data={"cards": 1},
)


@pytest.fixture
def table(tmp_path: Path, floor: Floor) -> Iterator[MadeUpTable]:
    certificate = str(floor.certificate())

    def as_controller(client: paho.Client) -> None:
        client.username_pw_set("controller", "secret of controller")
        client.tls_set(str(tmp_path / "floor" / "ca.crt"), certificate, certificate)

    made_up = MadeUpTable(floor.broker, consumer="settlement", prepare=as_controller)
    yield made_up
    made_up.stop()


def credentials(floor: Floor, role: str) -> list[object]:
    """The options of every example."""
    login = floor.login(role, floor.certificate())
    certificate = login["cert_file"]
    secret = ["--password-file", login["password_file"], "--cert", certificate, "--key", certificate]
    return ["--user", role, *secret, "--ca", login["ca_file"]]


def call_of(example: str, folder: Path, floor: Floor) -> list[object]:
    port, more = floor.broker.port, credentials(floor, "settlement")
    if example == "house.py":
        files = ["--file", folder / "house.db", "--name", "settlement"]
        return [sys.executable, BOOKS, "--broker", f"127.0.0.1:{port}", *files, *more]
    (folder / "bets.json").write_text("[]")
    files = ["--bets", folder / "bets.json", "--ledger", folder / "ledger.jsonl"]
    program = EXAMPLES / "settlement" / "consumer.mjs"
    return [NODE, program, "--broker", f"mqtts://127.0.0.1:{port}", *files, *more]


@pytest.mark.parametrize("example", ["consumer.mjs", "house.py"])
def test_a_consumer_takes_and_acknowledges(
    tmp_path: Path, floor: Floor, table: MadeUpTable, example: str
) -> None:
    running = Program(call_of(example, tmp_path, floor), tmp_path / "consumer.log")
    running.start()
    table.wait(lambda: table.commands)
    table.say_until(by(SIGNER, MESSAGE), lambda: bool(table.acks))
    assert (table.acks[-1]["epoch"], table.acks[-1]["sequence"]) == (5, 1)
    assert running.stop(signal.SIGINT) == 0


def test_a_sign_shows_the_table(tmp_path: Path, floor: Floor, table: MadeUpTable) -> None:
    more = credentials(floor, "display")
    call = [*DISPLAY, "--broker", f"mqtts://127.0.0.1:{floor.broker.port}", *more]
    with Program(call, tmp_path / "sign.log") as sign:
        sign.wait_printed("TABLE CLOSED")
        table.show("status", {"state": "online"})
        table.show("display", {"phase": "betting", "game_number": "20:15:07"})
        sign.wait_printed("BETTING | game 20:15:07")
        assert sign.stop() == 0
