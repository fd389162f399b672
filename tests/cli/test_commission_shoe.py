"""``commission`` waits for a shoe's answer, and not for ever."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from controller.cli import commission_parts
from controller.cli.commission_parts import Visit, answered
from controller.cli.conversation import Conversation
from controller.shell.commissioning import CommissioningRecord, Identity
from controller.shell.wiring.bench import Said
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.cli.person import Table, verdicts
from tests.harness.patience import PATIENCE_S, Patience


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    digest = "d" * 64
    progress = CommissioningRecord(
        tmp_path / "steps", Identity("north/7", "1.0", digest, digest, digest, "std", digest)
    )
    unused: Any = None
    return Visit(unused, Conversation(None, lambda text: None), unused, progress, "lock")


@pytest.mark.parametrize(
    ("what", "text", "confirmed", "noted"),
    [
        ("answered", "LK 01", True, []),
        ("refused", "LK 01", False, ["refused: LK 01"]),
        ("lost", "[Errno 5] Input/output error", False, ["lost: [Errno 5] Input/output error"]),
    ],
)
def test_what_the_shoe_says_to_a_command(
    visit: Visit, what: Any, text: str, confirmed: bool, noted: list[str]
) -> None:
    visit.talk.heard.put(Said("shoe", "answered", "GP 00"))
    visit.talk.heard.put(Said("shoe", "refused", "LK 02"))  # late, and of another command
    visit.talk.heard.put(Said("shoe", what, text))
    assert answered(visit, "cable: unlock", "LK 01") is confirmed
    assert [step.seen for step in visit.progress.steps] == noted


def test_a_shoe_that_says_all_but_the_answer_is_not_waited_for(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commission_parts, "ANSWER_S", 0.3)
    confirmed: list[bool] = []
    asking = threading.Thread(
        target=lambda: confirmed.append(answered(visit, "cable: lock", "LK 02")), daemon=True
    )
    asking.start()
    patience = Patience()
    while asking.is_alive() and not patience.over:
        visit.talk.heard.put(Said("shoe", "other", "HELLO"))
        asking.join(0.005)
    assert confirmed == [False]
    assert [step.seen for step in visit.progress.steps] == ["the shoe does not answer"]


def reached(shoe: SimulatedAngelEye, *, locked: bool) -> bool:
    """Whether the shoe is locked, when its command has come."""
    with shoe.guard:
        return locked == shoe.guard.wait_for(lambda: shoe.locked == locked, PATIENCE_S)


@pytest.mark.parametrize(("silent", "verdict"), [(False, "ok"), (True, "failed")])
def test_the_lock_of_a_shoe_on_a_cable_answers_or_fails(tmp_path: Path, silent: bool, verdict: str) -> None:
    table = Table(tmp_path)
    text = table.file.read_text().replace("two-cards-high", "baccarat").replace('"bee-tek"', '"angel-eye"')
    table.file.write_text(text + f"command_timeout_ms = {100 if silent else 60_000}\ncommand_tries = 1\n")
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        shoe.ignore_commands = silent
        states: list[bool] = []
        answers: dict[str, Any] = {"Try": [lambda: states.append(reached(shoe, locked=not states)), "y"]}
        _, report = table.commission(answers, "--only", "lock")
    assert verdicts(report, "lock") == {"cable: lock": verdict, "cable: unlock": verdict, "done": "ok"}
    assert states == ([] if silent else [True, False])
