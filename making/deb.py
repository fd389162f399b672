"""``python -m making.deb [--arch arm64] [--to FOLDER]``: the Debian package, for any machine on any machine.

Everything of Python lies in /opt/dealer-table, a virtual environment that serves two Pythons: what is the
same for both lies once, in lib/common, the rest in lib/python3.x. Every wheel is pinned by its hash.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from controller import __version__
from making.manual import completion, manual
from making.targets import HOUSE, MACHINES, PYTHONS, Machine

PACKAGING = HOUSE / "packaging" / "debian"
LOCK = HOUSE / "packaging" / "requirements.txt"
"""Written by ``make lock``."""
OPT = Path("opt/dealer-table")
SCRIPTS = ("postinst", "prerm", "postrm")
STARTER = """\
#!/opt/dealer-table/bin/python3 -I
import sys

from controller.__main__ import main

sys.exit(main())
"""
PYVENV = "home = /usr/bin\ninclude-system-site-packages = false\n"
BUILD = "import sys, setuptools.build_meta as build; build.build_wheel(sys.argv[1])"
PLACES = {
    "dealer-table@.service": "usr/lib/systemd/system/dealer-table@.service",
    "dealer-table-board.service": "usr/lib/systemd/system/dealer-table-board.service",
    "dealer-table-recorder.service": "usr/lib/systemd/system/dealer-table-recorder.service",
    "dealer-table-wagering.service": "usr/lib/systemd/system/dealer-table-wagering.service",
    "dealer-table-shadow@.service": "usr/lib/systemd/system/dealer-table-shadow@.service",
    "dealer-table.sysusers": "usr/lib/sysusers.d/dealer-table.conf",
    "dealer-table.tmpfiles": "usr/lib/tmpfiles.d/dealer-table.conf",
    "70-dealer-table.rules": "usr/lib/udev/rules.d/70-dealer-table.rules",
    "71-dealer-table-places.rules.example": "usr/share/dealer-table/examples/71-dealer-table-places.rules",
}


class WrongMachine(Exception):
    """A file of the package is for another machine."""


def main() -> int:
    """Make the package; prints where it lies."""
    parser = argparse.ArgumentParser(prog="python -m making.deb")
    parser.add_argument("--arch", choices=tuple(MACHINES), default=own_machine())
    parser.add_argument("--to", type=Path, default=HOUSE / "dist")
    parser.add_argument("--quick", action="store_true", help="a larger package, in a fraction of the time")
    arguments = parser.parse_args()
    print(build(MACHINES[arguments.arch], arguments.to, quick=arguments.quick))
    return 0


def own_machine() -> str:
    """The architecture of this machine, in Debian's words."""
    return next(name for name, machine in MACHINES.items() if machine.wheel == os.uname().machine)


