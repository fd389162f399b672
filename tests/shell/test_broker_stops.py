"""The doctor at a broker that stops in the middle of it, and what a doctor leaves that is stopped itself."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.outbox.broker import BrokerSettings
from controller.outbox.session import Session
from controller.settings.loader import load_configuration
from controller.shell.doctor.conversation import LEFT_S, Missing, Unreachable, client
from controller.shell.doctor.needs import NEEDS, Need
from controller.shell.doctor.rights import check_roles
from controller.shell.doctor.trials import Ground
from controller.shell.wiring.assembly import table_broker
from tests.harness.broker import Broker, leave
from tests.harness.configuration import configured
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until
from tests.shell.broker_trials import SHOE, SHORT_S, ground, not_well, tried


@pytest.fixture(autouse=True)
def _nobody_is_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.shell.doctor.trials.SLOW_MS", 60_000.0)
    monkeypatch.setattr("controller.shell.doctor.outside.PATIENCE_S", SHORT_S)
    monkeypatch.setattr("controller.outbox.attempts.CONNACK_TIMEOUT_S", SHORT_S)


class Disturbed:
    """A broker to which something happens at the first message on a topic of the doctor's own."""

    def __init__(self, broker: Broker, trial: str, act: Callable[[], object]) -> None:
        self._trial, self._act = f"/{trial}", act
        self.went: list[str] = []
        self._acted = threading.Event()
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        heard = threading.Event()
        self._client.on_subscribe = lambda *_: heard.set()
        self._client.on_message = self._hear
        self._client.connect(broker.host, broker.port)
        self._client.loop_start()
        assert heard.wait(PATIENCE_S)

    def _hear(self, _: object, __: object, message: paho.MQTTMessage) -> None:
        if message.topic.endswith(self._trial) and not self.went:
            self.went.append(message.topic)
            self._act()
            self._acted.set()

    def holds(self, publish: Callable[..., int | None]) -> Callable[..., int | None]:
        """A doctor in this process says no more on that topic before it has happened: a busy machine had the
        trial behind it before the first message was heard here."""

        def held(session: Session, topic: str, *said: object, **more: object) -> int | None:
            number = publish(session, topic, *said, **more)
            if topic.endswith(self._trial):
                assert self._acted.wait(PATIENCE_S)
            return number

        return held

    def close(self) -> None:
        leave(self._client)


TRIALS = {
    "order": "order",
    "large": "stream's message",
    "retained": "retained",
    "wildcard": "retained wildcard",
}
"""A topic of the doctor's own -> the need that is tried on it."""


@pytest.mark.parametrize("trial", TRIALS)
@pytest.mark.parametrize("how", ["frozen", "killed", "killed and there again"])
def test_a_broker_that_stops_in_the_middle_is_one_finding_and_no_need_is_called_missing(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch, how: str, trial: str
) -> None:
    """What it gives is not known then, also where it is there again when that is looked at."""
    monkeypatch.setattr("controller.shell.doctor.outside.PATIENCE_S", SHORT_S)
    monkeypatch.setattr("controller.outbox.attempts.CONNACK_TIMEOUT_S", SHORT_S)
    acts = {"frozen": broker.freeze, "killed": broker.kill, "killed and there again": broker.restart}
    disturbed = Disturbed(broker, trial, acts[how])
    monkeypatch.setattr(Session, "publish", disturbed.holds(Session.publish))
    try:
        found = tried(tmp_path, {"port": broker.port})
    finally:
        if how == "frozen":
            broker.thaw()
        disturbed.close()
    assert disturbed.went
    names = [finding.name for finding in found]
    everything = ["broker", *(need.name for need in NEEDS)]
    if how == "killed and there again" and names == everything:
        assert not_well(found) == {}, "it was there again before anything was missed"
        return
    assert not_well(found) == {"broker": "fault"}
    assert names[-1] == "broker"
    assert everything.index(TRIALS[trial]) < len(names) <= len(everything)
    assert names[:-1] == everything[: len(names) - 1]
    assert "stopped answering in the middle" in found[-1].seen
    assert found[-1].host == f"127.0.0.1:{broker.port}"
    assert "its log" in found[-1].mend


