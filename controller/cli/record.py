"""``record``: the recorder of a floor, and what it has recorded."""

from __future__ import annotations

import argparse
import signal
from typing import TYPE_CHECKING

from controller.cli.telling import FAILED, print_json_line, print_lines
from controller.outbox.topics import is_segment
from controller.vocabulary.errors import InputError

if TYPE_CHECKING:
    from controller.recorder.settings import RecorderSettings


def run(arguments: argparse.Namespace) -> int:
    """Record until SIGTERM or Ctrl-C; with ``--status`` print one line a table, 1 where one needs a look;
    with ``--accept`` believe another key of a table."""
    from controller.recorder.settings import load_recorder_settings

    settings = load_recorder_settings(arguments.config)
    if arguments.status:
        return _status(settings, as_json=arguments.json)
    if arguments.accept is not None:
        return _accept(settings, arguments.accept)
    from controller.recorder.service import Recorder
    from controller.shell.observing.logs import open_log, teller

    open_log(settings.observe.log)
    recorder = Recorder(settings, teller("controller.recorder"))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: recorder.stop())
    recorder.run()
    return 0


def _accept(settings: RecorderSettings, said: str) -> int:
    """Of this table only what this key signed is recorded from now on."""
    from controller.outbox.signature import keyid_of
    from controller.recorder.database import connect, migrate
    from controller.recorder.stream import accept_key

    name, _, key = said.partition("=")
    site, _, table = name.partition("/")
    if not key or not is_segment(table):
        raise InputError(f"--accept {said}: expected SITE/TABLE=KEY, as north/7=KEY")
    if site not in settings.sites:
        known = ", ".join(settings.sites)
        raise InputError(f"--accept {said}: this recorder has no site {site!r}, only {known}")
    keyid = keyid_of(key)
    with connect(settings.database, "dealer-table record --accept") as connection:
        migrate(connection)
        accept_key(connection, (site, table), key)
    print(f"of table {name} only what key {keyid} signed is recorded from now on")
    return 0


def _status(settings: RecorderSettings, *, as_json: bool) -> int:
    from controller.recorder.status import in_text, table_lines

    lines = table_lines(settings.database, settings.recorder.name, settings.sites)
    if as_json:
        for line in lines:
            print_json_line(line)
    else:
        print_lines(in_text(lines))
    return 0 if all(line.well for line in lines) else FAILED
