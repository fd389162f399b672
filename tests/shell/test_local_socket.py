"""The local socket lets visitors in again once it can."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from controller.shell.observing import local_socket
from controller.shell.observing.local_socket import MOST_VISITORS, LocalSocket
from tests.harness.patience import PATIENCE_S


def greeted(path: Path) -> bytes:
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.settimeout(PATIENCE_S)
        visitor.connect(str(path))
        return visitor.recv(5)


def test_too_many_open_files_keep_nobody_out_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = socket.socket.accept, [OSError(errno.EMFILE, os.strerror(errno.EMFILE))]

    def accept(server: socket.socket) -> Any:
        if refused:
            raise refused.pop()
        return real(server)

    monkeypatch.setattr(local_socket, "AGAIN_S", 0.01)
    monkeypatch.setattr(socket.socket, "accept", accept)
    opened = LocalSocket(tmp_path / "top", lambda visitor: visitor.sendall(b"hello"))
    assert greeted(tmp_path / "top") == b"hello"
    opened.close()


def test_a_visitor_that_cannot_be_served_takes_nobodys_place(tmp_path: Path) -> None:
    left = [ValueError("nobody foresaw that")] * MOST_VISITORS

    def serve(visitor: socket.socket) -> None:
        if left:
            raise left.pop()
        visitor.sendall(b"hello")

    opened = LocalSocket(tmp_path / "top", serve)
    assert [greeted(tmp_path / "top") for _ in range(MOST_VISITORS)] == [b""] * MOST_VISITORS
    assert greeted(tmp_path / "top") == b"hello"
    opened.close()
