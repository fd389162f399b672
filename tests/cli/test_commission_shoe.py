"""``commission`` waits for a shoe's answer, and not for ever."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from controller.cli import commission_parts
from controller.cli.commission_parts import Visit, answered
from controller.cli.conversation import Conversation
from controller.shell.commissioning import Identity, Progress
from controller.shell.wiring.bench import Said
from tests.cli.program import PATIENCE_S


@pytest.fixture
def visit(tmp_path: Path) -> Visit:
    digest = "d" * 64
    progress = Progress(tmp_path / "steps", Identity("north/7", "1.0", digest, digest, digest, "std", digest))
    unused: Any = None
    return Visit(unused, Conversation(None, lambda text: None), unused, progress, lambda: "")


@pytest.mark.parametrize(
    ("what", "confirmed", "noted"),
    [("answered", True, []), ("refused", False, ["refused: LK"]), ("lost", False, ["lost: LK"])],
)
def test_what_the_shoe_says_to_a_command(visit: Visit, what: Any, confirmed: bool, noted: list[str]) -> None:
    visit.talk.heard.put(Said("shoe", "answered", "?"))
    visit.talk.heard.put(Said("shoe", what, "LK"))
    assert answered(visit, "cable: lock") is confirmed
    assert [step.seen for step in visit.progress.steps] == noted


def test_a_shoe_that_says_all_but_the_answer_is_not_waited_for(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commission_parts, "ANSWER_S", 0.3)
    enough = threading.Event()

    def babble() -> None:
        while not enough.wait(0.005):
            visit.talk.heard.put(Said("shoe", "other", "HELLO"))

    confirmed: list[bool] = []
    threads = [
        threading.Thread(target=babble, daemon=True),
        threading.Thread(target=lambda: confirmed.append(answered(visit, "cable: lock")), daemon=True),
    ]
    for thread in threads:
        thread.start()
    threads[1].join(PATIENCE_S)
    enough.set()
    assert confirmed == [False]
    assert [step.seen for step in visit.progress.steps] == ["the shoe does not answer"]
