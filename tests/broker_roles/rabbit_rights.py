"""The shipped rights at RabbitMQ, as ``add-user`` sets them: patterns over topics with dots."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.broker_roles.roles import SHIPPED

RABBIT = SHIPPED / "rabbitmq"
ADD_USER = RABBIT / "add-user"
_STUB = """#!/bin/sh
printf '%s\\n' "$@" | tr '\\n' ' ' >> {told}
echo >> {told}
"""


def user_of(role: str) -> str:
    """As whom a role comes: a level is a dot there."""
    return role.replace("/", ".")


def calls(folder: Path, role: str) -> list[list[str]]:
    """What the script says to ``rabbitmqctl`` for this user, where there is none yet."""
    told, stub = folder / "told", folder / "rabbitmqctl"
    told.unlink(missing_ok=True)
    stub.write_text(_STUB.format(told=told))
    stub.chmod(0o755)
    subprocess.run([ADD_USER, role], check=True, env={"PATH": f"{folder}:/usr/bin:/bin"}, capture_output=True)
    return [line.split() for line in told.read_text().splitlines()]


@cache
def patterns(role: str) -> dict[str, re.Pattern[str]]:
    """``read`` and ``write`` of a role, as RabbitMQ applies them."""
    with TemporaryDirectory() as folder:
        said = calls(Path(folder), role)
    [(*_, user, exchange, write, read)] = [words for words in said if words[0] == "set_topic_permissions"]
    if (user, exchange) != (user_of(role), "amq.topic"):
        raise AssertionError(f"rights of {user} over {exchange}")
    return {
        key: re.compile(text.replace("{username}", user)) for key, text in (("read", read), ("write", write))
    }


def routed(topic: str) -> str:
    """A topic or a filter as RabbitMQ has it."""
    return topic.replace("/", ".").replace("+", "*")
