"""The brokers of a floor: one mosquitto as shipped, or three nodes of RabbitMQ 4; each may be killed."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tests.harness.broker import Broker
from tests.harness.rabbit import RabbitCluster

SHIPPED = ("max_queued_messages 10000", "max_inflight_messages 100", "autosave_interval 60")
"""The lines of ``config/broker/mosquitto.conf`` that are about the flow."""


class Brokers(ABC):
    """What tables and recorders are told, and what dies."""

    hosts: list[str]

    @abstractmethod
    def __enter__(self) -> Self: ...

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    @abstractmethod
    def kill(self, chance: random.Random) -> None:
        """One of them dies, and comes back."""


class Mosquitto(Brokers):
    """One of them; what it had not saved is gone with it."""

    def __init__(self, folder: Path, lines: Sequence[str] = SHIPPED) -> None:
        self._broker = Broker(folder / "mosquitto", lines=lines)
        self.hosts = [f"127.0.0.1:{self._broker.port}"]

    def __enter__(self) -> Self:
        self._broker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._broker.stop()

    def kill(self, chance: random.Random) -> None:
        self._broker.kill()
        self._broker.start()


class Rabbit(Brokers):
    """Three nodes."""

    def __init__(self, folder: Path) -> None:
        self._cluster = RabbitCluster()
        self.hosts = [f"127.0.0.1:{port}" for port in self._cluster.ports]

    def __enter__(self) -> Self:
        self._cluster.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.stop()

    def kill(self, chance: random.Random) -> None:
        node = chance.randrange(len(self.hosts))
        self._cluster.kill(node)
        self._cluster.start_node(node)
        self._cluster.wait(node)
