"""A real mosquitto on a free loopback port, which a test may start, stop and kill."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import paho.mqtt.client as paho

from controller.demo.broker import free_port
from tests.harness.process import Program


def program(name: str) -> str:
    """The path of a program of the package mosquitto; brokers live in sbin, which not every path has."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin")
    if found is None:
        raise RuntimeError(f"{name} is not installed; run make setup")
    return found


def leave(client: paho.Client) -> None:
    """Disconnect a client of paho, and close its sockets: paho does when the client goes, and in a cycle a
    collector may come to the sockets first.
    """
    client.disconnect()
    with suppress(AttributeError):  # paho looks for its thread twice, and that ends by itself in between
        client.loop_stop()
    client.on_connect = client.on_disconnect = client.on_publish = None
    client.on_subscribe = client.on_message = None
    client._reset_sockets()


class Broker(Program):
    """One broker with a directory of its own; it keeps its port over restarts, and runs within a ``with``.

    ``lines`` are added to the configuration. It starts without; call ``start``.
    """

    def __init__(
        self, directory: Path, *, lines: Sequence[str] = (), anonymous: bool = True, no_delay: bool = True
    ) -> None:
        self.host = "127.0.0.1"
        self.port = free_port()
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._lines = [*lines, *(["set_tcp_nodelay true"] if no_delay else [])]
        self._anonymous = anonymous
        self._configuration = directory / "mosquitto.conf"
        super().__init__([program("mosquitto"), "-c", self._configuration], directory / "mosquitto.log")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start and return when it listens."""
        self._configuration.write_text(
            "\n".join(
                [
                    f"listener {self.port} {self.host}",
                    f"allow_anonymous {'true' if self._anonymous else 'false'}",
                    "persistence true",
                    f"persistence_location {self.directory}/",
                    "log_dest stderr",
                    "connection_messages false",
                    *(["user root"] if os.getuid() == 0 else []),
                    *self._lines,
                    "",
                ]
            )
        )
        before = len(self.log)
        super().start()
        self.until(lambda: " running\n" in self.log[before:], "mosquitto runs", 0.002)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it as a service manager does; it saves what it has. Does nothing where it does not run."""
        process, self._process = self._process, None
        while process is not None and process.poll() is None:
            process.send_signal(how)
            # A signal that comes before its main loop has begun is lost on mosquitto 2.0.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        return 0

    def forget(self) -> None:
        """Remove what it has saved; it must not run."""
        (self.directory / "mosquitto.db").unlink(missing_ok=True)


def password_file(directory: Path, users: dict[str, str]) -> Path:
    """A mosquitto password file, made by its own program."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "passwords"
    path.write_text("".join(f"{name}:{password}\n" for name, password in users.items()))
    path.chmod(0o600)
    subprocess.run([program("mosquitto_passwd"), "-U", str(path)], check=True, capture_output=True)
    return path
