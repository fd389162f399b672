"""The page of a camera that is being mounted: what it sees, with what is found drawn in. For ``deck look``.

Loads the libraries for pictures. One thread looks, one for each visitor hands the pictures out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2

from controller.own_names import is_own, own_names
from controller.shell.wiring.decks import camera_at
from controller.vocabulary.errors import InputError, why
from drivers.camera.plain.library import load
from drivers.camera.plain.looking import Looking
from drivers.camera.sources import RecordingOver, Source, StillSpoiled, open_source
from drivers.errors import DeviceFault

A_SECOND = 10
"""Pictures that are shown."""
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What the camera sees</title>
<style>body{margin:0;background:#111;color:#eee;font:1rem/1.5 sans-serif}img{display:block;width:100%;
max-height:85vh;object-fit:contain}p{margin:.5rem 1rem}</style>
<img src="stream" alt="What the camera sees now, with its cards outlined">
<p>Green: a card that is read (without a library: a card that is seen whole). Red: not. Blue: its index.
Hold focus, exposure and white balance before the deck is learnt.</p></html>
"""


class Newest:
    """The newest picture, for everybody who waits for it."""

    def __init__(self) -> None:
        self._guard = threading.Condition()
        self._picture, self._number = b"", 0

    def show(self, picture: bytes) -> None:
        """A new one."""
        with self._guard:
            self._picture, self._number = picture, self._number + 1
            self._guard.notify_all()

    def after(self, number: int) -> tuple[int, bytes]:
        """The first picture after that number, with its own."""
        with self._guard:
            self._guard.wait_for(lambda: self._number > number)
            return self._number, self._picture


def look(source: str, library: Path | None, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Show what a camera sees until Ctrl-C, or until a recording is over. Raises InputError where there is no
    camera (any more), no library or no such address."""
    newest = Newest()
    try:
        looking = Looking(None if library is None else load(library))
        camera = open_source(camera_at(source))
        server = ThreadingHTTPServer((host, port), partial(Visitor, newest, own_names(host)))
    except DeviceFault as problem:
        raise InputError(str(problem)) from problem
    except OSError as problem:
        raise InputError(f"{host}:{port}: no page can be shown there ({why(problem)})") from problem
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell(f"look at http://{host}:{server.server_port}/ (Ctrl-C ends)")
    try:
        show(camera, looking, newest, tell)
    except RecordingOver:
        tell("the recording is over")
    except DeviceFault as problem:
        raise InputError(str(problem)) from problem
    finally:
        server.shutdown()
        server.server_close()


def show(camera: Source, looking: Looking, newest: Newest, tell: Callable[[str], None]) -> None:
    """Picture after picture; what is seen is told where it is news."""
    said: list[str] = []
    due_s = 0.0
    while True:
        try:
            taken = camera.next()
        except StillSpoiled as problem:
            tell(f"{problem}: no picture")
            continue
        if taken is None:
            time.sleep(1 / A_SECOND)
        elif not camera.live or time.monotonic() >= due_s:  # a live one is not to fall behind
            due_s = time.monotonic() + 1 / A_SECOND
            drawn, (_, *seen) = looking.look(taken[1])
            newest.show(cv2.imencode(".jpg", drawn)[1].tobytes())
            if seen != said:
                said = seen
                tell("; ".join(said))
            if not camera.live:
                time.sleep(1 / A_SECOND)


class Visitor(BaseHTTPRequestHandler):
    """The page, the newest picture, and all that follow."""

    def __init__(self, newest: Newest, names: frozenset[str], *arguments: object) -> None:
        self._newest, self._names = newest, names
        super().__init__(*arguments)  # type: ignore[arg-type]  # as the server of the library calls it

    def do_GET(self) -> None:
        """``/``, ``/picture`` (JPEG), ``/stream`` (one after the other)."""
        if not is_own(self.headers.get("Host", ""), self._names):
            self.send_error(421)
        elif self.path == "/":
            self._answer("text/html; charset=utf-8", PAGE.encode())
        elif self.path == "/picture":
            self._answer("image/jpeg", self._newest.after(0)[1])
        elif self.path == "/stream":
            self._stream()
        else:
            self.send_error(404)

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        number = 0
        while True:
            number, picture = self._newest.after(number)
            head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
            try:
                self.wfile.write(head.encode() + picture + b"\r\n")
            except OSError:
                return  # the visitor is gone

    def log_request(self, *_: object) -> None:
        """Nobody reads who looked."""
