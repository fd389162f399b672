"""What a page clips or lets lie on something else, and whom it shuts out, measured in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import CDPSession, Page

SIZES = {
    "full-hd": (1920, 1080),
    "4k": (3840, 2160),
    "hd": (1280, 720),
    "5:4": (1280, 1024),
    "4:3": (1024, 768),
    "21:9": (2560, 1080),
    "bar": (1920, 540),
    "upright": (1080, 1920),
    "tablet": (768, 1024),
    "phone": (390, 844),
    "small-phone": (320, 568),
    "phone-across": (844, 390),
}
"""What hangs on walls, stands on tables and lies in hands."""

WRONG = """() => {
    const found = new Set();
    const page = document.documentElement;
    const scrolls = innerWidth <= 700 || innerHeight <= 500 ||
        Boolean(document.querySelector('.floor'));
    const said = (box) => `${box.className.baseVal ?? box.className}:"${box.textContent.slice(0, 24)}"`;
    const own = (box) => [...box.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const hidden = (box) => {
        const style = getComputedStyle(box);
        return style.visibility === 'hidden' || style.clipPath === 'inset(50%)';
    };
    // A span is as high as its typeface, which is more than what is drawn: a fifth above and below is empty.
    const inked = (box) => {
        const at = box.getBoundingClientRect();
        if (getComputedStyle(box).display !== 'inline') return at;
        return new DOMRect(at.x, at.y + at.height / 5, at.width, 0.6 * at.height);
    };
    const shown = [];
    // Rounds and columns that have no room are out of sight as a whole: of those nothing may be seen.
    const spare = (box) => box.closest('.last li, .game-baccarat > .last, .narrow-away');
    for (const box of document.body.querySelectorAll('*')) {
        if (box.closest('svg') && box.tagName !== 'svg' || spare(box)) continue;
        const card = box.matches('svg.card, [data-ask]');
        if (!card && !own(box) || hidden(box)) continue;
        const at = inked(box);
        if (at.width === 0 || at.height === 0) continue;
        shown.push([box, at]);
        const clips = box.clientWidth > 0 && getComputedStyle(box).overflow !== 'visible';
        if (clips && box.scrollWidth > box.clientWidth + 2)
            found.add(`${said(box)} is cut: ${box.scrollWidth} in ${box.clientWidth}`);
        if (at.left < -1 || at.right > page.clientWidth + 1)
            found.add(`${said(box)} leaves the page at its side`);
        if (!scrolls && at.bottom > innerHeight + 1) found.add(`${said(box)} leaves the page below`);
        for (let around = box.parentElement; around; around = around.parentElement) {
            if (getComputedStyle(around).overflow === 'visible') continue;
            const frame = around.getBoundingClientRect();
            if (frame.width === 0) continue;
            const out = Math.max(
                frame.left - at.left, at.right - frame.right, frame.top - at.top, at.bottom - frame.bottom,
            );
            if (out > 3) found.add(`${said(box)} is clipped by ${around.className} by ${Math.round(out)}`);
        }
        // The second language is for who stands near.
        const first = !card && !box.closest('.beside');
        if (first && !scrolls && innerWidth > innerHeight) {
            const size = parseFloat(getComputedStyle(box).fontSize);
            const least = Math.min(innerHeight / 40, innerWidth / 50);
            const share = size / least;
            if (share < 0.62) found.add(`${said(box)} is too small: ${share.toFixed(2)}`);
        }
    }
    for (const [i, [one, a]] of shown.entries()) for (const [other, b] of shown.slice(i + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 4)
            found.add(`${said(one)} lies on ${said(other)} by ${Math.round(wide)}x${Math.round(high)}`);
    }
    return [...found];
}"""

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


CONTRAST: dict[str, object] = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""What axe is asked about a page in other colours: it differs in nothing else."""
DRAWN = 0.1
"""Nobody looks at what is measured: it is laid out in its size and drawn a tenth as large, for drawing is
most of what a browser without a graphics card has to do."""
_CHANNELS: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()
LOOKS = 5
"""What is wrong in so many pictures on end is wrong, and not on its way to be right."""


def still_wrong(look_again: Callable[[], list[Any]]) -> list[Any]:
    """Nothing as soon as a look finds nothing; else what the last of them found."""
    for _ in range(LOOKS):
        if not (found := look_again()):
            break
    return found


def wrong_boxes(page: Page, size: str) -> list[str]:
    """What is cut, too small, out of the page or on something else, once the page has this size."""

    def look() -> list[str]:
        page.evaluate(SETTLED)
        found: list[str] = page.evaluate(WRONG)
        return found

    resize(page, size)
    return still_wrong(look)


def resize(page: Page, size: str) -> None:
    """Give the page this size, to be measured: Playwright does not know of it."""
    width, height = SIZES[size]
    if page not in _CHANNELS:
        _CHANNELS[page] = page.context.new_cdp_session(page)
    size_of = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
    shown = {"deviceScaleFactor": 1, "mobile": False, "scale": DRAWN}
    _CHANNELS[page].send("Emulation.setDeviceMetricsOverride", {**size_of, **shown})


def draw(page: Page, size: str) -> None:
    """Give the page this size, to be looked at: a picture is as large as Playwright knows the page to be."""
    if page in _CHANNELS:
        _CHANNELS.pop(page).detach()
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(SETTLED)


# To describe all that is as it should be takes axe four times as long as to look for what is not.
_BROKEN = "(options) => axe.run({...options, resultTypes: ['violations']}).then((told) => told.violations)"


def violations(page: Page, options: Mapping[str, object] | None = None) -> dict[str, tuple[str, str]]:
    """What axe-core finds on the page, by rule: the first element and why."""
    page.evaluate(AXE_SCRIPT)
    found = still_wrong(lambda: page.evaluate(_BROKEN, options or {}))
    first = ((one["id"], one["nodes"][0]) for one in found)
    return {rule: (node["html"][:160], node["failureSummary"][:300]) for rule, node in first}
