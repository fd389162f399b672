"""``wagering --config``: the broker, the books, the address, the tables and the players; TOML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from controller.board.settings import HostName
from controller.settings.broker import broker_problems
from controller.settings.loader import settings_of_file
from controller.settings.log import LogKeys
from controller.settings.model import LOOPBACK, FilePath, MqttSettings, NetworkPort, Problem
from controller.vocabulary.configuration import PlainName
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.limits import MOST_STAKE_MINOR, Minor
from controller.vocabulary.outside import secret_in

PlayerName = Annotated[
    str,
    msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$(?!\n)", description="letters, digits, _ and -, at most 40"),
]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Stake = Annotated[int, msgspec.Meta(ge=1, le=MOST_STAKE_MINOR)]
WebAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^https?://[^\s/;,'\"]+(/[^\s]*)?$(?!\n)", description="as https://video.example/7"
    ),
]


class WageringKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[wagering]``."""

    name: PlainName = "settlement"
    """The consumer that the tables name under ``mqtt.consumers``."""


class DatabaseKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[database]``: the books."""

    url: Text
    """``sqlite:////path/of/file.db`` for one machine, ``postgresql://user@host/name`` for a floor."""
    password_file: FilePath | None = None
    """Holds the password and nothing else."""


class HttpKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[http]``: where players are served."""

    operator_token_file: FilePath
    """Whoever has this token reads the audit."""
    host: Text = "127.0.0.1"
    """Beyond this machine only with ``cert_file`` and ``key_file``."""
    port: NetworkPort = 8080
    names: tuple[HostName, ...] = ()
    """Names under which players ask for it, as ``play.example``; addresses and the machine's own always are.
    Any other is refused."""
    cert_file: FilePath | None = None
    """Turns TLS on."""
    key_file: FilePath | None = None
    calls_a_minute: Annotated[int, msgspec.Meta(ge=60, le=1_000_000)] = 3000
    """Of one player; who calls more is refused (429 `too_many_calls`) and nothing is done."""


class TableKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[[tables]]``: a table whose bets are taken here."""

    site: PlainName
    id: PlainName
    key: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{43}$(?!\n)")] | None = None
    """The table's public key, as `dealer-table manifest` says it there; left out: the first that the table
    names in each journal that is accepted."""
    video: WebAddress | None = None
    """The house's picture of the table, shown in a frame of the seat."""


class SeatKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[seat]``: the page that a person plays from."""

    language: Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2,3}$(?!\n)", description="as en or zh")] = "en"
    """Until a player chooses another."""
    chips: tuple[Stake, ...] = ()
    """What a chip is worth, minor units, the least first; none: those that fit the limits of the table."""
    cashier: WebAddress | None = None
    """The house's page for deposits and withdrawals; CASHIER opens it."""
    responsible: WebAddress | None = None
    """The house's page about responsible gaming."""
    chat: bool = True
    """Whether those who sit at a table talk with each other."""
    most_pages: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 5000
    """Seats that are open at once."""


class PlayerKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[[players]]``: who may play."""

    name: PlayerName
    token_file: FilePath
    """Holds the token and nothing else."""
    balance: Minor = 0
    """Minor units; booked once, when the player is new."""


class WalletKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[wallet]``: where the house keeps the players' money; without it, we do."""

    url: Text
    """``debit``, ``credit`` and ``rollback`` are below it."""
    token_file: FilePath | None = None
    """Sent as ``Authorization: Bearer``."""


class RetentionKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[retention]``: what the books forget. Bets, decisions, ledger lines and the words on rounds with bets
    stay for ever."""

    calls_days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] = 90
    """Answers to calls, and what the house's wallet has done."""
    messages_days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] = 400
    """Messages of tables that no bet needs."""


class WageringSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    database: DatabaseKeys
    http: HttpKeys
    tables: tuple[TableKeys, ...]
    broker: MqttSettings = MqttSettings()
    wagering: WageringKeys = WageringKeys()
    players: tuple[PlayerKeys, ...] = ()
    seat: SeatKeys = SeatKeys()
    wallet: WalletKeys | None = None
    retention: RetentionKeys = RetentionKeys()
    observe: LogKeys = LogKeys()


def load_wagering_settings(path: str | Path) -> WageringSettings:
    """The settings from a file; :class:`ConfigurationError` says all that is wrong, with key paths."""
    return settings_of_file(
        Path(path).absolute(), WageringSettings, "the configuration of the wagering service", _problems
    )


def _problems(settings: WageringSettings) -> Iterator[Problem]:
    yield from broker_problems(settings.broker, "broker")
    http = settings.http
    if http.host not in LOOPBACK and http.cert_file is None:
        yield Problem("http.cert_file", f"missing; {http.host} is reached from outside, so TLS is needed")
    if (http.cert_file is None) != (http.key_file is None):
        yield Problem("http.key_file", "a certificate needs its key, and a key its certificate")
    if not settings.tables:
        yield Problem("tables", "missing; needed is at least one [[tables]]")
    for place, table in enumerate(settings.tables):
        if table in settings.tables[:place]:
            yield Problem(f"tables[{place}]", f"{table.site}/{table.id} stands there twice")
    joined = [f"{table.site}-{table.id}" for table in settings.tables]
    for place, name in enumerate(joined):
        if name in joined[:place] and settings.tables[place] not in settings.tables[:place]:
            yield Problem(f"tables[{place}]", f"its rounds are named {name}-... as those of another table")
    names = [player.name for player in settings.players]
    for place, name in enumerate(names):
        if name in names[:place]:
            yield Problem(f"players[{place}].name", f"{name} stands there twice")
        if settings.wallet is not None and settings.players[place].balance:
            yield Problem(f"players[{place}].balance", "leave it out: the house's wallet has the balances")


def read_token(key: str, path: str) -> str:
    """The token in a file. :class:`ConfigurationError` where it cannot be read, or is too short to be one."""
    token = secret_in(key, Path(path)).strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(f"{key}: {path} holds no token: visible ASCII characters without blanks")
    return token
