"""A house's own spots: rows of conditions on what the cards of a round make, as a pay table file writes them.

::

    [spots.dragon_7]
    name = "Dragon 7"                   # or { en = "Dragon 7", zh = "..." }; left out: the name of the spot
    rows = [{ when = { winner = "banker", banker_total = 7, banker_cards = 3 }, pays = "40:1" }]

Rows are looked at in order: the first that fits counts, none is ``lose``. What a condition may ask of a round
is the business of the game (``Game.fields``).
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import msgspec

from controller.games.ratio import parse_ratio
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import LOSE, PUSH, SpotOutcome
from controller.vocabulary.shown import nearest, shown

Scalar = bool | int | str
Fields = Mapping[str, tuple[Scalar, ...]]
"""What a condition may ask for -> the values that it can have."""
Facts = Mapping[str, object]
"""What the cards of one round make: the field -> its value, None where it has none."""

MOST_SPOTS = 100
MOST_ROWS = 100
MOST_WORDS = 80
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_SHOWN_VALUES = 20


class SpotRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where every field of ``when`` has the value, or one of the values, the spot ends so."""

    when: dict[str, Scalar | tuple[Scalar, ...]] = {}
    """Empty: always."""
    pays: str = ""
    """What a win pays, an exact ratio to 1; without it ``result`` says how the spot ends."""
    result: Literal["", "push", "lose"] = ""

    @property
    def outcome(self) -> SpotOutcome:
        """What the spot does."""
        if self.pays:
            return SpotOutcome("win", self.pays)
        return PUSH if self.result == "push" else LOSE

    def fits(self, facts: Facts, own: str = "") -> bool:
        """Whether the row fits; ``own`` stands before fields of the hand that the spot belongs to."""
        for name, wanted in self.when.items():
            value = facts.get(name if "." in name else own + name)  # None: an empty seat's
            if not (value in wanted if isinstance(wanted, tuple) else value == wanted):
                return False
        return True


class HouseSpot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A spot of a house, in place of one of the game or beside them."""

    rows: tuple[SpotRow, ...]
    name: str | dict[str, str] = ""
    """For people: in every language, or by the code of a language."""
    allow_above_100: bool = False
    """It may return more than is staked."""

    def result(self, facts: Facts, own: str = "") -> SpotOutcome:
        """How the spot ends."""
        return next((row.outcome for row in self.rows if row.fits(facts, own)), LOSE)

    @property
    def pays_alike(self) -> bool:
        """Whether all winning rows pay the same: only then can one price stand for the spot."""
        return len({row.pays for row in self.rows if row.pays}) == 1

    @property
    def asks(self) -> frozenset[str]:
        """The fields that its conditions ask for, as they are written."""
        return frozenset(name for row in self.rows for name in row.when)


def read_spots(value: object) -> dict[str, HouseSpot]:
    """The spots of a file, sound in themselves; :class:`PayTableError` begins with the key path."""
    if not isinstance(value, Mapping):
        raise PayTableError("spots: expected a table for each spot, as [spots.dragon_7]")
    if len(value) > MOST_SPOTS:
        raise PayTableError(f"spots: {len(value)} spots, at most {MOST_SPOTS} are read")
    return {name: _spot(str(name), value[name]) for name in sorted(value)}


def read_without(value: object) -> tuple[str, ...]:
    """The spots that a house leaves out."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise PayTableError('without: expected a list of spots, as ["small", "big"]')
    for one in value:
        if value.count(one) > 1:
            raise PayTableError(f"without: {str(one)!r} is there twice")
    return tuple(sorted(value))


def check_conditions(
    spots: Mapping[str, HouseSpot], fields: Fields, game: str, hands: Sequence[str] = ()
) -> None:
    """Whether each condition asks for what the game has, with values that it can have. ``hands``: those that
    a spot of the house stands for, each."""
    for name, spot in spots.items():
        for number, row in enumerate(spot.rows):
            for field, wanted in row.when.items():
                where = f"spots.{name}.rows[{number}].when.{field}"
                if field not in fields:
                    raise PayTableError(f"{where}: {_unknown(field, fields, game, hands)}")
                for value in wanted if isinstance(wanted, tuple) else (wanted,):
                    _check_value(where, value, fields[field], fields)


def _unknown(field: str, fields: Fields, game: str, hands: Sequence[str]) -> str:
    """Why a condition cannot ask for a field."""
    hand, _, own = field.partition(".")
    if hand not in hands:
        return f"{game} has no such field: {_expected(field, fields)}"
    own = f" ({own})" if own in fields else ""
    others = " or ".join(name for name in fields if "." in name)
    return (
        f"a spot stands for each of {hands[0]} to {hands[-1]} and asks of its own hand, without a prefix{own}"
        f", or {others}; of no other hand"
    )


