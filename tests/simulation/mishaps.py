"""Mishaps of more than one step. Each is planned like any other fault, waits until it can happen, and is over
when it has; people go on from there as they always do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.simulation.felt import CUT, Card
from tests.simulation.people import clear
from tests.simulation.plan import Fault
from tests.simulation.things import back_into_shoe, load
from tests.simulation.world import World

Mishap = Callable[[World, Fault], bool]
MISHAPS: dict[str, Mishap] = {}
"""Name -> what happens; whether it did, and does not wait any more."""
MOST_BACK = 3
MOST_BURNS = 20
"""A dealer burns so many by himself, one after the other."""
QUICK_S = 0.4
"""Between two cards, where nobody waits."""


def mishap(name: str) -> Callable[[Mishap], Mishap]:
    """Enters a mishap into the list."""

    def enter(happens: Mishap) -> Mishap:
        MISHAPS[name] = happens
        return happens

    return enter


def come_true(world: World) -> None:
    """What was waiting for its moment happens."""
    for fault in list(world.armed):
        if MISHAPS[fault.kind](world, fault):
            world.armed.remove(fault)


def free(world: World) -> bool:
    """Whether the table does not hold, and a card lies in the shoe."""
    return world.screen.held is None and world.felt.cards_left > 0 and not world.course.deciding


def idle(world: World) -> bool:
    """Whether no round runs, nothing holds, and the next one could open but for cards to be burned."""
    return world.between and free(world) and world.screen.obstacle in (None, "burn_pending")


def draws_next(world: World) -> bool:
    """Whether the dealer's next act is to draw a card."""
    waits = world.screen.awaits or world.course.betting
    return free(world) and world.meant() != "aside" and not waits


@mishap("doubled once more")
def _(world: World, fault: Fault) -> bool:
    """A double read: of any card, the last copy, one that went back, a burn, a card on which bets open."""
    if not draws_next(world):
        return False
    card, laid = world.felt.shoe[-1], len(world.felt.laid)
    others = sum(one.name == card.name for one in world.felt.shoe[:-1])
    right = (
        True,
        not others,
        card.back,
        world.meant() == "burn",
        laid in (1, 3) and world.course.dealing,
    )[fault.value % 5]
    right = right or world.course.rounds > fault.round + 1  # it does not come: any other will do
    if right:
        world.readers.errors.add("doubled")
        if fault.value // 5 % 3 == 0:
            world.armed.append(replace(fault, kind="a card into the hold", value=1))
    return right


@mishap("doubled and early")
def _(world: World, fault: Fault) -> bool:
    """A card before its time, which is read twice; every second time another card comes behind it."""
    if not (free(world) and (world.course.betting or world.phase == "reveal" or world.screen.awaits)):
        return False
    world.readers.errors.add("doubled")
    world.draw()
    if fault.value % 2:
        world.draw()
    return True


@mishap("two equal cards")
def _(world: World, fault: Fault) -> bool:
    """Two copies come one behind the other, as fast as a double read; every third time out of turn."""
    shoe = world.felt.shoe
    if not free(world) or world.felt.next_back or not (fault.value % 3 == 0 or draws_next(world)):
        return False
    name = shoe[-1].name
    found = [at for at, card in enumerate(shoe[:-1]) if card.name == name and name != CUT]
    if not found:
        return True
    shoe.insert(-1, shoe.pop(found[-1]))
    world.draw()
    if world.meant() != "aside":
        world.draw()
    return True


