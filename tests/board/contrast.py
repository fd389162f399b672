"""Whether each text can be read on what lies beneath it; axe leaves gradients, drawings, letters out."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.board.boxes import still_wrong

ALL_THEMES = ("dark", "light", "contrast")

PALE = """() => {
    const parts = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return [r, g, b, a];
    };
    const over = (under, colour, part = 1) => {
        const [r, g, b, a] = colour;
        return [r, g, b].map((one, at) => one * a * part + under[at] * (1 - a * part));
    };
    const light = (colour) => {
        const [r, g, b] = colour.map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (one, other) => {
        const [most, least] = [light(one), light(other)].sort((a, b) => b - a);
        return (most + 0.05) / (least + 0.05);
    };
    const paints = (box) => {
        const style = getComputedStyle(box);
        if (!(box instanceof SVGElement)) return parts(style.backgroundColor);
        return box.tagName === 'svg' || style.fill === 'none' ? [0, 0, 0, 0] : parts(style.fill);
    };
    // The outermost box around it that is drawn as one picture, half seen through.
    const faint = (box) => {
        let found = null;
        for (let around = box; around; around = around.parentElement)
            if (Number(getComputedStyle(around).opacity) < 1) found = around;
        return found;
    };
    const found = new Set();
    const root = getComputedStyle(document.documentElement);
    const cloth = root.getPropertyValue('--cloth').match(/#[0-9a-f]{6}/g);
    const grounds = cloth.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    for (const box of document.body.querySelectorAll('*')) {
        const own = [...box.childNodes].find((node) => node.nodeType === 3 && node.data.trim());
        if (!own || getComputedStyle(box).visibility === 'hidden') continue;
        const range = document.createRange();
        range.selectNodeContents(own);
        const at = range.getBoundingClientRect();
        const stack = document.elementsFromPoint(at.x + at.width / 2, at.y + at.height / 2);
        if (!stack.includes(box)) continue;
        const style = getComputedStyle(box);
        const beneath = stack.slice(stack.indexOf(box) + (box.tagName === 'text' ? 1 : 0)).reverse();
        const group = faint(box);
        const part = group ? Number(getComputedStyle(group).opacity) : 1;
        const ink = parts(box.tagName === 'text' ? style.fill : style.color);
        const large = at.height >= 28 || (at.height >= 22 && Number(style.fontWeight) >= 700);
        for (const ground of grounds) {
            const lain = (under, boxes) => boxes.reduce((colour, one) => over(colour, paints(one)), under);
            const around = lain(ground, beneath.filter((one) => !group?.contains(one)));
            const inside = lain(around, beneath.filter((one) => group?.contains(one)));
            const [paper, text] = [inside, over(inside, ink)].map((one) => over(around, [...one, 1], part));
            const told = ratio(paper, text);
            const said = `${box.className.baseVal ?? box.className}:"${own.data.trim().slice(0, 24)}"`;
            if (told < (large ? 3 : 4.5)) found.add(`${said} ${told.toFixed(2)}`);
        }
    }
    return [...found];
}"""


WEAR = "theme => { document.documentElement.dataset.theme = theme; }"


def pale(page: Page) -> list[str]:
    """Texts whose contrast is below that of WCAG AA (4.5, large ones 3), by theme, with what it is."""
    told: list[str] = []
    for theme in ALL_THEMES:
        page.evaluate(WEAR, theme)
        found = still_wrong(lambda: page.evaluate(PALE))
        told += [f"{theme}: {one}" for one in found]
    return told
