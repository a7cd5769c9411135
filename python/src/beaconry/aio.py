# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The same as `beaconry.Air`, for asyncio: each method that waits is a coroutine, and runs in a thread.

    async with Air() as air:
        door = await air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at=(0, 0))
        phone = await air.receiver("phone", at=(9, 0))
        await air.journal.expect("scan-started", host="phone")
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _air, _values
from ._errors import BeaconryError, ProgramError, RequestError, UnmetExpectation
from ._journal import Event, Named, name_of
from ._journal import Journal as _Journal
from ._values import Duration, IBeacon, Position

__all__ = ["Air", "Beacon", "BeaconryError", "Clock", "Journal", "ProgramError", "Receiver", "RequestError", "UnmetExpectation"]


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
        where: Callable[[Event], object] | None = None, **fields: Any,
    ) -> list[Event]:  # fmt: skip
        """The events so far with this name, of this beacon, with these fields, for which `where` is true."""
        return self._journal.find(event, beacon=beacon, since=since, where=where, **fields)

    async def expect(
        self, event: str, *, beacon: str | Named | None = None, within: Duration = "5s", since: int = 0,
        where: Callable[[Event], object] | None = None, **fields: Any,
    ) -> Event:  # fmt: skip
        """The first such event, which may have happened already (see `beaconry.Journal.expect`)."""
        return await asyncio.to_thread(
            self._journal.expect, event, beacon=beacon, within=within, since=since, where=where, **fields
        )


class Clock:
    """The clock of a run (see `beaconry.Clock`)."""

    def __init__(self, clock: _air.Clock) -> None:
        self._clock = clock

    @property
    def is_virtual(self) -> bool:
        """Whether the clock stands still between calls of `advance`."""
        return self._clock.is_virtual

    async def elapsed(self) -> float:
        """Seconds of the run since its start."""
        return await asyncio.to_thread(lambda: self._clock.elapsed)

    async def advance(self, duration: Duration) -> None:
        """Lets time pass: in virtual time at once, else by waiting."""
        if self._clock.is_virtual:
            await asyncio.to_thread(self._clock.advance, duration)
        else:
            await asyncio.sleep(_values.seconds(duration) / self._clock.rate)


class Beacon:
    """A beacon of an air (see `beaconry.Beacon`)."""

    def __init__(self, beacon: _air.Beacon) -> None:
        self._beacon = beacon
        self.name = beacon.name

    async def status(self) -> dict[str, Any]:
        """Its settings, and what is on the air."""
        return await asyncio.to_thread(lambda: self._beacon.status)

    async def set(self, **values: object) -> None:
        """Changes settings, all or none."""
        await asyncio.to_thread(lambda: self._beacon.set(**values))

    async def enable(self) -> None:
        """Switches it on."""
        await asyncio.to_thread(self._beacon.enable)

    async def disable(self) -> None:
        """Switches it off, as if its battery were removed."""
        await asyncio.to_thread(self._beacon.disable)

    async def mute(self, duration: Duration | None = None) -> None:
        """Nothing that it sends is received, for a duration or until `unmute`."""
        await asyncio.to_thread(self._beacon.mute, duration)

    async def unmute(self) -> None:
        """Ends the muting."""
        await asyncio.to_thread(self._beacon.unmute)

    async def disconnect(self, peer: str | Named | None = None, reason: str | None = None) -> None:
        """Ends its connections, all or that with one peer."""
        await asyncio.to_thread(self._beacon.disconnect, peer, reason)

    async def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        await asyncio.to_thread(self._beacon.move, at)


class Receiver:
    """A server on an air (see `beaconry.Receiver`)."""

    def __init__(self, receiver: _air.Receiver) -> None:
        self._receiver = receiver
        self.name, self.port, self.h4, self.transport = receiver.name, receiver.port, receiver.h4, receiver.transport

    async def hosts(self) -> list[str]:
        """The names of the hosts that are connected."""
        return await asyncio.to_thread(lambda: self._receiver.hosts)

    async def move(self, at: Position) -> None:
        """Moves it to a position in metres."""
        await asyncio.to_thread(self._receiver.move, at)

    async def remove(self) -> None:
        """Removes it, and its hosts from the air."""
        await asyncio.to_thread(self._receiver.remove)


class Air:
    """A virtual air, which starts with `async with` and ends with it (see `beaconry.Air` for the parameters)."""

    def __init__(
        self, profile: _air.ProfileSource | None = None, *, time: _air.Time = "wall", rate: float = 1, seed: int | None = None,
        physics: str | None = None, kernel_adapter: bool = False, program: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._start = lambda: _air.Air(
            profile, time=time, rate=rate, seed=seed, physics=physics, kernel_adapter=kernel_adapter, program=program,
            options=options,
        )  # fmt: skip
        self._running: _air.Air | None = None

    async def __aenter__(self) -> Air:
        self._running = await asyncio.to_thread(self._start)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    @property
    def _air(self) -> _air.Air:
        if self._running is None:
            raise ProgramError("the air has not started; use async with")
        return self._running

    @property
    def journal(self) -> Journal:
        """The events of the run."""
        return Journal(self._air.journal)

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return Clock(self._air.clock)

    @property
    def program(self) -> Path:
        """The path of the program."""
        return self._air.program

    @property
    def seed(self) -> int:
        """The seed of the run, which repeats it."""
        return self._air.seed

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT` of a server without a position, in wall time only."""
        return self._air.h4

    @property
    def adapter(self) -> str:
        """The kernel's name of the controller of `kernel_adapter`, such as `hci1`."""
        return self._air.adapter

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Sends a request of the HTTP API to the run; returns what its answer contains."""
        return await asyncio.to_thread(lambda: self._air.request(method, path, body, **query))

    async def beacon(
        self, name: str, *, ibeacon: IBeacon | None = None, at: Position | None = None, device: str | None = None, **keys: Any,
    ) -> Beacon:  # fmt: skip
        """Adds a beacon, and waits until it is on the air."""
        return Beacon(await asyncio.to_thread(self._air.beacon, name, ibeacon=ibeacon, at=at, device=device, **keys))

    async def remove(self, beacon: Beacon) -> None:
        """Removes a beacon that was added with `beacon`."""
        await asyncio.to_thread(self._air.remove, beacon._beacon)

    async def receiver(self, name: str, *, at: Position | None = None) -> Receiver:
        """Adds a receiver with a free port."""
        return Receiver(await asyncio.to_thread(self._air.receiver, name, at=at))

    async def move(self, thing: str | Named, at: Position) -> None:
        """Moves a beacon, a receiver or a host to a position in metres, and ends its walk."""
        await asyncio.to_thread(self._air.move, name_of(thing), at)

    async def walk(self, thing: str | Named, path: Iterable[Position], over: Duration) -> None:
        """Moves a beacon, a receiver or a host along a path, from now on, at one speed; returns at once."""
        await asyncio.to_thread(self._air.walk, name_of(thing), list(path), over)

    async def link(self, beacon: str | Named, receiver: str | Named, **values: object) -> None:
        """Overrides the path between a beacon and a host that is connected; without values, ends the override."""
        await asyncio.to_thread(lambda: self._air.link(name_of(beacon), name_of(receiver), **values))

    async def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes events, HCI traffic, beacons and messages into a folder, and returns it."""
        return await asyncio.to_thread(self._air.save, folder)

    async def close(self) -> None:
        """Ends the run, and removes its files."""
        if self._running is not None:
            await asyncio.to_thread(self._running.close)