@mishap("hold upon hold")
def _(world: World, fault: Fault) -> bool:
    """The table holds and cards go on coming: one is read twice, or not at all, or goes back."""
    if not free(world) or world.course.over:
        return False
    if fault.value % 2:
        world.key("HOLD")
    else:
        world.draw()
    for error in ("", ("doubled", "unread", "back", "doubled")[fault.value // 2 % 4], ""):
        if error == "back":
            back_into_shoe(world)
            continue
        world.readers.errors |= {error} - {""}
        world.draw()
    return True


@mishap("unread while others are due")
def _(world: World, fault: Fault) -> bool:
    """Cards go back; of those that come out again one is not read, in a hold or out of it."""
    if not free(world) or (world.course.over and fault.value % 2):
        return False
    if fault.value % 3 and not draws_next(world):
        world.draw()
    back = 0
    while back <= fault.value // 3 % MOST_BACK and back_into_shoe(world):
        back += 1
    if not back:
        return False
    world.readers.errors.add(("unread", "doubled", "unread", "misread")[fault.value % 4])
    if world.screen.held is not None:
        world.draw()
        if fault.value % 5 == 0:
            world.draw()
    return True


@mishap("put back in another order")
def _(world: World, fault: Fault) -> bool:
    """A card goes back between rounds, or in one, and comes out behind another one."""
    felt = world.felt
    owes = world.owed or world.turn_up or world.screen.burns
    if not free(world) or not world.between or felt.cards_left < 2 or felt.next_back or owes:
        return False
    world.draw("aside")
    held = world.screen.held
    if held is None or held.reason != "extra_card" or not felt.aside:
        return True
    clear(world, "return")
    if felt.next_back:
        felt.shoe[-1], felt.shoe[-2] = felt.shoe[-2], felt.shoe[-1]
        felt.mixed = True
        world.draw("burn" if world.screen.burns else "aside")
    return True


@mishap("a copy too many")
def _(world: World, fault: Fault) -> bool:
    """Of a card that is out as often as there are decks another one comes, in no deal."""
    names = [name for name in world.rules.deck if world.said[name] >= world.rules.decks]
    if not free(world) or not names or world.course.dealing or world.felt.next_back:
        return False
    world.felt.shoe.append(Card(names[fault.value % len(names)], serial=9_000 + fault.value))
    world.felt.tampered = True
    world.draw()
    return True


@mishap("shoe runs out")
def _(world: World, fault: Fault) -> bool:
    """Nobody has put in a cut card, and most of the shoe is burned: the last cards are those of a round."""
    felt, core = world.felt, world.drawn.core
    begun = world.owed > MOST_BURNS and world.burned_down == world.course.shoes
    if begun and world.course.dealing and draws_next(world):
        return burn_down(world)  # it goes on after a hold, and a clock has opened a round meanwhile
    if not idle(world) or world.turn_up or world.rules.shuffled_every_round:
        return False
    if begun:
        return burn_down(world)
    if world.owed or world.burned_down:
        return not world.owed
    burns = felt.cards_left - world.rules.most - core.shoe.burn_each_round - fault.value % 4
    if burns <= 0 or felt.next_back or felt.reserved or felt.tampered:
        return True
    felt.shoe = [card for card in felt.shoe if card.name != CUT]
    if world.key(f"BURN {burns}").refused or world.screen.burns < burns:
        return True
    world.owed_keys += burns
    world.burned_down = world.course.shoes
    return burn_down(world)


def burn_down(world: World) -> bool:
    """Burn what is due; whether little is left of it."""
    while world.owed > 0 and world.screen.held is None and world.felt.shoe:
        world.draw("burn")
        world.hear(world.desk.wait(QUICK_S))
    return world.owed <= MOST_BURNS or not world.felt.shoe


@mishap("last cards are burned")
def _(world: World, fault: Fault) -> bool:
    """Of a shoe that runs out every card comes early, and is burned, while bets are open or a book may be."""
    if world.burned_down != world.course.shoes or world.owed > MOST_BURNS:
        return MISHAPS["shoe runs out"](world, fault) and not world.burned_down
    if not (world.course.betting or world.screen.awaits) or world.course.closed < fault.value // 4 % 2:
        return world.felt.cards_left > MOST_BURNS
    while free(world):
        world.draw()
        held = world.screen.held
        if held is None or held.reason != "early_card" or "burn" not in held.choices:
            return world.course.over
        clear(world, "burn")
        world.hear(world.desk.wait(QUICK_S))
    return not world.felt.cards_left


@mishap("a card into the hold")
def _(world: World, fault: Fault) -> bool:
    """The table asks whether a card was read twice, and the next one comes; every third time in any hold."""
    held = world.screen.held
    asks = held is not None and (held.reason == "rapid_repeat" or fault.value % 3 == 0)
    if asks and world.felt.cards_left:
        world.draw()
    return asks


@mishap("empty while cards wait")
def _(world: World, fault: Fault) -> bool:
    """The shoe is said to be empty in a hold that has cards; mostly it is."""
    waits = bool(world.screen.waiting) and world.screen.held is not None
    if not waits or (world.felt.cards_left and fault.value % 4):
        return False
    world.felt.miscounted |= world.felt.cards_left > 0
    world.supervisor("EMPTY")
    return True


@mishap("cut card now")
def _(world: World, fault: Fault) -> bool:
    """It comes next, with cards or before those that went back."""
    felt = world.felt
    if not free(world) or all(card.name != CUT for card in felt.shoe):
        return False
    felt.shoe = [card for card in felt.shoe if card.name != CUT]
    felt.shoe.append(Card(CUT))
    if fault.value % 2:
        world.draw()
    return True


@mishap("void behind another shoe")
def _(world: World, fault: Fault) -> bool:
    """Cards of the next shoe are out, and wait, when the last round is voided."""
    if world.screen.phase != "settled" or world.screen.held is not None:
        return False
    load(world)
    for _ in range(1 + world.screen.burns + fault.value % 3):
        world.draw()
    world.void("supervisor")
    return True


@mishap("cards before the book closes")
def _(world: World, fault: Fault) -> bool:
    """The bets are closed here and not yet there, and cards are drawn."""
    if not world.screen.awaits or not free(world):
        return False
    for _ in range(1 + fault.value % 3):
        world.draw()
    return True
