"""The shipped broker configuration: each role can do its own and is refused the rest (R16, R17)."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator

import pytest

from controller.board.asking import Asking
from controller.wagering.seat.service import seen_of
from tests.broker_roles.roles import ROLES, TABLE_USER, Client, Floor
from tests.harness.patience import PATIENCE_S

TABLE = f"dealer-table/v1/{TABLE_USER}"
LIVE = (
    "status",
    "events",
    "repeats/settlement",
    "repeats/recorder",
    "repeats/other",
    "result",
    "display",
    "alerts/shoe",
    "chat",
    "acks/settlement",
    "acks/recorder",
    "acks/other",
    *(f"commands/{name}" for name in ("resend", "snapshot", "decisions", "seats", "who", "void")),
    "replies/1",
    "doctor",
    "doctor/try",
)
TOPICS = (*LIVE, *(f"test/{topic}" for topic in LIVE if topic not in ("acks/other", "repeats/other", "chat")))
"""Every topic of a table, live and in test mode, and one that nobody may use."""
REPEATS = {"repeats/settlement", "repeats/recorder", "repeats/other"}
OWN = {
    "status",
    "events",
    *REPEATS,
    "result",
    "display",
    "alerts/shoe",
    "replies/1",
    "doctor",
    "doctor/try",
    "commands/who",
}
"""What the controller writes."""
HEARD = set(LIVE) - {"events", "chat", *REPEATS}
"""What it hears: what is said to it, and what it said last, for a unit that starts must know that."""


def in_test_mode(topics: set[str]) -> set[str]:
    """The same of a table in test mode."""
    return {f"test/{topic}" for topic in topics} & set(TOPICS)


MAY_WRITE: dict[str, set[str]] = {
    "controller": OWN | in_test_mode(OWN),
    TABLE_USER: OWN | in_test_mode(OWN),
    "display": set(),
    "settlement": {
        "acks/settlement",
        "chat",
        *(f"commands/{name}" for name in ("resend", "snapshot", "decisions", "seats")),
    },
    "recorder": {"acks/recorder", "commands/resend", "commands/snapshot"},
    "console": {"commands/snapshot", "test/commands/snapshot"},
    "monitoring": set(),
}
MAY_READ = {
    "controller": HEARD | in_test_mode(HEARD),
    TABLE_USER: HEARD | in_test_mode(HEARD),
    "display": {"status", "result", "display", "alerts/shoe", "chat"}
    | in_test_mode({"status", "result", "display", "alerts/shoe"}),
    "settlement": {
        "status",
        "events",
        "repeats/settlement",
        "result",
        "display",
        "acks/settlement",
        "replies/1",
    },
    "recorder": {"status", "events", "repeats/recorder", "acks/recorder", "replies/1"},
    "console": set(TOPICS),
    "monitoring": {"status", "alerts/shoe"},
}
WITHOUT_ALERTS = {"settlement": "result", "recorder": "status"}
"""Roles that read alerts get an alert as the end mark; these read something else."""
SOMEBODY_WRITES = sorted({topic for topics in MAY_WRITE.values() for topic in topics})


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    running = Floor(tmp_path_factory.mktemp("floor") / "broker")
    yield running
    running.stop()


@contextlib.contextmanager
def let_in(floor: Floor, role: str) -> Iterator[Client]:
    client = floor.client(role, certificate=floor.certificate())
    assert client.connect()
    try:
        yield client
    finally:
        client.close()


@pytest.fixture(scope="module")
def clients(floor: Floor) -> Iterator[dict[str, Client]]:
    with contextlib.ExitStack() as stack:
        yield {role: stack.enter_context(let_in(floor, role)) for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_writes_its_own_topics_and_no_other(clients: dict[str, Client], role: str) -> None:
    allowed = {topic for topic in TOPICS if clients[role].may_publish(f"{TABLE}/{topic}")}
    assert allowed == MAY_WRITE[role]


def test_a_seat_asks_for_nothing_that_its_role_may_not_read() -> None:
    """What a broker denies stands in its log, and in ours, for ever."""
    filters = seen_of([("north", "7")])
    asking = Asking(filters)
    asking.heard("dealer-table/v1/north/7/status")
    asked = *filters, *asking.late()
    assert len(asked) == 2 * len(filters)
    assert {one.removeprefix("dealer-table/v1/north/7/") for one in asked} <= MAY_READ["settlement"]


@pytest.mark.parametrize("other", ["north/8", "south/7", "north/77", "north/7/7", "settlement/7"])
def test_the_password_of_one_table_speaks_and_hears_for_that_table_only(
    floor: Floor, clients: dict[str, Client], other: str
) -> None:
    assert not any(clients[TABLE_USER].may_publish(f"dealer-table/v1/{other}/{topic}") for topic in TOPICS)
    with let_in(floor, TABLE_USER) as listener:
        for topic in ("+", "alerts/+", "acks/+", "commands/+", "replies/+"):
            listener.subscribe(f"dealer-table/v1/{other}/{topic}")
        listener.subscribe(f"{TABLE}/doctor")
        for topic in ("status", "events", "result", "alerts/shoe", "commands/who", "replies/1"):
            clients["controller"].may_publish(f"dealer-table/v1/{other}/{topic}")
        for topic in ("acks/settlement", "commands/resend"):
            clients["settlement"].may_publish(f"dealer-table/v1/{other}/{topic}")
        assert clients["controller"].may_publish(f"{TABLE}/doctor")  # the broker delivers in order
        assert listener.arrived.get(timeout=PATIENCE_S) == f"{TABLE}/doctor"


def test_nobody_may_void_enter_or_reveal_over_mqtt(clients: dict[str, Client]) -> None:
    for name in ("void", "enter", "reveal", "clear", "open"):
        assert not any(clients[role].may_publish(f"{TABLE}/commands/{name}") for role in ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_hears_its_own_topics_and_no_other(
    floor: Floor, clients: dict[str, Client], role: str
) -> None:
    with let_in(floor, role) as listener:
        for topic in TOPICS:
            listener.subscribe(f"{TABLE}/{topic}")
        heard = heard_when_all_speak(listener, clients)
    assert heard == MAY_READ[role] & set(SOMEBODY_WRITES)


def heard_when_all_speak(listener: Client, clients: dict[str, Client]) -> set[str]:
    """Topics that reach the listener when each is written by a role that may; the last word marks the end."""
    for topic in SOMEBODY_WRITES:
        writer = next(role for role in ROLES if topic in MAY_WRITE[role])
        assert clients[writer].may_publish(f"{TABLE}/{topic}")
    listener.subscribe(f"{TABLE}/alerts/end")
    end = WITHOUT_ALERTS.get(listener.role, "alerts/end")
    assert clients["controller"].may_publish(f"{TABLE}/{end}")
    heard: list[str] = []
    last = f"{TABLE}/{end}"
    while heard[-1:] != [last] or (end in SOMEBODY_WRITES and heard.count(last) < 2):
        heard.append(listener.arrived.get(timeout=PATIENCE_S))
    return {topic.removeprefix(f"{TABLE}/") for topic in heard} - {"alerts/end"}


STRANGERS: dict[str, Callable[[Floor, str], Client]] = {
    "no certificate": lambda floor, role: floor.client(role),
    "a foreign authority's certificate": lambda floor, role: floor.client(
        role, certificate=floor.certificate(by=floor.stranger)
    ),
    "an expired certificate": lambda floor, role: floor.client(
        role, certificate=floor.certificate(expired=True)
    ),
    "another role's password": lambda floor, role: floor.client(
        role, password=f"secret of {other_than(role)}", certificate=floor.certificate()
    ),
    "no password": lambda floor, role: floor.client(role, password=" ", certificate=floor.certificate()),
    "a role that is none": lambda floor, role: floor.client(
        f"{role}2", password=f"secret of {role}", certificate=floor.certificate()
    ),
}


def other_than(role: str) -> str:
    """Another role."""
    return ROLES[(ROLES.index(role) + 1) % len(ROLES)]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_gets_nothing(floor: Floor, stranger: str, role: str) -> None:
    client = STRANGERS[stranger](floor, role)
    try:
        assert not client.connect()
    finally:
        client.close()


def test_without_tls_nobody_gets_a_word(floor: Floor) -> None:
    with socket.create_connection((floor.broker.host, floor.broker.port), timeout=PATIENCE_S) as plain:
        plain.sendall(b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00")
        with contextlib.suppress(ConnectionResetError):
            assert plain.recv(100)[:1] != b"\x20", "no CONNACK"


def test_a_message_larger_than_any_of_ours_is_not_carried(floor: Floor) -> None:
    with let_in(floor, "controller") as client:
        assert client.may_publish(f"{TABLE}/events")
        assert not client.publish_large(f"{TABLE}/events")


NAMES = (TABLE_USER, "settlement", "display", "console", "monitoring")


@pytest.fixture(scope="module")
def floor_by_name(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    running = Floor(tmp_path_factory.mktemp("by-name") / "broker", by_name=True)
    yield running
    running.stop()


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_is_one_role_at_one_table_whatever_it_says_it_is(
    floor_by_name: Floor, name: str
) -> None:
    """It has the right password of another role, and of the one user for all tables."""
    for said in (name, "controller", other_than(name)):
        client = floor_by_name.client(said, certificate=floor_by_name.certificate(name=name))
        assert client.connect()
        try:
            assert {topic for topic in TOPICS if client.may_publish(f"{TABLE}/{topic}")} == MAY_WRITE[name]
            if name == TABLE_USER:
                elsewhere = (f"dealer-table/v1/north/8/{topic}" for topic in TOPICS)
                assert not any(map(client.may_publish, elsewhere))
        finally:
            client.close()


@pytest.mark.parametrize("name", [None, "nobody", "north/8", "north/7/events"])
def test_a_certificate_of_no_role_writes_nothing(floor_by_name: Floor, name: str | None) -> None:
    """One without a name is not let in; another name has no line in the ACL."""
    client = floor_by_name.client(TABLE_USER, certificate=floor_by_name.certificate(name=name))
    try:
        if client.connect():
            assert name is not None
            assert not any(client.may_publish(f"{TABLE}/{topic}") for topic in TOPICS)
    finally:
        client.close()
