"""A message of the stream in short words. A field that is not named here is written as it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

Json = Mapping[str, Any]
Committed = Mapping[int, str]

SHORT = 8
"""Hex digits that stand for a digest."""

LEFT_OUT = {
    "round.opened": {"round", "rules", "game", "prices", "pays", "spots", "live", "needs", "decisions"},
    "round.bets_closed": {"round"},
    "shoe.burned": {"shoe"},
    "alert.cleared": {"id"},
}
"""What a dealer need not read; of every other message the round."""

WHERE_SO = {"free_hand", "last_round"}
"""Fields that are written only where they are true."""


def in_words(name: str, data: Json, committed: Committed) -> str:
    """What a message says; ``committed``: commitment of each face-down card of the round, by its index."""
    special = SPECIAL.get(name)
    if special is not None:
        return special(data)
    if name == "round.revealed":
        return revealed(data, committed)
    hidden = LEFT_OUT.get(name, {"round"})
    return ", ".join(
        pair(key, value)
        for key, value in data.items()
        if key not in hidden and value is not None and (value or key not in WHERE_SO)
    )


def pair(key: str, value: object) -> str:
    """One field."""
    return f"{key.replace('_', ' ')} {plain(value)}"


def plain(value: object) -> str:
    """A JSON value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        if "digest" in value:
            return f"{value['id']} ({value['digest'][:SHORT]})"
        return " ".join(pair(key, one) for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(plain(one) for one in value) or "none"
    return "-" if value is None else str(value)


def card(data: Json) -> str:
    """A face-down card has no name, and a commitment."""
    if data["card"] is None:
        return f"{data['position']} face down, commitment {data['commitment'][:SHORT]}"
    by_hand = f", entered by {data['entered_by']}" if "entered_by" in data else ""
    return f"{data['position']} {data['card']}{by_hand}"


def revealed(data: Json, committed: Committed) -> str:
    """The cards that lay face down, each held against what was published when it was dealt."""
    cards = data["cards"]
    honest = all(
        hashlib.sha256((one["nonce"] + one["card"]).encode()).hexdigest() == committed.get(one["index"])
        for one in cards
    )
    hands: dict[str, list[str]] = {}
    for one in cards:
        hands.setdefault(one["position"], []).append(one["card"])
    words = ", ".join(f"{position} {' '.join(names)}" for position, names in hands.items())
    return f"{words}; {'each as committed' if honest else 'NOT AS COMMITTED'}"


def result(data: Json) -> str:
    """Revision, hands, outcome, what is paid and what pushes."""
    head = f"revision {data['revision']}"
    if data["replaces"] is not None:
        head += f" in place of {message(data['replaces'])}"
    hands = {**data["hands"], **({"board": data["board"]} if "board" in data else {})}
    cards = ", ".join(f"{hand} {' '.join(names)}" for hand, names in hands.items())
    outcome = ", ".join(outcome_words(key, value) for key, value in data["outcome"].items())
    bets = data["bets"]
    pays = ", ".join(f"{spot} {bet['pays']}" for spot, bet in bets.items() if bet["result"] == "win")
    pushes = ", ".join(spot for spot, bet in bets.items() if bet["result"] == "push")
    loses = sum(bet["result"] == "lose" for bet in bets.values())
    ends = [f"pays {pays or 'nothing'}", *([f"pushes {pushes}"] if pushes else []), f"{loses} lose"]
    return "; ".join([f"{head}: {cards}", outcome, *ends])


def outcome_words(key: str, value: object) -> str:
    """A fact of the outcome; of a hand only what is so."""
    if not isinstance(value, Mapping):
        return pair(key, value)
    facts = [pair(name, fact) for name, fact in value.items() if fact is not None]
    return f"{key} ({', '.join(facts)})"


def void(data: Json) -> str:
    """Why, by which paragraph, what is taken back, what becomes of bets and shoe."""
    rule = f" ({data['rule']})" if data["rule"] else ""
    back = f"takes back {message(data['retracts'])}, " if data["retracts"] else ""
    end = f"bets {data['bets']}, shoe {data['shoe']}, by {data['by']}"
    return f"{data['reason']}{rule}: {back}{end}{evidence(data)}"


def held(data: Json) -> str:
    """Why, and the choices."""
    return f"{data['reason']}, choices {', '.join(data['choices'])}{evidence(data)}"


def evidence(data: Json) -> str:
    """Every finding with its paragraph and its proof."""
    found = []
    for finding in data["evidence"]:
        facts = ", ".join(
            pair(key, value) for key, value in finding.items() if key not in ("code", "paragraph")
        )
        paragraph = f" {finding['paragraph']}" if finding.get("paragraph") else ""
        found.append(f"; {finding['code']}{paragraph}{': ' if facts else ''}{facts}")
    return "".join(found)


def alert(data: Json) -> str:
    """What a person must do, and the figures for it."""
    facts = "".join(
        f", {pair(key, value)}" for key, value in data.items() if key not in ("id", "code", "message")
    )
    return f"{data['code']}: {data['message']}{facts}"


def odds(data: Json) -> str:
    """Hold'em: each hand's chances. Baccarat: the prices offered."""
    if "strength" not in data:
        return ", ".join(pair(key, value) for key, value in data.items() if key != "round")
    hands = data["strength"].items()
    return ", ".join(f"{hand} wins {of['win']} and ties {of['tie']} of {of['total']}" for hand, of in hands)


def message(identity: str) -> str:
    """``epoch-sequence`` as the number that stands in front of the line."""
    return f"message {identity.partition('-')[2]}"


SPECIAL: dict[str, Callable[[Json], str]] = {
    "round.card": card,
    "round.result": result,
    "round.void": void,
    "table.held": held,
    "alert.raised": alert,
    "round.odds": odds,
}


def display_words(shown: Json) -> str:
    """What changes on a display while cards are dealt."""
    words = [shown["phase"], f"{shown['light']} light"]
    if shown["next"]:
        words.append(f"next card: {shown['next']}")
    if shown["hold"]:
        words.append(f"HOLD: {shown['hold']['meaning']}")
        if "next_out" in shown["hold"]:
            names = [name or "the one that went back" for name in shown["hold"]["next_out"]]
            words.append(f"must come out next: {', '.join(names)}")
    if shown["last_round"]:
        words.append("last round of the shoe")
    return ", ".join(words)
