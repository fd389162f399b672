"""Angel Eye II-EX: a shoe of software on the far end of a cable.

It numbers its reports, sends each up to three times until ACK comes, obeys commands, and has the faults of
real ones: lost and corrupt reports, power cycles, a pulled cable. What a real shoe answers to `GP` is not
public; this one sends ACK and then its last report once more under its own number, which is all a host
needs to see a gap.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from drivers.angel_eye import wire
from drivers.angel_eye.decode import DESTINATIONS, WINNERS, card_bytes
from drivers.framing import Noise
from drivers.repeats import NumberCycle
from drivers.simulated_device import SimulatedDevice
from drivers.simulated_shoe import SimulatedShoe

_PLACES = {word: place for place, word in DESTINATIONS.items()}
_WINNERS = {word: bits for bits, word in WINNERS.items()}


@dataclass(slots=True)
class _InFlight:
    frame: bytes
    first_sending: bytes
    tries: int = 0
    due_ns: int = 0


class SimulatedAngelEye(SimulatedDevice, SimulatedShoe):
    """The simulated shoe. All methods may be called from any thread and return at once, except
    `wait_settled` and `draw`.
    """

    def __init__(
        self,
        link: Path | None = None,
        *,
        resends: bool = True,
        answer_timeout_s: float = 0.5,
        tries: int = 3,
        numbers: NumberCycle | None = None,
        bcc_includes_stx: bool = True,
        answers_query: bool = True,
    ) -> None:
        self._resends = resends
        self._answer_timeout_ns = int(answer_timeout_s * 1e9)
        self._tries = tries
        self._numbers = numbers or NumberCycle(0x31, 0x7E)
        self._answers_query = answers_query
        self._framing = wire.AngelEyeFraming(bcc_includes_stx)
        self._next_number = self._numbers.first
        self._waiting: deque[_InFlight] = deque()
        self._last_frame: bytes | None = None
        self._corrupt = 0
        self._error: int | None = None
        self.refuse_commands_with: int | None = None
        self.ignore_commands = False
        self.locked = False
        self.commands: list[str] = []
        self.sent: list[bytes] = []
        self.acknowledged: list[bytes] = []
        self.given_up: list[bytes] = []
        self.refused: list[str] = []
        super().__init__(link)

    def card(self, code: str, destination: str, index: int) -> bytes | None:
        """Draw a card, for example ("8S", "player", 1). None, and no card, where the lock holds it back."""
        drawn = card_bytes(code, _PLACES[destination], index)
        with self.guard:
            return None if self.locked else self.report(b"D" + drawn)

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        with self.guard:  # all the way: it may be locked again in between
            return self.guard.wait_for(lambda: self.card(code, position, index) is not None, within_s)

    def unread_card(self) -> bytes:
        """Draw a card that cannot be read: the shoe is in trouble."""
        return self.error(1)

    def result(self, winner: str, player_pair: bool = False, banker_pair: bool = False) -> bytes:
        """Report the shoe's opinion; `winner` is "player", "banker", "tie" or "forced_quit"."""
        return self.report(b"G" + bytes((0x80 | _WINNERS[winner] << 4 | player_pair | banker_pair << 1,)))

    def cut_card(self) -> bytes:
        """The cut card comes out."""
        return self.report(b"C")

    def error(self, code: int, in_error_mode: bool = True) -> bytes:
        """Raise an error, 0 to 63; in error mode it stays until the host or `clear_error` takes it back."""
        with self.guard:
            self._error = code if in_error_mode else self._error
            return self.report(b"E" + bytes((0x80 | in_error_mode << 6 | code,)))

    def clear_error(self, code: int) -> bytes:
        """Somebody takes the error back at the shoe."""
        with self.guard:
            self._error = None
            return self.report(b"e" + bytes((0x80 | code,)))

    def turn_lock(self, locked: bool) -> bytes:
        """Lock or unlock, as by the key at the shoe, and report it."""
        with self.guard:
            self.locked = locked
            return self.report(b"L" + bytes((0x80 | locked,)))

    def corrupt_next(self, reports: int = 1) -> None:
        """The next reports leave with a wrong BCC at the first try."""
        with self.guard:
            self._corrupt = reports

    def power_cycle(self) -> None:
        """Off and on: nothing is waiting any more, and the numbers begin anew."""
        with self.guard:
            self._waiting.clear()
            self._next_number = self._numbers.first
            self._last_frame = None
            self._error = None
            self.locked = False

    def wait_settled(self, timeout_s: float | None = None) -> bool:
        """Wait until every report is acknowledged or given up; false where that takes too long."""
        with self.guard:
            return self.comes(lambda: not self._waiting, timeout_s)

    def wait_command(self, command: str, timeout_s: float | None = None) -> bool:
        """Wait until this command ("LK 02") has been heard."""
        with self.guard:
            return self.comes(lambda: command in self.commands, timeout_s)

    def report(self, data: bytes) -> bytes:
        """Send a report of this data under the next number; the frame."""
        with self.guard:
            frame = wire.report_frame(self._next_number, data)
            self._next_number = self._numbers.after(self._next_number)
            self._last_frame = frame
            self.sent.append(frame)
            first = frame
            if self._corrupt:
                self._corrupt -= 1
                first = frame[:-2] + (b"00" if frame[-2:] != b"00" else b"11")
            self._put(_InFlight(frame, first))
            return frame

    def _put(self, report: _InFlight) -> None:
        if not self._resends:
            self.terminal.write(report.first_sending)
            return
        self._waiting.append(report)
        if len(self._waiting) == 1:
            self._send_head()
        self._wake()

    def _send_head(self) -> None:
        head = self._waiting[0]
        self.terminal.write(head.frame if head.tries else head.first_sending)
        head.tries += 1
        head.due_ns = time.monotonic_ns() + self._answer_timeout_ns

    def _head_done(self, told: list[bytes]) -> None:
        told.append(self._waiting.popleft().frame)
        if self._waiting:
            self._send_head()

    def _head_again(self) -> None:
        """The report in hand was refused or not answered."""
        if self._waiting[0].tries < self._tries:
            self._send_head()
        else:
            self._head_done(self.given_up)

    def deadline_ns(self) -> int | None:
        return self._waiting[0].due_ns if self._waiting else None

    def pass_time(self, now_ns: int) -> None:
        self._head_again()

    def hear(self, chunk: bytes) -> None:
        for piece in self._framing.feed(chunk):
            match piece:
                case wire.Acknowledged():
                    if self._waiting:
                        self._head_done(self.acknowledged)
                case wire.Denied():
                    self.refused.append(piece.code)
                    if self._waiting:
                        self._head_again()
                case wire.Text():
                    self._command(piece.data)
                case wire.BrokenFrame():
                    if piece.nak is not None:
                        self.terminal.write(wire.nak(piece.nak))
                case Noise() | wire.Report():
                    # A shoe does not answer what was not meant for it.
                    pass

    def _command(self, data: bytes) -> None:
        if len(data) != 6 or data[:2] != b"OP":
            self.terminal.write(wire.nak(0x11))
            return
        kind, argument = data[2:4].decode("ascii", "replace"), data[4:6].decode("ascii", "replace")
        self.commands.append(f"{kind} {argument}")
        if self.ignore_commands:
            return
        code = self.refuse_commands_with
        if code is None:
            code = self._objection(kind, argument)
        self.terminal.write(bytes((wire.ACK,)) if code is None else wire.nak(code))
        if code is None:
            self._obey(kind, argument)

    def _objection(self, kind: str, argument: str) -> int | None:
        if kind == "LK":
            return None if argument in ("01", "02") else 0x14
        if kind == "EC":
            return None if argument.isdigit() and int(argument) == self._error else 0x12
        return None if kind == "GP" else 0x13

    def _obey(self, kind: str, argument: str) -> None:
        if kind == "LK":
            self.turn_lock(argument == "02")
        elif kind == "EC":
            self.clear_error(int(argument))
        elif self._answers_query and self._last_frame is not None and not self._waiting:
            self._put(_InFlight(self._last_frame, self._last_frame))
