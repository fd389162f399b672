"""The fault loop at modest length; ``make faults`` runs it at full length."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.__main__ import reason
from tests.faults.loop import VICTIMS, Figures, fault_loop, judge
from tests.harness.deals import DEALS, Deal
from tests.harness.patience import PATIENCE_S
from tests.harness.people import Dealt
from tests.harness.process import HOUSE
from tests.harness.proxy import FAULTS

SEED = int(os.environ.get("KILL_SEED", "20260301"))
KILLS = 1
ROUND = {"cards": ["8S", "5C", "KC", "2D"]}


@pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal.game)
def test_everything_arrives_once_in_order_and_right(tmp_path: Path, deal: Deal) -> None:
    check(fault_loop(tmp_path, deal, SEED, kills=KILLS, faults=1), KILLS, 1)


def test_so_it_does_at_a_broker_as_a_floor_runs_it(tmp_path: Path) -> None:
    check(fault_loop(tmp_path, DEALS[0], SEED, kills=4, faults=3, tls=True), 4, 3)
    last_life = (tmp_path / "broker" / "mosquitto.conf").read_text()
    assert "require_certificate true\n" in last_life
    assert "acl_file " in last_life


def check(figures: Figures, kills: int, faults: int) -> None:
    print(figures)
    assert figures.complaints == []
    assert (figures.lost, figures.out_of_order, figures.duplicated, figures.wrong) == (0, 0, 0, 0)
    assert figures.kills == dict.fromkeys(VICTIMS, kills)
    assert figures.faults == dict.fromkeys(FAULTS, faults)
    assert figures.results > 0


def heard(name: str, **said: object) -> dict[str, object]:
    return {"type": f"dealertable.{name}.v1", "data": {"round": "1", **said}}


OPENED = heard("round.opened")
RESULT = heard("round.result", replaces=None, revision=1, **DEALS[0].made(ROUND))
WRONG = heard("round.result", replaces=None, **(DEALS[0].made(ROUND) | {"used": 5}))


@pytest.mark.parametrize(
    ("stream", "dealt", "finding"),
    [
        pytest.param([OPENED, RESULT], [Dealt(ROUND)], None, id="right"),
        pytest.param([OPENED, heard("round.void")], [Dealt(ROUND, void=True)], None, id="voided"),
        pytest.param([OPENED], [Dealt(ROUND)], "has no result", id="result lost"),
        pytest.param([OPENED, WRONG], [Dealt(ROUND)], "told was", id="wrong result"),
        pytest.param([OPENED, RESULT, RESULT], [Dealt(ROUND)], "two results", id="result twice"),
        pytest.param([OPENED, RESULT], [Dealt(ROUND, void=True)], "was voided", id="void lost"),
        pytest.param([], [Dealt(ROUND)], "the stream says 0", id="round lost"),
    ],
)
def test_the_judge_sees(stream: list[dict[str, object]], dealt: list[Dealt], finding: str | None) -> None:
    _, _, wrong = judge(stream, dealt, DEALS[0])
    assert (finding is None) == (wrong == [])
    assert finding is None or finding in wrong[0]


def test_an_end_always_says_why() -> None:
    loop = subprocess.Popen(
        [sys.executable, "-m", "tests.faults", "--kills", "1000", "--game", "baccarat"],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if loop.stdout is None:
        raise RuntimeError("no output")
    assert loop.stdout.readline().startswith("seed ")
    loop.send_signal(signal.SIGTERM)
    said, _ = loop.communicate(timeout=PATIENCE_S)
    assert said.splitlines()[-1].startswith("ended: somebody sent SIGTERM")
    assert loop.returncode == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [(0, "dealt to its end"), (1, "a finding"), (-9, "killed by SIGKILL"), (-6, "SIGABRT"), (3, "status 3")],
)
def test_every_status_has_its_words(status: int, said: str) -> None:
    assert said in reason(status, [])
