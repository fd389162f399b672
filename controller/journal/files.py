"""The files of a journal: what lies beside it, how a file or a folder gets to the disk, and the lock.

One writer: whoever holds the lock file beside the journal owns it. The kernel lets go when the owner dies.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path

from controller.vocabulary.errors import JournalError, why

PARTS = ("", "-wal", "-shm", "-journal")
"""A journal and what SQLite keeps beside it."""
PRIVATE = 0o600
"""The mode of every file that holds a journal, a copy of one, or a part: whatever the umask, its owner alone
reads it, for it holds the nonces of cards that lie face down."""
PRIVATE_FOLDER = 0o700
"""Of a folder made for such files."""


def beside(path: Path, part: str) -> Path:
    """The file of the same name with ``part`` behind it."""
    return path.with_name(path.name + part)


def create_private(path: Path) -> None:
    """An empty file that its owner alone may read, before anything is written to it; what SQLite keeps beside
    it has the same mode. FileExistsError if something is there.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))


def make_private(journal: Path) -> list[str]:
    """Close the files of a journal to everybody but its owner, as an earlier version or a careless copy left
    them; says which stay open, where they are another user's.
    """
    left: list[str] = []
    for path in (beside(journal, part) for part in (*PARTS, ".lock")):
        try:
            if stat.S_IMODE(path.stat().st_mode) & ~PRIVATE:
                path.chmod(PRIVATE)
        except FileNotFoundError:
            continue
        except OSError as error:
            left.append(f"{path} may be read by others, and cannot be closed to them: {why(error)}")
    return left


def owned_as_folder(*paths: Path) -> None:
    """Give what a command of an administrator made to whoever owns the journals."""
    if os.geteuid() == 0:
        for path in paths:
            owner = path.parent.stat()
            os.chown(path, owner.st_uid, owner.st_gid)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. OSError if they do not get there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def writer_of(journal: Path) -> str | None:
    """The process that writes a journal now, as far as we may look; None if nobody does."""
    try:
        handle = os.open(beside(journal, ".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
    finally:
        os.close(handle)
    return None


class WriterLock:
    """An exclusive lock on ``<journal>.lock``; the file itself stays.

    A file of its own, because closing any other handle of the database would drop the locks that SQLite
    holds on it.
    """

    def __init__(self, journal: Path) -> None:
        path = beside(journal, ".lock")
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
            owned_as_folder(path)  # a command of an administrator must not keep the service from its lock
        except OSError as error:
            mend = "this user must be able to write that file and its folder"
            if error.errno == errno.EROFS:
                mend = "mount that disk so that it can be written to"
            raise JournalError(f"cannot lock the journal: {path}: {why(error)}; {mend}") from error
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(self._handle, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._handle)
            raise JournalError(
                f"another program (process {owner}) is writing the journal {journal};"
                " one table has one controller",
                code="journal_locked",
            ) from error
        with contextlib.suppress(OSError):  # a full disk takes no process id; the lock is held all the same
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
