"""Several brokers of one cluster: where one does not answer the next is tried, and the stream goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.consume import addresses
from controller.outbox.broker import BrokerSettings
from controller.outbox.session import Session
from controller.settings.broker import broker_problems, broker_settings
from controller.settings.model import MqttSettings
from controller.shell.wiring.look import NoBrokerError, look
from controller.vocabulary.errors import ConfigurationError
from tests.harness.broker import Broker, free_port
from tests.outbox.sender import TOPICS, Listener, Sender


def test_the_next_broker_is_tried_where_one_is_away_and_again_when_one_dies(
    broker: Broker, tmp_path: Path
) -> None:
    with Broker(tmp_path / "other") as other:
        others = ((broker.host, free_port()), (other.host, other.port))
        with Sender(broker, consumers=["settlement"], others=others) as sender:
            sender.connect()
            sender.write(2)
            broker.stop()
            with Listener(other, "events") as listener:
                sender.connect()
                sender.run_until(lambda: len(listener.heard) >= 2)
                assert [json.loads(one.payload)["sequence"] for one in listener.heard[:2]] == [1, 2]
                other.stop()
                broker.start()
                sender.run_until(lambda: not sender.publisher.counters.connected)
                sender.connect()


def test_a_broker_that_only_speaks_the_older_version_is_asked_in_it_before_the_next_one() -> None:
    session = Session(BrokerSettings("north-7", port=1, others=(("127.0.0.1", 2), ("127.0.0.1", 3))))
    assert [one.port for one in BrokerSettings("a", port=1, others=(("b", 2),)).each] == [1, 2]
    tried = []
    for _ in range(4):
        tried.append(session.broker.port)
        session.break_off("gone", 0.0)
    assert tried == [1, 2, 3, 1]


def test_what_is_said_of_brokers_that_are_away_does_not_change_with_each_attempt() -> None:
    """Else a table whose brokers are away writes an event and an alert for each of them, for as long as they
    are.
    """
    session = Session(BrokerSettings("north-7", port=1, others=(("127.0.0.1", 2),)))
    said = [session.break_off(f"nobody at {session.broker.port}", 0.0).reason for _ in range(5)]
    assert said == ["nobody at 1", *["nobody at 1; nobody at 2"] * 4]
    session.attempts.let_in("127.0.0.1:1")
    assert session.break_off("lost", 0.0).reason == "lost"


def test_who_takes_a_table_over_asks_each_broker(broker: Broker) -> None:
    away = (("127.0.0.1", free_port()),)
    settings = BrokerSettings("look", port=free_port(), others=(*away, (broker.host, broker.port)))
    assert look(TOPICS, settings).status is None
    with pytest.raises(NoBrokerError, match=r"cannot be asked.*; .*cannot be asked"):
        look(TOPICS, BrokerSettings("look", port=free_port(), others=away))


def test_hosts_stand_in_place_of_host_and_port() -> None:
    keys = MqttSettings(hosts=("a.example:8883", "[::1]:8884"))
    settings = broker_settings(keys, "north-7")
    assert [(one.host, one.port) for one in settings.each] == [("a.example", 8883), ("::1", 8884)]
    assert list(broker_problems(keys, "mqtt")) == []


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (
            MqttSettings(host="b", hosts=("a:1",)),
            "mqtt.hosts: mqtt.host and mqtt.port say it too",
        ),
        (MqttSettings(hosts=("a:0",)), 'mqtt.hosts: "a:0" is wrong; needed is a port from 1 to 65535'),
        (MqttSettings(hosts=("a:1", "a:1")), 'mqtt.hosts: "a:1" stands there twice'),
    ],
)
def test_hosts_that_cannot_be_meant(keys: MqttSettings, why: str) -> None:
    assert str(next(broker_problems(keys, "mqtt"))).startswith(why)


def test_consume_takes_one_broker_or_several() -> None:
    assert addresses("127.0.0.1", 1883) == [("127.0.0.1", 1883)]
    assert addresses("a:8883,b", 1884) == [("a", 8883), ("b", 1884)]
    assert addresses("::1", 1883) == [("::1", 1883)]
    for wrong in ("", "a:b", "a:0", "a,,b", "a:99999"):
        with pytest.raises(ConfigurationError, match="--host"):
            addresses(wrong, 1883)
