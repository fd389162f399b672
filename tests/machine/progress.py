"""What was done to machines so far, run after run: a file that is written after each step."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.bench.timing import table as drawn


@dataclass
class Done:
    """One step, however often it was done."""

    times: int = 0
    seen: str = ""
    """What was seen at the last time."""
    lost: int = 0
    """Rounds that were dealt and did not come to the books."""
    wrong: int = 0
    """How often it did not do what it must."""
    seconds: float = 0.0


@dataclass
class Progress:
    """All steps that were done with one package. What went wrong once stays, until it is begun anew."""

    of: str
    """Which package and machine."""
    steps: dict[str, Done] = field(default_factory=dict)

    @staticmethod
    def kept(path: Path, of: str) -> Progress:
        """What the file says; nothing where it tells of another package, or is not there."""
        if path.exists():
            said = json.loads(path.read_text())
            if said["of"] == of:
                return Progress(of, {name: Done(**done) for name, done in said["steps"].items()})
        return Progress(of)

    def keep(self, path: Path) -> None:
        """Write it, whole or not at all."""
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=1))
        new.replace(path)

    def note(self, step: str, seen: str, seconds: float, *, lost: int = 0, wrong: bool = False) -> None:
        """A step was done."""
        done = self.steps.setdefault(step, Done())
        done.times += 1
        done.seen, done.seconds = seen, seconds
        done.lost += lost
        done.wrong += wrong

    def is_due(self, step: str) -> bool:
        """Whether it has never gone well yet."""
        done = self.steps.get(step, Done())
        return done.times == done.wrong

    @property
    def clean(self) -> bool:
        """Whether nothing was ever lost or wrong."""
        return not any(done.lost or done.wrong for done in self.steps.values())

    def table(self) -> str:
        """For people."""
        rows = [
            (name, str(done.times), done.seen, str(done.lost), str(done.wrong), f"{done.seconds:.0f}")
            for name, done in self.steps.items()
        ]
        return drawn(("what was done", "times", "what was seen", "lost", "wrong", "s"), rows)
