"""What a shuffler said of the cards, and a shoe that was loaded otherwise (``shuffle_doubt``).

What it counted stays with those cards until they are shuffled or counted again, whether the set has a name or
not: with the sets that rest in ``State.resting``, with the cards in use in ``Shoe.rested``.
"""

from __future__ import annotations

import msgspec

from controller.round.holds import hold_for, say_held
from controller.round.state import Figures, Hold, State
from controller.round.turn import Turn
from controller.shoe.ledger import Shoe, Shuffled
from controller.vocabulary.events import HoldCleared, ShuffleFailed
from controller.vocabulary.evidence import Proof
from controller.vocabulary.irregularities import Irregularity


def rest(turn: Turn, name: str | None, cards: int | None, total: int) -> None:
    """A set that is not in the shoe was shuffled. Without ``cards``, what was counted before stays."""
    before = turn.state.resting.get(name or "")
    if cards is not None:
        keep(turn, name, Shuffled(cards, cards == total))
        say_counted(turn, name, cards, total)
    elif before is not None and before.cards:
        keep(turn, name, msgspec.structs.replace(before, done=True))
    else:
        keep(turn, name, Shuffled(None, ok=True))


def keep(turn: Turn, name: str | None, said: Shuffled) -> None:
    """The last that was said of a set that rests."""
    turn.set(resting=turn.state.resting | {name or "": said})


def recount_resting(turn: Turn, name: str, cards: int, total: int) -> None:
    """A set that rests was counted again; that it was shuffled is another question."""
    before = turn.state.resting.get(name)
    if cards != total or (before is not None and before.cards):
        keep(turn, name, Shuffled(cards, cards == total, done=before is not None and before.done))
    say_counted(turn, name, cards, total)


def say_counted(turn: Turn, name: str | None, cards: int, total: int) -> None:
    """The alert about a set that rests with a wrong number of cards."""
    alert = f"set-{name or 'resting'}"
    if cards == total:
        turn.clear_alert(alert)
    else:
        message = f"the shuffler counted {cards} cards, {total} belong to the set: take it off the table"
        turn.raise_alert(alert, wrong(cards, total), message, Figures(cards, total))


def wrong(cards: int, total: int) -> str:
    """The code of a count that is not the whole set."""
    return "excess" if cards > total else "shortage"


def take_rested(turn: Turn, name: str | None, *, other: bool) -> Shuffled | None:
    """What was said of the set that is loaded now; it rests no more. ``other``: it is not the one in use.

    Who names no set, as a key that is pressed, loads one that the shuffler gave no name, or the first good
    one. What the shuffler said without a name may be of any set.
    """
    resting = turn.state.resting
    good = sorted(resting, key=lambda one: not resting[one].ok)
    any_one = good[0] if good and other and not name else None
    key = next((one for one in (name or "", "") if one in resting), any_one)
    if key is None:
        return None
    turn.set(resting={one: rested for one, rested in resting.items() if one != key})
    return resting[key]


def put_back(turn: Turn) -> None:
    """The cards in use leave the table while there is doubt about them: it goes with them."""
    shoe = turn.state.shoe
    if shoe is not None and shoe.rested is not None:
        turn.set(resting={shoe.set or "": shoe.rested} | turn.state.resting)


def doubt(shoe: Shoe) -> Proof | None:
    """In what the shoe was loaded otherwise than its shuffler said, or None."""
    if shoe.rested is not None and shoe.rested.cards:
        why, cards = "the shuffler counted otherwise", shoe.rested.cards
        if cards == shoe.total:
            why, cards = "the shuffler counted the whole set", shoe.loaded
        return Proof(why=why, cards=cards, expected=shoe.total, set=shoe.set)
    if shoe.rested is not None:
        return Proof(why="the shuffle failed", set=shoe.set)
    return None if shoe.shuffled else Proof(why="no shuffle is confirmed", set=shoe.set)


def doubted(state: State) -> Proof | None:
    """What keeps the shoe from opening a round; nothing while one runs, nor where the shoe is out of use."""
    shoe = state.shoe
    return None if shoe is None or state.in_round or shoe.unusable is not None else doubt(shoe)


def watch_doubt(turn: Turn) -> Hold | None:
    """After each event: hold for a doubt that is new. Returns the hold where it is over, for a full shoe came
    from a completed shuffle."""
    proof = doubted(turn.state)
    hold = next((one for one in turn.state.holds if one.reason == "shuffle_doubt"), None)
    if hold is None:
        if proof is not None:
            hold_for(turn, "shuffle_doubt", proof)
        return None
    shoe = turn.state.shoe
    if hold is not turn.state.hold or shoe is None:
        return None
    if doubt(shoe) is None and shoe.unusable is None:
        return hold
    if proof is not None and (shoe.id != hold.shoe or proof != hold.findings[0].evidence):
        newer = msgspec.structs.replace(hold, shoe=shoe.id, findings=(Irregularity("shuffle_doubt", proof),))
        turn.set(holds=(*turn.state.holds[:-1], newer))
        say_held(turn)
    return None


