"""Who may move a consumer to another epoch: nothing unsigned, and no other key, unless a person says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.consumer.following import Following
from controller.consumer.notices import NewEpoch, TableNotice
from controller.consumer.store import MessageStore, OtherEpoch
from controller.outbox.envelope import envelope, first_head
from controller.outbox.reports import Arrived
from controller.outbox.retained import Status
from controller.outbox.signature import Signer
from tests.consumer.test_store import stream
from tests.harness.keys import SIGNER, by
from tests.outbox.sender import TOPICS

THIEF = Signer(bytes(32))


def started(signer: Signer, epoch: int = 6) -> bytes:
    """The first message of an epoch after ``replace``: it introduces the key that signs it."""
    said = {"previous": 5, "public_key": signer.key}
    head = first_head(epoch)
    common = {"source": TOPICS.source, "mode": "live", "subject": None, "time": "2026-01-02T03:04:05Z"}
    return by(signer, envelope(head, name="epoch.started", data=said, **common))


class Followed:
    """A consumer that holds two messages of epoch 5, and what it saw."""

    def __init__(self, store: MessageStore) -> None:
        self.store = store
        self.seen: list[TableNotice] = []

    def __call__(self, **how: object) -> Following:
        following = Following(
            name="settlement",
            topics=TOPICS,
            store=self.store,
            see=self.seen.append,
            **how,  # type: ignore[arg-type]
        )
        self.store.begin(5, 0)
        if not how.get("key"):
            self.store.pin(SIGNER.key)
            following.receive(stream(2), 0.0)
        return following

    @property
    def place(self) -> tuple[int, int]:
        assert self.store.cursor is not None
        return self.store.cursor.epoch, self.store.cursor.sequence


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    with MessageStore(tmp_path / "kept.db") as store:
        yield Followed(store)


def says(following: Following, epoch: int, key: str) -> None:
    """A status comes; nobody signs those."""
    status = Status("online", 1, "1.0", "d", "live", epoch, 3, "", key)
    following.hear(Arrived(TOPICS.status, msgspec.json.encode(status), retained=False), 0.0)


@pytest.mark.parametrize("how", [{}, {"own_epochs": True}, {"accept_epochs": True}])
def test_a_status_moves_nobody_and_its_epoch_is_asked_for_once(
    followed: Followed, how: dict[str, bool]
) -> None:
    following = followed(**how)
    says(following, 1 << 60, SIGNER.key)
    assert OtherEpoch(5, 1 << 60) in followed.seen
    assert followed.place == (5, 2)
    asked = following.question(10.0)
    assert (asked is not None) == bool(how)
    if asked is not None:
        assert json.loads(asked.payload)["epoch"] == 1 << 60
        assert following.question(100.0) is None, "once for each time that it is said"


def test_without_a_person_only_the_known_key_moves_to_a_larger_epoch(followed: Followed) -> None:
    following = followed(own_epochs=True)
    says(following, 6, THIEF.key)
    following.receive([started(THIEF), by(THIEF, stream(1, epoch=6)[0])], 1.0)
    assert followed.place == (5, 2)
    following.receive([stream(1, epoch=4)[0]], 1.0)
    assert followed.place == (5, 2)
    following.receive(stream(1, epoch=6), 1.0)
    assert followed.place == (6, 1)
    assert [seen for seen in followed.seen if isinstance(seen, NewEpoch)] == [NewEpoch(5, 6, SIGNER.keyid)]


def test_a_key_that_a_person_accepted_moves_to_its_epoch(followed: Followed) -> None:
    following = followed(own_epochs=True)
    says(following, 6, THIEF.key)
    following.receive([started(THIEF)], 1.0)
    following.question(2.0)
    following.trust(THIEF.key)
    asked = following.question(3.0)
    assert asked is not None
    assert json.loads(asked.payload)["epoch"] == 6
    following.receive([started(THIEF)], 4.0)
    assert followed.place == (6, 1)


def test_where_a_person_accepts_an_epoch_its_first_message_introduces_the_key(followed: Followed) -> None:
    following = followed(accept_epochs=True)
    following.receive([by(THIEF, stream(1, epoch=7)[0])], 1.0)
    assert followed.place == (5, 2), "nobody has named its key"
    following.receive([started(THIEF)], 1.0)
    assert followed.place == (6, 1)
    assert followed.store.cursor is not None
    assert followed.store.cursor.key == THIEF.key


def test_where_a_person_accepts_a_key_no_other_moves(followed: Followed) -> None:
    following = followed(accept_epochs=True, key=SIGNER.key)
    says(following, 6, THIEF.key)
    following.receive([started(THIEF)], 1.0)
    assert followed.place == (5, 0)
    following.receive([started(SIGNER)], 1.0)
    assert followed.place == (6, 1)
