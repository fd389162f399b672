"""docs/how-to/three-in-the-morning.md: every code that a stopped table can show, and the way out."""

from __future__ import annotations

from controller.vocabulary.conditions import CONDITIONS
from controller.vocabulary.irregularities import KINDS
from making.pages.text import page, table

FIRST = """\
A table that has stopped shows why: the hold on its board and on `display`, an alert under `alerts/`, a line in
`systemctl status dealer-table@7`. Find the code here. Nothing on this page loses a card or a result: whatever the
controller has confirmed is in the journal, and it resumes where it stopped.

Three commands tell you the rest:

```sh
sudo dealer-table top --once --config /etc/dealer-table/7.toml
sudo journalctl -u dealer-table@7 --since -10min
sudo dealer-table verify /var/lib/dealer-table/7.db
```

`top` shows the table and its devices while it runs. If it does not run, `sudo dealer-table doctor --config` with the same
file checks devices, broker, disk and clock.
"""

HOLDS: dict[str, str] = {
    "foreign_card": "Look at the card that was drawn: does it belong to this set? If it is only worn, `CLEAR stand` plays the round"
    " to its end; then change the shoe. If it is from another set, `CLEAR void`.",
    "excess": "Count the copies of the card on the felt and in the discards. If there are more than the decks hold,"
    " `CLEAR void`, take the shoe off and count it. If one card was read twice, `CLEAR continue`.",
    "duplicate_serial": "The same physical card came twice: a card from the discards is in the shoe. `CLEAR void`, and take the"
    " shoe off.",
    "insufficient_cards": "Have the cards in the shoe counted. If none are left, `CLEAR void`. If the count was wrong,"
    " `LEFT <cards>`, then `CLEAR continue`.",
    "shortage": "Look for the missing cards: floor, discard rack, shuffler. `CLEAR stand` plays this round to its end;"
    " the shoe goes off the table.",
    "not_shuffled": "The cards come out in factory order. `CLEAR void`, and shuffle.",
    "fault": "Our mistake, not the dealer's. Press `CLEAR continue` once: the event is tried again. If the hold comes back,"
    " `CLEAR void`, load another shoe, and keep the journal for us.",
    "reread_mismatch": "The card that came out is not the one that went back. Compare the felt with the screen."
    " If the felt is right, `CLEAR continue`; otherwise `CLEAR void`.",
    "card_unread": "Turn the card up as the game allows, `ENTER <card>`, then `CLEAR enter`. If it was the cut card,"
    " `CUT`, then `CLEAR enter`. If it was the burn card that was due, `CLEAR burn`.",
    "wrong_position": "If the card lies where the rules put it, `CLEAR accept`. Otherwise put it back:"
    " `CLEAR return`.",
    "rapid_repeat": "If two cards are on the felt, `CLEAR accept`. If only one, `CLEAR return`, and draw the same card again.",
    "early_card": "A card came before the bets were closed, here or (`round.await_book`) in the settlement system. The house's rule decides: `CLEAR accept`, `CLEAR burn` or"
    " `CLEAR return`, which closes the bets.",
    "extra_card": "One card too many. The house's rule decides: `CLEAR burn`, or `CLEAR return`; what goes back is burned"
    " before the next bets. `CLEAR next_round` is there only where cards leave the shoe face down.",
    "missing_card": "The next step was requested too soon. `CLEAR continue`, and draw the card that the screen names.",
    "result_disagrees": "Add up the hands on the felt. If the table's result is right, `CLEAR accept`. If a card is wrong,"
    " `CLEAR return`.",
    "restart_doubt": "Compare the cards on the felt with the screen, one by one. If they are the same, `CLEAR continue`;"
    " otherwise `CLEAR void`.",
    "device_lost": "Check cable and power of the device that is named; the table finds it again by itself. Then"
    " compare felt and screen: `CLEAR continue`.",
    "shuffle_doubt": "Shuffle the cards again and load them, or another set that was shuffled: the hold ends by"
    " itself. Or count the set: `COUNT`, `CLEAR continue`. Shuffled by hand: `CLEAR accept` and who did it.",
    "book_silent": "The settlement system has not said that it takes no more bets. Is it up, and the network? When it answers"
    " the hold ends by itself. If it is certain that no bet is taken any more, `CLEAR continue`: the deal begins, and a card"
    " that came before holds as early. Otherwise `CLEAR void`.",
    "shuffler_fault": "Fix the shuffler as its manual says. `CLEAR continue` when it answers.",
    "requested": "The dealer pressed HOLD: ask why. Or a second reader, the beam or a camera over the felt contradicts a card, as an alert says: compare felt and screen. Then `CLEAR continue` or `CLEAR void`.",
}
"""Code of a hold -> what the supervisor does."""

