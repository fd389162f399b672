"""The files that a configuration names, code map and pay table; a problem names the key of its file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import msgspec

from controller.games.game import Game
from controller.games.paytable import PayTable, load_pay_table
from controller.games.registry import build_game, game_class
from controller.settings.model import GameKeys, Problem
from controller.settings.reading import Reader
from controller.shoe.code_map import decode
from controller.shoe.code_map import problems as code_map_problems
from controller.vocabulary.cards import RANKS, SUITS, Card
from controller.vocabulary.configuration import CodeMap, GameSettings, ShoeSettings
from controller.vocabulary.errors import ConfigurationError, PayTableError, why
from controller.vocabulary.outside import unmarked

MOST_BYTES = 1_000_000
BUILT_IN_MAPS = ("plain", "four-digit")


def read_toml(path: Path, what: str) -> dict[str, object]:
    """The values of a TOML file; :class:`ConfigurationError` says what is wrong with the file itself."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: {what} cannot be read: {why(error)}") from error
    except ValueError as error:
        raise ConfigurationError(f"{str(path)!r}: this is no path of a file: {why(error)}") from error
    if len(raw) > MOST_BYTES:
        raise ConfigurationError(f"{path}: {what} has at most {MOST_BYTES} bytes")
    try:
        return tomllib.loads(unmarked(raw).decode())
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"{path}: not UTF-8 text (line {line}); save it as UTF-8") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}: not TOML: nested too deep") from error
    except ValueError as error:  # also what Python itself refuses: a number of 5,000 digits
        raise ConfigurationError(f"{path}: not TOML: {why(error)}") from error


def resolve_game(keys: GameKeys) -> tuple[PayTable | None, list[Problem]]:
    """The pay table that the game is played by, and all that is wrong with its settings.

    The game itself judges; it says one thing at a time, so what it refuses is put back to its default and it
    is asked again.
    """
    problems: list[Problem] = []
    pay_table: PayTable | None = None
    if keys.pay_table is not None:
        try:
            pay_table = load_pay_table(keys.pay_table)
        except PayTableError as error:
            problems.append(Problem("game.pay_table", error.message))
    settings = keys.settings()
    while True:
        try:
            game = build_game(settings, pay_table)
            if (why := game.refused(settings)) is not None:
                raise ConfigurationError(why)
            return game.pay_table, problems
        except PayTableError as error:
            if pay_table is None:
                problems.append(Problem("game", error.message))
                return None, problems
            problems.append(Problem("game.pay_table", f"{keys.pay_table or ''}: {error.message}"))
            pay_table = None
        except ConfigurationError as error:
            key, _, message = error.message.partition(": ")
            if not key.startswith("game."):
                key, message = "game", error.message
            problems.append(Problem(key, message))
            repaired = _without(settings, key.removeprefix("game."))
            if repaired is None or repaired == settings:
                return None, problems
            settings = repaired


def resolve_code_map(name: str, folder: Path, deck: tuple[Card, ...]) -> tuple[CodeMap | None, list[Problem]]:
    """The code map of ``cards.map``, and all that is wrong with its file; ``deck``: cards it must know."""
    if name in BUILT_IN_MAPS:
        return msgspec.convert({"kind": name}, CodeMap), []
    path = folder / name
    if not os.path.exists(path) and path.suffix == "":  # also where no such path can be
        message = f'"{name}" is wrong; needed is "plain", "four-digit" or a file, and there is no file {path}'
        return None, [Problem("cards.map", message)]
    try:
        values = read_toml(path, "the code map")
    except ConfigurationError as error:
        return None, [Problem("cards.map", error.message)]
    reader = Reader(CodeMap)
    given = [kind for kind in ("exact", "pattern") if kind in values]
    if len(given) != 1 or values.get("kind", given[0]) != given[0]:
        reader.say("", "a code map has either a table [exact] of codes or a key pattern")
    code_map = reader.read({**values, "kind": given[0]}, CodeMap) if given else None
    found = [str(problem) for problem in reader.problems]
    if code_map is not None and not found:
        found = [problem.removeprefix("cards.") for problem in code_map_problems(code_map)]
    if code_map is not None and not found:
        found = unknown_cards(code_map, deck)
    return code_map, [Problem("cards.map", f"{path}: {problem}") for problem in found]


def unnamed_cards(code_map: CodeMap, deck: tuple[Card, ...], driver: str) -> list[Problem]:
    """What is wrong where the shoe of this driver names the cards itself: its names must be codes."""
    missing = next((card for card in deck if decode(code_map, card).card != card), None)
    if missing is None:
        return []
    needed = '"plain", or a file that has these names too'
    message = f'this map has no code "{missing}", as the shoe "{driver}" says it; needed is {needed}'
    return [Problem("cards.map", message)]


def unknown_cards(code_map: CodeMap, deck: tuple[Card, ...]) -> list[str]:
    """Cards of the deck that no code means: they would be foreign in the middle of a round."""
    if code_map.kind == "exact":
        missing = [str(card) for card in deck if card not in set(code_map.exact.values())]
        return [f"exact: no code for {', '.join(missing)}"] if missing else []
    found = []
    for name, words, place, known in (
        ("ranks", code_map.ranks, 0, RANKS),
        ("suits", code_map.suits, 1, SUITS),
    ):
        needed = {card[place] for card in deck} - set(words.values())
        if words and needed:
            found.append(f"{name}: nothing means {', '.join(sorted(needed, key=known.index))}")
    return found


def pack_problems(game: Game, shoe: ShoeSettings) -> list[Problem]:
    """Burns and a cut card that leave no whole round, a table that would never open one (5.1.4), or that no
    such shoe has."""
    pack = len(game.deck) * game.decks
    after_change = {"none": 0, "one": 1, "count": 11}[shoe.burn]  # a ten is turned up and ten more are burned
    room = f"{game.name} takes {game.cards_needed} of {pack} cards"
    if game.cards_needed + after_change > pack:
        return [Problem("shoe.burn", f"{room}: {after_change} burn cards may not be left")]
    if game.cards_needed + after_change + shoe.burn_each_round > pack:
        return [Problem("shoe.burn_each_round", f"{room}: {shoe.burn_each_round} burn cards may not be left")]
    if shoe.cut_card_behind >= pack:
        return [Problem("shoe.cut_card_behind", f"the set has {pack} cards: needed is less than that")]
    if shoe.kind == "continuous" and shoe.cut_card_behind:
        message = f'{shoe.cut_card_behind} is wrong: shoe.kind = "continuous" has no cut card; needed is 0'
        return [Problem("shoe.cut_card_behind", message)]
    return []


def _without(settings: GameSettings, key: str) -> GameSettings | None:
    """The settings with this key as it is by default; a layout that was asked for gets the first there is."""
    if key == "layout" and settings.layout is None:
        layouts = game_class(settings.name).layouts
        return msgspec.structs.replace(settings, layout=layouts[0]) if layouts else None
    if key not in GameSettings.__struct_fields__ or key == "name":
        return None
    return msgspec.structs.replace(settings, **{key: getattr(GameSettings(name=settings.name), key)})
