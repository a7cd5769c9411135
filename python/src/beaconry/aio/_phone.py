# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Phones of a run as coroutines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

from .. import _phone
from .._journal import Named, name_of
from .._phone import Octets, Ranged
from .._values import Duration, Position
from ._call import call


class Phone:
    """A phone on the air of a run (see `beaconry.Phone`)."""

    def __init__(self, phone: _phone.Phone) -> None:
        self._phone = phone
        self.name = phone.name

    async def status(self) -> dict[str, Any]:
        """Its settings, its position and its scan."""
        return await call(lambda: self._phone.status)

    async def ranged(self) -> list[Ranged]:
        """The last ranging report, the nearest first; empty before the first one, after a second of the run."""
        return await call(self._phone.ranged)

    async def monitor(
        self, region: str, *, uuid: str | None = None, major: int | None = None, minor: int | None = None,
        namespace: str | None = None, instance: str | None = None, exit_after: Duration | None = None,
        notify_on_display: bool = False,
    ) -> None:  # fmt: skip
        """Monitors a region from now on, instead of one of the same name."""
        await call(
            self._phone.monitor, region, uuid=uuid, major=major, minor=minor, namespace=namespace, instance=instance,
            exit_after=exit_after, notify_on_display=notify_on_display,
        )  # fmt: skip

    async def unmonitor(self, region: str) -> None:
        """Ends the monitoring of a region, without an event."""
        await call(self._phone.unmonitor, region)

    async def regions(self) -> dict[str, str]:
        """The states of its regions by their names."""
        return await call(lambda: self._phone.regions)

    async def state(self, of: str) -> str:
        """The state of a region: `inside`, `outside`, or `unknown`."""
        return await call(self._phone.state, of)

    async def set_listening(self, is_listening: bool) -> None:
        """Has its app scan, or not."""
        await call(self._phone.set_listening, is_listening)

    async def set_bluetooth(self, is_on: bool) -> None:
        """Switches its Bluetooth on or off."""
        await call(self._phone.set_bluetooth, is_on)

    async def set_permission(self, is_granted: bool) -> None:
        """Grants its app the permission to find beacons, or denies it."""
        await call(self._phone.set_permission, is_granted)

    async def set_hardware(
        self, *, rssi_offset: float | None = None, sensitivity: float | None = None, fast: float | None = None,
        antenna: str | None = None, carried: str | None = None, heading: float | None = None,
    ) -> None:  # fmt: skip
        """Changes its hardware, and how a person carries it; what is None stays."""
        await call(
            self._phone.set_hardware, rssi_offset=rssi_offset, sensitivity=sensitivity, fast=fast, antenna=antenna, carried=carried,
            heading=heading,
        )  # fmt: skip

    async def set_screen(self, is_on: bool) -> None:
        """Switches its screen on or off."""
        await call(self._phone.set_screen, is_on)

    async def set_model(self, model: str, handset: str | None = None) -> None:
        """Has it receive like another preset of docs/phones.md, and another handset."""
        await call(self._phone.set_model, model, handset)

    async def move(self, at: Position) -> None:
        """Moves it to a position in metres, and ends its walk."""
        await call(self._phone.move, at)

    async def remove(self) -> None:
        """Removes it from the air."""
        await call(self._phone.remove)

    async def connect(
        self, device: str | Named, *, timeout: Duration = "10s", pair: bool = False, address_type: str | None = None
    ) -> PhoneConnection:
        """Connects to a beacon of the run or to an address, unless it is connected to it."""
        return PhoneConnection(
            await call(self._phone.connect, name_of(device), timeout=timeout, pair=pair, address_type=address_type)
        )

    async def connections(self) -> list[dict[str, Any]]:
        """The devices to which it is connected."""
        return await call(lambda: self._phone.connections)


class PhoneConnection:
    """A connection of a phone (see `beaconry.PhoneConnection`)."""

    def __init__(self, connection: _phone.PhoneConnection) -> None:
        self._connection = connection
        self.address, self.mtu = connection.address, connection.mtu

    async def services(self) -> list[dict[str, Any]]:
        """The services of the device with their characteristics and descriptors."""
        return await call(self._connection.services)

    async def read(self, characteristic: str) -> bytes:
        """The value of a characteristic."""
        return await call(self._connection.read, characteristic)

    async def write(self, characteristic: str, value: Octets, *, response: bool = True) -> None:
        """Writes the value of a characteristic."""
        await call(self._connection.write, characteristic, value, response=response)

    async def subscribe(self, characteristic: str) -> Subscription:
        """Subscribes to the notifications or indications of a characteristic: no value after the return is missed."""
        return Subscription(await call(self._connection.subscribe, characteristic))

    async def disconnect(self) -> None:
        """Ends the connection."""
        await call(self._connection.disconnect)

    async def __aenter__(self) -> PhoneConnection:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await call(self._connection.__exit__, kind, error, trace)


class Subscription(AsyncIterator[bytes]):
    """The values that a device notifies or indicates (see `beaconry.Subscription`)."""

    def __init__(self, subscription: _phone.Subscription) -> None:
        self._subscription = subscription
        self.characteristic = subscription.characteristic

    async def next(self, within: Duration = "10s") -> bytes:
        """The next value, which may have come already; else waits for it."""
        return await call(self._subscription.next, within)

    def arrived(self) -> list[bytes]:
        """The values that have come and were not read yet, without waiting."""
        return self._subscription.arrived()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> bytes:
        value: bytes | None = await call(next, self._subscription, None)
        if value is None:
            raise StopAsyncIteration
        return value

    async def cancel(self) -> None:
        """Unsubscribes from the characteristic."""
        await call(self._subscription.cancel)

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await call(self._subscription.__exit__, kind, error, trace)
