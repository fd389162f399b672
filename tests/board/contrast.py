"""Whether each text can be read on what lies beneath it, and each box and grid be told from it; axe leaves
gradients, drawings, letters, and all that is no text out.
"""

from __future__ import annotations

from playwright.sync_api import Page

from tests.board.boxes import still_wrong

ALL_THEMES = ("dark", "light", "contrast")

COLOURS = """
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
"""
"""Colours as numbers, how light they are, and the ratio of two of them."""

PALE = (
    "() => {"
    + COLOURS
    + """
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
    const strict = document.documentElement.dataset.theme === 'contrast';
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
            if (told < (large && !strict ? 3 : 4.5)) found.add(`${said} ${told.toFixed(2)}`);
        }
    }
    return [...found];
}"""
)
"""In high contrast large texts, those of cards among them, have as much as small ones."""

BOXES = ".cell, .pay-box, .way-back, .controls :is(button, input), .acknowledge, .shoe .bar"
"""Boxes that say where something is or ends, in every theme; what can be touched is among them."""
ALL_BOXES = (
    f"{BOXES}, .count, .last li, .choices li, .step:not(.pay) li, .hot-cold > div, .side:not(.won) .total, "
    ".price, .table-card, .board > section:not(.shoe, .bets, .felt), .seat, .side, .dealer-page > section"
)
"""And in high contrast, where no ground tells a box from what is around it."""

UNSEEN = (
    "(boxes) => {"
    + COLOURS
    + """
    const ground = (box) => {
        const stack = [];
        for (let around = box; around; around = around.parentElement)
            stack.unshift(parts(getComputedStyle(around).backgroundColor));
        const root = getComputedStyle(document.documentElement).getPropertyValue('--ground');
        const hex = [1, 3, 5].map((at) => parseInt(root.trim().slice(at, at + 2), 16));
        return stack.reduce((under, colour) => over(under, colour), hex);
    };
    const found = new Set();
    for (const box of document.querySelectorAll(boxes)) {
        const style = getComputedStyle(box);
        const at = box.getBoundingClientRect();
        if (style.visibility === 'hidden' || at.width === 0 || at.height === 0) continue;
        const around = ground(box.parentElement);
        const edges = [ground(box)];
        if (parseFloat(style.borderBottomWidth) > 0) edges.push(over(around, parts(style.borderBottomColor)));
        if (style.boxShadow.includes('inset')) edges.push(over(around, parts(style.boxShadow.split(')')[0])));
        const told = Math.max(...edges.map((edge) => ratio(edge, around)));
        if (told < 3) found.add(`${box.className} ${told.toFixed(2)}`);
    }
    for (const lines of document.querySelectorAll('.road .lines')) {
        const paper = getComputedStyle(lines.parentElement.querySelector('.paper')).fill;
        const told = ratio(parts(getComputedStyle(lines).stroke), parts(paper));
        if (told < 3) found.add(`${lines.closest('.road').className} lines ${told.toFixed(2)}`);
    }
    return [...found];
}"""
)

STRENGTH = (
    "(box) => {"
    + COLOURS
    + """
    // What is left of a colour for who sees no red (Machado and others, 2009), of its light alone.
    const without = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        const seen = [
            0.152286 * x + 1.052583 * y - 0.204868 * z,
            0.114503 * x + 0.786281 * y + 0.099216 * z,
            -0.003882 * x - 0.048116 * y + 1.051998 * z,
        ].map((one) => Math.min(1, Math.max(0, one)));
        return 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2];
    };
    const root = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim();
    const ground = [1, 3, 5].map((at) => parseInt(root.slice(at, at + 2), 16));
    const own = parts(getComputedStyle(document.querySelector(box)).backgroundColor);
    const [most, least] = [without(own), without(ground)].sort((a, b) => b - a);
    return [ratio(own, ground), (most + 0.05) / (least + 0.05)];
}"""
)


WEAR = "theme => { document.documentElement.dataset.theme = theme; }"


def strength(page: Page, theme: str, box: str) -> list[float]:
    """How far a box is from the ground in lightness, to every eye and to one that sees no red."""
    page.evaluate(WEAR, theme)
    told: list[float] = page.evaluate(STRENGTH, box)
    return told


def pale(page: Page) -> list[str]:
    """Texts whose contrast is below that of WCAG AA (4.5, large ones 3), boxes and grids whose edge is below
    3 (WCAG 1.4.11), by theme, with what it is.
    """
    told: list[str] = []
    for theme in ALL_THEMES:
        page.evaluate(WEAR, theme)
        boxes = ALL_BOXES if theme == "contrast" else BOXES
        found = still_wrong(lambda boxes=boxes: page.evaluate(PALE) + page.evaluate(UNSEEN, boxes))
        told += [f"{theme}: {one}" for one in found]
    return told
