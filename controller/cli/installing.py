"""The commands that install a table and keep it running: their arguments, on one page."""

from __future__ import annotations

import argparse

from controller.cli.command import Command


def _setup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--answers", metavar="FILE", help='TOML in the form of a configuration; a port may be "find"'
    )
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="as mqtt.port=8883")
    parser.add_argument(
        "--no-questions", action="store_true", help="for fleets: a missing answer is an error"
    )
    parser.add_argument("--list", action="store_true", help="only list the connected devices")
    parser.add_argument("--to", metavar="FOLDER", default="/etc/dealer-table", help="[/etc/dealer-table]")
    parser.add_argument("--replace", action="store_true", help="keep an existing file beside the new one")
    parser.add_argument(
        "--devices", metavar="FOLDER", action="append", help="where to look for serial devices [/dev/...]"
    )
    parser.add_argument(
        "--listen-s", metavar="S", type=float, default=20.0, help="with --no-questions: for this long [20]"
    )
    parser.add_argument("--no-doctor", action="store_true", help="write the file without examining the table")
    parser.add_argument("--no-enable", action="store_true", help="do not enable or start the service")
    parser.add_argument("--csr", action="store_true", help="only make the table's key, and a request for it")
    parser.add_argument(
        "--keys", metavar="FOLDER", default="/etc/credstore", help="where the key is kept [/etc/credstore]"
    )
    parser.add_argument("--subject", metavar="NAME", help="the user at the broker [SITE/TABLE]")


def _commission(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", required=True, help="the configuration of the table, TOML"
    )
    parser.add_argument("--by", metavar="NAME", help="who commissions the table; asked for if missing")
    parser.add_argument(
        "--report", metavar="FOLDER", default=".", help="where the report and its progress are kept [.]"
    )
    parser.add_argument(
        "--only", metavar="PART", action="append", help="only this part; may be repeated; --list names them"
    )
    parser.add_argument("--list", action="store_true", help="list what would be asked, and exit")
    parser.add_argument(
        "--blind", action="store_true", help="the person names each card before the table does"
    )
    parser.add_argument(
        "--role",
        metavar="ROLE=USER:PASSWORD-FILE",
        action="append",
        default=[],
        help="another role at the broker whose rights are tried, as settlement=settlement:/root/password",
    )
    parser.add_argument("--again", action="store_true", help="start over; what was done is set aside")


def _rescue(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="the journal that the table cannot use")
    parser.add_argument(
        "--whole-too", action="store_true", help="set it aside even if nothing is wrong with it"
    )


INSTALLING: tuple[Command, ...] = (
    Command(
        "setup",
        "make the first configuration of a table",
        _setup,
        "dealer-table setup --answers 7.answers.toml --set table.id=7 --no-questions",
    ),
    Command(
        "commission",
        "every card, button, lamp and role of a table, confirmed by a person",
        _commission,
        "dealer-table commission --config /etc/dealer-table/7.toml --by Kim --report /var/tmp",
    ),
    Command(
        "rescue",
        "set a bad journal aside; nothing is deleted",
        _rescue,
        "dealer-table rescue /var/lib/dealer-table/7.db",
    ),
)
