"""Cards without a code: a deck that we drew is learnt and read; what is no card of it is never one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.evidence import Evidence
from drivers.camera.plain.learn import CannotLearn, learn
from drivers.camera.plain.library import Library, LibraryUnusable, load, save
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader, Sighting
from drivers.camera.plain.scene import Camera, Damage, Lie, damaged, seen
from drivers.camera.plain.simulator import SMALL, drawn_pictures

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]
SKIN, CLOTH = (120, 150, 205), (60, 30, 30)


@pytest.fixture(scope="module")
def library() -> Library:
    return learn("drawn", drawn_pictures())


@pytest.fixture(scope="module")
def reader(library: Library) -> DeckReader:
    return DeckReader([library])


@pytest.fixture
def dice() -> np.random.Generator:
    return np.random.default_rng(20)


def lying(card: str, dice: np.random.Generator, camera: Camera = SMALL, **more: float) -> Picture:
    where = {"turn_deg": 90.0 + 180 * int(dice.integers(2)) + float(dice.uniform(-3, 3)), **more}
    return seen([(damaged(face_of(card), Damage(off_mm=(0.2, -0.2)), dice), Lie(**where))], camera, dice)


def told(sightings: Sequence[Sighting]) -> list[str]:
    return [one.name if one.verdict == "card" else one.verdict for one in sightings]


def test_a_deck_is_learnt_and_trusted(library: Library) -> None:
    assert library.trusted
    assert len(library.cards) == 54
    rank, suit = library.index.rank_box, library.index.suit_box
    assert rank[1] + rank[3] <= suit[1] + 4, "the rank stands above the suit"


def test_every_card_is_read(reader: DeckReader, dice: np.random.Generator) -> None:
    assert [told(reader.read(lying(card, dice))) for card in CARDS] == [[card] for card in CARDS]


@pytest.mark.parametrize(
    "more",
    [{"blur_px": 1.3}, {"noise": 9.0}, {"light": 0.4}, {"motion_px": 3.0}, {"slope": 0.25}],
    ids=["blurred", "noisy", "dark", "moving", "uneven"],
)
def test_spoiled_pictures_are_read_or_not_but_never_as_another_card(
    reader: DeckReader, dice: np.random.Generator, more: dict[str, float]
) -> None:
    cards, spoiled = [str(card) for card in dice.choice(CARDS, 6)], replace(SMALL, **more)  # type: ignore[arg-type]
    found = [told(reader.read(lying(card, dice, spoiled))) for card in cards]
    assert all(names in ([card], ["unclear"]) for card, names in zip(cards, found, strict=True)), found
    assert sum(names == [card] for card, names in zip(cards, found, strict=True)) >= 4, found


def test_what_is_learnt_as_no_card_is_none(reader: DeckReader, dice: np.random.Generator) -> None:
    assert [[one.name for one in reader.read(lying(name, dice))] for name in ("joker", "back")] == [
        ["joker"],
        ["back"],
    ]
    assert told(reader.read(lying("joker", dice))) == ["other"]


@pytest.mark.parametrize("off_mm", [(1.0, 1.0), (-1.0, 0.8)], ids=str)
def test_a_card_that_is_printed_off_its_place_is_read(
    reader: DeckReader, dice: np.random.Generator, off_mm: tuple[float, float]
) -> None:
    cards = ("8S", "9C", "AC")
    shown = [damaged(face_of(card), Damage(off_mm=off_mm), dice) for card in cards]
    found = [reader.read(seen([(card, Lie(turn_deg=90.0))], SMALL, dice)) for card in shown]
    assert [told(one) for one in found] == [[card] for card in cards]


@pytest.mark.parametrize("cast", [(0.6, 1.0, 0.6), (1.0, 0.8, 0.6)], ids=["green", "yellow"])
def test_coloured_light_changes_no_card(
    reader: DeckReader, dice: np.random.Generator, cast: tuple[float, float, float]
) -> None:
    cards, light = ("8S", "9C", "TD"), replace(SMALL, cast=cast)
    assert [told(reader.read(lying(card, dice, light))) for card in cards] == [[card] for card in cards]


@pytest.mark.parametrize("end", ["upper", "lower"])
def test_one_clear_corner_is_enough(reader: DeckReader, dice: np.random.Generator, end: str) -> None:
    for card in ("QD", "KH", "AC"):
        for stain, axes, lost in (((50, 66), (30, 12), 0), ((46, 84), (26, 6), 16)):
            spoiled = face_of(card).copy()
            # Where print is lost too, both corners laid over each other are no help.
            spoiled[34 : 34 + lost, :90, :3] = 255
            cv2.ellipse(spoiled, stain, axes, 0, 0, 360, (110, 140, 160, 255), -1)
            lying_so = spoiled if end == "upper" else np.ascontiguousarray(spoiled[::-1, ::-1])
            assert told(reader.read(seen([(lying_so, Lie(turn_deg=90.0))], SMALL, dice))) == [card]


def test_print_that_each_corner_has_lost_elsewhere_is_read_from_both(
    reader: DeckReader, dice: np.random.Generator
) -> None:
    for card in ("QD", "KH", "8S"):
        worn = face_of(card).copy()
        worn[44:54, :90, :3] = 255
        worn[-74:-64, -90:, :3] = 255
        assert told(reader.read(seen([(worn, Lie(turn_deg=90.0))], SMALL, dice))) == [card]


def test_where_the_face_is_that_of_two_cards_each_corner_must_name_the_card(
    library: Library, reader: DeckReader, dice: np.random.Generator
) -> None:
    faces = library.faces.copy()
    faces[library.cards.index("KD")] = faces[library.cards.index("QD")]
    doubtful = DeckReader([replace(library, faces=faces)])
    worn = face_of("QD").copy()
    worn[44:54, :90, :3] = 255
    worn[-74:-64, -90:, :3] = 255
    shown = {
        name: seen([(one, Lie(turn_deg=90.0))], SMALL, dice)
        for name, one in (("worn", worn), ("new", face_of("QD")))
    }
    assert told(reader.read(shown["worn"])) == ["QD"]
    assert told(doubtful.read(shown["worn"])) == ["unclear"]
    assert told(doubtful.read(shown["new"])) == ["QD"]


def test_corners_of_two_cards_are_no_card(reader: DeckReader, dice: np.random.Generator) -> None:
    for card, other in (("8S", "8C"), ("QD", "KD"), ("3H", "8H")):
        spliced = face_of(card).copy()
        spliced[-180:, -100:] = face_of(other)[-180:, -100:]
        assert told(reader.read(seen([(spliced, Lie(turn_deg=90.0))], SMALL, dice))) == ["unclear"]


def evidence_of(**more: Any) -> Evidence:
    clear = Evidence("8S", 0.96, 0.9, 0.96, 0.9, 0.96, 0.9, 2, True)
    return replace(clear, **more)


@pytest.mark.parametrize(
    ("evidence", "is_clear"),
    [
        (evidence_of(), True),
        (evidence_of(even=True), False),
        (evidence_of(rank=0.99, face=0.97, even=True), True),
        (evidence_of(rank_ahead=0.35), True),
        (evidence_of(rank_ahead=0.25), False),
        (evidence_of(rank_ahead=0.35, face_ahead=0.6), False),
        (evidence_of(rank_ahead=0.35, alone=False), False),
        (evidence_of(rank_ahead=0.55, face_ahead=0.45), True),
        (evidence_of(agree=False), False),
        (evidence_of(corners=0), False),
    ],
)
def test_how_sure_a_card_must_be(evidence: Evidence, is_clear: bool) -> None:
    assert evidence.clear == is_clear


def test_a_deck_is_read_out_of_focus(reader: DeckReader, dice: np.random.Generator) -> None:
    pictures = {card: lying(card, dice, replace(SMALL, blur_px=2.0)) for card in CARDS}
    assert [card for card in CARDS if told(reader.read(pictures[card])) != [card]] == []


def test_what_lies_beyond_the_picture_is_no_ink(reader: DeckReader, dice: np.random.Generator) -> None:
    for card in ("AC", "2C", "3S", "8H"):
        (cut,) = reader.read(lying(card, dice, y_px=-92.0))
        assert cut.evidence is not None
        assert cut.name == card
        assert cut.evidence.face > 0.95, "as much like the whole card as what is seen of it"


def test_a_card_that_lacks_a_part_of_its_print_is_none(reader: DeckReader, dice: np.random.Generator) -> None:
    for card in ("8S", "9C", "TD"):
        other = face_of(card).copy()
        other[60:140, 200:290, :3] = 255
        assert told(reader.read(seen([(other, Lie(turn_deg=90.0))], SMALL, dice))) == ["unclear"]


def test_ink_that_the_picture_cuts_off_is_no_ground(reader: DeckReader, dice: np.random.Generator) -> None:
    for card in ("8S", "QD", "TD"):
        cut = seen([(face_of(card), Lie(turn_deg=90.0, y_px=-80.0))], SMALL, dice)
        cv2.ellipse(cut, (200, 0), (80, 45), 0, 0, 360, (20, 20, 20), -1)
        assert told(reader.read(cut)) == [card]


def covered(
    card: str, dice: np.random.Generator, colour: tuple[int, int, int], at: tuple[int, int]
) -> Picture:
    picture = lying(card, dice, turn_deg=90.0)
    cv2.ellipse(picture, at, (90, 60), 20, 0, 360, colour, -1)
    return picture


@pytest.mark.parametrize("colour", [SKIN, CLOTH], ids=["hand", "sleeve"])
@pytest.mark.parametrize("at", [(60, 150), (330, 60), (200, 290)])
def test_a_hand_or_a_sleeve_makes_no_card(
    reader: DeckReader, dice: np.random.Generator, colour: tuple[int, int, int], at: tuple[int, int]
) -> None:
    assert told(reader.read(covered("8S", dice, colour, at))) in (["unclear"], ["8S"])
    alone = np.full((300, 400, 3), 28, np.uint8)
    cv2.ellipse(alone, at, (90, 60), 20, 0, 360, colour, -1)
    assert told(reader.read(alone)) in ([], ["unclear"])


def test_half_a_card_is_none(reader: DeckReader, dice: np.random.Generator) -> None:
    for way in (150.0, -150.0, 190.0):
        assert told(reader.read(lying("8S", dice, y_px=way, turn_deg=90.0))) in ([], ["unclear"])


def test_a_dead_lamp_and_a_blinding_one_show_no_card(reader: DeckReader, dice: np.random.Generator) -> None:
    for camera in (replace(SMALL, light=0.05), replace(SMALL, light=8.0, glare=1.0)):
        assert told(reader.read(lying("8S", dice, camera))) in ([], ["unclear"])


def test_two_cards_over_each_other_are_two_and_none_is_told(
    reader: DeckReader, dice: np.random.Generator
) -> None:
    for apart in (40.0, 70.0, 100.0):
        lies = [Lie(y_px=-apart / 2, turn_deg=90.0), Lie(y_px=apart / 2, x_px=6.0, turn_deg=92.0)]
        found = reader.read(seen([(face_of("8S"), lies[0]), (face_of("9H"), lies[1])], SMALL, dice))
        assert [one.verdict for one in found] == ["unclear"] * len(found)


def test_a_library_is_a_file_with_a_digest(library: Library, tmp_path: Path) -> None:
    digest = save(library, tmp_path / "drawn.deck")
    again = load(tmp_path / "drawn.deck")
    assert again.digest == digest == save(again, tmp_path / "copy.deck")
    assert (tmp_path / "copy.deck").stat().st_size < 1_000_000
    assert again.judgement == library.judgement


def test_a_damaged_library_is_refused(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "drawn.deck"
    save(library, file)
    whole = file.read_bytes()
    for content in (b"", b"no library", whole[: len(whole) // 2], whole[:200] + bytes(200) + whole[400:]):
        file.write_bytes(content)
        with pytest.raises(LibraryUnusable):
            load(file)
    with pytest.raises(LibraryUnusable, match="deck learn"):
        load(tmp_path / "missing.deck")


def test_a_deck_that_lacks_cards_is_not_learnt() -> None:
    pictures = {card: shown for card, shown in drawn_pictures().items() if card != "8S"}
    with pytest.raises(CannotLearn, match="1 of 52 cards are missing: 8S"):
        learn("drawn", pictures)


@pytest.mark.parametrize(
    ("card", "said"), [("8S", "pictures of 8S$"), ("back", "pictures of back; .*left out")]
)
def test_a_picture_without_a_card_is_named_and_whether_it_is_needed(card: str, said: str) -> None:
    empty = np.full((300, 400, 3), 28, np.uint8)
    with pytest.raises(CannotLearn, match=said):
        learn("drawn", {**drawn_pictures(), card: [empty]})


def test_cards_that_look_alike_are_not_trusted() -> None:
    pictures = dict(drawn_pictures())
    for rank in "A23456789TJQK":
        pictures[f"{rank}C"] = pictures[f"{rank}S"]
    assert any("two suits" in doubt for doubt in learn("twins", pictures).judgement.doubts)


def with_larger_suit(card: str) -> Picture:
    """A card whose index has a larger suit than pips have, as many designs print it on pictures."""
    face = face_of(card).copy()
    for way in (face, face[::-1, ::-1]):
        larger = cv2.resize(way[98:158, 16:76], (90, 90), interpolation=cv2.INTER_LINEAR)
        way[96:186, 4:94] = larger
    return face


def without_index(card: str) -> Picture:
    face = face_of(card).copy()
    face[10:170, 10:88, :3] = face[-170:-10, -88:-10, :3] = 255
    return face


def learnt_with(dice: np.random.Generator, pictures: Callable[[str], Picture]) -> Library:
    """Our deck, its pictures (J, Q, K) replaced by others."""
    cards = {card: shown for card, shown in drawn_pictures().items() if len(card) == 2}
    for card in (rank + suit for rank in "JQK" for suit in "SHDC"):
        cards[card] = [seen([(pictures(card), Lie(turn_deg=90.0))], SMALL, dice)]
    return learn("other pictures", cards)


def test_a_suit_that_is_larger_on_some_cards_is_learnt_in_both_forms(dice: np.random.Generator) -> None:
    library = learnt_with(dice, with_larger_suit)
    assert library.trusted, library.judgement.doubts
    assert len(library.index.suits) == 8
    reader = DeckReader([library])
    shown = {card: with_larger_suit(card) for card in ("JS", "QH", "KC")} | {"8S": face_of("8S")}
    assert {
        card: told(reader.read(seen([(face, Lie(turn_deg=271.0))], SMALL, dice)))
        for card, face in shown.items()
    } == {card: [card] for card in shown}


def test_a_deck_of_which_some_cards_have_no_index_is_not_trusted(dice: np.random.Generator) -> None:
    doubts = learnt_with(dice, without_index).judgement.doubts
    assert any("its own pictures of JS JH" in doubt for doubt in doubts), doubts


def test_print_that_a_lamp_outshines_is_not_seen_and_not_missing(
    reader: DeckReader, dice: np.random.Generator
) -> None:
    for at in ((0.3, 0.5), (0.6, 0.6)):
        lit = replace(SMALL, light=0.8, glare=0.8, glare_at=at)
        assert told(reader.read(seen([(face_of("8S"), Lie(turn_deg=90.0))], lit, dice))) == ["8S"]
