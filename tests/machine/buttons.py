"""A dealer at buttons on pins, whose contacts bounce; a supervisor with a key that is turned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from tests.harness.dealer import Felt
from tests.harness.rules_by_hand import play
from tests.machine.looking import FILE, UNIT, active, demand, heard, until
from tests.machine.table import PIN, MachineTable

PRESSED = {"OPEN": 5, "CLOSE": 6, "SETTLED": 13, "VOID supervisor": 19}
"""What each button says, and its pin."""
KEY = 26
PANEL = {
    "driver": "gpio",
    "buttons": {"open": PRESSED["OPEN"], "close": PRESSED["CLOSE"], "settled": PRESSED["SETTLED"]},
    "lines": {"VOID supervisor": PRESSED["VOID supervisor"]},
    "key_switch": KEY,
}
CLOSED, OPEN = "pull-down", "pull-up"
LONGEST_BOUNCE_MS = 8.0
"""Of good contacts 5 at most; less than ``debounce_ms``."""
HELD_MS = 150.0
SHELL = 'chrt -f -p 50 $$; exec 9<> <(:); at() { echo "$2" >%s; read -rt "$1" -u 9; }; '
"""For bash: an edge and a wait of so many seconds, without a program to begin, and before all else that wants
the processor: a bounce that stands while another program runs is none."""


def buttons(table: MachineTable) -> str:
    """A round by buttons and one that the supervisor voids, by contacts each of which bounces; a contact that
    is loose for a moment says nothing.
    """
    keypad = table.other
    table.other = {**keypad, "panel": PANEL}
    anew(table)
    panel = Buttons(table)
    panel.shake(PRESSED["OPEN"])
    panel.press("OPEN", "round.opened")
    panel.turn(CLOSED)
    panel.press("VOID supervisor", "round.void")
    panel.turn(OPEN)
    table.hands.rounds.append(Felt())
    panel.press("OPEN", "round.opened")
    felt = Felt()
    table.hands.rounds.append(felt)
    panel.press("CLOSE", "round.bets_closed")
    felt.played = play(lambda hand, number: dealt(table, hand, number))
    table.hands.tell(felt.played)
    until(table.hands.taken, "the shoe's reports are taken")
    panel.press("SETTLED", "round.settled")
    heard(table)
    said = panel.figures()
    demand(said["noise_in"] > 0, "no contact has bounced")
    table.other = keypad
    anew(table)
    table.daemon.generation += 1
    return f"{panel.times} turns of contacts with {said['noise_in']} edges of bounce, each counted once"


def anew(table: MachineTable) -> None:
    """Set up again, with what its pins are now."""
    table.configure("--no-enable")
    table.daemon.must(f"systemctl restart {UNIT}", 900)
    until(lambda: active(table), "the service is active")


def dealt(table: MachineTable, hand: str, number: int) -> str:
    """The next card, as soon as the shoe lets one out."""
    card = table.hands.cards.pop()
    until(lambda: table.hands.hand.draw(card, hand, number), "the shoe lets a card out")
    table.hands.rounds[-1].cards.append((hand, card))
    return card


class Buttons:
    """The contacts, by hand: each turn is looked for in the books and in what the table counts of pins."""

    def __init__(self, table: MachineTable) -> None:
        self._table, self._chance = table, Random(7)
        self.times = 0
        """How often a contact was closed or opened for good."""

    def press(self, line: str, comes: str) -> None:
        """Press and let go; wait for the one message that follows."""
        before = len(self._table.settlement.of(comes))
        edges = [*self._bounce(OPEN, CLOSED), (CLOSED, HELD_MS), *self._bounce(CLOSED, OPEN), (OPEN, HELD_MS)]
        self._contact(PRESSED[line], edges)
        self.times += 2
        until(lambda: len(self._table.settlement.of(comes)) > before, f"{line} is heard")
        self._counted()
        demand(len(self._table.settlement.of(comes)) == before + 1, f"{line} counts more than once")

    def turn(self, to: str) -> None:
        """The supervisor's key."""
        self._contact(KEY, [*self._bounce(CLOSED if to == OPEN else OPEN, to), (to, HELD_MS)])
        self.times += 1
        self._counted()

    def shake(self, pin: int) -> None:
        """A contact that never closes for good."""
        self._contact(pin, [*self._bounce(OPEN, CLOSED), (OPEN, HELD_MS)])
        self._counted()

    def figures(self) -> dict[str, int]:
        """What the table counts of its contacts."""
        shown = json.loads(self._table.daemon.must(f"dealer-table top --config {FILE} --json", 900))
        figures: dict[str, int] = shown["devices"]["panel"]
        return figures

    def _counted(self) -> None:
        """Each turn of a contact has counted, once."""
        until(lambda: self.figures()["frames_in"] >= self.times, "the turn of the contact has counted")
        counted = self.figures()["frames_in"]
        demand(counted == self.times, f"{self.times} turns of contacts counted {counted} times")

    def _bounce(self, before: str, after: str) -> Iterator[tuple[str, float]]:
        """Levels and how many milliseconds they stand, until the contact is at its new one."""
        for _ in range(self._chance.randint(2, 6)):
            yield after, self._chance.uniform(0.2, LONGEST_BOUNCE_MS)
            yield before, self._chance.uniform(0.2, LONGEST_BOUNCE_MS)

    def _contact(self, pin: int, edges: list[tuple[str, float]]) -> None:
        moves = "; ".join(f"at {ms / 1000:.4f} {level}" for level, ms in edges)
        self._table.daemon.must(f"{SHELL % (PIN.format(pin) + '/pull')}{moves}; true")
