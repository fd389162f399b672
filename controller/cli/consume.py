"""``consume``: the reference consumer; keeps the stream of a table durably and acknowledges it.

A settlement system does what this does (``controller/consumer/consumer.py``): keep, then acknowledge; drop
repeats; ask for what is missing; stop at what does not follow, or is not signed by the table's key.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from pathlib import Path
from typing import Literal

from controller.cli.telling import complain
from controller.vocabulary.errors import ConfigurationError

_KEY = re.compile(r"^mqtt\.(?:tls\.)?(\w+)")
"""A key of a table's file; here it is an option."""


def _option(key: re.Match[str]) -> str:
    return f"--{key[1].replace('_', '-')}"


def addresses(hosts: str, port: int) -> list[tuple[str, int]]:
    """Host and port of each broker that ``--host`` names; ConfigurationError where one is none."""
    found = []
    for where in hosts.split(","):
        host, colon, digits = where.rpartition(":")
        if not colon or (":" in host and not host.endswith("]")):  # a name, or an address of IPv6 alone
            host, digits = where, str(port)
        if not host or not digits.isascii() or not digits.isdigit() or not 1 <= int(digits[:9]) <= 65535:
            raise ConfigurationError(f"--host: {where} is no broker; needed is as broker.example:8883")
        found.append((host.strip("[]"), int(digits)))
    return found


def run(arguments: argparse.Namespace) -> int:
    """Print each new message as one line until SIGTERM or Ctrl-C; 1 if something did not follow.

    A person at a terminal is shown what each is about; whatever reads us gets the message to the byte.
    """
    from controller.consumer.consumer import Consumer, ConsumerNotice
    from controller.consumer.store import (
        Differs,
        Disagrees,
        MessageStore,
        NotItsOwn,
        OtherEpoch,
        Repeated,
        Taken,
    )
    from controller.consumer.words import in_words
    from controller.outbox.broker import BrokerSettings
    from controller.outbox.envelope import name_of
    from controller.outbox.signature import keyid_of
    from controller.outbox.topics import check_segment, client_id, topics_of

    found: list[ConsumerNotice] = []
    left: list[bool] = []

    def see(seen: ConsumerNotice) -> None:
        if isinstance(seen, Repeated):
            return  # the stream is sent at least once; this is how that looks
        if isinstance(seen, Taken) and sys.stdout.isatty():
            about = seen.envelope
            print(about.id, name_of(about.type_) or about.type_, about.subject or "", flush=True)
        elif isinstance(seen, Taken):
            sys.stdout.buffer.write(seen.signed + b"\n")
            sys.stdout.buffer.flush()
        else:
            complain(in_words(seen, accepts=arguments.accept_epoch))
            if isinstance(seen, Differs | Disagrees | NotItsOwn | OtherEpoch):
                found.append(seen)

    if arguments.key is not None:
        keyid_of(arguments.key)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: left.append(True))
    mode: Literal["live", "test"] = "test" if arguments.test else "live"
    (host, port), *others = addresses(arguments.host, arguments.port)
    broker = BrokerSettings(
        client_id(arguments.site, arguments.table, mode, arguments.name),
        host=host,
        port=port,
        others=tuple(others),
        username=arguments.username,
        password_file=arguments.password_file,
        ca_file=arguments.ca_file,
        cert_file=arguments.cert_file,
        key_file=arguments.key_file,
        protocol=arguments.protocol,
    )
    if arguments.username is None and arguments.password_file is not None:
        raise ConfigurationError("--password-file needs --username")
    check_segment("--name", arguments.name)
    check_segment("--site", arguments.site)
    check_segment("--table", arguments.table)
    with MessageStore(Path(arguments.file)) as store:
        try:
            consumer = Consumer(
                name=arguments.name,
                topics=topics_of(arguments.site, arguments.table, mode),
                broker=broker,
                store=store,
                see=see,
                accept_epochs=arguments.accept_epoch,
                key=arguments.key or "",
            )
        except ConfigurationError as error:
            raise ConfigurationError(_KEY.sub(_option, str(error))) from error
        while not left:
            consumer.step(0.5)
        consumer.stop()
    return 1 if found else 0
