"""The machines that the package is made for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
"""Of Debian 12 and 13."""
_GLIBC = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")


@dataclass(frozen=True, slots=True)
class Machine:
    """An architecture, in Debian's words and in those of the wheels and the ELF header."""

    debian: str
    wheel: str
    elf: int

    def pip_words(self, python: str) -> list[str]:
        """What makes pip take the wheels of this machine and Python, whatever it runs on itself."""
        abi = f"cp{python.replace('.', '')}"
        words = ["--only-binary=:all:", "--no-deps", f"--python-version={python}", "--implementation=cp"]
        words += [f"--abi={name}" for name in (abi, "abi3", "none")]
        return words + [f"--platform={glibc}_{self.wheel}" for glibc in _GLIBC]


MACHINES = {
    "amd64": Machine("amd64", "x86_64", 62),
    "arm64": Machine("arm64", "aarch64", 183),
}


def leaves_out(name: str, machine: Machine, python: str) -> bool:
    """lgpio moves the pins of a Raspberry Pi and has no wheel for 3.13; Raspberry Pi OS has its own."""
    return name == "lgpio" and (machine.debian != "arm64" or python == "3.13")
