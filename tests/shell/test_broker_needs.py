"""What the doctor tries at a broker: real brokers that give all of it, and brokers that do not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.__main__ import main
from controller.outbox.broker import BrokerSettings
from controller.outbox.reports import Arrived, Connected
from controller.outbox.session import Session
from controller.outbox.topics import client_id
from controller.shell.doctor import trials
from controller.shell.doctor.conversation import Client, Missing, mark
from controller.shell.doctor.findings import Diagnosis
from controller.shell.doctor.needs import BETWEEN, NEEDS
from controller.shell.doctor.outside import PATIENCE_S
from controller.shell.doctor.trials import MESSAGES, Ground
from tests.broker_roles.roles import TABLE_USER, Floor
from tests.harness.broker import Broker, password_file
from tests.harness.configuration import configured
from tests.harness.proxy import FaultProxy
from tests.outbox.sender import Sender
from tests.shell.broker_trials import OWN, SHOE, SHORT_S, ground, not_well, tried


@pytest.fixture(autouse=True)
def _however_busy_this_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow way is what one test is about."""
    monkeypatch.setattr(trials, "SLOW_MS", 60_000.0)


@pytest.fixture
def through(broker: Broker) -> Iterator[FaultProxy]:
    """The way to a broker, on which bytes may be altered."""
    proxy = FaultProxy(broker.port)
    yield proxy
    proxy.stop()


@contextmanager
def listener(broker: Broker, name: str) -> Iterator[Client]:
    """Somebody who hears everything."""
    session = Session(BrokerSettings(name, port=broker.port))
    session.open(time.monotonic())
    reports = session.reports(PATIENCE_S)
    answer = next(reports)
    assert isinstance(answer, Connected)
    one = Client(session, reports, answer)
    one.listen("#")
    yield one
    session.hang_up()


def all_that_came(one: Client) -> list[Arrived]:
    """Up to now."""
    one.say("end", b"of it")
    assert one.heard(b"of it") is not None
    return [came for came in one.arrived if came.topic != "end"]


def test_a_broker_that_gives_all_and_a_table_at_work_there(tmp_path: Path, broker: Broker) -> None:
    """The table is not put out, no topic of its is written, and nothing stays behind."""
    with listener(broker, client_id("north", "7", "live")) as table:
        found = tried(tmp_path, {"port": broker.port, "consumers": ["settlement"]})
        [run] = {came.topic.rpartition("/")[0] for came in all_that_came(table)}
        assert run.rpartition("/")[0] == OWN, "and a level that no other run has"
    assert not_well(found) == {}
    assert {finding.name for finding in found} == {"broker"} | {need.name for need in NEEDS}
    with listener(broker, "late") as late:
        assert all_that_came(late) == []


def test_a_broker_that_only_speaks_the_older_mqtt_gives_all_the_rest(
    tmp_path: Path, through: FaultProxy
) -> None:
    through.alters[b"MQTT\x05"] = b"MQTT\x07"
    assert not_well(tried(tmp_path, {"port": through.port})) == {"protocol": "warning"}


def test_the_shipped_rights_are_enough(tmp_path: Path, floor: Floor) -> None:
    login = floor.login(TABLE_USER, certificate := floor.certificate())
    keys = {"tls.ca_file": login["ca_file"], "tls.cert_file": certificate, "tls.key_file": certificate}
    tls = {name.removeprefix("tls."): str(path) for name, path in keys.items()}
    known = {"username": TABLE_USER, "password_file": str(login["password_file"]), "tls": tls}
    found = tried(tmp_path, {"port": floor.broker.port, **known})
    assert not_well(found) == {}
    assert "certificate broker" in {finding.name for finding in found}


NOT_RETAINED = {
    "admission": "fault",
    "retained": "fault",
    "retained wildcard": "warning",
    "will": "warning",
}


