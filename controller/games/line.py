"""A line of ``score`` or ``settle`` as somebody wrote it: the game it names and the cards of its round.

Every refusal is an :class:`InputError` (or :class:`CardError`): a code and a message that names what to fix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

import msgspec

from controller.games.game import Dealt, Game
from controller.games.paytable import load_pay_table, pay_table_file
from controller.games.registry import build_game
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import CardError, ConfigurationError, InputError
from controller.vocabulary.shown import meant, shown

Line = Mapping[str, object]

SETTINGS: Mapping[str, tuple[type, str]] = {
    "layout": (str, "unknown_layout"),
    "decks": (int, "bad_decks"),
    "seats": (int, "bad_seats"),
    "deal": (str, "bad_setting"),
    "pair_tie": (str, "bad_setting"),
    "pair_against_unqualified_dealer": (str, "bad_setting"),
    "fold_forfeits_bonus": (bool, "bad_setting"),
    "dealer_qualifies": (str, "bad_setting"),
}
"""The settings of a game that a line may name, their type, and the code of the refusal."""

_EXPECTED: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false"}

FIELDS = frozenset(
    {"game", "cards", "hands", "board", "bets", "decisions", "void", "offers", "limits", "pay_table", "note"}
) | set(SETTINGS)
OWN = "x-"
"""Keys of the sender's own begin so; nobody here looks at them."""


class GivenRound(msgspec.Struct, frozen=True):
    """The round of a line: its game, the cards in deal order, and what is still missing."""

    game: Game
    dealt: tuple[Dealt, ...]
    """As far as the deal order goes without a gap."""
    used: int
    """Cards consumed; a surplus of the ``cards`` form is not."""
    needs: str | None
    """The position of the next card; None: the round is complete."""
    hands: Mapping[str, Sequence[Card]]
    board: Sequence[Card] | None


def read_round(line: object) -> GivenRound:
    """The round that a line describes, complete or not."""
    fields = _fields(line)
    game = _game(fields)
    if fields.get("cards") is not None and (
        fields.get("hands") is not None or fields.get("board") is not None
    ):
        raise InputError("give the cards once: either 'cards' or 'hands' with 'board'", "cards_given_twice")
    if fields.get("hands") is None and fields.get("board") is None:
        return _in_deal_order(game, fields.get("cards"))
    hands = fields.get("hands")
    hands = {} if hands is None else hands
    if not isinstance(hands, dict):
        raise InputError(f"hands: expected an object of lists of cards, not {_kind(hands)}", "wrong_type")
    if fields.get("seats") is None:
        game = game.with_hands(tuple(hands))
    return _by_hand(game, hands, fields.get("board"))


def dealt_round(game: Game, dealt: Sequence[Dealt]) -> GivenRound:
    """The round of these cards in deal order."""
    needs = game.next_position(dealt)
    return GivenRound(game, tuple(dealt), len(dealt), needs, game.hands(dealt), game.board(dealt))


def _fields(line: object) -> Line:
    if not isinstance(line, Mapping):
        raise InputError(f"a line is a JSON object, not {_kind(line)}", "wrong_type")
    check_fields(line, FIELDS)
    return line


def check_fields(line: Line, known: Set[str]) -> None:
    """Refuse a key that nobody here knows: a slip of the pen would change the question unnoticed."""
    for key in line:
        if key not in known and not str(key).startswith(OWN):
            raise InputError(f"{str(key)[:60]!r} is no field: {_expected(str(key), known)}", "unknown_field")


def _expected(key: str, known: Set[str]) -> str:
    own = f"one of the sender's own begins with {OWN}"
    return meant(key, known, f"known are {', '.join(sorted(known))}; {own}")


def _game(fields: Line) -> Game:
    name = fields.get("game")
    if name is None:
        raise InputError("game: the line names no game", "missing_game")
    if not isinstance(name, str):
        raise InputError(f"game: expected text, not {_kind(name)}", "wrong_type")
    given: list[tuple[str, object]] = []
    for key, (kind, code) in SETTINGS.items():
        value = fields.get(key)
        if value is None or (key == "seats" and isinstance(value, list)):
            continue
        if type(value) is not kind:
            raise InputError(f"{key}: expected {_EXPECTED[kind]}, not {shown(value)}", code)
        given.append((key, value))
    try:
        return _seated(_built(name, tuple(given), _pay_table(fields.get("pay_table"))), fields.get("seats"))
    except ConfigurationError as error:
        message = re.sub(r"^game\.(name(?=:))?", lambda key: "game" if key[1] else "", error.message)
        raise InputError(message, error.code) from error


