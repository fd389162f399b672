"""A naive second opinion: what must be true of every table after every event, whatever the events were.

Every message and retained payload is of the shape that ``dealer-table schema`` promises.

It believes the stream of messages as a settlement system would, looks into the state only where the world
cannot, and shares no code with the round but the values.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import cast

import msgspec

from controller.games.game import BURN
from controller.round.known import trusted, unseen_cards
from controller.round.state import State
from controller.round.turn import game_in
from controller.shell.restart import stored
from controller.table import Table
from controller.vocabulary.events import AnyEvent
from tests.scenarios.conversation import Heard, Json, name_of
from tests.scenarios.order import STANDS, Order
from tests.schema.shapes import check

CARD = re.compile(r"(?<![A-Za-z0-9])[A23456789TJQK][SHDC](?![A-Za-z0-9])")
STATES = stored(State)


@dataclass
class RoundSeen:
    """What a settlement system knows of a round."""

    cards: list[Json] = field(default_factory=list)
    standing: str | None = None
    """Id of the result that bets are paid by now."""
    unreplaced: str | None = None
    """Id of the last result, also of one that was withdrawn."""
    results: int = 0
    settled: bool = False
    ended: str | None = None
    revealed: set[str] = field(default_factory=set)


@dataclass
class Onlooker:
    """Sees every event and every message; an AssertionError says what is wrong."""

    sequence: int = 0
    hash: str = "0" * 64
    rounds: dict[str, RoundSeen] = field(default_factory=dict)
    running: str | None = None
    names: set[str] = field(default_factory=set)
    shown: dict[str, Json] = field(default_factory=dict)
    """The retained topics after the last event."""
    told: set[tuple[object, object]] = field(default_factory=set)
    """Shoe and draw of the cards that were named to everybody."""
    nonces: set[str] = field(default_factory=set)
    """Of these cards: a card that goes back and comes again keeps its nonce, so all know it when it lies face
    down."""
    asked: dict[object, set[object]] = field(default_factory=dict)
    """Hold -> draws of the double reads that it asks about."""
    shoe: object = None
    snapshots: bool = True
    order: Order = field(default_factory=Order)

    def __call__(self, event: AnyEvent, before: Table, after: Table, heard: Heard) -> None:
        """Look at one event and all that came of it."""
        for message in heard.messages:
            self._chain(message)
            self._believe(message)
            self._learn(message, before.state)
            self.order.hear(name_of(message), cast(Json, message["data"]))
        if after.state is None:
            return
        for topic, payload in heard.retained.items():
            if self.shown.get(topic) != payload:
                check(topic, payload)
        self.shown = dict(heard.retained)
        for state in (before.state, after.state):
            shoe = None if state is None else state.shoe
            drawn = () if shoe is None else shoe.drawn
            self.nonces |= {one.nonce for one in drawn if shoe and (shoe.id, one.draw) in self.told}
        self._price(after.state)
        self._compare(after.state)
        self.order.check_hold(held=bool(after.state.holds))
        if after.state.round is not None:
            assert self.order.last <= STANDS[after.state.phase], f"{after.state.phase}, and nobody was told"
        check_places(after.state)
        seen = self.rounds.get(self.running or "")
        check_secrecy(after.state, heard, set() if seen is None else seen.revealed)
        check_quiet(after.state)
        if before.state is not None and heard.refusals:
            check_refusal(event, before.state, after.state, heard)
        names = [name_of(message) for message in heard.messages]
        if "round.result" in names:
            later = names[names.index("round.result") :].count("table.held")
            assert later >= len(after.state.holds), "a result in a hold"
        if self.snapshots:
            body = msgspec.json.encode(after.state, order="sorted")
            assert STATES.decode(body) == after.state, "a snapshot does not give the same state"

    def _chain(self, message: Json) -> None:
        self.sequence += 1
        assert message["sequence"] == self.sequence, "a gap in the stream"
        assert message["id"] == f"{message['epoch']}-{self.sequence}"
        assert message["prevhash"] == self.hash, "the chain of messages is broken"
        self.hash = hashlib.sha256(msgspec.json.encode(message, order="sorted")).hexdigest()
        name = name_of(message)
        check("events", message)
        self.names.add(name)

    def _believe(self, message: Json) -> None:
        name, data = name_of(message), message["data"]
        assert isinstance(data, dict)
        if name == "shoe.started":
            self.shoe = data["shoe"]
        for one in (data, *data.get("evidence", ())):
            if one.get("draw") is not None and (one.get("card") or one.get("got")):
                self.told.add((one.get("of_shoe", one.get("shoe", self.shoe)), one["draw"]))
            if one.get("nonce") and one.get("commitment"):
                card = one.get("card") or one["got"]
                assert one["commitment"] == committed(one["nonce"], card), "a nonce opens another card"
        if name == "round.opened":
            last = self.rounds.get(self.running or "")
            assert last is None or last.ended, "a round opened while another one was not ended"
            assert data["round"] not in self.rounds
            self.running = str(data["round"])
            self.rounds[str(data["round"])] = RoundSeen()
        elif name.startswith("round."):
            assert data["round"] == self.running == message.get("subject"), (
                f"{name} of a round that does not run"
            )
            self._of_round(name, data, str(message["id"]), self.rounds[str(self.running)])

    def _learn(self, message: Json, before: State | None) -> None:
        """A double read that is ruled to be a second card is of the code of the one before it: who knows that
        one knows it."""
        name, data = name_of(message), cast(Json, message["data"])
        if name == "table.held":
            evidence = cast(list[Json], data["evidence"])
            self.asked[data["hold"]] = {one["draw"] for one in evidence if one["code"] == "rapid_repeat"}
        shoe = None if before is None else before.shoe
        if name != "table.resumed" or shoe is None or shoe.id != self.shoe:
            return
        if data["reason"] != "rapid_repeat" or data["choice"] != "accept":
            return
        for drawn in shoe.drawn:
            same = [one.draw for one in shoe.drawn if one.code == drawn.code and one.draw < drawn.draw]
            if drawn.draw in self.asked[data["hold"]] and {(shoe.id, draw) for draw in same[-1:]} & self.told:
                self.told.add((shoe.id, drawn.draw))

    def _of_round(self, name: str, data: Json, message: str, seen: RoundSeen) -> None:
        assert not seen.ended, f"{name} after round.{seen.ended}"
        if name == "round.card":
            index = int(str(data["index"]))
            assert index <= len(seen.cards) + 1, "a card was left out"
            seen.cards = [*seen.cards[: index - 1], data]
            if index <= len(seen.cards):
                seen.standing = None
        elif name == "round.revealed":
            cards = data["cards"]
            assert isinstance(cards, list)
            seen.revealed |= {str(card["card"]) for card in cards}
            for card in cards:
                told = seen.cards[card["index"] - 1]
                assert told["commitment"] == card["commitment"] == committed(card["nonce"], card["card"])
                seen.cards[card["index"] - 1] = {**told, "card": card["card"]}
                self.told.add((told["shoe"], told["draw"]))
        elif name == "round.result":
            seen.results += 1
            assert data["revision"] == seen.results
            assert data["replaces"] == seen.unreplaced, "a result that replaces another one than the last"
            assert data["used"] == len(seen.cards), "a result from cards that were not announced"
            assert data["complete"] is True
            assert_hands(data, seen)
            seen.standing = seen.unreplaced = message
            seen.settled = False
        elif name == "round.settled":
            assert seen.standing, "settled without a result"
            assert not seen.settled, "settled twice"
            seen.settled = True
        elif name == "round.final":
            assert seen.standing, "final without a result"
            assert seen.settled, "final before the settlement"
            seen.ended = "final"
        elif name == "round.void":
            assert data["retracts"] == seen.unreplaced, "paid and refunded: a result that is not retracted"
            assert data["bets"] == "refund"
            seen.ended = "void"

    def _price(self, state: State) -> None:
        """Prices know the cards that everybody was told, and no other."""
        if state.shoe is None or not trusted(state):
            return
        game, shoe = game_in(state), state.shoe
        told = [drawn.card for drawn in shoe.drawn if drawn.nonce in self.nonces]
        unseen = {card: max(0, shoe.decks - told.count(card)) for card in game.deck}
        assert unseen_cards(state, game, shoe) == unseen, "a price depends on a card that nobody was told"

    def _compare(self, state: State) -> None:
        """What the stream told and what the table believes are the same."""
        assert state.said == self.sequence
        seen = self.rounds.get(self.running or "")
        if seen is None or state.round is None:
            assert state.round is None
            return
        assert state.round.id == self.running
        assert (state.round.phase == "void") == (seen.ended == "void")
        if state.round.phase == "settled":
            assert seen.settled, "settled, and nobody was told"
            assert seen.standing is not None
        if state.round.result is not None:
            assert state.round.result.id == seen.standing


def committed(nonce: str, card: str) -> str:
    """The commitment of a card, by the contract's words."""
    return hashlib.sha256(f"{nonce}{card}".encode()).hexdigest()


