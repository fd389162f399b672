"""``run``: the daemon of one table."""

from __future__ import annotations

import argparse

from controller.cli.telling import FAILED, complain
from controller.vocabulary.errors import ConfigurationError, DealerTableError, MayNotRunError


def run(arguments: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; 2 if the configuration is wrong or another unit is this table, 1 if
    the table could not start or go on."""
    from controller.settings.loader import load_configuration

    configuration = load_configuration(arguments.config)
    if configuration.shadow is not None:
        raise ConfigurationError(
            f"{arguments.config}: shadow: a table with [shadow] only listens: dealer-table shadow --config"
        )
    # Only now: an error in the configuration is said at once.
    from controller.shell.daemon import live
    from controller.shell.observing.local_socket import WindowError
    from controller.shell.observing.logs import open_log
    from controller.shell.observing.snapshot import EventCounts
    from controller.shell.wiring.assembly import assemble

    open_log(configuration.observe.log, f"{configuration.table.site}/{configuration.table.id}")
    counts = EventCounts()
    daemon = assemble(configuration, observer=counts.note)
    try:
        live(daemon, counts)
    except (MayNotRunError, WindowError) as error:
        return complain(error.message)  # starting again would not fix it, so the service manager does not try
    except DealerTableError as error:
        return complain(f"the table stops, its outputs are safe: {error.message}", FAILED)
    return 0
