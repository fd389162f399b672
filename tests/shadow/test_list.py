"""Beside an old system that writes a list: every error of it is named, and nothing else is."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, cast

import pytest

from controller.settings.loader import load_configuration
from controller.settings.shadow import listening
from controller.shadow.following import FollowLine
from controller.shadow.listening import TOO_LONG, Listener, ListFile
from controller.shadow.old_line import MOST_BYTES
from controller.shadow.page import html_page, text_page
from tests.harness.deals import DEALS
from tests.harness.process import comes, until
from tests.shadow.beside import file_of, followed, kinds_of
from tests.shadow.old_system import ERRORS, lines, written


@pytest.mark.parametrize("game", [deal.game for deal in DEALS if deal.game != "baccarat"])
def test_a_system_that_does_not_err_differs_in_nothing(tmp_path: Path, game: str) -> None:
    written(tmp_path / "old.jsonl", list(lines(game, 60, seed=11)))
    report = followed(file_of(tmp_path, game))
    assert (report.compared, report.agreed, report.differences) == (60, 60, ())


def test_no_false_difference_in_a_thousand_rounds(tmp_path: Path) -> None:
    written(tmp_path / "old.jsonl", list(lines("baccarat", 1000, seed=5)))
    report = followed(file_of(tmp_path))
    assert (report.lines, report.compared, report.agreed, report.kinds) == (1000, 1000, 1000, {})


def test_each_error_of_the_old_system_is_named_with_its_proof(tmp_path: Path) -> None:
    told = list(lines("baccarat", 120, seed=6))
    for number, (err, _) in enumerate(ERRORS):
        err(told[10 * number + 5])
    written(tmp_path / "old.jsonl", told)
    report = followed(file_of(tmp_path))
    by_line = {json.loads(one.line or "{}")["round"]: one for one in report.differences}
    for number, (err, kind) in enumerate(ERRORS):
        found = by_line[10 * number + 6]
        assert found.kind == kind, (err.__name__, found)
        assert found.line_ends
        assert found.words
        if kind != "unreadable":
            assert found.records
            assert found.cards
    assert len(report.differences) == len(ERRORS)
    assert by_line[6].paragraph == "2.3"
    assert report.agreed == 120 - len(ERRORS)


def test_voids_here_cite_the_paragraph(tmp_path: Path) -> None:
    told = list(lines("2-card-action", 6, seed=3))
    told[3]["cards"][1] = "ZZ"
    written(tmp_path / "old.jsonl", told)
    (found,) = followed(file_of(tmp_path, "2-card-action")).differences
    assert (found.kind, found.about, found.paragraph) == ("void_here", "foreign_card", "5.1.1")


def test_the_shoe_is_counted_where_the_list_names_it(tmp_path: Path) -> None:
    """A ninth ace of spades of eight decks is an excess, rounds after the first; a new shoe begins anew."""
    cards = ["AS", "8S", "7D", "KC"]
    told = [{"round": number, "shoe": "A" if number < 9 else "B", "cards": cards} for number in range(10)]
    written(tmp_path / "old.jsonl", told)
    report = followed(file_of(tmp_path))
    assert [(one.their_round, one.kind, one.about) for one in report.differences] == [
        ("8", "held_here", "excess")
    ]


def test_hands_of_some_seats_and_their_money(tmp_path: Path) -> None:
    hands = {"seat2": ["AS", "AH", "8S", "9S", "TS"], "dealer": ["2S", "3S", "4S", "6D", "8D"]}
    bets = [{"spot": "seat2.main", "stake": 100, "returned": 200}]
    told = [
        {"round": "a", "hands": hands, "players": [{"bets": bets, "returned": 200}]},
        {"round": "b", "hands": hands, "players": [{"bets": bets, "returned": 201}]},
    ]
    written(tmp_path / "old.jsonl", told)
    report = followed(file_of(tmp_path, "two-cards-high", 'shadow.shoes = "unknown"'))
    assert kinds_of(report, ("a", "b")) == {"a": [], "b": ["money"]}


def test_it_goes_on_where_its_record_ends(tmp_path: Path) -> None:
    told = list(lines("baccarat", 30, seed=8))
    ERRORS[0][0](told[12])
    config = file_of(tmp_path)
    written(tmp_path / "old.jsonl", told[:20])
    first = followed(config, most=7)
    assert first.lines == 7
    written(tmp_path / "old.jsonl", told[20:])
    report = followed(config)
    assert (report.lines, report.compared, report.agreed) == (30, 30, 29)
    assert report.restarts == 1


def test_a_line_waits_for_its_end_and_a_long_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'{"round": 1')
    told = ListFile(path, 0)
    assert told.lines(10) == []
    path.write_bytes(b'{"round": 1}\n\n' + b"x" * (2 * MOST_BYTES) + b'\n{"round": 2}\n')
    end = path.stat().st_size
    assert told.lines(10) == [(b'{"round": 1}', 13), (TOO_LONG, end - 13), (b'{"round": 2}', end)]
    path.unlink()
    assert told.lines(10) == []
    assert "old.jsonl" in str(told.problem)


def test_a_list_may_begin_with_the_mark_that_editors_of_windows_write(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"round": 1}\r\n\xef\xbb\xbf{"round": 2}\r\n')
    first, second = ListFile(path, 0).lines(10)
    assert first == (b'{"round": 1}', 17)
    assert second == (b'\xef\xbb\xbf{"round": 2}', path.stat().st_size), "further on it is no beginning"


def test_what_stands_before_a_line_that_cannot_be_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"{1}\n{2}\n{3}\n")
    told = ListFile(path, 0)

    class BadBlock(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            if self.tell() == 8:
                raise OSError(5, "Input/output error")
            return super().readline(size)

        def fileno(self) -> int:
            return broken

    with path.open("rb") as file, monkeypatch.context() as failing:
        broken, content = file.fileno(), path.read_bytes()
        failing.setattr(Path, "open", lambda *_: BadBlock(content))
        assert told.lines(10) == []
    assert "Input/output error" in str(told.problem)
    assert told.lines(10) == [(b"{1}", 4), (b"{2}", 8), (b"{3}", 12)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "not json: invalid character"),
        ("[1]", "object"),
        ('{"round": 1, "crads": []}', "crads"),
        ('{"round": 1, "at": "2026-01-31T20:00:00", "cards": []}', "offset"),
        ('{"round": 1, "hands": {"nobody": ["AS"]}}', "nobody"),
        (f'{{"round": 1, "note": {"[" * 3000}', "recursion"),
    ],
)
def test_a_line_that_says_nothing_sure_is_a_difference(tmp_path: Path, line: str, words: str) -> None:
    written(tmp_path / "old.jsonl", [line])
    (found,) = followed(file_of(tmp_path)).differences
    assert found.kind == "unreadable"
    assert words in found.words.lower()


def test_the_pages_show_every_difference_and_no_markup_of_a_line(tmp_path: Path) -> None:
    told = list(lines("baccarat", 3, seed=2))
    ERRORS[0][0](told[1])
    told[1]["note"] = "<script>alert(1)</script>"
    written(tmp_path / "old.jsonl", told)
    report = followed(file_of(tmp_path))
    page, text = html_page(report), "\n".join(text_page(report))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    for shown in (page, text):
        assert "paragraph 2.3" in shown
        assert "their round 2" in shown


def test_an_error_that_nobody_foresaw_ends_no_following_and_loses_no_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join(b'{"round": %d}\n' % number for number in range(1, 6)))
    came: list[FollowLine] = []
    failures = [3, 3, 1]

    class Loop:
        """Takes what is delivered, but not always."""

        def deliver(self, line: FollowLine) -> None:
            if failures and len(came) == failures[-1]:
                failures.pop()
                raise MemoryError
            came.append(line)

    listener = Listener(listening(load_configuration(file_of(tmp_path))), cast(Any, Loop()), 0)
    listener.start(lambda _: None)
    try:
        until(lambda: len(came) == 5, "all lines are delivered")
        assert [line._end for line in came] == [13 * number for number in range(1, 6)]
        assert failures == []
        comes(lambda: listener.state.last_error, None)
    finally:
        listener.stop()
