# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Airs and BlueZ runs as coroutines."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from .. import _air, _bluez, _run
from .._clock import LIMIT, Call, timeout
from .._errors import ProgramError
from .._journal import Named, name_of
from .._truth import Truth
from .._values import Duration, IBeacon, Position
from .._waits import driven
from ._call import call
from ._client import Client
from ._members import Beacon, Clock, Journal, Receiver
from ._phone import Phone

Value = TypeVar("Value")
Self = TypeVar("Self", bound="Run")


class Run:
    """A run of the program, which starts with `async with` and ends with it, or with `start()` and `close()`."""

    def __init__(self, start: Callable[[], _run.Run]) -> None:
        self._start = start
        self._running: _run.Run | None = None

    async def start(self: Self) -> Self:
        """Starts the run, unless it has started."""
        if self._running is None:
            self._running = await call(self._start)
        return self

    async def __aenter__(self: Self) -> Self:
        return await self.start()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    @property
    def _run(self) -> _run.Run:
        if self._running is None:
            raise ProgramError("the run has not started; use async with, or await start()")
        return self._running

    @property
    def client(self) -> Client:
        """All operations of the run as coroutines."""
        return Client(self._run.client)

    @property
    def journal(self) -> Journal:
        """The events of the run."""
        return Journal(self._run.journal)

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return Clock(self._run.clock)

    @property
    def program(self) -> Path:
        """The path of the program."""
        return self._run.program

    @property
    def seed(self) -> int:
        """The seed of the run, which repeats it."""
        return self._run.seed

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Sends a request of the HTTP API to the run; returns what its answer contains."""
        return await call(self._run.request, method, path, body, **query)

    async def beacon(
        self, name: str, /, *, ibeacon: IBeacon | None = None, at: Position | None = None, device: str | None = None, **keys: Any,
    ) -> Beacon:  # fmt: skip
        """Adds a beacon, and waits until it is on the air."""
        return Beacon(await call(lambda: self._run.beacon(name, ibeacon=ibeacon, at=at, device=device, **keys)))

    async def remove(self, beacon: Beacon) -> None:
        """Removes a beacon that was added with `beacon`."""
        await call(self._run.remove, beacon._beacon)

    async def receiver(
        self, name: str, *, at: Position | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> Receiver:  # fmt: skip
        """Adds a receiver with a free port."""
        return Receiver(await call(
            self._run.receiver, name, at=at, rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast, antenna=antenna,
            carried=carried, heading=heading,
        ))  # fmt: skip

    async def phone(
        self, name: str, *, model: str = "exact", handset: str | None = None, at: Position | None = None,
        rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> Phone:  # fmt: skip
        """Adds a phone, which scans and reports from now on."""
        return Phone(await call(
            self._run.phone, name, model=model, handset=handset, at=at, rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast,
            antenna=antenna, carried=carried, heading=heading,
        ))  # fmt: skip

    async def move(self, thing: str | Named, at: Position) -> None:
        """Moves a beacon, a receiver, a phone or a host to a position in metres, and ends its walk."""
        await call(self._run.move, name_of(thing), at)

    async def walk(self, thing: str | Named, path: Iterable[Position], over: Duration) -> None:
        """Moves a beacon, a receiver, a phone or a host along a path, from now on, at one speed; returns at once."""
        await call(self._run.walk, name_of(thing), list(path), over)

    async def truth(self, receiver: str | Named) -> Truth:
        """Where a phone or a receiver really is: its position, its room, and its distance to each beacon."""
        return await call(self._run.truth, name_of(receiver))

    async def link(self, beacon: str | Named, receiver: str | Named, /, **values: object) -> None:
        """Overrides the path between a beacon and a phone or a host; without values, ends the override."""
        await call(lambda: self._run.link(name_of(beacon), name_of(receiver), **values))

    async def run(
        self, work: Awaitable[Value] | Callable[..., Awaitable[Value]], *arguments: Any, limit: Duration = LIMIT
    ) -> Value:
        """Awaits something, or calls a coroutine function, while time passes (see `beaconry.Air.run`); returns its value.

        In virtual time, the clock advances while it waits for the run. Raises `CallTimeout` if it has not ended within `limit`, in
        real time: it is cancelled then.
        """
        awaitable = work(*arguments) if callable(work) else work
        if not inspect.isawaitable(awaitable):
            raise TypeError(f"run awaits a coroutine, and {work!r} is or returns none; use run of beaconry.Air for a function")
        waits = self._run._connection.waits
        if waits in driven.get():
            return await awaitable
        token = driven.set((*driven.get(), waits))
        try:
            task: asyncio.Future[Value] = asyncio.ensure_future(awaitable)
        finally:
            driven.reset(token)
        state: Call[Value] = Call(lambda: task.result(), waits)
        task.add_done_callback(lambda _: state.end())
        try:
            if not await call(self._run.clock.drive, state, limit):
                frames = task.get_stack(limit=1) if isinstance(task, asyncio.Task) else []
                raise timeout(limit, waits, frames[0] if frames else None)
            return await task
        finally:
            task.cancel()
            state.end()

    async def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes events, HCI traffic, beacons and messages into a folder, and returns it."""
        return await call(self._run.save, folder)

    async def stop(self) -> None:
        """Ends the run; the journal and `save` still work."""
        if self._running is not None:
            await call(self._running.stop)

    async def close(self) -> None:
        """Ends the run, and removes its files."""
        if self._running is not None:
            await call(self._running.close)


class Air(Run):
    """A virtual air (see `beaconry.Air` for the parameters)."""

    def __init__(
        self, profile: _run.ProfileSource | None = None, *, time: _run.Time = "wall", rate: float = 1, seed: int | None = None,
        physics: str | None = None, kernel_adapter: bool = False, emulators: bool = False,
        program: str | os.PathLike[str] | None = None, options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        super().__init__(
            lambda: _air.Air(
                profile, time=time, rate=rate, seed=seed, physics=physics, kernel_adapter=kernel_adapter,
                emulators=emulators, program=program, options=options,
            )
        )  # fmt: skip

    @property
    def _air(self) -> _air.Air:
        assert isinstance(self._run, _air.Air)
        return self._run

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT` of a server without a position, in wall time only."""
        return self._air.h4

    @property
    def adapter(self) -> str:
        """The kernel's name of the controller of `kernel_adapter`, such as `hci1`."""
        return self._air.adapter

    @property
    def netsim(self) -> str:
        """`127.0.0.1:PORT` of the server of `emulators`."""
        return self._air.netsim


class BlueZ(Run):
    """A bus with the service `org.bluez` (see `beaconry.BlueZ` for the parameters)."""

    def __init__(
        self, profile: _run.ProfileSource | None = None, *, adapters: int = 1, rate: float = 1, seed: int | None = None,
        physics: str | None = None, program: str | os.PathLike[str] | None = None, options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        super().__init__(
            lambda: _bluez.BlueZ(
                profile, adapters=adapters, rate=rate, seed=seed, physics=physics, program=program, options=options
            )
        )

    @property
    def _bluez(self) -> _bluez.BlueZ:
        assert isinstance(self._run, _bluez.BlueZ)
        return self._run

    @property
    def address(self) -> str:
        """The address of the bus."""
        return self._bluez.address

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which child processes find the bus."""
        return self._bluez.environment

    @property
    def adapter(self) -> str:
        """The name of the first adapter: `hci0`."""
        return self._bluez.adapter

    @property
    def adapters(self) -> list[str]:
        """The names of its adapters in BlueZ and on the air."""
        return self._bluez.adapters