def build(machine: Machine, folder: Path, *, quick: bool = False) -> Path:
    """The package for a machine; ``quick``: not compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"dealer-table_{__version__}_{machine.debian}.deb"
    with tempfile.TemporaryDirectory(prefix="dealer-table-deb-") as work:
        root = Path(work) / "root"
        environment(root / OPT, machine, Path(work))
        around(root, machine)
        check_machine(root, machine)
        open_to_all(root)
        control(root, machine)
        packing = ["-Znone"] if quick else ["-Zxz", "-z4"]
        call = ["dpkg-deb", "--root-owner-group", *packing, "--build", str(root), str(package)]
        subprocess.run(
            call, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"SOURCE_DATE_EPOCH": epoch()}
        )
    return package


def environment(opt: Path, machine: Machine, work: Path) -> None:
    """The virtual environment with the program and all that it needs."""
    common = opt / "lib" / "common"
    common.mkdir(parents=True)
    sites = {python: opt / "lib" / f"python{python}" / "site-packages" for python in PYTHONS}
    for python, site in sites.items():
        install(site, *machine.wheels(python), "--require-hashes", "-r", str(LOCK))
    share(list(sites.values()), common)
    install(common, "--no-deps", str(wheel(work)))
    for site in sites.values():
        (site / "dealer-table.pth").write_text("../../common\n")
    if machine.debian == "arm64":
        lgpio_of_the_system(sites["3.13"])
    program = opt / "bin" / "dealer-table"
    program.parent.mkdir()
    program.write_text(STARTER)
    program.chmod(0o755)
    (opt / "bin" / "python3").symlink_to("/usr/bin/python3")
    (opt / "pyvenv.cfg").write_text(PYVENV)


def install(folder: Path, *wanted: str) -> None:
    """Put libraries into a folder with uv, without traces of where it ran.

    Files are copied, not linked: their modes are changed here, and must not change in uv's cache.
    """
    quiet = ["--quiet", "--link-mode=copy", f"--target={folder}"]
    call = [sys.executable, "-m", "uv", "pip", "install", *quiet, *wanted]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    shutil.rmtree(folder / "bin", ignore_errors=True)
    (folder / ".lock").unlink(missing_ok=True)
    for trace in ("direct_url.json", "uv_cache.json", "INSTALLER", "REQUESTED", "RECORD"):
        for file in folder.glob(f"*.dist-info/{trace}"):
            file.unlink()


def wheel(work: Path) -> Path:
    """The program itself."""
    source = work / "source"
    for room in ("controller", "drivers"):
        shutil.copytree(HOUSE / room, source / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HOUSE / name, source / name)
    subprocess.run([sys.executable, "-c", BUILD, str(work)], cwd=source, check=True, capture_output=True)
    (made,) = work.glob("dealer_table-*.whl")
    return made


def share(sites: list[Path], common: Path) -> None:
    """What is the same in every site lies once; libraries stay beside the package that looks for them."""
    for entry in sorted(sites[0].iterdir(), key=lambda entry: (entry.suffix == ".libs", entry.name)):
        if entry.suffix == ".libs" and entry.with_suffix("").exists():
            continue
        others = [site / entry.name for site in sites[1:]]
        if all(tree_digest(other) == tree_digest(entry) for other in others):
            shutil.move(entry, common / entry.name)
            for other in others:
                if other.is_dir():
                    shutil.rmtree(other)
                else:
                    other.unlink()


def tree_digest(path: Path) -> str:
    """Names and contents under a path; empty if it is not there."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path] * path.exists()
    total = hashlib.sha256()
    for file in files:
        if file.is_file():
            total.update(f"{file.relative_to(path)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest() if path.exists() else ""


def lgpio_of_the_system(site: Path) -> None:
    """Raspberry Pi OS 13 has lgpio for its Python, Debian 13 has not; it is found through these."""
    for name in ("lgpio.py", "_lgpio.cpython-313-aarch64-linux-gnu.so"):
        (site / name).symlink_to(f"/usr/lib/python3/dist-packages/{name}")


def around(root: Path, machine: Machine) -> None:
    """Services, rules, examples, manual, completion, licence."""
    for name, place in PLACES.items():
        put(root / place, (HOUSE / "systemd" / name).read_bytes())
    shutil.copytree(HOUSE / "config", root / "usr/share/dealer-table/examples", dirs_exist_ok=True)
    command = root / "usr/bin/dealer-table"
    command.parent.mkdir(parents=True)
    command.symlink_to("/opt/dealer-table/bin/dealer-table")
    put(root / "usr/share/man/man1/dealer-table.1.gz", packed(manual()))
    put(root / "usr/share/bash-completion/completions/dealer-table", completion().encode())
    documents = root / "usr/share/doc/dealer-table"
    put(documents / "copyright", copyright_file().encode())
    put(documents / "changelog.gz", packed(changelog()))
    put(documents / "README.md", (HOUSE / "README.md").read_bytes())
    put(root / "usr/share/lintian/overrides/dealer-table", (PACKAGING / "lintian-overrides").read_bytes())


def put(place: Path, content: bytes) -> None:
    """Write a file and the folders above it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def packed(text: str) -> bytes:
    """gzip without a date."""
    return gzip.compress(text.encode(), 9, mtime=0)


def copyright_file() -> str:
    """In Debian's form; the libraries under /opt bring their own licences in their dist-info."""
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: dealer-table\n\n"
        "Files: *\nCopyright: 2026 the dealer-table authors\nLicense: Apache-2.0\n\n"
        "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n"
    )


def changelog() -> str:
    """In Debian's form."""
    when = format_datetime(datetime.fromtimestamp(int(epoch()), UTC))
    return (
        f"dealer-table ({__version__}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- {maintainer()}  {when}\n"
    )


def maintainer() -> str:
    """Who answers for the package: whoever builds it, by the variables that Debian's tools know."""
    name = os.environ.get("DEBFULLNAME", "The dealer-table authors")
    return f"{name} <{os.environ.get('DEBEMAIL', 'authors@dealer-table.invalid')}>"


def epoch() -> str:
    """The time of the last commit, so that the same source makes the same package; 0 outside a repository."""
    call = ["git", "-C", str(HOUSE), "log", "-1", "--format=%ct"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "0"


def check_machine(root: Path, machine: Machine) -> None:
    """Every program and library is for this machine. Raises WrongMachine."""
    for file in files_under(root):
        with file.open("rb") as opened:
            head = opened.read(20)
        if head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") != machine.elf:
            raise WrongMachine(f"{file.relative_to(root)} is not for {machine.debian}")


def files_under(root: Path) -> Iterator[Path]:
    """Every ordinary file, sorted by name."""
    return (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())


def open_to_all(root: Path) -> None:
    """Everybody may read, nobody but root writes, and only the program is run."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or path == root / OPT / "bin" / "dealer-table"
            path.chmod(0o755 if runs else 0o644)


def control(root: Path, machine: Machine) -> None:
    """DEBIAN/: who this is, the digests of its files, and what is done at installing and removing."""
    files = list(files_under(root))
    sums = "".join(
        f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(root)}\n" for file in files
    )
    put(root / "DEBIAN" / "md5sums", sums.encode())
    recommends = ["libzbar0t64 | libzbar0", "mosquitto"]
    if machine.debian == "arm64":
        recommends.append("python3-lgpio")
    text = (PACKAGING / "control.in").read_text()
    filled = text.format(
        version=__version__,
        architecture=machine.debian,
        kilobytes=sum(file.stat().st_size for file in files) // 1024,
        recommends=", ".join(recommends),
        maintainer=maintainer(),
    )
    put(root / "DEBIAN" / "control", filled.encode())
    for name in SCRIPTS:
        put(root / "DEBIAN" / name, (PACKAGING / name).read_bytes())
        (root / "DEBIAN" / name).chmod(0o755)
    (root / "DEBIAN").chmod(0o755)


if __name__ == "__main__":
    sys.exit(main())
