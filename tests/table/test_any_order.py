"""Events in any order, with junk among them: never an exception, a wrong result or a stuck table.

``EXAMPLES=500 HYPOTHESIS_PROFILE=explore`` looks further than every run of the tests does.
"""

from __future__ import annotations

import os
from typing import ClassVar

import hypothesis.strategies as st
import msgspec
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from controller.round.state import State
from controller.round.turn import game_of
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import EVENTS, Stamp
from controller.vocabulary.irregularities import KINDS, VOID_REASONS
from tests.scenarios.conversation import Conversation, Json, configuration_of, events_of
from tests.scenarios.onlooker import Onlooker
from tests.scenarios.rescue import finish, next_card, next_key, rescue

EXAMPLES = int(os.environ.get("EXAMPLES", "25"))

TABLES = {
    "2-card-action": (
        "2-card-action layout=C",
        "2-card-action layout=A decks=4 void=supervisor round.settle=auto round.open=auto",
        "2-card-action layout=B decks=4 shoe.kind=continuous round.close=first_card shoe.burn_each_round=1",
    ),
    "two-cards-high": (
        "two-cards-high seats=1",
        "two-cards-high seats=2 void=supervisor deal=packets core.shoe_numbered=no",
        'two-cards-high seats=1 shoe.sets=["a","b"] table.session=signed round.two_person_void=yes',
    ),
    "baccarat": (
        "baccarat decks=1",
        "baccarat decks=2 round.close=timer round.bets_s=20 shoe.burn=count shoe.cut_card_behind=80",
        'baccarat decks=1 squeeze=yes round.settle=auto round.dealer_choices=["continue"] shoe.free_hand=yes',
        'baccarat decks=1 odds=live betting_rounds=["deal","first","four"] shoe.min_card_interval_ms=100',
        "baccarat decks=1 round.await_book=settlement round.exposed_card=play shoe.burn_each_round=1",
    ),
    "casino-holdem": (
        "casino-holdem",
        'casino-holdem burn_before=["flop","turn"] round.decision_s=20 void=automatic',
        "casino-holdem deal=rotation core.shoe_numbered=no",
    ),
}
"""Between them every setting that changes what a table does."""

KEYS = """
    OPEN | CLOSE | DECIDED | REVEAL | REVEAL player | REVEAL banker | REVEAL dealer
    SETTLED | HOLD | CUT | EMPTY | RESTART | TABLE-OPENED | TABLE-CLOSED
    BURN 1 | BURN 3 | BURN 400 | LOST shoe | BACK shoe | LOST panel | BACK panel | MISSED shoe | MISSED panel
    DEALER ann | TROUBLE shoe 8S | CONDITION outbox_full on | CONDITION outbox_full off
    RESULT player | RESULT banker | RESULT tie player_pair=yes
    DECISIONS hand1 play=3 | DECISIONS seat1 fold=1
    SHUFFLE-FAILED jam | COLLECTED 2 | COLLECTED 40
    BOOK | BOOK 3 | TIMER book | TIMER bets | TIMER warn | TIMER decisions | TIMER review | TIMER bets round=x
"""
CODES = ["8S", "8H", "KD", "AC", "2H", "2S", "3S", "4S", "TS", "XX", "8S@banker", "8S@burn", "5D#7", "??"]
ANY_KEY = st.sampled_from([key.strip() for line in KEYS.strip().splitlines() for key in line.split("|")])
ANY_BADGE = st.sampled_from(["4711", "4712", "dealer", "ann", ""])
ANY_CODE = st.sampled_from(CODES)
ANY_CHOICE = st.sampled_from(sorted({choice for kind in KINDS.values() for choice in kind.choices}))
ANY_TABLE = st.sampled_from([table for tables in TABLES.values() for table in tables])
ANY_SET = st.sampled_from([None, "a", "b", "c/#"])
FAILING = st.sampled_from(
    ["OPEN", "8S", "SETTLED", "CLEAR continue", "VOID supervisor", "CLEAR void", "SHOE 52"]
)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
EVENT_TYPES = tuple(EVENTS.values())
EVENT_NAMES = st.sampled_from([kind.__struct_config__.tag for kind in EVENT_TYPES] + ["nonsense"])
FIELD_NAMES = st.sampled_from(
    sorted(
        {name for kind in EVENT_TYPES for name in kind.__struct_fields__}
        | {*Stamp.__struct_fields__} - {"fault"}
    )
)


