"""Real deaths: the daemon, over our disk and wires, kills itself at the n-th write, sync, send or answer.

It is started again as a service manager does; the dealer and the devices go on as people and shoes do.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.faults.loop import Figures, examine
from tests.faults.shim import shimmed
from tests.harness.deals import Deal
from tests.harness.house import bad_house
from tests.harness.people import Croupier
from tests.harness.process import Daemon

ROUNDS = 2


class KeptDaemon(Daemon):
    """Started again when it dies; what it was to die of is taken away first."""

    deaths = 0
    control: Path

    def check(self) -> None:
        with self._guard:
            if self._process is None or self._process.poll() is None:
                return
            (self.control / "crash").unlink()
            self.deaths += 1
            self._process = None
            self.start()


def die_once(folder: Path, deal: Deal, seed: int, kind: str, when: str, number: int) -> Figures:
    """Deal two rounds through one death; AssertionError where the daemon did not die."""
    control = folder / "control"
    control.mkdir()
    (control / "crash").write_text(f"{kind} {when} {number}")

    def kept(*given: Any) -> KeptDaemon:
        daemon = KeptDaemon(*given)
        daemon.control = control
        return daemon

    with bad_house(folder, deal, program=shimmed(control), daemon=kept) as house:
        people = Croupier(house, random.Random(seed), deal=deal)
        completed = 0
        while completed < ROUNDS:
            completed += people.round()
        house.wait_delivered()
        if not isinstance(house.daemon, KeptDaemon) or house.daemon.deaths != 1:
            raise AssertionError(f"the daemon did not die {when} {kind} {number}")
        statuses = (house.daemon.stop(), house.consumer.stop())
        figures = examine(house, people, Figures(deal.game, seed))
        if statuses != (0, 0):
            figures.complaints.append(f"daemon and consumer ended with {statuses}")
        return figures
