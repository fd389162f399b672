"""A board goes on hearing its source after an error that nobody foresaw; until then there is no signal."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.board.hub import Hub
from controller.board.source import Feed, Follower, LocalFeed
from controller.board.watch import FloorWatch
from controller.outbox.broker import BrokerSettings
from controller.shell.observing.local_socket import COMPLETE, SIGN_OF_LIFE, LocalSocket
from tests.board.played import Publisher
from tests.harness.broker import Broker
from tests.harness.process import until

TOPIC = "dealer-table/v1/north/7/status"
STATUS = {"state": "online", "boot": 1, "version": "0", "digest": "0", "epoch": 1, "sequence": 9}


def serve(visitor: socket.socket) -> None:
    said = json.dumps({"topic": TOPIC, "payload": STATUS}).encode()
    visitor.sendall(SIGN_OF_LIFE + said + b"\n" + COMPLETE)
    visitor.recv(1)  # until the board hangs up


@pytest.mark.parametrize("source", ["broker", "socket"])
def test_an_error_that_nobody_foresaw_is_no_signal_and_the_source_is_heard_again(
    tmp_path: Path, request: pytest.FixtureRequest, source: str
) -> None:
    told: list[str] = []
    fails = ["heard"]

    def soon(call: Callable[..., None], *said: object) -> None:
        if call.__name__ in fails:
            raise KeyError(fails.pop())
        told.append(call.__name__ + "".join(f" {one}" for one in said if isinstance(one, bool)))

    watch = FloorWatch(Hub(1), "a build")
    door: LocalSocket | None = None
    feed: Follower
    if source == "socket":
        door = LocalSocket(tmp_path / "board", serve)
        feed = LocalFeed(tmp_path / "board", watch, soon, at_table=False)
    else:
        broker: Broker = request.getfixturevalue("broker")
        Publisher(broker.port).retain(TOPIC, json.dumps(STATUS).encode())
        feed = Feed(BrokerSettings("board", host=broker.host, port=broker.port), [TOPIC], watch, soon)
    feed.start()
    until(lambda: "complete" in told, "all is heard again")
    feed.stop()
    if door is not None:
        door.close()
    assert told.index("signal False") < told.index("heard") < told.index("complete")
