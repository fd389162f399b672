"""From ``[devices.*]`` to drivers. Each driver's module is imported only where the configuration names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from controller.settings import devices as keys
from controller.settings.model import Configuration
from controller.shell.intake.beam import Beam
from controller.shell.intake.second import SecondReader
from controller.shell.intake.witnesses import BEAM, SECOND, SHOE, Witnesses
from controller.shell.lamps import Outputs
from controller.shell.wiring.driver_settings import camera_settings, naming, scan_settings
from controller.shoe.code_map import notices_substitution
from drivers.ports import Driver
from drivers.serial_line import LineSettings

PinFactory = Callable[[], Any]
"""Gives the pins of the board (gpiozero); called when they are taken."""

BEAM_STUCK_MS = 5_000
"""No card stays in the beam for so long."""
_MS = 1_000_000


def drivers_of(configuration: Configuration, pins: PinFactory | None = None) -> dict[str, Driver]:
    """A driver for each configured device, not yet started.

    ``pins``: whose pins; None: the board's own. :class:`ConfigurationError` names the key of a setting that
    the driver refuses.
    """
    devices, check_digit = configuration.devices, notices_substitution(configuration.code_map)
    made: dict[str, Driver] = {}
    with naming(SHOE):
        made[SHOE] = shoe_driver(SHOE, devices.shoe, check_digit)
    if devices.second_reader is not None:
        with naming(SECOND):
            made[SECOND] = shoe_driver(SECOND, devices.second_reader, check_digit)
    if devices.shuffler is not None:
        from drivers.shuffler.driver import ShufflerDriver

        with naming("shuffler"):
            made["shuffler"] = ShufflerDriver("shuffler", text_line(devices.shuffler))
    if devices.panel is not None:
        with naming("panel"):
            made["panel"] = panel_driver(devices.panel, pins)
    if devices.beam is not None:
        with naming(BEAM):
            made[BEAM] = beam_driver(devices.beam, pins)
    return made


def outputs_of(configuration: Configuration, pins: PinFactory | None = None) -> Outputs | None:
    """Lights, lamps and lock on pins, not yet taken."""
    lights = configuration.devices.lights
    if lights is None:
        return None
    from controller.shell.wiring.safe_outputs import output_pins
    from drivers.panel.gpio.outputs import GpioOutputs

    with naming("lights"):
        return GpioOutputs("lights", output_pins(lights), pins or board_pins())


def witnesses_of(configuration: Configuration) -> Witnesses:
    """Who else watches the cards that leave the shoe."""
    beam, second = configuration.devices.beam, configuration.devices.second_reader
    return Witnesses(
        None if beam is None else Beam(beam.card_within_ms * _MS),
        None if second is None else SecondReader(second.agree_within_ms * _MS),
    )


def shoe_driver(name: str, settings: keys.Device, check_digit: bool) -> Driver:
    """The driver of a shoe; ``check_digit``: the codes on the cards have one, so a rescue can be proved."""
    for kind in type(settings).__mro__:
        if kind in SHOES:
            return SHOES[kind](name, settings, check_digit)
    raise TypeError(f"no driver is built for {type(settings).__name__}")


def _angel_eye(name: str, settings: keys.AngelEyeShoe, check_digit: bool) -> Driver:
    from drivers.angel_eye.driver import AngelEyeDriver, AngelEyeSettings
    from drivers.repeats import NumberCycle

    return AngelEyeDriver(
        name,
        AngelEyeSettings(
            LineSettings(
                settings.port,
                settings.baud_rate,
                parity=settings.parity,
                stop_bits=settings.stop_bits,
                silence_s=settings.silence_ms / 1000,
                tick_s=0.05,
            ),
            bcc_includes_stx=settings.bcc_includes_stx,
            r_means=settings.repeat_meaning,
            report_numbers=NumberCycle(settings.first_report_number, settings.last_report_number),
            command_timeout_ms=settings.command_timeout_ms,
            command_tries=settings.command_tries,
            query_on_connect=settings.query_on_connect,
            nak_code_as_text=settings.nak_code_as_text,
        ),
    )


def _bee_tek(name: str, settings: keys.BeeTekShoe, check_digit: bool) -> Driver:
    from drivers.bee_tek.driver import BeeTekDriver

    return BeeTekDriver(name, text_line(settings))


def _scanner(name: str, settings: keys.ScannerShoe, check_digit: bool) -> Driver:
    from drivers.scanner.driver import ScannerDriver

    silence_s = settings.silence_ms / 1000 if settings.suffix == "none" else 0.0
    line = replace(text_line(settings), silence_s=silence_s)
    return ScannerDriver(name, line, scan_settings(settings), settings.suffix, settings.longest)


def _camera(name: str, settings: keys.CameraShoe, check_digit: bool) -> Driver:
    from drivers.camera.driver import CameraDriver

    return CameraDriver(name, camera_settings(settings, check_digit))


SHOES: dict[type, Callable[[str, Any, bool], Driver]] = {
    keys.AngelEyeShoe: _angel_eye,
    keys.BeeTekShoe: _bee_tek,
    keys.ScannerShoe: _scanner,
    keys.CameraShoe: _camera,
}
"""The settings of a shoe -> what builds its driver, importing it then and not before."""


def panel_driver(settings: keys.KeypadPanel | keys.GpioPanel, pins: PinFactory | None) -> Driver:
    """The driver of the dealer's panel."""
    if isinstance(settings, keys.KeypadPanel):
        from drivers.panel.keypad.driver import KeypadDriver

        return KeypadDriver("panel", text_line(settings))
    from drivers.panel.gpio.driver import GpioPanelDriver
    from drivers.panel.gpio.inputs import InputTimes
    from drivers.panel.gpio.pins import InputPin

    words = ("open", "close", "decided", "reveal", "settled", "hold")
    lines = {word.upper(): getattr(settings.buttons, word) for word in words} | settings.lines
    buttons = {line: InputPin(pin, settings.active) for line, pin in lines.items() if pin is not None}
    key = settings.key_switch
    return GpioPanelDriver(
        "panel",
        buttons,
        None if key is None else InputPin(key, settings.active),
        settings.key_badge,
        InputTimes(debounce_ms=settings.debounce_ms),
        pins or board_pins(),
    )


def beam_driver(settings: keys.GpioBeam, pins: PinFactory | None) -> Driver:
    """The driver of the beam across the shoe's exit: a break counts at once, a card stays in it for long."""
    from drivers.panel.gpio.driver import GpioBeamDriver
    from drivers.panel.gpio.inputs import InputTimes
    from drivers.panel.gpio.pins import InputPin

    times = InputTimes(debounce_ms=settings.debounce_ms, stuck_ms=BEAM_STUCK_MS, at_once=True)
    return GpioBeamDriver(BEAM, InputPin(settings.pin, settings.active), times, pins or board_pins())


def text_line(settings: keys.LineDevice) -> LineSettings:
    """The serial line of a device that speaks text."""
    return LineSettings(
        settings.port,
        settings.baud_rate,
        data_bits=settings.data_bits,
        parity=settings.parity,
        stop_bits=settings.stop_bits,
    )


def board_pins() -> PinFactory:
    """The pins of the board we run on."""
    from drivers.panel.gpio.pins import board_factory

    return board_factory
