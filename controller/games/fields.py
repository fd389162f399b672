"""What a house's spot may ask of a round: the fields of a game's outcome, and what the game names besides."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import inspect

from controller.games.house_spots import Fields, Scalar, check_conditions, check_left_out
from controller.vocabulary.errors import PayTableError

if TYPE_CHECKING:
    from controller.games.game import Game


@cache
def fields_of(game: type[Game]) -> Fields:
    """The field as a condition writes it -> the values that it can have.

    A hand with spots of its own is named by none of them; other hands stand before a dot.
    """
    found: dict[str, tuple[Scalar, ...]] = {}
    hands = game.hands_with_spots
    outcome = inspect.type_info(game.outcome_type)
    for path, kind in _leaves(outcome):
        hand, _, field = path.rpartition(".")
        if hand not in hands:
            found[path] = _values(kind)
        elif hand == hands[0]:
            found[field] = _values(kind)
    found |= game.further_fields
    own = [name for name in found if "." not in name]
    return {name: found[name] for name in (*own, *(name for name in found if "." in name))}


def flat(outcome: object) -> dict[str, object]:
    """An outcome with a dotted name for each field."""
    found: dict[str, object] = {}
    for key, value in msgspec.structs.asdict(outcome).items():  # type: ignore[arg-type]
        if isinstance(value, msgspec.Struct):
            found |= {f"{key}.{name}": one for name, one in flat(value).items()}
        else:
            found[key] = value
    return found


def check_house_spots(game: Game) -> None:
    """Whether the game can have the house's spots; :class:`PayTableError` begins with the key path.

    A bet that asks for a decision, or that a decision raises, stays the game's: the decision hangs on it.
    """
    table = game.pay_table
    own = dict.fromkeys(game.wager(spot) for spot in game.own_spots())
    check_left_out(table.without, table.spots, own, game.name)
    decided = {game.wager(spot) for one in game.decisions().values() for spot in (one.base, one.raised)}
    for name in (*table.without, *table.spots):
        if name in decided:
            key = "without" if name in table.without else f"spots.{name}"
            raise PayTableError(f"{key}: {name} belongs to the decision; what it pays is written in rows")
    if not game.spots():
        raise PayTableError("without: no spot is left to bet on")
    if table.spots:
        check_conditions(table.spots, game.fields(), game.name, game.hands_with_spots)


def _leaves(kind: inspect.Type, path: str = "") -> Iterator[tuple[str, inspect.Type]]:
    """Every value of a struct, with its dotted name."""
    options = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    struct = next((one for one in options if isinstance(one, inspect.StructType)), None)
    if struct is None:
        yield path, kind
        return
    for field in struct.fields:
        yield from _leaves(field.type, f"{path}.{field.encode_name}" if path else field.encode_name)


def _values(kind: inspect.Type) -> tuple[Scalar, ...]:
    """The values of a field; none, where it may have none, is nothing that a condition can ask for."""
    match kind:
        case inspect.Metadata(type=inner):
            return _values(inner)
        case inspect.UnionType(types=types):
            return tuple(value for one in types for value in _values(one))
        case inspect.BoolType():
            return (True, False)
        case inspect.IntType(ge=int(least), le=int(most)):
            return tuple(range(least, most + 1))
        case inspect.LiteralType(values=values):
            return tuple(value for value in values if isinstance(value, bool | int | str))
        case inspect.NoneType():
            return ()
    raise TypeError(f"a field of an outcome has values that can be listed, {kind} has not")
