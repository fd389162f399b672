"""Angel Eye II-EX: the driver.

It answers corrupt frames with NAK at once and whole ones with ACK when the shell says so, after the commit.
It sends commands and tells what became of them, but not of those to a shoe that is not there: that it is not
was told, and who connects is told anew what to do. It is *not* responsible for dropping repeats (`report_log`
brings the rule) nor for deciding what a missing report means.
"""

from __future__ import annotations

import threading
import time

from drivers.angel_eye import AngelEyeShoe, wire
from drivers.angel_eye.commands import CommandExchange, Step
from drivers.angel_eye.decode import reading_of, says_again
from drivers.framing import Noise
from drivers.ports import Answer, Received
from drivers.readings import ProcessReported, Unreadable
from drivers.repeats import NumberCycle, ReportLog
from drivers.serial_port import PortDriver
from drivers.settings import PortTimes


class AngelEyeDriver(PortDriver[wire.Piece]):
    """The shoe on its serial port."""

    def __init__(self, name: str, settings: AngelEyeShoe, times: PortTimes) -> None:
        framing = wire.AngelEyeFraming(settings.bcc_includes_stx)
        super().__init__(name, settings, framing, times.with_silence(settings.silence_ms))
        self._settings: AngelEyeShoe = settings
        self._exchange = CommandExchange(settings.command_timeout_ms * 1_000_000, settings.command_tries)
        self._commands = threading.Lock()

    @property
    def report_log(self) -> ReportLog:
        """An empty log that knows this shoe's numbers and what its `R` says."""
        cycle = NumberCycle(self._settings.first_report_number, self._settings.last_report_number)
        if self._settings.repeat_meaning == "retransmission":
            return ReportLog(cycle, says_again=says_again)
        return ReportLog(cycle)

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """Every numbered report gets ACK, whatever the answer: the shoe knows only "has arrived", and it
        has.
        """
        if received.number is not None:
            self.write(bytes((wire.ACK,)), heard_ns=received.monotonic_ns)

    def lock(self) -> None:
        """Let no card out (`LK` 02)."""
        self._ask("LK", "02")

    def unlock(self) -> None:
        """Let cards out again (`LK` 01)."""
        self._ask("LK", "01")

    def clear_error(self, code: int) -> None:
        """Take back an error (`EC`). Raises ValueError for a code that two digits cannot carry."""
        if not 0 <= code <= 99:
            raise ValueError(f"error code {code} must be 0 to 99")
        self._ask("EC", f"{code:02}")

    def query(self) -> None:
        """Ask for the state of the shoe's process (`GP` 00)."""
        self._ask("GP", "00")

    # What the port tells, one call after the other.

    def opened(self, identity: str, first: bool, replaced: bool, monotonic_ns: int) -> None:
        super().opened(identity, first, replaced, monotonic_ns)
        if self._settings.query_on_connect:
            self.query()

    def arrived(self, piece: wire.Piece, monotonic_ns: int) -> None:
        match piece:
            case wire.Report():
                reading = reading_of(piece, self._settings.repeat_meaning)
                self._say(reading, piece.raw, monotonic_ns, piece.number)
            case wire.Acknowledged():
                self._answered(piece.raw, "an ACK that nobody waits for", monotonic_ns)
            case wire.Denied():
                meaning = wire.NAK_TEXTS.get(int(piece.code or "0", 16), "no known code")
                stray = f"a NAK {piece.code} ({meaning}) that nobody waits for"
                self._answered(piece.raw, stray, monotonic_ns, denied=piece.code)
            case wire.Text():
                text = piece.data.decode("ascii", errors="backslashreplace")
                self._say(ProcessReported(text), piece.raw, monotonic_ns)
            case Noise():
                if isinstance(piece, wire.BrokenFrame) and piece.nak is not None:
                    refusal = wire.nak(piece.nak, self._settings.nak_code_as_text)
                    self.write(refusal, heard_ns=monotonic_ns)
                self._say(Unreadable(piece.reason, piece.continued), piece.raw, monotonic_ns)

    def ticked(self, monotonic_ns: int) -> None:
        with self._commands:
            step = self._exchange.pass_time(monotonic_ns)
            self._send(step)
        self._tell(step, b"", monotonic_ns)

    def tell_lost(self, reason: str, monotonic_ns: int) -> None:
        with self._commands:
            self._exchange.abandon()
        super().tell_lost(reason, monotonic_ns)

    def _ask(self, kind: str, argument: str) -> None:
        frame = wire.command_frame(kind, argument, self._settings.bcc_includes_stx)
        now = time.monotonic_ns()
        with self._commands:
            step = self._exchange.ask(f"{kind} {argument}", frame, now)
            if step.send and not self._send(step):
                step = self._exchange.abandon()
        if self.state.connected:
            self._tell(step, b"", now)

    def _answered(self, raw: bytes, stray: str, now: int, denied: str | None = None) -> None:
        with self._commands:
            step = self._exchange.acknowledged(now) if denied is None else self._exchange.denied(denied, now)
            if step is not None:
                self._send(step)
        if step is None:
            self._say(Unreadable(stray), raw, now)
        else:
            self._tell(step, raw, now)

    def _send(self, step: Step) -> bool:
        """True if all of it left."""
        left = [self.write(frame) for frame in step.send]
        return all(left)

    def _tell(self, step: Step, raw: bytes, now: int) -> None:
        for reading in step.answered:
            self._say(reading, raw, now)
