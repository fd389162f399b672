"""docs/how-to/three-in-the-morning.md: every code that a stopped table can show, and the way out."""

from __future__ import annotations

from controller.vocabulary.conditions import CONDITIONS
from controller.vocabulary.irregularities import KINDS
from making.pages.text import page, table

FIRST = """\
A table that stands shows why: the hold on its board and on `display`, an alert under `alerts/`, a line in
`systemctl status dealer-table@7`. Find the code here. Nothing on this page loses a card or a result: whatever the
controller has confirmed is in the journal, and it goes on where it stopped.

Three commands tell the rest:

```sh
sudo dealer-table top --once --config /etc/dealer-table/7.toml
sudo journalctl -u dealer-table@7 --since -10min
sudo dealer-table verify /var/lib/dealer-table/7.db
```

`top` shows the table and its devices while it runs. Does it not run, `sudo dealer-table doctor --config` and the same
file asks devices, broker, disk and clock.
"""

HOLDS: dict[str, str] = {
    "foreign_card": "Look at the card that was drawn: is it of this set? A worn card: `CLEAR stand` plays the round to"
    " its end, then change the shoe. A card of another set: `CLEAR void`.",
    "excess": "Count the copies of the card on the felt and in the discards. More than the decks hold: `CLEAR void`,"
    " take the shoe off and count it. Two reads of one card: `CLEAR continue`.",
    "duplicate_serial": "The same physical card came twice: a card from the discards lies in the shoe. `CLEAR void`,"
    " take the shoe off.",
    "insufficient_cards": "Let the cards in the shoe be counted. None left: `CLEAR void`. The count was wrong:"
    " `LEFT <cards>`, then `CLEAR continue`.",
    "shortage": "Look for the missing cards: floor, discard rack, shuffler. `CLEAR stand` plays this round to its end;"
    " the shoe goes off the table.",
    "not_shuffled": "The cards come out in factory order. `CLEAR void`, and shuffle.",
    "fault": "Our mistake, not the dealer's. Press `CLEAR continue` once: the event is tried again. Does it come back,"
    " `CLEAR void`, load another shoe, and keep the journal for us.",
    "reread_mismatch": "The card that came out is not the one that went back. Compare the felt with the screen."
    " `CLEAR continue` where the felt is right, else `CLEAR void`.",
    "card_unread": "Turn the card up as the game allows, `ENTER <card>`, then `CLEAR enter`. Was it the cut "
    "card: `CUT`, then `CLEAR enter`.",
    "wrong_position": "Where does the card lie? Where the rules put it: `CLEAR accept`. Else put it back,"
    " `CLEAR return`.",
    "rapid_repeat": "One card or two on the felt? Two: `CLEAR accept`. One: `CLEAR return`, and the same card is drawn"
    " again.",
    "early_card": "A card came before the bets were closed. The house's rule decides: `CLEAR accept`, `CLEAR burn` or"
    " `CLEAR return`.",
    "extra_card": "A card too many. Before anybody has seen it: `CLEAR return`. Else `CLEAR burn` or"
    " `CLEAR next_round`, as the house has it.",
    "missing_card": "The next step was asked for too soon. `CLEAR continue`, and draw the card that the screen names.",
    "result_disagrees": "Count the hands on the felt. The table's result is right: `CLEAR accept`. A card is wrong:"
    " `CLEAR return`.",
    "restart_doubt": "Compare the cards on the felt with the screen, one by one. The same: `CLEAR continue`. Else"
    " `CLEAR void`.",
    "device_lost": "Look at cable and power of the device that is named; the table finds it again by itself. Then"
    " compare felt and screen: `CLEAR continue`.",
    "shuffler_fault": "Mend the shuffler as its maker says. `CLEAR continue` when it answers.",
    "requested": "The dealer pressed HOLD. Ask why, then `CLEAR continue` or `CLEAR void`.",
}
"""Code of a hold -> what the supervisor does."""

