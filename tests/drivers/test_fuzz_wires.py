"""The first inputs of the long fuzz (`make fuzz`), on every run; and that the fuzz finds what is wrong."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.drivers.fuzzed import WIRES
from tests.drivers.guided import Exploration, Found, Outcome, Parts, Wire

WIRE = {wire.name: wire for wire in WIRES}


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_no_exception_nothing_lost_and_no_card_that_was_not_sent(wire: Wire) -> None:
    run = Exploration(wire, random.Random(f"7-{wire.name}"))
    run.go_on(600)
    assert len(run.kept) > 10, "it is led by what the code does"


def test_what_is_wrong_is_found_and_made_small() -> None:
    def check(parts: Parts, dice: random.Random) -> set[Outcome]:
        assert b"".join(parts).count(b"416") < 3
        return set()

    with pytest.raises(Found, match=r"(?s)our-lines: AssertionError.* by \(b'416', b'416', b'416'\),"):
        Exploration(replace(WIRE["our-lines"], check=check), random.Random(1)).go_on(5_000)


def test_a_card_that_was_not_sent_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drivers.angel_eye.wire.bcc", lambda covered: b"00")
    with pytest.raises(Found, match="angel-eye"):
        Exploration(WIRE["angel-eye"], random.Random(1)).go_on(500)
