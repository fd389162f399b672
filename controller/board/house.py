"""A house's own look: a folder with ``house.toml``, logo, typeface and media. Checked before it is shown."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from controller.settings.loader import ConfigurationProblems
from controller.settings.model import Problem
from controller.settings.reading import Reader
from controller.settings.resolve import read_toml
from controller.vocabulary.errors import why

Theme = Literal["dark", "light", "contrast"]
Colour = Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-fA-F]{6}$(?!\n)", description="as #0e4a36")]
FileName = Annotated[
    str,
    msgspec.Meta(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$(?!\n)", description="a file of the folder"),
]

LOGOS = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
MEDIA = {**LOGOS, ".jpg": "image/jpeg", ".mp4": "video/mp4", ".webm": "video/webm"}
FONTS = {".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf"}
MOST_BYTES = 2_000_000
"""Of a file: every page loads it."""
MOST_MEDIA_BYTES = 50_000_000
"""A film is loaded where nobody plays."""
LEAST_CONTRAST = 4.5
"""WCAG AA for text."""
LEAST_SEEN = 3.0
"""WCAG 1.4.11 for what is no text."""


class Colours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a house may colour; red, blue and green of the game, and the alarm, stay what they mean.

    One that is left out is the theme's own.
    """

    ground: Colour | None = None
    """Around the felt."""
    panel: Colour | None = None
    """Under cards and words."""
    panel_high: Colour | None = None
    edge: Colour | None = None
    ink: Colour | None = None
    ink_soft: Colour | None = None
    brass: Colour | None = None
    """Names of table and pay boxes."""
    lit: Colour | None = None
    """What wins."""
    on_lit: Colour | None = None
    back: Colour | None = None
    """The back of a card."""


THEMES = Path(__file__).with_name("static") / "style" / "theme.css"
"""Where the colours of the themes are."""
GROUNDS = ("ground", "panel", "panel_high")
READ_ON = (
    *((ink, ground) for ink in ("ink", "ink_soft", "brass") for ground in GROUNDS),
    *((ink, "panel") for ink in ("player", "banker", "tie", "red", "green", "warn")),
    ("on_lit", "lit"),
)
"""Which colour is read on which."""
SEEN_ON = (
    *((box, ground) for box in ("alarm", "focus") for ground in GROUNDS),
    *(("edge", ground) for ground in ("ground", "panel")),
    ("back_line", "back"),
)
"""Which is told from which, without being read: boxes that call a person, edges, the back of a card."""


class HouseKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``house.toml``."""

    name: Annotated[str, msgspec.Meta(max_length=60)] = ""
    """In the head of every page, where there is no logo."""
    theme: Theme | None = None
    """Not there: what the system asks for."""
    logo: FileName | None = None
    font: FileName | None = None
    media: FileName | None = None
    """A picture or a film for the players' boards where nobody plays."""
    colours: Colours | None = None
    """In the house's own theme; a page that asks for another one is not coloured."""


class House(msgspec.Struct, frozen=True):
    """What the pages get."""

    name: str = ""
    theme: Theme | None = None
    logo: str | None = None
    """Its address."""
    media: str | None = None
    """The name of its picture or film."""
    style: str = ""
    """The style sheet with colours and typeface."""
    files: dict[str, tuple[Path, str]] = {}
    """Name -> where it is, and its media type."""

    def told(self) -> dict[str, object]:
        """What a page reads."""
        media = None
        if self.media is not None:
            media = {"address": f"/house/{self.media}", "kind": self.files[self.media][1]}
        return {"name": self.name, "theme": self.theme, "logo": self.logo, "media": media}


