"""docs/reference/keypad-and-shuffler-protocol.md: our own line protocols, for vendors who want to speak them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controller.shell.intake.translation import DEALER_KEYS, SUPERVISOR_KEYS
from controller.vocabulary.irregularities import KINDS, VOID_REASONS
from drivers.keypad import KEYPAD
from drivers.line import SHUFFLER
from drivers.line_protocol import LONGEST_LINE, Protocol, usage
from making.pages.text import page, table

LINE = f"""\
A keypad or a shuffler that speaks this protocol needs no driver; it is plugged in and named in the table's file:

```toml
[devices.panel]
driver = "keypad"
port = "/dev/dealer-table/keypad"

[devices.shuffler]
driver = "line"
port = "/dev/dealer-table/shuffler"
```

## The line

- 9600 8N1 unless `baud_rate`, `data_bits`, `parity` and `stop_bits` say otherwise; no flow control.
- A line is printable ASCII, ended by LF or CR LF, of at most {LONGEST_LINE} characters; an empty line is answered too.
- Words are in capitals. Words and arguments are separated by one or more spaces. Numbers are decimal, 0 to 99999,
  without sign or leading zeros. A card is rank then suit: `A23456789TJQK` and `SHDC`, so `TH` is the ten of hearts.
  A name (`<badge>`, `<reason>`, `<set>`, ...) is one word of at most 40 letters, digits and `_ . : -`. A text is the
  rest of the line, at most 100 characters.
- Each line is answered by one line, in order, once what it said is on disk:

| answer | meaning |
| --- | --- |
| `OK` | accepted |
| `NO <why>` | understood, but refused now (at a keypad also a number out of range, as `BURN 0`); the table is unchanged, but for a loaded shoe that opens no round (`SHOE 400` for 416): it is the shoe in use from then on, since other cards may lie in it, and is loaded again with the right number, or counted with the key (`COUNT 416`) (at a table with a shuffler the answer is `OK`, and the table holds until somebody has counted); `<why>` may be shown to the dealer |
| `? <line>` | not understood: the line as received, with unprintable bytes as dots; a device fault in the record |

No answer means that nobody knows whether the line was taken (a cable, a restart). Sending it again is safe if
sending it twice is: a second `CLOSE` is a `NO`, but a second `BURN 2` burns two more cards.
"""

KEYS = """\
## Keypad

One line for each key press. What needs the supervisor's key is refused without it. The key is turned with
`KEY <badge>` and removed with `NOKEY`; a lost line or a restart means `NOKEY`, so a keypad sends `KEY` again when it
is reconnected. The badge is shown in the record and in the messages for everything that is done with it.
"""

KEY_MEANINGS = {
    "SHOE": "a shuffled shoe of this many cards is loaded; refused in a round",
    "SEATS": "these seats play, and no other gets cards (two-cards-high); until bets close, stays until it is said again",
    "OPEN": '"Place your bets, please": the next round opens, and every earlier one stands',
    "CLOSE": '"No more bets"; in a game with several betting rounds, the current one',
    "DECIDED": "all players have decided (casino-holdem)",
    "REVEAL": "the cards that lie face down are turned up; with `<hand>` (`player`, `seat3`, `dealer`) those of one hand",
    "SETTLED": "all winning bets are paid",
    "HOLD": "the dealer asks for a supervisor",
    "BURN": "this many next cards are burned; refused between two cards of a deal",
    "DEALER": "this dealer deals from now on",
    "NODEALER": "the dealer leaves; nobody deals until another signs on",
    "CLEAR": "a choice that ends the hold; a dealer may make some alone, if the house allows it",
    "VOID": "the round is void",
    "ENTER": "this is the card that was not read; then `CLEAR enter`",
    "RETURN": "this card goes back into the shoe, the last drawn first",
    "COUNT": "this many cards are in the whole set, drawn ones included",
    "LEFT": "this many cards are left in the shoe",
    "EMPTY": "the shoe is empty",
    "CUT": "the cut card came out, if the shoe does not see it",
    "DAY": "the table is opened, for this gaming day",
    "ENDDAY": "the table is closed: no further round opens",
    "KEY": "the supervisor's key is turned",
    "NOKEY": "the supervisor's key is removed",
}

PANEL = """\
The buttons of a panel on pins (`driver = "gpio"`) use the same lines: those without arguments by name under
`buttons`, any other as a whole line under `lines`, and the key as `key_switch`.
"""

MACHINE = """\
## Shuffler

Telemetry is one-way and never says which cards, or in which order: there is no word for it. `<set>` is the mark of the
card set if the house has several; without it a line is about the only set.
"""

MACHINE_MEANINGS = {
    "START": "a shuffle begins",
    "DONE": "it ended well, and this many cards were counted",
    "FAIL": "it failed; the running shoe is not affected, but these cards are not shuffled",
    "LOADED": "this many decks of a set are now in the shoe; they count as shuffled after a `DONE` of the same set",
    "COUNT": "a count of the whole set gave this many cards",
    "COLLECTED": "this many cards went back into a continuous shuffler",
    "VERSION": "software version, for the record; once after power-on",
    "SERIAL": "serial number of the machine, for the record; once after power-on",
    "ERROR": "a malfunction; from a continuous shuffler in a round it holds the table",
}

TALK = """\
## A round on the wire

`>` the device, `<` the table.

```text
> SHOE 416
< OK
> OPEN
< OK
> REVEAL
< NO no such cards lie face down
> CLOSE
< OK
> CLEAR continue
< NO the table does not hold
> VIOD 3
< ? VIOD 3
> KEY 4711
< OK
> VOID supervisor
< OK
> NOKEY
< OK
```

## Trying a device

`dealer-table doctor --config FILE` opens the port and listens; `dealer-table demo` runs a table whose keypad and
shuffler are simulators from `drivers/line_simulator.py`.
"""


def draw() -> str:
    """The page."""
    choices = sorted({choice for kind in KINDS.values() for choice in kind.choices})
    return page(
        "The protocol of keypads and shufflers",
        LINE,
        KEYS,
        keys(),
        f"`<choice>` is one of {listed(choices)}, as the hold offers them ([which hold offers which]"
        f"(phases-and-irregularities.md#what-stops-a-round)). `<reason>` of a void is one of {listed(VOID_REASONS)}.\n",
        PANEL,
        MACHINE,
        lines(SHUFFLER, MACHINE_MEANINGS),
        TALK,
    )


def lines(protocol: Protocol, meanings: Mapping[str, str]) -> str:
    """A table of the lines of a protocol."""
    rows = [(f"`{usage(word, arguments)}`", meanings[word]) for word, arguments in protocol.items()]
    return table(("line", "meaning"), rows)


def keys() -> str:
    """The lines of the keypad, and whose they are."""
    rows = [
        (f"`{usage(word, arguments)}`", pressed_by(word), KEY_MEANINGS[word])
        for word, arguments in KEYPAD.items()
    ]
    return table(("line", "whose", "meaning"), rows)


def pressed_by(word: str) -> str:
    """Whose key it is."""
    if word == "CLEAR":
        return "either"
    if word in SUPERVISOR_KEYS:
        return "supervisor"
    return "dealer" if word in DEALER_KEYS else ""


def listed(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(f"`{name}`" for name in names)
