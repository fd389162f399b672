"""A shoe that never says anything twice, and kill -9 between its bytes and the commit.

What a report said that was lost so, nobody will ever know. No result may differ from the physical cards for
all that, and the round is held for people to look at, at the next report at the latest.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.vocabulary.events import BetsOpened, CardRead, ReportsMissed, RoundSettled, SoftwareStarted
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.repeats import NumberCycle
from tests.e2e.sabotage import Saboteur
from tests.harness.configuration import Given
from tests.harness.dealer import Dealer, Ruling
from tests.harness.house import House, Shoe, house
from tests.harness.people import Story
from tests.harness.rules_by_hand import Played

SEED = int(os.environ.get("KILL_SEED", "20260301"))
KILLS = int(os.environ.get("KILLS", "20"))
"""For certain between a byte and its commit, of each kind of shoe; there are three. ``make kills`` has 67."""
SHOE_CARDS = 416


@dataclass
class SabotagedDealer(Dealer):
    """Deals on whatever happens, and has a supervisor who compares the felt with the screen."""

    saboteur: Saboteur = field(init=False)
    sabotaged: float = 0.22
    """The part of all draws that somebody kills around."""
    unseen: int = 0
    """Cards that left this shoe and that the table did not see, by the last ruling."""
    story: Story = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.saboteur = Saboteur(self.house, self.chance)
        self.story = Story(self.house.journal)

    def draw(self, hand: str, number: int) -> str:
        if self.chance.random() >= self.sabotaged:
            return super().draw(hand, number)
        self.find_keypad()
        card = self.cards[-1]
        self.patiently(
            lambda: self.saboteur.around(lambda: self.hand.draw(card, hand, number)), "a card comes out"
        )
        self.rounds[-1].cards.append((hand, self.cards.pop()))
        if self.chance.random() < 0.5:
            self.find_keypad()  # else the dealer draws on before the table is back
        return card

    def tell(self, played: Played) -> None:
        numbered = isinstance(self.house.shoe, SimulatedAngelEye)
        if numbered and self.chance.random() < self.sabotaged / 2:
            self.find_keypad()
            self.saboteur.around(lambda: self.hand.finished(played) is None)
        else:
            self.hand.finished(played)
        self.saboteur.wait_bytes(lambda count: count == 0)

    def taken(self) -> bool:
        return True  # or swallowed: this shoe never knows

    def rule(self) -> Ruling:
        """Void, unless the table has counted as many cards out of the shoe as have left it.

        Those that it missed before the last ruling are known.
        People take longer than a port takes to open, and than bytes take from the kernel to the record.
        """
        self.house.daemon.until(self.shoe_is_connected, "the shoe is connected")
        self.saboteur.wait_bytes(lambda count: count == 0)
        self.press("KEY", "boss")
        self.story.read()
        unseen = SHOE_CARDS - len(self.cards) - self.story.cards
        if self.story.last_step != "round.opened" or unseen == self.unseen:
            return "continue"
        self.unseen = unseen
        return "void"

    def load(self) -> None:
        super().load()
        self.unseen = 0

    def reports(self) -> int:
        """So many reports the shoe has made."""
        shoe = self.house.shoe
        if isinstance(shoe, SimulatedAngelEye):
            return len(shoe.sent)
        return sum(len(felt.cards) for felt in self.rounds)

    def last_number(self) -> int | None:
        """The number of the last report, where the shoe numbers them."""
        shoe = self.house.shoe
        return shoe.sent[-1][1] if isinstance(shoe, SimulatedAngelEye) else None

    def shoe_is_connected(self) -> bool:
        """Whether this life of the daemon has the shoe's port open."""
        self.story.read()
        return self.story.shoe_connected


