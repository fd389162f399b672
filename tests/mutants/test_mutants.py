"""The machinery of ``make mutants``, tried on a house of one rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.games.paytable import load_pay_table
from controller.vocabulary.errors import PayTableError
from tests.mutants.defects import Defect, DefectError, Product, defects, is_there, read
from tests.mutants.run import GREEN, RED, try_all

RULE = '''
class Rule:
    """Which side of nought."""

    def sign(self, number: int) -> int:
        # formatted as nobody would
        return (
            number > 0) - (number < 0,
        )[0]


def same(number: int) -> int:
    return number
'''
TEST = """
from controller.rule import Rule


def test_sign():
    assert [Rule().sign(number) for number in (-2, 2)] == [-1, 1]
"""
DEFECTS = """
== tests/test_rule.py
nought is negative
    sign: number < 0 ==> number <= 0
one is no number
    Rule.sign: number > 0
    ==> number > 2
the rule answers nothing
    rule.Rule.sign:
        # Neither comments nor lines matter.
        return (number > 0) - (number < 0)[0]
    ==>
the number is somebody's
    same: number: int ==> number: str = nobody
"""


@pytest.fixture
def small_house(tmp_path: Path) -> Path:
    """One rule and a test that forgets nought."""
    for folder in ("controller", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "controller" / "rule.py").write_text(RULE)
    (tmp_path / "tests" / "test_rule.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_what_no_test_notices_survives_and_what_one_notices_is_killed(small_house: Path) -> None:
    tried = try_all([*read(DEFECTS)], small_house, workers=2)
    assert [one.verdict for one in tried] == ["survived", "killed", "killed", "error"]
    assert tried[1].by == "tests/test_rule.py::test_sign"
    assert (small_house / "controller" / "rule.py").read_text() == RULE


def test_the_product_is_read_before_anything_is_put_into_a_copy(
    small_house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what is no Python, which is read where it is wanted."""
    (small_house / "controller" / "words.txt").write_text("yes no")
    seen: list[str] = []

    class Watched(Defect):
        def applied(self, product: Product) -> tuple[str, str]:
            seen.append("read")
            return super().applied(product)

    def run_tests(copy: Path, _: object) -> tuple[int, str]:
        seen.append((copy / "controller" / "words.txt").read_text())
        return (GREEN if seen[-1] == "yes no" else RED), ""

    monkeypatch.setattr("tests.mutants.run.run_tests", run_tests)
    words = "controller/words.txt"
    chosen = [Watched(new, words, "yes", new, ("tests",)) for new in ("perhaps", "never")]
    assert [one.verdict for one in try_all(chosen, small_house, workers=1)] == ["killed", "killed"]
    assert seen == ["yes no", "read", "read", "perhaps no", "never no"]


def test_where_the_tests_are_red_anyway_nothing_is_tried(small_house: Path) -> None:
    (small_house / "tests" / "test_rule.py").write_text("def test_red():\n    assert False\n")
    red = "without any defect the tests are not green: tests/test_rule.py::test_red"
    with pytest.raises(DefectError, match=red):
        try_all([*read(DEFECTS)], small_house, workers=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sign: number ==> it", "found 3 times"),
        ("sign: nowhere ==> it", "0 times"),
        ("gone: number ==> it", "0 times in gone"),
        ("controller/gone.js: number ==> it", "0 times in controller/gone.js"),
        ("same: int: ==> int", "would be no Python"),
        ("same: int: ==> int:", "nothing would change"),
    ],
)
def test_a_defect_that_cannot_be_put_there_is_an_error(small_house: Path, change: str, message: str) -> None:
    [defect] = read(f"== tests\nit\n    {change}\n")
    with pytest.raises(DefectError, match=message):
        defect.applied(Product(small_house))


def test_names_are_read_once_and_a_changed_pay_table_is_sealed_anew() -> None:
    names = [defect.name for defect in defects()]
    assert len(names) == len(set(names)) >= 324  # the list grows with every issue
    table = "controller/games/pay_tables/baccarat.toml"
    _, changed = Defect("", table, 'when = "win", pays = "8:1"', 'when = "win", pays = "9:1"', ()).applied(
        Product()
    )
    with pytest.raises(PayTableError, match="the digest is"):
        load_pay_table(
            changed.replace('id = "', 'id = "own-').encode()
        )  # all rows are as sealed, only the name is not
    with pytest.raises(PayTableError, match="published is 8:1"):
        load_pay_table(changed.encode())


@pytest.mark.parametrize(
    ("words", "meant"),
    [((), True), (("nought",), True), (("nought", "test_rule"), True), (("nought", "roads"), False)],
)
def test_a_defect_is_chosen_by_all_the_words_together(words: tuple[str, ...], meant: bool) -> None:
    defect = Defect("nought is negative", "Rule.sign", "<", "<=", ("tests/test_rule.py",))
    assert defect.meant(words) is meant


@pytest.mark.parametrize(
    ("test", "there"),
    [
        ("tests/mutants", True),
        ("tests/mutants/test_mutants.py", True),
        ("tests/mutants/test_mutants.py::test_a_test_that_was_renamed_is_missed[whatever]", True),
        ("tests/mutants/test_mutants.py::test_a_test_that_was_renamed_is", False),
        ("tests/mutants/test_mutants.py::TestNobody::test_a_test_that_was_renamed_is_missed", False),
        ("tests/mutants/test_nobody.py", False),
    ],
)
def test_a_test_that_was_renamed_is_missed(test: str, there: bool) -> None:
    """Else ``make mutants`` could not begin, and ``--look`` would find nothing wrong."""
    assert is_there(test) == there
