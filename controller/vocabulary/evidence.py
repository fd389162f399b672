"""Evidence: the proof of a finding as the table keeps it, and as it is published.

A field that could name a card is marked in its type with :data:`SECRET`; :func:`blanked` empties such fields
of anything that is to leave the table.
"""

from functools import cache
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.values import CardName, Count, Nonce, Phase, Sha256

SECRET = Meta(extra={"secret": True})
"""Marks a field that could name a card which lies face down."""
SecretCard = Annotated[CardName, SECRET]
SecretText = Annotated[str, SECRET]
"""A code or a serial number, which tells one card from another."""

StructT = TypeVar("StructT", bound=msgspec.Struct)


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """The result by a shoe that knows the game: the parts that it gave."""

    winner: str | UnsetType | None = UNSET
    player_pair: bool | UnsetType = UNSET
    banker_pair: bool | UnsetType = UNSET


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What proves a finding; each finding has some of these."""

    draw: Count | UnsetType = UNSET
    """Among the draws of the shoe, from 1: which card the finding is about."""
    of_shoe: Count | UnsetType = UNSET
    """The shoe of that draw, where another one is in use since: the draws of a shoe begin with 1."""
    card: SecretCard | UnsetType | None = UNSET
    commitment: Sha256 | UnsetType = UNSET
    """Of a card that is not named since it may still come into play: SHA-256 of the nonce's hex text followed
    by the card. It is opened when the card is burned, voided or laid."""
    nonce: Nonce | UnsetType = UNSET
    """Opens the commitment to ``card``, or to the card that was ``got``."""
    got: SecretCard | UnsetType | None = UNSET
    """The card that came out in place of the one that went back."""
    read: SecretText | UnsetType | None = UNSET
    """The code that was read."""
    serial: SecretText | UnsetType | None = UNSET
    first_draw: Count | UnsetType = UNSET
    """The draw that had the same serial number."""
    copies: Count | UnsetType = UNSET
    """How many of this card have come out."""
    decks: Count | UnsetType = UNSET
    drawn: Count | UnsetType = UNSET
    """Cards that have left the shoe."""
    set: str | UnsetType | None = UNSET
    """The mark on the card."""
    shoe_set: str | UnsetType | None = UNSET
    """The mark of the set in the shoe."""
    position: str | UnsetType | None = UNSET
    phase: Phase | UnsetType = UNSET
    asked_for: str | UnsetType = UNSET
    """The step that was asked for."""
    next: str | UnsetType | None = UNSET
    """The position of the next card."""
    needed: Count | UnsetType = UNSET
    """Cards that the round still takes."""
    counted: str | UnsetType = UNSET
    """Which of ``cards`` and ``left`` was counted."""
    cards: Count | UnsetType = UNSET
    left: Count | UnsetType = UNSET
    expected: int | str | UnsetType | None = UNSET
    """The right number; the position by the rules."""
    received: int | UnsetType | None = UNSET
    """The number that came in place of ``expected``."""
    missing: int | str | tuple[str, ...] | UnsetType | None = UNSET
    """What a counter reported as missing: a number, or names."""
    shoe: Opinion | UnsetType | None = UNSET
    """The result by the shoe; null where it could tell what lies face down."""
    table: Opinion | UnsetType | None = UNSET
    """The result by the rules; null where there is none yet."""
    device: str | UnsetType = UNSET
    consumer: str | UnsetType = UNSET
    """Whose book was not closed."""
    by: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    event: str | UnsetType = UNSET
    """The type of the event that the controller failed on."""
    error: str | UnsetType = UNSET
    """The type of the error."""
    previous: Count | UnsetType = UNSET
    """The epoch of the unit that was replaced."""
    more: Count | UnsetType = UNSET
    """So many of a kind that are not listed one by one."""


class Evidence(Proof, frozen=True, kw_only=True):
    """A finding: its code, its paragraph in the game's rules, and whatever proves it beside them. Where there
    are more than 64 of a kind the last one says how many ``more``."""

    code: str
    paragraph: str | UnsetType | None = UNSET
    """Not there with a card that came while the table held (``drawn_in_hold``)."""


def blanked(struct: StructT) -> StructT:
    """The same with null in every field that is marked :data:`SECRET` and is set."""
    return msgspec.structs.replace(
        struct, **{name: None for name in secret_fields(type(struct)) if getattr(struct, name) is not UNSET}
    )


def named_draws(message: msgspec.Struct) -> list[int]:
    """The draws of the shoe in use whose cards a message, or a piece of its evidence, names in :data:`SECRET`
    fields."""
    parts: tuple[msgspec.Struct, ...] = (message, *getattr(message, "evidence", ()))
    parts = tuple([part for part in parts if getattr(part, "of_shoe", UNSET) is UNSET])
    named = [part for part in parts if any(getattr(part, name) for name in secret_fields(type(part)))]
    return [draw for part in named if isinstance(draw := getattr(part, "draw", UNSET), int)]


@cache
def secret_fields(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    """The names of the fields that are marked :data:`SECRET`."""
    kind = msgspec.inspect.type_info(struct)
    fields = kind.fields if isinstance(kind, msgspec.inspect.StructType) else ()
    return tuple(field.name for field in fields if is_secret(field.type))


def is_secret(kind: msgspec.inspect.Type) -> bool:
    """Whether a type, or one that it is made of, is marked :data:`SECRET`."""
    if isinstance(kind, msgspec.inspect.Metadata):
        return bool((kind.extra or {}).get("secret")) or is_secret(kind.type)
    inner = (*getattr(kind, "types", ()), *getattr(kind, "item_types", ()))
    inner += tuple(one for part in ("item_type", "value_type") if (one := getattr(kind, part, None)))
    return any(is_secret(one) for one in inner)
