"""The whole command line on one page: every command, its arguments, an example, and where it is answered.

The module of a command is imported when it is called, and what it needs when it needs it: ``score --batch``
pays for no broker and no camera.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command import Command as Command
from controller.cli.installing import INSTALLING

if TYPE_CHECKING:  # the games are imported where a command asks for their names
    from controller.games.game import Game


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", required=True, help="the configuration of the table, TOML"
    )


def _demo(parser: argparse.ArgumentParser) -> None:
    usual = next(name for name, game in _games().items() if game.live_odds)
    parser.add_argument("--game", choices=tuple(_games()), default=usual, help=f"[{usual}]")
    parser.add_argument("--rounds", metavar="N", type=_whole(1, 1_000_000), help="stop after N rounds")
    parser.add_argument(
        "--pace-s", metavar="S", type=_seconds, default=0.4, help="time between two steps [0.4]"
    )
    parser.add_argument("--seed", metavar="N", type=int, help="shuffle the same cards every time")
    parser.add_argument(
        "--shoe",
        metavar="DRIVER",
        help="the driver of a shoe, as in a configuration [one that knows the hands, if any]",
    )
    parser.add_argument(
        "--panel", choices=("keypad", "gpio"), default="keypad", help="gpio: with beam and lights [keypad]"
    )
    parser.add_argument(
        "--odds",
        choices=("live", "fixed"),
        help="live: prices in three betting rounds, and players who bet [live where the game has live odds]",
    )


def _board(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="[mqtt] and [board], TOML; options override it")
    parser.add_argument("--mqtt-host", metavar="HOST", help="the broker [127.0.0.1]")
    parser.add_argument("--mqtt-port", metavar="PORT", type=_whole(1, 65535), help="[1883]")
    parser.add_argument("--host", metavar="ADDRESS", help="where to serve the pages [127.0.0.1]")
    parser.add_argument("--port", metavar="PORT", type=_whole(1, 65535), help="[8070]")
    parser.add_argument(
        "--table", metavar="SITE/ID", action="append", help="only this table, or SITE/+; may be repeated"
    )
    parser.add_argument(
        "--socket",
        metavar="PATH",
        help="a table of this machine, without a broker: /run/dealer-table/7/board",
    )
    parser.add_argument("--language", metavar="LANGUAGE", help="en, zh or a language of your own [en]")


def _question(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("line", nargs="?", metavar="JSON", help="one question; without it, standard input")
    parser.add_argument("--batch", action="store_true", help="a question on each line of standard input")
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")


def _par(parser: argparse.ArgumentParser) -> None:
    games = _games()
    layouts = "; ".join(f"{name}: {', '.join(game.layouts)}" for name, game in games.items() if game.layouts)
    seats = ", ".join(name for name, game in games.items() if "seats" in game.house_settings)
    parser.add_argument("--game", required=True, choices=tuple(games))
    parser.add_argument("--layout", metavar="L", help=layouts)
    parser.add_argument("--decks", metavar="N", type=_whole(1, 8), help="[8, or 1 for a one-deck game]")
    parser.add_argument("--seats", metavar="N", type=_whole(1, 7), help=f"{seats} [7]")
    parser.add_argument("--pay-table", metavar="FILE", help="a house's own pay table")
    parser.add_argument(
        "--exact-ante", action="store_true", help="the return of an Ante exactly; may run long"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="the configuration, if the events contain none")
    parser.add_argument(
        "events", nargs="?", metavar="EVENTS", help="JSON lines or a journal; without it, standard input"
    )


def _check_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the configuration of a table, TOML")
    parser.add_argument("--json", action="store_true", help="JSON instead of text")


def _doctor(parser: argparse.ArgumentParser) -> None:
    _config(parser)
    parser.add_argument("--json", action="store_true", help="a JSON object for each finding")


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="the journal of a table")
    parser.add_argument("round", metavar="GAME-NUMBER", help="as 20:15:07, or the id of a round")
    parser.add_argument(
        "--day", metavar="DAY", help="as 2026-01-31, if the number was played on several days"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of a page")


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="the journal of a table")
    parser.add_argument("--since", metavar="T", help="as 2026-01-31 or 2026-01-31T20:15:00Z; without it, all")


def _consume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", required=True, metavar="NAME", help="as in the table's mqtt.consumers")
    parser.add_argument("--site", required=True, help="table.site")
    parser.add_argument("--table", required=True, help="table.id")
    parser.add_argument("--file", required=True, metavar="FILE", help="where the stream is kept")
    parser.add_argument("--host", default="127.0.0.1", help="[127.0.0.1]")
    parser.add_argument("--port", default=1883, type=_whole(1, 65535), help="[1883]")
    parser.add_argument("--username", help="the role at the broker")
    parser.add_argument(
        "--password-file", metavar="FILE", type=Path, help="holds the password and nothing else"
    )
    parser.add_argument("--ca-file", metavar="FILE", type=Path, help="turns TLS on")
    parser.add_argument("--cert-file", metavar="FILE", type=Path, help="our certificate")
    parser.add_argument("--key-file", metavar="FILE", type=Path, help="its key")
    parser.add_argument("--test", action="store_true", help="the table runs in test mode")
    parser.add_argument("--accept-epoch", action="store_true", help="accept a new journal of the table")


def _replace(parser: argparse.ArgumentParser) -> None:
    _config(parser)
    parser.add_argument("--badge", metavar="BADGE", required=True, help="of the supervisor who decides it")
    parser.add_argument(
        "--old-journal", metavar="FILE", help="of the unit that is replaced, if its disk can be read"
    )
    parser.add_argument(
        "--round", metavar="ID", help="the round that was running, or `none`; overrides what is found"
    )
    parser.add_argument("--note", metavar="TEXT", help="for the record and the void")


def _consumers(parser: argparse.ArgumentParser) -> None:
    _config(parser)
    parser.add_argument(
        "--retire", metavar="NAME", help="stop keeping messages for it; the table must not be running"
    )
    parser.add_argument("--badge", metavar="BADGE", help="of the supervisor who retires it")
    parser.add_argument("--json", action="store_true", help="a JSON object for each consumer")


def _top(parser: argparse.ArgumentParser) -> None:
    _config(parser)
    parser.add_argument("--once", action="store_true", help="print once, and exit")
    parser.add_argument("--json", action="store_true", help="what the daemon shows, as JSON")


def _backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="the journal of a table; the table may be running")
    parser.add_argument("target", metavar="TARGET", help="the copy; it must not exist yet")


def _schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="one of them, as asyncapi or message/round.card; without it, all",
    )
    parser.add_argument("--list", action="store_true", help="the names of all")


def _manifest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="also these; a configuration brings its code map and pay table",
    )
    parser.add_argument("--check", metavar="MANIFEST", help="compare with this one instead")


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="the journal of a table; the table may be running")
    parser.add_argument(
        "--witness",
        metavar="EPOCH-SEQUENCE:HASH",
        action="append",
        default=[],
        help="what a consumer has acknowledged, with its hash: reveals a tail that was cut off",
    )
    parser.add_argument(
        "--chains-only", action="store_true", help="do not recompute the messages from the events: faster"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of text")


COMMANDS: tuple[Command, ...] = (
    Command(
        "run",
        "the daemon of one table",
        _config,
        "dealer-table run --config /etc/dealer-table/7.toml",
        module="daemon",
    ),
    Command(
        "demo",
        "a whole table with simulated devices, no hardware",
        _demo,
    ),
    Command(
        "board",
        "the result board of a table or a floor, as web pages",
        _board,
        "dealer-table board --mqtt-host broker.example --table north/7",
    ),
    Command(
        "score",
        "outcome and every spot of a round",
        _question,
        module="questions",
    ),
    Command(
        "settle",
        "what the bets of a player return",
        _question,
        module="questions",
    ),
    Command(
        "odds",
        "exact probabilities, fair and offered prices, what the house keeps",
        _question,
        module="questions",
    ),
    Command(
        "roads",
        "scoreboards of a shoe from its results",
        _question,
        """dealer-table roads '{"results": [{"winner": "banker"}, {"winner": "tie"}]}'""",
        module="questions",
    ),
    Command(
        "par",
        "return and house edge of every spot of a pay table",
        _par,
    ),
    Command(
        "replay",
        "fold events or a journal through the table",
        _replay,
        "dealer-table replay --config 7.toml events.jsonl",
    ),
    Command(
        "check-config",
        "is a configuration right?",
        _check_config,
        "dealer-table check-config /etc/dealer-table/7.toml",
    ),
    Command(
        "doctor",
        "do devices, broker, clock and disk answer?",
        _doctor,
        "dealer-table doctor --config /etc/dealer-table/7.toml",
    ),
    Command(
        "top",
        "a running table, live and read-only",
        _top,
        "dealer-table top --config /etc/dealer-table/7.toml",
    ),
    Command(
        "show",
        "one round on one page, for a dispute",
        _show,
        "dealer-table show /var/lib/dealer-table/7.db 20:15:07 --day 2026-01-31",
        module="history",
    ),
    Command(
        "export",
        "the record in one file that proves itself, for an auditor",
        _export,
        "dealer-table export /var/lib/dealer-table/7.db --since 2026-01-31",
    ),
    Command(
        "backup",
        "a verified copy of a journal while the table plays",
        _backup,
        "dealer-table backup /var/lib/dealer-table/7.db /mnt/backup/7-2026-01-31.db",
    ),
    Command(
        "replace",
        "take over the identity of a table whose unit is dead",
        _replace,
        "dealer-table replace --config /etc/dealer-table/7.toml --badge B12",
    ),
    Command(
        "consumers",
        "for whom messages are kept, and how far each is",
        _consumers,
        "dealer-table consumers --config /etc/dealer-table/7.toml",
    ),
    Command(
        "schema",
        "the interface: JSON Schemas and AsyncAPI",
        _schema,
        "dealer-table schema message/round.result",
    ),
    Command(
        "safe-outputs",
        "put lights, lamps and lock into the safe state",
        _config,
        "dealer-table safe-outputs --config /etc/dealer-table/7.toml",
    ),
    Command(
        "manifest",
        "digests of the program and a table's files",
        _manifest,
        "dealer-table manifest /etc/dealer-table/7.toml >/etc/dealer-table/manifest.sha256",
    ),
    Command(
        "verify",
        "is a journal whole and untouched?",
        _verify,
        "dealer-table verify /var/lib/dealer-table/7.db",
    ),
    Command(
        "consume",
        "the reference consumer: keep the stream and acknowledge it",
        _consume,
        "dealer-table consume --name settlement --site north --table 7 --file settlement.db",
    ),
    *INSTALLING,
)


def _games() -> Mapping[str, type[Game]]:
    from controller.games.registry import all_games

    return all_games()


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if 0 <= seconds <= 3600:
        return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds from 0 to 3600")
