"""Players of software at the demo table: they call the wagering service as anybody's program would.

Each betting round and each decision is a stage: all of them have their say, one after the other, and the
dealer waits for that. They know what ``GET /tables`` tells and what was answered to them.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from controller.demo.players import money
from controller.vocabulary.errors import why
from controller.vocabulary.shown import counted

LOOK_S = 0.05
AWAY = (OSError, http.client.HTTPException, ValueError)
"""The service is not there yet, or not any more."""
USUAL = (100, 10_000)
"""Least and most of a spot without limits, minor units."""
CHIPS = 10
"""A player stakes at most so many times the least."""


class Bettors(threading.Thread):
    """Play until :meth:`stop`."""

    def __init__(
        self, host: str, port: int, tokens: Mapping[str, str], operator: str, seed: int | None
    ) -> None:
        """``tokens``: name -> token; ``operator``: the token that reads the audit."""
        super().__init__(name="players", daemon=True)
        self._where = host, port
        self._tokens = dict(tokens)
        self._operator = operator
        self._dice = random.Random(seed)
        self._line: http.client.HTTPConnection | None = None
        self._leave = threading.Event()
        self._calls = count(1)
        self._hands: dict[str, set[str]] = {}
        """Player -> hands with a bet of this round."""
        self._stage: tuple[object, ...] = ()
        self.stages = 0
        """So many betting rounds and decisions are over for all players."""
        self.bets = 0
        self.refused: Counter[str] = Counter()

    def stop(self) -> None:
        """End after the present call."""
        self._leave.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Until :meth:`stop`."""
        while not self._leave.wait(LOOK_S):
            with suppress(*AWAY):
                self._look()

    def _look(self) -> None:
        status, tables = self._ask("GET", "/tables", next(iter(self._tokens.values())))
        if status != http.client.OK:
            return
        (table,) = tables
        spots = table["spots"]
        offers = {spot["offer"] for spot in spots.values() if spot["offer"] is not None}
        waits = bool(table["live"]) and not offers
        stage = table["round"], table["phase"], *sorted(offers)
        if stage == self._stage or table["held"] or table["phase"] not in ("betting", "decision"):
            return
        if table["phase"] == "betting" and waits:  # the prices of this betting round are on their way
            return
        if not self._stage or stage[0] != self._stage[0]:
            self._hands = {}
        at = f"/tables/{table['site']}/{table['table']}"
        for name in self._tokens:
            if self._leave.is_set():
                return
            if table["phase"] == "betting":
                self._bet(name, at, table)
            else:
                self._decide(name, at, table["round"])
        self._stage = stage
        self.stages += 1

    def _bet(self, name: str, at: str, table: dict[str, Any]) -> None:
        """Some chips on a spot or two; one in eight thinks better of it, one in six doubles."""
        open_ = sorted(
            spot
            for spot, said in table["spots"].items()
            if said["offer"] is not None or spot not in table["live"]
        )
        if not open_ or self._dice.random() < 0.2:
            return
        bets = []
        for spot in self._dice.sample(open_, min(len(open_), self._dice.randint(1, 2))):
            said = table["spots"][spot]
            least, most = (said["min"] or 1, said["max"]) if said["max"] is not None else USUAL
            bet = {"spot": spot, "stake": min(least * self._dice.randint(1, CHIPS), most)}
            bets.append(bet if said["offer"] is None else {**bet, "offer": said["offer"]})
        round_ = table["round"]
        if not self._post(name, f"{at}/bets", {"round": round_, "bets": bets}):
            return
        self.bets += len(bets)
        chance = self._dice.random()
        if chance < 1 / 8:
            if self._post(name, f"{at}/bets/undo", {"round": round_}):
                self.bets -= len(bets)
            return
        if chance < 1 / 8 + 1 / 6 and self._post(name, f"{at}/bets", {"round": round_, "bets": bets}):
            self.bets += len(bets)
        self._hands.setdefault(name, set()).update(bet["spot"].partition(".")[0] for bet in bets)

    def _decide(self, name: str, at: str, round_: str) -> None:
        """Two in three play, some do not decide at all."""
        for hand in sorted(self._hands.get(name, ())):
            chance = self._dice.random()
            if chance < 0.9:
                decision = "play" if chance < 0.6 else "fold"
                self._post(name, f"{at}/decisions", {"round": round_, "hand": hand, "decision": decision})

    def _post(self, name: str, path: str, body: dict[str, Any]) -> bool:
        named = {"id": f"{name}-{next(self._calls)}", **body}
        status, said = self._ask("POST", path, self._tokens[name], named)
        if status >= http.client.BAD_REQUEST:
            self.refused[said["error"]["code"]] += 1
        return status < http.client.BAD_REQUEST

    def _ask(self, method: str, path: str, token: str, body: object = None) -> tuple[int, Any]:
        if self._line is None:
            self._line = http.client.HTTPConnection(*self._where, timeout=10)
        try:
            sent = None if body is None else json.dumps(body)
            self._line.request(method, f"/api/v1{path}", sent, {"authorization": f"Bearer {token}"})
            response = self._line.getresponse()
            return response.status, json.loads(response.read())
        except AWAY:
            self._line.close()
            self._line = None
            raise

    # What became of the money

    def glance(self) -> str:
        """A few words for a screen, at any moment."""
        return f"{counted(len(self._tokens), 'player')}: {counted(self.bets, 'bet')}"

    def books(self) -> tuple[str, bool]:
        """All bets in one line, and whether the books balance; when the players have ended."""
        try:
            audit = self._ask("GET", "/audit", self._operator)[1]
        except AWAY as error:
            return f"the books cannot be read: {why(error)}", False
        accounts: dict[str, int] = audit["accounts"]
        players = sum(accounts.get(name, 0) for name in self._tokens)
        faults = [*audit["faults"], *([f"the sum is {audit['sum']}"] if audit["sum"] else [])]
        verdict = "the books balance" if not faults else "THE BOOKS DO NOT BALANCE: " + "; ".join(faults)
        waiting = sum(bet["stake"] for bet in audit["open"])
        refused = ", ".join(f"{code} {times}" for code, times in self.refused.most_common())
        return (
            f"{self.glance()}, {counted(sum(self.refused.values()), 'call')} refused"
            f"{f' ({refused})' if refused else ''}; the players have {money(players)}, the bank has"
            f" {money(accounts.get('house:bank', 0))}, {money(waiting)} in play; {verdict}",
            not faults,
        )
