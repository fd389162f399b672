"""A table where everything happens in some order, and a second count of each player's money by ``settle``."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from controller.games.registry import game_class
from controller.settlement import settle_line
from controller.wagering.database import Database
from tests.scenarios.conversation import name_of
from tests.wagering.seats import RICH, Seats

PLAYERS = ("ada", "ben", "cleo")
GAMES = {
    "baccarat": 'baccarat odds=live betting_rounds=["deal","first"] round.exposed_card=play',
    "2-card-action": "2-card-action layout=C round.exposed_card=play",
    "casino-holdem": "casino-holdem",
    "two-cards-high": "two-cards-high seats=3",
}


class Evening:
    """Plays whole rounds; ``dice`` decides everything."""

    def __init__(
        self, database: Database, game: str, dice: random.Random, players: Sequence[str] = PLAYERS
    ) -> None:
        self.players = players
        self.seats = Seats(database, GAMES[game], *players)
        self.game, self.dice = game, dice
        self.taken: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        """Round and player -> what was answered to be taken."""
        self.decided: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self.cards: list[str] = []
        self.used: list[str] = []
        self.ended = False

    def round(self) -> None:
        """From OPEN to the settlement or a void, with whatever happens in between."""
        kind = game_class(self.game)
        if kind.shuffled_every_round or len(self.cards) < 20:
            self.cards = [str(card) for card in kind.deck] * kind.default_decks
            self.dice.shuffle(self.cards)
            self.say(f"SHOE {len(self.cards)}")
        self.used, self.ended = [], False
        if kind.hands_with_spots and self.game == "two-cards-high":
            seats = self.dice.sample((1, 2, 3), self.dice.randint(1, 3))
            self.say("SEATS " + " ".join(map(str, sorted(seats))))
        self.say("OPEN")
        while not self.ended:
            self._step()
        if self.seats.conversation.display["phase"] == "result":
            self.say("SETTLED")
            if self.dice.random() < 0.1:
                self.say("VOID supervisor")

    def say(self, text: str) -> None:
        """The table goes on; now and then the service dies, and hears everything again."""
        self.seats.hears = False
        self.seats.say(text)
        bodies = self.seats.bodies[self.seats.heard :]
        cut = self.dice.randint(0, len(bodies)) if self.dice.random() < 0.2 else len(bodies)
        self.seats.stream.take(bodies[:cut])
        if cut < len(bodies) or self.dice.random() < 0.05:
            self.seats.heard += cut
            self.seats.again()
            self.seats.stream.take(bodies)  # what was heard before the crash is in it
            self.seats.heard -= cut
        self.seats.heard += len(bodies)

    def _step(self) -> None:
        phase = self.seats.conversation.display["phase"]
        self._calls()
        if self.dice.random() < 0.02 and phase != "result":
            self.say("VOID supervisor")
            self.ended = True
        elif self.dice.random() < 0.05 and phase in ("betting", "dealing"):
            self.say("HOLD")
            self._calls()
            self.say("CLEAR continue")
        elif self.dice.random() < 0.03 and phase in ("betting", "dealing", "decision"):
            self.say("RESTART; MISSED shoe")
            self._calls()
            self.say("CLEAR continue")
        elif phase == "result" and self.used and self.dice.random() < 0.1:
            self._back()
        elif phase in ("result", "void"):
            self.ended = True
        else:
            steps = {"betting": "CLOSE", "decision": "DECIDED", "reveal": "REVEAL"}
            self.say(steps[phase]) if phase in steps else self._draw()

    def _draw(self) -> None:
        card = self.cards.pop()
        self.used.append(card)
        self.say(card)

    def _back(self) -> None:
        card = self.used.pop()
        self.cards.append(card)
        self.say(f"RETURN {card}")
        for key in [key for key in self.decided if key[0] == self.seats.felt.round]:
            if self.seats.felt.asked and self.seats.conversation.display["phase"] == "decision":
                del self.decided[key]

    def _calls(self) -> None:
        felt = self.seats.felt
        round_ = felt.round or ""
        able = felt.phase in ("betting", "decision") and not felt.holds
        for player in self.players:
            if self.dice.random() > (0.8 if able else 0.1):
                continue
            key = round_, player
            what = self.dice.random()
            if what < 0.5 and felt.spots:
                self._bet(player, sorted(felt.spots))
            elif what < 0.6:
                gone = self.seats.undo(player, all=self.dice.random() < 0.3)
                if isinstance(gone, dict):
                    ids = {bet["id"] for bet in gone["bets"]}
                    self.taken[key] = [bet for bet in self.taken[key] if bet["id"] not in ids]
            elif what < 0.9 and felt.decisions:
                hand, choice = self.dice.choice(("hand1", "hand2")), self.dice.choice(("play", "fold"))
                if isinstance(self.seats.decide(player, hand, choice), dict):
                    self.decided[key][hand] = choice

    def _bet(self, player: str, spots: list[str]) -> None:
        chosen = self.dice.sample(spots, min(len(spots), self.dice.randint(1, 3)))
        bets = [(spot, self.dice.choice((1, 7, 100, 999, 5_000, RICH))) for spot in chosen]
        call = f"e{self.dice.randrange(10**9)}"
        told = self.seats.bet(player, *bets, offer=bool(self.seats.felt.live), id=call)
        if self.dice.random() < 0.2:
            assert self.seats.bet(player, *bets, offer=bool(self.seats.felt.live), id=call) in (
                told,
                "id_reused",
            )
        if isinstance(told, dict):
            self.taken[self.seats.felt.round or "", player] += told["bets"]

    def expected(self) -> dict[str, int]:
        """Every player's balance, from what was answered and what the table said."""
        return balances(self.game, self.seats.conversation.stream, self.players, self.taken, self.decided)


def balances(
    game: str,
    stream: Iterable[Mapping[str, Any]],
    players: Iterable[str],
    taken: Mapping[tuple[str, str], list[dict[str, Any]]],
    decided: Mapping[tuple[str, str], dict[str, str]],
) -> dict[str, int]:
    """Every player's balance by ``settle``: of the last word on each round, the bets that were taken and not
    given back, and the decisions, both by round and player."""
    words: dict[str, dict[str, Any]] = {}
    seats: dict[str, Any] = {}
    for message in stream:
        data: Any = message["data"]
        if name_of(message) in ("round.result", "round.void"):
            words[data["round"]] = data
        if name_of(message) == "round.bets_closed":
            seats[data["round"]] = data.get("seats")
    counted = dict.fromkeys(players, RICH)
    for (round_, player), bets in taken.items():
        word = words.get(round_)
        if word is None or "retracts" in word:
            continue
        dealt = seats[round_]
        bets = [bet for bet in bets if dealt is None or int(bet["spot"][4]) in dealt]
        counted[player] += net(game, word, bets, decided.get((round_, player), {}))
    return counted


def net(game: str, word: dict[str, Any], bets: list[dict[str, Any]], decisions: dict[str, str]) -> int:
    """What a player's bets of a round brought, less what they cost."""
    line: dict[str, Any] = {"game": game, "hands": word["hands"]}
    if "board" in word:
        line["board"] = word["board"]
    if game == "2-card-action":
        line["layout"] = "C"
    named = [
        {"spot": bet["spot"], "stake": bet["stake"]}
        | ({"odds": float(bet["price"])} if "price" in bet else {})
        for bet in bets
    ]
    return settle_line({**line, "bets": named, "decisions": decisions}).net_minor
