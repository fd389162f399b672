"""A real mosquitto on a free loopback port, which a test may start, stop and kill."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import paho.mqtt.client as paho

START_TIMEOUT_S = 60


def program(name: str) -> str:
    """The path of a program of the package mosquitto; brokers live in sbin, which not every path has."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin")
    if found is None:
        raise RuntimeError(f"{name} is not installed; run make setup")
    return found


def leave(client: paho.Client) -> None:
    """Disconnect a client of paho; nothing refers to it any more, so that its sockets close when it goes, and
    not when a collector comes to them first.
    """
    client.disconnect()
    client.loop_stop()
    client.on_connect = client.on_disconnect = client.on_publish = None
    client.on_subscribe = client.on_message = None


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


class Broker:
    """One broker with a directory of its own; it keeps its port over restarts.

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
        self._process: subprocess.Popen[str] | None = None
        self.log: list[str] = []

    def start(self) -> None:
        """Start and return when it listens."""
        if self._process is not None:
            raise RuntimeError("the broker runs already")
        configuration = self.directory / "mosquitto.conf"
        configuration.write_text(
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
        process = subprocess.Popen(
            [program("mosquitto"), "-c", str(configuration)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running = threading.Event()
        threading.Thread(target=self._read, args=(process, running), daemon=True).start()
        if not running.wait(START_TIMEOUT_S) or process.poll() is not None:
            process.kill()
            process.wait()
            raise RuntimeError("mosquitto does not start:\n" + "\n".join(self.log))
        self._process = process

    def _read(self, process: subprocess.Popen[str], running: threading.Event) -> None:
        if process.stdout is None:
            raise RuntimeError("mosquitto without output")
        with process.stdout as output:
            for line in output:
                self.log.append(line.rstrip())
                if line.rstrip().endswith("running"):
                    running.set()
        running.set()

    def stop(self) -> None:
        """End it as a service manager does; it saves what it has. Does nothing where it does not run."""
        process, self._process = self._process, None
        while process is not None and process.poll() is None:
            process.terminate()
            # A signal that comes before its main loop has begun is lost on mosquitto 2.0.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)

    def kill(self) -> None:
        """kill -9: what it has not saved is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def forget(self) -> None:
        """Remove what it has saved; it must not run."""
        (self.directory / "mosquitto.db").unlink(missing_ok=True)

    def freeze(self) -> None:
        """SIGSTOP: the connection stays, and nobody answers."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)


def password_file(directory: Path, users: dict[str, str]) -> Path:
    """A mosquitto password file, made by its own program."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "passwords"
    path.write_text("".join(f"{name}:{password}\n" for name, password in users.items()))
    path.chmod(0o600)
    subprocess.run([program("mosquitto_passwd"), "-U", str(path)], check=True, capture_output=True)
    return path
