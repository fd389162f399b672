"""The disk under SQLite, in this process: every write, cut and sync of a database passes here first.

SQLite lets a program put a layer of its own over the operating system (sqlite.org/vfs.html). Ours hands every
call on to the real one, with real files, and asks ``Disk.before`` first and ``Disk.after`` afterwards; so a
test may count, record, refuse, slow, tear or die at any of them. It reaches the very library that Python's
``sqlite3`` uses, by ``ctypes``; no rights are needed.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

OK = 0
FULL = 13
IO_ERROR_WRITE = 10 | 3 << 8
IO_ERROR_SYNC = 10 | 4 << 8
READ_ONLY = 8

Kind = Literal["write", "truncate", "sync", "delete"]


@dataclass(frozen=True)
class Call:
    """What SQLite asks of the disk."""

    kind: Kind
    path: Path
    place: int = 0
    """Where it writes, or the new length."""
    content: bytes = b""


class Disk:
    """A disk without fault. Subclasses have some; what they raise is printed and counts as an I/O error."""

    watches: frozenset[Kind] = frozenset({"write", "truncate", "sync", "delete"})
    """What it wants to see of a file that is opened on it; the rest goes straight to the real one,
    at no cost."""

    def before(self, call: Call) -> int:
        """An error code of SQLite, which is given back instead of the call; 0: go on."""
        return OK

    def after(self, call: Call) -> None:
        """The call has been done."""


_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_Delete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Close = CFUNCTYPE(c_int, c_void_p)
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)


class _Vfs(Structure):
    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("app", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        *((f"other_{number}", c_void_p) for number in range(14)),
    ]


class _Methods(Structure):
    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        *((f"other_{number}", c_void_p) for number in range(13)),
    ]


class _File(Structure):
    _fields_ = [("methods", c_void_p)]


class Layer:
    """The layer itself; it stays for the life of the process, its disk may be changed."""

    _only: Layer | None = None

    def __init__(self) -> None:
        self.disk = Disk()
        self._library = ctypes.CDLL(_sqlite3.__file__)
        find = self._library.sqlite3_vfs_find
        find.restype = POINTER(_Vfs)
        original = find(None)
        self._vfs = _Vfs()
        ctypes.memmove(byref(self._vfs), original, ctypes.sizeof(_Vfs))
        self._vfs.name = b"faulty"
        self._open, self._delete = _Open(self._vfs.open), _Delete(self._vfs.delete)
        self._paths: dict[int, Path] = {}
        self._originals: dict[int, Any] = {}
        self._patched: dict[tuple[int, frozenset[Kind]], _Methods] = {}
        self._calls = (_Open(self._opened), _Delete(self._deleted), _Close(self._closed))
        self._calls += (_Write(self._written), _Truncate(self._truncated), _Sync(self._synced))  # type: ignore[assignment]
        self._vfs.open, self._vfs.delete = (_address(call) for call in self._calls[:2])
        if self._library.sqlite3_vfs_register(byref(self._vfs), 1) != OK:
            raise RuntimeError("SQLite does not take our layer")

    @classmethod
    def install(cls) -> Layer:
        """Put it over the real one, once; later connections go through it."""
        if cls._only is None:
            cls._only = cls()
        return cls._only

    def _opened(self, vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        told: int = self._open(vfs, name, file, flags, out)
        methods = _File.from_address(file).methods
        if told == OK and methods:
            key = methods, self.disk.watches
            if key not in self._patched:
                self._patched[key] = self._patch(methods)
            path = ctypes.string_at(name).decode() if name else "temporary"
            self._paths[file] = Path(path)
            _File.from_address(file).methods = ctypes.addressof(self._patched[key])
        return told

    def _patch(self, address: int) -> _Methods:
        methods = _Methods()
        version = c_int.from_address(address).value
        pointers = {1: 12, 2: 16, 3: 18}[min(version, 3)]
        size = _Methods.close.offset + pointers * ctypes.sizeof(c_void_p)
        ctypes.memmove(byref(methods), address, size)
        real = (
            _Close(methods.close),
            _Write(methods.write),
            _Truncate(methods.truncate),
            _Sync(methods.sync),
        )
        self._originals[ctypes.addressof(methods)] = real
        methods.close = _address(self._calls[2])
        for kind, call in zip(("write", "truncate", "sync"), self._calls[3:], strict=True):
            if kind in self.disk.watches:
                setattr(methods, kind, _address(call))
        return methods

    def _real(self, file: int) -> Any:
        return self._originals[_File.from_address(file).methods]

    def _closed(self, file: int) -> int:
        close = self._real(file)[0]
        self._paths.pop(file, None)
        told: int = close(file)
        return told

    def _written(self, file: int, content: int, size: int, place: int) -> int:
        call = Call("write", self._paths[file], place, ctypes.string_at(content, size))
        return self._pass(call, lambda: self._real(file)[1](file, content, size, place))

    def _truncated(self, file: int, size: int) -> int:
        call = Call("truncate", self._paths[file], size)
        return self._pass(call, lambda: self._real(file)[2](file, size))

    def _synced(self, file: int, flags: int) -> int:
        return self._pass(Call("sync", self._paths[file]), lambda: self._real(file)[3](file, flags))

    def _deleted(self, vfs: int, name: bytes, sync: int) -> int:
        return self._pass(Call("delete", Path(name.decode())), lambda: self._delete(vfs, name, sync))

    def _pass(self, call: Call, real: Any) -> int:
        try:
            told: int = self.disk.before(call) or real()
            if told == OK:
                self.disk.after(call)
        except Exception:  # SQLite knows no exceptions
            traceback.print_exc()
            return IO_ERROR_WRITE
        return told


def _address(call: Any) -> int | None:
    return ctypes.cast(call, c_void_p).value


@contextmanager
def sqlite_on(disk: Disk) -> Iterator[None]:
    """What SQLite opens in here lies on this disk; files that are open stay on it until the end."""
    layer = Layer.install()
    layer.disk = disk
    try:
        yield
    finally:
        layer.disk = Disk()
