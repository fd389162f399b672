"""Is the whole floor right? Each table as ``check-config`` judges it, and what only all together tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from controller.inventory.layers import Layer, Place, layers_of, merged, said_by
from controller.inventory.rights import Rights
from controller.inventory.settings import Inventory, Keys
from controller.settings.judging import return_problems
from controller.settings.loader import ConfigurationProblems, configuration_of
from controller.settings.model import EVERY_TABLE, Configuration, Problem


class Finding(msgspec.Struct, frozen=True):
    """What is wrong, or worth a look, at one or more tables."""

    key: str
    """Where in the inventory: the layer that says it, ``groups.baccarat.round.bets_s``."""
    message: str
    tables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.key}: {self.message} (at {several(self.tables)})"


class PlannedTable(msgspec.Struct, frozen=True):
    """One table as it is to be."""

    id: str
    unit: str
    settings: Keys
    """What its file says."""
    configuration: Configuration


class Floor(msgspec.Struct, frozen=True):
    """All tables, and all that is wrong."""

    tables: tuple[PlannedTable, ...]
    """Those whose file is right."""
    problems: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    rights: Rights | None = None


class _Findings:
    """The same finding at many tables is one."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], list[str]] = {}

    def add(self, table: str, found: Iterable[Problem], layers: list[Layer] | None = None) -> None:
        """``layers``: of the table, where the keys are those of its file; the finding names who says them."""
        for problem in found:
            key = problem.key if layers is None else said_by(layers, problem.key)
            self._tables.setdefault((key, problem.message), []).append(table)

    def all(self) -> tuple[Finding, ...]:
        """Each finding with its tables, in the order of the inventory."""
        return tuple(Finding(key, message, tuple(tables)) for (key, message), tables in self._tables.items())


def judge(inventory: Inventory, folder: Path) -> Floor:
    """Judge all tables; ``folder``: absolute, where the inventory lies, from which relative paths are taken.

    :class:`ConfigurationError` where a file with rights cannot be read. A house's own pay tables are counted
    through, each once, which may take some seconds.
    """
    problems, warnings = _Findings(), _Findings()
    tables: list[PlannedTable] = []
    returns = _Returns()
    for number, entry in enumerate(inventory.tables):
        layers = layers_of(inventory, number)
        settings, idle = merged(layers, entry)
        where = f"tables[{number}]."
        nothing = "removes nothing: no defaults and no group of this table say it"
        own = [Problem(f"{where}without", f'"{path}" {nothing}') for path in idle]
        place = Place(inventory.site, entry.id, "")
        unit, key = (inventory.unit, "unit") if entry.unit is None else (entry.unit, f"{where}unit")
        place = Place(inventory.site, entry.id, str(place.filled(unit, key, own)))
        problems.add(entry.id, own)
        settings, found = _planned(place, settings)
        try:
            configuration = configuration_of(settings, folder / f"{entry.id}.toml")
        except ConfigurationProblems as error:
            problems.add(entry.id, [*found, *error.problems], layers)
            continue
        problems.add(entry.id, [*found, *returns.problems(configuration)], layers)
        warnings.add(entry.id, configuration.warnings, layers)
        tables.append(PlannedTable(entry.id, place.unit, settings, configuration))
    rights = None if inventory.rights is None else Rights.read(inventory.rights)
    for check in CHECKS:
        for table, problem in check(inventory, tables, rights):
            problems.add(table, [problem])
    return Floor(tuple(tables), problems.all(), warnings.all(), rights)


def _planned(place: Place, settings: Keys) -> tuple[Keys, list[Problem]]:
    """What the table's file says, and what the inventory should not have said."""
    found: list[Problem] = []
    filled = place.filled(settings, "", found)
    settings = filled if isinstance(filled, dict) else {}
    own = settings.get("table", {})
    if not isinstance(own, dict):  # the loader says so
        return settings, found
    identity: Keys = {"site": place.site, "id": place.table}
    found += [
        Problem(f"table.{key}", "the inventory says it itself; take it out") for key in identity if key in own
    ]
    others = {key: value for key, value in settings.items() if key != "table"}
    return {"table": identity | own | identity, **others}, found