def read_house(folder: str | None) -> House:
    """The look in a folder; none named: ours. :class:`ConfigurationProblems` names all that is wrong."""
    if folder is None:
        return House()
    path = Path(folder) / "house.toml"
    reader = Reader(HouseKeys, path.parent)
    keys = reader.read(read_toml(path, "the look of the house"), HouseKeys)
    problems = list(reader.problems)
    if keys is not None:
        for key, kinds, most in FILES:
            problems += _of_file(path.parent, key, getattr(keys, key), kinds, most)
        problems += _of_colours(keys)
    if problems or keys is None:
        raise ConfigurationProblems(path, problems)
    named = [(name, kinds) for key, kinds, _ in FILES if (name := getattr(keys, key)) is not None]
    return House(
        name=keys.name,
        theme=keys.theme,
        logo=None if keys.logo is None else f"/house/{keys.logo}",
        media=keys.media,
        style=_style(keys),
        files={name: (path.parent / name, kinds[Path(name).suffix.lower()]) for name, kinds in named},
    )


FILES = (("logo", LOGOS, MOST_BYTES), ("font", FONTS, MOST_BYTES), ("media", MEDIA, MOST_MEDIA_BYTES))
"""Which keys name a file, its kinds, and how large it may be."""


def _of_file(folder: Path, key: str, name: str | None, kinds: dict[str, str], most: int) -> list[Problem]:
    if name is None:
        return []
    path = folder / name
    if path.suffix.lower() not in kinds:
        return [Problem(key, f"{name}: expected a file that ends in {', '.join(kinds)}")]
    try:
        size = path.stat().st_size
    except OSError as error:
        return [Problem(key, f"{path}: {why(error)}")]
    return [Problem(key, f"{path}: {size} bytes, at most {most}")] if size > most else []


def _of_colours(keys: HouseKeys) -> list[Problem]:
    """What cannot be read on its ground, or not be told from it, at the colour that the house chose."""
    chosen = _chosen(keys.colours)
    worn = theme_colours(keys.theme or "dark") | chosen
    asked = [(pair, LEAST_CONTRAST, "to read it") for pair in READ_ON]
    asked += [(pair, LEAST_SEEN, "to see it") for pair in SEEN_ON]
    problems = []
    for (one, other), least, what_for in asked:
        part = contrast(worn[one], worn[other])
        if part < least and chosen.keys() & {one, other}:
            key, beside = (one, other) if one in chosen else (other, one)
            aim = what_for if key == one else what_for.replace("it", beside)
            problems.append(
                Problem(
                    f"colours.{key}",
                    f"a contrast of {int(10 * part) / 10} with {beside}, {least} is needed {aim}",
                )
            )
    return problems


def _chosen(colours: Colours | None) -> dict[str, str]:
    """The colours that a house named."""
    told = {} if colours is None else msgspec.structs.asdict(colours)
    return {name: value for name, value in told.items() if value is not None}


def theme_colours(theme: Theme) -> dict[str, str]:
    """The colours of a theme of ours, by the names of :class:`Colours` and like them."""
    blocks = re.findall(
        r"^:root(?:\[data-theme=\"(\w+)\"\])? \{(.*?)^\}", THEMES.read_text("utf-8"), re.M | re.S
    )
    told: dict[str, str] = {}
    for name, block in blocks:
        if name in ("", theme):
            told |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    return {name.replace("-", "_"): colour for name, colour in told.items()}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _style(keys: HouseKeys) -> str:
    """Colours and typeface as the pages' variables."""
    rules = []
    if keys.font is not None:
        rules.append(
            f'@font-face {{ font-family: "House"; src: url("/house/{keys.font}"); font-display: swap; }}\n'
        )
    told = _chosen(keys.colours)
    theme = keys.theme or "dark"
    values = {f"--{name.replace('_', '-')}": value for name, value in told.items()}
    if told.keys() & {"panel_high", "ground"}:
        worn = theme_colours(theme) | told
        values["--cloth"] = (
            f"radial-gradient(ellipse 90% 80% at 50% 30%, {worn['panel_high']}, {worn['ground']})"
        )
    if keys.font is not None:
        values["--type"] = '"House", "Archivo", "Noto Sans", "Noto Sans CJK SC", system-ui, sans-serif'
    if values:
        body = "".join(f"  {name}: {value};\n" for name, value in values.items())
        rules.append(f':root[data-theme="{theme}"] {{\n{body}}}\n')
    return "".join(rules)