ALERTS: dict[str, tuple[str, str]] = {
    "held": ("the next round was asked for in a hold", "Clear the hold first."),
    "round_running": ("asked for in a round", "Play the round to its end: `SETTLED`, then again."),
    "table_closed": ("the table is not open", "A supervisor opens it: key, then `DAY`."),
    "no_shoe": ("no shoe is loaded", "Load one: `SHOE <cards>`, or the shuffler reports it."),
    "shoe_finished": ("the last round of this shoe is played", "Load another one."),
    "wrong_count": (
        "the shoe's number of cards is wrong",
        "Count it: `COUNT <cards>`, or load another one (5.1.2).",
    ),
    "burn_pending": ("burn cards are still to be drawn", "Draw them; then `OPEN`."),
    "cut_card": ("the cut card came", "Load another shoe."),
    "emptied": ("the shoe is empty", "Load another shoe."),
    "collected_count": ("more cards were collected than lay there", "Count the discards."),
    "shuffle_failed": ("the shuffler could not shuffle", "Mend it as its maker says, and shuffle again."),
    "not_continuous": ("cards were collected into a plain shoe", "Is `shoe.kind` right?"),
    "reports_missed": ("a device's own numbers have a gap", "Look at its cable; compare felt and screen."),
    "device_fault": ("a device said what makes no sense", "Once: noise. Often: cable, baud rate, parity."),
    "house_edge": (
        "by the cards seen so far a bet favours the players by more than `shoe.least_house_edge` allows",
        "`dealer-table top` and the metric `dealertable_house_edge` say which. Watch the bets; shuffle.",
    ),
}
"""Code of an alert that is no condition -> what it means, and what to do."""

CONDITION_WAYS: dict[str, str] = {
    "broker": "Play goes on, nothing is lost. Start the broker, look at the network.",
    "publish-denied": "Mend the broker's `/etc/mosquitto/dealer-table.acl`: [a broker with TLS](broker-with-tls.md#the-broker).",
    "listeners": "Start the settlement system.",
    "other-unit": "Switch one of the two off, start the other anew.",
    "may-not-run": "Do what the message says; see [replace a unit](replace-a-unit.md).",
    "newcomer": "Who has switched it on? This one plays on. Give the other a table of its own, or switch it off.",
    "certificate": "Make a new one and start the table anew between rounds: [a broker with TLS](broker-with-tls.md#certificates-end).",
    "consumer": "Start it. Gone for good: take it out of mqtt.consumers, then `dealer-table consumers --retire`.",
    "journal": "Stop the table, `dealer-table verify`; [put a copy back](backup-and-audit.md#put-a-copy-back) or"
    " [replace the unit](replace-a-unit.md).",
    "journal_damaged": "Let the round end. Stop the table, `dealer-table verify`;"
    " [put a copy back](backup-and-audit.md#put-a-copy-back) or [replace the unit](replace-a-unit.md)."
    " Keep the old file, change the disk.",
    "snapshot_damaged": "Play on, it is over after two rounds. Make a backup: the disk may be dying, `dealer-table doctor`.",
    "stuck": "Free the button; take out what stands in the beam, wipe the sensor.",
    "key-left": "Take it out. Nobody near it? See what holds it.",
    "outputs": "Do not trust the light; `dealer-table doctor` names the pin.",
    "ack": "Ask who runs it; see the message. Beyond the end of the stream: the journal lost its end,"
    " [put a copy back](backup-and-audit.md#put-a-copy-back) or [replace the unit](replace-a-unit.md).",
    "witness": "Stop. Keep both. Call whoever audits. It is over when that consumer acknowledges there, or later, with the hash"
    " that the journal has; where the journal is the wrong one, [replace the unit](replace-a-unit.md).",
    "outbox_full": "Start the consumer; a retired one is taken out of mqtt.consumers.",
    "outbox_old": "The same; see that the broker runs. Half of `mqtt.max_unacknowledged_s` is said, the whole stops.",
    "disk_short": "Make room; journals of other tables can be moved, this one not.",
    "identity": "Do not play. Install the approved package again. It is over when the table has looked at the whole program,"
    " a minute after its start.",
}
"""Code of a condition -> what to do; what it is stands with the condition."""

