"""Asks each device the driver's own way whether it is there, for ``doctor``."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from functools import partial

from controller.settings.model import Configuration
from controller.shell.doctor.findings import Diagnosis
from controller.shell.wiring.devices import drivers_of, outputs_of
from drivers.camera.light import judged
from drivers.camera.tally import PLAIN_CARDS, CameraState
from drivers.ports import Driver, OutputDevice, PortState, Received
from drivers.readings import (
    BeamBroken,
    CommandAnswered,
    DeviceReachable,
    DeviceUnreachable,
    InputsRead,
    KeyPressed,
    ProcessReported,
)
from drivers.settings import PinFactory

LISTEN_S = 2.0
LEVELS_S = 0.3
"""The levels of pins are told at once."""
CAMERA_STARTS_S = 20.0
"""A camera's process needs a while for its libraries."""
SLOW_CAMERA = 0.5
"""A camera that gives less than this part of the pictures that it was asked for is too slow."""


def probes_of(
    configuration: Configuration, pins: PinFactory | None = None
) -> dict[str, Callable[[], list[Diagnosis]]]:
    """A question for each configured device."""
    probes: dict[str, Callable[[], list[Diagnosis]]] = {}
    for name, driver in drivers_of(configuration, pins).items():
        probes[name] = partial(probe_device, driver)
    outputs = outputs_of(configuration, pins)
    if outputs is not None:
        probes["lights"] = partial(probe_outputs, outputs)
    return probes


def probe_device(driver: Driver) -> list[Diagnosis]:
    """Open the device, ask it where it can be asked, listen for two seconds."""
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    driver.start(heard.put)
    try:
        if not isinstance(driver.state, CameraState):
            listen_s = LEVELS_S if is_pins(driver.state) else LISTEN_S
            readings = collect(
                heard, listen_s, (CommandAnswered, ProcessReported, InputsRead, DeviceUnreachable)
            )
        else:
            readings = collect(heard, CAMERA_STARTS_S, (DeviceReachable, DeviceUnreachable))
            if not said(readings, DeviceUnreachable):
                readings += collect(heard, LISTEN_S, (DeviceUnreachable,))
        return judge(driver, readings)
    finally:
        driver.stop()


def collect(heard: queue.SimpleQueue[Received], listen_s: float, ends: tuple[type, ...]) -> list[Received]:
    """What the device says in the time that the doctor listens; a reading of ``ends`` ends it."""
    readings: list[Received] = []
    until = time.monotonic() + listen_s
    while (left := until - time.monotonic()) > 0:
        try:
            readings.append(heard.get(timeout=left))
        except queue.Empty:
            break
        if isinstance(readings[-1].reading, ends):
            break
    return readings


def said(readings: list[Received], kind: type) -> bool:
    """Whether a reading of this kind came."""
    return any(isinstance(received.reading, kind) for received in readings)


def judge(driver: Driver, readings: list[Received]) -> list[Diagnosis]:
    """One finding for the device."""
    name, state = driver.name, driver.state
    for received in readings:
        reading = received.reading
        if isinstance(reading, DeviceUnreachable):
            return [Diagnosis(name, "fault", reading.reason, mend_of(state, name))]
        if isinstance(reading, CommandAnswered) and not reading.ok and reading.code is None:
            mend = "switch the device on; check cable, baud rate and that it is the device of this port"
            return [Diagnosis(name, "fault", f"{state.path} is open, but nobody answers", mend)]
        if isinstance(reading, CommandAnswered | ProcessReported):
            return [Diagnosis(name, "ok", f"{state.path} answers{behind(state)}, {last_byte(state)}")]
    if not said(readings, DeviceReachable):
        return [Diagnosis(name, "fault", f"{state.path} could not be opened", mend_of(state, name))]
    if isinstance(state, CameraState):
        return [judge_camera(name, state)]
    if is_pins(state):
        return [judge_pins(name, state, readings)]
    if state.bytes_in:
        seen = f"{state.path} speaks: {state.bytes_in} bytes in two seconds{behind(state)},"
        return [Diagnosis(name, "ok", f"{seen} {last_byte(state)}")]
    silent = f"{state.path} is open and silent{behind(state)}; press a key or draw a card"
    return [Diagnosis(name, "ok", silent)]


