"""The signature of a message: over its hash, by a key that consumers pin."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from hashlib import sha256

import pytest
from nacl.signing import VerifyKey

from controller.outbox.envelope import canonical, envelope, first_head, message_hash, sent_late, signed
from controller.outbox.signature import Signer, keyid_of, verify
from controller.vocabulary.errors import InputError
from tests.harness.keys import by

OURS, ANOTHER = Signer(bytes(32)), Signer(bytes(31) + b"x")
BODY = envelope(
    first_head(5), source="/dealer-table/north/7", mode="live", name="round.card", subject="north-7-5-1",
    time="2026-01-31T20:15:00Z", data={"card": "8S", "note": '","keyid":"0","signature":"0"}'},
)  # fmt: skip


@pytest.mark.parametrize("late", [False, True])
def test_what_was_signed_is_the_hash_and_both_leave_the_canonical_form_alone(late: bool) -> None:
    sent = sent_late(by(OURS, BODY)) if late else by(OURS, BODY)
    assert canonical(sent) == BODY
    assert verify(sent, OURS.key) is None
    said = json.loads(sent)
    assert {**json.loads(BODY), **({"historical": True} if late else {})} == {
        name: value for name, value in said.items() if name not in ("keyid", "signature")
    }
    key = VerifyKey(urlsafe_b64decode(OURS.key + "="))
    key.verify(bytes.fromhex(message_hash(BODY)), urlsafe_b64decode(said["signature"] + "=="))
    assert said["keyid"] == sha256(key.encode()).hexdigest()[:16] == keyid_of(OURS.key)


def test_a_message_that_is_not_signed_or_by_another_key_is_doubted() -> None:
    assert canonical(BODY) == BODY
    unsigned, other = verify(BODY, OURS.key), verify(by(ANOTHER, BODY), OURS.key)
    assert unsigned is not None
    assert other is not None
    assert (unsigned.code, unsigned.keyid) == ("unsigned", None)
    assert (other.code, other.keyid) == ("other_key", ANOTHER.keyid)


def test_a_changed_message_or_a_signature_under_our_name_by_somebody_else_is_forged() -> None:
    theirs = signed(BODY, bytes.fromhex(OURS.keyid) + ANOTHER.seal(sha256(BODY).digest())[8:])
    for forged in (theirs, by(OURS, BODY).replace(b'"card":"8S"', b'"card":"9S"'), sent_late(theirs)):
        doubt = verify(forged, OURS.key)
        assert doubt is not None
        assert doubt.code == "forged"


@pytest.mark.parametrize(
    "torn", [b"", b"}", by(OURS, BODY)[:-2], by(OURS, BODY)[-129:], by(OURS, BODY) + b" "]
)
def test_what_is_no_message_is_never_taken_for_a_signed_one(torn: bytes) -> None:
    assert verify(torn, OURS.key) is not None


@pytest.mark.parametrize("text", ["", "x", OURS.key + "=", OURS.key + "A", OURS.keyid, "ä" * 43])
def test_what_is_no_key_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError, match="no public key"):
        verify(by(OURS, BODY), text)
