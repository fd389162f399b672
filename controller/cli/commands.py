"""The whole command line on one page: every command, its arguments, an example, and where it is answered.

The module of a command is imported when it is called, and what it needs when it needs it: ``score --batch``
pays for no broker and no camera.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command import Add, Command, command, needs_config
from controller.cli.installing import INSTALLING
from controller.cli.words import place, seconds, whole

if TYPE_CHECKING:  # the games are imported where a command asks for their names
    from controller.games.game import Game


@command("a whole table with simulated devices, no hardware")
def demo(add: Add) -> None:
    add("--game", choices=tuple(_games()), help="[that of the pay table, else the one with live odds]")
    add("--rounds", metavar="N", type=whole(1, 1_000_000), help="stop after N rounds")
    add("--pace-s", metavar="S", type=seconds, default=0.4, help="time between two steps [0.4]")
    add("--seed", metavar="N", type=whole(0, 999_999_999), help="shuffle the same cards every time")
    add(
        "--shoe",
        metavar="DRIVER",
        help="the driver of a shoe, as in a configuration [one that knows the hands, if any]",
    )
    add(
        "--cards",
        choices=("plain",),
        help="plain: cards without a code, which a camera reads as they are printed",
    )
    add(
        "--unread",
        metavar="N",
        type=whole(2, 1_000_000),
        default=0,
        help="every N-th card is one that the shoe cannot read: the table holds, and a supervisor enters it",
    )
    add("--panel", choices=("keypad", "gpio"), default="keypad", help="gpio: with beam and lights [keypad]")
    add(
        "--shuffler",
        choices=("line", "gpio"),
        help="gpio: on pins, with a count [line where the game is shuffled every round, else none]",
    )
    add(
        "--odds",
        choices=("live", "additional", "fixed"),
        help="prices in three betting rounds, and players who bet: of all bets, or of the additional ones"
        " [live where the game has live odds]",
    )
    add("--squeeze", action="store_true", help="cards lie face down, and are turned up hand by hand")
    add("--pay-table", metavar="FILE", help="a house's own pay table [the published one]")
    add(
        "--story",
        action="store_true",
        help="the special moments of a table in a minute: a misread card, a void,"
        " kill -9, a network that goes, a forged record",
    )
    add(
        "--players",
        metavar="N",
        type=whole(0, 1000),
        default=0,
        help="so many players of software bet through `wagering`; prints the books",
    )
    add("--seat", action="store_true", help="a seat for you: prints its link, and waits for your bets")
    add(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="where the result board is served: 0.0.0.0 for telephones of this network, with a QR code"
        " [127.0.0.1]",
    )
    add("--keep", metavar="FOLDER", help="a new folder for journal and configuration, which stay")
    add("--bench", action="store_true", help="for who writes a consumer: a known broker, faults at your word")
    add("--port", metavar="PORT", type=whole(1, 65535), help="with --bench: of its broker [11883]")
    add("--table", metavar="FILE", help="with --bench: your table's file, on simulated devices [the demo's]")
    add(
        "--consumer",
        metavar="NAME",
        action="append",
        help="with --bench: who must acknowledge; may be repeated [settlement, or those of the file]",
    )


@command("the result board of a table or a floor, as web pages", "--mqtt-host broker.example --table north/7")
def board(add: Add) -> None:
    add("--config", metavar="FILE", help="[mqtt] and [board], TOML; options override it")
    add("--mqtt-host", metavar="HOST", help="the broker [127.0.0.1]")
    add("--mqtt-port", metavar="PORT", type=whole(1, 65535), help="[1883]")
    add("--host", metavar="ADDRESS", help="where to serve the pages [127.0.0.1]")
    add("--port", metavar="PORT", type=whole(1, 65535), help="[8070]")
    add(
        "--table",
        metavar="SITE/ID",
        action="append",
        type=place,
        help="only this table, or SITE/+; may be repeated",
    )
    add(
        "--socket",
        metavar="PATH",
        help="a table of this machine, without a broker: /run/dealer-table/7/board",
    )
    add("--language", metavar="LANGUAGE", help="en, zh or a language of your own [en]")


def _question(add: Add) -> None:
    add("line", nargs="?", metavar="JSON", help="one question; without it, standard input")
    add("--batch", action="store_true", help="a question on each line of standard input")
    add("--json", action="store_true", help="JSON instead of a table")


QUESTIONS = tuple(
    Command(name, says, _question, call, "questions")
    for name, says, call in (
        ("score", "outcome and every spot of a round", ""),
        ("settle", "what the bets of a player return", ""),
        ("odds", "exact probabilities, fair and offered prices, what the house keeps", ""),
        (
            "roads",
            "scoreboards of a shoe from its results",
            """'{"results": [{"winner": "banker"}, {"winner": "tie"}]}'""",
        ),
    )
)


@command("return and house edge of every spot of a pay table")
def par(add: Add) -> None:
    games = _games()
    layouts = "; ".join(f"{name}: {', '.join(game.layouts)}" for name, game in games.items() if game.layouts)
    seats = ", ".join(name for name, game in games.items() if "seats" in game.house_settings)
    add("--game", required=True, choices=tuple(games))
    add("--layout", metavar="L", help=layouts)
    add("--decks", metavar="N", type=whole(1, 8), help="[8, or 1 for a one-deck game]")
    add("--seats", metavar="N", type=whole(1, 7), help=f"{seats} [7]")
    add(
        "--dealer-qualifies",
        metavar="PAIR",
        help="with a dealer who qualifies: a rank from 2 to A, or always [4]",
    )
    add("--pay-table", metavar="FILE", help="a house's own pay table")
    add("--exact-ante", action="store_true", help="the return of an Ante exactly; may run long")
    add("--json", action="store_true", help="JSON instead of a table")


@command("fold events or a journal through the table", "--config 7.toml events.jsonl")
def replay(add: Add) -> None:
    add("--config", metavar="FILE", help="the configuration, if the events contain none")
    add("events", nargs="?", metavar="EVENTS", help="JSON lines or a journal; without it, standard input")


@command("is a configuration right?", "/etc/dealer-table/7.toml")
def check_config(add: Add) -> None:
    add("file", metavar="FILE", help="the configuration of a table, TOML")
    add("--json", action="store_true", help="JSON instead of text")


@command(
    "the tables of a floor from one file, checked as a whole",
    "/usr/share/dealer-table/examples/floor.toml --out tables",
)
def inventory(add: Add) -> None:
    add("file", metavar="FILE", help="the inventory of the floor, TOML")
    add("--out", metavar="FOLDER", help="write the tables' files there, and say what that changed")
    add("--diff", metavar="FOLDER", help="say what would change there, where and when; 1 if anything")
    add("--json", action="store_true", help="JSON instead of text")


@command("do devices, broker, clock and disk answer?", "--config /etc/dealer-table/7.toml")
def doctor(add: Add) -> None:
    needs_config(add)
    add(
        "--broker",
        action="store_true",
        help="only the broker, and all that the table needs of it; a table at work is not disturbed",
    )
    add("--json", action="store_true", help="a JSON object for each finding")


@command("one round on one page, for a dispute", "/var/lib/dealer-table/7.db 20:15:07 --day 2026-01-31")
def show(add: Add) -> None:
    add("journal", metavar="JOURNAL", help="the journal of a table")
    add("round", metavar="GAME-NUMBER", help="as 20:15:07, or the id of a round")
    add("--day", metavar="DAY", help="as 2026-01-31, if the number was played on several days")
    add("--json", action="store_true", help="JSON instead of a page")


@command(
    "the record in one file that proves itself, for an auditor",
    "/var/lib/dealer-table/7.db --since 2026-01-31",
)
def export(add: Add) -> None:
    add("journal", metavar="JOURNAL", help="the journal of a table")
    add("--since", metavar="T", help="as 2026-01-31 or 2026-01-31T20:15:00Z; without it, all")


@command(
    "the reference consumer: keep the stream and acknowledge it",
    "--name settlement --site north --table 7 --file settlement.db",
)
def consume(add: Add) -> None:
    add("--name", required=True, metavar="NAME", help="as in the table's mqtt.consumers")
    add("--site", required=True, help="table.site")
    add("--table", required=True, help="table.id")
    add("--file", required=True, metavar="FILE", help="where the stream is kept")
    add("--host", default="127.0.0.1", help="the broker, or A:8883,B:8883 of a cluster [127.0.0.1]")
    add("--port", default=1883, type=whole(1, 65535), help="where --host does not say it [1883]")
    add("--username", help="the role at the broker")
    add("--password-file", metavar="FILE", type=Path, help="holds the password and nothing else")
    add("--ca-file", metavar="FILE", type=Path, help="turns TLS on")
    add("--cert-file", metavar="FILE", type=Path, help="our certificate")
    add("--key-file", metavar="FILE", type=Path, help="its key")
    add("--protocol", default="5", choices=("5", "3.1.1"), help="MQTT of a broker that is mute to 5 [5]")
    add("--test", action="store_true", help="the table runs in test mode")
    add("--accept-epoch", action="store_true", help="accept a new journal of the table, and its key")
    add("--key", metavar="KEY", help="the table's public key, 43 characters [the first that it names]")


@command("players' seats and their money: bets, decisions, limits, ledger", "--config wagering.toml")
def wagering(add: Add) -> None:
    add("--config", metavar="FILE", required=True, help="broker, books, address, tables and players, TOML")
    add("--accept-epoch", action="store_true", help="accept a new journal of a table")


@command("the recorder of a floor: the streams of all its tables in PostgreSQL", "--config recorder.toml")
def record(add: Add) -> None:
    add("--config", metavar="FILE", required=True, help="sites, broker and database, TOML")
    add("--status", action="store_true", help="print one line a table, and whether anything is missing")
    add("--json", action="store_true", help="with --status: a JSON object for each table")
    add("--accept", metavar="SITE/TABLE=KEY", help="the new public key of a table, compared at the table")


@command(
    "a table that only listens beside another system, and reports where the two differ",
    "--config /etc/dealer-table/7-shadow.toml",
)
def shadow(add: Add) -> None:
    add("--config", metavar="FILE", required=True, help="the configuration of the table, with [shadow], TOML")
    add("--report", action="store_true", help="print what was found so far; 1 if anything was")
    add("--json", action="store_true", help="the report as JSON instead of text")
    add("--html", metavar="FILE", help="the report as one page, too")


@command(
    "take over the identity of a table whose unit is dead", "--config /etc/dealer-table/7.toml --badge B12"
)
def replace(add: Add) -> None:
    needs_config(add)
    add("--badge", metavar="BADGE", required=True, help="of the supervisor who decides it")
    add("--old-journal", metavar="FILE", help="of the unit that is replaced, if its disk can be read")
    add("--round", metavar="ID", help="the round that was running, or `none`; overrides what is found")
    add("--note", metavar="TEXT", help="for the record and the void")


@command("for whom messages are kept, and how far each is", "--config /etc/dealer-table/7.toml")
def consumers(add: Add) -> None:
    needs_config(add)
    add("--retire", metavar="NAME", help="stop keeping messages for it; the table must not be running")
    add("--badge", metavar="BADGE", help="of the supervisor who retires it")
    add("--json", action="store_true", help="a JSON object for each consumer")


@command("a running table, live and read-only", "--config /etc/dealer-table/7.toml")
def top(add: Add) -> None:
    add(
        "--config",
        metavar="FILE",
        help="the configuration of the table, TOML [the demo or bench that runs here]",
    )
    add("--once", action="store_true", help="print once, and exit")
    add("--json", action="store_true", help="what the daemon shows, as JSON")


@command(
    "a verified copy of a journal while the table plays",
    "/var/lib/dealer-table/7.db /mnt/backup/7-2026-01-31.db",
)
def backup(add: Add) -> None:
    add("journal", metavar="JOURNAL", help="the journal of a table; the table may be running")
    add("target", metavar="TARGET", help="the copy; it must not exist yet")


@command("the interface: JSON Schemas and AsyncAPI", "message/round.result")
def schema(add: Add) -> None:
    add(
        "name",
        nargs="?",
        metavar="NAME",
        help="one of them, as asyncapi or message/round.card; without it, all",
    )
    add("--list", action="store_true", help="the names of all")


@command(
    "digests of the program and a table's files",
    "/etc/dealer-table/7.toml >/etc/dealer-table/manifest.sha256",
)
def manifest(add: Add) -> None:
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help="also these; a configuration brings its code map and pay table",
    )
    add("--check", metavar="MANIFEST", help="compare with this one instead")


@command("is a journal whole and untouched?", "/var/lib/dealer-table/7.db")
def verify(add: Add) -> None:
    add("journal", metavar="JOURNAL", help="the journal of a table; the table may be running")
    add(
        "--witness",
        metavar="EPOCH-SEQUENCE:HASH",
        action="append",
        default=[],
        help="what a consumer has acknowledged, with its hash: reveals a tail that was cut off",
    )
    add("--chains-only", action="store_true", help="do not recompute the messages from the events: faster")
    add("--json", action="store_true", help="JSON instead of text")


COMMANDS = (
    Command("run", "the daemon of one table", needs_config, "--config /etc/dealer-table/7.toml"),
    demo,
    board,
    *QUESTIONS,
    par,
    replay,
    check_config,
    inventory,
    doctor,
    top,
    show,
    export,
    backup,
    replace,
    consumers,
    schema,
    Command(
        "safe-outputs",
        "put lights, lamps and lock into the safe state",
        needs_config,
        "--config /etc/dealer-table/7.toml",
    ),
    manifest,
    verify,
    consume,
    record,
    wagering,
    shadow,
    *INSTALLING,
)


def _games() -> Mapping[str, type[Game]]:
    from controller.games.registry import all_games

    return all_games()
