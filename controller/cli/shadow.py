"""``shadow``: a table that only listens, beside another system, and reports where the two differ."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.telling import FAILED, complain, print_json, print_lines
from controller.settings.model import Configuration, ShadowSettings
from controller.vocabulary.errors import ConfigurationError, DealerTableError, MayNotRunError


def run(arguments: argparse.Namespace) -> int:
    """Listen until SIGTERM or SIGINT; with ``--report`` say what was found: 1 if anything was."""
    from controller.settings.loader import load_configuration
    from controller.settings.shadow import listening

    configuration = load_configuration(arguments.config)
    if configuration.shadow is None:
        raise ConfigurationError(
            f"{arguments.config}: shadow: missing; needed is [shadow], with what is listened to"
        )
    if arguments.report:
        return report(configuration, configuration.shadow, arguments)
    return listen(listening(configuration), configuration.shadow)


def report(configuration: Configuration, shadow: ShadowSettings, arguments: argparse.Namespace) -> int:
    """The journal compared once more from its start."""
    from controller.journal.reader import SqliteReader
    from controller.shadow.page import html_page, text_page
    from controller.shadow.reporting import compared

    with SqliteReader.open(Path(configuration.journal.path)) as journal:
        found = compared(journal, shadow.match_s)
    if arguments.json:
        print_json(found)
    else:
        print_lines(text_page(found))
    if arguments.html is not None:
        Path(arguments.html).write_text(html_page(found), encoding="utf-8")
    return FAILED if found.kinds else 0


def listen(configuration: Configuration, shadow: ShadowSettings) -> int:
    """The daemon: as ``run``, but nothing leaves it."""
    from controller.shadow.listening import Listener, read_up_to
    from controller.shadow.reporting import Reporter
    from controller.shell.daemon import live
    from controller.shell.observing.local_socket import WindowError
    from controller.shell.observing.logs import open_log
    from controller.shell.observing.snapshot import EventCounts
    from controller.shell.wiring.assembly import assemble

    open_log(configuration.observe.log, f"{configuration.table.site}/{configuration.table.id}")
    counts = EventCounts()
    daemon = assemble(configuration, observer=counts.note)
    journal = Path(configuration.journal.path)
    folder = journal.parent if shadow.report is None else Path(shadow.report)
    listener = Listener(configuration, daemon.loop, read_up_to(daemon.journal))
    daemon.drivers[listener.name] = listener
    reporter = Reporter(journal, folder, shadow.report_s, shadow.match_s)
    reporter.start()
    try:
        live(daemon, counts)
    except (MayNotRunError, WindowError) as error:
        return complain(error.message)
    except DealerTableError as error:
        return complain(f"the shadow stops: {error.message}", FAILED)
    finally:
        reporter.stop()
    return 0