def _seated(game: Game, seats: object) -> Game:
    """``seats`` as a list: the numbers of those that play; as a number it is a setting of the game."""
    if not isinstance(seats, list):
        return game
    if not all(type(number) is int for number in seats) or not game.has_seats(seats):
        raise InputError(f"seats: expected seats of {game.name}, each once, not {shown(seats)}", "bad_seats")
    return game.with_seats(seats)


def _pay_table(value: object) -> bytes | None:
    """The house's pay table as a file has it: at a path, or as an object."""
    if value is None or isinstance(value, dict):
        return None if value is None else msgspec.json.encode(value)
    if not isinstance(value, str):
        raise InputError(
            f"pay_table: expected the path of a file or its content as an object, not {_kind(value)}",
            "wrong_type",
        )
    return pay_table_file(value)


@lru_cache(maxsize=256)
def _built(name: str, given: tuple[tuple[str, object], ...], pay_table: bytes | None) -> Game:
    settings = msgspec.structs.replace(GameSettings(name), **dict(given))
    return build_game(settings, None if pay_table is None else load_pay_table(pay_table))


def _in_deal_order(game: Game, value: object) -> GivenRound:
    cards = _cards("cards", [] if value is None else value)
    _check_cards(game, cards)
    dealt: list[Dealt] = []
    for card in cards:
        if (position := game.next_position(dealt)) is None:
            break
        dealt.append(Dealt(position, card))
    return dealt_round(game, dealt)


def _by_hand(game: Game, hands: Mapping[object, object], board: object) -> GivenRound:
    places = game.places()
    given: dict[str, list[Card]] = {}
    for name, value in hands.items():
        if name not in places or name in game.board_places:
            expected = ", ".join(place for place in places if place not in game.board_places)
            raise InputError(
                f"hands: {game.name} has no {str(name)!r} here: expected {expected}", "unknown_hand"
            )
        given[str(name)] = _cards(f"hands.{name}", value)
        _check_size(f"hands.{name}", given[str(name)], places[str(name)])
    common = _board(game, board)
    _check_cards(game, [card for hand in (*given.values(), common) for card in hand])
    dealt, needs, left = _deal_out(game, {**given, **_split_board(game, common)})
    if left and needs is None:
        raise InputError(f"the round is complete with {len(dealt)} cards, {left} too many", "too_many_cards")
    shown = {name: given.get(name, []) for name in game.hands(dealt)}
    return GivenRound(game, dealt, len(dealt) + left, needs, shown, common if game.board_places else None)


def _deal_out(game: Game, given: Mapping[str, Sequence[Card]]) -> tuple[tuple[Dealt, ...], str | None, int]:
    """The cards in deal order up to the first gap, the position of the gap, how many cards lie beyond it."""
    left = {place: list(cards) for place, cards in given.items()}
    dealt: list[Dealt] = []
    while (needs := game.next_position(dealt)) is not None and left.get(needs):
        dealt.append(Dealt(needs, left[needs].pop(0)))
    return tuple(dealt), needs, sum(map(len, left.values()))


def _board(game: Game, value: object) -> list[Card]:
    if value is None:
        return []
    if not game.board_places:
        raise InputError(f"board: {game.name} has no board", "unknown_hand")
    board = _cards("board", value)
    _check_size("board", board, sum(game.places()[place] for place in game.board_places))
    return board


def _split_board(game: Game, board: Sequence[Card]) -> dict[str, Sequence[Card]]:
    split: dict[str, Sequence[Card]] = {}
    for place in game.board_places:
        size = game.places()[place]
        split[place], board = board[:size], board[size:]
    return split


def _cards(where: str, value: object) -> list[Card]:
    if not isinstance(value, list | tuple):
        raise InputError(f"{where}: expected a list of cards, not {_kind(value)}", "wrong_type")
    try:
        return [parse_card(text) for text in value]
    except CardError as error:
        raise CardError(f"{where}: {error.message}") from error


def _check_size(where: str, cards: Sequence[Card], most: int) -> None:
    if len(cards) > most:
        raise InputError(f"{where}: {len(cards)} cards, at most {most} can lie there", "too_many_cards")


def _check_cards(game: Game, cards: Iterable[Card]) -> None:
    """Every card must be of the deck, and no more copies of it than there are decks."""
    for card, copies in Counter(cards).items():
        if card not in game.deck:
            raise CardError(
                f"{card} is no card of {game.name}: its deck has {len(game.deck)} cards", "not_in_deck"
            )
        if copies > game.decks:
            decks = "one deck has" if game.decks == 1 else f"{game.decks} decks have"
            raise CardError(f"{card} appears {copies} times, {decks} {game.decks}", "too_many_copies")


def _kind(value: object) -> str:
    """What a JSON value is called."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
