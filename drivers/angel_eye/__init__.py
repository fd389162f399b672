"""Angel Eye II-EX: numbered reports, acknowledged, guarded by a check; the shoe takes commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from msgspec import Meta
from msgspec.structs import replace

from drivers.errors import DeviceSettingsError
from drivers.settings import BaudRate, DriverContext, Milliseconds, SerialDevice, ShoeDevice

if TYPE_CHECKING:
    from drivers.angel_eye.driver import AngelEyeDriver
    from drivers.angel_eye.simulator import SimulatedAngelEye

TICK_S = 0.05
"""How often a command that waits for its answer is checked."""
SIMULATOR_TRIES = 10
"""A shoe of software waits longer for an answer, and is waited for: it shares a processor with all else."""
Byte = Annotated[int, Meta(ge=0, le=255)]
RepeatMeaning = Literal["retransmission", "redeal"]


class AngelEyeShoe(SerialDevice, ShoeDevice, frozen=True, kw_only=True, tag="angel-eye"):
    """Angel Eye II-EX; its reports need eight data bits."""

    numbered: ClassVar[bool] = True
    knows_hands: ClassVar[bool] = True
    doubles: ClassVar[bool] = False
    names_cards: ClassVar[bool] = True
    second: ClassVar[bool] = False
    simulator_keys: ClassVar[str] = f"command_tries = {SIMULATOR_TRIES}\n"

    baud_rate: BaudRate = 4800
    """Some sites run 9600."""
    bcc_includes_stx: bool = True
    """Whether the check of a command counts the STX (the published example does)."""
    repeat_meaning: RepeatMeaning = "retransmission"
    """What the report R says: the same card once more, or a hand that is dealt anew."""
    # Published frames carry 31 to 35, 43 and 44, so digits alone are too few: every printable byte from 31.
    first_report_number: Byte = 0x31
    """As a number of 0 to 255: 49 is the character 1."""
    last_report_number: Byte = 0x7E
    """The numbers of the reports run from the first to the last and begin again."""
    command_timeout_ms: Milliseconds = 500
    """So long for an answer of the shoe."""
    command_tries: Annotated[int, Meta(ge=1, le=10)] = 3
    """Then an alert says that the shoe did not answer."""
    query_on_connect: bool = True
    """Ask where the shoe stands after each connection, so that a report that passed unheard is noticed."""
    nak_code_as_text: bool = False
    """How the reason of a refusal is written to the shoe."""
    silence_ms: Milliseconds = 100
    """A pause so long within a frame ends it."""
    lock: bool = True
    """Lock the shoe whenever a draw would be illegal."""
    safe_locked: bool = True
    """With ``lock``: the shoe is left locked when the daemon ends or was killed."""

    def __post_init__(self) -> None:
        if self.first_report_number >= self.last_report_number:
            needed = f"more than first_report_number = {self.first_report_number}"
            problem = f"{self.last_report_number} is wrong; needed is {needed}"
            raise DeviceSettingsError("last_report_number", problem)

    def driver(self, name: str, context: DriverContext) -> "AngelEyeDriver":
        from drivers.angel_eye.driver import AngelEyeDriver

        return AngelEyeDriver(name, self, replace(context.times, tick_s=min(TICK_S, context.times.tick_s)))

    def listened_to(self) -> Self:
        return replace(self, lock=False, safe_locked=False, query_on_connect=False)

    def leave_locked(self) -> None:
        from drivers.angel_eye.last_word import leave_locked

        leave_locked(self)

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedAngelEye":
        from drivers.angel_eye.simulator import SimulatedAngelEye

        return SimulatedAngelEye(path, tries=SIMULATOR_TRIES)

    @classmethod
    def answers(cls, port: str) -> int | None:
        from drivers.angel_eye.question import answering_speed

        return answering_speed(port)


DEVICES = (AngelEyeShoe,)
