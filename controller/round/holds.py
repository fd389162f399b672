"""Holds: the table waits for a supervisor. How one starts, what joins it, and how it ends.

Holds stack: a card that is a cause of its own holds on top of what holds already, and the older hold comes
back after it. A finding of a kind that holds already joins that hold, and one of a device the current hold,
so that one choice answers both: of one shoe there are never more holds than kinds of them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from controller.games.game import Dealt, Game
from controller.round.choices import choices_of
from controller.round.secrecy import ProofT, public
from controller.round.state import Deferred, Hold, State
from controller.round.turn import DEALER, Turn, is_told
from controller.shoe.ledger import Drawn
from controller.vocabulary.cards import Card
from controller.vocabulary.codec import decode_event
from controller.vocabulary.effects import Say
from controller.vocabulary.events import CardRead, CardUnread
from controller.vocabulary.evidence import Evidence, Proof, blanked
from controller.vocabulary.irregularities import KINDS, Irregularity, foremost
from controller.vocabulary.messages import TableHeld, TableResumed

PLAYS_ON = frozenset({"early_card", "extra_card"})
"""Reasons of a hold about a card of which nobody knows yet whether, or when, it comes into play."""

MOST_LISTED = 64
"""So many of a kind are listed one by one, then how many more there are. A babbling reader would otherwise
make a message too large for any broker, and nothing behind it would ever get through."""


MOST_TOLD_SINGLY = 8
"""So many findings of one hold are told one by one."""


def published(state: State, game: Game, findings: tuple[Irregularity, ...]) -> list[Evidence]:
    """Findings as they are published: code, paragraph where the document has one, and the public part of the
    proof."""
    return [
        Evidence(
            code=finding.code,
            paragraph=KINDS[finding.code].paragraph if game.paragraphs else None,
            **asdict(public(state, game, finding.evidence)),
        )
        for finding in findings[:MOST_LISTED]
    ] + more(len(findings), "more_findings")


def more(number: int, code: str) -> list[Evidence]:
    """The last entry of a list that is cut short."""
    return [Evidence(code=code, more=number - MOST_LISTED)] if number > MOST_LISTED else []


def evidence_of_hold(state: State, game: Game, hold: Hold) -> tuple[Evidence, ...]:
    """The evidence of a hold: its findings, and the cards that came while it was open."""
    behind = cards_among(hold.events[1:])
    queued = [Evidence(code="drawn_in_hold", card=None)] * min(behind, MOST_LISTED)
    queued += more(behind, "drawn_in_hold")
    findings = findings_of(state, hold)
    cards = unlisted(hold.cards, findings)
    return (
        *published(state, game, findings),
        *hold.gone,
        *evidence_of_cards(state, game, cards),
        *queued,
    )


def cards_among(events: Iterable[bytes]) -> int:
    """How many of the events that wait in a hold for a fault are cards."""
    return sum(isinstance(decode_event(line)[0], CardRead | CardUnread) for line in events)


def behind_fault(state: State) -> int:
    """How many cards wait behind an event that failed; that one counts, where it is a card."""
    return sum(cards_among(hold.events) for hold in state.holds)


def findings_of(state: State, hold: Hold) -> tuple[Irregularity, ...]:
    """The findings of a hold. Of one that began in a shoe that is gone, and that a version kept which did not
    yet say so, the draws are of that shoe, and blanked: nobody knows how they lay."""
    if state.shoe is None or hold.shoe is None or state.shoe.id == hold.shoe:
        return hold.findings
    return tuple([Irregularity(one.code, _of_shoe(one.evidence, hold.shoe)) for one in hold.findings])


def _of_shoe(proof: Proof, shoe: int) -> Proof:
    told = isinstance(proof.draw, UnsetType) or not isinstance(proof.of_shoe, UnsetType)
    return proof if told else msgspec.structs.replace(blanked(proof), of_shoe=shoe)


def unlisted(cards: Iterable[Drawn], findings: Iterable[Irregularity]) -> list[Drawn]:
    """The cards of the shoe in use that none of these findings is about."""
    about = {one.evidence.draw for one in findings if isinstance(one.evidence.of_shoe, UnsetType)}
    return [card for card in cards if card.draw not in about]


def keep_evidence(state: State, game: Game, hold: Hold, shoe: int) -> Hold:
    """The hold when that shoe goes, and with it every card that waits: what was found of its draws stays as
    it may be published now, with the shoe's number, for the next shoe has the same draws."""
    findings = findings_of(state, hold)

    def kept(proof: ProofT) -> ProofT:
        known = public(state, game, proof)
        old = isinstance(proof.draw, UnsetType) or not isinstance(proof.of_shoe, UnsetType)
        return known if old else msgspec.structs.replace(known, of_shoe=shoe)

    gone = evidence_of_cards(state, game, unlisted(hold.cards, findings))
    return msgspec.structs.replace(
        hold,
        findings=tuple([Irregularity(one.code, kept(one.evidence)) for one in findings]),
        gone=(*hold.gone, *map(kept, gone)),
        items=(),
        waiting=tuple(item for item in hold.waiting if item.drawn is None),
        entered=None,
    )


