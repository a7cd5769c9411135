# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Bumble's device with resolvable private addresses, which change when a test says so: the same addresses in every run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bumble.crypto import ah
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address, HCI_LE_Set_Random_Address_Command, OwnAddressType
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.utils import cancel_on_event

IDENTITY = "F0:F1:F2:F3:F4:F7"
SECRET = "5a1e0032-8c1d-4e8b-9c55-0d0e8f6a1b01"
"""A characteristic that is read over an encrypted link only."""
Io = PairingDelegate.IoCapability

_KEY = bytes(range(1, 17))
_DATA = bytes.fromhex("020106") + b"\x05\x09Veil"


def private(number: int) -> str:
    """The private address of this number."""
    part = bytes([number, 0, 0x40])
    return str(Address((ah(_KEY, part) + part), Address.RANDOM_DEVICE_ADDRESS)).partition("/")[0]


PASSKEY = 123456
"""The passkey that the device shows."""


class _User(PairingDelegate):
    """Shows the same passkey in every pairing."""

    async def generate_passkey(self) -> int:
        return PASSKEY

    async def display_number(self, number: int, digits: int) -> None:
        pass


class PrivatePeer:
    """A peripheral, or a central, with one identity."""

    def __init__(self, device: Device) -> None:
        self.device = device
        #: How each pairing ended: None, or the reason why it failed.
        self.pairings: list[int | None] = []
        #: The number of times that a link was encrypted, or encrypted again.
        self.encryptions = 0
        #: Whether the device requests encryption of each central.
        self.is_demanding = False
        self.connection: Connection | None = None
        """The latest connection."""
        self._is_wanted = False
        self._advertising = asyncio.Lock()
        """Held while the advertisement changes."""
        device.on("connection", self._connected)
        self.require(Io.NO_OUTPUT_NO_INPUT)

    def require(self, io: Io, *, mitm: bool = False, bonding: bool = True, secure_connections: bool = True) -> None:
        """Sets input and output, and what the device requires, for pairings and requests from now on."""
        config = PairingConfig(
            sc=secure_connections, mitm=mitm, bonding=bonding, delegate=_User(io),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )  # fmt: skip
        self.device.pairing_config_factory = lambda _: config

    @property
    def address(self) -> str:
        """The address on the air."""
        return str(self.device.random_address).partition("/")[0]

    async def advertise(self, number: int | None = None) -> None:
        """Advertises with the private address of this number; with its identity, if there is none. It advertises again after
        each connection."""
        self._is_wanted = True
        async with self._advertising:
            await self.device.stop_advertising()
            await self.set_address(number)
            await self._start()

    async def silence(self) -> None:
        """Ends the advertisement."""
        self._is_wanted = False
        async with self._advertising:
            await self.device.stop_advertising()

    async def _start(self) -> None:
        await self.device.start_advertising(advertising_data=_DATA, own_address_type=OwnAddressType.RANDOM)

    async def _restart(self) -> None:
        async with self._advertising:
            if self._is_wanted and not self.device.is_advertising:
                await self._start()

    async def set_address(self, number: int | None) -> None:
        """Changes the address of a device that neither advertises nor is connected."""
        address = Address(private(number) if number else IDENTITY, Address.RANDOM_DEVICE_ADDRESS)
        await self.device.send_sync_command(HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address

    def forget(self) -> None:
        """Loses the keys of all bonds."""
        self.device.keystore = MemoryKeyStore()

    def request(self) -> None:
        """Requests encryption of the connected central."""
        assert self.connection
        self.connection.request_pairing()

    def _connected(self, connection: Connection) -> None:
        self.connection = connection
        connection.on("disconnection", lambda _: cancel_on_event(self.device, "flush", self._restart()))
        connection.on("pairing", lambda _: self.pairings.append(None))
        connection.on("pairing_failure", self.pairings.append)
        connection.on("connection_encryption_change", self._encrypted)
        connection.on("connection_encryption_key_refresh", self._encrypted)
        if self.is_demanding:
            connection.request_pairing()

    def _encrypted(self) -> None:
        self.encryptions += 1


def services() -> list[Service]:
    """A service with a value behind encryption."""
    permissions = Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION
    return [Service("5a1e0031-8c1d-4e8b-9c55-0d0e8f6a1b01", [Characteristic(SECRET, Characteristic.Properties.READ, permissions, b"\x2b")])]


@asynccontextmanager
async def private_peer(transport: str) -> AsyncIterator[PrivatePeer]:
    """Such a device, which is silent at first."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("Veil", Address(IDENTITY), source, sink)
        device.irk = _KEY
        device.add_services(services())
        device.keystore = MemoryKeyStore()
        peer = PrivatePeer(device)
        await device.power_on()
        yield peer
        await device.power_off()
