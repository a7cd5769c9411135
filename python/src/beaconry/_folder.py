# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The temporary folders of airs."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
import weakref
from pathlib import Path

PREFIX = "beaconry-"
LOCK = "air.lock"
"""The file whose lock a process holds as long as it uses the folder. The kernel releases the lock when the process ends."""


class Folder:
    """A temporary folder. If its process is killed, the next process that makes one removes it."""

    def __init__(self) -> None:
        remove_leftovers()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        # Named when it is locked, so that no other process takes the folder for a leftover.
        unnamed = self.path / f"{LOCK}.new"
        self._lock: int | None = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(self.path / LOCK)

    def remove(self) -> None:
        """Removes the folder. May be called again."""
        self._finalizer()
        self._close()

    def leave(self) -> None:
        """Leaves the folder to another process: the parent of this one."""
        self._finalizer.detach()
        self._close()

    def _close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None


@functools.cache
def remove_leftovers() -> None:
    """Removes the folders of processes that were killed, once in a process."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_leftover(entry.path)


def _remove_leftover(folder: str) -> None:
    if os.lstat(folder).st_uid != os.geteuid():
        return
    lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