ALERTS: dict[str, tuple[str, str]] = {
    "held": ("the next round was requested in a hold", "Clear the hold first."),
    "round_running": ("requested during a round", "Play the round to its end: `SETTLED`, then try again."),
    "agreeing": (
        "the next round was requested while a second reader, the beam or a camera over the felt may still contradict the last one",
        "Wait a second or two, then `OPEN` again.",
    ),
    "table_closed": ("the table is not open", "A supervisor opens it: key, then `DAY`."),
    "no_shoe": ("no shoe is loaded", "Load one: `SHOE <cards>`, or the shuffler reports it."),
    "shoe_finished": ("the last round of this shoe has been played", "Load another one."),
    "wrong_count": (
        "the shoe's number of cards is wrong",
        "Count it: `COUNT <cards>`, or load another one (5.1.2).",
    ),
    "burn_pending": (
        "burn cards are still to be drawn, or cards that went back and were seen",
        "Draw them; then `OPEN`.",
    ),
    "cut_card": ("the cut card came", "Load another shoe."),
    "emptied": ("the shoe is empty", "Load another shoe."),
    "collected_count": ("more cards were collected than were there", "Count the discards."),
    "shuffle_failed": ("the shuffler could not shuffle", "Fix it as its manual says, and shuffle again."),
    "not_continuous": ("cards were collected into a plain shoe", "Is `shoe.kind` right?"),
    "reports_missed": ("a device's own numbers have a gap", "Check its cable; compare felt and screen."),
    "device_fault": (
        "a device sent something that makes no sense",
        "Once: noise. Often: cable, baud rate, parity.",
    ),
    "book_silent": (
        "a round was dealt, or held, before the settlement system had closed its bets",
        "It clears when the settlement system answers, or with the next round. Ask there which bets came late.",
    ),
    "house_edge": (
        "by the cards seen so far a bet favours the players by more than `shoe.least_house_edge` allows",
        "`dealer-table top --config FILE` and the metric `dealertable_house_edge` show which. Watch the bets; shuffle.",
    ),
}
"""Code of an alert that is no condition -> what it means, and what to do."""

CONDITION_WAYS: dict[str, str] = {
    "broker": "Play goes on, nothing is lost. Start the broker, check the network.",
    "publish-denied": "Fix the broker's `/etc/mosquitto/dealer-table.acl`: [a broker with TLS](broker-with-tls.md#the-broker).",
    "listeners": "Start the settlement system.",
    "other-unit": "Switch one of the two off, and restart the other.",
    "may-not-run": "Do what the message says; see [replace a unit](replace-a-unit.md).",
    "newcomer": "Find out who switched it on. This one plays on. Configure the other as another table, or switch it off.",
    "certificate": "Make a new one and restart the table between rounds: [a broker with TLS](broker-with-tls.md#certificates-end).",
    "consumer": "Start it. If it is gone for good, remove it from mqtt.consumers, then `dealer-table consumers --retire`.",
    "journal": "Stop the table, `dealer-table verify`; [put a copy back](backup-and-audit.md#put-a-copy-back) or"
    " [replace the unit](replace-a-unit.md).",
    "journal_damaged": "Let the round end. Stop the table, `dealer-table verify`;"
    " [put a copy back](backup-and-audit.md#put-a-copy-back) or [replace the unit](replace-a-unit.md)."
    " Keep the old file, and replace the disk.",
    "snapshot_damaged": "Play on; it clears after two rounds. Make a backup: the disk may be failing, see `dealer-table doctor`.",
    "stuck": "Free the button; remove what blocks the beam, wipe the sensor.",
    "key-left": "Remove it. If nobody is near it, see what holds it.",
    "outputs": "Do not trust the light; `dealer-table doctor` names the pin.",
    "ack": "Ask whoever runs it; see the message. Beyond the end of the stream means that the journal lost its end:"
    " [put a copy back](backup-and-audit.md#put-a-copy-back) or [replace the unit](replace-a-unit.md).",
    "witness": "Stop. Keep both. Call the auditor. It clears when that consumer acknowledges that message, or a later one, with the hash"
    " that the journal has; if the journal is the wrong one, [replace the unit](replace-a-unit.md).",
    "outbox_full": "Start the consumer; remove a retired one from mqtt.consumers.",
    "outbox_old": "The same; check that the broker runs. Half of `mqtt.max_unacknowledged_s` raises the alert, all of it stops play.",
    "disk_short": "Make room; journals of other tables can be moved, this one cannot.",
    "identity": "Do not play. Install the approved package again. It clears when the table has checked the whole program,"
    " a minute after it starts.",
}
"""Code of a condition -> what to do; what it is stands with the condition."""

