"""Decoders with restricted symbologies, and the second opinion that they are held against."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from drivers.camera import CameraShoe, decode
from drivers.camera.decode import MarkReader, confirmed
from drivers.camera.rendering import Optics, Picture, Pose, card, picture
from drivers.camera.wire import LONGEST_TEXT, Mark
from drivers.errors import DeviceSettingsError
from drivers.symbologies import Symbology

Decoder = Literal["zxing-cpp", "pyzbar"]
DECODERS: tuple[Decoder, ...] = ("zxing-cpp", "pyzbar")
ZXING_NAMES = {name: decode.ZXING_FORMATS[name] for name in get_args(Symbology) if name != "gs1-128"}


def reader(*symbologies: str, decoder: Decoder = "zxing-cpp", rescue: bool = False) -> MarkReader:
    marks: Any = symbologies or ("code128",)
    return MarkReader(CameraShoe(source="-", decoder=decoder, symbologies=marks, rescue=rescue))


def texts(reader: MarkReader, seen: Picture) -> list[str]:
    return [mark.text for mark in reader.read(seen)]


def foreign(symbology: str, text: str) -> Picture:
    """A mark of any symbology, by another maker."""
    code = zxingcpp.create_barcode(text, getattr(zxingcpp.BarcodeFormat, ZXING_NAMES[symbology]))
    drawn = np.array(code.to_image(scale=4), np.uint8)
    if min(drawn.shape) < 120 and symbology in ("code39", "ean13", "itf", "code128"):
        drawn = np.repeat(drawn, 3, axis=0)
    return np.pad(drawn, 40, constant_values=255)


TEXT_OF = {"ean13": "4006381333931", "itf": "10102030"}


@pytest.mark.parametrize("symbology", ZXING_NAMES)
def test_every_symbology_is_read_where_it_is_wanted_and_nowhere_else(symbology: str) -> None:
    text = TEXT_OF.get(symbology, "C17H000123")
    seen = foreign(symbology, text)
    (mark,) = reader(symbology).read(seen)
    assert (mark.text, mark.symbology) == (text, symbology)
    assert texts(reader(*(set(ZXING_NAMES) - {symbology})), seen) == []
    assert reader("qr" if symbology != "qr" else "code128", rescue=True).read(seen) == ()


@pytest.mark.parametrize("symbology", ["code128", "code39", "ean13", "itf", "qr"])
def test_pyzbar_reads_what_it_can(symbology: str) -> None:
    text = TEXT_OF.get(symbology, "C17H000123")
    (mark,) = reader(symbology, decoder="pyzbar").read(foreign(symbology, text))
    assert (mark.text, mark.symbology) == (text, symbology)


def test_gs1_is_told_from_code_128() -> None:
    gs1 = zxingcpp.create_barcode("(01)04012345123456", zxingcpp.BarcodeFormat.Code128, gs1=True)
    seen = np.pad(np.repeat(np.array(gs1.to_image(scale=3), np.uint8), 3, axis=0), 30, constant_values=255)
    assert texts(reader("code128"), seen) == []
    (mark,) = reader("gs1-128").read(seen)
    assert mark.symbology == "gs1-128"


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("symbology", ["code128", "qr"])
@pytest.mark.parametrize("seed", range(6))
def test_a_mirror_image_is_the_same_text_or_none(decoder: Decoder, symbology: str, seed: int) -> None:
    dice = np.random.default_rng(seed)
    flat = card("C1-7H-000123K", "qr" if symbology == "qr" else "code128")
    pose = Pose(turn_deg=float(dice.uniform(-90, 90)), mirrored=True)
    seen = picture([(flat, pose)], Optics(blur_px=1.0), dice)
    for rescue in (False, True):
        assert texts(reader(symbology, decoder=decoder, rescue=rescue), seen) in ([], ["C1-7H-000123K"])


@pytest.mark.parametrize("decoder", DECODERS)
def test_two_cards_are_two_marks(decoder: Decoder) -> None:
    cards = [(card("8S"), Pose(y_px=-110)), (card("TH"), Pose(y_px=110))]
    seen = picture(cards, Optics(), np.random.default_rng(1))
    for rescue in (False, True):
        assert sorted(texts(reader(decoder=decoder, rescue=rescue), seen)) == ["8S", "TH"]


@pytest.mark.parametrize("first", ["zxing-cpp", "pyzbar"])
def test_two_degraded_cards_are_two_marks(first: Decoder) -> None:
    cards = [(card("8S-11"), Pose(y_px=-110, turn_deg=30)), (card("TH-22"), Pose(y_px=110, turn_deg=-25))]
    seen = picture(cards, Optics(blur_px=2.2), np.random.default_rng(1))
    assert texts(reader(decoder=first), seen) == []
    assert sorted(texts(reader(decoder=first, rescue=True), seen)) == ["8S-11", "TH-22"]


@pytest.mark.parametrize("text", ["10♥", "8S\n", "x" * (LONGEST_TEXT + 1)])
def test_a_text_that_no_card_can_have_is_kept_as_an_empty_one(text: str) -> None:
    assert texts(reader("qr"), foreign("qr", text)) == [""]


def test_an_empty_view_has_no_marks() -> None:
    seen = picture([], Optics(noise=20), np.random.default_rng(1))
    for decoder in DECODERS:
        assert reader(decoder=decoder, rescue=True).read(seen) == ()


def mark(text: str, x_px: float = 300, rescued: bool = False) -> Mark:
    return Mark(text, "code128", x_px, 200, 200, rescued)


@pytest.mark.parametrize(
    ("marks", "fitted", "trusted", "left"),
    [
        ([mark("A")], None, False, [mark("A")]),
        ([mark("A")], mark("A", rescued=True), False, [mark("A")]),
        # A decoder gave two texts for one mark: the one that both ways of reading give.
        ([mark("A"), mark("B", 310)], mark("A", rescued=True), False, [mark("A")]),
        # A contradiction is a mark, and no text.
        ([mark("A")], mark("B", rescued=True), True, [mark("", rescued=True)]),
        # Another place is another mark; it counts only where the rescue is trusted.
        ([mark("A", 900)], mark("B", rescued=True), False, [mark("A", 900)]),
        ([mark("A", 900)], mark("B", rescued=True), True, [mark("A", 900), mark("B", rescued=True)]),
        ([], mark("B", rescued=True), True, [mark("B", rescued=True)]),
        ([], mark("B", rescued=True), False, []),
    ],
)
def test_a_second_opinion(marks: list[Mark], fitted: Mark | None, trusted: bool, left: list[Mark]) -> None:
    assert list(confirmed(marks, [] if fitted is None else [fitted], trusted)) == left


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_decoder_is_tested_with_a_mark_of_our_own(decoder: Decoder) -> None:
    took_ms = reader(decoder=decoder).test_ms()
    assert took_ms is not None
    assert took_ms > 0
    assert reader("qr", decoder=decoder).test_ms() is None


PICTURES = arrays.arrays(
    np.uint8,
    st.tuples(st.integers(1, 120), st.integers(1, 160)),
    elements=st.sampled_from([0, 1, 40, 128, 200, 255]),
)


@pytest.mark.parametrize("decoder", DECODERS)
@settings(max_examples=150)
@given(seen=PICTURES)
def test_any_picture_raises_nothing_and_is_no_card(decoder: Decoder, seen: Picture) -> None:
    assert ANY[decoder].read(seen) == ()


ANY = {decoder: reader("code128", "qr", decoder=decoder, rescue=True) for decoder in DECODERS}


@pytest.mark.parametrize("wrong", [{"symbologies": ()}, {"decoder": "pyzbar", "symbologies": ("aztec",)}])
def test_a_wrong_setting_names_its_key(wrong: Any) -> None:
    with pytest.raises(DeviceSettingsError, match=r"^symbologies: "):
        CameraShoe(source="/dev/video0", **wrong)
