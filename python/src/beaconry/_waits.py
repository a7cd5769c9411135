# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What this process waits for of a run: requests without an answer, and streams."""

from __future__ import annotations

import contextlib
import contextvars
import enum
import os
import select
import socket
import threading
import weakref
from collections.abc import Iterator
from typing import NamedTuple


class Kind(enum.Enum):
    """What a wait is for."""

    ANSWER = enum.auto()
    """An answer that comes at once, whether or not the clock of the run stands still."""
    CLOCK = enum.auto()
    """An answer that may need time of the run, such as that of a device."""
    STREAM = enum.auto()
    """The next event of a stream, which need not come."""


class Wait(NamedTuple):
    """A wait for the bytes of a socket."""

    what: str
    """The request, such as `PUT /v1/receivers/phone/connections/door`."""
    socket: socket.socket
    calls: tuple[object, ...]
    """The calls of which it is a part."""
    kind: Kind
    is_driven: bool
    """Whether it is part of a call for which time passes."""


calls: contextvars.ContextVar[tuple[object, ...]] = contextvars.ContextVar("beaconry_calls", default=())
"""The calls of which this code is a part, whose waits can be ended."""
driven: contextvars.ContextVar[tuple[Waits, ...]] = contextvars.ContextVar("beaconry_driven", default=())
"""The waits of the runs whose clocks advance while this code waits for them."""


class Waits:
    """The waits of a run at present. All methods may be called from any thread."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        """Notified when a wait begins or ends, and by `touch`."""
        self.version = 0
        """Changes with each notification that is of the clock."""
        self.step = threading.Lock()
        """Held while the clock of the run advances."""
        self._waits: list[Wait] = []
        self._process = os.getpid()
        _all.add(self)

    @contextlib.contextmanager
    def of(self, what: str, connection: socket.socket, kind: Kind) -> Iterator[None]:
        """A wait of this code, after its request was sent."""
        wait = Wait(what, connection, calls.get(), kind, self in driven.get())
        with self.changed:
            self._waits.append(wait)
            self._notify(kind)
        try:
            yield
        finally:
            with self.changed:
                self._waits = [each for each in self._waits if each is not wait]
                self._notify(kind)
            if wait.is_driven and kind is not Kind.ANSWER:
                # The answer comes in the middle of a step. What follows begins at its end, the same each time.
                with self.step:
                    pass

    def touch(self) -> None:
        """Notes that something has happened."""
        with self.changed:
            self._notify(Kind.CLOCK)

    def _notify(self, kind: Kind) -> None:
        # Code that asks the run again and again needs time of the run, too.
        self.version += kind is not Kind.ANSWER
        self.changed.notify_all()

    @property
    def present(self) -> list[Wait]:
        """The waits at present, the oldest first."""
        with self.changed:
            return list(self._waits)

    def abort(self, call: object = None) -> None:
        """Ends the connections of all waits, or of those of a call, whose requests then fail."""
        for wait in self.present:
            # A fork shares the connections of its parent.
            if (call is None or call in wait.calls) and os.getpid() == self._process:
                with contextlib.suppress(OSError):
                    wait.socket.shutdown(socket.SHUT_RDWR)


_all: weakref.WeakSet[Waits] = weakref.WeakSet()


def abort(call: object) -> None:
    """Ends the connections of the waits of a call; its requests then fail."""
    for waits in list(_all):
        waits.abort(call)


def is_readable(connections: list[socket.socket], patience: float) -> bool:
    """Whether a connection has unread bytes, or has ended. Waits at most `patience` seconds."""
    poll = select.poll()
    for each in connections:
        # A closed one has no descriptor: its wait is ending.
        if each.fileno() < 0:
            return True
        poll.register(each, select.POLLIN)
    return bool(poll.poll(patience * 1000))
