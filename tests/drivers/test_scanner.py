"""Scanners: AIM prefixes, suffixes, symbologies that count, and codes that are refused but never dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from drivers.framing import LineEnd
from drivers.readings import CardNotRead, CardReported, DeviceReachable, DeviceUnreachable, Unreadable
from drivers.scanner import ScannerShoe
from drivers.scanner.decode import reading_of
from drivers.scanner.simulator import SimulatedScanner
from drivers.settings import DriverContext, PortTimes
from drivers.symbologies import symbology
from tests.drivers.listening import listening

PORT = "/dev/scanner"
ANY = ScannerShoe(port=PORT)
NO_AIM = ScannerShoe(port=PORT, aim="none")
REQUIRED = ScannerShoe(port=PORT, aim="required")
ONLY_128 = ScannerShoe(port=PORT, symbologies=("code128",))
FOUR_DIGITS = ScannerShoe(port=PORT, shape=r"\d{4}")


@pytest.mark.parametrize(
    ("settings", "scan", "code"),
    [
        (ANY, "8S", "8S"),
        (ANY, "]C08S", "8S"),
        (ANY, "]Q31010", "1010"),
        (ANY, "  1010 ", "1010"),
        (ANY, "]x0odd", "odd"),
        (NO_AIM, "]C08S", "]C08S"),
        (REQUIRED, "]d21010", "1010"),
        (ONLY_128, "]C01010", "1010"),
        (ONLY_128, "]C41010", "1010"),
        (FOUR_DIGITS, "]C01010", "1010"),
        (ANY, "9999-foreign", "9999-foreign"),
    ],
)
def test_codes_that_are_handed_on(settings: ScannerShoe, scan: str, code: str) -> None:
    assert reading_of(scan.encode(), settings) == CardReported(code, None, None)


@pytest.mark.parametrize(
    ("settings", "scan", "why"),
    [
        (ANY, "NOREAD", "read nothing"),
        (ANY, "]C0", "empty scan"),
        (ANY, "   ", "empty scan"),
        (REQUIRED, "8S", "without AIM prefix"),
        (ONLY_128, "1010", "without AIM prefix"),
        (ONLY_128, "]C11010", "symbology 'gs1-128'"),
        (ONLY_128, "]E01010", "symbology 'ean13'"),
        (ONLY_128, "]x01010", "symbology ']x0'"),
        (FOUR_DIGITS, "]C010100", "another shape"),
        (FOUR_DIGITS, "1010\n", "no printable ASCII"),
        (ANY, "NLS0006010", "programs scanners"),
        (ANY, "]C0%%SpecCode9A", "programs scanners"),
        (ANY, "\x16MPRTRDF.", "programs scanners"),
        (ANY, "8\x1dS", "no printable ASCII"),
        (ANY, "8\xa0S", "no printable ASCII"),
    ],
)
def test_what_is_no_card_code_is_a_card_not_read(settings: ScannerShoe, scan: str, why: str) -> None:
    reading = reading_of(scan.encode("latin-1"), settings)
    assert isinstance(reading, CardNotRead)
    assert why in reading.detail


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("C0", "code128"),
        ("C1", "gs1-128"),
        ("A0", "code39"),
        ("E0", "ean13"),
        ("I0", "itf"),
        ("d0", "data-matrix"),
        ("d2", "data-matrix"),
        ("Q1", "qr"),
        ("Q3", "qr"),
        ("L1", "pdf417"),
        ("z0", "aztec"),
        ("X0", None),
    ],
)
def test_aim_identifiers(prefix: str, name: str | None) -> None:
    assert symbology(*prefix) == name


@given(st.binary(max_size=40))
def test_every_scan_is_a_card_or_a_card_not_read(scan: bytes) -> None:
    for settings in (ANY, NO_AIM, REQUIRED, ONLY_128, FOUR_DIGITS):
        reading = reading_of(scan, settings)
        assert isinstance(reading, CardReported | CardNotRead)
        if isinstance(reading, CardReported):
            assert reading.code.encode() in scan


@pytest.mark.parametrize(
    ("suffix", "ends"),
    [(b"\r", "any"), (b"\n", "any"), (b"\r\n", "any"), (b"\r", "cr"), (b"\r\n", "crlf"), (b"", "none")],
)
def test_every_suffix_on_a_real_port(tmp_path: Path, suffix: bytes, ends: LineEnd) -> None:
    there = replace(ONLY_128, port=str(tmp_path / "scanner"), suffix=ends, silence_ms=20)
    with (
        SimulatedScanner(tmp_path / "scanner", aim="]C0", suffix=suffix) as scanner,
        listening(there.driver("shoe", DriverContext(times=PortTimes(tick_s=0.01)))) as heard,
    ):
        heard.take_until(DeviceReachable)
        for code in ("1010", "4130", "1010"):
            scanner.scan(code)
            assert heard.reading() == CardReported(code, None, None)
        scanner.scan("4006381333931", aim="]E0")
        assert isinstance(heard.reading(), CardNotRead)


def test_noise_and_an_over_long_code_are_told_as_possible_cards(
    tmp_path: Path,
) -> None:
    there = ScannerShoe(port=str(tmp_path / "scanner"))
    times = PortTimes(first_pause_s=0.01, longest_pause_s=0.02)
    driver = there.driver("shoe", DriverContext(times=times))
    with SimulatedScanner(tmp_path / "scanner") as scanner, listening(driver) as heard:
        heard.take_until(DeviceReachable)
        scanner.send_raw(b"1" * 200 + b"\r\n")
        for continued in (False, True):
            reading = heard.next(Unreadable)
            assert (reading.continued, reading.may_be_card) == (continued, True)
        scanner.unread_card()
        assert isinstance(heard.reading(), CardNotRead)
        scanner.unplug()
        assert isinstance(heard.reading(), DeviceUnreachable)
        scanner.replug()
        assert isinstance(heard.reading(), DeviceReachable)
        scanner.scan("1010")
        assert heard.reading() == CardReported("1010", None, None)
