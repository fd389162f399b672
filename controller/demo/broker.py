"""A broker of our own on loopback, for the demo table: a real mosquitto in a folder that goes with it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

from controller.vocabulary.errors import ConfigurationError

_CONFIGURATION = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
log_dest file {log}
"""


class LoopbackBroker:
    """Runs until :meth:`stop`; nobody outside this machine can reach it."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin")
        if program is None:
            raise ConfigurationError(
                "mosquitto is not installed: run `make setup`, or apt-get install mosquitto"
            )
        self.port = free_port() if port is None else port
        configuration = folder / "mosquitto.conf"
        configuration.write_text(_CONFIGURATION.format(port=self.port, log=folder / "mosquitto.log"))
        folder.chmod(0o755)
        self._process = subprocess.Popen(
            [program, "-c", str(configuration)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End it and wait until it is gone."""
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def is_free(port: int) -> bool:
    """Whether nobody listens at this port of the loopback."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    """A port of the loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
