"""A file of codes: what is wrong in it is said at ``cards.map``, with the file and the key in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.settings.resolve import resolve_code_map
from controller.shoe.code_map import decode
from controller.vocabulary.cards import DECK_40, DECK_52

EXACT_52 = "[exact]\n" + "\n".join(f'"code {card}" = "{card}"' for card in DECK_52)
PATTERN = r"pattern = '(?P<suit>[1-4])(?P<rank>\d\d)0'" + "\n"
RANKS = "".join(f'ranks.{place:02d} = "{rank}"\n' for place, rank in enumerate("A23456789TJQK", 1))
SUITS = "suits = {1 = 'S', 2 = 'H', 3 = 'D', 4 = 'C'}\n"


@pytest.mark.parametrize(
    ("text", "code", "card"),
    [
        (EXACT_52, "code TH", "TH"),
        (EXACT_52 + '\n"again" = "TH"', "again", "TH"),
        ('kind = "exact"\n' + EXACT_52, "code TH", "TH"),
        (PATTERN + RANKS + SUITS, "2100", "TH"),
        ("pattern = '(?P<rank>10|[A2-9JQK])(?P<suit>[SHDC])'", "10H", "TH"),
    ],
)
def test_a_right_file_reads_its_codes(tmp_path: Path, text: str, code: str, card: str) -> None:
    (tmp_path / "codes.toml").write_text(text)
    code_map, problems = resolve_code_map("codes.toml", tmp_path, DECK_52)
    assert problems == []
    assert code_map is not None
    assert decode(code_map, code).card == card


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["either a table [exact] of codes or a key pattern"]),
        (PATTERN + EXACT_52, ["either a table [exact] of codes or a key pattern"]),
        ('kind = "plain"\n' + EXACT_52, ["either a table [exact]"]),
        ("[exact]\n1 = 2", ["exact.1: 2 is wrong; needed is text"]),
        ("exact = 3", ["exact: 3 is wrong"]),
        (EXACT_52 + '\n1 = "XX"\n2 = "YY"', ["exact.1: 'XX' is no card", "exact.2: 'YY' is no card"]),
        (EXACT_52.replace('"code KC" = "KC"', ""), ["exact: no code for KC"]),
        ("pattern = '('", ["pattern: not a regular expression"]),
        ("pattern = '(?P<rank>.)'", ["pattern: needs the group (?P<suit>...)"]),
        (PATTERN + "check = 'luhn'", ["check: 'luhn' needs the group (?P<check>...)"]),
        (PATTERN + "check = 'mod12'", ['check: "mod12" is wrong']),
        (PATTERN + SUITS + "[ranks]\n01 = 'A'", ["ranks: nothing means 2, 3, 4, 5, 6, 7, 8, 9, T, J, Q, K"]),
        (PATTERN + RANKS + "[suits]\n1 = 'X'", ["suits.1: 'X' is none of SHDC"]),
        (PATTERN + "patern = ''", ["patern: there is no such key; did you mean pattern?"]),
        ("[", ["not TOML"]),
    ],
)
def test_a_wrong_file_is_said_with_all_its_problems(tmp_path: Path, text: str, words: list[str]) -> None:
    file = tmp_path / "codes.toml"
    file.write_text(text)
    _, problems = resolve_code_map("codes.toml", tmp_path, DECK_52)
    assert [problem.key for problem in problems] == ["cards.map"] * len(words)
    for problem, part in zip(problems, words, strict=True):
        assert str(file) in problem.message
        assert part in problem.message


def test_a_deck_of_forty_needs_no_codes_for_pictures(tmp_path: Path) -> None:
    (tmp_path / "codes.toml").write_text("[exact]\n" + "\n".join(f'"{card}" = "{card}"' for card in DECK_40))
    assert resolve_code_map("codes.toml", tmp_path, DECK_40)[1] == []
    (problem,) = resolve_code_map("codes.toml", tmp_path, DECK_52)[1]
    assert "no code for JS, QS, KS" in problem.message