class _Returns:
    """What the houses' pay tables return: the same table of the same game is counted through once."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[Problem, ...]] = {}

    def problems(self, configuration: Configuration) -> tuple[Problem, ...]:
        """Of the pay table of one table."""
        if configuration.game.pay_table is None:
            return ()
        key = msgspec.json.encode((configuration.game.settings(), configuration.pay_table.digest))
        if key not in self._known:
            self._known[key] = tuple(return_problems(configuration))
        return self._known[key]


Found = Iterator[tuple[str, Problem]]
"""A table and what is wrong there."""


def _one_unit_one_table(inventory: Inventory, tables: list[PlannedTable], rights: Rights | None) -> Found:
    """Two tables on one machine: the second would not find its devices, and replacing it would stop both."""
    yield from _said_twice(tables, "unit", "the machine of", lambda table: table.unit.lower())


def _one_user_one_table(inventory: Inventory, tables: list[PlannedTable], rights: Rights | None) -> Found:
    """Two tables that log in as the same user: each could speak for the other."""

    def user(table: PlannedTable) -> str | None:
        name = table.configuration.mqtt.username
        return None if name == EVERY_TABLE else name  # of that there is a warning

    yield from _said_twice(tables, "mqtt.username", "the user of", user)


def _said_twice(
    tables: list[PlannedTable], key: str, what: str, said: Callable[[PlannedTable], str | None]
) -> Found:
    first: dict[str, str] = {}
    for table in tables:
        value = said(table)
        if value is None:
            continue
        if value in first:
            message = f'"{value}" is {what} table {first[value]} as well; each has its own'
            yield table.id, Problem(key, message)
        first.setdefault(value, table.id)


def _consumers(inventory: Inventory, tables: list[PlannedTable], rights: Rights | None) -> Found:
    """A consumer that is gone, or that the broker lets neither hear a table nor acknowledge."""
    for table in tables:
        for name in table.configuration.mqtt.consumers:
            if name in inventory.retired:
                yield (
                    table.id,
                    Problem("mqtt.consumers", f'"{name}" stands under `retired`; take it out here'),
                )
            elif rights is not None and (missing := rights.missing(table.configuration.table, name)):
                message = f'the consumer "{name}" may not {", ".join(missing)}'
                yield table.id, Problem("rights.acl", message)


def _users(inventory: Inventory, tables: list[PlannedTable], rights: Rights | None) -> Found:
    """A table that the rights do not know."""
    for table in tables if rights is not None else ():
        mqtt = table.configuration.mqtt
        named_by_certificate = mqtt.tls is not None and mqtt.tls.cert_file is not None
        own = f"{inventory.site}/{table.id}"
        if mqtt.username is None and not named_by_certificate:
            yield table.id, Problem("mqtt.username", f'missing; the rights know this table as "{own}"')
        elif mqtt.username not in (None, own, EVERY_TABLE):
            message = f'"{mqtt.username}" is not whom the rights know; this table is "{own}"'
            yield table.id, Problem("mqtt.username", message)


def _names_on_the_unit(inventory: Inventory, tables: list[PlannedTable], rights: Rights | None) -> Found:
    """A file that would lie outside of its table's folder there, or in place of the table's own."""
    for table in tables:
        own = Path(table.configuration.file)
        named = {
            "game.pay_table": table.configuration.game.pay_table,
            "cards.map": table.configuration.cards.map,
        }
        for key, name in named.items():
            if name is None or name not in table.configuration.files():
                continue
            if Path(name).is_relative_to(own.parent) and ".." in Path(name).parts:
                message = f'{name}: write it without ".."; it lies in the folder of the table there'
                yield table.id, Problem(key, message)
            elif Path(name) == own:
                message = f"{own.name} is the name of the table's own file; name it otherwise"
                yield table.id, Problem(key, message)


CHECKS = (_one_unit_one_table, _one_user_one_table, _consumers, _users, _names_on_the_unit)
"""What only all tables together tell; each says all that it sees."""


def several(tables: Iterable[str]) -> str:
    """Tables for people: one by its number, of many the first three."""
    names = list(tables)
    if len(names) == 1:
        return f"table {names[0]}"
    if len(names) <= 4:
        return f"tables {', '.join(names[:-1])} and {names[-1]}"
    return f"tables {', '.join(names[:3])} and {len(names) - 3} more"