def assert_hands(result: Json, seen: RoundSeen) -> None:
    """The hands of a result are the cards that were announced or revealed, in their order."""
    lying: dict[object, list[object]] = {}
    for card in seen.cards:
        lying.setdefault(card["position"], []).append(card["card"])
    hands = result["hands"]
    assert isinstance(hands, dict)
    if result["game"] == "2-card-action":
        assert [card["card"] for card in seen.cards] == [card for hand in hands.values() for card in hand]
        return
    for name, hand in hands.items():
        assert lying.get(name, []) == hand, f"{name} has other cards than were announced"


def check_places(state: State) -> None:
    """Every card that is out lies in one place only, and the ledger has no draw twice."""
    if state.shoe is None:
        return
    draws = [drawn.draw for drawn in state.shoe.drawn]
    assert draws == sorted(set(draws)), "the ledger is out of order"
    assert all(draw <= state.shoe.draws for draw in draws)
    assert not {drawn.draw for drawn in state.shoe.expected} & set(draws), "in the shoe and out of it"
    loose = [card.draw for hold in state.holds for card in hold.cards]
    if state.reserved is not None:
        loose.append(state.reserved.draw)
    if state.voidable and state.round is not None and state.round.shoe_id == state.shoe.id:
        loose += [laid.drawn.draw for laid in state.round.laid]
        loose += [drawn.draw for drawn in state.round.extras if drawn.draw not in state.shoe.burned]
        assert all(laid.drawn.card is not None for laid in state.round.laid), "an unnamed card counts"
    assert len(loose) == len(set(loose)), "a card lies in two places"
    assert not set(loose) & set(state.shoe.burned), "a burn card counts"


