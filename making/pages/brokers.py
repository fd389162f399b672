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
consumer reads, and it deletes what it left there. Where a need is missing it says what that costs. A `fault` makes the exit
status 1: the table cannot do its work there. With a `warning` it can, with less.

A right to `doctor` alone, as broker configurations that were shipped earlier have it, is not enough: write `doctor/#`.
"""
MEASURED = """\
## What brokers give

mosquitto, amqtt and aedes as they come, on loopback, tried with this command; RabbitMQ, three nodes, from the tables that were
run there (`make floor`). The command itself has not been run at RabbitMQ.

"""
HEAD = ("", "mosquitto 2.0.11", "RabbitMQ 4.0.5", "amqtt 0.12.1", "aedes 1.2.0")
GIVEN: dict[str, tuple[str, str, str, str]] = {
    "protocol": (
        "5, 20 messages unanswered at most",
        "5",
        "3.1.1; does not answer to MQTT 5, so each connection comes 10 s late",
        "3.1.1",
    ),
    "admission": ("yes",) * 4,
    "own topics": ("yes", "not tried", "yes", "yes"),
    "rights": ("grants all, and then does not give what is not allowed", "yes", "yes", "yes"),
    "order": ("200 of 200", "whole, also with nodes killed", "200 of 200", "200 of 200"),
    "stream's message": ("yes",) * 4,
    "largest message": ("yes", "not tried", "yes", "yes"),
    "retained": ("yes",) * 4,
    "retained wildcard": ("yes", "no", "yes", "yes"),
    "will": ("yes",) * 4,
    "session": ("yes", "not tried", "no", "yes"),
    "dots": ("stay", "arrive as slashes", "stay", "stay"),
    "latency": ("0.2 ms", "not measured", "0.5 ms", "44 ms: it holds small packets back (Nagle's algorithm)"),
}
"""Need -> what each of them gave."""
MEMORY = ("memory, idle", "9 MB", "not measured", "32 MB", "64 MB")
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
    given = ((f"`{need.name}`", *GIVEN[need.name]) for need in NEEDS)
    return page(
        "What the table needs of a broker",
        INTRODUCTION,
        table(("tried as", "needed is", "missing it is a", "what that costs"), needs),
        MEASURED + table(HEAD, (*given, MEMORY)),
        UNSEEN,
    )