def angel_eye(folder: Path) -> SimulatedAngelEye:
    return SimulatedAngelEye(folder / "shoe", resends=False, answers_query=False)


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        pytest.param(angel_eye, {}, id="angel eye, whose lock speaks after each start"),
        pytest.param(
            angel_eye,
            {"devices": {"shoe": {"lock": False, "query_on_connect": False}}},
            id="angel eye, silent until the next card",
        ),
        pytest.param(lambda folder: SimulatedBeeTek(folder / "shoe"), {}, id="bee-tek, which has no numbers"),
    ],
)
def test_what_a_kill_swallowed_never_makes_a_wrong_result(
    tmp_path: Path, make: Callable[[Path], Shoe], keys: Given
) -> None:
    with house(tmp_path, make(tmp_path), keys) as table:
        begun = time.monotonic()
        dealer = SabotagedDealer(table, random.Random(SEED))
        table.daemon.start()
        dealer.load()
        completed = 0
        while dealer.saboteur.between < KILLS:
            completed += dealer.round()
        dealer.sabotaged = 0.0
        while not dealer.round():
            pass  # what was swallowed last shows now
        assert table.close_down() == 0
        lost = check_doubts(table, dealer.reports(), dealer.last_number())
        results = check_results(table, dealer)
        print(
            f"seed {SEED}: kills {dealer.saboteur.kills}, {lost} reports lost, {len(dealer.rounds)} rounds,"
            f" {completed} completed, {results} results, {dealer.holds} times held,"
            f" {time.monotonic() - begun:.0f} s"
        )
        assert table.settlement.wrong == []


def check_results(table: House, dealer: SabotagedDealer) -> int:
    """No result differs from the physical cards; how many there are."""
    opened = [heard["round"] for heard in table.settlement.of("round.opened")]
    assert len(opened) == len(dealer.rounds)
    felt_of = dict(zip(opened, dealer.rounds, strict=True))
    results = table.settlement.of("round.result")
    for result in results:
        played = felt_of[result["round"]].played
        assert played is not None, f"a result of {result['round']}, whose cards do not all lie"
        assert result["hands"] == {"player": [*played.player], "banker": [*played.banker]}
        assert result["outcome"] == played.outcome
    return len(results)


def check_doubts(table: House, made: int, newest: int | None) -> int:
    """Every lost report held the table, at the next report or at the next start; how many were lost.

    ``made`` reports left the shoe, ``newest`` is the number of the last of them, where they have numbers.
    """
    numbered = isinstance(table.shoe, SimulatedAngelEye)
    cycle, last, kept, missed = NumberCycle(0x31, 0x7E), None, 0, 0
    in_round = started = doubted = False
    with SqliteReader.open(table.journal) as journal:
        for record, event, stamp in table.records():
            said = [json.loads(body) for body in journal.messages_of(record.number)]
            holds = [
                heard["data"]["reason"] for heard in said if heard["type"] == "dealertable.table.held.v1"
            ]
            in_round = (in_round or isinstance(event, BetsOpened)) and not isinstance(event, RoundSettled)
            in_round = in_round and not any(heard["type"] == "dealertable.round.void.v1" for heard in said)
            started = in_round and (started or isinstance(event, SoftwareStarted))
            if isinstance(event, SoftwareStarted):
                assert (holds == ["restart_doubt"]) == (in_round and not numbered)
            elif isinstance(event, ReportsMissed):
                assert holds == ["restart_doubt"]
                doubted = True
            elif stamp.report is not None:
                gap = (stamp.report - (cycle.first if last is None else cycle.after(last))) % 78
                # Before the very first report no number proves anything: a start in its round is the doubt.
                right = doubted == (gap > 0 if last is not None else started)
                assert right, f"record {record.number}: {gap} reports before it were lost, doubt: {doubted}"
                last, kept, missed, doubted = stamp.report, kept + 1, missed + gap, False
            elif not numbered:
                kept += isinstance(event, CardRead)
    # What the shoe said while the table was closed down at the end has no next report that could show it.
    unheard = 0 if newest is None or last is None else (newest - last) % 78
    assert not numbered or (unheard <= 1 and missed + unheard == made - kept)
    return made - kept
