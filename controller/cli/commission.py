"""``commission``: nothing of a table is believed that nobody has seen. It goes on where it was left."""

from __future__ import annotations

import argparse
import os
import platform
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from controller.cli import commission_outside as outside
from controller.cli import commission_parts as at_table
from controller.cli.commission_parts import Visit, now
from controller.cli.conversation import Conversation, at_terminal
from controller.journal.files import WriterLock
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell import commissioning
from controller.shell.commissioning import DONE, CommissioningRecord, CommissioningStep, Identity
from controller.shell.identity import software_digest, version
from controller.shell.wiring.bench import Bench
from controller.shell.wiring.devices import PinFactory
from controller.shell.wiring.finding import board_model
from controller.vocabulary.codec import digest
from controller.vocabulary.errors import InputError
from controller.vocabulary.shown import meant

POWER = "power"


def run(
    arguments: argparse.Namespace, talk: Conversation | None = None, pins: PinFactory | None = None
) -> int:
    """0 if all of the table was seen and is well, 1 if something failed or is missing."""
    configuration = load_configuration(arguments.config)
    parts = parts_of(configuration, arguments)
    wanted = arguments.only or list(parts)
    for name in wanted:
        if name not in parts:
            known = f"this table has {', '.join(parts)}"
            raise InputError(f"--only {name}: {meant(name, parts, known)}")
    if arguments.list:
        print("\n".join(parts))
        return 0
    folder, table = Path(arguments.report), configuration.table.id
    if not folder.is_dir():
        raise InputError(f"--report {folder}: there is no such folder")
    talk = talk or at_terminal()
    kept = folder / f"commissioning-{table}.progress"
    if arguments.again and kept.exists():
        commissioning.set_aside(kept)
    progress = CommissioningRecord(kept, identity_of(configuration))
    by = arguments.by or talk.ask("Who commissions this table?")
    bench = Bench(configuration, talk.heard.put, pins)
    complete = True
    for name in wanted:
        if progress.finished(name):
            talk.tell(f"{name}: done already")
            continue
        if any(step.verdict == "failed" for step in progress.of(name)):
            progress.begin_anew(name)
        talk.tell(f"== {name}")
        visit = Visit(configuration, talk, bench, progress, name)
        if name != POWER:
            table_is_idle(configuration)
        with bench.at_work():
            complete = parts[name](visit) is not False and complete
        if not complete:
            break
        visit.note(DONE, "ok", "all of it was asked")
        talk.tell(f"{name}: {summary(progress.of(name))}")
    return 1 if not complete else reported(progress, configuration, by, list(parts), folder, talk)


def parts_of(
    configuration: Configuration, arguments: argparse.Namespace
) -> dict[str, Callable[[Visit], object]]:
    """The parts that this table has, in the order in which they are tried."""
    devices = configuration.devices
    lights = devices.lights
    parts: dict[str, Callable[[Visit], object]] = {"machine": outside.machine}
    parts["cards"] = partial(at_table.cards, blind=arguments.blind)
    if devices.panel is not None:
        parts["buttons"] = at_table.buttons
    if lights is not None and any(map(lights.has, at_table.LAMPS)):
        parts["lamps"] = at_table.lamps
    if devices.beam is not None:
        parts["beam"] = at_table.beam
    if devices.shoe.lock or (lights is not None and lights.has("shoe_lock")):
        parts["lock"] = at_table.lock
    if devices.shuffler is not None:
        parts["shuffler"] = at_table.shuffler
    if devices.second_reader is not None:
        parts["second-reader"] = at_table.second_reader
    parts["broker"] = partial(outside.broker, roles=outside.roles_of(arguments.role))
    parts[POWER] = outside.power
    return parts


def identity_of(configuration: Configuration) -> Identity:
    """The digests of all that decides what this table does."""
    table = configuration.table
    return Identity(
        table=f"{table.site}/{table.id}",
        version=version(),
        software_digest=software_digest(),
        configuration_digest=digest(configuration.canonical()),
        code_map_digest=digest(configuration.code_map),
        pay_table=configuration.pay_table.id,
        pay_table_digest=configuration.pay_table.digest,
    )


def machine_facts() -> dict[str, str]:
    """Which machine this is."""
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    facts = {"host": socket.gethostname(), "board": board_model() or platform.machine()}
    return facts | {"system": system, "kernel": platform.release()}


def table_is_idle(configuration: Configuration) -> None:
    """InputError if the daemon runs: it holds the devices."""
    path = Path(configuration.journal.path)
    if path.with_name(path.name + ".lock").exists() and os.access(path.parent, os.W_OK):
        WriterLock(path).release()


def reported(
    progress: CommissioningRecord,
    configuration: Configuration,
    by: str,
    parts: list[str],
    folder: Path,
    talk: Conversation,
) -> int:
    """Write the report for machines and for people; the progress that it is made of stays."""
    report = commissioning.report_of(
        identity_of(configuration), by, machine_facts(), progress.steps, parts, now()
    )
    stamp = report.ended.translate({ord(sign): None for sign in "-:"})
    base = folder / f"commissioning-{configuration.table.id}-{stamp}"
    base.with_suffix(".json").write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    base.with_suffix(".html").write_text(commissioning.page(report), encoding="utf-8")
    talk.tell(f"== {report.verdict}")
    for part in parts:
        steps = progress.of(part)
        talk.tell(f"  {part:14} {summary(steps) if steps else 'not tried yet'}")
    if report.missing:
        talk.tell(f"Not tried to the end: {', '.join(report.missing)}. The same call goes on with these.")
    talk.tell(f"The report: {base}.html, and {base}.json for programs; digest {report.digest}")
    return 0 if report.verdict == "passed" else 1


def summary(steps: list[CommissioningStep]) -> str:
    """What came of a part, on one line: how many steps were well, and which were not."""
    tried = [step for step in steps if step.name != DONE]
    wrong = [
        f"{verdict}: {', '.join(named)}"
        for verdict in ("failed", "skipped")
        if (named := [step.name for step in tried if step.verdict == verdict])
    ]
    well = sum(step.verdict == "ok" for step in tried)
    return "; ".join([f"{well} of {len(tried)} ok", *wrong])
