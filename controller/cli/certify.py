"""``certify``: what a laboratory asks of an installed unit, in one call and without a network, as one signed
report.

Nobody is asked anything: it may be repeated, here and on another unit, and two reports are compared line by
line. What only a person can see is ``commission``'s.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.commission import identity_of, machine_facts, table_is_idle
from controller.cli.commission_parts import LAMPS, now
from controller.cli.telling import columns, print_json_line, print_lines
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.certifying import Certificate, Check, judge, record, rules, sealed, software
from controller.shell.clock import Clock
from controller.shell.doctor.findings import Diagnosis
from controller.shell.doctor.machine import check_clock, check_disk, check_memory
from controller.shell.signing_key import key_place, read_key
from controller.shell.wiring.bench import Bench
from controller.shell.wiring.devices import PinFactory
from controller.shell.wiring.probe import probes_of
from controller.vocabulary.errors import InputError, why

LOCK = "shoe_lock"
BUZZER = "buzzer"
"""It sounds for a while by itself, so that its pin says nothing."""


def run(arguments: argparse.Namespace, pins: PinFactory | None = None) -> int:
    """0 if all was looked at and is well, 1 if not; the report is written in any case. InputError where the
    table plays, has no key yet, or the report cannot be written.
    """
    configuration = load_configuration(arguments.config)
    folder = Path(arguments.report)
    if not folder.is_dir():
        raise InputError(f"--report {folder}: there is no such folder")
    table_is_idle(configuration)
    place = key_place(configuration)
    signer = read_key(place)
    if signer is None:
        raise InputError(f"{place}: this table has no key yet, so it can sign nothing: start it once")
    report = looked_at(configuration, arguments, pins)
    stamp = report.at.translate({ord(sign): None for sign in "-:"})
    path = folder / f"certificate-{configuration.table.id}-{stamp}.jsonl"
    try:
        path.write_bytes(sealed(report, signer))
    except OSError as error:
        raise InputError(f"{path}: {why(error)}") from error
    if arguments.json:
        print_json_line(report)
    else:
        rows = [(check.verdict, check.part, check.name, check.seen) for check in report.checks]
        print_lines([*columns(rows), f"{report.verdict}: {path}, signed by key {signer.keyid}"])
    return int(report.verdict != "passed")


def looked_at(
    configuration: Configuration, arguments: argparse.Namespace, pins: PinFactory | None
) -> Certificate:
    """The whole report."""
    manifest = arguments.manifest or configuration.identity.manifest
    checks, alike = software.look(manifest, configuration.files(), Path(arguments.config).stem)
    of_rules, returns = rules.look(configuration, arguments.rounds)
    checks += of_rules
    for name, probe in probes_of(configuration, pins).items():
        if name != "lights":  # they are read back
            checks += [of("devices", finding, name) for finding in probe()]
    checks += outputs(configuration, pins)
    for finding in (*check_disk(configuration), check_clock(Clock()), check_memory()):
        checks.append(of("machine", finding))
    checks += record.look(Path(configuration.journal.path))
    return Certificate(
        identity=identity_of(configuration),
        machine=machine_facts(),
        at=now(),
        verdict=judge(checks),
        alike=alike | returns,
        checks=tuple(checks),
    )


def of(part: str, finding: Diagnosis, name: str = "") -> Check:
    """What the doctor says, as a check: a warning is no fault of the unit, and is read in the report."""
    verdict = "failed" if finding.grade == "fault" else "passed"
    return Check(part, name or finding.name, verdict, finding.in_words)  # type: ignore[arg-type]


def outputs(configuration: Configuration, pins: PinFactory | None) -> list[Check]:
    """Each output driven by itself and read back from its pin, and then the safe state, in which they stay
    whatever ends this.
    """
    lights, bench = configuration.devices.lights, Bench(configuration, lambda said: None, pins)
    if lights is None or bench.outputs is None:
        return []
    lamps = [name for name in LAMPS if lights.has(name) and name != BUZZER]
    checks = []
    with bench.at_work():
        bench.outputs.start()
        for name in lamps:
            bench.show(name)
            checks.append(read_back(bench, name, {other: other == name for other in lamps}))
        if bench.outputs.has_lock:
            for name, turn, locked in (
                ("lock", bench.outputs.lock, True),
                ("unlock", bench.outputs.unlock, False),
            ):
                turn()
                checks.append(read_back(bench, name, {LOCK: locked}))
        bench.outputs.safe()
        safe = {name: lights.safe_hold if name == "hold" else name == lights.safe_light for name in lamps}
        checks.append(read_back(bench, "safe state", safe))
    return checks


def read_back(bench: Bench, name: str, wanted: dict[str, bool]) -> Check:
    """What the pins are at, against what they were driven to."""
    found = {} if bench.outputs is None else bench.outputs.levels()
    wrong = [one for one, on in wanted.items() if found.get(one) is not on]
    words = {None: "unread", True: "on", False: "off"}
    seen = ", ".join(f"{one} {words[found.get(one)]}" for one in wanted)
    return Check("outputs", name, "failed" if wrong else "passed", seen)
