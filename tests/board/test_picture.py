"""The pure part of the board: topics to a floor, a floor to pictures, the dealer's next step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.board.floor import (
    MOST_BYTES,
    Floor,
    Key,
    SeenDisplay,
    board_topic,
    filters_of,
    keep_only,
    read_display,
    take,
)
from controller.board.hub import BEAT, TURNS, Hub, TooManyPages
from controller.board.picture import floor_line, next_act, silence_of, strength_asked, table_pictures
from controller.games.two_cards_high import POINTS, best_standing, best_two
from controller.vocabulary.cards import DECK_40, Card
from controller.vocabulary.display import BareDisplay, BareHold
from tests.harness.patience import PATIENCE_S

T = TypeVar("T")
BASE = "dealer-table/v1/north/7"


def on_a_loop(work: Coroutine[object, object, T]) -> T:
    """Run it in a thread of its own: a browser of this worker has an event loop in the main thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result(PATIENCE_S)


def floor_of(*messages: tuple[str, object]) -> Floor:
    floor: Floor = {}
    for topic, body in messages:
        floor, _ = take(floor, topic, json.dumps(body).encode())
    return floor


def test_what_players_say_is_on_the_dealers_page_and_alone_makes_no_table() -> None:
    said = {"lines": [{"number": 1, "player": "ada", "text": "good luck"}]}
    assert floor_of((f"{BASE}/chat", said)) == {}
    [seen] = floor_of((f"{BASE}/display", {"phase": "idle"}), (f"{BASE}/chat", said)).values()
    pictures = table_pictures(seen, None, None, {})
    assert json.loads(pictures.dealer)["chat"] == said
    assert json.loads(pictures.players)["chat"] is None


@pytest.mark.parametrize(
    ("topic", "key"),
    [
        (f"{BASE}/display", Key("north", "7")),
        (f"{BASE}/test/display", Key("north", "7", "test")),
        ("dealer-table/v1/north/test/status", Key("north", "test")),
        (f"{BASE}/alerts/shoe", Key("north", "7")),
    ],
)
def test_a_topic_names_its_table(topic: str, key: Key) -> None:
    place = board_topic(topic)
    assert place is not None
    assert place.key == key


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "x",
        f"{BASE}/events",
        f"{BASE}/display/more",
        f"{BASE}/alerts/",
        "dealer-table/v1//7/display",
        "dealer-table/v1/<b>/7/display",
        "dealer-table/v2/north/7/display",
        f"{BASE}/test",
        f"{BASE}/acks/settlement",
    ],
)
def test_other_topics_are_nothing_to_a_board(topic: str) -> None:
    assert board_topic(topic) is None


@pytest.mark.parametrize("payload", [b"[]", b"1", b"{", b"\xff", b"[" * 100_000, b" " * (MOST_BYTES + 1)])
def test_a_payload_that_is_no_object_changes_nothing(payload: bytes) -> None:
    floor = floor_of((f"{BASE}/display", {"phase": "idle"}))
    assert take(floor, f"{BASE}/display", payload) == (floor, None)


@given(st.text(max_size=60), st.binary(max_size=80))
def test_no_message_breaks_the_floor(topic: str, payload: bytes) -> None:
    take({}, topic, payload)
    take({}, f"{BASE}/display", payload)


def test_an_empty_payload_takes_back_and_the_last_one_removes_the_table() -> None:
    floor = floor_of((f"{BASE}/alerts/a", {"id": "a"}), (f"{BASE}/status", {"state": "online"}))
    floor, changed = take(floor, f"{BASE}/alerts/a", b"")
    assert (floor[Key("north", "7")].alerts, changed) == ({}, Key("north", "7"))
    floor, _ = take(floor, f"{BASE}/status", b"")
    assert floor == {}


def test_the_same_message_again_is_no_change() -> None:
    floor = floor_of((f"{BASE}/display", {"phase": "idle"}))
    assert take(floor, f"{BASE}/display", b'{"phase": "idle"}')[1] is None


def test_after_a_connection_only_what_came_again_is_kept() -> None:
    floor = floor_of((f"{BASE}/display", {"phase": "idle"}), (f"{BASE}/alerts/a", {"id": "a"}))
    kept, changed = keep_only(floor, {f"{BASE}/display"})
    assert changed == [Key("north", "7")]
    assert kept[Key("north", "7")].alerts == {}
    assert keep_only(kept, {f"{BASE}/display"}) == (kept, [])


