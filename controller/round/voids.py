"""The void: cause, paragraph, evidence, retraction of a published result, refund, fate of the shoe."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from controller.round.bets import end_bets
from controller.round.burns import take_away, take_away_reserved
from controller.round.devices import hold_for_lost_devices
from controller.round.holds import (
    end_holds,
    evidence_of_cards,
    findings_of,
    may_play_on,
    published,
    remember_named,
    start_hold,
    unlisted,
)
from controller.round.known import never_named, untold
from controller.round.results import forget_result, remember_void
from controller.round.secrecy import before_it, commitment, lies_secret
from controller.round.shoe_end import bar_shoe, end_finished_shoe
from controller.round.state import Hold, Round
from controller.round.turn import KEY, Turn, game_of, is_supervisor
from controller.shoe.code_map import decode
from controller.shoe.ledger import Drawn, cross_out
from controller.vocabulary.display import LastVoid, ShownVoid
from controller.vocabulary.events import RoundVoided
from controller.vocabulary.evidence import Evidence, Proof
from controller.vocabulary.irregularities import (
    KINDS,
    VOID_REASONS,
    Irregularity,
    foremost,
)
from controller.vocabulary.messages import RoundVoid
from controller.vocabulary.parts import ReservedCard, VoidNotice


def conduct(turn: Turn, findings: tuple[Irregularity, ...], items: tuple[Drawn, ...] = ()) -> None:
    """Act on findings about the shoe in use (5.1).

    The running round is touched only where it was dealt from that shoe: it is void at once, or the table
    holds, as the house has set. After the settlement the supervisor decides; with no round left to touch, a
    card still needs a person, a count only bars the shoe.
    """
    cause = KINDS[foremost(findings).code]
    round_ = turn.state.round
    touched = round_ is not None and turn.state.voidable and round_.shoe_id == turn.shoe.id
    if cause.voids and touched and turn.state.in_round and not turn.round.paid and voids_at_once(turn):
        found = (*findings, *all_findings(turn))  # what a hold was about, too: its cards are opened with it
        void_round(turn, cause.void_reason, found, by="controller", items=items)
    elif touched or items:
        start_hold(turn, findings, items=items)
    else:
        bar_shoe(turn, cause.code)


def voids_at_once(turn: Turn) -> bool:
    """Setting ``void``, with the default of the game (readings, "All games")."""
    house = turn.state.shoe_configuration
    return house.game.void == "automatic" or (house.game.void is None and game_of(house).voids_at_once)


def void_round(
    turn: Turn,
    reason: str,
    findings: tuple[Irregularity, ...],
    *,
    by: str,
    note: str | None = None,
    items: tuple[Drawn, ...] = (),
) -> None:
    """Annul the running round: all stakes go back, a result already announced is retracted (5.1).

    The cards of a void round stay out of the shoe. A void of a fault withdraws the shoe as well: a card of it
    may be missing in the ledger. So does what was found in a shoe and nobody has ruled on. Where the next
    shoe is in, what is held about that one is no matter of this void.
    """
    if turn.state.phase == "betting":
        end_bets(turn, "void")
    round_ = turn.round
    paragraph, fate = VOID_REASONS[reason]
    holds = tuple(hold for hold in turn.state.holds if not is_of_later_rounds(turn, hold))
    barred = found_in_shoes(holds)
    if fate == "withdraw":
        barred[round_.shoe_id] = reason
    ours = turn.state.shoe is None or turn.shoe.id == round_.shoe_id  # else what waits is of the next
    kept = [*(card for hold in holds if ours for card in hold.cards), *items]
    of_next = [card for hold in holds if not ours for card in hold.cards]
    ruled = [card for card in round_.aside if card.committed]
    turn.step("void")
    turn.set_round(extras=(*round_.extras, *round_.aside, *kept), aside=(), result=None, withdrawn=None)
    opened = tuple(card.draw for card in (*kept, *ruled) if card.committed and card.card is not None)
    before = () if turn.state.shoe is None else turn.shoe.opened
    if opened:
        turn.set_shoe(opened=(*turn.shoe.opened, *opened))
    evidence = [
        *published(turn.state, turn.game, findings),
        *(one for hold in holds if hold.round is not None for one in hold.gone),
        *evidence_of_cards(turn.state, turn.game, unlisted((*kept, *ruled), findings)),
    ]
    if turn.state.shoe is not None and turn.shoe.id == round_.shoe_id:
        remember_named(turn, evidence)
        listed = {*before, *turn.shoe.named}  # of very many cards the first alone are listed, and so opened
        turn.set_shoe(opened=tuple(draw for draw in turn.shoe.opened if draw in listed))
        turn.set(shoe=cross_out(turn.shoe, tuple(card for card in kept if is_unread(turn, card))))
        keep_unseen(turn, never_named(turn.state, turn.game))
    notice = VoidNotice(
        reason=reason,
        rule=paragraph if turn.game.paragraphs else None,
        evidence=tuple(evidence),
        retracts=published_result(round_),
        bets="refund",
        shoe="withdraw" if round_.shoe_id in barred else "continue",
        by=by,
        note=note,
        reserved=still_reserved(turn, barred),
    )
    record_void(turn, notice)
    forget_result(turn)
    remember_void(turn, round_.id, round_.game_number, notice)
    end_holds(turn, holds, by, note)
    set_aside(turn, tuple(of_next))
    settle_shoe(turn, round_.shoe_id, barred)
    hold_for_lost_devices(turn)


def is_of_later_rounds(turn: Turn, hold: Hold) -> bool:
    """Whether a hold is about the cards of later rounds, and touches none."""
    other = hold.shoe != turn.round.shoe_id or hold.reason == "shuffle_doubt"
    return hold.round is None and other


def closing_notice(evidence: Evidence, retracts: str | None, by: str, note: str | None) -> VoidNotice:
    """Of a round that nobody can play on: its shoe is withdrawn, and people collect its cards."""
    rule, _ = VOID_REASONS["supervisor"]
    return VoidNotice(
        reason="supervisor",
        rule=rule,
        evidence=(evidence,),
        retracts=retracts,
        bets="refund",
        shoe="withdraw",
        by=by,
        note=note,
    )


def twice_found(turn: Turn, drawn: Drawn, *, later: bool = False) -> Irregularity:
    """The finding that a card may be the one of the same code before it, read twice. The code is told where
    that one's card is no secret; and where it is a ``later`` card like it that raises the question, only if
    that one is none."""
    if drawn.draw not in turn.shoe.doubled:
        turn.set_shoe(doubled=(*turn.shoe.doubled, drawn.draw))
    first = before_it(turn.shoe, drawn)
    secret = first is not None and lies_secret(turn.state, turn.game, first.draw)
    secret |= later and may_play_on(turn)
    return Irregularity("rapid_repeat", Proof(draw=drawn.draw, read=None if secret else drawn.code))


def found_in_shoes(holds: tuple[Hold, ...]) -> dict[int | None, str]:
    """Shoe -> the foremost finding of these holds about it: a void is no ruling on the shoe."""
    found: dict[int | None, str] = {}
    for finding, shoe in sorted(
        ((finding, hold.shoe) for hold in holds for finding in hold.findings),
        key=lambda one: KINDS[one[0].code].rank,
    ):
        if KINDS[finding.code].voids or finding.code == "fault":
            found.setdefault(shoe, finding.code)
    return found


def still_reserved(turn: Turn, barred: dict[int | None, str]) -> ReservedCard | UnsetType:
    """The card that is kept for the next round is no card of the void one: it stays where its shoe does."""
    reserved = turn.state.reserved
    shoe = turn.state.shoe
    if reserved is None or shoe is None or shoe.unusable or shoe.rounds_left == 0 or shoe.id in barred:
        return UNSET
    return ReservedCard(draw=reserved.draw, commitment=commitment(reserved))


def is_unread(turn: Turn, drawn: Drawn) -> bool:
    """Whether a card has no name because it was not read; a foreign one was, and is no card of the shoe."""
    if drawn.card is not None:
        return False
    return (
        not drawn.code or decode(turn.state.shoe_configuration.code_map, drawn.code).verdict == "unreadable"
    )


def keep_unseen(turn: Turn, draws: tuple[int, ...]) -> None:
    """Cards that nobody was told are taken away: the odds of later rounds do not know them."""
    if draws:
        turn.set_shoe(unrevealed=tuple(dict.fromkeys((*turn.shoe.unrevealed, *draws))))


def set_aside(turn: Turn, items: tuple[Drawn, ...]) -> None:
    """Cards that count nowhere: they lie with those of the running or void round that was dealt from this
    shoe. One that was published as a commitment is burned: that opens it."""
    for drawn in items:
        if drawn.committed and drawn.card is not None:
            take_away(turn, drawn)
    items = tuple(drawn for drawn in items if not drawn.committed or drawn.card is None)
    if not items or turn.state.shoe is None:
        return
    turn.set(shoe=cross_out(turn.shoe, tuple(drawn for drawn in items if is_unread(turn, drawn))))
    keep_unseen(turn, untold(turn.shoe, items))
    round_ = turn.state.round
    if round_ is not None and round_.shoe_id == turn.shoe.id:
        turn.set_round(extras=(*round_.extras, *items))


def published_result(round_: Round) -> str | None:
    """The id of the result that a void takes back."""
    return round_.withdrawn if round_.result is None else round_.result.id


def record_void(turn: Turn, notice: VoidNotice) -> None:
    """Publish the void of the running round, and keep it for the display."""
    message = publish_void(turn, turn.round.id, notice)
    turn.set_round(void=ShownVoid(id=message, **asdict(notice)), burns_pending=0)
    turn.set(void_asked_by=None, void_asked_for=None)


def publish_void(turn: Turn, round_id: str, notice: VoidNotice) -> str:
    """Publish that a round is void, and retain that in place of its result; returns the message's id."""
    said = asdict(notice)
    message = turn.say(RoundVoid(round=round_id, **said))
    turn.set(last=LastVoid(round=round_id, id=message, kind="void", **said))
    return message