def evidence_of_cards(state: State, game: Game, cards: Iterable[Drawn]) -> list[Evidence]:
    """Cards that joined a hold, named where they may be."""
    joined = tuple(cards)
    evidence = [
        public(state, game, Evidence(code="drawn_in_hold", draw=card.draw, card=card.card))
        for card in joined[:MOST_LISTED]
    ]
    return evidence + more(len(joined), "drawn_in_hold")


def start_hold(turn: Turn, findings: tuple[Irregularity, ...], *, items: tuple[Drawn, ...] = ()) -> None:
    """Hold the table for these findings; where it holds already they join it or stack on it (see above)."""
    reason = foremost(findings).code
    if reason in PLAYS_ON or (reason != "foreign_card" and may_play_on(turn)):
        items = tuple(msgspec.structs.replace(drawn, committed=True) for drawn in items)
    shoe = None if turn.state.shoe is None else turn.shoe.id
    same = joined_hold(turn.state.holds, reason, shoe, items)
    if same is None:
        touches = turn.state.voidable and concerns_round(turn, reason) and "void" in KINDS[reason].choices
        hold = Hold(reason, turn.round.id if touches else None, shoe, findings, items=items)
    else:
        new = tuple(finding for finding in findings if finding not in same.findings)
        hold = about(same, (*same.findings, *new))
        repeats = same.repeats + len(findings) - len(new)
        hold = msgspec.structs.replace(hold, items=(*same.items, *items), repeats=repeats)
    current = turn.state.hold
    turn.set(holds=(*(other for other in turn.state.holds if other is not same), hold))
    if same is None or same is not current or hold.reason != same.reason or tells_more(same, hold):
        say_held(turn)


def tells_more(before: Hold, now: Hold) -> bool:
    """Whether a hold that has grown is worth another message: for a card that was read always, while cards
    are listed one by one. What babbles makes one hold, which says so after its first findings and then each
    time that they have doubled."""
    if any(drawn.card is not None for drawn in now.cards[len(before.cards) : MOST_LISTED]):
        return True
    return now.size != before.size and is_told(now.size, MOST_TOLD_SINGLY)


def hold_for(turn: Turn, code: str, proof: Proof, *items: Drawn) -> None:
    """Hold the table for one finding."""
    start_hold(turn, (Irregularity(code, proof),), items=items)


def joined_hold(
    holds: tuple[Hold, ...], reason: str, shoe: int | None, items: tuple[Drawn, ...]
) -> Hold | None:
    """The open hold that a finding joins: one of its kind wherever it stands; else, where the finding is
    about no card, the current one if the choices are the same. None if it holds by itself.

    What is decided about a card, or about a whole shoe, is never decided for another shoe with it.
    """
    of_shoe = bool(items) or KINDS[reason].voids
    for hold in reversed(holds):
        if hold.reason == reason and (hold.shoe == shoe or not of_shoe):
            return hold
    current = holds[-1] if holds else None
    if current is None or items or current.reason == "shuffle_doubt":
        return None
    causes = KINDS[reason].voids and KINDS[current.reason].voids and current.shoe == shoe
    another = (
        reason == "restart_doubt" and current.reason == "device_lost"
    )  # one look at the felt answers both
    return current if causes or another or reason in ("device_lost", "shuffler_fault") else None


def about(hold: Hold, findings: tuple[Irregularity, ...]) -> Hold:
    """The hold for these findings: the one that ranks highest is its reason."""
    return msgspec.structs.replace(hold, reason=foremost(findings).code, findings=findings)


def concerns_round(turn: Turn, reason: str) -> bool:
    """After the settlement a new shoe may be in: what is found in it is no matter of the last round."""
    shoe = turn.state.shoe
    of_it = turn.state.in_round or shoe is None or shoe.id == turn.round.shoe_id
    return of_it or reason == "result_disagrees"  # what the shoe says of it is of nothing else


def say_held(turn: Turn) -> None:
    """Publish why the table waits and what may be chosen; again when the evidence grows."""
    tell_hold(turn, evidence_of_hold(turn.state, turn.game, current_hold(turn)))


def tell_hold(turn: Turn, evidence: tuple[Evidence, ...]) -> None:
    """Tell the current hold, once for all that one event adds; with the first time it has its number."""
    number = current_hold(turn).number
    just_told = turn.take_back_held(number)
    again = number > 0 if just_told is None else just_told.again
    if number == 0:
        turn.set(held=turn.state.held + 1)
        change_hold(turn, number=turn.state.held)
    hold = current_hold(turn)
    remember_named(turn, evidence)
    turn.say(
        TableHeld(
            hold=hold.number,
            again=again,
            round=hold.round,
            reason=hold.reason,
            evidence=evidence,
            choices=tuple(choices_of(turn.state, hold)),
        )
    )


