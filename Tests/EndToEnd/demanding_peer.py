# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Bumble's device as other stacks behave as peripherals: it requests encryption, and answers nothing until the pairing ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bumble.att import ATT_CID
from bumble.device import Connection, Device
from bumble.gatt import Service
from bumble.hci import Address
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

ADDRESS = "F0:F1:F2:F3:F4:F6"


class Demands:
    """Requests encryption of each central, and holds its attribute requests until the security manager has ended."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._held: dict[int, list[bytes]] = {}
        #: The reasons of failed pairings, and `None` for each link that is encrypted.
        self.ends: list[int | None] = []
        device.l2cap_channel_manager.register_fixed_channel(ATT_CID, self._receive)
        device.on("connection", self._connected)

    def _connected(self, connection: Connection) -> None:
        self._held[connection.handle] = []
        connection.on("pairing_failure", lambda reason: self._release(connection, reason))
        connection.on("connection_encryption_change", lambda: self._release(connection, None))
        connection.request_pairing()

    def _receive(self, handle: int, pdu: bytes) -> Any:
        if handle in self._held:
            self._held[handle].append(pdu)
        else:
            self._device.on_gatt_pdu(handle, pdu)

    def _release(self, connection: Connection, end: int | None) -> None:
        self.ends.append(end)
        for pdu in self._held.pop(connection.handle, []):
            self._device.on_gatt_pdu(connection.handle, pdu)


@asynccontextmanager
async def demanding(
    transport: str, *services: Service, data: bytes = bytes.fromhex("020106"), bonding: bool = True
) -> AsyncIterator[Demands]:
    """Such a device, which advertises."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("demanding", Address(ADDRESS), source, sink)
        device.add_services(list(services))
        device.keystore = MemoryKeyStore()
        device.pairing_config_factory = lambda _: PairingConfig(
            sc=True, mitm=False, bonding=bonding, delegate=PairingDelegate(),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )  # fmt: skip
        demands = Demands(device)
        await device.power_on()
        await device.start_advertising(advertising_data=data, auto_restart=True)
        yield demands
        await device.power_off()