def judge_camera(name: str, state: CameraState) -> Diagnosis:
    """How many pictures come, whether the decoder reads a mark that we drew, and how the light is."""
    speed = state.frames_per_s or 0.0
    plain = state.decoder == PLAIN_CARDS
    test = "plain cards are read" if plain else "no test mark for these symbologies"
    if state.test_decode_ms is not None:
        test = f"{state.decoder} reads a test mark in {state.test_decode_ms} ms"
    seen = f"{state.path}{behind(state)}: {speed:.1f} frames a second; {test}"
    if state.decode_ms is not None:
        seen += f", a picture takes {state.decode_ms} ms"
    light, mends = judged(state.lights, state.exposure_held)
    if light:
        seen += f"; {light}"
    if speed < SLOW_CAMERA * state.asked_frames_per_s:
        wanted = f"{state.asked_frames_per_s} a second are wanted"
        mends = [f"{wanted}: more light, a smaller picture, or a port of its own", *mends]
    return Diagnosis(name, "warning" if mends else "ok", seen, "; ".join(mends))


def judge_pins(name: str, state: PortState, readings: list[Received]) -> Diagnosis:
    """Pins are there or not; what stands in the beam, or a key that is turned, is said."""
    if said(readings, BeamBroken):
        mend = "remove what blocks it, or align the sensor; see active = high or low"
        return Diagnosis(name, "warning", f"{state.path}: the beam is broken", mend)
    levels = next((one.reading.active for one in readings if isinstance(one.reading, InputsRead)), None)
    if levels is not None:
        return judge_shuffler(name, state, levels)
    keys = [received.reading for received in readings if isinstance(received.reading, KeyPressed)]
    turned = any(key.word == "KEY" for key in keys)
    key = ", the key is turned" if turned else ", the key is out" if keys else ""
    return Diagnosis(name, "ok", f"{state.path} can be read{key}; press a button to see it in the record")


def judge_shuffler(name: str, state: PortState, active: tuple[str, ...]) -> Diagnosis:
    """A shuffler's contacts contradict each other where it neither runs nor is ready, or both."""
    seen = f"{state.path} can be read: {', '.join(active) or 'nothing'} active"
    if ("ready" in active) == ("running" in active) or "jam" in active:
        mend = f"switch the shuffler on and clear it; see active and inverted in devices.{name}"
        return Diagnosis(name, "warning", seen, mend)
    return Diagnosis(name, "ok", seen)


def probe_outputs(outputs: OutputDevice) -> list[Diagnosis]:
    """Take the pins, in the safe state, and leave them so."""
    outputs.start()
    state = outputs.state
    outputs.safe()
    if not state.connected:
        return [Diagnosis("lights", "fault", state.last_error or state.path, mend_of(state, "lights"))]
    return [Diagnosis("lights", "ok", f"{state.path} are in the safe state: look whether the lamps say so")]


def behind(state: PortState) -> str:
    """Which device the system finds at the path, where that says more than the path."""
    return f" ({state.identity})" if state.identity not in (None, state.path) else ""


def is_pins(state: PortState) -> bool:
    """Whether these are pins of the board."""
    return state.path.startswith("GPIO")


def mend_of(state: PortState, name: str) -> str:
    """What to do about a device that cannot be reached."""
    if is_pins(state):
        return (
            "stop what holds the pins (a running daemon?), or add the user of the service to the group gpio"
        )
    if isinstance(state, CameraState):
        return f"look at cable and light and at devices.{name}.source; add the user to the group video"
    return f"stop what holds the port (a running daemon?), check the cable and devices.{name}"


def last_byte(state: PortState) -> str:
    """When the device was last heard."""
    if state.last_byte_ns is None:
        return "nothing heard yet"
    return f"last byte {max(0.0, (time.monotonic_ns() - state.last_byte_ns) / 1e9):.1f} s ago"