def test_subscriptions_name_only_what_the_role_display_may_read() -> None:
    assert filters_of(["north/7"]) == [
        f"{BASE}/{mode}{kind}"
        for mode in ("", "test/")
        for kind in ("status", "display", "result", "chat", "alerts/+")
    ]
    assert all("/+/+/" in name for name in filters_of([]))


@pytest.mark.parametrize(
    ("state", "silent"), [("online", False), ("lost", True), ("offline", True), (3, False)]
)
def test_a_table_is_silent_by_its_status(state: object, silent: bool) -> None:
    seen = floor_of((f"{BASE}/status", {"state": state}))[Key("north", "7")]
    assert (silence_of(seen, None) is not None) is silent


def test_a_display_with_unexpected_parts_reaches_the_pages_as_it_came() -> None:
    odd = {"game": "two-cards-high", "cards": [1, {"card": 3}], "hold": 5, "shoe": [], "may_open": "x"}
    seen = floor_of((f"{BASE}/display", odd))[Key("north", "7")]
    picture = json.loads(table_pictures(seen, None, None, {}).dealer)
    assert (picture["display"], picture["act"]) == (odd, None)
    assert json.loads(floor_line(seen, None, None, {}))["known"]


@pytest.mark.parametrize(
    "odd",
    [
        {"light": 7},
        {"may_open": {"open": False, "until": 3}},
        {"cards": [{"position": "player", "card": {"rank": "8"}}]},
        {"shoe": []},
        {"limits": {"currency": "euro", "table": {"min": 500, "max": 500000}}},
        {"hold": {"reason": "excess", "choices": {"void": "the round"}}},
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_one_part_of_another_shape_hides_no_other(odd: dict[str, object]) -> None:
    shown: dict[str, object] = {"game": "baccarat", "phase": "dealing", "game_number": "20:15:07"}
    hold = {"reason": "excess", "choices": ["void"]}
    seen = floor_of((f"{BASE}/display", {**shown, "hold": hold, **odd}))[Key("north", "7")]
    line = json.loads(floor_line(seen, None, None, {}))
    assert {name: line[name] for name in shown} == shown
    assert line["limits"] is None
    assert line["hold"] == "excess"
    act = json.loads(table_pictures(seen, None, None, {}).dealer)["act"]
    assert (act["code"], act["reason"]) == ("hold", "excess")


def test_a_display_that_a_table_failed_to_draw_shows_its_hold() -> None:
    hold = BareHold("fault", ("continue", "void"))
    bare = BareDisplay(
        game="baccarat", mode="live", phase="dealing", round="n-7-1-1", hold=hold, fault="ValueError"
    )
    seen = floor_of((f"{BASE}/display", msgspec.to_builtins(bare)))[Key("north", "7")]
    act = json.loads(table_pictures(seen, None, None, {}).dealer)["act"]
    assert act == {"code": "hold", "reason": "fault", "choices": ["continue", "void"]}
    assert json.loads(floor_line(seen, None, None, {}))["hold"] == "fault"


def shown(display: dict[str, object]) -> SeenDisplay | None:
    return read_display(json.dumps(display).encode())


IDLE: dict[str, object] = {"phase": "idle", "may_open": {"open": True, "code": None, "why": None}}
LIE = [{"position": position, "card": "2H"} for position in ("player", "banker", "player", "banker")]

FACE_DOWN = [{**card, "card": None} for card in LIE]
ONE_HAND_UP = [{**card, "card": None} if card["position"] == "banker" else card for card in LIE]


@pytest.mark.parametrize(
    ("display", "act"),
    [
        (IDLE, {"code": "open"}),
        (
            {**IDLE, "may_open": {"open": False, "code": "no_shoe", "why": "no shoe is loaded"}},
            {"code": "wait", "why": "no_shoe", "message": "no shoe is loaded"},
        ),
        ({"phase": "betting"}, {"code": "betting"}),
        (
            {"phase": "dealing", "game": "baccarat", "next": "player", "cards": LIE[:2]},
            {"code": "draw", "position": "player", "card": 2},
        ),
        (
            {"phase": "dealing", "game": "baccarat", "next": "player", "cards": LIE},
            {"code": "third", "position": "player"},
        ),
        (
            {"phase": "dealing", "game": "casino-holdem", "next": "burn", "cards": []},
            {"code": "burn", "cards": 1},
        ),
        ({"phase": "decision"}, {"code": "decision"}),
        ({"phase": "reveal"}, {"code": "reveal"}),
        ({"phase": "reveal", "cards": FACE_DOWN}, {"code": "reveal"}),
        ({"phase": "reveal", "cards": ONE_HAND_UP}, {"code": "reveal", "position": "banker"}),
        ({"phase": "result"}, {"code": "result"}),
        ({"phase": "idle", "shoe": {"burns_pending": 3}}, {"code": "burn", "cards": 3}),
        ({"phase": "dealing", "awaits": "settlement", "shoe": {"burns_pending": 1}}, {"code": "book"}),
        (
            {"phase": "dealing", "hold": {"reason": "extra_card", "choices": ["void"]}},
            {"code": "hold", "reason": "extra_card", "choices": ["void"]},
        ),
    ],
)
def test_the_dealers_next_step(display: dict[str, object], act: dict[str, object]) -> None:
    read = shown(display)
    assert read is not None
    assert json.loads(msgspec.json.encode(next_act(read))) == act


@given(st.lists(st.sampled_from(DECK_40), min_size=5, max_size=5))
def test_the_two_cards_that_are_marked_are_worth_what_the_game_says(hand: list[Card]) -> None:
    standing = best_standing([POINTS[card[0]] for card in hand])
    two = best_two(hand)
    assert (two is None) == (standing is None)
    if two is not None and standing is not None:
        one, other = (POINTS[card[0]] for card in two)
        assert standing.is_pair == (one == other)
        assert standing.rank == (one if standing.is_pair else (one + other) % 10)


def test_strength_is_counted_from_the_flop_to_the_result() -> None:
    cards = [{"position": "hand1", "card": "AS"}, {"position": "hand1", "card": "AD"}]
    dealer = [{"position": "dealer", "card": None}] * 2
    flop = [{"position": "flop", "card": card} for card in ("KD", "7C", "7D")]
    display: dict[str, object] = {"game": "casino-holdem", "cards": cards + dealer + flop[:2]}
    assert strength_asked(shown(display)) is None
    display["cards"] = cards + dealer + flop
    asked = strength_asked(shown(display))
    assert asked is not None
    assert asked.face_up == ((("hand1", ("AS", "AD")),), ("KD", "7C", "7D"))
    assert strength_asked(shown({**display, "result": {}})) is None
    assert strength_asked(shown({**display, "game": "snap"})) is None


def test_a_slow_page_gets_the_newest_state_and_never_a_queue() -> None:
    async def slow() -> bytes:
        hub = Hub(2)
        watcher = hub.watch("table/north/7")
        assert await watcher.changed() == [BEAT]
        for number in range(1000):
            hub.put("table/north/7", b"%d" % number)
            hub.put("table/north/8", b"another table")
        return hub.frames(await watcher.changed())

    assert on_a_loop(slow()) == b"999"


def test_the_same_picture_again_is_told_to_nobody() -> None:
    async def again() -> bytes:
        hub = Hub(2)
        watcher = hub.watch("table/north/7")
        hub.put("table/north/7", b"1")
        await watcher.changed()
        hub.put("table/north/7", b"1")
        hub.beat()
        return hub.frames([channel for channel in await watcher.changed() if channel != BEAT])

    assert on_a_loop(again()) == b""


def test_the_beat_goes_round_and_reaches_every_page_once_a_turn() -> None:
    async def round_() -> list[int]:
        hub = Hub(3 * TURNS)
        pages = [hub.watch("floor/") for _ in range(3 * TURNS)]
        for page in pages:
            await page.changed()
        heard = []
        for turn in range(TURNS):
            hub.beat(turn)
            told = [page for page in pages if page.release() or await page.changed() == [BEAT]]
            heard.append(len(told))
        return heard

    assert on_a_loop(round_()) == [3] * TURNS


def test_no_more_pages_than_the_limit() -> None:
    async def many() -> None:
        hub = Hub(2)
        first = hub.watch("floor/")
        hub.watch("floor/")
        with pytest.raises(TooManyPages):
            hub.watch("floor/")
        hub.leave(first)
        hub.watch("floor/")

    on_a_loop(many())
