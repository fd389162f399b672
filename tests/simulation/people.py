"""The dealer, who does what is next by the felt and the bell, and the supervisor, who rules in a hold.

A ruling is carried out by hands: what was ruled becomes true on the felt. A good supervisor compares the felt
with the screen first; a bad one chooses anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.simulation.course import Held, Screen, Told
from tests.simulation.felt import Out
from tests.simulation.rules import BY_HAND
from tests.simulation.seats import has_players_to_say, take_seats
from tests.simulation.things import load
from tests.simulation.world import Meant, World

NEW_SHOE = frozenset({"no_shoe", "shoe_finished", "not_shuffled", "insufficient_cards"})


def act(world: World) -> None:
    """One act of people."""
    screen = world.screen
    if screen.held is not None:
        rule(world, screen, screen.held)
    else:
        deal(world, screen)


def deal(world: World, screen: Screen) -> None:
    """What a good dealer does next."""
    course = world.course
    if world.between:
        between(world, screen)
    elif course.betting and not course.closed and has_players_to_say(world):
        take_seats(world)
    elif course.betting:
        how = world.drawn.core.round.close
        if how == "first_card":
            world.draw()
        else:
            course.betting = not lamp_is_out(world.key("CLOSE"))
    elif course.deciding:
        course.deciding = not lamp_is_out(world.key("DECIDED"))
    elif course.result is not None:
        world.key("SETTLED")
    elif screen.awaits:
        world.hear(world.desk.wait(1.0))
    elif world.lay_accepted():
        pass
    elif world.owed > 0 or world.turn_up or world.next_place() is not None:
        world.draw()
    elif world.rules.reveals and world.hidden:
        world.key(reveal(world))
    elif "no_result" in world.key("SETTLED").refused and screen.phase == "reveal":
        world.key("REVEAL")  # for the table there lies one more that is not turned up


def lamp_is_out(told: Told) -> bool:
    """Whether the step was over already, or is now: who is refused looks at the lamp."""
    return bool({"bets_not_open", "no_decisions"} & {*told.refused}) or any(
        message.name in ("round.bets_closed", "round.decisions_closed") for message in told.messages
    )


def reveal(world: World) -> str:
    """The key that turns cards up: of one hand, or of all that lie."""
    hand = world.plan.dice("reveal", world.course.rounds, world.acts).choice((*world.hidden, ""))
    return f"REVEAL {hand}".strip() if BY_HAND else "REVEAL"


def between(world: World, screen: Screen) -> None:
    """Between two rounds: another shoe where one is needed, the burns of a new one, then the next round."""
    settings = world.drawn.core.round
    if world.felt.aside and world.course.over:
        world.felt.sweep()
    if screen.obstacle == "table_closed":
        world.supervisor("DAY")
    elif screen.obstacle == "agreeing":
        world.hear(world.desk.wait(1.0))
    elif screen.obstacle == "burn_pending":
        world.draw("turn up" if world.turn_up else "burn")
    elif screen.obstacle is not None and (screen.obstacle in NEW_SHOE or world.acts > 40):
        load(world)
    elif world.owed_shoe or world.owed_keys or world.turn_up:
        world.draw()
    elif screen.obstacle is not None and screen.obstacle not in ("round_running", "held"):
        load(world)
    elif settings.open == "auto" and world.course.settled and world.acts % 2 == 0:
        world.hear(world.desk.wait(settings.review_s + 1))
    else:
        world.key("OPEN")


# --- rulings


def rule(world: World, screen: Screen, held: Held) -> None:
    """A supervisor ends the hold, and hands carry it out."""
    if held.reason == "shuffle_doubt":
        load(world)
        if world.screen.held == held:
            world.supervisor("CLEAR accept shuffled by hand")
        return
    dice = world.plan.dice("ruling", world.course.rounds, world.acts)
    good = dice.random() > BAD
    items = found(world, held.items)
    choices = well(world, screen, held, items) if good else list(held.choices)
    if good and dice.random() < PLAYS_ON:
        choices = [choice for choice in choices if choice != "void"] or choices
    choice = dice.choice(choices)
    keys = [entry(world, items, good=good)] if choice == "enter" else []
    told = clear(world, choice, *keys)
    if world.drawn.core.round.two_person_void and "second_badge" in told.refused:
        clear(world, choice, *keys, badge="4712")


def clear(world: World, choice: str, *keys: str, badge: str = "4711") -> Told:
    """A choice is keyed, after some other keys; where it ends a hold, hands carry it out."""
    screen, before = world.screen, world.meant()
    held = screen.held
    items, joined = ([], []) if held is None else (found(world, held.items), found(world, held.joined))
    told = world.supervisor(*keys, f"CLEAR {choice}", badge=badge)
    if held is None or not told.named("table.resumed") or told.named("round.void"):
        return told
    if choice not in well(world, screen, held, items):
        world.excuses[f"ruled {choice}"] += 1
    if told.named("round.bets_closed"):
        before = "lay"  # what came too early is dealt now, perhaps the whole round
    reopened = world.course.betting and bool(told.named("round.bets_opened"))
    world.course.betting &= not reopened  # the cards are dealt before the next betting round opens
    world.doubles.rule(held, choice, items, joined)
    world.felt.miscounted |= held.reason in COUNTS and choice != "void"
    if choice == "return" and held.reason == "rapid_repeat":
        twice = [out for out in items if out.draw in held.asks]  # another one only raised the question
        world.felt.miscounted |= any(out.card is not None for out in twice)
        carry_out(world, held, "void", twice, before)
        take_turns(world, [*(out for out in items if out not in twice), *joined], before)
    elif choice == "return":
        give_back(world, held, [*items, *joined])
    else:
        carry_out(world, held, choice, items, before)
        take_turns(world, joined, before)
    world.course.betting |= reopened
    if world.between:
        world.look_up_burns()
    return told


def take_turns(world: World, joined: list[Out], before: Meant) -> None:
    """Cards that came while the table held are placed one after the other, where no other hold has them."""
    now = world.screen.waiting
    for out in joined:
        if out.draw not in now and out in world.felt.aside:
            world.take_up(out)
            if out.card is not None:
                world.place(out, world.meant_by(before))


def is_ours(world: World, out: Out) -> bool:
    """Whether a card is of the game: nobody lays another one."""
    return out.card is not None and out.card.name in world.rules.deck


def found(world: World, draws: Iterable[int]) -> list[Out]:
    """The cards of these draws that people can lay a hand on."""
    return [out for draw in draws if (out := find(world, draw)) is not None]


def find(world: World, draw: int) -> Out | None:
    """The card of a draw, wherever it lies."""
    felt = world.felt
    kept = [] if felt.reserved is None else [felt.reserved]
    everywhere = [*felt.aside, *kept, *(out for _, out in felt.laid)]
    return next((out for out in everywhere if out.draw == draw), None)


def well(world: World, screen: Screen, held: Held, items: list[Out]) -> list[str]:
    """The choices after which the table believes what lies on the felt."""
    twice = world.doubles.open
    phantom = any(out.card is None or out.lied for out in items)
    laid_already = any(out in [one for _, one in world.felt.laid] for out in items)
    joined = found(world, held.joined)  # the evidence names what waits
    lying = [out for _, out in world.felt.laid]
    named = [out for out in joined if out.said is not None]  # of one that was not read the table asks
    lied = any(out.lied and out not in twice for out in [*named, *lying])  # who looks turns it up
    agrees = bool(world.doubles.counted) or world.agrees(screen)
    if "void" in held.choices and (laid_already or lied or not agrees):
        return ["void"]
    truth = world.doubles.well(held, items)
    if truth is not None:
        return truth
    if held.reason == "insufficient_cards" and "void" in held.choices and not world.felt.cards_left:
        return ["void"]
    if held.reason == "card_unread" and not items:  # no card lies there that the screen has not
        if "burn" in held.choices and screen.burns > world.owed:
            return ["burn"]  # it lies among the burned ones
        return [choice for choice in held.choices if choice in ("enter", "void")]
    if held.reason == "card_unread":
        return [choice for choice in held.choices if choice != "continue"]
    if phantom:
        return [choice for choice in held.choices if choice in ("void", "burn")] or ["void"]
    return list(held.choices)


def entry(world: World, items: list[Out], *, good: bool) -> str:
    """The key that names a card which was not read; ``CUT`` for the cut card."""
    card = items[0].card if items else None
    if card is None or card.name not in world.rules.deck:
        return "CUT"
    if good:
        items[0].said = card.name
        return f"ENTER {card.name}"
    name = world.plan.dice("entry", world.course.rounds, world.acts).choice(world.rules.deck)
    items[0].said = name
    if name != card.name:
        world.excuses["entered wrong"] += 1
    return f"ENTER {name}"


def give_back(world: World, held: Held, outs: list[Out]) -> None:
    """Cards go back into the shoe; of a hold about a result the last one that lies."""
    if not outs and held.reason == "result_disagrees" and world.felt.laid:
        outs = [world.felt.laid[-1][1]]
    for out in outs:
        world.take_up(out)
        world.count(out, -1)
    world.felt.back(*outs)


def carry_out(world: World, held: Held, choice: str, items: list[Out], before: Meant) -> None:
    """What becomes of the cards that a hold was about; ``before``: what the next card was for, until then."""
    felt, now = world.felt, world.screen.waiting
    for out in items:
        if out.draw in now:
            continue  # another hold is about it
        world.take_up(out)
        unfit = held.reason == "foreign_card" or (held.reason == "excess" and world.lies_already(out))
        meant = world.meant_by(before)
        counts = meant != "aside"
        if choice == "burn" and (held.reason == "card_unread" or world.owed > 0):
            world.burn(out)  # it was the burn that was due
        elif choice in ("burn", "void") or unfit or (choice == "stand" and not counts):
            felt.discard(out)
        elif choice == "next_round" and felt.reserved is None and (out.card is None or is_ours(world, out)):
            felt.reserved = out
        elif choice == "next_round":
            felt.discard(out)
        elif out.card is not None:
            out.accepted = held.reason == "early_card" and meant == "aside"
            world.place(out, meant)


COUNTS = frozenset({"insufficient_cards", "shortage", "excess"})
"""Reasons of a hold about the number of cards: who lets that pass does not count with the table any more."""
PLAYS_ON = 0.75
"""How often a good one spares the round where that is right, too."""
BAD = 0.1
"""How often a supervisor chooses without looking."""