def check_left_out(without: Sequence[str], spots: Collection[str], own: Collection[str], game: str) -> None:
    """Whether a house leaves out what the game has, and does not write anew what it leaves out."""
    for name in without:
        if name not in own:
            raise PayTableError(f"without: {game} has no spot {name!r}: {_expected(name, own)}")
        if name in spots:
            raise PayTableError(f"spots.{name}: it is left out by 'without' too; one of the two is a mistake")


def _spot(name: str, value: object) -> HouseSpot:
    where = f"spots.{name}"
    if "." in name:
        wager = name.partition(".")[2]
        raise PayTableError(f'spots."{name}": a spot of each hand is written once, as [spots.{wager}]')
    if not name:
        raise PayTableError('spots."": a spot has a name, as [spots.dragon_7]')
    if not _NAME.fullmatch(name):
        raise PayTableError(f"spots.{name[:60]}: a spot is named by letters, digits, _ and -, 40 at most")
    given = _table(where, value, HouseSpot)
    rows = given.get("rows")
    if not isinstance(rows, list | tuple) or not rows:
        raise PayTableError(f"{where}.rows: a spot needs a list of rows")
    if len(rows) > MOST_ROWS:
        raise PayTableError(f"{where}.rows: {len(rows)} rows, at most {MOST_ROWS} are read")
    read = tuple(_row(f"{where}.rows[{number}]", row) for number, row in enumerate(rows))
    allows = given.get("allow_above_100", False)
    if not isinstance(allows, bool):
        raise PayTableError(f"{where}.allow_above_100: {shown(allows)} is neither true nor false")
    return HouseSpot(read, _words(f"{where}.name", given.get("name", "")), allows)


def _row(where: str, value: object) -> SpotRow:
    given = _table(where, value, SpotRow)
    when = given.get("when", {})
    if not isinstance(when, Mapping):
        raise PayTableError(f'{where}.when: expected fields with values, as {{ winner = "banker" }}')
    conditions = {str(field): _wanted(f"{where}.when.{field}", when[field]) for field in sorted(when)}
    if ("pays" in given) == ("result" in given):
        raise PayTableError(f'{where}: a row has either pays, as "40:1", or result, "push" or "lose"')
    if "pays" in given:
        try:
            parse_ratio(given["pays"])
        except ValueError as error:
            raise PayTableError(f"{where}.pays: {error}") from error
        return SpotRow(conditions, pays=str(given["pays"]))
    result = given["result"]
    if result == "push" or result == "lose":
        return SpotRow(conditions, result=result)
    raise PayTableError(f'{where}.result: {shown(result)} is neither "push" nor "lose"; a win has pays')


def _wanted(where: str, value: object) -> Scalar | tuple[Scalar, ...]:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple) and value and all(isinstance(one, bool | int | str) for one in value):
        return tuple(value)
    raise PayTableError(
        f"{where}: {shown(value)} is no value and no list of values: text, whole numbers, true, false"
    )


def _words(where: str, value: object) -> str | dict[str, str]:
    if isinstance(value, str) and len(value) <= MOST_WORDS:
        return value
    if isinstance(value, dict) and all(
        language and isinstance(one, str) and 0 < len(one) <= MOST_WORDS for language, one in value.items()
    ):
        return {key: value[key] for key in sorted(value)}
    raise PayTableError(f'{where}: expected text, or one for each language, as {{ en = "Dragon 7" }}')


def _table(where: str, value: object, kind: type[msgspec.Struct]) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise PayTableError(f"{where}: expected a table with {', '.join(kind.__struct_fields__)}")
    for key in value:
        if key not in kind.__struct_fields__:
            raise PayTableError(f"{where}.{key}: no such key: {_expected(str(key), kind.__struct_fields__)}")
    return value


def _check_value(where: str, value: Scalar, allowed: tuple[Scalar, ...], fields: Fields) -> None:
    if any(type(one) is type(value) and one == value for one in allowed):
        return
    shown = msgspec.json.encode(value).decode()
    said = f"{where}: {shown} is not possible: {expected_values(value, allowed)}"
    if value in fields:
        said += "; a condition asks for a value, never for another field"
    raise PayTableError(said)


def expected_values(value: object, allowed: Sequence[Scalar]) -> str:
    """What a field can be, for people; a near miss is named."""
    if isinstance(allowed[0], str):
        return _expected(str(value), [str(one) for one in allowed])
    if isinstance(allowed[0], bool):
        return "expected true or false"
    return f"expected {allowed[0]} to {allowed[-1]}"


def _expected(name: str, allowed: Collection[str]) -> str:
    near = nearest(name, allowed)
    if near:
        return f"did you mean {near}? Known are {_listed(allowed)}"
    return f"expected one of {_listed(allowed)}"


def _listed(allowed: Collection[str]) -> str:
    shown = list(allowed)[:_SHOWN_VALUES]
    return ", ".join(shown) + (", ..." if len(allowed) > len(shown) else "")
