"""A broker of our own on loopback, for the demo table: a real mosquitto in a folder that goes with it."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections import deque
from pathlib import Path

from controller.vocabulary.errors import ConfigurationError

_CONFIGURATION = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
log_dest stderr
"""

PORTS = range(20_000, 32_768)
"""Above lie those that Linux gives to outgoing connections."""
_GIVEN: deque[socket.socket] = deque(maxlen=64)
TRIES = 5
"""At another port each time."""


class LoopbackBroker:
    """Runs until :meth:`stop`; nobody outside this machine can reach it."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin")
        if program is None:
            raise ConfigurationError(
                "mosquitto is not installed: run `make setup`, or apt-get install mosquitto"
            )
        folder.chmod(0o755)
        self._log = folder / "mosquitto.log"
        for _ in range(TRIES):
            self.port = free_port() if port is None else port
            configuration = folder / "mosquitto.conf"
            configuration.write_text(_CONFIGURATION.format(port=self.port))
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [program, "-c", str(configuration)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                )
            if self._listens() or port is not None:  # else somebody was faster at that port
                break

    def _listens(self) -> bool:
        """Wait until it does, or has ended."""
        try:
            while self.runs:
                if " running\n" in self._log.read_text(errors="replace"):
                    return True
                time.sleep(0.01)
        except KeyboardInterrupt:  # it is nobody's yet, so nobody else would end it
            self.stop()
            raise
        return False

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
    """A port of the loopback that nobody uses now, that no outgoing connection is given, and that no other
    program is given by this function as long as we remember it.
    """
    while not (is_free(port := secrets.choice(PORTS)) and _is_ours(port)):
        pass
    return port


def _is_ours(port: int) -> bool:
    """Mark a port as given away, by a name that goes with this program."""
    mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        mark.bind(f"\0dealer-table port {port}")
    except OSError:
        mark.close()
        return False
    if len(_GIVEN) == _GIVEN.maxlen:
        _GIVEN.popleft().close()
    _GIVEN.append(mark)
    return True
