"""One question about odds and its answer, as the lines of ``odds --batch`` have them."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as shown

from controller.games.registry import game_class
from controller.odds.composition import OddsError
from controller.odds.counting import odds_of
from controller.vocabulary.errors import ConfigurationError


def odds_line(line: object, *, numpy: bool | None = None) -> object:
    """The answer to one line, as the contract's ``odds``.

    What a line says depends on its ``game``: see ``answer`` of the game's module in this room. Of a game
    that has none, for the floor's own eyes: ``remaining`` (unseen cards of each card of the deck), with
    ``layout``, ``decks``, ``seats`` as in ``score``; the answer has what the house keeps of each bet in a
    round from these cards. What else the line has is not looked at.

    An :class:`~controller.vocabulary.errors.InputError` has a stable ``code`` and a ``message`` that names
    what to fix.
    """
    if not isinstance(line, Mapping):
        raise OddsError(f"the line is {shown(line)}: expected an object")
    name = line.get("game")
    if not isinstance(name, str):
        raise OddsError(f"game is {shown(name)}: expected the name of a game", "unknown_game")
    try:
        game = game_class(name)
    except ConfigurationError as error:
        raise OddsError(error.message.removeprefix("game.name: "), error.code) from error
    return odds_of(game).answer(line, numpy=numpy)
