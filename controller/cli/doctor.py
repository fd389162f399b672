"""``doctor``: do devices, permissions, broker, clock and disk answer? And what to do where they do not."""

from __future__ import annotations

import argparse
import signal
import sys

from controller.cli.telling import COUNTED, patience, print_json_line


def run(arguments: argparse.Namespace) -> int:
    """A line for each finding; 1 if something is a fault, 2 if the configuration is wrong."""
    from controller.settings.judging import judged_configuration

    with patience(COUNTED):
        configuration = judged_configuration(arguments.config)
    # Only now: an error in the configuration is said at once.
    from controller.shell.clock import Clock
    from controller.shell.doctor import examine
    from controller.shell.doctor.needs import check_needs
    from controller.shell.wiring.assembly import table_broker
    from controller.shell.wiring.probe import probes_of

    status = 0
    broker = table_broker(configuration)
    if arguments.broker:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _ended)
        findings = check_needs(configuration, broker)
    else:
        findings = examine(configuration, Clock(), broker, probes_of(configuration))
    for finding in findings:
        status |= finding.grade == "fault"
        if arguments.json:
            print_json_line(finding)
            continue
        print(f"{finding.grade:8} {finding.name:18} {finding.seen}", flush=True)
        if finding.mend:
            print(f"{'':8} {'':18} -> {finding.mend}", flush=True)
    return int(status)


def _ended(number: int, _: object) -> None:
    """As Ctrl-C: a trial takes back what it left at the broker."""
    sys.exit(128 + number)
