"""The board's own settings: a small file, ``[mqtt]`` as in a table's, and ``[board]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from controller.settings.broker import broker_problems
from controller.settings.loader import settings_of_file
from controller.settings.log import LogKeys
from controller.settings.model import FilePath, MqttSettings, NetworkPort, Problem
from controller.vocabulary.configuration import Badge
from controller.vocabulary.errors import ConfigurationError, why

TableName = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,63}/(\+|[A-Za-z0-9_-][A-Za-z0-9._~-]{0,63})$(?!\n)",
        description='a table as "site/id", or "site/+" for all of a site',
    ),
]


HostName = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?$(?!\n)",
        description="the name of a server, as board.example",
    ),
]
Language = Annotated[
    str,
    msgspec.Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$(?!\n)", description="as en, zh or zh-Hant"),
]
WebSite = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]+)?$(?!\n)", description="as https://signage.example"
    ),
]

Pages = Literal["players", "pit"]
"""Pages for players and their screens, and those for dealers and the pit."""

SignalSource = Literal["broker", "table"]
"""Whom a board hears: a broker, or the one table on its own machine."""


class BoardKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[board]``: where the pages are served, and of which tables."""

    host: Annotated[
        str, msgspec.Meta(pattern=r"^[^\s/]+$(?!\n)", description="an address of this machine")
    ] = "127.0.0.1"
    """Only this machine; an address of the network lets others in, who can read and nothing else."""
    port: NetworkPort = 8070
    names: tuple[HostName, ...] = ()
    """Names under which the pages are asked for, as ``board.example``; addresses and the machine's own always
    are. Any other is refused."""
    tables: tuple[TableName, ...] = ()
    """None named: every table of the broker."""
    socket: FilePath | None = None
    """The ``observe.board_socket`` of a table on this machine: its pages, without a broker."""
    language: Language = "en"
    beside: Language | None = None
    """A second language, which stands beside the first."""
    words: FilePath | None = None
    """A folder with further languages, ``<language>.json`` each."""
    house: FilePath | None = None
    """A folder with the house's look: ``house.toml``, logo, typeface, and media for an idle table."""
    jackpot: FilePath | None = None
    """The file to which the house's own system writes its jackpot; the players' boards show it."""
    framed_by: tuple[WebSite, ...] = ()
    """Sites of the house, as its signage, that may show a page in a frame."""
    pages: Annotated[tuple[Pages, ...], msgspec.Meta(min_length=1)] = ("players", "pit")
    """Which pages this board has: with ``players`` alone it has neither floor nor dealer's pages, nor what
    they show."""
    acknowledged: FilePath | None = None
    """The file that records who has seen an alert; with it the pit's pages can say so."""
    badges: tuple[Badge, ...] = ()
    """Who may; none: any badge."""
    most_pages: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1000
    metrics_port: NetworkPort | None = None
    """Figures of all its tables for Prometheus at http://127.0.0.1:<port>/metrics; left out: no such page."""


class BoardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    mqtt: MqttSettings = MqttSettings()
    board: BoardKeys = BoardKeys()
    observe: LogKeys = LogKeys()


def load_board_settings(path: str | Path) -> BoardSettings:
    """The settings from a file; :class:`ConfigurationError` says all that is wrong, with key paths."""
    return settings_of_file(Path(path).absolute(), BoardSettings, "the configuration of the board", _problems)


def _problems(settings: BoardSettings) -> Iterator[Problem]:
    yield from broker_problems(settings.mqtt, "mqtt")
    if settings.board.badges and settings.board.acknowledged is None:
        yield Problem("board.badges", "nothing is acknowledged here: name a file in `acknowledged`")
    if settings.board.acknowledged is not None and "pit" not in settings.board.pages:
        yield Problem("board.acknowledged", "players acknowledge nothing: `pages` has no `pit`")


def checked(
    settings: BoardSettings, *, board: Mapping[str, object], mqtt: Mapping[str, object]
) -> BoardSettings:
    """The settings with what the command line says over them; None there says nothing."""
    values = msgspec.to_builtins(settings)
    for room, given in (("board", board), ("mqtt", mqtt)):
        values[room].update({key: value for key, value in given.items() if value is not None})
    try:
        return msgspec.convert(values, BoardSettings)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"the options of the board: {why(error)}") from error


def source_of(settings: BoardSettings) -> SignalSource:
    """Whose words the board shows. :class:`ConfigurationError` where tables and a socket are asked for."""
    keys = settings.board
    if keys.socket is not None and keys.tables:
        raise ConfigurationError(
            "board.tables: a board on a table's socket shows that table; for others run a second board"
        )
    return "broker" if keys.socket is None else "table"
