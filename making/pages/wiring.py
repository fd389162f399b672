"""Pictures of what is plugged in and how: the cable of each device, what hangs on a pin, a camera over a shoe.

Speeds, levels and figures are those that the drivers have by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from msgspec.structs import fields

from drivers.camera import Camera, CameraShoe
from drivers.gpio import GpioBeam, GpioLights, GpioPanel, GpioShuffler
from drivers.registry import devices, tag_of
from drivers.settings import DeviceSettings, SerialDevice

INK, SOFT, LINE, PAPER, BOX = "#14201a", "#5c6660", "#9a957f", "#fbfaf4", "#ece7d3"
GREEN, RED, BLUE = "#0c6a35", "#b3120f", "#1f6fe5"
CABLES = {
    "angel-eye": ("serial", "straight RS-232, or through a USB adapter"),
    "bee-tek": ("serial", "RS-232, or through a USB adapter"),
    "scanner": ("serial", "USB as a serial port (CDC), or RS-232"),
    "keypad": ("serial", "USB as a serial port, or RS-232"),
    "line": ("serial", "RS-232, or through a USB adapter"),
    "camera": ("usb", "USB (UVC), at a port of its own"),
    "gpio": ("pins", "a wire for each contact, and ground"),
}
"""Driver -> which socket of the machine, and the cable. A driver that is not here cannot be drawn."""
SOCKETS = {"serial": "USB: /dev/dealer-table/...", "usb": "USB: /dev/video0", "pins": "header: GPIO"}
INKS = {"serial": BLUE, "usb": GREEN, "pins": RED}
PLACES = {
    "shoe": "shoe",
    "shuffler": "shuffler",
    "panel": "buttons, key",
    "beam": "beam",
    "felt": "felt",
    "lights": "light, lamps, lock",
}


def default(settings: type[DeviceSettings], key: str) -> Any:
    """What a driver takes for a key that is left out."""
    return next(field.default for field in fields(settings) if field.name == key)


def sheet(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """A picture with its own ground: it is read on a light page and on a dark one."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="15">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
            says(width / 2, 30, title, "middle", size=18, bold=True),
            *parts,
            "</svg>\n",
        ]
    )


