# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The journal, the clock, beacons and receivers of a run as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .. import _clock, _members, _values
from .._journal import Event, Named
from .._journal import Journal as _Journal
from .._values import Duration, Position
from ._call import call


class Journal:
    """The events of an air (see `beaconry.Journal`)."""

    def __init__(self, journal: _Journal) -> None:
        self._journal = journal

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return self._journal.events

    @property
    def mark(self) -> int:
        """The number of events so far, for `since`."""
        return self._journal.mark

    def lines(self, last: int | None = None) -> list[str]:
        """The events as text, all or the last ones."""
        return self._journal.lines(last)

    def find(
        self, event: str, *, beacon: str | Named | None = None, since: int = 0,
        where: Callable[[Event], object] | None = None, may_appear: bool = False, **fields: Any,
    ) -> list[Event]:  # fmt: skip
        """The events so far with this name, of this beacon, with these fields (see `beaconry.Journal.find`)."""
        return self._journal.find(event, beacon=beacon, since=since, where=where, may_appear=may_appear, **fields)

    async def expect(
        self, event: str, *, beacon: str | Named | None = None, within: Duration = "5s", since: int = 0,
        where: Callable[[Event], object] | None = None, may_appear: bool = False, **fields: Any,
    ) -> Event:  # fmt: skip
        """The first such event, which may have happened already (see `beaconry.Journal.expect`)."""
        return await call(
            self._journal.expect, event, beacon=beacon, within=within, since=since, where=where, may_appear=may_appear, **fields
        )


class Clock:
    """The clock of a run (see `beaconry.Clock`)."""

    def __init__(self, clock: _clock.Clock) -> None:
        self._clock = clock

    @property
    def is_virtual(self) -> bool:
        """Whether the clock stands still between calls of `advance`."""
        return self._clock.is_virtual

    @property
    def rate(self) -> float:
        """Seconds of the run in a second of real time; 1 in virtual time."""
        return self._clock.rate

    async def elapsed(self) -> float:
        """Seconds of the run since its start."""
        return await call(lambda: self._clock.elapsed)

    async def advance(self, duration: Duration) -> None:
        """Lets time pass: in virtual time at once, else by waiting."""
        if self._clock.is_virtual:
            await call(self._clock.advance, duration)
        else:
            await asyncio.sleep(_values.seconds(duration) / self._clock.rate)


class Beacon:
    """A beacon of an air (see `beaconry.Beacon`)."""

    def __init__(self, beacon: _members.Beacon) -> None:
        self._beacon = beacon
        self.name = beacon.name

    async def status(self) -> dict[str, Any]:
        """Its settings, and what is on the air."""
        return await call(lambda: self._beacon.status)

    async def address(self) -> str:
        """The address with which it advertises."""
        return await call(lambda: self._beacon.address)

    async def set(self, /, **values: object) -> None:
        """Changes settings, all or none."""
        await call(lambda: self._beacon.set(**values))

    async def enable(self) -> None:
        """Switches it on."""
        await call(self._beacon.enable)

    async def disable(self) -> None:
        """Switches it off, as if its battery were removed."""
        await call(self._beacon.disable)

    async def mute(self, duration: Duration | None = None) -> None:
        """Nothing that it sends is received, for a duration or until `unmute`."""
        await call(self._beacon.mute, duration)

    async def unmute(self) -> None:
        """Ends the muting."""
        await call(self._beacon.unmute)

    async def disconnect(self, peer: str | Named | None = None, reason: str | None = None) -> None:
        """Ends its connections, all or that with one peer."""
        await call(self._beacon.disconnect, peer, reason)

    async def fail_connections(self, count: int, phase: str | None = None, reason: str | None = None) -> None:
        """Lets the next connections to it fail while it advertises."""
        await call(self._beacon.fail_connections, count, phase, reason)

    async def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        await call(self._beacon.move, at)


class Receiver:
    """A server on an air (see `beaconry.Receiver`)."""

    def __init__(self, receiver: _members.Receiver) -> None:
        self._receiver = receiver
        self.name, self.port = receiver.name, receiver.port

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT`."""
        return self._receiver.h4

    @property
    def transport(self) -> str:
        """Its name for Bumble and for `--radio` of `beaconry`: `tcp-client:127.0.0.1:PORT`."""
        return self._receiver.transport

    async def hosts(self) -> list[str]:
        """The names of the hosts that are connected."""
        return await call(lambda: self._receiver.hosts)

    async def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        await call(self._receiver.move, at)

    async def remove(self) -> None:
        """Removes it, and its hosts from the air."""
        await call(self._receiver.remove)
