"""The protocol page: every word has its meaning, and its round on the wire is what a table answers."""

from __future__ import annotations

import re
from pathlib import Path

from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad import KEYPAD
from drivers.keypad.simulator import Keypad
from drivers.line import SHUFFLER
from making.pages.protocol import KEY_MEANINGS, MACHINE_MEANINGS, TALK
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, whole

SHOE = '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n'


def test_every_word_has_its_meaning() -> None:
    assert (set(KEY_MEANINGS), set(MACHINE_MEANINGS)) == (set(KEYPAD), set(SHUFFLER))


def test_the_round_of_the_page(tmp_path: Path) -> None:
    talk = re.findall(r"^> (.*)\n< (.*)$", TALK, re.MULTILINE)
    assert len(talk) > 5
    with (
        SimulatedBeeTek(tmp_path / "shoe"),
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, SHOE + PANEL),
    ):
        assert [(line, keypad.ask(line, PATIENCE_S)) for line, _ in talk] == talk
