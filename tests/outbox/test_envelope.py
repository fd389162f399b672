"""The envelope: CloudEvents 1.0, canonical, chained; ``historical`` comes and goes without touching the
hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.outbox.envelope import (
    ZERO_HASH,
    StreamHead,
    canonical,
    envelope,
    first_head,
    message_hash,
    name_of,
    read_envelope,
    sent_late,
)
from controller.vocabulary.errors import InputError


def made(head: StreamHead, data: Any, subject: str | None = "1024") -> bytes:
    return envelope(
        head,
        source="/dealer-table/north/7",
        mode="live",
        name="round.card",
        subject=subject,
        time="2026-01-02T03:04:05Z",
        data=data,
    )


def test_the_attributes_are_those_of_the_contract() -> None:
    body = made(first_head(17), {"position": "player", "card": "8S"})
    assert json.loads(body) == {
        "specversion": "1.0",
        "id": "17-1",
        "source": "/dealer-table/north/7",
        "type": "dealertable.round.card.v1",
        "subject": "1024",
        "time": "2026-01-02T03:04:05Z",
        "datacontenttype": "application/json",
        "epoch": 17,
        "sequence": 1,
        "prevhash": ZERO_HASH,
        "mode": "live",
        "data": {"position": "player", "card": "8S"},
    }


def test_without_a_round_there_is_no_subject() -> None:
    assert "subject" not in json.loads(made(first_head(1), {}, subject=None))


def test_each_message_carries_the_hash_of_the_one_before() -> None:
    head = first_head(2)
    first = made(head, {"n": 1})
    second = made(head.after(first), {"n": 2})
    assert json.loads(second)["prevhash"] == hashlib.sha256(first).hexdigest() == message_hash(first)
    assert (json.loads(second)["id"], json.loads(second)["sequence"]) == ("2-2", 2)


def test_the_canonical_form_is_what_python_writes_sorted_and_without_spaces() -> None:
    body = made(first_head(1), {"zebra": [1, {"b": None, "a": True}], "ante": "11:1"})
    assert body == json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()


def test_a_type_gives_its_name() -> None:
    assert name_of("dealertable.round.bets_closed.v1") == "round.bets_closed"
    assert name_of("dealertable.round.card.v2") is None
    assert name_of("somebody.else.v1") is None


def test_a_late_message_says_so_and_stays_sorted() -> None:
    body = made(first_head(1), {"n": 1})
    late = sent_late(body)
    assert json.loads(late) == {**json.loads(body), "historical": True}
    assert late == json.dumps(json.loads(late), sort_keys=True, separators=(",", ":")).encode()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 53), 1 << 53) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["historical", "id", "a", '"', "é"]) | st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(data=_JSON, subject=st.none() | st.text())
def test_late_and_back_is_the_same_message_whatever_it_holds(data: Any, subject: str | None) -> None:
    body = made(first_head(3), data, subject)
    late = sent_late(body)
    assert json.loads(late) == {**json.loads(body), "historical": True}
    assert canonical(late) == body
    assert canonical(body) == body


@pytest.mark.parametrize(
    "data", [{"historical": True, "id": "x"}, '"historical":true,"id":"', [{"historical": True, "id": "x"}]]
)
def test_what_looks_like_the_mark_inside_the_data_is_left_alone(data: Any) -> None:
    body = made(first_head(3), data, '"historical":true,"id":"')
    assert canonical(body) == body
    assert canonical(sent_late(body)) == body


def test_a_consumer_reads_the_parts() -> None:
    parts = read_envelope(sent_late(made(first_head(9), {"card": None})))
    assert (parts.epoch, parts.sequence, parts.id, parts.subject) == (9, 1, "9-1", "1024")
    assert (parts.historical, bytes(parts.data)) == (True, b'{"card":null}')


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b'{"epoch": "one"}', b"\xff"])
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(InputError, match="no message of a dealer table"):
        read_envelope(body)
