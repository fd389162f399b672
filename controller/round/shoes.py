"""Shoe changes, shuffles, counts, and cards that go back into a continuous shuffler."""

from __future__ import annotations

import msgspec

from controller.games.game import Game
from controller.round.burns import take_away_loose
from controller.round.faults import follow_shoe
from controller.round.holds import behind_fault
from controller.round.opening import awaits_shuffle
from controller.round.shoe_end import end_shoe, say_ended
from controller.round.shuffles import (
    counted_right,
    counts_itself,
    doubt,
    doubt_count,
    known_count,
    put_back,
    recount_resting,
    rest,
    shuffled_itself,
    take_rested,
)
from controller.round.state import Figures
from controller.round.turn import REFUSED, Turn, next_game
from controller.round.voids import conduct
from controller.shoe.checks import check_count, check_emptied, set_of
from controller.shoe.ledger import Shoe, Shuffled, collect
from controller.vocabulary.events import (
    CardsCollected,
    ShoeCounted,
    ShoeEmptied,
    ShoeLoaded,
    ShuffleCompleted,
)
from controller.vocabulary.messages import ShoeStarted


def shoe_loaded(turn: Turn, event: ShoeLoaded) -> None:
    """A new shoe, between rounds only. A wrong count or a missing shuffle bars it from the first round on.

    The dealer's word for count and shuffle never outranks the shuffler's (``shuffle_doubt``).
    """
    if turn.state.in_round:
        message = "a shoe cannot be changed in a round"
        turn.refuse("round_running", message)
        turn.raise_alert("shoe-change", "round_running", message, Figures(event.cards))
        return
    game, house = next_game(turn.state), turn.state.newest
    total = len(game.deck) * game.decks
    again = is_loaded_again(turn, event)
    if again and is_said_already(turn, event, game):
        turn.clear_alert(REFUSED)
        return
    take_away_loose(turn)
    if turn.state.shoe is not None and turn.shoe.unusable is None:
        say_ended(turn, "replaced")
    put_back(turn)
    rested = take_rested(turn, event.set, other=not again)
    unasked = again or not house.shuffler
    confirmed = unasked if rested is None else rested.done and rested.cards != 0
    as_said = rested is None or (confirmed and (rested.cards is None or rested.cards == event.cards == total))
    shoe = Shoe(
        id=turn.state.shoes + 1,
        decks=game.decks,
        total=total,
        loaded=event.cards,
        shuffled=event.shuffled and confirmed,
        set=event.set,
        rested=None if as_said else rested,
    )
    begin_shoe(turn, shoe)
    decks = event.decks if event.decks is not None else -(-event.cards // len(game.deck))
    if event.set is not None and (sets := house.shoe.sets) and event.set not in sets:
        turn.set_shoe(unusable="foreign_card")
        turn.raise_alert(
            "shoe", "foreign_card", f"set {event.set} does not belong to this table" + game.cited("5.1.1")
        )
    elif as_said and (decks != game.decks or event.cards != total):
        loaded, wanted = f"{event.cards} cards of {decks} decks", f"{total} of {game.decks}"
        message = f"{loaded} were loaded, {game.name} takes {wanted}{game.cited('5.1.2')}"
        turn.set_shoe(unusable="wrong_count")
        code = "excess" if event.cards > total else "shortage"
        turn.raise_alert("shoe", code, message, Figures(event.cards, total))


def is_loaded_again(turn: Turn, event: ShoeLoaded) -> bool:
    """Whether the load can only be of the cards that are in use already, of which none was drawn since they
    were shuffled: by the shuffler after it said so, or the same key once more."""
    shoe = turn.state.shoe
    return (
        shoe is not None
        and shoe.set == event.set
        and shoe.draws == shoe.shuffled_after
        and shoe.unusable is None
        and doubt(shoe) is None
    )


def is_said_already(turn: Turn, event: ShoeLoaded, game: Game) -> bool:
    """Whether the load says only what the shuffle of the one pack said: the shoe that it began goes on, where
    nothing has come to it since (a burn card that is due, a cut)."""
    shoe, decks = turn.shoe, game.decks if event.decks is None else event.decks
    same = shoe == with_burns(turn, Shoe(shoe.id, decks, shoe.total, event.cards, event.shuffled, shoe.set))
    silent = turn.state.next_configuration is None and {event.set or "", ""}.isdisjoint(turn.state.resting)
    return game.shuffled_every_round and same and silent and not awaits_shuffle(turn.state)


def begin_shoe(turn: Turn, shoe: Shoe) -> None:
    """Take a load of the shoe into use: no card of the old one is expected, waits or is reserved now."""
    take_away_loose(turn)
    for alert in ("shoe", "opening", "shoe-change", "shuffler"):
        turn.clear_alert(alert)
    shoe = with_burns(turn, shoe)
    turn.set(shoe=shoe, shoes=shoe.id, road=(), last_code=None)
    follow_shoe(turn, shoe.id)
    turn.say(
        ShoeStarted(
            shoe=shoe.id,
            set=shoe.set,
            decks=shoe.decks,
            cards=shoe.loaded,
            expected=shoe.total,
            shuffled=shoe.shuffled,
        )
    )


def with_burns(turn: Turn, shoe: Shoe) -> Shoe:
    """The shoe with the burns that the house wants after a shuffle."""
    burn = turn.state.newest.shoe.burn
    return msgspec.structs.replace(
        shoe, burns_pending=1 if burn == "one" else 0, burn_count_pending=burn == "count"
    )


def shuffle_completed(turn: Turn, event: ShuffleCompleted) -> None:
    """A confirmed shuffle: of the pack on the table where it waits for one, of a continuous shuffler's cards,
    else of a set that rests.

    It never touches a running shoe. A wrong count opens no round with those cards (R21). A machine that does
    not count confirms the shuffle alone: the pack has as many cards as before, a set as many as people say.
    """
    game, shoe = next_game(turn.state), turn.state.shoe
    total = len(game.deck) * game.decks
    turn.clear_alert("shuffler")
    if shoe is not None and turn.state.shoe_configuration.shoe.kind == "continuous":
        shuffled_itself(turn, event.cards)
    elif turn.state.in_round or not is_shuffle_of(turn, shoe, event.set, whole=event.cards == total):
        rest(turn, event.set, event.cards, total)
    else:
        name = event.set if shoe is None else shoe.set
        before = take_rested(turn, name, other=False)  # what was said of these cards before is over
        cards = event.cards
        if cards is None:  # but for their number, where nobody counts
            cards = before.cards if before is not None and before.cards else known_count(turn.shoe)
        said = None if cards == total else Shuffled(cards, ok=False)
        begin_shoe(
            turn,
            Shoe(turn.state.shoes + 1, game.decks, total, cards, shuffled=True, set=name, rested=said),
        )


def is_shuffle_of(turn: Turn, shoe: Shoe | None, name: str | None, *, whole: bool) -> bool:
    """Whether a shuffle can only be of the loaded cards, and they wait for one.

    Where sets are in rotation, cards are known by their name alone: the shuffle may be of those that rest.
    So it may where a shuffler works beside the table, or has said something else of the loaded cards: there
    a shoe comes from it when somebody says that it is loaded.
    """
    named = name is not None and shoe is not None and shoe.set is not None
    if (named and shoe is not None and name != shoe.set) or (
        not named and turn.state.shoe_configuration.shoe.sets
    ):
        return False
    if next_game(turn.state).shuffled_every_round:
        return whole if shoe is None else shoe.unusable in (None, "not_shuffled", "cut_card", "emptied")
    if shoe is None or not (named or not (turn.state.shoe_configuration.shuffler or shoe.rested)):
        return False
    return doubt(shoe) is not None or shoe.unusable == "not_shuffled"


def shoe_counted(turn: Turn, event: ShoeCounted) -> None:
    """A count of the whole set or of what is left; a count of another set touches no round.

    Where a shuffler has said of cards without a name that they are shuffled, its count without a name may be
    of those too. It stays with them, whatever comes of the shoe in use: a wrong one speaks against both, a
    right one for them alone.
    """
    shoe = turn.state.shoe
    rests = event.cards is not None and not event.by
    may_rest = rests and event.set is None and "" in turn.state.resting
    if may_rest or (rests and shoe is None):
        game = next_game(turn.state)
        count_resting(turn, event, len(game.deck) * game.decks)
    if shoe is None:
        if not rests:
            turn.refuse("no_shoe", "no shoe is loaded that a count could be held against")
    elif event.left is not None and behind_fault(turn.state):
        turn.refuse("held", "cards wait behind a fault: continue or void first")
    elif event.cards is None and event.left is None and event.missing is None:
        turn.refuse("empty_count", "a count names `cards` of the whole set, `left` in the shoe or `missing`")
    elif is_of_another_set(turn, shoe, event.set):
        count_resting(turn, event, shoe.total)
    elif findings := check_count(shoe, event.cards, event.left, event.missing):
        if event.cards is not None and not event.by and counts_itself(turn):
            doubt_count(turn, event.cards)
        else:
            conduct(turn, tuple(findings))
    elif event.cards == shoe.total and not may_rest:
        counted_right(turn)


def is_of_another_set(turn: Turn, shoe: Shoe, name: str | None) -> bool:
    """Whether a named count is no matter of the shoe in use.

    Who counts by name counts what lies in the shuffler. Of a shoe without a name nothing proves that it is
    meant, and a count of another set touches no round; with no round to touch it is taken for this one.
    """
    if name is None or name == set_of(shoe):
        return False
    nameless = set_of(shoe) is None
    return not nameless or (turn.state.voidable and turn.state.shoe_configuration.shoe.kind != "continuous")


def count_resting(turn: Turn, event: ShoeCounted, total: int) -> None:
    """A set that is not in the shoe was counted: what was found is about that set."""
    if event.cards is not None:
        recount_resting(turn, event.set or "", event.cards, total)
    elif event.missing:
        name = event.set or "resting"
        turn.raise_alert(f"set-{name}", "shortage", f"cards are missing from set {name}")


def shoe_emptied(turn: Turn, event: ShoeEmptied) -> None:
    """The shoe is empty: too few cards for a running round (5.1.4), missing cards by the ledger (5.1.2)."""
    if turn.state.shoe is None:
        turn.refuse("no_shoe", "no shoe is loaded")
        return
    turn.set_shoe(emptied=True)
    look_whether_empty(turn)


def look_whether_empty(turn: Turn) -> None:
    """What it means that the shoe was said to be empty. Cards that wait, in a hold or behind a fault, may
    complete the round: what is missing then is seen when they lie, or are gone."""
    if turn.state.shoe is None or not turn.shoe.emptied:
        return
    if behind_fault(turn.state):
        return
    if turn.shoe.unusable == "fault":  # cards of it were dropped: what is missing says nothing
        turn.set_shoe(emptied=False)
        return
    deals = turn.state.phase in ("betting", "dealing", "decision")
    waits = deals and any(hold.cards for hold in turn.state.holds)
    findings = check_emptied(turn.shoe, 1 if deals and not waits else 0)
    if waits and not findings:
        return
    turn.set_shoe(emptied=False)
    if findings:
        conduct(turn, tuple(findings))
    else:
        end_shoe(turn, "emptied")


def cards_collected(turn: Turn, event: CardsCollected) -> None:
    """Discards go back into a continuous shuffler; cards of a round that still runs are never among them."""
    shoe = turn.state.shoe
    if shoe is None or turn.state.shoe_configuration.shoe.kind != "continuous":
        turn.refuse("not_continuous", "cards go back only into a continuous shuffler")
        return
    lying = {laid.drawn.draw for laid in turn.round.laid} if turn.state.in_round else set()
    lying |= {card.draw for card in turn.round.aside} if turn.state.in_round else set()
    lying |= {card.draw for hold in turn.state.holds for card in hold.cards}
    if turn.state.reserved is not None:
        lying.add(turn.state.reserved.draw)
    discards = len(shoe.drawn) - len(lying & shoe.draw_numbers())
    if event.cards > discards:
        message = f"{event.cards} cards were collected, {discards} lay in the discards"
        turn.raise_alert("shuffler", "collected_count", message, Figures(event.cards, discards))
    turn.set(shoe=collect(shoe, event.cards, frozenset(lying)))
    if event.cards > discards and counts_itself(turn):
        doubt_count(turn, shoe.left + event.cards)
