"""Commands: what is understood, and every reason for a refusal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.outbox.commands import (
    COMMANDS,
    LARGEST_BYTES,
    LONGEST_S,
    PER_MINUTE,
    Allowance,
    Decisions,
    Refusal,
    Resend,
    Snapshot,
    read_command,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SOON = "2026-01-02T03:04:35Z"
ASKED = {"id": "a1", "expires": SOON}


def read(name: str, members: Any, *, retained: bool = False) -> Any:
    payload = members if isinstance(members, bytes) else json.dumps(members).encode()
    return read_command(name, payload, retained=retained, now=NOW)


def test_a_command_that_is_in_order_is_understood() -> None:
    expires = datetime(2026, 1, 2, 3, 4, 35, tzinfo=UTC)
    assert read("snapshot", ASKED) == Snapshot("a1", expires)
    assert read("resend", {**ASKED, "sequence": 7}) == Resend("a1", expires, 7)
    assert read(
        "decisions",
        {**ASKED, "expires": "2026-01-02T04:04:35+01:00", "hand": "hand1", "play": 3, "fold": 1},
    ) == Decisions("a1", expires, "hand1", 3, 1)


@pytest.mark.parametrize(
    ("name", "members", "code", "answered_to"),
    [
        ("void", ASKED, "unknown", "a1"),
        ("resend", b"{", "malformed", None),
        ("resend", b"\xff\xfe", "malformed", None),
        ("resend", [], "malformed", None),
        ("resend", ASKED, "malformed", "a1"),
        ("resend", {**ASKED, "sequence": 0}, "malformed", "a1"),
        ("resend", {**ASKED, "sequence": "1"}, "malformed", "a1"),
        ("resend", {"id": "a1", "sequence": 1}, "malformed", "a1"),
        ("snapshot", {**ASKED, "expires": "2026-01-02T03:04:35"}, "malformed", "a1"),
        ("snapshot", {**ASKED, "card": "AS"}, "malformed", "a1"),
        ("snapshot", {"id": "a/1", "expires": SOON}, "malformed", None),
        ("snapshot", {"id": "+", "expires": SOON}, "malformed", None),
        ("decisions", {**ASKED, "hand": "hand1", "play": -1, "fold": 1}, "malformed", "a1"),
        ("snapshot", {**ASKED, "expires": "2026-01-02T03:04:05Z"}, "late", "a1"),
        ("snapshot", {**ASKED, "expires": "2020-01-02T03:04:05Z"}, "late", "a1"),
        ("snapshot", {**ASKED, "expires": "2036-01-02T03:04:05Z"}, "expires_too_far_ahead", "a1"),
        ("snapshot", b" " * (LARGEST_BYTES + 1), "too_large", None),
        ("snapshot", b'{"x":' + b"[" * 4000, "malformed", None),
        ("void", b'{"x":' + b"[" * 4000, "unknown", None),
    ],
)
def test_anything_else_is_refused_with_a_reason(
    name: str, members: Any, code: str, answered_to: str | None
) -> None:
    refusal = read(name, members)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.id) == (code, answered_to)
    assert refusal.message


def test_of_two_numbers_under_one_key_neither_counts() -> None:
    said = read("decisions", json.dumps({**ASKED, "hand": "hand1", "play": 3, "fold": 1}).encode())
    assert isinstance(said, Decisions)
    twice = json.dumps({**ASKED, "hand": "hand1", "play": 3, "fold": 1})[:-1] + ', "play": 4}'
    refusal = read("decisions", twice.encode())
    assert (refusal.code, refusal.id) == ("malformed", "a1")
    assert refusal.message == "the key 'play' stands twice in one object"


@pytest.mark.parametrize("name", [*COMMANDS, "void"])
def test_a_retained_command_never_runs(name: str) -> None:
    members = {**ASKED, "sequence": 1, "hand": "hand1", "play": 1, "fold": 1}
    refusal = read(name, members, retained=True)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "retained"


def test_no_command_voids_a_round_enters_or_reveals_a_card() -> None:
    assert set(COMMANDS) == {"resend", "snapshot", "decisions", "seats", "who"} == set(PER_MINUTE)


@given(st.sampled_from([*COMMANDS, "", "\0"]), st.binary(max_size=200))
def test_no_bytes_at_all_raise(name: str, payload: bytes) -> None:
    assert isinstance(read_command(name, payload, retained=False, now=NOW), Refusal)


def test_the_longest_expiry_is_still_taken() -> None:
    expires = datetime.fromtimestamp(NOW.timestamp() + LONGEST_S, UTC).isoformat()
    assert isinstance(read("snapshot", {"id": "a1", "expires": expires}), Snapshot)


def test_too_often_is_too_often_and_time_makes_up_for_it() -> None:
    allowance = Allowance(20)
    assert [allowance.take(0.0) for _ in range(4)] == [True, True, False, False]
    assert allowance.take(2.9) is False
    assert allowance.take(3.1) is True
    assert allowance.take(3.1) is False
    assert allowance.take(-1000.0) is False
    assert [allowance.take(1e6) for _ in range(3)] == [True, True, False]
