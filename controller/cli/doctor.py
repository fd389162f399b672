"""``doctor``: do devices, permissions, broker, clock and disk answer? And what to do where they do not."""

from __future__ import annotations

import argparse
import sys

import msgspec

from controller.vocabulary.errors import ConfigurationError

EXAMPLE = "dealer-table doctor --config /etc/dealer-table/7.toml"


def run(arguments: argparse.Namespace) -> int:
    """A line for each finding; 1 where something is a fault, 2 where the configuration is wrong."""
    from controller.settings.loader import load_configuration

    try:
        configuration = load_configuration(arguments.config)
    except ConfigurationError as error:
        print(f"dealer-table: {error.message}", file=sys.stderr)
        return 2
    from controller.shell.doctor import examine
    from controller.shell.wiring.examination import clock_of_machine, probes_of, settings_of_broker

    status = 0
    findings = examine(
        configuration, clock_of_machine(), settings_of_broker(configuration), probes_of(configuration)
    )
    for finding in findings:
        status |= finding.grade == "fault"
        if arguments.json:
            print(msgspec.json.encode(finding).decode(), flush=True)
            continue
        print(f"{finding.grade:8} {finding.name:18} {finding.seen}", flush=True)
        if finding.mend:
            print(f"{'':8} {'':18} -> {finding.mend}", flush=True)
    return int(status)
