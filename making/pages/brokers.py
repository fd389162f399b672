"""docs/reference/brokers.md: what the table needs of a broker, and what brokers give."""

from __future__ import annotations

from controller.shell.doctor.needs import BETWEEN, NEEDS
from making.pages.text import page, table

INTRODUCTION = """\
Any broker of MQTT will do that gives what stands in this table. One command tries it, with the hosts, the TLS and the login of
the table's own file:

```sh
sudo dealer-table doctor --broker --config /etc/dealer-table/7.toml
```

It does so beside a table at work: under names and on topics of its own (`doctor/#`, below the table's), which no table and no
consumer reads, and it deletes what it left there; should it be killed, a broker of MQTT 5 forgets that after a minute. Where a
need is missing it says what that costs. A `fault` makes the exit status 1: the table cannot do its work there. With a `warning`
it can, with less. A broker that stops answering in the middle is one fault, `broker`, and of what is not tried then nothing is
said. With `--json` each line names its broker (`host`).

A right to `doctor` alone, as broker configurations that were shipped earlier have it, is not enough: write `doctor/#`.

Each connection is tried in MQTT 5. A broker that rejects it, or hangs up on it and has never spoken it, is asked in 3.1.1 for
that one connection. One that knows only 3.1.1 and does not answer to 5 at all needs `protocol = "3.1.1"` under `[mqtt]`
(`consume --protocol 3.1.1`); nobody falls back because a broker is slow.
"""
MEASURED = """\
## What brokers give

mosquitto, amqtt and aedes as they come, on loopback; RabbitMQ of Debian 13, three nodes on one machine of two busy cores, through
the shipped TLS and rights (`python -m tests.floor --stage "needs at RabbitMQ"` tries it again). All of it was seen with this
command.

"""
HEAD = ("", "mosquitto 2.0.11", "RabbitMQ 4.0.5", "amqtt 0.12.1", "aedes 1.2.0")
GIVEN: dict[str, tuple[str, str, str, str]] = {
    "protocol": (
        "5, at most 20 messages unanswered",
        "5, 64 or more",
        '3.1.1; does not answer to 5: `protocol = "3.1.1"`',
        "3.1.1",
    ),
    "admission": ("yes",) * 4,
    "names": ("yes; not with `use_username_as_clientid`", "yes", "yes", "yes"),
    "own topics": ("yes",) * 4,
    "rights": ("grants all, and then does not give what is not allowed", "yes", "yes", "yes"),
    "order": ("200 of 200",) * 4,
    "stream's message": ("yes",) * 4,
    "largest message": ("yes",) * 4,
    "retained": ("yes", "yes, by the node that they were said to", "yes", "yes"),
    "retained wildcard": ("yes", "no", "yes", "yes"),
    "will": ("yes",) * 4,
    "session": ("yes", "yes", "no", "yes"),
    "dots": ("stay", "arrive as slashes", "stay", "stay"),
    "latency": (
        "0.2 ms",
        "2 to 8 ms, at a load of 19",
        "0.5 ms",
        "44 ms: it holds small packets back (Nagle)",
    ),
    "same stream": ("", "yes", "", ""),
    "same retained": ("", "no", "", ""),
}
"""Need -> what each of them gave."""
MEMORY = ("memory, idle", "9 MB", "96 MB a node", "32 MB", "64 MB")
UNSEEN = """\
## What cannot be seen from outside

- **How many messages a broker keeps for a slow reader.** mosquitto by itself drops what comes after the first 1,000; the shipped
  `config/broker/mosquitto.conf` says 10,000. The table sends again what no consumer acknowledged; a [board](../how-to/result-board.md)
  of a large floor asks for it in parts.
- **Whether anything survives a restart of the broker.** Nothing has to: the table keeps every message in its journal until each
  consumer has it, and says all that is retained again each time it connects.
- **The rights to the table's own topics.** To write there for a trial would disturb consumers. A running table tells what is
  refused by the alert `publish-denied`.
- **Whether mosquitto lets the table listen.** It grants every subscription, and then sends nothing that is not allowed.

[A broker with TLS](../how-to/broker-with-tls.md) has configurations for mosquitto and RabbitMQ with every right that is needed.
"""


def draw() -> str:
    """The page."""
    needs = ((f"`{need.name}`", need.what, need.grade, need.costs) for need in (*NEEDS, *BETWEEN))
    given = ((f"`{need.name}`", *GIVEN[need.name]) for need in (*NEEDS, *BETWEEN))
    return page(
        "What the table needs of a broker",
        INTRODUCTION,
        table(("tried as", "needed is", "missing it is a", "what that costs"), needs),
        MEASURED + table(HEAD, (*given, MEMORY)),
        UNSEEN,
    )
