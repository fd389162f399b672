"""Topics, as the contract writes them."""

from typing import Literal

import pytest

from controller.outbox.topics import Topics, client_id, is_name, topics_of
from controller.vocabulary.errors import ConfigurationError


@pytest.mark.parametrize(
    ("mode", "base"), [("live", "dealer-table/v1/north/7"), ("test", "dealer-table/v1/north/7/test")]
)
def test_all_topics_stand_under_site_and_table(mode: str, base: str) -> None:
    topics = topics_of("north", "7", "live" if mode == "live" else "test")
    assert topics.status == f"{base}/status"
    assert topics.events == f"{base}/events"
    assert topics.result == f"{base}/result"
    assert topics.display == f"{base}/display"
    assert topics.alert("3") == f"{base}/alerts/3"
    assert topics.ack("settlement") == f"{base}/acks/settlement"
    assert topics.command("resend") == f"{base}/commands/resend"
    assert topics.reply("abc") == f"{base}/replies/abc"
    assert topics.source == "/dealer-table/north/7"


@pytest.mark.parametrize(
    "name", ["", "a/b", "+", "#", "a+", "$SYS", "a b", "a\n", "é", ".a", "x" * 65, "a\0"]
)
def test_a_name_that_cannot_stand_in_a_topic_is_refused_by_its_key(name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^table\.site: "):
        topics_of(name, "7")
    with pytest.raises(ConfigurationError, match=r"^table\.id: "):
        topics_of("north", name)


def test_the_last_part_of_a_topic_of_ours_is_found() -> None:
    topics: Topics = topics_of("north", "7")
    assert topics.last_part("acks", "dealer-table/v1/north/7/acks/settlement") == "settlement"
    assert topics.last_part("acks", "dealer-table/v1/north/7/commands/resend") is None
    assert topics.last_part("acks", "dealer-table/v1/north/70/acks/settlement") is None


Whose = tuple[str, str, Literal["live", "test"]] | tuple[str, str, Literal["live", "test"], str]


def test_the_client_identifier_is_stable_and_tells_the_modes_apart() -> None:
    assert client_id("north", "7", "live") == "dealer-table.controller.north.7"
    assert client_id("north", "7", "test") == "dealer-table.controller.north.7.test"
    assert client_id("north", "7", "live", "settlement") != client_id("north", "7", "live")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a-b", "c", "live"), ("a", "b-c", "live")),
        (("a", "x-test", "live"), ("a", "x", "test")),
        (("b", "c", "live", "of-a"), ("a-b", "c", "live", "of")),
    ],
)
def test_no_two_tables_have_one_client_identifier(one: Whose, other: Whose) -> None:
    assert client_id(*one) != client_id(*other)


@pytest.mark.parametrize("name", ["a.b", "a~b", "x" * 41, "", "a/b", "a\n"])
def test_what_some_broker_takes_for_two_levels_or_is_long_is_no_name(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("name", ["7", "north-7", "settlement_2", "-a", "_", "x" * 40])
def test_letters_digits_dash_and_underscore_are_a_name(name: str) -> None:
    assert is_name(name)
