"""``docs/how-to/an-auditor-in-one-hour.md``, walked: what is typed, and what is answered."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.docs.test_pages import HOUSE, blocks
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM

PAGE = HOUSE / "docs/how-to/an-auditor-in-one-hour.md"
OTHER_EACH_TIME = re.compile(r"\b[0-9a-f]{16,}\b|\d\d+|(?<=record )\d+|(?<=record is )\d+")
"""Hashes, times, and how many records there are: a device may report once more on a machine that is slow."""


def lasting(text: str) -> str:
    return OTHER_EACH_TIME.sub("N", text)


def steps() -> list[tuple[str, str]]:
    """Each command of the page, and the answer that it shows, if any."""
    found: list[tuple[str, str]] = []
    for language, text in blocks(PAGE):
        if language == "sh":
            found += [(line, "") for line in text.splitlines()]
        if language == "console":
            parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
            found += [(command, answer) for command, _, answer in (part.partition("\n") for part in parts)]
    return found


def as_shown(answer: str, shown: str) -> bool:
    """Whether an answer is that of the page, where ``...`` stands for any lines."""
    pattern = re.escape(lasting(shown)).replace(re.escape("...\n"), r"(?:.*\n)*")
    return re.fullmatch(pattern, lasting(answer)) is not None


def test_an_auditor_in_one_hour(tmp_path: Path) -> None:
    [script] = [text for kind, text in blocks(HOUSE / "docs/how-to/check-an-export.md") if kind == "bash"]
    (tmp_path / "check-export.sh").write_text(script)
    walked = steps()
    typed = "".join(f"{command}\necho '=='\n" for command, _ in walked)
    path = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", typed], cwd=tmp_path, env=os.environ | path, capture_output=True, text=True,
        check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.stderr == ""
    said = dict(zip((command for command, _ in walked), done.stdout.split("==\n"), strict=False))
    assert [f"$ {command}\n{said[command]}" for command, shown in walked if not as_shown(said[command], shown)
            and shown] == []  # fmt: skip
    whole, last = (said[start] for start in said if start.endswith(("7.jsonl | sha256sum", "-n 1 7.jsonl")))
    assert whole.split()[0] in last
    assert said["sha256sum --check --quiet approved.sha256"] == ""
    [approved] = (said[call] for call in said if call.endswith("approved.sha256 | sha256sum"))
    assert said["grep '^  program' round.txt"].split()[-1] == approved.split()[0]
    assert " is whole: " in said["dealer-table verify record/journal.db"]
