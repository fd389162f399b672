"""The commands that install a table and keep it running: their arguments, on one page."""

from __future__ import annotations

from controller.cli.command import Add, command, needs_config
from controller.cli.words import seconds, whole


@command(
    "make the first configuration of a table", "--answers 7.answers.toml --set table.id=7 --no-questions"
)
def setup(add: Add) -> None:
    add(
        "--answers",
        metavar="FILE",
        help='TOML in the form of a configuration; a port or camera may be "find"',
    )
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="as mqtt.port=8883")
    add("--no-questions", action="store_true", help="for fleets: a missing answer is an error")
    add("--list", action="store_true", help="only list the connected devices")
    add("--to", metavar="FOLDER", default="/etc/dealer-table", help="[/etc/dealer-table]")
    add("--replace", action="store_true", help="keep an existing file beside the new one")
    add("--devices", metavar="FOLDER", action="append", help="where to look for serial devices [/dev/...]")
    add("--listen-s", metavar="S", type=seconds, default=20.0, help="with --no-questions: for this long [20]")
    add("--no-doctor", action="store_true", help="write the file without examining the table")
    add("--no-enable", action="store_true", help="do not enable or start the service")
    add("--csr", action="store_true", help="only make the table's key, and a request for it")
    add("--keys", metavar="FOLDER", default="/etc/credstore", help="where the key is kept [/etc/credstore]")
    add("--subject", metavar="NAME", help="the user at the broker [SITE/TABLE]")


@command(
    "every card, button, lamp and role of a table, confirmed by a person",
    "--config /etc/dealer-table/7.toml --by Kim --report /var/tmp",
)
def commission(add: Add) -> None:
    needs_config(add)
    add("--by", metavar="NAME", help="who commissions the table; asked for if missing")
    add("--report", metavar="FOLDER", default=".", help="where the report and its progress are kept [.]")
    add("--only", metavar="PART", action="append", help="only this part; may be repeated; --list names them")
    add("--list", action="store_true", help="list what would be asked, and exit")
    add("--blind", action="store_true", help="the person names each card before the table does")
    add(
        "--role",
        metavar="ROLE=USER:PASSWORD-FILE",
        action="append",
        default=[],
        help="another role at the broker whose rights are tried, as settlement=settlement:/root/password",
    )
    add("--again", action="store_true", help="start over; what was done is set aside")


@command(
    "what a laboratory asks of an installed unit, as one signed report",
    "--config /etc/dealer-table/7.toml --report /var/tmp",
)
def certify(add: Add) -> None:
    needs_config(add)
    add("--manifest", metavar="FILE", help="the approved digests [identity.manifest of the configuration]")
    add("--report", metavar="FOLDER", default=".", help="where the report is written [.]")
    add(
        "--rounds",
        metavar="N",
        type=whole(1, 999_999_999),
        default=5000,
        help="rounds to be scored, where not all can be [5000]",
    )
    add("--json", action="store_true", help="print the report as JSON, too")


@command("set a bad journal aside; nothing is deleted", "/var/lib/dealer-table/7.db")
def rescue(add: Add) -> None:
    add("journal", metavar="JOURNAL", help="the journal that the table cannot use")
    add("--whole-too", action="store_true", help="set it aside even if nothing is wrong with it")


@command(
    "plain cards: learn what a deck looks like, try another one of its design, look what a camera sees",
    "learn pictures/ --library blue.deck",
)
def deck(add: Add) -> None:
    add(
        "what",
        choices=("learn", "check", "look"),
        metavar="learn|check|look",
        help="learn: make a library; check: read a deck with one; look: a page of what is seen",
    )
    add(
        "source",
        metavar="PICTURES",
        help="a folder of pictures as AS.png, a video, a camera (/dev/video0), or the file of its table",
    )
    add("--library", metavar="FILE", help="the file of the deck, NAME.deck; look: to read with it")
    add("--name", metavar="NAME", help="learn: what the deck is called [that of the file]")
    add(
        "--order",
        metavar="CARDS",
        help='of a video or camera: how the cards come, as "KH 8S ..." [AS 2S ... KC]',
    )
    add("--replace", action="store_true", help="learn: write over a library of that name")
    add("--host", default="127.0.0.1", help="look: where the page is [127.0.0.1]")
    add("--port", type=whole(0, 65535), default=8085, help="look: its port, 0 for any [8085]")
    add("--json", action="store_true", help="JSON instead of a table")


INSTALLING = (setup, commission, certify, rescue, deck)
