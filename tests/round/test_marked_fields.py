"""R25: a field that could name a face-down card is marked in its type, and what is marked can be blanked."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import get_annotations
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from controller.round.turn import Turn
from controller.schema.documents import RETAINED, structs_within
from controller.vocabulary.events import Stamp
from controller.vocabulary.evidence import Evidence, Opinion, Proof, blanked, is_secret, secret_fields
from controller.vocabulary.messages import MESSAGES, RoundCard, TableHeld
from controller.vocabulary.values import CardName
from tests.scenarios.conversation import talk

PUBLIC = {
    "Score.hands": "a result is published when every card of it is turned up",
    "Score.board": "as the hands",
    "Recalled.hands": "of a result that was published",
    "RevealedCard.card": "it has just been turned up",
    "ShoeBurned.card": "only the card that is turned up for all to see, or one whose commitment it opens",
    "Proof.commitment": "a hash, of a nonce as well, that opens with the card",
    "Proof.nonce": "told with its card only",
    "Proof.set": "the mark of a whole set of cards",
    "Proof.shoe_set": "the mark of a whole set of cards",
    "Proof.position": "a place on the layout",
    "Proof.next": "a place on the layout",
    "Proof.expected": "a place on the layout",
    "Proof.asked_for": "a step of the dealer",
    "Proof.counted": "one of two fixed texts",
    "Proof.missing": "cards that a count of a whole set did not find: none of them was drawn",
    "Proof.device": "the name of a device in the configuration",
    "Proof.consumer": "the name of a consumer in the configuration",
    "Proof.by": "a badge",
    "Proof.why": "a text of ours, or a device's reason, which is quoted only where no card lies face down",
    "Proof.event": "the name of a type of ours",
    "Proof.error": "the name of a type of ours",
    "Evidence.code": "the code of a finding",
    "Evidence.paragraph": "a paragraph of the rules",
    "Opinion.winner": "told only where no card lies face down (may_quote)",
}
"""Fields that name cards, and texts of evidence, that need no mark, and why."""
PATTERN: Any = inspect.type_info(CardName)


def leaving() -> Iterator[tuple[str, inspect.Field, bool]]:
    """Every field of all that leaves the table: where it is defined, and whether it is one of evidence."""
    roots: list[type[msgspec.Struct]]
    roots = [*MESSAGES.values(), *(one for structs in RETAINED.values() for one in structs), Evidence]
    seen = set()
    for struct in structs_within(roots):
        kind = inspect.type_info(struct)
        assert isinstance(kind, inspect.StructType)
        for field in kind.fields:
            owner = next(cls for cls in struct.__mro__[::-1] if field.name in get_annotations(cls))
            name = f"{owner.__name__}.{field.name}"
            if name not in seen:
                seen.add(name)
                yield name, field, owner in (Proof, Evidence, Opinion)


def names_card(kind: Any, *, any_text: bool) -> bool:
    """Whether a type holds a card's name; ``any_text``: or a text that could."""
    if isinstance(kind, inspect.StrType):
        return any_text or kind.pattern == getattr(PATTERN, "type", PATTERN).pattern
    inner = [getattr(kind, part, None) for part in ("type", "item_type", "value_type")]
    inner += [*getattr(kind, "types", ()), *getattr(kind, "item_types", ())]
    return any(names_card(one, any_text=any_text) for one in inner if isinstance(one, inspect.Type))


def test_whatever_could_name_a_card_is_marked_or_public_for_a_reason() -> None:
    unmarked = {
        name
        for name, field, evidence in leaving()
        if names_card(field.type, any_text=evidence) and not is_secret(field.type)
    }
    assert unmarked <= set(PUBLIC), "mark the field SECRET, or say here why it is public"
    assert not set(PUBLIC) - unmarked, "no such field needs a reason any more"


def test_marked_fields_are_those_that_name_a_card() -> None:
    assert {name for name, field, _ in leaving() if is_secret(field.type)} == {
        "Proof.card",
        "Proof.got",
        "Proof.read",
        "Proof.serial",
        "RoundCard.card",
        "ShownCard.card",
        "ShownHold.next_out",
    }


@pytest.mark.parametrize("name", secret_fields(Evidence))
def test_what_is_marked_is_blanked_and_nothing_else(name: str) -> None:
    marked: dict[str, Any] = {name: "AH"}
    told = blanked(Evidence(code="excess", draw=7, **marked))
    assert msgspec.to_builtins(told) == {"code": "excess", "draw": 7, name: None}
    assert msgspec.json.decode(msgspec.json.encode(told), type=Evidence) == told, "snapshots keep it"


CARD = RoundCard(round="north-7-1-1", position="player", card="8S", index=1, draw=1, shoe=1)
EVIDENCE = Evidence(code="excess", draw=1, card="8S")
HELD = TableHeld(round="north-7-1-1", reason="excess", evidence=(EVIDENCE,), choices=())


@pytest.mark.parametrize("message", [CARD, HELD], ids=lambda message: message.name)
def test_no_message_leaves_that_names_a_card_which_lies_face_down(message: RoundCard | TableHeld) -> None:
    def turn(table: str) -> Turn:
        return Turn(talk(table, "SHOE 416; OPEN; CLOSE; 8S").state, Stamp())

    assert turn("baccarat").say(message)
    with pytest.raises(ValueError, match=f"{message.name} would name a card that lies face down"):
        turn("baccarat squeeze=yes").say(message)
    blank = msgspec.structs.replace(message, **({"card": None} if message is CARD else {"evidence": ()}))
    assert turn("baccarat squeeze=yes").say(blank)