def remember_named(turn: Turn, evidence: Iterable[Evidence]) -> None:
    """Who reads this evidence knows these cards of the shoe in use."""
    named = [
        one.draw
        for one in evidence
        if isinstance(one.draw, int)
        and isinstance(one.of_shoe, UnsetType)
        and (isinstance(one.card, str) or isinstance(one.got, str))
    ]
    if named:
        turn.set_shoe(named=tuple(dict.fromkeys((*turn.shoe.named, *named))))


def current_hold(turn: Turn) -> Hold:
    """The current hold; only where there is one."""
    hold = turn.state.hold
    if hold is None:
        raise LookupError("no hold")
    return hold


def change_hold(turn: Turn, **changes: object) -> None:
    """Replace fields of the current hold."""
    turn.set(holds=(*turn.state.holds[:-1], msgspec.structs.replace(current_hold(turn), **changes)))


def in_order(items: tuple[Drawn, ...], waiting: tuple[Deferred, ...]) -> list[Deferred]:
    """The cards of a hold among what came while it was open, each before the first card drawn after it."""
    merged = list(waiting)
    for drawn in reversed(items):
        later = (
            at for at, item in enumerate(merged) if item.drawn is not None and item.drawn.draw > drawn.draw
        )
        merged.insert(next(later, len(merged)), Deferred(drawn=drawn))
    return merged


def wait(turn: Turn, waiting: Deferred) -> None:
    """Defer what came while the table holds: it joins the evidence and takes its turn afterwards, a card in
    the order of the draws: what waited in a hold that is over came before what this one deferred."""
    if waiting.drawn is not None and may_be_left_over(turn):
        waiting = Deferred(drawn=msgspec.structs.replace(waiting.drawn, committed=True))
    before = current_hold(turn)
    drawn, kept = waiting.drawn, before.waiting
    change_hold(turn, waiting=(*kept, waiting) if drawn is None else tuple(in_order((drawn,), kept)))
    if waiting.drawn is not None and tells_more(before, current_hold(turn)):
        say_held(turn)


def may_play_on(turn: Turn) -> bool:
    """Whether a card that is held now may yet come into play, where the house plays cards that were seen."""
    return turn.state.exposed_card == "play" and may_be_left_over(turn)


def may_be_left_over(turn: Turn) -> bool:
    """Whether the next card that waits may be one that the round does not lay, and another one could.

    Not if it is to be burned, nor if it counts next for certain, whatever an unread card before it is. What
    lies face down has no say in that.
    """
    state, game, waiting = turn.state, turn.game, turn.state.loose
    if len(waiting) < state.burns_due:
        return False
    if state.phase != "dealing" or state.awaits_book or any(hold.reason in PLAYS_ON for hold in state.holds):
        return True
    if game.has_reveal:
        return False
    before = [drawn.card for drawn in waiting[state.burns_due :]]
    return any(
        not counts_next(turn, before, card) for card in (game.deck if None in before else game.deck[:1])
    )


def counts_next(turn: Turn, before: list[Card | None], unread: Card) -> bool:
    """Whether the plan lays one more card after those that wait, each unread one taken for that card."""
    deal = list(turn.dealt)
    for card in before:
        position = turn.game.next_position(deal)
        if position is None:
            return False
        deal.append(Dealt(position, card or unread))
    return turn.game.next_position(deal) is not None


def end_hold(turn: Turn, choice: str, by: str, note: str | None = None) -> Hold:
    """End the current hold and publish that; the one beneath it is current again. Returns the ended one."""
    hold = current_hold(turn)
    turn.set(holds=turn.state.holds[:-1])
    entered_by = None if hold.entered is None else hold.entered.entered_by
    turn.say(
        TableResumed(
            hold=hold.number,
            findings=hold.size,
            round=hold.round,
            reason=hold.reason,
            choice=choice,
            by=by or DEALER,
            note=note,
            returned=len(hold.returned) or UNSET,
            entered_by=UNSET if entered_by is None else entered_by,
        )
    )
    return hold


def end_holds(turn: Turn, ended: tuple[Hold, ...], by: str, note: str | None = None) -> None:
    """A void settles these holds at once; the others stay as they are."""
    others = tuple(hold for hold in turn.state.holds if hold not in ended)
    turn.set(holds=ended)
    while turn.state.holds:
        end_hold(turn, "void", by, note)
    turn.set(holds=others)


def say_beneath(turn: Turn) -> None:
    """Where a hold is over, and none has spoken since, what holds beneath is said again."""
    said = [effect.message for effect in turn.effects if isinstance(effect, Say)]
    holds = [message for message in said if isinstance(message, TableHeld | TableResumed)]
    if turn.state.holds and holds and isinstance(holds[-1], TableResumed):
        say_held(turn)
