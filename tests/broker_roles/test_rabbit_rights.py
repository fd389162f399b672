"""The shipped rights at RabbitMQ by their patterns; ``make floor`` tries them at a real one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from controller.outbox.topics import ROOT
from tests.broker_roles.rabbit_rights import ADD_USER, calls, patterns, routed
from tests.broker_roles.roles import ROLES, TABLE_USER
from tests.broker_roles.test_roles import MAY_READ, MAY_WRITE, TABLE, TOPICS


@pytest.mark.parametrize("role", ROLES)
def test_a_role_writes_and_reads_its_own_topics_and_no_other(role: str) -> None:
    rights = patterns(role)
    for key, allowed in (("write", MAY_WRITE), ("read", MAY_READ)):
        found = {topic for topic in TOPICS if rights[key].search(routed(f"{TABLE}/{topic}"))}
        assert found == allowed[role], key


@pytest.mark.parametrize("other", ["north/8", "south/7", "north/77", "north/7/7", "settlement/7"])
def test_a_table_writes_and_reads_nothing_of_another(other: str) -> None:
    for right in patterns(TABLE_USER).values():
        assert [topic for topic in TOPICS if right.search(routed(f"{ROOT}/{other}/{topic}"))] == []


def test_another_consumer_acknowledges_in_its_own_name() -> None:
    rights = patterns("other")
    written = {topic for topic in TOPICS if rights["write"].search(routed(f"{TABLE}/{topic}"))}
    assert written == {"acks/other", "commands/resend", "commands/snapshot"}
    assert rights["read"].search(routed(f"{TABLE}/repeats/other"))
    assert not rights["read"].search(routed(f"{TABLE}/repeats/settlement"))


@pytest.mark.parametrize(
    ("role", "filter_"),
    [
        (TABLE_USER, f"{TABLE}/acks/+"),
        (TABLE_USER, f"{TABLE}/commands/+"),
        (TABLE_USER, f"{TABLE}/alerts/+"),
        (TABLE_USER, f"{TABLE}/test/commands/+"),
        ("recorder", f"{ROOT}/north/+/events"),
        ("recorder", f"{ROOT}/north/+/repeats/recorder"),
        ("recorder", f"{ROOT}/north/+/replies/+"),
        ("display", f"{ROOT}/+/+/display"),
        ("display", f"{ROOT}/north/+/alerts/+"),
        ("console", f"{ROOT}/#"),
    ],
)
def test_what_the_program_subscribes_to_is_granted(role: str, filter_: str) -> None:
    assert patterns(role)["read"].search(routed(filter_))


def test_a_user_is_made_once_without_a_password_in_sight(tmp_path: Path) -> None:
    made = calls(tmp_path, TABLE_USER)
    assert ["add_user", "north.7"] in made, "rabbitmqctl asks for the password"
    assert ["add_vhost", "floor", "--default-queue-type", "quorum"] in made


@pytest.mark.parametrize("words", [[], ["north", "7"], ["north/7.1"], ["no/rth/7"], ["north/"], ["a b"]])
def test_a_name_that_no_topic_can_have_is_refused(words: list[str]) -> None:
    assert subprocess.run([ADD_USER, *words], capture_output=True, check=False).returncode == 2
