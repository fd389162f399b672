"""The one composition root: everything that a table needs, put together from its configuration."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from controller.journal.sqlite import SqliteJournal
from controller.journal.walk import Walk
from controller.outbox.broker import BrokerSettings
from controller.outbox.mute import MutePublisher
from controller.outbox.publisher import Publisher
from controller.outbox.retained import Unit
from controller.outbox.signature import Signer, keyid_of
from controller.outbox.topics import client_id, topics_of
from controller.round.devices import exchanged
from controller.round.state import State
from controller.round.turn import game_of
from controller.settings.broker import broker_settings
from controller.settings.model import Configuration
from controller.shell.approval import ApprovalWatch
from controller.shell.batch import Batch
from controller.shell.clock import Clock
from controller.shell.daemon import Daemon
from controller.shell.expiry import CertificateWatch
from controller.shell.housekeeping import Housekeeper
from controller.shell.identity import software_digest, version
from controller.shell.intake import Intake
from controller.shell.lamps import Lamps
from controller.shell.limits import LimitWatch
from controller.shell.loop import Loop
from controller.shell.place import link
from controller.shell.replay import configured_by
from controller.shell.restart import fold
from controller.shell.signing_key import key_place, make_key, read_key
from controller.shell.told import stand_by_what_was_told
from controller.shell.walking import JournalWatch
from controller.shell.wiring.devices import drivers_of, lockable, outputs_of, report_logs, witnesses_of
from controller.vocabulary.events import SoftwareStarted
from drivers.ports import Driver, Source
from drivers.settings import PinFactory

log = logging.getLogger(__name__)


def assemble(
    configuration: Configuration,
    *,
    clock: Clock | None = None,
    observer: Callable[[Batch], None] | None = None,
    pins: PinFactory | None = None,
) -> Daemon:
    """Open the journal, fold it, and put the table together around it; ``pins`` None: the board's own."""
    clock = clock or Clock()
    journal = open_journal(Path(configuration.journal.path))
    try:
        return assemble_on(journal, configuration, clock, observer, pins)
    except BaseException:
        journal.close()
        raise


def open_journal(path: Path) -> SqliteJournal:
    """The journal of the table; a new one gets an epoch larger than any before: the milliseconds since
    1970.
    """
    if path.exists():
        journal = SqliteJournal.open(path, link=link)
        for note in journal.notes:
            log.warning("the journal %s: %s", path, note)
        return journal
    return SqliteJournal.create(path, epoch=max(1, time.time_ns() // 1_000_000))


def assemble_on(
    journal: SqliteJournal,
    configuration: Configuration,
    clock: Clock,
    observer: Callable[[Batch], None] | None,
    pins: PinFactory | None,
) -> Daemon:
    """The table on an open journal."""
    game = game_of(configuration.core())
    if game.decisions() or configuration.game.odds != "fixed":
        from controller.odds.counting import odds_of

        odds_of(type(game))  # imported now, so that the first question in a round need not wait
    software = software_digest()
    restarted = fold(journal, software)
    stand_by_what_was_told(journal, restarted)
    signer = signer_of(configuration, restarted.table.state)
    journal.seal = signer.seal
    boot = restarted.boot + 1
    drivers = drivers_of(configuration, pins)
    lamps = lamps_of(configuration, drivers, pins)
    intake = Intake(report_logs(configuration, drivers), witnesses=witnesses_of(configuration))
    plugged_in, before = configuration.plugged_in(), restarted.table.state
    others = exchanged(before, plugged_in)
    intake.restore(
        (device, last.number, bytes.fromhex(last.raw))
        for device, last in restarted.reports.items()
        if device not in others
    )
    intake.begin(before, held=others)
    table, mqtt = configuration.table, configuration.mqtt
    kind = Publisher if configuration.shadow is None else MutePublisher
    publisher = kind(
        topics=topics_of(table.site, table.id, table.mode),
        broker=table_broker(configuration),
        unit=Unit(boot, version(), software, table.mode),
        signer=signer,
        consumers=mqtt.consumers,
        ack_timeout_s=mqtt.ack_timeout_s,
        stream=journal,
        wall=clock.wall,
        look_first=True,
        previous=None if before is None else before.previous,
    )
    limits = LimitWatch(configuration, publisher.standing)
    certificates = CertificateWatch(
        table_broker(configuration),
        mqtt.tls.warn_days if mqtt.tls is not None else 0,
        lambda: publisher.broker_certificate_ends_s,
    )
    old_record = JournalWatch(journal, lambda: Walk(journal, link), clock.monotonic_ns)
    loop = Loop(
        table=restarted.table,
        journal=journal,
        announcer=restarted.announcer,
        intake=intake,
        clock=clock,
        boot=boot,
        drivers=drivers,
        publisher=publisher,
        lamps=lamps,
        watchers=(limits.look, ApprovalWatch(configuration).look, certificates.look, old_record.look),
        sources=[driver for driver in drivers.values() if isinstance(driver, Source)],
        observer=observer,
    )
    loop.tell(configured_by(configuration))
    loop.tell(SoftwareStarted(version(), software, boot, plugged_in, restarted.left, signer.key))
    housekeeper = Housekeeper(journal, configuration.journal.retention_days)
    return Daemon(
        configuration=configuration,
        loop=loop,
        publisher=publisher,
        journal=journal,
        drivers=drivers,
        boot=boot,
        limits=limits,
        certificates=certificates,
        lamps=lamps,
        housekeeper=housekeeper,
        clock=clock,
        leaves_outputs=leaves_outputs(configuration),
    )


def signer_of(configuration: Configuration, state: State | None) -> Signer:
    """The key of the table, made where there is none. Where it is another one than its record knows, the
    table plays, and every consumer asks a person before it takes what that key signs.
    """
    known = None if state is None or state.software is None else state.software.public_key
    place = key_place(configuration)
    signer = read_key(place) or make_key(place)
    if signer.key != known:
        log.info("key %s signs every message from here on; its public half: %s", signer.keyid, signer.key)
        if known is not None:
            log.warning("until now key %s signed them: was %s lost?", keyid_of(known), place)
    return signer


def lamps_of(configuration: Configuration, drivers: dict[str, Driver], pins: PinFactory | None) -> Lamps:
    """What is shown and locked: by a shoe that takes commands, and by outputs on pins."""
    shoe, outputs = configuration.devices.shoe, outputs_of(configuration, pins)
    return Lamps(lockable(drivers["shoe"]), outputs, locks=shoe.lock, safe_locked=shoe.safe_locked)


def leaves_outputs(configuration: Configuration) -> bool:
    """Whether ``safe-outputs`` has something to do after this table: pins, or a shoe that is told to lock."""
    shoe, lights = configuration.devices.shoe, configuration.devices.lights
    return lights is not None or (shoe.lock and shoe.safe_locked)


def table_broker(configuration: Configuration) -> BrokerSettings:
    """The broker, and the table's own name at it."""
    table = configuration.table
    return broker_settings(configuration.mqtt, client_id(table.site, table.id, table.mode))
