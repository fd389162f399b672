"""The way out: whatever happened, some keys of a supervisor reach the next open round, to its result."""

from __future__ import annotations

from collections.abc import Callable

from controller.round.choices import choices_of
from controller.round.state import State
from controller.round.turn import game_of
from controller.vocabulary.cards import Card
from tests.scenarios.conversation import Conversation, Json, name_of

LONGEST = 40
"""Events after which a table counts as stuck."""


def rescue(conversation: Conversation) -> list[str]:
    """Bring the table to an open round by keys alone (and devices that come back); which keys it took."""
    keys: list[str] = []

    def press(text: str) -> None:
        keys.append(text)
        assert len(keys) <= LONGEST, f"stuck in {conversation.state.phase}: {keys}"
        conversation.say(text)

    for device in conversation.state.lost:
        conversation.tell({"event": "device_restored", "device": device})
    for condition in list(conversation.state.conditions):
        conversation.tell({"event": "condition_changed", "condition": condition, "active": False})
    while (hold := conversation.state.hold) is not None:
        if hold.reason == "shuffle_doubt":
            press(shuffled(conversation.state))
        else:
            press("CLEAR void by=4711; CLEAR void by=4712")
    if conversation.state.in_round:
        press("VOID supervisor by=4711; VOID supervisor by=4712")
    open_next(conversation, press)
    assert conversation.state.phase == "betting", f"no round opened: {keys}"
    return keys


def open_next(conversation: Conversation, press: Callable[[str], None]) -> None:
    """A new shoe and the opening; burn cards are drawn where the house burns.

    A shoe that is loaded without a name may be the set that rests and was counted wrong: it is shuffled then.
    """
    press(shuffled(conversation.state))
    if (hold := conversation.state.hold) is not None and hold.reason == "shuffle_doubt":
        press(shuffled(conversation.state))
    press("TABLE-OPENED")
    if conversation.state.shoe is not None and conversation.state.shoe.burn_count_pending:
        press(next_card(conversation.state))
    press("OPEN")


def shuffled(state: State) -> str:
    """A shoe that comes from the shuffler, as it should be."""
    game = game_of(state.next_configuration or state.configuration)
    cards = len(game.deck) * game.decks
    return f"SHUFFLED {cards}; SHOE {cards}"


def next_card(state: State) -> Card:
    """A card that the shoe can still hold, and must give where some went back; never next to the last one."""
    shoe = state.shoe
    assert shoe is not None
    if shoe.expected and shoe.expected[0].card is not None:
        return shoe.expected[0].card
    game = game_of(state.shoe_configuration)
    out = [drawn.card for drawn in shoe.drawn]
    deck = game.deck[:: 7 if len(game.deck) % 7 else 9]
    rest = [card for card in (*deck, *game.deck) if out.count(card) < shoe.decks]
    return (rest or list(deck))[0]


def key_after(state: State) -> str:
    """What people do next: a hold is cleared where the choice led to another one, else the game goes on."""
    if state.lost:
        return f"BACK {state.lost[0]}"
    if state.holds:
        choices = choices_of(state, state.holds[-1])
        return f"CLEAR {'return' if 'return' in choices else next(iter(choices))}"
    return next_key(state)


def next_key(state: State) -> str:
    """What a good dealer does next; a shoe is changed in time."""
    game = game_of(state.configuration)
    new_shoe = f"SHOE {len(game.deck) * game.decks}"
    shoe, phase = state.shoe, state.phase
    if state.awaits_book:
        return "BOOK"
    if not state.in_round and (shoe is None or shoe.unusable is not None or shoe.left < 12):
        return new_shoe
    if shoe is not None and (state.burns_due or shoe.burn_count_pending or phase == "dealing"):
        return str(next_card(state))
    steps = {"betting": "CLOSE", "decision": "DECIDED", "reveal": "REVEAL", "result": "SETTLED"}
    between = f"{new_shoe}; OPEN" if game.shuffled_every_round else "OPEN"
    return steps.get(phase, between)


def finish(conversation: Conversation) -> Json:
    """Play the open round to its result as a good dealer does; the result."""
    for _ in range(LONGEST):
        state = conversation.state
        assert not state.holds, f"held for {state.holds[-1].reason} on the way to the result"
        assert state.in_round, f"no result in {state.phase}"
        for message in conversation.say(next_key(state)).messages:
            if name_of(message) == "round.result":
                return message
    raise AssertionError("a round without an end")


def lead_on(choice: str, now: Callable[[], State], press: Callable[[str], None]) -> None:
    """Make the choice in a hold, and do what people do next, until a later round is settled."""
    opened = now().rounds
    hold, shoe = now().hold, now().shoe
    if choice == "enter":
        press(f"ENTER {next_card(now())}")
    elif hold is not None and hold.reason == "shuffle_doubt" and shoe is not None:
        press(f"COUNT {shoe.total}")
    press(f"CLEAR {choice} ruled")
    for _ in range(LONGEST):
        state = now()
        if state.phase == "settled" and not state.holds and state.rounds > opened:
            return
        press(key_after(state))
    raise AssertionError(f"stuck in {now().phase}, {now().configuration.game.name}")
