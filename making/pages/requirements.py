"""docs/reference/requirements.md: what a laboratory and a floor ask, and the tests that show it."""

from __future__ import annotations

from making.pages.text import page, table

INTRODUCTION = """\
Adopted from public regulations, several of which were written for slot machines or servers; the source is given in
brackets. A test's name says what it shows; `make test` runs them all. What they do not show follows the table.
"""

NOT_SHOWN = """\
## What they do not show

- **R11:** no device that we know reports an open door, and the program has no input for one.
- **R18:** setting the clock is left to the system. Each record says whether the clock was synchronised.
- **R20:** the shoes' protocols do not report version and serial number; the record has what the system knows about the
  device on the port. A shuffler reports both.
- **R42:** measured with rendered cards, never at a table, and for the camera only: the rate and the bound reached so far
  are in [what the camera's reader reads](camera-reader.md).
"""

MATRIX: dict[str, tuple[str, tuple[str, ...]]] = {
    "R01": (
        "the program authenticates itself at start, on demand and every 24 h against a protected digest list (NJ 13:69O-1.5)",
        (
            "tests/shell/test_identity.py::test_another_software_is_told_at_the_start_and_blocks_the_next_opening",
            "tests/shell/test_identity.py::test_it_is_looked_at_again_every_day",
            "tests/shell/test_identity.py::test_a_laboratory_needs_none_of_our_code",
        ),
    ),
    "R02": (
        "on failure it stops and notifies",
        (
            "tests/shell/test_identity.py::test_another_software_is_told_at_the_start_and_blocks_the_next_opening",
        ),
    ),
    "R04": (
        "version shown and verifiable, also in the messages",
        (
            "tests/cli/test_program.py::test_the_version_is_the_package_s",
            "tests/shell/test_identity.py::test_the_digest_is_over_the_names_and_digests_of_all_files",
            "tests/scenarios/test_catalogue.py::test_conversation",
        ),
    ),
    "R07": (
        "after an outage it recovers the exact state before it",
        ("tests/e2e/test_kills.py::test_rounds_through_kills_arrive_once_in_order_and_right",),
    ),
    "R08": (
        "critical memory: counters, configuration, the last rounds including the unfinished one (Okla. 325:85-15-18)",
        (
            "tests/e2e/test_kills.py::test_rounds_through_kills_arrive_once_in_order_and_right",
            "tests/scenarios/catalogue/devices.txt == a restart in a round: a shoe with numbered reports goes on",
        ),
    ),
    "R09": (
        "state is saved at least at every event",
        (
            "tests/shell/test_commit_then_speak.py::test_the_observer_sees_durable_batches_only",
            "tests/e2e/test_kills.py::test_rounds_through_kills_arrive_once_in_order_and_right",
        ),
    ),
    "R11": (
        "faults, open doors and program errors are detected, shown and alerted; play that they affect stops until cleared (UKGC 4.1)",
        (
            "tests/table/test_faults.py::test_one_failure_and_continue_changes_no_result",
            "tests/shell/test_reports.py::test_a_shoe_that_is_lost_holds_and_the_first_connection_does_not",
            "tests/scenarios/catalogue/devices.txt == lost in a hold: it joins the evidence, one choice answers both",
        ),
    ),
    "R12": (
        "audit trail of errors and significant events",
        (
            "tests/shell/test_devices_lines.py::test_the_record_keeps_the_history_of_shoe_shuffler_and_burns",
            "tests/journal/test_verify.py::test_every_single_bit_of_a_record_is_guarded",
            "tests/journal/test_verify.py::test_a_tail_that_was_cut_cleanly_is_found_by_a_witness_only",
        ),
    ),
    "R14": (
        "inputs at the same moment or in any order never give an invalid result (UKGC 3.2)",
        (
            "tests/table/test_any_order.py",
            "tests/exhaust/test_two_mishaps.py::test_one_mishap_at_any_moment",
            "tests/scenarios/catalogue/devices.txt == simultaneous buttons: everything at once between rounds",
        ),
    ),
    "R15": (
        "entry of a card by hand as a fallback, attributed (UKGC 5.2)",
        (
            "tests/scenarios/catalogue/keys-and-order.txt == a card is entered with the key only",
            "tests/scenarios/catalogue/house.txt == a dealer alone can never void, enter or return a card",
        ),
    ),
    "R16": (
        "traffic encrypted, both ends identified (NJ 13:69Q-1.6)",
        (
            "tests/outbox/test_tls.py::test_whom_the_other_end_cannot_trust_is_not_connected_and_told_why",
            "tests/broker_roles/test_roles.py::test_without_tls_nobody_gets_a_word",
        ),
    ),
    "R17": (
        "only authorised devices and users may talk to it",
        (
            "tests/broker_roles/test_roles.py::test_a_role_writes_its_own_topics_and_no_other",
            "tests/broker_roles/test_roles.py::test_nobody_may_void_enter_or_reveal_over_mqtt",
            "tests/broker_roles/test_roles.py::test_a_stranger_gets_nothing",
        ),
    ),
    "R18": (
        "one clock for all components, and it says whether it is synchronised",
        (
            "tests/shell/test_identity.py::test_each_record_says_whether_the_clock_was_synchronised",
            "tests/journal/test_contract.py::test_time_is_a_label_that_never_goes_back",
        ),
    ),
    "R19": (
        "shuffler telemetry is one-way and never carries the order of cards (WAC 230-16-152)",
        (
            "tests/drivers/test_keypad_and_shuffler.py::test_a_shuffler_tells_what_it_did_and_never_which_cards",
        ),
    ),
    "R20": (
        "history of shoe and shuffler: versions, serials, shuffles, cards per shuffle, recognition errors",
        (
            "tests/drivers/test_keypad_and_shuffler.py::test_a_shuffler_tells_what_it_did_and_never_which_cards",
            "tests/shell/test_devices_lines.py::test_the_record_keeps_the_history_of_shoe_shuffler_and_burns",
        ),
    ),
    "R21": (
        "wrong count from the shuffler: the deck leaves the table (COMAR 36.05.03.27)",
        (
            "tests/scenarios/catalogue/face-down-games.txt == a named set that was miscounted by the shuffler stays off the table",
            "tests/scenarios/catalogue/face-down-games.txt == one deck: the shuffler has counted a card too few",
        ),
    ),
    "R25": (
        "cards not yet revealed are disclosed to nobody in advance (COMAR 36.05.02.17)",
        (
            "tests/round/test_secrecy.py::test_public_output_is_the_same_whatever_lies_face_down",
            "tests/board/test_secrets.py::test_a_face_down_card_is_nowhere_before_the_reveal",
            "tests/shell/test_logs.py::test_no_line_names_a_card_that_lies_face_down",
        ),
    ),
    "R26": (
        "means to put a dealer's error right and to answer a patron's dispute: recall of the last rounds (NJ 13:69E-1.28P)",
        (
            "tests/scenarios/catalogue/house.txt == early pull: return closes the bets, for the card was seen, and it is the first card out",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.3 four cards: both extra ones go back, the last drawn first",
            "tests/cli/test_show.py::test_a_round_on_one_page",
        ),
    ),
    "R29": (
        "every result recorded (58 Pa. 816a.1)",
        ("tests/e2e/test_kills.py::test_rounds_through_kills_arrive_once_in_order_and_right",),
    ),
    "R30": (
        "every void by an agreed procedure and attributed",
        (
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.3 voided by the supervisor's own key",
            "tests/scenarios/catalogue/house.txt == two persons for a void, where the house wants it",
            "tests/examples/test_others.py::test_the_books_of_the_house_survive_kills_and_say_who_ruled",
        ),
    ),
    "R31": (
        "reasons to re-shuffle logged: opening, per round, new deck, cut card, malfunction, supervisor, inspector (La. 42:III-3106)",
        (
            "tests/scenarios/catalogue/face-down-games.txt == one deck is shuffled before every round",
            "tests/scenarios/catalogue/house.txt == cut card in the middle of a round: this round and one more",
            "tests/scenarios/catalogue/face-down-games.txt == one deck: a new pack is as good as a shuffle",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.1 no further round from a shoe with a foreign card; a new one goes on",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.5 called by the supervisor after the settlement",
            "tests/shell/test_devices_lines.py::test_the_record_keeps_the_history_of_shoe_shuffler_and_burns",
        ),
    ),
    "R32": (
        "reasons to burn logged: after the shuffle, exposed or misdealt card, dead game, dealer relief",
        (
            "tests/shell/test_devices_lines.py::test_the_record_keeps_the_history_of_shoe_shuffler_and_burns",
            "tests/scenarios/catalogue/house.txt == burn on request between rounds, with a reason",
            "tests/scenarios/catalogue/house.txt == the first card is turned up after the shuffle, and so many are burned",
        ),
    ),
    "R35": (
        "the void causes of 2 Card Action 5.1.1 to 5.1.5",
        (
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.1 a foreign card as the first card",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.2 shortage found in the round",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.3 three cards without known order: the round is void",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.4 too few cards in the shoe to complete the round",
            "tests/scenarios/catalogue/2-card-action.txt == 5.1.5 no shuffle was confirmed: no round opens",
        ),
    ),
    "R36": (
        "5.2: once the next round has commenced, earlier rounds are immutable",
        (
            "tests/scenarios/catalogue/2-card-action.txt == 5.2 once the next round has commenced the earlier one stands; what is found voids the running one",
        ),
    ),
    "R37": (
        "roles; a dealer alone cannot override a card or void a round",
        (
            "tests/scenarios/catalogue/house.txt == a dealer alone can never void, enter or return a card",
            "tests/broker_roles/test_roles.py::test_nobody_may_void_enter_or_reveal_over_mqtt",
        ),
    ),
    "R39": (
        "an alert stays until acknowledged; who and when is kept",
        (
            "tests/scenarios/catalogue/house.txt == alerts about something past are acknowledged by a supervisor, with the badge",
        ),
    ),
    "R42": (
        "recognition quality is measured: misreads accepted < 1e-5, unread < 1e-3, with 95 % confidence, per reader",
        (
            "tests/camera/test_misreads.py::test_the_bound_of_nothing_in_300_000_is_one_in_a_hundred_thousand",
            "tests/bench/misreads.py",
        ),
    ),
}
"""Requirement -> its words, and what shows it: a file, ``file::test``, or ``file == title of the scenario``."""


def shown(test: str) -> str:
    """A link to the file, with the name of the test or the title of the scenario."""
    file, name = place(test)
    return f"[{name or file}](../../{file})"


def place(test: str) -> tuple[str, str]:
    """File and name; the name is empty if the whole file shows it."""
    file, _, name = test.replace(" == ", "::", 1).partition("::")
    return file, name


def draw() -> str:
    """The page."""
    rows = (
        (number, text, "<br>".join(shown(test) for test in tests)) for number, (text, tests) in MATRIX.items()
    )
    return page(
        "Requirements and the tests that show them",
        INTRODUCTION,
        table(("id", "requirement", "shown by"), rows),
        NOT_SHOWN,
    )
