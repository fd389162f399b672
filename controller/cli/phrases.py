"""Outcomes and messages in a dealer's words, for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.text import Text

from controller.board.names import Names, place_name, rank_name, spot_name
from controller.games.registry import game_class
from controller.round.terms import spot_names
from controller.round.turn import game_of
from controller.vocabulary import messages
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.effects import Say
from controller.vocabulary.limits import wager_of
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.parts import RevealedCard

_CARD = "bold {} on bright_white"
_SUITS = {
    "S": ("♠", _CARD.format("black")),
    "C": ("♣", _CARD.format("green4")),
    "H": ("♥", _CARD.format("red3")),
    "D": ("♦", _CARD.format("blue3")),
}
"""Four colours: a club is never taken for a spade."""


def card_text(card: object) -> str:
    """A card as people write it: 10♥; a face-down one as a block."""
    if not isinstance(card, str):
        return "▒▒"
    return rank_name(card[0]) + _SUITS[card[1]][0]


def pretty_card(card: object) -> Text:
    """The same in colour."""
    style = _SUITS[card[1]][1] if isinstance(card, str) else "white on blue"
    return Text(f" {card_text(card)} ", style=style)


def describe_outcome(game: str, result: Mapping[str, object]) -> str:
    """One line for an outcome (or a void) of any game."""
    void = result.get("void")
    if isinstance(void, Mapping):
        return f"void ({void['reason']})"
    outcome = result.get("outcome")
    if not isinstance(outcome, Mapping):
        return "no result"
    return game_class(game).in_words(outcome)


def house_wins(configuration: CoreConfiguration, bets: Mapping[str, SpotOutcome]) -> str:
    """What the spots of the house's own pay table win, to stand behind an outcome; empty where none does."""
    own, names = game_of(configuration).pay_table.spots, spot_names(configuration)
    won = [
        f"{spot_name(spot, names)} {one.pays or 'wins'}"
        for spot, one in bets.items()
        if wager_of(spot) in own and one.result == "win"
    ]
    return f" ({', '.join(won)})" if won else ""


def odds_text(odds: Mapping[str, object], names: Names | None = None) -> str:
    """Prices while bets are taken, else chances; how strong the hands are. ``names``: of the house's own
    spots.
    """
    strength = odds.get("strength")
    if isinstance(strength, Mapping):
        stands = [
            f"{place_name(hand)} {100 * one['win'] / one['total']:.1f} %" for hand, one in strength.items()
        ]
        return "chance to win: " + ", ".join(stands)
    chances, offered = odds.get("probabilities"), odds.get("offered")
    if not isinstance(chances, Mapping) or not isinstance(offered, Mapping):
        return ""
    if odds.get("id") is None:
        return "chances: " + (
            ", ".join(f"{spot_name(spot, names)} {100 * p:.1f} %" for spot, p in chances.items()) or "unknown"
        )
    prices = [f"{spot_name(spot, names)} {price:.2f}" for spot, price in offered.items() if price is not None]
    return "prices: " + (", ".join(prices) or "none now")


def story_of(say: Say, names: Names | None = None) -> Text | None:
    """A message of the stream as a line of a terminal, its cards in colour; None for what is shown anyway."""
    match say.message:
        case messages.RoundCard(position=position, card=card):
            return Text(f"{place_name(position)}: ", "dim").append_text(pretty_card(card))
        case messages.RoundRevealed(cards=cards):
            line = Text("turned up:", "dim")
            for one in cards:
                line.append(f"  {place_name(one.position)} ").append_text(pretty_card(one.card))
            return line
        case messages.RoundResult():
            return None
        case _:
            told = describe_say(say)
            style = "bold red" if told.startswith(("HOLD", "VOID", "alert")) else "dim"
            return Text(told, style) if told else None


def describe_say(say: Say) -> str:
    """A message of the stream in words; empty for what the screen shows anyway."""
    match say.message:
        case messages.RoundCard(position=position, card=card):
            return f"{place_name(position)}: {card_text(card)}"
        case messages.RoundRevealed(cards=cards):
            return f"revealed: {_by_position(cards)}"
        case messages.TableHeld(reason=reason, choices=choices):
            return f"HOLD, {reason.replace('_', ' ')}: a supervisor may {' or '.join(choices)}"
        case messages.TableResumed(choice=choice, by=by):
            return f"resumed: {choice} by {by}" if by else "resumed"
        case messages.RoundVoid(reason=reason, rule=rule):
            paragraph = f", paragraph {rule}" if rule else ""
            return f"VOID, {reason.replace('_', ' ')}{paragraph}: every bet is returned"
        case messages.AlertRaised(message=message):
            return f"alert: {message}"
        case messages.ShoeStarted(cards=cards):
            return f"new shoe of {cards} cards"
        case messages.ShoeEnded(reason=reason):
            return f"shoe ended: {reason.replace('_', ' ')}"
        case _:
            return ""


def _by_position(cards: Iterable[RevealedCard]) -> str:
    """Cards in one line, those of a hand together."""
    hands: dict[str, list[str]] = {}
    for one in cards:
        hands.setdefault(place_name(one.position), []).append(card_text(one.card))
    return ", ".join(f"{position} {' '.join(hand)}" for position, hand in hands.items())
