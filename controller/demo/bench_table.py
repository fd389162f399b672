"""The configuration of the bench: the demo table under the names of the examples, or a house's own file with
its cables pulled there and plugged in here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controller.demo.devices import shoe_kind
from controller.demo.table import CONSUMER, demo_configuration
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.settings.resolve import read_toml
from controller.settings.writing import at, put, toml_text
from drivers.registry import device, tag_of

SITE, TABLE = "north", "7"
"""Those of the examples and of the pages."""
SHOE, PANEL, SHUFFLER = "scanner", "keypad", "line"
ACK_TIMEOUT_S = 5
"""Shorter than at a table: who writes a consumer does not wait for what comes again."""
ELSEWHERE = (
    "mqtt.hosts",
    "mqtt.username",
    "mqtt.password_file",
    "mqtt.tls",
    "signing",
    "identity",
    "shadow",
    "cards",
    "devices.second_reader",
    "devices.beam",
    "devices.lights",
)
"""What a file says of a world that is not there."""


class BenchTable(NamedTuple):
    """A configuration of the bench, and what of the house's own file it leaves out."""

    configuration: Configuration
    left_out: tuple[str, ...] = ()


def demo_table(
    folder: Path,
    game: str,
    port: int,
    *,
    shoe: str | None = None,
    consumers: Sequence[str] = (),
    odds: str = "fixed",
    squeeze: bool = False,
    pay_table: str | None = None,
) -> BenchTable:
    """The demo table as table 7 of the site north. ``consumers``: none given: ``settlement`` alone.

    ConfigurationError for what does not go together.
    """
    configuration = demo_configuration(
        folder,
        game,
        port,
        odds,
        (shoe or SHOE, PANEL, None),
        pay_table,
        squeeze=squeeze,
        consumers=consumers or (CONSUMER,),
        book=None,
    )
    values = read_toml(Path(configuration.file), "the configuration")
    for path, value in {"table.site": SITE, "table.id": TABLE, "mqtt.ack_timeout_s": ACK_TIMEOUT_S}.items():
        put(values, path, value)
    return BenchTable(_written(folder, values, port, shoe or SHOE))


def own_table(
    folder: Path, file: str, port: int, *, shoe: str | None = None, consumers: Sequence[str] = ()
) -> BenchTable:
    """A house's own file, beside which nothing else need be there. ``consumers``: none given: those of the
    file.

    ConfigurationError where the file is wrong.
    """
    house = load_configuration(file)
    values = read_toml(Path(file), "the configuration")
    left_out = tuple(path for path in ELSEWHERE if _taken_out(values, path))
    values["devices"] = {}
    put(values, "game.pay_table", house.game.pay_table)
    put(values, "mqtt.consumers", list(consumers or house.mqtt.consumers))
    if house.devices.shuffler is not None:
        put(values, "devices.shuffler.driver", SHUFFLER)
        put(values, "devices.shuffler.port", f"{folder}/shuffler")
    named = tag_of(type(house.devices.shoe))
    reads_codes = device("shoe", named) is not None and not house.devices.shoe.reads_print
    return BenchTable(_written(folder, values, port, shoe or (named if reads_codes else SHOE)), left_out)


def _taken_out(values: dict[str, object], path: str) -> bool:
    """Take a key or a table out of the values; whether it was there."""
    rooms, _, key = path.rpartition(".")
    inner = at(values, rooms) if rooms else values
    return isinstance(inner, dict) and inner.pop(key, None) is not None


def _written(folder: Path, values: dict[str, object], port: int, shoe: str) -> Configuration:
    """The values with everything that lies in the folder of the bench, written there and read as any file."""
    for path, value in {
        "mqtt.host": "127.0.0.1",
        "mqtt.port": port,
        "journal.path": f"{folder}/journal.db",
        "observe.socket": f"{folder}/top",
        "observe.board_socket": f"{folder}/board",
        "devices.shoe.driver": shoe,
        f"devices.shoe.{shoe_kind(shoe).address_key!s}": f"{folder}/shoe",
        "devices.panel.driver": PANEL,
        "devices.panel.port": f"{folder}/keypad",
    }.items():
        put(values, path, value)
    file = folder / "bench.toml"
    file.write_text(toml_text(values), encoding="utf-8")
    return load_configuration(file)
