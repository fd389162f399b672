"""The commissioning of a table on record: what was tried, what a person saw, and the report with its digests.

Every step is on disk before the next is asked for, so that a power cut (one of the steps) loses none.
"""

from __future__ import annotations

import hashlib
import html
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from controller.vocabulary.codec import canonical
from controller.vocabulary.errors import DealerTableError, InputError, why

Verdict = Literal["ok", "failed", "skipped"]
DONE = "done"
"""The last step of a part, when all of it was asked."""


class CommissioningStep(msgspec.Struct, frozen=True):
    """One thing that was tried. ``seen`` is for people; ``card`` and ``code`` are of a card's step."""

    part: str
    name: str
    verdict: Verdict
    seen: str
    at: str
    card: str | None = None
    code: str | None = None


class Identity(msgspec.Struct, frozen=True):
    """What was commissioned: another one of these is another table."""

    table: str
    version: str
    software_digest: str
    configuration_digest: str
    code_map_digest: str
    pay_table: str
    pay_table_digest: str


class CommissioningReport(msgspec.Struct, frozen=True):
    """The whole commissioning; ``digest``: SHA-256, hex, of its canonical form without the digest."""

    identity: Identity
    by: str
    machine: dict[str, str]
    began: str
    ended: str
    verdict: Literal["passed", "failed", "incomplete"]
    missing: tuple[str, ...]
    steps: tuple[CommissioningStep, ...]
    digest: str = ""


class CommissioningRecord:
    """The steps so far, in a file that grows by whole lines."""

    def __init__(self, path: Path, identity: Identity) -> None:
        """InputError if the file is of another identity: what was seen then says nothing now."""
        self.path = path
        self.steps: list[CommissioningStep] = []
        self._identity = identity
        lines = path.read_bytes().splitlines() if path.exists() else []
        if not lines:
            self._write(identity)
            return
        with suppress(msgspec.DecodeError):  # the power went while a line was written: it has not happened
            if msgspec.json.decode(lines[0], type=Identity) != identity:
                raise InputError(
                    f"{path} is of another configuration, software or table: start over with --again"
                )
            for line in lines[1:]:
                self.steps.append(msgspec.json.decode(line, type=CommissioningStep))

    def note(self, step: CommissioningStep) -> None:
        """Keep a step; it is durable when this returns. DealerTableError if the disk refuses."""
        self._write(step)
        self.steps.append(step)

    def of(self, part: str) -> list[CommissioningStep]:
        """What was tried of a part, from its last beginning."""
        return [step for step in self.steps if step.part == part]

    def finished(self, part: str) -> bool:
        """Whether all of a part was asked, and nothing of it failed."""
        steps = self.of(part)
        return any(step.name == DONE for step in steps) and all(step.verdict != "failed" for step in steps)

    def begin_anew(self, part: str) -> None:
        """Forget what was tried of a part, for another try; the file that says so is kept beside."""
        kept = [step for step in self.steps if step.part != part]
        set_aside(self.path)
        self.steps = []
        self._write(self._identity)
        for step in kept:
            self.note(step)

    def _write(self, line: Identity | CommissioningStep) -> None:
        try:
            with self.path.open("ab") as file:
                if file.tell() and not self.path.read_bytes().endswith(b"\n"):
                    file.write(b"\n")
                file.write(msgspec.json.encode(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DealerTableError(f"{self.path}: {why(error)}") from error


def set_aside(path: Path) -> Path:
    """Give a file a name of its own, ``<name>.1`` and so on; nothing is written over."""
    number = 1
    while (kept := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    path.rename(kept)
    return kept


def report_of(
    identity: Identity,
    by: str,
    machine: dict[str, str],
    steps: Iterable[CommissioningStep],
    parts: Iterable[str],
    now: str,
) -> CommissioningReport:
    """The report over all steps: passed where every part was asked to its end, and all was well."""
    tried = tuple(steps)
    asked = {step.part for step in tried if step.name == DONE}
    missing = tuple(part for part in parts if part not in asked)
    failed = any(step.verdict == "failed" for step in tried)
    skipped = any(step.verdict == "skipped" for step in tried)
    verdict: Literal["passed", "failed", "incomplete"] = (
        "failed" if failed else "incomplete" if missing or skipped else "passed"
    )
    began = tried[0].at if tried else now
    report = CommissioningReport(identity, by, machine, began, now, verdict, missing, tried)
    return msgspec.structs.replace(report, digest=digest_of(report))


def digest_of(report: CommissioningReport) -> str:
    """What ``digest`` of a report must be."""
    bare = msgspec.structs.replace(report, digest="")
    return hashlib.sha256(canonical(bare)).hexdigest()


def page(report: CommissioningReport) -> str:
    """The report on paper: HTML without anything from elsewhere, with a line to sign on."""
    identity = msgspec.structs.asdict(report.identity)
    facts = {**identity, **report.machine, "by": report.by, "began": report.began, "ended": report.ended}
    head = "".join(
        f"<tr><th>{html.escape(key.replace('_', ' '))}</th><td>{html.escape(str(value))}</td></tr>"
        for key, value in facts.items()
    )
    rows = "".join(
        f'<tr class="{step.verdict}"><td>{html.escape(step.part)}</td><td>{html.escape(step.name)}</td>'
        f"<td>{step.verdict}</td><td>{html.escape(step.seen)}</td><td>{step.at}</td></tr>"
        for step in report.steps
        if step.name != DONE
    )
    missing = f"<p>Not tried to the end: {', '.join(report.missing)}</p>" if report.missing else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Commissioning of '
        f"{html.escape(report.identity.table)}</title><style>{_STYLE}</style>"
        f"<h1>Commissioning of {html.escape(report.identity.table)}: {report.verdict}</h1>{missing}"
        f"<table>{head}</table><h2>What was tried</h2><table><tr><th>part</th><th>step</th><th>verdict</th>"
        f"<th>seen</th><th>when (UTC)</th></tr>{rows}</table>"
        f"<p>Digest of this report: <code>{report.digest}</code></p>"
        "<p>Commissioned by: ______________________ &nbsp; For the house: ______________________</p></html>\n"
    )


_STYLE = (
    "body{font:11pt sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{border:1px solid #888;padding:.2em .5em;text-align:left;word-break:break-all}"
    ".failed td{font-weight:bold;background:#fdd}.skipped td{background:#ffd}"
)