def settle_shoe(turn: Turn, shoe_id: int, barred: dict[int | None, str]) -> None:
    """What becomes of the shoe in use after the void of a round from that shoe: it is barred for what was
    found in it."""
    if turn.state.shoe is None:
        return
    if turn.shoe.id in barred:
        bar_shoe(turn, barred[turn.shoe.id])
    elif turn.shoe.unusable is not None:
        take_away_reserved(turn)
    elif turn.shoe.id == shoe_id:
        end_finished_shoe(turn)


def round_voided(turn: Turn, event: RoundVoided) -> None:
    """A supervisor voids the running round; the reason decides the paragraph. After 5.2 nobody can."""
    if event.reason not in VOID_REASONS:
        turn.refuse("unknown_reason", f"a void has one of the reasons {', '.join(VOID_REASONS)}")
    elif not is_supervisor(turn.state, event.by):
        turn.refuse("key_needed", KEY)
    elif not turn.state.voidable:
        late = "no round can be voided: the next one has commenced, or none was opened"
        turn.refuse("nothing_to_void", late + turn.game.cited("5.2"))
    elif confirmed(turn, event.by, event.reason):
        findings = all_findings(turn)
        own = (Irregularity(event.reason),) if event.reason in KINDS else ()
        codes = {finding.code for finding in findings}
        extra = tuple(finding for finding in own if finding.code not in codes)
        void_round(turn, event.reason, (*extra, *findings), by=event.by)


def confirmed(turn: Turn, by: str, reason: str) -> bool:
    """Two-person rule, where the house has it: a second badge must ask for the same void.

    Another reason is another void (it may withdraw the shoe): it waits for a second badge of its own.
    """
    if not turn.state.configuration.round.two_person_void:
        return True
    first = turn.state.void_asked_by
    if first is not None and first != by and turn.state.void_asked_for == reason:
        return True
    turn.set(void_asked_by=by, void_asked_for=reason)
    turn.refuse("second_badge", f"a second badge must confirm the void: VOID {reason}")
    return False


def all_findings(turn: Turn) -> tuple[Irregularity, ...]:
    """What every open hold that touches the round is about, the current one first."""
    holds = (hold for hold in reversed(turn.state.holds) if hold.round is not None)
    return tuple(finding for hold in holds for finding in findings_of(turn.state, hold))