class AnyOrder(RuleBasedStateMachine):
    """One table, and a naive second opinion that looks on."""

    tables: ClassVar[tuple[str, ...]] = ()

    @initialize(data=st.data())
    def configured(self, data: st.DataObject) -> None:
        self.configuration = configuration_of(data.draw(st.sampled_from(self.tables)))
        self.told: list[tuple[int, Json]] = []
        self.conversation = Conversation(self.configuration, Onlooker())

    @property
    def state(self) -> State:
        return self.conversation.state

    def say(self, event: Json) -> None:
        """Tell an event and remember it; one that is none leaves no trace."""
        try:
            self.conversation.tell(event)
        except InputError:
            return
        self.told.append((self.conversation.number, event))

    def key(self, text: str) -> None:
        for event in events_of(text):
            self.say(event)

    @rule(times=st.integers(1, 12))
    def the_game_goes_on(self, times: int) -> None:
        """What a good dealer would do next."""
        for _ in range(times):
            if self.state.holds:
                return
            self.key(next_key(self.state))

    @rule(key=ANY_KEY)
    def a_key(self, key: str) -> None:
        self.key(key)

    @rule(code=ANY_CODE)
    def any_card(self, code: str) -> None:
        self.key(code)

    @rule(choice=ANY_CHOICE, by=ANY_BADGE)
    def any_choice(self, choice: str, by: str) -> None:
        self.key(f"CLEAR {choice} by={by}")

    @precondition(lambda self: self.state.holds)
    @rule(data=st.data())
    def a_choice_of_the_hold(self, data: st.DataObject) -> None:
        reason = self.state.holds[-1].reason
        if reason == "card_unread" and self.state.shoe is not None:
            self.key(f"ENTER {next_card(self.state)}")
        self.key(f"CLEAR {data.draw(st.sampled_from(list(KINDS[reason].choices)))}")

    @rule(reason=st.sampled_from([*VOID_REASONS, "because"]), by=ANY_BADGE)
    def a_void(self, reason: str, by: str) -> None:
        self.key(f"VOID {reason} by={by}")

    @rule(by=ANY_BADGE, data=st.data())
    def a_card_goes_back(self, by: str, data: st.DataObject) -> None:
        shoe = self.state.shoe
        out = [str(drawn.card) for drawn in shoe.drawn[-3:]] if shoe is not None else []
        self.key(f"RETURN {data.draw(st.sampled_from([*out, '8S']))} by={by}")

    @rule(card=ANY_CODE, by=ANY_BADGE)
    def a_card_is_entered(self, card: str, by: str) -> None:
        self.key(f"ENTER {card} by={by}")

    @rule(more=st.integers(-2, 2), shuffled=st.booleans(), counted=st.booleans(), name=ANY_SET)
    def a_shoe(self, more: int, shuffled: bool, counted: bool, name: str | None) -> None:
        game = game_of(self.state.configuration)
        cards = max(0, len(game.deck) * game.decks + more)
        self.say({"event": "shoe_loaded", "cards": cards, "shuffled": shuffled, "set": name})
        self.say({"event": "shuffle_completed", "cards": cards if counted else None, "set": name})

    @rule(more=st.integers(-1, 1), left=st.booleans(), name=ANY_SET)
    def a_count(self, more: int, left: bool, name: str | None) -> None:
        shoe = self.state.shoe
        if shoe is not None:
            counted = max(0, (shoe.left if left else shoe.total) + more)
            self.say({"event": "shoe_counted", "left" if left else "cards": counted, "set": name})

    @rule(table=ANY_TABLE)
    def another_configuration(self, table: str) -> None:
        core = configuration_of(table)
        self.say({"event": "table_configured", "core": msgspec.to_builtins(core)})

    @rule(name=EVENT_NAMES, fields=st.dictionaries(FIELD_NAMES, JUNK, max_size=4))
    def junk(self, name: str, fields: Json) -> None:
        self.say({**fields, "event": name})

    @rule(keys=FAILING)
    def we_fail(self, keys: str) -> None:
        """An exception of ours at this event: the record says so, and the table holds."""
        for event in events_of(keys):
            self.say({**event, "fault": "ZeroDivisionError"})

    def teardown(self) -> None:
        """Folding again says the same; and whatever happened, some keys lead to the next result."""
        if not hasattr(self, "conversation"):
            return
        again = Conversation(self.configuration)
        for number, event in self.told:
            again.number = number - 1
            again.tell(event)
        assert again.stream == self.conversation.stream, "folding again says something else"
        assert again.retained == self.conversation.retained
        rescue(self.conversation)
        assert finish(self.conversation)["data"]


def of_game(game: str) -> type:
    """The test case of one game."""
    case = type(f"AnyOrder-{game}", (AnyOrder,), {"tables": TABLES[game]}).TestCase  # type: ignore[attr-defined]
    case.settings = settings(max_examples=EXAMPLES, stateful_step_count=30)
    return case


TestTwoCardAction = of_game("2-card-action")
TestTwoCardsHigh = of_game("two-cards-high")
TestBaccarat = of_game("baccarat")
TestCasinoHoldem = of_game("casino-holdem")