REFUSALS: dict[str, tuple[str, str]] = {
    "key_needed": ("only a supervisor may do this", "Turn the key (`KEY <badge>`), and press again."),
    "second_badge": (
        "the house requires two badges for a void",
        "With another badge: `KEY <badge>`, and the same `VOID <reason>`.",
    ),
    "unknown_choice": ("this hold has no such choice", "`CLEAR` with a choice that the screen shows."),
    "not_yet": ("`CLEAR enter` without a card", "`ENTER <card>` first, or `CUT` if it was the cut card."),
    "no_hold": ("`CLEAR` while the table does not hold", "Nothing: go on with the round."),
    "nothing_unread": ("`ENTER` while no card is missing", "Nothing: look at the screen."),
    "unknown_card": ("not a card of this game", "Rank, then suit: `ENTER TH` is the ten of hearts."),
    "last_first": ("another card was drawn after this one", "`RETURN` the last one first."),
    "nothing_to_return": ("no card can go back now", "The message says why. In a hold: `CLEAR return`."),
    "nothing_to_void": (
        "the next round has begun, or none was opened (5.2)",
        "Past rounds stand. Write down what happened.",
    ),
    "unknown_reason": ("not a reason for a void", "One of [these](void-procedure.md#void)."),
    "no_result": ("`SETTLED` before the result", "`REVEAL`, or draw what is missing; then try again."),
    "cards_missing": ("the next step before all cards were dealt", "The table holds: `missing_card`, above."),
    "bets_not_open": ("`CLOSE` while no bets are open", "Nothing; or `OPEN` first."),
    "no_decisions": ("no decisions are open", "Nothing: look at the screen."),
    "unknown_badge": (
        "a badge that is not among `badges.supervisors`",
        "A supervisor of this table turns the key.",
    ),
    "not_signed_on": ("`NODEALER` while nobody deals", "Nothing; `DEALER <badge>` when somebody comes."),
    "no_seats": ("`SEATS` in a game without seats", "Nothing: look at the screen."),
    "seats_late": (
        "`SEATS` after bets closed",
        "The seats of the round stand; say them for the next one after `SETTLED`.",
    ),
    "bad_seats": (
        "`SEATS` with a seat that this table has not, or one twice",
        "Say all that play: `SEATS 1 3 5`.",
    ),
    "seats_not_here": (
        "`SEATS` at the panel of a table whose bets say which seats play",
        "Nothing: the system that takes the bets says them.",
    ),
    "nothing_to_reveal": ("no such cards lie face down", "Nothing: look at the screen."),
    "deal_running": ("`BURN` in the middle of a deal", "Finish the round, or `HOLD`."),
    "empty_count": ("a count without a number", "`COUNT <cards>` of the whole set, or `LEFT <cards>`."),
    "epoch_running": (
        "this journal has already begun",
        "Nothing at the table; somebody tried to replace its unit.",
    ),
}
"""Code of a refusal -> what was pressed, and what to press instead."""

SERVICE = """\
| what you see | what to do |
| --- | --- |
| `status=2` | the configuration is wrong: `dealer-table check-config /etc/dealer-table/7.toml` |
| `Assertion failed` | there is no `/etc/dealer-table/7.toml`: its name must be that of the service |
| `another program (process ...) is writing the journal` | two daemons on one journal, or somebody is commissioning the table: `systemctl status 'dealer-table@*'`, or `ps` with the process number |
| `the journal ... is damaged`, or cannot be read | `sudo dealer-table rescue /var/lib/dealer-table/7.db` sets it aside, whole; then [what to do](backup-and-audit.md#a-journal-that-cannot-be-read) |
| `the version before runs again`, from `apt` | the new version did not come up: [update](update.md) |
| light red, shoe locked for a moment, then as before; `the loop stalls` in the log | the disk took long for a sync; \
nothing is lost. If it happens often, `sudo dealer-table doctor` measures the disk; replace the card |
| `Watchdog timeout` in the log | the daemon stalled for ten seconds and was restarted; check disk and temperature |
| nothing on any screen, light red | check power, then the SD card: the light goes red by itself when nothing drives it |
"""


def draw() -> str:
    """The page."""
    holds = (
        (f"`{kind.code}`", kind.meaning, HOLDS[kind.code])
        for kind in sorted(KINDS.values(), key=lambda kind: kind.rank)
    )
    alerts = ((f"`{code}`", *texts) for code, texts in ALERTS.items())
    conditions = (
        (f"`{kind.code}{'-*' if kind.has_subject else ''}`", kind.meaning, CONDITION_WAYS[kind.code])
        for kind in CONDITIONS.values()
    )
    return page(
        "Three in the morning: the table has stopped",
        FIRST,
        "## The table holds\n\nA supervisor turns the key (`KEY <badge>`) and chooses."
        " [What each choice does](../reference/phases-and-irregularities.md).\n",
        table(("reason", "what it is", "the way out"), holds),
        "## An alert, or no round opens\n\nA code of the table above may also come without a hold. If it is about cards, it has"
        " voided the round or was found between two rounds: load another, shuffled shoe. `device_lost`: check its cable.\n",
        table(("code", "what it is", "the way out"), [*alerts, *conditions]),
        "## A key is refused\n\nThe keypad receives `NO` and the reason; nothing has changed. The alert `refused` clears with the"
        " next key that is accepted.\n",
        table(
            ("code", "what it is", "what to press"),
            ((f"`{code}`", *texts) for code, texts in REFUSALS.items()),
        ),
        "## The service does not run\n",
        SERVICE,
    )
