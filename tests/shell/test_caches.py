"""A compiled cache that is not what its source says is another program; no manifest of sources sees it."""

from __future__ import annotations

import importlib.util
import os
import py_compile
from pathlib import Path
from py_compile import PycInvalidationMode as Mode

import pytest

from controller.__main__ import main
from controller.shell import approval
from controller.shell.approval import (
    CACHES_WHILE_CLOSED,
    EVERY_NS,
    IDENTITY_EVERY_NS,
    CacheWalk,
    forged,
    forged_caches,
)
from controller.shell.identity import manifest
from controller.vocabulary.conditions import IDENTITY
from tests.shell.test_identity import approved, watched
from tests.shell.watched import Watched

__all__ = ["approved"]
HONEST, OTHER = "PAYS = 8\n", "PAYS = 9\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A module whose cache is right."""
    path = tmp_path / "paying.py"
    path.write_text(HONEST)
    py_compile.compile(str(path), doraise=True)
    return path


def cache_of(source: Path) -> Path:
    return Path(importlib.util.cache_from_source(str(source)))


def forge(source: Path, mode: Mode) -> None:
    """Another program's cache in the place of this one's, with all that Python looks at right."""
    times = source.stat()
    source.write_text(OTHER)
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    py_compile.compile(str(source), doraise=True, invalidation_mode=mode)
    source.write_text(HONEST)
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    if mode is Mode.CHECKED_HASH:
        cache = bytearray(cache_of(source).read_bytes())
        cache[8:16] = importlib.util.source_hash(HONEST.encode())
        cache_of(source).write_bytes(cache)


