# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Bumble's host as a pairing peer, in either role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from beaconry import Event, Run
from bumble.device import Device
from bumble.gatt import Service
from bumble.hci import Address
from bumble.keys import MemoryKeyStore, PairingKeys
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

PHONE = "F0:F1:F2:F3:F4:F5"
Io = PairingDelegate.IoCapability


class User(PairingDelegate):
    """A user of Bumble's device: sees what the device shows, and enters what the test specifies."""

    def __init__(self, io: Io) -> None:
        super().__init__(io)
        self.shown: asyncio.Queue[int] = asyncio.Queue()
        self.entered: asyncio.Queue[int | None] = asyncio.Queue()
        self.is_same: asyncio.Queue[bool] = asyncio.Queue()

    async def display_number(self, number: int, digits: int) -> None:
        self.shown.put_nowait(number)

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.shown.put_nowait(number)
        return await self.is_same.get()

    async def get_number(self) -> int | None:
        return await self.entered.get()


@dataclass
class BumblePeer:
    """Bumble's host with its keys."""

    keys: MemoryKeyStore = field(default_factory=MemoryKeyStore)
    user: User = field(default_factory=lambda: User(Io.NO_OUTPUT_NO_INPUT))
    config: PairingConfig = field(default_factory=PairingConfig)
    #: The pairings that were started.
    sessions: list[int] = field(default_factory=list)

    def set(self, io: Io, *, secure_connections: bool = True, mitm: bool = True) -> None:
        """Sets the input and output, and the requirements."""
        self.user = User(io)
        self.config = PairingConfig(
            sc=secure_connections, mitm=mitm, bonding=True, delegate=self.user,
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )  # fmt: skip

    @asynccontextmanager
    async def on(self, transport: str, *services: Service) -> AsyncIterator[Device]:
        """The host on a controller, powered on."""
        async with await open_transport(transport) as (source, sink):
            device = Device.with_hci("phone", Address(PHONE), source, sink)
            device.add_services(list(services))
            device.keystore = self.keys
            device.pairing_config_factory = lambda _: self.config
            device.on("connection", lambda each: each.on("pairing_start", lambda: self.sessions.append(each.handle)))
            await device.power_on()
            yield device
            await device.power_off()

    async def key(self) -> PairingKeys:
        """The stored keys of the only peer."""
        keys = await self.keys.get_all()
        assert len(keys) == 1, keys
        return keys[0][1]


async def event_of(run: Run, name: str, **fields: Any) -> Event:
    """Waits for an event without blocking the phone."""
    return await asyncio.to_thread(lambda: run.wait(name, 60, **fields))
