"""A player's own limits of a session: what counts as lost, and from when a change counts."""

from __future__ import annotations

import time

from controller.wagering.database import Database
from controller.wagering.sessions import (
    LOOSER_AFTER_S,
    REST_S,
    OwnLimits,
    ShownLimits,
    check_own_limits,
    set_limits,
    shown,
)
from controller.wagering.slips import Refused, Slip
from controller.wagering.standing import standing
from tests.wagering.seats import SITE, TABLE, Seats

NOON = 1_800_000_000


def limits(seats: Seats, minutes: int | None, loss: int | None, now: float | None = None) -> ShownLimits:
    with seats.database.change() as connection:
        return set_limits(connection, "ada", OwnLimits(minutes, loss), now)


def told(seats: Seats, now: float | None = None) -> ShownLimits:
    with seats.database.read() as connection:
        return shown(connection, "ada", now)


def refused(seats: Seats, stake: int, now: float) -> str | None:
    try:
        with seats.database.change() as connection:
            kept = standing(connection, SITE, TABLE, "ada", "c", "").own_limits
            check_own_limits(connection, "ada", kept, [Slip("player", stake)], {}, now)
    except Refused as error:
        return error.code
    return None


def test_what_is_lost_or_staked_reaches_the_limit(database: Database) -> None:
    seats = Seats(database, "baccarat")
    limits(seats, None, 300)
    seats.say("OPEN")
    assert isinstance(seats.bet("ada", ("player", 200)), dict)
    assert seats.bet("ada", ("banker", 101)) == "session_loss"
    assert isinstance(seats.bet("ben", ("banker", 1000)), dict)
    seats.undo("ada")
    assert isinstance(seats.bet("ada", ("player", 300)), dict)
    seats.say("CLOSE; 9S; 2H; TS; 5D; SETTLED")  # player wins
    assert told(seats).lost == -300
    seats.say("OPEN")
    assert seats.bet("ada", ("banker", 601)) == "session_loss"
    assert isinstance(seats.bet("ada", ("banker", 600)), dict)
    seats.say("CLOSE; 9S; 2H; TS; 5D; SETTLED; OPEN")
    assert told(seats).lost == 300
    assert seats.bet("ada", ("player", 1)) == "session_loss"


def test_nobody_is_made_to_fold_by_a_limit(database: Database) -> None:
    """The Play bet is counted when the Ante is placed."""
    seats = Seats(database, "casino-holdem")
    limits(seats, None, 300)
    seats.say("OPEN")
    assert seats.bet("ada", ("hand1.ante", 101)) == "session_loss"
    assert isinstance(seats.bet("ada", ("hand1.ante", 100)), dict)
    assert seats.bet("ada", ("hand1.bonus", 1)) == "session_loss"
    seats.say("CLOSE; AS; AD; 2C; 7D; KS; QD; AH; 9C; 4D")
    assert isinstance(seats.decide("ada", "hand1", "play"), dict)


def test_a_session_is_as_long_as_the_player_wanted(database: Database) -> None:
    seats = Seats(database, "baccarat")
    limits(seats, 60, None, NOON)
    assert refused(seats, 10, NOON + 10) is None
    assert refused(seats, 10, NOON + 1500) is None
    assert refused(seats, 10, NOON + 3000) is None
    assert refused(seats, 10, NOON + 3600) == "session_time"
    assert told(seats, NOON + 3599).played_minutes == 59
    assert refused(seats, 10, NOON + 3000 + REST_S) is None, "who has rested begins anew"
    assert refused(seats, 10, NOON + 3000 + REST_S + 1500) is None


def test_a_bet_that_is_open_when_a_session_ends_counts_as_lost_in_the_next_and_never_as_won(
    database: Database,
) -> None:
    """A table may hold for longer than a session lasts."""
    seats = Seats(database, "baccarat")
    limits(seats, None, 500)
    seats.say("OPEN")
    assert isinstance(seats.bet("ada", ("player", 300)), dict)
    later = time.time() + REST_S + 60
    assert refused(seats, 201, later) == "session_loss"
    assert refused(seats, 200, later) is None
    assert told(seats, later).lost == 300
    seats.say("CLOSE; 9S; 2H; TS; 5D; SETTLED")  # player wins
    assert told(seats, later).lost == 0
    assert refused(seats, 501, later) == "session_loss"


def test_stricter_counts_at_once_looser_a_day_later(database: Database) -> None:
    seats = Seats(database, "baccarat")
    limits(seats, None, 1000, NOON)
    assert limits(seats, 30, 500, NOON).loss == 500
    looser = limits(seats, None, 800, NOON)
    assert (looser.minutes, looser.loss, looser.later, looser.later_s) == (
        30,
        500,
        OwnLimits(None, 800),
        LOOSER_AFTER_S,
    )
    assert refused(seats, 501, NOON + LOOSER_AFTER_S - 1) == "session_loss"
    assert refused(seats, 501, NOON + LOOSER_AFTER_S) is None
    assert told(seats, NOON + LOOSER_AFTER_S + 1).loss == 800
