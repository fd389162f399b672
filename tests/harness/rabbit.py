"""Three nodes of RabbitMQ 4 on loopback, which a test may kill one by one and start again.

RabbitMQ 4 is Debian 13's: it lies in a folder of its own (``build/trixie``, made by ``debootstrap`` where it
is not there; ``DEALER_TABLE_TRIXIE`` names another) and runs in it by ``chroot``, so root is needed.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from tests.harness.broker import free_port
from tests.harness.process import HOUSE, until

CONFIGURATION = HOUSE / "config/broker/rabbitmq/rabbitmq.conf"
_SERVER = "usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin"


def trixie() -> Path:
    """Debian 13 with RabbitMQ, made where it is not there yet: some minutes."""
    root = Path(os.environ.get("DEALER_TABLE_TRIXIE", HOUSE / "build/trixie"))
    if not [*root.glob(_SERVER)]:
        program = shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None or os.getuid() != 0:
            raise RuntimeError(f"no RabbitMQ 4 in {root}: needed are debootstrap and root to put it there")
        root.parent.mkdir(parents=True, exist_ok=True)
        words = [program, "--variant=minbase", "--include=rabbitmq-server", "trixie", str(root)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return root


class RabbitCluster:
    """The nodes share what they know of sessions and queues; each has a port for MQTT of its own."""

    def __init__(self, count: int = 3, *, anonymous: bool = True) -> None:
        """``anonymous``: everybody may do everything; else nobody may before :meth:`add_user`."""
        self._root = trixie()
        self._inside = Path(tempfile.mkdtemp(prefix="floor-rabbit-", dir=self._root / "tmp"))
        self._home = Path("/tmp") / self._inside.name
        self.ports = [free_port() for _ in range(count)]
        self._epmd_port = free_port()
        self._epmd: subprocess.Popen[bytes] | None = None
        self._nodes: list[subprocess.Popen[bytes] | None] = [None] * count
        self._mounted = not (self._root / "proc/self").exists()
        if self._mounted:
            subprocess.run(["mount", "-t", "proc", "proc", str(self._root / "proc")], check=True)
        self._prepare(anonymous=anonymous)

    def _prepare(self, *, anonymous: bool) -> None:
        """The shipped configuration with what is about MQTT; ports, names and places are of this test."""
        cookie = self._inside / ".erlang.cookie"
        cookie.write_text("floor")
        cookie.chmod(0o400)
        (self._inside / "plugins").write_text("[rabbitmq_mqtt].\n")
        without = ("mqtt.listeners.", *(("mqtt.vhost", "mqtt.allow_anonymous") if anonymous else ()))
        shipped = CONFIGURATION.read_text().splitlines()
        shared = [line for line in shipped if line.startswith("mqtt.") and not line.startswith(without)]
        shared += ["listeners.tcp = none", "log.file.level = warning"]
        shared += ["cluster_formation.peer_discovery_backend = classic_config"]
        for place in range(len(self.ports)):
            key = f"cluster_formation.classic_config.nodes.{place + 1}"
            shared.append(f"{key} = {self._name(place)}")
        if anonymous:
            shared += ["anonymous_login_user = guest", "anonymous_login_pass = guest"]
        for number, port in enumerate(self.ports):
            folder = self._inside / str(number)
            folder.mkdir()
            own = f"mqtt.listeners.tcp.1 = 127.0.0.1:{port}"
            (folder / "rabbitmq.conf").write_text("\n".join([*shared, own, ""]))

    def _name(self, number: int) -> str:
        return f"n{number + 1}x{self._epmd_port}@localhost"

    def start(self) -> None:
        """All of them; returns when each lets clients in."""
        self._epmd = self._run({}, "epmd", "-address", "127.0.0.1", "-port", str(self._epmd_port))
        for number in range(len(self.ports)):
            self.start_node(number)  # none begins alone: each looks for the others
        for number in range(len(self.ports)):
            self.wait(number)

    def start_node(self, number: int) -> None:
        """Returns at once."""
        folder = self._home / str(number)
        quiet = "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none -start_epmd false"
        given = {
            "RABBITMQ_NODENAME": self._name(number),
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{self._home}/plugins",
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"{quiet} -kernel inet_dist_use_interface {{127,0,0,1}}",
        }
        self._nodes[number] = self._run(given, f"{self._server()}/rabbitmq-server")

    def wait(self, number: int) -> None:
        """Until this node takes clients."""

        def answers() -> bool:
            node = self._nodes[number]
            if node is not None and node.poll() is not None:
                raise AssertionError(f"node {number} ended: {self.log(number)}")
            return self._listens(number)

        until(answers, lambda: f"node {number} listens\n{self.log(number)}")

    def _listens(self, number: int) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.ports[number]), 1).close()
        except OSError:
            return False
        return True

    def log(self, number: int) -> str:
        """The end of what it has logged."""
        texts = [
            path.read_text(errors="replace") for path in (self._inside / str(number) / "log").glob("*.log")
        ]
        return "\n".join(texts)[-2000:]

    def kill(self, number: int) -> None:
        """kill -9 of a node and all that it started."""
        node, self._nodes[number] = self._nodes[number], None
        if node is not None:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()
            until(lambda: not self._listens(number), f"node {number} is gone")

    def add_user(self, name: str, password: str) -> None:
        """By the shipped script."""
        script = self._inside / "add-user"
        shutil.copy(CONFIGURATION.with_name("add-user"), script)
        given = {"RABBITMQ_NODENAME": self._name(0), "PATH": f"{self._server()}:/usr/bin:/bin"}
        command = self._command(given, f"{self._home}/add-user", name)
        subprocess.run(command, check=True, capture_output=True, input=f"{password}\n".encode())

    def _server(self) -> str:
        """Where its programs are."""
        return f"/{next(iter(self._root.glob(_SERVER))).relative_to(self._root)}"

    def stop(self) -> None:
        """All of them, and what they kept."""
        for number in range(len(self._nodes)):
            self.kill(number)
        if self._epmd is not None:
            os.killpg(self._epmd.pid, signal.SIGKILL)
            self._epmd.wait()
        if self._mounted:
            subprocess.run(["umount", str(self._root / "proc")], check=False)
        shutil.rmtree(self._inside, ignore_errors=True)

    def _command(self, given: dict[str, str], *words: str) -> list[str]:
        common = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(self._home),
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self._epmd_port),
            **given,
        }
        return [
            "chroot",
            str(self._root),
            "env",
            "-i",
            *(f"{key}={value}" for key, value in common.items()),
            *words,
        ]

    def _run(self, given: dict[str, str], *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command(given, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