def test_what_is_missed_while_the_broker_was_gone_for_a_moment_is_not_known(broker: Broker) -> None:
    def missed(_: Ground) -> str:
        broker.restart()
        raise Missing("it had forgotten that")

    need, where = Need("memory", "", "fault", "", missed), BrokerSettings("needs", port=broker.port)
    with client(where) as watch, pytest.raises(Unreachable):
        need.examined(ground(where), watch)
    assert need.examined(ground(where)).grade == "fault", "it is let in again, and nothing else shows it"


STANDS = """
import os, signal, sys
from controller.__main__ import main
from controller.shell.doctor.conversation import Client

retain = Client.retain

def stands_still(self, topic, payload):
    retain(self, topic, payload)
    if payload and topic.endswith("/retained"):
        os.kill(os.getpid(), signal.SIGSTOP)

Client.retain = stands_still
sys.exit(main(sys.argv[1:]))
"""
"""The program, which stands still as soon as the broker retains something for it: who stops it from outside
may come when that trial is over."""


def test_what_a_killed_doctor_left_is_forgotten_by_the_broker(
    tmp_path: Path, broker: Broker, late: Callable[[], dict[str, int | None]]
) -> None:
    """kill -9 in the trial of what is retained: the broker was told how long it counts."""
    doctor = standing(tmp_path, broker)
    doctor.kill()
    doctor.wait()
    [(topic, left_s)] = late().items()
    assert topic.endswith("/retained")
    assert left_s is not None
    assert 0 < left_s <= LEFT_S


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_doctor_that_is_told_to_end_takes_back_what_it_left(
    tmp_path: Path, broker: Broker, late: Callable[[], dict[str, int | None]], number: signal.Signals
) -> None:
    doctor = standing(tmp_path, broker)
    assert late() != {}
    doctor.send_signal(number)
    doctor.send_signal(signal.SIGCONT)
    assert doctor.wait(PATIENCE_S) != 0
    assert late() == {}


def standing(folder: Path, broker: Broker) -> subprocess.Popen[bytes]:
    """A doctor that stands still in the trial of what is retained."""
    path = configured(folder, SHOE, {"mqtt": {"port": broker.port}})
    words = [sys.executable, "-c", STANDS, "doctor", "--broker", "--config", str(path)]
    doctor = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    until(lambda: Path(f"/proc/{doctor.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    return doctor


@pytest.fixture
def late(broker: Broker) -> Callable[[], dict[str, int | None]]:
    """What is retained at the broker: topic -> seconds for which it still counts."""

    def look() -> dict[str, int | None]:
        given: dict[str, int | None] = {}
        ended = threading.Event()

        def hear(client: paho.Client, _: object, message: paho.MQTTMessage) -> None:
            if message.topic == "end":
                ended.set()
            else:
                given[message.topic] = getattr(message.properties, "MessageExpiryInterval", None)

        one = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        one.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        one.on_subscribe = lambda client, *_: client.publish("end", b"", qos=1)
        one.on_message = hear
        one.connect(broker.host, broker.port)
        one.loop_start()
        assert ended.wait(PATIENCE_S)
        leave(one)
        return given

    return look


def test_of_a_broker_that_hangs_nobody_says_who_may_do_what(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a commissioning would find that strangers are kept out, by a broker that answers nobody."""
    monkeypatch.setattr("controller.outbox.attempts.CONNACK_TIMEOUT_S", SHORT_S)
    (tmp_path / "password").write_text("secret")
    mqtt = {"port": broker.port, "username": "north/7", "password_file": str(tmp_path / "password")}
    configuration = load_configuration(configured(tmp_path, SHOE, {"mqtt": mqtt}))
    broker.freeze()
    try:
        [finding] = check_roles(configuration, table_broker(configuration), [])
    finally:
        broker.thaw()
    assert (finding.name, finding.grade) == ("broker", "fault")
    assert "stopped answering" in finding.seen
