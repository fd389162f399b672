"""What stands on a page, read as a person would: texts, cards by hand, lit spots."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.harness.process import comes


def hands(page: Page) -> dict[str, list[str | None]]:
    """The cards on the felt by hand; None lies face down."""
    read: dict[str, list[str | None]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.felt [data-hand]')].map((hand) => [
            hand.dataset.hand,
            [...hand.querySelectorAll('.card:not(.place)')].map((card) => card.dataset.card ?? null),
        ]))"""
    )
    return read


def lie(display: dict[str, object]) -> dict[str, list[str | None]]:
    """The same from the message; community cards are one hand on the page."""
    told: dict[str, list[str | None]] = {}
    for one in display["cards"]:  # type: ignore[attr-defined]
        name = "community" if one["position"] in ("flop", "turn", "river") else one["position"]
        told.setdefault(name, []).append(one["card"])
    return told


def winners(page: Page) -> dict[str, str]:
    """Winning spots and what they pay."""
    read: dict[str, str] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.winners li')].map((spot) => [
            spot.dataset.spot, spot.querySelector('.pays').textContent]))"""
    )
    return read


def expect_winners(page: Page, paid: dict[str, str]) -> None:
    """The page shows these winning spots with what they pay, and no others."""
    comes(lambda: winners(page), paid)


def won(display: dict[str, object]) -> dict[str, str]:
    """The same from the message."""
    bets = display["result"]["bets"]  # type: ignore[index]
    return {spot: bet["pays"] or "Live odds" for spot, bet in bets.items() if bet["result"] == "win"}


def expect_cards(page: Page, display: dict[str, object]) -> None:
    """The page shows the cards of the message, and no others, as they lie."""
    count = len(display["cards"])  # type: ignore[arg-type]
    expect(page.locator(".felt .card:not(.place)")).to_have_count(count)
    up = sum(one["card"] is not None for one in display["cards"])  # type: ignore[attr-defined]
    expect(page.locator(".felt .card.face")).to_have_count(up)
    comes(lambda: {name: cards for name, cards in hands(page).items() if cards}, lie(display))


def expect_phase(page: Page, phase: str) -> None:
    """The page stands in this phase."""
    expect(page.locator("main.board")).to_have_attribute("data-phase", phase)
