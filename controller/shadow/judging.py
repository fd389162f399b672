"""One line of the other system against one round of ours: everything in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from controller.games.game import Game
from controller.round.turn import game_of
from controller.settlement import pay, read_bets, read_decisions
from controller.shadow.difference import Difference
from controller.shadow.old_line import OldLine, OldPlayer, dealt_of, flat
from controller.shadow.rounds import OurRound, paragraph_of
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import InputError
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.outcomes import PUSH, SpotOutcome
from controller.vocabulary.shown import shown

THEY, WE = "the other system says", "this table"


def differences(
    line: OldLine, ours: OurRound | None, configuration: CoreConfiguration, *, dealt_by_line: bool
) -> Iterator[Difference]:
    """All of them, without the proof that every one of a round has in common.

    ``dealt_by_line``: our cards are those of the line, so there is nothing to compare in them.
    """
    if ours is None:
        yield _not_judged(line)
    elif line.void and (ours.void is not None or ours.held):
        return
    elif ours.void is not None:
        yield _void_here(ours.void)
    elif line.void:
        why = f" ({line.void})" if isinstance(line.void, str) else ""
        words = f"the other system voided the round{why}, and nothing was found here"
        yield Difference(kind="void_there", theirs=line.void, ours=ours.result is not None, words=words)
        yield from _money(line, None, configuration)
    else:
        if ours.held:
            yield _held_here(ours.held)
        elif ours.result is None:
            yield Difference(kind="not_judged", words="the round did not come to its end here")
        if ours.result is None:
            return
        if not dealt_by_line:
            yield from _cards(line, ours.result, configuration)
        yield from _outcome(line, ours.result, configuration)
        yield from _bets(line, ours.result)
        yield from _money(line, ours.result, configuration)


def _not_judged(line: OldLine) -> Difference:
    if not line.has_cards:
        words = "the line names no cards, so nothing can be judged"
    else:
        words = "no round could be opened here for it; the alerts of the journal say why"
    return Difference(kind="not_judged", words=words)


def _void_here(void: Mapping[str, Any]) -> Difference:
    reason = str(void["reason"])
    return Difference(
        kind="void_here",
        about=reason,
        ours=void["evidence"],
        words=f"{WE} voids the round: {_words_of(reason)}",
        paragraph=void.get("rule"),
    )


def _held_here(held: Sequence[Mapping[str, Any]]) -> Difference:
    reason, *rest = [str(one["reason"]) for one in held]
    then = f"; then {', '.join(rest)}" if rest else ""
    evidence = [one for hold in held for one in hold["evidence"]]
    return Difference(
        kind="held_here",
        about=reason,
        ours=evidence,
        words=f"{WE} holds: {_words_of(reason)}{then}",
        paragraph=paragraph_of(evidence),
    )


def _words_of(reason: str) -> str:
    meaning = KINDS[reason].meaning if reason in KINDS else ""
    return f"{reason.replace('_', ' ')} ({meaning})" if meaning else reason.replace("_", " ")


def _cards(
    line: OldLine, result: Mapping[str, Any], configuration: CoreConfiguration
) -> Iterator[Difference]:
    if not line.has_cards:
        return
    try:
        given = dealt_of(line, configuration)
    except InputError as error:
        yield Difference(
            kind="cards", theirs=line.cards or line.hands, words=f"{THEY} cards that cannot be: {error}"
        )
        return
    theirs = {hand: [str(card) for card in cards] for hand, cards in given.hands.items() if cards}
    ours = {hand: cards for hand, cards in result["hands"].items() if cards}
    if given.board is not None:
        theirs["board"], ours["board"] = [str(card) for card in given.board], result.get("board", [])
    for hand in dict.fromkeys((*theirs, *ours)):
        if theirs.get(hand) != ours.get(hand):
            yield _differ("cards", hand, theirs.get(hand), ours.get(hand))
    if line.cards is not None and len(line.cards) > given.used:
        surplus = line.cards[given.used :]
        words = f"{THEY} {len(surplus)} cards more than the round takes: {' '.join(surplus)}"
        yield Difference(kind="cards", about="surplus", theirs=surplus, words=words)


def _outcome(
    line: OldLine, result: Mapping[str, Any], configuration: CoreConfiguration
) -> Iterator[Difference]:
    game = game_of(configuration)
    ours = flat(result["outcome"] or {})
    for name, theirs in flat(line.outcome).items():
        if name not in ours:
            known = ", ".join(ours)
            words = f"{THEY} {name}: {shown(theirs)}; the outcome of this game has {known}"
            yield Difference(kind="outcome", about=name, theirs=theirs, words=words)
        elif ours[name] != theirs:
            yield _differ("outcome", name, theirs, ours[name], game.rules_on.get(name.rpartition(".")[2]))


def _bets(line: OldLine, result: Mapping[str, Any]) -> Iterator[Difference]:
    by = f"pay table {result['pay_table']['id']}"
    for spot, said in line.bets.items():
        ours = result["bets"].get(spot)
        if ours is None:
            yield Difference(
                kind="bets",
                about=spot,
                theirs=said,
                words=f"{THEY} {spot}: {shown(said)}; this layout has no such bet",
            )
            continue
        theirs = {"result": said} if isinstance(said, str) else said
        if not isinstance(theirs, dict):
            yield Difference(
                kind="unreadable", about=spot, theirs=said, words=f"bets.{spot}: {shown(said)} is no result"
            )
        elif any(
            ours.get(key) != value for key, value in theirs.items() if value is not None or key == "result"
        ):
            yield _differ("bets", spot, theirs, {key: ours.get(key) for key in theirs}, by)


def _money(
    line: OldLine, result: Mapping[str, Any] | None, configuration: CoreConfiguration
) -> Iterator[Difference]:
    game = game_of(configuration)
    for number, player in enumerate(line.players, 1):
        who = f"player {player.id if player.id is not None else number}"
        try:
            settled = _settled(game, player, result)
        except InputError as error:
            yield Difference(kind="money", about=who, theirs=player, words=f"{who}: {error.message}")
            continue
        for bet, returned in zip(player.bets, settled, strict=False):
            if bet.returned is not None and bet.returned != returned:
                about = f"{who}, {bet.stake} on {bet.spot}"
                yield _differ("money", about, bet.returned, returned)
        if player.returned is not None and player.returned != sum(settled):
            yield _differ("money", f"{who}, in all", player.returned, sum(settled))


def _settled(game: Game, player: OldPlayer, result: Mapping[str, Any] | None) -> list[int]:
    """What each bet gives back, further bets that appear by themselves at the end."""
    bets = read_bets(game, [bet.asked for bet in player.bets])
    played = read_decisions(game, player.decisions)
    if result is None:
        results = dict.fromkeys(game.spots(), PUSH)
        played = played or frozenset()
    else:
        results = msgspec.convert(result["bets"], dict[str, SpotOutcome])
    return [one.returned_minor for one in pay(game.decisions(), results, bets, played)]


def _differ(kind: Any, about: str, theirs: object, ours: object, paragraph: str | None = None) -> Difference:
    words = f"{about.replace('_', ' ')}: {THEY} {shown(theirs)}, {WE} says {shown(ours)}"
    return Difference(kind=kind, about=about, theirs=theirs, ours=ours, words=words, paragraph=paragraph)
