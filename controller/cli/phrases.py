"""Outcomes and messages in a dealer's words, for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.text import Text

from controller.games.registry import game_class
from controller.round.turn import game_of
from controller.vocabulary import messages
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.effects import Say
from controller.vocabulary.limits import wager_of
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.parts import RevealedCard

_SUITS = {"S": ("♠", "bold"), "C": ("♣", "bold"), "H": ("♥", "bold red"), "D": ("♦", "bold red")}


def card_text(card: object) -> str:
    """A card as people write it: 10♥; a face-down one as a block."""
    if not isinstance(card, str):
        return "▒▒"
    return card[0].replace("T", "10") + _SUITS[card[1]][0]


def pretty_card(card: object) -> Text:
    """The same in colour."""
    style = _SUITS[card[1]][1] if isinstance(card, str) else "dim"
    return Text(card_text(card), style=style)


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
    own = game_of(configuration).pay_table.spots
    won = [
        f"{spot} {one.pays or 'wins'}"
        for spot, one in bets.items()
        if wager_of(spot) in own and one.result == "win"
    ]
    return f" ({', '.join(won)})" if won else ""


def odds_text(odds: Mapping[str, object]) -> str:
    """Prices while bets are taken, else chances; how strong the hands are."""
    strength = odds.get("strength")
    if isinstance(strength, Mapping):
        stands = [f"{hand} wins {100 * one['win'] / one['total']:.1f} %" for hand, one in strength.items()]
        return "strength: " + ", ".join(stands)
    chances, offered = odds.get("probabilities"), odds.get("offered")
    if not isinstance(chances, Mapping) or not isinstance(offered, Mapping):
        return ""
    if odds.get("id") is None:
        return "chances: " + (
            ", ".join(f"{spot} {100 * p:.1f} %" for spot, p in chances.items()) or "unknown"
        )
    prices = [f"{spot} {price:.2f}" for spot, price in offered.items() if price is not None]
    return f"prices (offer {odds['id']}): " + (", ".join(prices) or "suspended")


def describe_say(say: Say) -> str:
    """A message of the stream in words; empty for what the screen shows anyway."""
    match say.message:
        case messages.RoundCard(position=position, card=card):
            return f"{position}: {card_text(card)}"
        case messages.RoundRevealed(cards=cards):
            return f"revealed: {_by_position(cards)}"
        case messages.TableHeld(reason=reason, choices=choices):
            return f"HOLD {reason}: {', '.join(choices)}"
        case messages.TableResumed(choice=choice, by=by):
            return f"resumed: {choice} by {by}"
        case messages.RoundVoid(reason=reason, rule=rule):
            return f"VOID {reason} {rule or ''}"
        case messages.AlertRaised(message=message):
            return f"alert: {message}"
        case messages.ShoeStarted(cards=cards):
            return f"new shoe of {cards} cards"
        case messages.ShoeEnded(reason=reason):
            return f"shoe ended: {reason}"
        case _:
            return ""


def _by_position(cards: Iterable[RevealedCard]) -> str:
    """Cards in one line, those of a hand together."""
    hands: dict[str, list[str]] = {}
    for one in cards:
        hands.setdefault(one.position, []).append(card_text(one.card))
    return ", ".join(f"{position} {' '.join(hand)}" for position, hand in hands.items())