def why_not_dispelled(shoe: Shoe, event: HoldCleared) -> tuple[str, str] | None:
    """Why the choice does not end the doubt: code and words; None where it does."""
    miscounted = shoe.rested is not None and bool(shoe.rested.cards)
    if miscounted and not shoe.recounted:
        return "not_yet", "a count is never attested: COUNT the whole set, or load one that was shuffled"
    if event.choice == "continue" and not (miscounted and shoe.shuffled):
        return "not_yet", "no shuffle is confirmed: load a shoe that was shuffled, or accept with a note"
    if event.choice == "accept" and not (event.note or "").strip():
        return "note_needed", "say in a note who shuffled the cards: CLEAR accept <note>"
    return None


def dispel(turn: Turn) -> None:
    """The cards may be dealt."""
    turn.clear_alert(f"set-{turn.shoe.set or 'resting'}")
    turn.set_shoe(shuffled=True, rested=None, recounted=False)


def known_count(shoe: Shoe) -> int:
    """How many cards the shoe was loaded with, by the word that counts most: a counter's, else a person's."""
    rested = shoe.rested
    return rested.cards if rested is not None and rested.cards and not shoe.recounted else shoe.loaded


def counted_right(turn: Turn) -> None:
    """The whole set of the shoe was counted, and is whole: a wrong count is put right."""
    shoe = turn.shoe
    if shoe.unusable == "wrong_count":
        turn.set_shoe(unusable=None, loaded=shoe.total)
        turn.clear_alert("shoe")
        turn.clear_alert("opening")
    if shoe.rested is not None and shoe.rested.cards:
        turn.set_shoe(loaded=shoe.total, recounted=True)
        if shoe.shuffled and turn.state.in_round:
            dispel(turn)


def counts_itself(turn: Turn) -> bool:
    """Whether a count can be of a continuous shuffler between two rounds: it holds the next opening."""
    return turn.state.shoe_configuration.shoe.kind == "continuous" and not turn.state.in_round


def doubt_count(turn: Turn, cards: int) -> None:
    """A continuous shuffler holds another number of cards than it should."""
    turn.set_shoe(rested=Shuffled(cards, ok=False), recounted=False)


def shuffled_itself(turn: Turn, cards: int | None) -> None:
    """A continuous shuffler shuffled what lies in it: all of the set, or what is not on the table."""
    if cards == turn.shoe.total and not turn.state.in_round:
        forget_doubled(turn)
    shoe = turn.shoe
    if cards is None and known_count(shoe) != shoe.total:
        turn.set_shoe(shuffled=True)
        return
    if cards in (None, shoe.total, shoe.left):
        dispel(turn)
        if not turn.state.in_round and (cards != shoe.left or cards == shoe.total):
            in_order = () if cards == shoe.total else shoe.expected  # what went back lies anywhere now
            turn.set_shoe(shuffled_after=shoe.draws, expected=in_order)
        return
    doubt_count(turn, cards)
    if turn.state.in_round:
        message = f"the shuffler counted {cards} cards, {shoe.left} should be in it: a hold after the round"
        turn.raise_alert("shuffler", wrong(cards, shoe.left), message, Figures(cards, shoe.left))


def forget_doubled(turn: Turn) -> None:
    """All cards are in the shuffler: what may have been a card read twice was none, or went back into it; but
    not what somebody is still to rule on."""
    waiting = {drawn.draw for drawn in turn.state.loose}
    gone = {*turn.shoe.doubled} - waiting
    turn.set_shoe(
        drawn=tuple([drawn for drawn in turn.shoe.drawn if drawn.draw not in gone]),
        doubled=tuple([draw for draw in turn.shoe.doubled if draw in waiting]),
    )


def shuffle_failed(turn: Turn, event: ShuffleFailed) -> None:
    """A failed shuffle never changes the running shoe; a continuous shuffler that fails in a round holds."""
    continuous = turn.state.shoe_configuration.shoe.kind == "continuous" and turn.state.shoe is not None
    if continuous and turn.state.in_round:
        hold_for(turn, "shuffler_fault", Proof(why=event.reason))
        return
    if continuous:
        before = None if turn.shoe.recounted else turn.shoe.rested
        turn.set_shoe(shuffled=False, rested=failed(before), recounted=False)
    else:
        keep(turn, event.set, failed(turn.state.resting.get(event.set or "")))
    turn.raise_alert("shuffler", "shuffle_failed", f"the shuffle failed: {event.reason or 'no reason given'}")


def failed(before: Shuffled | None) -> Shuffled:
    """What is known of a set whose shuffle failed: a wrong count that stands is not forgotten for it."""
    if before is not None and before.cards and not before.ok:
        return msgspec.structs.replace(before, done=False)
    return Shuffled(0, ok=False, done=False)
