"""The file of one table as values: every key, its type, its range and its default.

What the core reads is not said again here: ``[table]``, ``[game]``, ``[round]`` and ``[shoe]`` are the
structs of ``controller.vocabulary.configuration``. Units stand in the names. A field without a default must
be written.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Literal

import msgspec
from msgspec import NODEFAULT

from controller.games.paytable import PayTable
from controller.settings.devices import Devices, ShoeDevice, composed, devices_struct, drivers_in
from controller.settings.log import LogForm
from controller.vocabulary.codec import canonical
from controller.vocabulary.configuration import (
    BadgeSettings,
    CodeMap,
    CoreConfiguration,
    GameSettings,
    PlainName,
    RoundSettings,
    ShoeSettings,
    TableSettings,
)
from controller.vocabulary.limits import Limits
from drivers.no_shoe import NoShoe

FilePath = Annotated[
    str, msgspec.Meta(pattern=r"^[^\x00]+$(?!\n)", description="the path of a file", extra={"file": True})
]
"""Relative: from the folder of the configuration file. Whoever reads the file takes it from there."""
NetworkPort = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Count = Annotated[int, msgspec.Meta(ge=1, le=100_000_000)]
RESENT_WITHIN_MS = 2000
"""A shoe that waits for an acknowledgement has said by then what it had to say again."""
LongSeconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]


class Problem(msgspec.Struct, frozen=True):
    """What is wrong in a file: the key path, and what would be right."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


class GameKeys(GameSettings, frozen=True, forbid_unknown_fields=True):
    """``[game]``: the game, its house settings, and its pay table."""

    pay_table: FilePath | None = None
    """A house's own pay table; left out: the published one."""

    def settings(self) -> GameSettings:
        """The core's part."""
        return GameSettings(**{key: getattr(self, key) for key in GameSettings.__struct_fields__})


class CardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[cards]``: how the codes on the cards read."""

    map: Annotated[str, msgspec.Meta(min_length=1)] = "plain"
    """``plain``, ``four-digit``, or a file of exact codes or of a pattern."""


class TlsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[mqtt.tls]``: the table is there = TLS; all files PEM."""

    ca_file: FilePath | None = None
    """Who may have signed the broker's certificate; left out: whom the system trusts."""
    cert_file: FilePath | None = None
    """Our certificate, with its key."""
    key_file: FilePath | None = None
    """The key of our certificate."""
    warn_days: Annotated[int, msgspec.Meta(ge=0, le=3650)] = 30
    """So many days before a certificate ends an alert says so: ours, the authority's, the broker's."""


LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Names of a broker that only this machine reaches."""
EVERY_TABLE = "controller"
"""The user whom the shipped ACL lets speak for every table."""


def own_user(site: str, table: str) -> str:
    """The user whom the shipped ACL lets speak for this table and no other."""
    return f"{site}/{table}"


BrokerAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(\[[0-9A-Fa-f:.]+\]|[^\s/:\[\],]+):[0-9]{1,5}$(?!\n)",
        description='a broker as "a.example:8883"',
    ),
]


class MqttSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[mqtt]``: the broker, and who must acknowledge the stream."""

    host: Annotated[str, msgspec.Meta(pattern=r"^[^\s/]+$(?!\n)", description="a host name or address")] = (
        "127.0.0.1"
    )
    """The broker."""
    port: NetworkPort = 1883
    """8883 is usual with TLS."""
    hosts: tuple[BrokerAddress, ...] = ()
    """In place of ``host`` and ``port``: the brokers of a cluster, `["a:8883", "b:8883"]`. Where one does not
    answer the next is tried."""
    consumers: tuple[PlainName, ...] = ()
    """A message is forgotten when each of these has acknowledged it; none: when the broker has."""
    ack_timeout_s: LongSeconds = 30
    """What stays unacknowledged so long is sent again."""
    keepalive_s: Annotated[int, msgspec.Meta(ge=5, le=3600)] = 30
    """The broker says ``lost`` after one and a half times this silence."""
    protocol: Literal["5", "3.1.1"] = "5"
    """The version of MQTT. A broker that rejects 5 is asked in 3.1.1; one that does not answer to it at all
    needs "3.1.1" here."""
    username: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    """Our user at the broker: site and table, ``north/7``, as the shipped ACL has it."""
    password_file: FilePath | None = None
    """A file that holds the password and nothing else."""
    tls: TlsSettings | None = None
    max_waiting_messages: Count = 100_000
    """So many unacknowledged messages and no further round opens; half of that is said."""
    max_unacknowledged_s: Annotated[int, msgspec.Meta(ge=0, le=7 * 86_400)] = 0
    """A message unacknowledged for so long and no further round opens; half of that is said. 0: no limit."""

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Host and port of each broker, in the order in which they are tried."""
        named = [where.rpartition(":") for where in self.hosts]
        return [(host.strip("[]"), int(port)) for host, _, port in named] or [(self.host, self.port)]

    @property
    def where(self) -> str:
        """The brokers for people."""
        return ", ".join(self.hosts) or f"{self.host}:{self.port}"


class JournalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[journal]``: the durable record of the table."""

    path: FilePath
    """One file for one table, on a disk of this machine."""
    retention_days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] = 365
    """Messages that all consumers have are kept so long; the records of play are kept for ever."""
    min_free_mb: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 100
    """With less free disk no further round opens; with less than twice of it that is said."""


class SigningSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[signing]``: the key of the table, which signs every message."""

    key_file: FilePath | None = None
    """Its private half, PEM; left out: beside the journal, <journal>.key. Made where there is none."""


class IdentitySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[identity]``: the approved software."""

    manifest: FilePath | None = None
    """Digests as ``dealer-table manifest`` writes them; compared at the start and every 24 hours."""


class ObserveSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[observe]``: who may look at the running daemon; nobody can do anything there."""

    metrics_port: NetworkPort | None = None
    """Metrics for Prometheus at http://127.0.0.1:<port>/metrics; left out: no such page."""
    socket: FilePath | None = None
    """For ``dealer-table top``; left out: /run/dealer-table/<name of the file>/top, made by the service."""
    board_socket: FilePath | None = None
    """For ``dealer-table board --socket`` here; left out: /run/dealer-table/<name of the file>/board."""
    log: LogForm = "auto"
    """How lines are written: "auto" with fields to journald where the service manager says so, else text."""


class ShadowSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[shadow]``: the table only listens, beside another system (``dealer-table shadow``). Without
    ``[devices.shoe]`` the cards are those of the other system's list."""

    export: FilePath | None = None
    """The other system's list of rounds, JSON lines, read as it grows; left out: only what a shoe says of its
    own results is compared."""
    report: FilePath | None = None
    """A folder for ``report.txt``, ``report.json`` and ``report.html``; left out: that of the journal."""
    report_s: LongSeconds = 60
    """So often the report is brought up to date."""
    shoes: Literal["unknown", "named"] = "unknown"
    """``named``: each line of the list names its shoe, and what has left a shoe is counted; else each round
    is judged as if from a full one."""
    pause_s: LongSeconds = 15
    """With a shoe that is listened to: a round about which something is doubtful is over when no card has
    come for so long."""
    match_s: LongSeconds = 120
    """So far the times of the two may lie apart, for the same round."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    table: TableSettings
    game: GameKeys
    limits: Limits | None = None
    badges: BadgeSettings = BadgeSettings()
    round: RoundSettings = RoundSettings()
    shoe: ShoeSettings = ShoeSettings()
    cards: CardSettings = CardSettings()
    mqtt: MqttSettings = MqttSettings()
    journal: JournalSettings
    signing: SigningSettings = SigningSettings()
    identity: IdentitySettings = IdentitySettings()
    observe: ObserveSettings = ObserveSettings()
    shadow: ShadowSettings | None = None
    devices: Devices


@cache
def complete_settings() -> type[Settings]:
    """The whole file with the keys of every driver there is: for who describes it."""
    return composed(Settings, [("devices", devices_struct(None), NODEFAULT)])


def settings_in(values: Mapping[str, object], *, every_driver: bool = False) -> type[Settings]:
    """The whole file with the keys of the drivers that it names; no other driver is imported."""
    devices = values.get("devices")
    has_shoe = isinstance(devices, Mapping) and "shoe" in devices
    named = () if every_driver else tuple(drivers_in(values).items())
    return _settings_with(named, every_driver, has_shoe or "shadow" not in values)


@cache
def _settings_with(named: tuple[tuple[str, str], ...], every_driver: bool, shoe: bool) -> type[Settings]:
    """The same for all files with these drivers: to put a struct together takes milliseconds."""
    if shoe:
        if every_driver:
            return complete_settings()
        return composed(Settings, [("devices", devices_struct(dict(named)), NODEFAULT)])
    struct = devices_struct(None if every_driver else dict(named))
    without_shoe: Callable[[], Devices] = composed(struct, [("shoe", ShoeDevice, NoShoe())])
    return composed(Settings, [("devices", without_shoe, without_shoe())])


class Configuration(Settings, frozen=True, kw_only=True):
    """A file that was read and found right, with the files that it names: code map and pay table.

    Relative paths in it were taken from the folder of the file.
    """

    code_map: CodeMap
    pay_table: PayTable
    """The house's pay table, or else the published one."""
    file: str = ""
    """The file itself, its whole path."""
    warnings: tuple[Problem, ...] = ()
    """What may be meant so, and is worth a look."""

    def core(self) -> CoreConfiguration:
        """What the core needs, complete in itself: a journal replays without any file."""
        return CoreConfiguration(
            table=self.table,
            game=self.game.settings(),
            round=self.round,
            shoe=self.shoe,
            code_map=self.code_map,
            pay_table=_json(self.pay_table),
            shoe_numbered=self.devices.shoe.numbered,
            shuffler=self.devices.shuffler is not None,
            shoe_devices=self.shoe_devices(),
            agree_s=self.agree_s(),
            agree_without_felt_s=self.agree_s(felt=False),
            limits=self.limits,
            badges=self.badges,
        )

    def plugged_in(self) -> dict[str, str]:
        """Each device that says something: its driver and where it is plugged in."""
        return {
            name: device.plugged_in[:400] for name, device in self.devices.named().items() if name != "lights"
        }

    def files(self) -> tuple[str, ...]:
        """The files that decide how the table plays: the configuration, its code map and its pay table."""
        code_map = self.cards.map if self.code_map.kind in ("exact", "pattern") else None
        return tuple(name for name in (self.file, code_map, self.game.pay_table) if name)

    def shoe_devices(self) -> tuple[str, ...]:
        """Names of the devices whose loss stops the dealing; a shuffler only where its cards return."""
        needed = ["shoe", "second_reader", "panel", "beam"]
        if self.shoe.kind == "continuous":
            needed.append("shuffler")
        return tuple(name for name in needed if getattr(self.devices, name) is not None)

    def agree_s(self, *, felt: bool = True) -> int:
        """Whole seconds in which the last of second reader, beam and felt has contradicted a card; where the
        next round opens by itself sooner, also a shoe that had to say again its own result, or a card.
        """
        beam, second, shoe = self.devices.beam, self.devices.second_reader, self.devices.shoe
        over_felt = self.devices.felt if felt else None
        says_again = shoe.numbered or shoe.knows_hands
        at_once = self.round.open == "auto" and self.round.review_s * 1000 < RESENT_WITHIN_MS
        waits = (
            0 if beam is None else beam.card_within_ms,
            0 if second is None else second.agree_within_ms,
            0 if over_felt is None else over_felt.agree_within_ms,
            RESENT_WITHIN_MS if says_again and at_once else 0,
        )
        return -(-max(waits) // 1000)

    def canonical(self) -> dict[str, object]:
        """The operator's file with every default written out, for the record: JSON values, and no secret."""
        settings = Settings(**{key: getattr(self, key) for key in Settings.__struct_fields__})
        return _json(settings)


def _json(value: object) -> dict[str, object]:
    """As it comes back from the record, so that the two compare equal."""
    plain: dict[str, object] = msgspec.json.decode(canonical(value))
    return plain