@pytest.mark.parametrize(
    ("line", "missing", "words"),
    [
        ("retain_available false", NOT_RETAINED, "Retain not supported"),
        ("max_qos 0", {"admission": "fault", "own topics": "fault"}, "QoS not supported"),
        ("max_packet_size 20000", {"largest message": "warning"}, "Packet too large"),
        (
            "message_size_limit 10000",
            {"stream's message": "fault", "largest message": "warning"},
            "not answered",
        ),
    ],
)
def test_what_a_broker_does_not_give_is_told(
    tmp_path: Path, line: str, missing: dict[str, str], words: str
) -> None:
    with Broker(tmp_path / "broker", lines=[line]) as broker:
        found = tried(tmp_path, {"port": broker.port})
    assert not_well(found) == missing
    told = [finding for finding in found if finding.name in missing]
    assert all(words in finding.seen for finding in told)
    assert all(finding.mend for finding in told)


def test_without_the_right_to_its_own_topics_the_doctor_tries_no_more(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text(f"topic readwrite {OWN}\n")
    acl.chmod(0o600)
    with Broker(tmp_path / "broker", lines=[f"acl_file {acl}"]) as broker:
        found = tried(tmp_path, {"port": broker.port})
    assert [one.name for one in found] == ["broker", "protocol", "admission", "names", "own topics"]
    assert (found[-1].grade, found[-1].seen) == ("fault", "a message was refused: Not authorized")
    assert "`doctor/#`" in found[-1].mend


NEVER_COMES: dict[Callable[[Ground], str], str] = {
    trials.own_topics: f"a message on {OWN}/try does not come back",
    trials.order: f"0 of {MESSAGES} messages arrived, 0 of them out of order",
    trials.message_of(16 << 10): "a message of 16 KiB does not arrive",
    trials.retained: f"who subscribes to {OWN}/retained gets nothing",
    trials.wildcard: f"who subscribes to {OWN}/+ gets nothing",
    trials.will: "no will was published for a connection that was cut off",
    trials.session: "what was said meanwhile is not given to who comes back",
    trials.dots: f"a message on {OWN}/a.b does not arrive",
    trials.latency: "a message does not come back",
}


def test_what_never_comes_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All trials at once, for each waits in vain."""
    monkeypatch.setattr("controller.shell.doctor.outside.PATIENCE_S", SHORT_S)
    acl = tmp_path / "acl"
    acl.write_text(f"topic write {OWN}/#\n")
    acl.chmod(0o600)

    def told(trial: Callable[[Ground], str]) -> str:
        with pytest.raises(Missing) as missing:
            trial(ground(BrokerSettings("deaf", port=broker.port)))
        return str(missing.value)

    with (
        Broker(tmp_path / "broker", lines=[f"acl_file {acl}"]) as broker,
        ThreadPoolExecutor(len(NEVER_COMES)) as threads,
    ):
        assert [*threads.map(told, NEVER_COMES)] == [*NEVER_COMES.values()]


def test_a_broker_to_which_a_dot_is_a_level(through: FaultProxy) -> None:
    """As RabbitMQ is."""
    through.alters[b"/a.b"] = b"/a/b"
    with pytest.raises(Missing, match=rf"{OWN}/a\.b arrives on {OWN}/a/b"):
        trials.dots(ground(BrokerSettings("dots", port=through.port)))


def test_a_slow_broker(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "SLOW_MS", 0.0)
    with pytest.raises(Missing, match="ms to come back"):
        trials.latency(ground(BrokerSettings("slow", port=broker.port)))


@pytest.mark.parametrize(
    ("came", "words"),
    [
        ([*range(MESSAGES - 1)], f"{MESSAGES - 1} of {MESSAGES} messages arrived, 0 of them out of order"),
        ([1, 0, *range(2, MESSAGES)], f"{MESSAGES} of {MESSAGES} messages arrived, 1 of them out of order"),
    ],
)
def test_what_is_lost_or_late_is_missing(came: list[int], words: str) -> None:
    with pytest.raises(Missing, match=words):
        trials.whole(came)


def test_several_brokers_that_are_one(tmp_path: Path, broker: Broker) -> None:
    found = tried(tmp_path, {"hosts": [f"127.0.0.1:{broker.port}", f"localhost:{broker.port}"]})
    assert not_well(found) == {}
    count = 1 + len(NEEDS)
    ends = [f"{host}:{broker.port}" for host in ("127.0.0.1", "localhost")]
    hosts = [ends[0]] * count + [ends[1]] * (count + len(BETWEEN))
    assert [finding.host for finding in found] == hosts
    assert [finding.name for finding in found[2 * count :]] == [need.name for need in BETWEEN]


def test_several_brokers_that_know_nothing_of_each_other(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.doctor.outside.PATIENCE_S", SHORT_S)
    with Broker(tmp_path / "other") as other:
        one, two = (BrokerSettings("needs", port=each.port) for each in (broker, other))
        with ThreadPoolExecutor(len(BETWEEN)) as threads:
            found = [*threads.map(lambda need: need.examined(ground(two, one)), BETWEEN)]
    assert not_well(found) == {"same stream": "fault", "same retained": "warning"}


def test_on_the_command_line(tmp_path: Path, broker: Broker, capsys: pytest.CaptureFixture[str]) -> None:
    path = configured(tmp_path, SHOE, {"mqtt": {"port": broker.port}})
    said = ["doctor", "--broker", "--config", str(path)]
    assert main([*said, "--json"]) == 0, "no device is looked at: there is none"
    found = [msgspec.json.decode(line, type=Diagnosis) for line in capsys.readouterr().out.splitlines()]
    assert [finding.name for finding in found] == ["broker", *(need.name for need in NEEDS)]
    broker.stop()
    assert main(said) == 1
    assert capsys.readouterr().out.split()[:2] == ["fault", "broker"]


def test_what_a_stranger_says_on_the_topic_of_a_trial_is_not_counted(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listener(broker, "stranger") as stranger:
        monkeypatch.setattr(trials, "mark", lambda: stranger.say(f"{OWN}/order", b"no number") or mark())
        assert "all of them in order" in trials.order(ground(BrokerSettings("order", port=broker.port)))


@pytest.mark.parametrize("at_work", [False, True])
@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_a_broker_that_tells_clients_apart_by_their_users(
    tmp_path: Path, at_work: bool, protocol: str
) -> None:
    """A second connection of the table's user then ends the first: the table's own, where it is at work."""
    passwords = password_file(tmp_path / "broker", {"table": "secret"})
    (tmp_path / "password").write_text("secret")
    lines = ["use_username_as_clientid true", f"password_file {passwords}"]
    login: dict[str, Any] = {"username": "table", "password_file": tmp_path / "password"}
    with ExitStack() as house:
        broker = house.enter_context(Broker(tmp_path / "broker", lines=lines, anonymous=False))
        if at_work:
            table = house.enter_context(Sender(broker, **login))
            table.connect()
        told = {name: str(value) for name, value in login.items()}
        mqtt = {"port": broker.port, "protocol": protocol, **told}
        found = tried(tmp_path, mqtt)
        if at_work:
            table.run_until(lambda: table.publisher.counters.connections > 1)
    assert [finding.name for finding in found][-1] == "names"
    assert "ends the first" in found[-1].seen
    assert "use_username_as_clientid" in found[-1].mend


def test_what_two_bridged_brokers_need_a_moment_for_is_not_missing(tmp_path: Path, broker: Broker) -> None:
    """What is retained at one comes to the other later than the answer to who said it."""
    lines = [f"connection other\naddress 127.0.0.1:{broker.port}\ntopic # in 1"]
    with Broker(tmp_path / "other", lines=lines) as other:
        one, two = (BrokerSettings("needs", port=each.port) for each in (broker, other))
        assert "given here" in trials.same_retained(ground(two, one))


def test_a_broker_that_does_not_answer_at_all_may_know_only_the_older_mqtt(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.outbox.attempts.CONNACK_TIMEOUT_S", SHORT_S)
    broker.freeze()
    try:
        [finding] = tried(tmp_path, {"port": broker.port})
    finally:
        broker.thaw()
    assert (finding.name, finding.grade) == ("broker", "fault")
    assert finding.mend.endswith('write mqtt.protocol = "3.1.1"')