REFUSALS: dict[str, tuple[str, str]] = {
    "key_needed": ("only a supervisor may", "Turn the key (`KEY <badge>`), and press again."),
    "second_badge": (
        "the house wants two for a void",
        "Another badge: `KEY <badge>`, the same `VOID <reason>`.",
    ),
    "unknown_choice": ("this hold has no such choice", "`CLEAR` and a choice that the screen shows."),
    "not_yet": ("`CLEAR enter` without a card", "`ENTER <card>` first, or `CUT` where it was the cut card."),
    "no_hold": ("`CLEAR`, and the table does not hold", "Nothing: go on with the round."),
    "nothing_unread": ("`ENTER`, and no card is missing", "Nothing: look at the screen."),
    "unknown_card": ("no card of this game", "Rank, then suit: `ENTER TH` is the ten of hearts."),
    "last_first": ("another card was drawn after this one", "`RETURN` the last one first."),
    "nothing_to_return": ("no card can go back now", "The message says why. In a hold: `CLEAR return`."),
    "nothing_to_void": (
        "the next round has begun, or none was opened (5.2)",
        "What is past stands. Write it down.",
    ),
    "unknown_reason": ("a void has another reason", "One of [these](void-procedure.md#void)."),
    "no_result": ("`SETTLED` before the result", "`REVEAL`, or draw what is missing; then again."),
    "cards_missing": ("the next step before all cards lay", "The table holds: `missing_card`, above."),
    "bets_not_open": ("`CLOSE`, and no bets are open", "Nothing; or `OPEN` first."),
    "no_decisions": ("no decisions are open", "Nothing: look at the screen."),
    "nothing_to_reveal": ("no cards lie face down", "Nothing: look at the screen."),
    "deal_running": ("`BURN` in the middle of a deal", "Finish the round, or `HOLD`."),
    "empty_count": ("a count without a number", "`COUNT <cards>` of the whole set, or `LEFT <cards>`."),
    "epoch_running": (
        "this journal has begun already",
        "Nothing at the table; somebody tried to replace its unit.",
    ),
}
"""Code of what is refused -> what was pressed, and what to press instead."""

SERVICE = """\
| what is seen | what to do |
| --- | --- |
| `status=2` | the configuration is wrong: `dealer-table check-config /etc/dealer-table/7.toml` |
| `Assertion failed` | there is no `/etc/dealer-table/7.toml`: is it called as the service is? |
| `another program (process ...) is writing the journal` | two daemons on one journal, or somebody commissions the table: `systemctl status 'dealer-table@*'`, `ps` and the number |
| `the journal ... is damaged`, or cannot be read | `sudo dealer-table rescue /var/lib/dealer-table/7.db` sets it aside, whole; then [what to do](backup-and-audit.md#a-journal-that-cannot-be-read) |
| `the version before runs again`, from `apt` | the new version did not come up: [update](update.md) |
| light red, shoe locked for a moment, then as before; `the loop stands` in the log | the disk took long for a sync; \
nothing is lost. Often: `sudo dealer-table doctor` measures the disk; change the card |
| `Watchdog timeout` in the log | the daemon stood for ten seconds and was started again; look at disk and temperature |
| nothing on any screen, light red | power, then the SD card: the light goes red by itself when nobody drives it |
"""


def draw() -> str:
    """The page."""
    holds = (
        (f"`{kind.code}`", kind.meaning, HOLDS[kind.code])
        for kind in sorted(KINDS.values(), key=lambda kind: kind.rank)
    )
    alerts = ((f"`{code}`", *words) for code, words in ALERTS.items())
    conditions = (
        (f"`{kind.code}{'-*' if kind.has_subject else ''}`", kind.meaning, CONDITION_WAYS[kind.code])
        for kind in CONDITIONS.values()
    )
    return page(
        "Three in the morning: the table stands",
        FIRST,
        "## The table holds\n\nA supervisor turns the key (`KEY <badge>`) and chooses."
        " [What each choice does](../reference/phases-and-irregularities.md).\n",
        table(("reason", "what it is", "the way out"), holds),
        "## An alert, or no round opens\n\nA code of the table above may come without a hold: about cards, it has voided"
        " the round or was found between two: load another shoe, shuffled. `device_lost`: look at its cable.\n",
        table(("code", "what it is", "the way out"), [*alerts, *conditions]),
        "## A key is refused\n\nThe keypad hears `NO` and why; nothing has changed. The alert `refused` goes away with the"
        " next key that is taken.\n",
        table(
            ("code", "what it is", "what to press"),
            ((f"`{code}`", *words) for code, words in REFUSALS.items()),
        ),
        "## The service does not run\n",
        SERVICE,
    )
