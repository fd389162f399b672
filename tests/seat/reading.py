"""What a seat shows: its spots, and the sums in its bar."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect


def spot(page: Page, name: str) -> Locator:
    return page.locator(f'[data-spot="{name}"]')


def lies(page: Page, name: str, minor: int | None) -> None:
    """What is staked there, as the seat shows it."""
    if minor is None:
        expect(spot(page, name)).not_to_have_attribute("data-stake", re.compile("."))
    else:
        expect(spot(page, name)).to_have_attribute("data-stake", str(minor))
    taken(page)


def repeat(page: Page) -> None:
    """SPACE, as soon as it is REPEAT: a page hears of a new round a moment after the service."""
    expect(page.get_by_role("button", name="Repeat")).to_be_enabled()
    page.keyboard.press("Space")


def sums(page: Page, **euros: str) -> None:
    for name, text in euros.items():
        expect(page.locator(f'[data-sum="{name}"]')).to_have_text(text)
    taken(page)


def taken(page: Page) -> None:
    """No chip is on its way any more: what the page shows is what the service has booked, and the dealer may
    close the bets.
    """
    expect(page.locator("[data-sum][aria-busy]")).to_have_count(0)


def minor(page: Page, name: str) -> int:
    """An amount in the bar, minor units, when no chip is on its way any more."""
    taken(page)
    text = page.locator(f'[data-sum="{name}"]').inner_text()
    return round(float(text.replace("€", "").replace(",", "")) * 100)


def balance(page: Page, minor: int) -> None:
    """What the balance comes to, when the service has said so."""
    sums(page, balance=f"€{minor / 100:,.2f}".removesuffix(".00"))
