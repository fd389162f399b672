"""The machines that the package is made for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
"""Of Debian 12 and 13."""
GLIBC = "manylinux_2_34"
"""The newest that wheels may ask for; Debian 12 has 2.36."""


@dataclass(frozen=True, slots=True)
class Machine:
    """An architecture, in Debian's words and in those of the wheels and the ELF header."""

    debian: str
    wheel: str
    elf: int

    def wheels(self, python: str) -> list[str]:
        """What makes uv take the wheels of this machine and Python, whatever it runs on itself."""
        platform = f"--python-platform={self.wheel}-{GLIBC}"
        return ["--only-binary=:all:", "--no-deps", f"--python-version={python}", platform]


MACHINES = {
    "amd64": Machine("amd64", "x86_64", 62),
    "arm64": Machine("arm64", "aarch64", 183),
}
