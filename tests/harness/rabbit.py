"""Three nodes of RabbitMQ 4 on loopback, which a test may kill one by one and start again.

RabbitMQ 4 is Debian 13's: it lies in a folder of its own (``build/trixie``, made by ``debootstrap`` where it
is not there; ``DEALER_TABLE_TRIXIE`` names another) and runs in it by ``chroot``, so root is needed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import trustme

from tests.broker_roles.rabbit_rights import calls
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


class Certificates:
    """Of an authority of this test: the broker's, and one that a client shows."""

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        broker, client = authority.issue_cert("127.0.0.1"), authority.issue_cert("client")
        self.authority, self.client = folder / "ca.crt", folder / "client.pem"
        authority.cert_pem.write_to_path(self.authority)
        broker.private_key_pem.write_to_path(folder / "broker.key")
        broker.cert_chain_pems[0].write_to_path(folder / "broker.crt")
        client.private_key_and_cert_chain_pem.write_to_path(self.client)
        (folder / "broker.key").chmod(0o644)  # the node has a user of its own in there


RIGHTS = {
    "set_permissions": ("permissions", ("user", "configure", "write", "read")),
    "set_topic_permissions": ("topic_permissions", ("user", "exchange", "write", "read")),
}
"""A command of ``rabbitmqctl`` -> where its words stand in a file of definitions, and as what."""


def definitions(folder: Path, users: Mapping[str, str]) -> dict[str, list[dict[str, object]]]:
    """What the shipped script says of these users to ``rabbitmqctl``, as a node takes it at its start: each
    call of that program takes seconds."""
    made: dict[str, list[dict[str, object]]] = {
        "vhosts": [],
        "users": [],
        "permissions": [],
        "topic_permissions": [],
    }
    for role, password in users.items():
        for command, *words in calls(folder, role):
            if command == "add_vhost" and not made["vhosts"]:
                made["vhosts"].append({"name": words[0], "metadata": {"default_queue_type": words[2]}})
            elif command == "add_user":
                made["users"].append({"name": words[0], "tags": "", **hashed(password)})
            elif command in RIGHTS:
                room, keys = RIGHTS[command]
                made[room].append({"vhost": words[1], **dict(zip(keys, words[2:], strict=True))})
    return made


def hashed(password: str) -> dict[str, object]:
    """A password as RabbitMQ keeps it."""
    salt = os.urandom(4)
    told = base64.b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()
    return {"password_hash": told, "hashing_algorithm": "rabbit_password_hashing_sha256"}


class RabbitCluster:
    """The nodes share what they know of sessions and queues; each has a port for MQTT of its own."""

    def __init__(self, count: int = 3, *, users: Mapping[str, str] | None = None) -> None:
        """``users``: role -> password; they come with TLS and have the rights that the shipped script gives.
        None: everybody may do everything, without TLS."""
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
        self.certificates = None if users is None else Certificates(self._inside)
        self._prepare(users)

    def _prepare(self, users: Mapping[str, str] | None) -> None:
        """The shipped configuration with what is about MQTT and TLS; ports and places are of this test."""
        cookie = self._inside / ".erlang.cookie"
        cookie.write_text("floor")
        cookie.chmod(0o400)
        (self._inside / "plugins").write_text("[rabbitmq_mqtt].\n")
        without = ["mqtt.listeners.", *(("mqtt.vhost", "mqtt.allow_anonymous") if users is None else ())]
        kinds = ("mqtt.",) if users is None else ("mqtt.", "ssl_options.")
        shipped = CONFIGURATION.read_text().replace("/etc/rabbitmq/certs/", f"{self._home}/").splitlines()
        shared = [line for line in shipped if line.startswith(kinds) and not line.startswith(tuple(without))]
        shared += ["listeners.tcp = none", "log.file.level = warning"]
        shared += ["cluster_formation.peer_discovery_backend = classic_config"]
        for place in range(len(self.ports)):
            key = f"cluster_formation.classic_config.nodes.{place + 1}"
            shared.append(f"{key} = {self._name(place)}")
        if users is None:
            shared += ["anonymous_login_user = guest", "anonymous_login_pass = guest"]
        else:
            (self._inside / "definitions.json").write_text(json.dumps(definitions(self._inside, users)))
            shared.append(f"load_definitions = {self._home}/definitions.json")
            shared.append("mqtt.listeners.tcp = none")
        transport = "tcp" if users is None else "ssl"
        for number, port in enumerate(self.ports):
            folder = self._inside / str(number)
            folder.mkdir()
            own = f"mqtt.listeners.{transport}.1 = 127.0.0.1:{port}"
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
            with suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(node.pid, signal.SIGKILL)
            node.wait()
            until(lambda: not self._listens(number), f"node {number} is gone")

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