def check_secrecy(state: State, heard: Heard, revealed: set[str]) -> None:
    """No card that lies face down is named in a message or a retained topic (one-deck games: names are
    unique)."""
    game = game_in(state)
    round_ = state.round
    if round_ is None or not game.has_reveal or state.shoe is None:
        return
    lying = [
        (str(laid.drawn.card), laid.position == BURN or game.face_down(laid.position), laid.drawn.draw)
        for laid in round_.laid
    ]
    turned = round_.revealed if isinstance(round_.revealed, tuple) else ()
    down = {card for card, face_down, draw in lying if face_down and draw not in turned}
    down |= {str(drawn.card) for drawn in round_.aside}
    up = revealed | {card for card, face_down, draw in lying if not face_down or draw in turned}
    told = [message for message in heard.messages if not name_of(message).startswith(("shoe.", "alert."))]
    topics = {name: body for name, body in heard.retained.items() if name in ("display", "result")}
    topics["display"] = {**topics.get("display", {}), "last_results": []}
    if state.last is not None and state.last.round != round_.id:
        topics.pop("result", None)
    text = json.dumps([told, topics])
    assert not (set(CARD.findall(text)) & down) - up, "a face-down card is named"


def check_quiet(state: State) -> None:
    """Clocks stop in a hold; the light is green or yellow while bets are open only."""
    assert not (state.holds and state.timers), "a clock runs in a hold"
    assert state.light == "red" or state.phase == "betting", "a light that is not red while bets are closed"
    assert len({alert.id for alert in state.alerts}) == len(state.alerts)
    assert all(re.fullmatch(r"[A-Za-z0-9._~-]+", alert.id) for alert in state.alerts), (
        "an alert that has no topic"
    )


def check_refusal(event: AnyEvent, before: State, after: State, heard: Heard) -> None:
    """What is refused changes nothing but what is told of it (a step asked for too soon holds as well)."""
    if "cards_missing" in heard.refusals or after.holds != before.holds:
        return
    kept = msgspec.structs.replace(
        after,
        alerts=before.alerts,
        said=before.said,
        void_asked_by=before.void_asked_by,
        void_asked_for=before.void_asked_for,
        timers=before.timers,
    )
    assert kept == before, f"a refused {type(event).__name__} changed the table"
