"""What is written to the disk of the journal, as the kernel tells it, and what that costs a memory card."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from controller.settings.loader import load_configuration
from controller.shell.doctor import machine
from controller.shell.wear import Disk, disk_of, life_years, written_bytes
from tests.harness.configuration import configured

ANGEL_EYE = 'devices.shoe = { driver = "angel-eye", port = "{folder}/shoe" }'


@pytest.mark.parametrize(
    ("says", "written"),
    [
        ("rchar: 1\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n", 8192),
        ("rchar: 1\n", None),
        ("write_bytes: many\n", None),
        ("", None),
        (None, None),
    ],
)
def test_what_a_process_wrote(tmp_path: Path, says: str | None, written: int | None) -> None:
    if says is not None:
        (tmp_path / "io").write_text(says)
    assert written_bytes(tmp_path / "io") == written


def test_this_process_s_own_is_told() -> None:
    assert written_bytes() is not None


def blocks(folder: Path, stat: str | None = "9 0 9 9 7 0 4000 9 0 9 9") -> Path:
    """As /sys/dev/block has a card of 32 GB with a partition that holds this very folder."""
    disk, number = folder / "mmcblk0", os.stat(folder).st_dev
    (disk / "mmcblk0p2").mkdir(parents=True)
    (disk / "mmcblk0p2" / "partition").write_text("2\n")
    (disk / "size").write_text("62500000\n")
    if stat is not None:
        (disk / "stat").write_text(stat + "\n")
    (folder / "block").mkdir()
    (folder / "block" / f"{os.major(number)}:{os.minor(number)}").symlink_to(disk / "mmcblk0p2")
    return folder / "block"


def test_the_disk_of_a_folder_is_the_whole_card(tmp_path: Path) -> None:
    assert disk_of(tmp_path, blocks(tmp_path)) == Disk("mmcblk0", 32_000_000_000, 4000 * 512)


@pytest.mark.parametrize("stat", [None, "", "1 2 3", "9 0 9 9 7 0 many 9"])
def test_a_disk_that_does_not_tell_is_none(tmp_path: Path, stat: str | None) -> None:
    assert disk_of(tmp_path, blocks(tmp_path, stat)) is None
    assert disk_of(tmp_path / "absent") is None


@pytest.mark.parametrize(
    ("written", "within_s", "years"),
    [(8_000_000_000, 24 * 3600, 2.7), (0, 3600, None), (100, 0, None)],
)
def test_a_card_of_32_gb_that_takes_8_gb_a_day_lives_for_less_than_three_years(
    written: int, within_s: float, years: float | None
) -> None:
    found = life_years(32_000_000_000, written, within_s)
    assert (None if found is None else round(found, 1)) == years


def doctor_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch, disk: Disk | None, grade: Any = "ok", **changed: Any
) -> str:
    monkeypatch.setattr(machine, "disk_of", lambda _: disk)
    for name, value in changed.items():
        monkeypatch.setattr(machine, name, value)
    found = machine.check_wear(load_configuration(configured(folder, ANGEL_EYE)))
    assert (found.name, found.grade) == ("wear", grade)
    return found.seen


def test_the_doctor_says_what_a_card_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "uptime").write_text("86400.00 1.00\n")
    up = {"UPTIME": tmp_path / "uptime"}
    disk = Disk("mmcblk0", 32_000_000_000, 8_000_000_000)
    told = "8,000 MB written to mmcblk0 (32 GB) in 24.0 h since the system started"
    life = "at that pace this card lives 2.7 years"
    assert doctor_says(tmp_path, monkeypatch, disk, **up) == f"{told}; {life}"
    worn = disk._replace(written_bytes=80_000_000_000)
    assert "this card lives 0.3 years" in doctor_says(tmp_path, monkeypatch, worn, "warning", **up)
    no_card = worn._replace(name="nvme0n1")
    life = "a memory card would live 0.3 years; this disk is none"
    assert doctor_says(tmp_path, monkeypatch, no_card, **up).endswith(life)
    ours = {"writer_of": lambda _: "self"}
    said = doctor_says(tmp_path, monkeypatch, disk, **up, **ours)
    assert "MB of it by the daemon that writes the journal, in 24.0 h" in said
    assert "does not tell" in doctor_says(tmp_path, monkeypatch, None, **up)
    assert "does not tell" in doctor_says(tmp_path, monkeypatch, disk, UPTIME=tmp_path / "absent")
