"""One TOML file a table becomes a configuration; all that is wrong in it is said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from controller.games.registry import build_game, game_class
from controller.settings.checks import problems, warnings
from controller.settings.devices import Devices
from controller.settings.limits import spelled_out, spot_problems
from controller.settings.model import (
    CardSettings,
    Configuration,
    GameKeys,
    Problem,
    Settings,
    settings_in,
)
from controller.settings.reading import Reader, StructT
from controller.settings.resolve import (
    BUILT_IN_MAPS,
    pack_problems,
    read_toml,
    resolve_code_map,
    resolve_game,
    unnamed_cards,
)
from controller.vocabulary.configuration import CodeMap
from controller.vocabulary.errors import ConfigurationError
from drivers.registry import tag_of
from drivers.settings import ShoeDevice


class ConfigurationProblems(ConfigurationError):
    """All that is wrong with a file; the message has a line for each."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        super().__init__("\n".join(f"{path}: {problem}" for problem in problems))
        self.problems = tuple(problems)


def settings_of_file(
    path: Path, kind: type[StructT], what: str, wrong: Callable[[StructT], Iterable[Problem]]
) -> StructT:
    """A file that is no table's: its settings, where nothing is wrong with them; ``path``: absolute.
    :class:`ConfigurationProblems` as in :func:`load_configuration`.
    """
    reader = Reader(kind, path.parent)
    settings = reader.read(read_toml(path, what), kind)
    if settings is not None:
        reader.add(wrong(settings))
    if reader.problems or settings is None:
        raise ConfigurationProblems(path, reader.problems)
    return settings


def load_configuration(path: str | Path) -> Configuration:
    """The configuration of a table from its TOML file, with code map and pay table.

    Devices, broker and journal need not be there: ``doctor`` asks for them. Raises
    :class:`ConfigurationError` where the file cannot be read or is no TOML, and
    :class:`ConfigurationProblems` with all that is wrong in it: key paths, and what would be right.
    """
    path = Path(path).absolute()
    return configuration_of(read_toml(path, "the configuration"), path)


def configuration_of(values: Mapping[str, object], path: Path) -> Configuration:
    """As :func:`load_configuration`, from the values of a file that may not be written yet; ``path``:
    absolute, where it will be."""
    folder = path.parent
    reader, settings = read_settings(values, folder)
    reader.add(problems(reader.tables))
    game = reader.tables.get("game")
    pay_table = None
    if isinstance(game, GameKeys):
        pay_table, found = resolve_game(game)
        reader.add(found)
    code_map = _code_map(reader, folder, game.name if isinstance(game, GameKeys) and pay_table else None)
    if reader.problems or settings is None or pay_table is None or code_map is None:
        raise ConfigurationProblems(path, reader.problems)
    built = build_game(settings.game.settings(), pay_table)
    found = pack_problems(built, settings.shoe)
    if settings.limits is not None:
        found += spot_problems(settings.limits, built)
        settings = replace(settings, limits=spelled_out(settings.limits, built))
    if found:
        raise ConfigurationProblems(path, found)
    # The type that the file was read as is made for its drivers.
    devices: dict[str, Any] = {**settings.devices.named()}
    settings = replace(settings, devices=Devices(**devices))
    if settings.cards.map not in BUILT_IN_MAPS:
        settings = replace(settings, cards=CardSettings(map=str(folder / settings.cards.map)))
    configuration = Configuration(**asdict(settings), code_map=code_map, pay_table=pay_table, file=str(path))
    return replace(configuration, warnings=tuple(warnings(configuration)))


def read_settings(values: Mapping[str, object], folder: Path) -> tuple[Reader, Settings | None]:
    """A file's values as settings, and what was found in them; ``folder``: where the file lies.

    A file with a mistake is read once more, with every driver there is: a hint may need another one.
    """
    for described in (partial(settings_in, values), partial(settings_in, values, every_driver=True)):
        struct = described()
        reader = Reader(struct, folder)
        settings = reader.read(values, struct)
        if not reader.problems:
            break
    return reader, settings


def _code_map(reader: Reader, folder: Path, game: str | None) -> CodeMap | None:
    """The code map; where the game is not known any card will do."""
    cards = reader.tables.get("cards", CardSettings())
    if not isinstance(cards, CardSettings):
        return None
    deck = () if game is None else game_class(game).deck
    code_map, found = resolve_code_map(cards.map, folder, deck)
    reader.add(found)
    shoe = reader.tables.get("devices.shoe")
    if code_map is not None and isinstance(shoe, ShoeDevice) and shoe.names_cards:
        reader.add(unnamed_cards(code_map, deck, tag_of(type(shoe))))
    return code_map
