"""``rpicam-vid`` as the driver meets it: its options, its list of cameras, YUV420 through a pipe. No library.

What stands in ``film`` beside it (raw pictures, one after the other) passes once; then the camera is gone, as
where its cable was pulled. ``asked`` has the words and the process of each call for pictures.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

FOLDER = Path(sys.argv[0]).parent
LIST = """Available cameras
-----------------
0 : imx219 [3280x2464 10-bit RGGB] (/base/soc/i2c0mux/i2c@0/imx219@10)
    Modes: 'SRGGB10_CSI2P' : 640x480 [103.33 fps - (1000, 752)/1280x960 crop]
1 : imx708 [4608x2592 10-bit RGGB] (/base/soc/i2c0mux/i2c@1/imx708@1a)
    Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]

"""


def main() -> int:
    """As the program of the system does."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--list-cameras", action="store_true")
    parser.add_argument("--nopreview", action="store_true")
    parser.add_argument("--flush", action="store_true")
    for name in ("camera", "timeout", "width", "height", "shutter"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("framerate", "gain", "lens-position"):
        parser.add_argument(f"--{name}", type=float)
    for name in ("codec", "output", "autofocus-mode", "awbgains"):
        parser.add_argument(f"--{name}")
    asked = parser.parse_args()
    film = FOLDER / "film"
    if asked.list_cameras:
        print(LIST if film.exists() else "No cameras available!", end="")
        return 0
    if (asked.codec, asked.output, asked.timeout, asked.nopreview) != ("yuv420", "-", 0, True):
        print("ERROR: *** this is no order for raw pictures without an end ***", file=sys.stderr)
        return 255
    with (FOLDER / "asked").open("a") as file:
        file.write(f"{os.getpid()} {' '.join(sys.argv[1:])}\n")
    size = asked.width * asked.height * 3 // 2
    with film.open("rb") as pictures:
        while picture := pictures.read(size):
            sys.stdout.buffer.write(picture)
            sys.stdout.buffer.flush()
            time.sleep(1 / asked.framerate)
    while (FOLDER / "stays").exists():
        time.sleep(0.05)
    film.unlink()
    print("[0:01:02.345678901] [1234] \x1b[1;31mERROR \x1b[1;37mV4L2\x1b[0m no signal", file=sys.stderr)
    print("ERROR: *** Camera frontend has timed out! ***", file=sys.stderr)
    return 255


if __name__ == "__main__":
    sys.exit(main())