def run_by_python(source: Path) -> object:
    """What Python makes of the module."""
    spec = importlib.util.spec_from_file_location("paying", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PAYS


@pytest.mark.parametrize("mode", Mode)
def test_a_cache_that_runs_another_program_is_named(source: Path, mode: Mode) -> None:
    assert (forged(str(source)), run_by_python(source)) == (None, 8)
    forge(source, mode)
    assert run_by_python(source) == 9, "the forgery is one that Python takes"
    assert f"{cache_of(source)}: is not what {source} says" in str(forged(str(source)))


@pytest.mark.parametrize(
    "content", [b"", b"short", b"x" * 100, importlib.util.MAGIC_NUMBER + bytes(12) + b"nonsense"]
)
def test_a_cache_that_python_would_not_take_is_none(source: Path, content: bytes) -> None:
    cache_of(source).write_bytes(content)
    assert (forged(str(source)), run_by_python(source)) == (None, 8)


def test_a_cache_that_python_takes_and_cannot_read_is_named(source: Path) -> None:
    whole = cache_of(source).read_bytes()
    no_numbers_of_code = whole[16:17] + b"\xff" * 4 + whole[21:]
    for rest in (b"", b"nonsense", whole[16:-5], no_numbers_of_code):
        cache_of(source).write_bytes(whole[:16] + rest)
        assert "is not what" in str(forged(str(source)))
    with pytest.raises(SystemError):
        run_by_python(source)


@pytest.mark.parametrize("text", [b"PAYS = (\n", b"PAYS = 8\0", b"\xff", b"-" * 200_000 + b"8"])
def test_a_cache_that_runs_for_a_source_that_is_no_program_is_named(source: Path, text: bytes) -> None:
    forge(source, Mode.UNCHECKED_HASH)
    source.write_bytes(text)
    assert run_by_python(source) == 9
    assert f"{cache_of(source)}: Python runs it, and {source} is no program" in str(forged(str(source)))


def unreadable(source: Path) -> None:
    """There is a file, and no disk gives what stands in it."""
    source.unlink()
    source.symlink_to("/proc/self/mem")


def test_a_cache_that_runs_for_a_source_that_cannot_be_read_is_named(source: Path) -> None:
    forge(source, Mode.UNCHECKED_HASH)
    unreadable(source)
    assert run_by_python(source) == 9
    assert f"{source} cannot be compared: Input/output error" in str(forged(str(source)))


def test_a_cache_that_python_compares_with_a_source_that_cannot_be_read_is_none(source: Path) -> None:
    forge(source, Mode.CHECKED_HASH)
    unreadable(source)
    with pytest.raises(OSError, match="Input/output error"):
        run_by_python(source)
    assert forged(str(source)) is None


@pytest.mark.parametrize("mode", Mode)
def test_a_cache_whose_source_is_gone_is_none_for_it_cannot_run(source: Path, mode: Mode) -> None:
    forge(source, mode)
    source.unlink()
    with pytest.raises(FileNotFoundError):
        run_by_python(source)
    assert forged(str(source)) is None


def test_an_older_cache_and_none_at_all_are_nothing(source: Path) -> None:
    forge(source, Mode.TIMESTAMP)
    os.utime(source, (1, 1))
    assert forged(str(source)) is None
    cache_of(source).unlink()
    assert forged(str(source)) is None


def test_the_program_s_own_caches_are_what_its_sources_say() -> None:
    assert forged_caches() == []


def test_the_manifest_on_demand_names_a_forged_cache(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(approval, "program_sources", lambda: [str(source)])
    kept = tmp_path / "manifest.sha256"
    kept.write_text(manifest([source]))
    assert main(["manifest", "--check", str(kept)]) == 0
    forge(source, Mode.UNCHECKED_HASH)
    assert main(["manifest", "--check", str(kept)]) == 1
    assert "is not what" in capsys.readouterr().out


def test_a_table_looks_at_a_few_at_a_time_blocks_the_next_opening_and_lets_go_when_it_is_mended(
    source: Path, tmp_path: Path, approved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [tmp_path / f"other{number}.py" for number in range(6)]
    for other in others:
        other.write_text(HONEST)
    monkeypatch.setattr(
        approval, "program_sources", lambda: [str(path) for path in (*others, source, *others)]
    )
    forge(source, Mode.TIMESTAMP)
    watch = watched(approved)
    assert told_after(watch, 0) == (4, ["identity stops"]), "two at a time, the seventh is the one"
    cache_of(source).unlink()
    assert told_after(watch, IDENTITY_EVERY_NS)[1] == ["identity is over"]


EARLIER = {"identity": IDENTITY.holds("an earlier life found a forged cache")}


@pytest.mark.parametrize("mended", [True, False])
def test_what_an_earlier_life_found_stands_until_everything_is_seen(
    source: Path, tmp_path: Path, approved: Path, monkeypatch: pytest.MonkeyPatch, mended: bool
) -> None:
    others = [tmp_path / f"other{number}.py" for number in range(2 * CACHES_WHILE_CLOSED)]
    monkeypatch.setattr(approval, "program_sources", lambda: [str(path) for path in (*others, source)])
    if not mended:
        forge(source, Mode.TIMESTAMP)
    watch = watched(approved, EARLIER)
    assert [watch.look(look * EVERY_NS) for look in range(2)] == [[], []], "the last one may be it"
    assert watch.look(2 * EVERY_NS) == (["identity is over"] if mended else ["identity stops"])
    assert "forged cache" not in watch.held.get("identity", IDENTITY.holds("")).message


def test_a_table_at_work_whose_program_is_gone_from_the_disk_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval, "program_sources", lambda: os.listdir(tmp_path / "gone"))
    walk = CacheWalk()
    walk.begin()
    walk.go_on(2)
    assert (walk.done, walk.forged) == (True, f"{tmp_path}/gone: No such file or directory")


def told_after(watch: Watched, begin_ns: int) -> tuple[int, list[str]]:
    """How many looks it takes until something is told, and what."""
    for look in range(1, 100):
        if told := watch.look(begin_ns + look * EVERY_NS):
            return look, told
    raise AssertionError("nothing is told")


def test_a_walk_that_begins_again_has_seen_everything_before(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approval, "program_sources", lambda: [str(source)] * 3)
    walk, done = CacheWalk(), []
    walk.begin()
    for _ in range(2):
        walk.go_on(2)
        done.append(walk.done)
    walk.begin()
    walk.go_on(2)
    assert [*done, walk.done] == [False, True, True]
