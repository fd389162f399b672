"""The chain of records, worked out once more by hand: what is hashed, in which order, and what is found."""

from __future__ import annotations

import hashlib

import pytest

from controller.journal.record import Record, before_first, chained, check_next, snapshot_hash
from controller.vocabulary.errors import JournalError

EPOCH = 1_700_000_000_123
FIRST = bytes(24) + EPOCH.to_bytes(8, "big")


def eight(number: int) -> bytes:
    return number.to_bytes(8, "big")


def chain() -> list[Record]:
    """Three records of one epoch."""
    one = chained(before_first(EPOCH), 1_700, 2, b"one")
    two = chained(one, 1_800, 2, b"two")
    return [one, two, chained(two, 1_900, 5, b"three")]


def test_a_record_is_hashed_over_the_one_before_number_time_place_and_body() -> None:
    one, two, three = chain()
    assert before_first(EPOCH).hash == FIRST
    assert one.hash == hashlib.sha256(FIRST + eight(1) + eight(1_700) + eight(2) + b"one").digest()
    assert two.hash == hashlib.sha256(one.hash + eight(2) + eight(1_800) + eight(2) + b"two").digest()
    assert three.hash == hashlib.sha256(two.hash + eight(3) + eight(1_900) + eight(5) + b"three").digest()


def test_a_snapshot_is_bound_to_the_record_that_it_stands_after() -> None:
    one, two, _ = chain()
    assert snapshot_hash(one.hash, b"s") == hashlib.sha256(one.hash + b"s").digest()
    assert snapshot_hash(one.hash, b"s") != snapshot_hash(two.hash, b"s")


def test_what_follows_is_let_pass() -> None:
    one, two, three = chain()
    check_next(before_first(EPOCH), one)
    check_next(one, two)
    check_next(two, three)


def test_a_missing_record_is_called_missing() -> None:
    one, _, three = chain()
    with pytest.raises(JournalError, match="record 2 is missing; the next one is 3"):
        check_next(one, three)


def test_a_stream_that_goes_back_is_named() -> None:
    _, _, three = chain()
    back = chained(three, 2_000, 4, b"four")
    with pytest.raises(JournalError, match="record 4 goes back in the stream, from 5 to 4"):
        check_next(three, back)


@pytest.mark.parametrize(
    "changed", [{"at_ms": 1_801}, {"stream": 3}, {"body": b"Two"}, {"hash": bytes(32)}], ids=str
)
def test_a_changed_record_does_not_fit(changed: dict[str, object]) -> None:
    one, two, _ = chain()
    as_it_was = {name: getattr(two, name) for name in two.__struct_fields__}
    with pytest.raises(JournalError, match="record 2 does not fit its hash"):
        check_next(one, Record(**{**as_it_was, **changed}))
