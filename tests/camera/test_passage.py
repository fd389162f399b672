"""From pictures to cards: each case is a row of pictures and the readings that they give.

A picture is a word: "." empty view, "-" something without a mark, "8S" a mark, "8S+TH" two marks, "?" a mark
with a text that no card can have; "!" black or frozen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.camera.passage import Card, Passages
from drivers.camera.wire import Mark, PictureSeen
from drivers.readings import CardNotRead, CardReported

NOT_READ = "not read"


def mark(text: str, x_px: float = 0.0) -> Mark:
    return Mark("" if text == "?" else text, "code128", x_px, 0.0, 100.0)


def pictures(words: str) -> list[PictureSeen]:
    """Marks beside each other lie 200 pixels apart; everything moves."""
    seen = []
    for word in words.split():
        if word in (".", "-", "!"):
            seen.append(
                PictureSeen(0, present=word == "-", moved=True, blind="black" if word == "!" else None)
            )
        else:
            marks = tuple(mark(text, 200.0 * place) for place, text in enumerate(word.split("+")))
            seen.append(PictureSeen(0, marks=marks, present=True, moved=True))
    return seen


def cards_of(passages: Passages, words: str) -> list[Card]:
    return [card for seen in pictures(words) for card in passages.see(seen)]


def told(passages: Passages, seen: Iterable[PictureSeen]) -> list[str]:
    cards = [card for each in seen for card in passages.see(each)]
    return [card.code if isinstance(card, CardReported) else NOT_READ for card in cards]


@pytest.mark.parametrize(
    ("words", "cards"),
    [
        # Three that agree are a card, once, however long it lies there.
        (". 8S 8S 8S 8S 8S . . .", ["8S"]),
        (". 8S 8S", []),
        (". 8S - 8S - - 8S . . .", ["8S"]),
        # Absence parts equal cards; a picture or two without a mark do not.
        ("8S 8S 8S . . . 8S 8S 8S . . .", ["8S", "8S"]),
        ("8S 8S 8S . . 8S 8S 8S . . .", ["8S"]),
        # What passed and was never read, or never three times, is told when it is gone.
        ("- - - . . .", [NOT_READ]),
        ("8S 8S . . .", [NOT_READ]),
        ("8S TH 8S TH 8S TH . . .", [NOT_READ]),
        ("? ? ? ? . . .", [NOT_READ]),
        # One torn picture is nothing.
        (". - . . .", []),
        # Cards that follow without an empty view between are told each.
        ("8S 8S 8S TH TH TH . . .", ["8S", "TH"]),
        ("8S 8S 8S - TH TH TH - 8S 8S 8S . . .", ["8S", "TH", "8S"]),
        # A code that is not there often enough to be a card, and too often to be a misread.
        ("8S 8S 8S TH TH . . .", ["8S", NOT_READ]),
        ("8S 8S 8S TH 8S 8S . . .", ["8S"]),
        # Two codes at once count for none; alone before or after, they do.
        ("8S+TH 8S+TH 8S+TH 8S+TH . . .", [NOT_READ, NOT_READ]),
        ("8S 8S 8S 8S+TH 8S+TH TH TH TH . . .", ["8S", "TH"]),
        ("8S 8S 8S 8S+TH 8S+TH . . .", ["8S", NOT_READ]),
        ("8S+8S 8S+8S 8S+8S . . .", [NOT_READ, NOT_READ]),
        # Pictures in which nothing can be seen neither end a card nor add to it.
        ("8S 8S ! ! ! ! 8S 8S . . .", ["8S"]),
        ("8S 8S 8S ! ! ! ! 8S 8S 8S . . .", ["8S"]),
        ("8S 8S ! ! ! . . .", [NOT_READ]),
    ],
)
def test_cards_from_pictures(words: str, cards: list[str]) -> None:
    assert told(Passages(agreeing_frames=3), pictures(words)) == cards


@pytest.mark.parametrize(
    ("passages", "words", "cards"),
    [
        # One picture that agrees may be enough.
        (Passages(1), ". 8S . TH . - .", ["8S", "TH", NOT_READ]),
        # A card with a mark on either edge is one card.
        (Passages(3, marks_per_card=2), "8S+8S 8S 8S+8S . . .", ["8S"]),
        (Passages(3, marks_per_card=2), "8S+8S+8S+8S " * 3 + ". . .", [NOT_READ] * 2),
        # Three agree, and were seen in less than half of the pictures: no card, until enough have shown it.
        (Passages(3, least_confidence=0.5), "- 8S - 8S 8S . . .", ["8S"]),
        (Passages(3, least_confidence=0.5), "- - - - - 8S 8S 8S . . .", [NOT_READ]),
        (Passages(3, least_confidence=0.5), "- - - 8S 8S 8S . . .", ["8S"]),
        (Passages(3, least_confidence=0.5), "- - - - 8S 8S 8S 8S . . .", ["8S"]),
        # What the card before it has shown does not count for the next, nor against it.
        (Passages(3, least_confidence=0.5), "8S 8S 8S 8S 8S 8S 8S TH TH TH . . .", ["8S", "TH"]),
        (Passages(3, least_confidence=0.5), "8S 8S 8S 8S - - - - TH TH TH . . .", ["8S", NOT_READ]),
    ],
)
def test_cards_by_the_settings_of_the_reader(passages: Passages, words: str, cards: list[str]) -> None:
    assert told(passages, pictures(words)) == cards


def test_two_readings_of_one_mark_at_one_place_are_one() -> None:
    seen = PictureSeen(0, marks=(mark("8S", 0), mark("8S", 30)), present=True)
    assert told(Passages(3), [seen] * 3) == ["8S"]


def line(*places: float | None, moved: bool = True) -> list[PictureSeen]:
    """The mark 8S at places on its way, three pictures each; None: three pictures in which it is not read."""
    return [
        PictureSeen(0, marks=() if x is None else (mark("8S", x),), present=True, moved=moved)
        for x in places
        for _ in range(3)
    ]


@pytest.mark.parametrize(
    ("seen", "cards"),
    [
        # The same card, lying still while its mark flickers, or blurred half way.
        (line(0, None, 0, moved=False), ["8S"]),
        (line(0, 50, None, 150), ["8S"]),
        # Back where it came from: one card or two? Nobody can know.
        (line(0, 100, None, 0), ["8S", NOT_READ]),
        (line(0, None, 0, moved=True), ["8S", NOT_READ]),
        (line(0, 100, None, 0, 100, None, 0), ["8S", NOT_READ, NOT_READ]),
    ],
)
def test_the_same_code_again_without_an_empty_view(seen: list[PictureSeen], cards: list[str]) -> None:
    assert told(Passages(3), [*seen, *pictures(". . .")]) == cards


def test_a_doubt_that_never_agreed_is_told_at_the_end() -> None:
    seen = [*line(0, 100, None), PictureSeen(0, marks=(mark("8S", 0),), present=True), *pictures(". . .")]
    assert told(Passages(3), seen) == ["8S", NOT_READ]


def test_confidence_is_the_share_of_pictures_that_read() -> None:
    read = CardReported("8S", None, None, confidence=0.6)
    assert cards_of(Passages(3), "- 8S - 8S 8S") == [read]


def test_a_single_misread_beside_a_card_is_counted() -> None:
    passages = Passages(3)
    assert told(passages, pictures("8S 8S TH 8S 8S 8S . . .")) == ["8S"]
    assert passages.odd_sightings == 1


def test_the_end_of_a_recording_ends_what_is_in_view() -> None:
    passages = Passages(3)
    assert told(passages, pictures("8S 8S")) == []
    assert [type(card) for card in passages.finish()] == [CardNotRead]
    assert passages.finish() == []


def test_words_for_people_name_no_code() -> None:
    for words in ("8S TH 8S TH . . .", "8S+TH 8S+TH . . .", "8S 8S 8S TH TH . . ."):
        details = [card.detail for card in cards_of(Passages(3), words) if isinstance(card, CardNotRead)]
        assert details
        assert not any(code in detail for detail in details for code in ("8S", "TH"))


WORDS = st.lists(st.sampled_from([".", "-", "!", "?", "8S", "TH", "8S+TH", "8S+8S"]), max_size=40)


@given(WORDS, st.integers(1, 4))
def test_no_card_from_fewer_pictures_than_must_agree(words: list[str], needed: int) -> None:
    passages = Passages(needed)
    alone, reported = Counter[str](), Counter[str]()
    for seen, word in zip(pictures(" ".join(words)), words, strict=True):
        alone[word] += 1
        reported.update(card.code for card in passages.see(seen) if isinstance(card, CardReported))
        assert all(reported[code] * needed <= alone[code] for code in reported)


@given(st.lists(st.sampled_from(["8S", "TH", "2C"]), min_size=1, max_size=20), st.integers(1, 4))
def test_cards_apart_are_told_in_order(cards: list[str], needed: int) -> None:
    words = " ".join(" ".join([code] * needed + ["."] * needed) for code in cards)
    assert told(Passages(needed), pictures(words)) == cards


@given(st.lists(st.sampled_from(["-", "8S", "TH", "8S+TH", "?"]), min_size=2, max_size=12))
def test_whatever_passes_is_told(words: list[str]) -> None:
    assert told(Passages(3), pictures(" ".join(words) + " . . ."))
