"""What watchers say against what the record says: each difference becomes an event, once."""

from __future__ import annotations

import pytest

from controller.shell.conditions import changes
from controller.vocabulary.codec import decode_event, encode_event
from controller.vocabulary.conditions import (
    ACK,
    BROKER,
    CONDITIONS,
    CONSUMER,
    DISK_SHORT,
    IDENTITY,
    LISTENERS,
    Condition,
    ConditionKind,
    kind_of,
)
from controller.vocabulary.events import ConditionChanged, Stamp
from tests.harness.bench import Bench
from tests.shell.test_commit_then_speak import failing
from tests.shell.watched import Watched, word

NOBODY = {LISTENERS.code: LISTENERS.holds("nobody subscribes")}


def test_a_condition_is_told_when_it_begins_when_it_changes_and_when_it_ends() -> None:
    found: dict[str, Condition | None] = {}
    watched = Watched(lambda now: found)
    assert watched.look(0) == []
    found[BROKER.code] = BROKER.holds("refused")
    assert [watched.look(1), watched.look(2)] == [["broker is said"], []]
    found[BROKER.code] = BROKER.holds("timed out")
    assert [watched.look(3), watched.look(4)] == [["broker is said"], []]
    found[BROKER.code] = None
    assert [watched.look(5), watched.look(6)] == [["broker is over"], []]


def test_one_that_blocks_begins_before_another_ends() -> None:
    held = {IDENTITY.code: IDENTITY.holds("other software")}
    found = {IDENTITY.code: None, DISK_SHORT.code: DISK_SHORT.holds("1 MB")}
    assert [word(change) for change in changes(held, found)] == ["disk_short stops", "identity is over"]


@pytest.mark.parametrize("kind", CONDITIONS.values(), ids=CONDITIONS)
def test_what_nobody_has_looked_at_yet_stays_where_a_start_needs_time_for_it(
    kind: ConditionKind,
) -> None:
    name = kind.named("settlement") if kind.has_subject else kind.code
    told = [word(change) for change in changes({name: kind.holds("so")}, {})]
    assert told == ([] if kind.survives_restart else [f"{name} is over"])


def test_a_condition_of_other_software_is_over() -> None:
    assert changes({"moon-full": Condition("howl", True)}, {}) == [ConditionChanged("moon-full", False)]


def test_a_name_with_a_subject_leads_to_its_kind() -> None:
    assert kind_of("consumer-cage-2") is CONSUMER
    assert (kind_of("ack-x"), kind_of("ack"), kind_of("acknowledged")) == (ACK, ACK, None)


def test_whatever_a_path_or_a_broker_says_can_be_recorded() -> None:
    held = DISK_SHORT.holds("/srv/\udcff" + "x" * 1000)
    event = ConditionChanged(ACK.named("\udcff" * 1000), True, held.message)
    stamp = Stamp("2026-03-01T00:00:00.000Z", 1, 1, 1)
    assert decode_event(encode_event(event, stamp))[0] == event


def test_a_condition_that_the_table_fails_on_is_not_tried_at_every_step() -> None:
    found: dict[str, Condition | None] = {}
    bench = Bench(watchers=[lambda now: found])
    found.update(NOBODY)
    before = bench.journal.record_head
    with failing(ConditionChanged):
        bench.step()
    assert bench.journal.record_head == before + 1


def test_a_table_at_work_follows_its_watchers() -> None:
    found: dict[str, Condition | None] = dict(NOBODY)
    bench = Bench(watchers=[lambda now: found])
    assert bench.state.conditions == NOBODY
    assert [alert.code for alert in bench.state.alerts] == ["listeners"]
    found.clear()
    bench.step()
    assert bench.state.conditions == {}