def says(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    *,
    size: int = 15,
    ink: str = INK,
    bold: bool = False,
) -> str:
    """A line of text."""
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{ink}"{weight}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = BOX) -> str:
    """A thing with a case."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="{fill}" stroke="{LINE}"/>'


def wire(path: str, ink: str = INK, width: float = 2, more: str = "") -> str:
    """A line along a path."""
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="{width:g}"{more}/>'


def cables() -> str:
    """Every device that has a driver, at the machine of the table."""
    rows = list(devices())
    top, row = 62, 46
    height = top + row * len(rows) + 66
    sockets: dict[str, list[float]] = {}
    parts = []
    for at, one in enumerate(rows):
        socket, cable = CABLES[tag_of(one)]
        y = top + row * at + row / 2
        sockets.setdefault(socket, []).append(y)
        parts += [
            box(20, y - 18, 270, 36),
            says(32, y + 5, PLACES[one.place], bold=True),
            says(278, y + 5, f'"{tag_of(one)}"', "end", size=13, ink=SOFT),
            wire(f"M290 {y:g}H700", INKS[socket], 3),
            says(495, y - 6, cable, "middle", size=13),
            says(495, y + 17, _speaks(one), "middle", size=13, ink=SOFT),
        ]
    machine = top + row * len(rows) - 8
    parts += [box(700, top - 4, 200, machine - top + 8, "#dfe8e2")]
    parts += [says(800, top + 24, "the table's machine", "middle", bold=True)]
    parts += [says(800, top + 44, "(a Raspberry Pi)", "middle", size=13, ink=SOFT)]
    for socket, ys in sockets.items():
        parts += [f'<circle cx="700" cy="{y:g}" r="5" fill="{INKS[socket]}"/>' for y in ys]
    for at, (socket, words) in enumerate(SOCKETS.items()):
        parts.append(says(712, machine - 60 + 20 * at, words, size=13, ink=INKS[socket]))
    parts.append(
        says(20, height - 40, "Network: one cable to the house's switch, where the broker is reached.")
    )
    parts.append(
        says(
            20,
            height - 18,
            "Only 3.3 V touches a pin: a 24 V contact goes through an optocoupler, a lamp through a driver stage.",
        )
    )
    return sheet(920, height, "The cable of each device", parts)


def _speaks(settings: type[DeviceSettings]) -> str:
    if issubclass(settings, SerialDevice):
        bits = default(settings, "data_bits") if "data_bits" in settings.__struct_fields__ else 8
        parity, stop = default(settings, "parity"), default(settings, "stop_bits")
        return f"{default(settings, 'baud_rate')} {bits}{parity}{stop}"
    if issubclass(settings, Camera):
        size = f"{default(settings, 'width_px')} x {default(settings, 'height_px')}"
        return f"{size}, {default(settings, 'frames_per_s')} pictures a second"
    return f"3.3 V, {default(settings, 'active')} is active"


def circuits() -> str:
    """What hangs on one pin of each kind."""
    lights = f"red: {'on' if default(GpioLights, 'safe_light') == 'red' else 'off'}"
    locked = "locked" if default(GpioLights, "safe_locked") else "open"
    parts = [
        says(155, 62, f"Button, key, contact (active {default(GpioPanel, 'active')})", "middle", bold=True),
        *_input(40, "contact"),
        says(460, 62, f"Beam, 24 V contact (active {default(GpioBeam, 'active')})", "middle", bold=True),
        *_input(345, "optocoupler"),
        says(775, 62, f"Lamp, buzzer, lock (active {default(GpioLights, 'active')})", "middle", bold=True),
        *_output(650),
        says(20, 372, f"Inputs: a level counts once it has stood for {default(GpioPanel, 'debounce_ms')} ms"
             f" ({default(GpioShuffler, 'count_debounce_ms')} ms for the pulses of a shuffler)."),
        says(20, 396, f"Safe state of the outputs: {lights}, shoe {locked}. The resistor at the gate pulls to that side:"),
        says(20, 416, "to ground for what is off then, to 3.3 V (dashed) for what is on. Nobody holds the pin while the machine starts."),
    ]  # fmt: skip
    return sheet(980, 436, "What hangs on a pin", parts)


def _board(x: float, words: str) -> list[str]:
    return [box(x, 84, 112, 236, "#dfe8e2"), says(x + 56, 106, words, "middle", size=13, ink=SOFT)]


def _resistor(x: float, y: float, ink: str = INK, more: str = "") -> str:
    return f'<rect x="{x - 6:g}" y="{y:g}" width="12" height="34" fill="{PAPER}" stroke="{ink}" stroke-width="2"{more}/>'


def _ground(x: float, y: float) -> str:
    return wire(f"M{x - 14:g} {y:g}H{x + 14:g}M{x - 9:g} {y + 5:g}H{x + 9:g}M{x - 4:g} {y + 10:g}H{x + 4:g}")


def _input(x: float, switch: str) -> list[str]:
    parts = [
        *_board(x, "Raspberry Pi"),
        says(x + 40, 132, "3.3 V", "middle", size=13),
        wire(f"M{x + 40:g} 138V150M{x + 40:g} 184V210H{x + 150:g}"),
        _resistor(x + 40, 150),
        says(x + 52, 172, "inside", size=12, ink=SOFT),
        says(x + 8, 228, "GPIO", size=13),
        f'<circle cx="{x + 112:g}" cy="210" r="5" fill="{BLUE}"/>',
        says(x + 8, 308, "GND", size=13),
        f'<circle cx="{x + 112:g}" cy="300" r="5" fill="{SOFT}"/>',
        wire(f"M{x + 112:g} 300H{x + 150:g}V286"),
    ]
    if switch == "contact":
        return [
            *parts,
            wire(f"M{x + 150:g} 210V232M{x + 150:g} 286V264L{x + 168:g} 236"),
            f'<circle cx="{x + 150:g}" cy="232" r="3" fill="{INK}"/>',
            says(x + 176, 256, "closes to", size=13),
            says(x + 176, 273, "ground", size=13),
        ]
    return [
        *parts,
        box(x + 134, 222, 86, 60, PAPER),
        wire(f"M{x + 150:g} 210V236L{x + 150:g} 244M{x + 150:g} 286V262M{x + 142:g} 240V266M{x + 150:g} 244L{x + 142:g} 250M{x + 150:g} 262L{x + 142:g} 256"),
        wire(f"M{x + 188:g} 244H{x + 206:g}M{x + 190:g} 246L{x + 197:g} 258L{x + 204:g} 246M{x + 188:g} 258H{x + 206:g}", BLUE),
        wire(f"M{x + 197:g} 244V200M{x + 197:g} 258V304", BLUE),
        says(x + 205, 198, "+ 24 V, resistor", size=12, ink=BLUE),
        says(x + 205, 314, "0 V of the part", size=12, ink=BLUE),
    ]  # fmt: skip


def _output(x: float) -> list[str]:
    dashed = ' stroke-dasharray="5 4"'
    return [
        *_board(x, "Raspberry Pi"),
        says(x + 56, 146, "3.3 V", "middle", size=13),
        f'<circle cx="{x + 112:g}" cy="142" r="5" fill="#e0b000"/>',
        says(x + 56, 231, "GPIO", "middle", size=13),
        f'<circle cx="{x + 112:g}" cy="226" r="5" fill="{RED}"/>',
        says(x + 56, 305, "GND", "middle", size=13),
        f'<circle cx="{x + 112:g}" cy="300" r="5" fill="{SOFT}"/>',
        wire(f"M{x + 112:g} 226H{x + 190:g}"),
        _resistor(x + 138, 246),
        wire(f"M{x + 138:g} 226V246M{x + 138:g} 280V300"),
        says(x + 150, 268, "10k", size=12),
        _resistor(x + 138, 168, SOFT, dashed),
        wire(f"M{x + 112:g} 142H{x + 138:g}V168M{x + 138:g} 202V226", SOFT, 2, dashed),
        wire(f"M{x + 112:g} 300H{x + 204:g}"),
        wire(f"M{x + 190:g} 210V242M{x + 196:g} 208V244M{x + 196:g} 214H{x + 214:g}V190M{x + 196:g} 238H{x + 214:g}V300H{x + 204:g}"),
        says(x + 222, 232, "MOSFET or", size=12),
        says(x + 222, 247, "driver stage", size=12),
        _ground(x + 180, 300),
        f'<circle cx="{x + 214:g}" cy="170" r="16" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>',
        wire(f"M{x + 203:g} 159L{x + 225:g} 181M{x + 225:g} 159L{x + 203:g} 181"),
        wire(f"M{x + 214:g} 190V186M{x + 214:g} 154V128", BLUE),
        says(x + 214, 120, "+ 12 or 24 V", "middle", size=12, ink=BLUE),
        says(x + 236, 175, "lamp", size=12),
    ]  # fmt: skip


def over_a_shoe() -> str:
    """Where a camera hangs, from the side, and what it sees."""
    width, height = default(CameraShoe, "width_px"), default(CameraShoe, "height_px")
    frames, rate = default(CameraShoe, "agreeing_frames"), default(CameraShoe, "frames_per_s")
    parts = [
        wire("M30 330H560", LINE, 4),
        says(36, 352, "felt", ink=SOFT),
        f'<path d="M40 328V220L90 200H190L300 316V328z" fill="{BOX}" stroke="{LINE}"/>',
        says(120, 262, "shoe", "middle", bold=True),
        wire("M300 324H430", INK, 5),
        says(372, 350, "card on its way out", "middle", size=13),
        box(338, 78, 54, 44, "#dfe8e2"),
        f'<circle cx="365" cy="128" r="9" fill="{INK}"/>',
        says(330, 104, "camera", "end", bold=True),
        f'<path d="M365 128L300 324H430z" fill="{BLUE}" opacity="0.14"/>',
        wire("M365 128L300 324M365 128L430 324", BLUE, 1.4),
        wire("M316 132V310", SOFT, 1.2),
        wire("M310 132H322M310 310H322", SOFT, 1.2),
        says(308, 160, "as near as it", "end", size=13, ink=SOFT),
        says(308, 177, "sees sharply", "end", size=13, ink=SOFT),
        box(500, 70, 44, 16, "#ffe9a8"),
        wire("M516 90L440 300M528 90L470 300", "#c79a00", 1.2, ' stroke-dasharray="6 5"'),
        says(552, 84, "light from one side,", size=13, ink=SOFT),
        says(552, 101, "even, no flicker", size=13, ink=SOFT),
        says(700, 150, "what it sees", "middle", bold=True),
        box(600, 162, 200, 150, "#33443c"),
        '<rect x="636" y="180" width="110" height="126" rx="6" fill="#ffffff"/>',
        "".join(f'<rect x="{646 + 6 * n}" y="188" width="{2 + 2 * (n * 7 % 3 == 0)}" height="26" fill="{INK}"/>' for n in range(15)),
        says(700, 332, f"{width} x {height} pixels, {rate} a second", "middle", size=13),
        says(30, 392, "1. The mark lies whole in the picture while the card passes; its narrowest bar is at least 3 pixels wide."),
        says(30, 416, f"2. It is in view for {frames} pictures or more: at {rate} a second, at least {1000 * frames / rate:.0f} ms."),
        says(30, 440, "3. Nothing but cards moves in the picture: no hand, no lammer, no screen."),
        says(30, 464, "4. Fixed to the shoe, not to the table: who moves the shoe moves both."),
    ]  # fmt: skip
    return sheet(840, 486, "A camera over a shoe", parts)


PICTURES: dict[str, Callable[[], str]] = {
    "docs/reference/pictures/cables.svg": cables,
    "docs/reference/pictures/pin-circuits.svg": circuits,
    "docs/reference/pictures/camera-over-a-shoe.svg": over_a_shoe,
}
