"""What only a person knows of a table: name, game, house rules, broker. Each answer is judged at once."""

from __future__ import annotations

from collections.abc import Sequence

from controller.cli.conversation import Conversation
from controller.games.game import Game
from controller.games.registry import all_games, game_class
from controller.settings.devices import names_cards
from controller.settings.model import LOOPBACK, Settings, own_user
from controller.settings.reading import Reader
from controller.settings.writing import Values, at, put
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError

NO = ("", "-", "none")


def problem_at(values: Values, key: str) -> str | None:
    """What is wrong at one key of values that may not be complete yet."""
    reader = Reader(Settings)
    reader.read(values, Settings)
    for problem in reader.problems:
        if problem.key.startswith(key) and not problem.message.startswith("missing"):
            return problem.message
    return None


def credentials_of(table: object) -> str:
    """Where systemd shows the service of a table its secrets."""
    return f"/run/credentials/dealer-table@{table}.service"


class TableQuestions:
    """Asks for every key that is not answered yet; an answer that is wrong is asked for again."""

    def __init__(self, talk: Conversation, values: dict[str, object]) -> None:
        self._talk, self._values = talk, values

    def table(self) -> None:
        """Which table, which game."""
        self._text("table.site", "The site, a name as it stands in the topics (north)")
        self._text("table.id", "The table, a name or number of its own at this site")
        if at(self._values, "game.name") is None:
            self._talk.tell("The game:")
            put(self._values, "game.name", self._talk.choose("Which?", tuple(all_games())))
        game = self._game()
        if game is None:
            return
        if game.layouts:
            self._choice("game.layout", "The layout", game.layouts)
        if len(game.deck_counts) > 1:
            self._number("game.decks", "Decks in the shoe", game.default_decks)
        if "seats" in game.house_settings:
            self._number("game.seats", "Seats", GameSettings(name=game.name).seats)

    def cards(self) -> None:
        """How the codes read, where the shoe says codes and not cards."""
        if names_cards(at(self._values, "devices.shoe.driver")):
            return
        question = 'The codes on the cards: "plain" (8S), "four-digit", or the path of a code map'
        self._text("cards.map", question, "plain")

    def house(self) -> None:
        """Who may rule in a hold, and what a player may stake."""
        badges = "badges.supervisors"
        while at(self._values, badges) is None:
            said = self._talk.ask("The supervisors' badges with blanks between, or none: any badge", "none")
            if said in NO:
                break
            self._answer(badges, said.split())
        while at(self._values, "limits.currency") is None:
            said = self._talk.ask("The currency of the stakes (EUR), or none: no limits are shown", "none")
            if said in NO:
                return
            self._answer("limits.currency", said)
        least, most = "limits.table.min", "limits.table.max"
        if at(self._values, "limits.table") is None:
            self._number(least, "The least stake on a spot, in minor units", 100)
            self._number(most, "The most of one player on a spot, in minor units", 100_000)

    def broker(self) -> None:
        """The broker, our role there, and who must acknowledge."""
        table = at(self._values, "table.id")
        credentials = credentials_of(table)
        self._text("mqtt.host", "The broker's host", "127.0.0.1")
        away = at(self._values, "mqtt.host") not in LOOPBACK
        tls = at(self._values, "mqtt.tls") is not None
        if away and not tls and self._talk.agrees("TLS with certificates?"):
            tls = True
            folder = "/etc/dealer-table"
            self._text("mqtt.tls.ca_file", "The authority's certificate", f"{folder}/ca.crt")
            self._text("mqtt.tls.cert_file", "This table's certificate", f"{folder}/table-{table}.crt")
            put(self._values, "mqtt.tls.key_file", f"{credentials}/mqtt-key")
        self._number("mqtt.port", "Its port", 8883 if tls else 1883)
        if at(self._values, "mqtt.username") is None:
            ours = own_user(str(at(self._values, "table.site")), str(table))
            said = self._talk.ask("Our user at the broker, or none", ours if away else "none")
            if said not in NO:
                put(self._values, "mqtt.username", said)
        if at(self._values, "mqtt.username") is not None and at(self._values, "mqtt.password_file") is None:
            put(self._values, "mqtt.password_file", f"{credentials}/mqtt-password")
        if at(self._values, "mqtt.consumers") is None:
            said = self._talk.ask(
                "Who must acknowledge every message? Names with blanks between", "settlement"
            )
            put(self._values, "mqtt.consumers", [] if said in NO else said.split())
        self._book()

    def _book(self) -> None:
        """Who takes the bets, where no card may be drawn before they are closed there, too."""
        consumers, key = at(self._values, "mqtt.consumers"), "round.await_book"
        if not isinstance(consumers, list) or at(self._values, "round.close") == "first_card":
            return
        while consumers and at(self._values, key) is None:
            question = (
                f"Which of them ({', '.join(map(str, consumers))}) takes bets over the network, so that"
            )
            said = self._talk.ask(f"{question} no card is drawn before it has closed them? Or none", "none")
            if said in NO:
                return
            if said in consumers:
                self._answer(key, said)
            else:
                self._talk.tell(f"{said} is none of them")

    def needs(self) -> tuple[bool, tuple[str, ...], int | None]:
        """Whether the game wants a shuffler, which buttons it has, and how many cards a shoe holds, where the
        number of decks is one.
        """
        game, decks = self._game(), at(self._values, "game.decks")
        if game is None:
            return False, ("open", "close", "settled", "hold"), None
        buttons = ("open", "close", *game.panel_keys, "settled", "hold")
        cards = len(game.deck) * (decks if isinstance(decks, int) else game.default_decks)
        return game.shuffled_every_round, buttons, cards

    def _game(self) -> type[Game] | None:
        try:
            return game_class(str(at(self._values, "game.name")))
        except ConfigurationError:
            return None  # check-config will say so

    def _text(self, key: str, question: str, default: str | None = None) -> None:
        while at(self._values, key) is None:
            self._answer(key, self._talk.ask(question, default))

    def _number(self, key: str, question: str, default: int) -> None:
        while at(self._values, key) is None:
            said = self._talk.ask(question, str(default))
            self._answer(key, int(said) if said.isascii() and said.isdigit() and len(said) < 10 else said)

    def _choice(self, key: str, question: str, choices: Sequence[str]) -> None:
        if at(self._values, key) is None:
            self._talk.tell(f"{question}:")
            put(self._values, key, self._talk.choose("Which?", choices))

    def _answer(self, key: str, value: object) -> None:
        put(self._values, key, value)
        problem = problem_at(self._values, key)
        if problem is not None:
            self._talk.tell(problem)
            put(self._values, key, None)
