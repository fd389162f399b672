"""Runs inside the machine: a line of JSON with a command comes in, one with its outcome goes out.

Of Debian's Python only, since the machine has no other before the package is installed.
"""

import fcntl
import json
import subprocess
import time

WAY = "/dev/virtio-ports/technician"
RESEED = 0x5207
"""RNDRESEEDCRNG of linux/random.h."""


def main() -> None:
    """Serve for ever."""
    with open(WAY, "r+b", buffering=0) as way:
        way.write(b'{"hello": true}\n')
        heard = b""
        while True:
            heard += way.read(65536) or b""
            *lines, heard = heard.split(b"\n")
            for line in lines:
                way.write(json.dumps(answer(json.loads(line))).encode() + b"\n")


def awake(at_s: float) -> None:
    """What a machine has to learn that begins with a memory of an earlier time: the time, and chance."""
    time.clock_settime(time.CLOCK_REALTIME, at_s)
    with open("/dev/hwrng", "rb") as chance, open("/dev/urandom", "wb") as source:
        source.write(chance.read(64))
        source.flush()
        fcntl.ioctl(source, RESEED)


def answer(call: dict) -> dict:
    """What became of one command."""
    if "awake_at_s" in call:
        awake(call["awake_at_s"])
        return {"number": call["number"]}
    words = ["bash", "-c", call["command"]]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=call["timeout_s"], check=False
        )
    except subprocess.TimeoutExpired as late:
        return {"number": call["number"], "status": 124, "out": (late.stdout or b"").decode(errors="replace")}
    out = (done.stdout + done.stderr).decode(errors="replace")
    return {"number": call["number"], "status": done.returncode, "out": out}


if __name__ == "__main__":
    main()
