"""What the machine's clock is set by is the time of this host, as NTP has it."""

from __future__ import annotations

import struct

from tests.machine.timeserver import SINCE_1900_S, answer


def test_an_answer_names_the_question_and_the_time() -> None:
    asked = struct.pack(">B39xQ", 0x23, 0x1122334455667788)
    said = answer(asked, 1_700_000_000.5)
    first, stratum, _, _, _, _, _, set_at, origin, received, sent = struct.unpack(">BBbbII4sQQQQ", said)
    assert (first >> 6, first >> 3 & 7, first & 7) == (0, 4, 4)
    assert 1 <= stratum < 16
    assert origin == 0x1122334455667788
    assert set_at == received == sent == (1_700_000_000 + SINCE_1900_S) * 2**32 + 2**31
