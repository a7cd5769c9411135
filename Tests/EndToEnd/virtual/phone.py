# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone on the virtual air: Bumble's host on a controller that the program serves over TCP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from beaconry import PATIENCE
from bumble.device import Connection, Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport

ADDRESS = "F0:F1:F2:F3:F4:F5"


@asynccontextmanager
async def phone(transport: str, address: str = ADDRESS) -> AsyncIterator[Device]:
    """A host on a controller, initialised and powered on."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("phone", Address(address), source, sink)
        # On a busy machine, an answer waits behind the reports that Bumble has not handled yet.
        device.command_timeout = PATIENCE
        await device.power_on()
        yield device
        await device.power_off()


@dataclass
class Report:
    """An advertising report as the controller sent it."""

    address: str
    pdu: str
    data: bytes
    rssi: int


# Event types of legacy reports, and of extended reports of legacy PDUs (Core 5.4, Vol 4, Part E, 7.7.65.2 and 13).
PDUS = {
    0: "ADV_IND", 1: "ADV_DIRECT_IND", 2: "ADV_SCAN_IND", 3: "ADV_NONCONN_IND", 4: "SCAN_RSP",
    0x13: "ADV_IND", 0x15: "ADV_DIRECT_IND", 0x12: "ADV_SCAN_IND", 0x10: "ADV_NONCONN_IND",
    0x1B: "SCAN_RSP", 0x1A: "SCAN_RSP",
}  # fmt: skip


async def receive_reports(
    device: Device, seconds: float, *, active: bool = True, until: Callable[[list[Report]], object] | None = bool
) -> list[Report]:
    """All reports of a period, before Bumble combines advertisement and scan response. It lasts until they meet a condition, by
    default that there are some, at most five minutes longer."""
    reports: list[Report] = []

    def note(report: Any) -> None:
        address = str(report.address).split("/")[0]
        reports.append(Report(address, PDUS.get(report.event_type, hex(report.event_type)), bytes(report.data), report.rssi))

    device.host.on("advertising_report", note)
    await device.start_scanning(active=active, filter_duplicates=False)
    await asyncio.sleep(seconds)
    async with asyncio.timeout(300):
        while until and not until(reports):
            await asyncio.sleep(0.02)
    await device.stop_scanning()
    device.host.remove_listener("advertising_report", note)
    return reports


@asynccontextmanager
async def connected(device: Device, address: str) -> AsyncIterator[tuple[Connection, Peer]]:
    """A connection to a beacon, with its services discovered."""
    connection = await asyncio.wait_for(device.connect(Address(address)), 300)
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    yield connection, peer
    await connection.disconnect()


async def read(peer: Peer, uuid: str) -> bytes:
    """A characteristic's value."""
    return bytes(await peer.get_characteristics_by_uuid(uuid)[0].read_value())


async def write(peer: Peer, uuid: str, value: bytes) -> None:
    """Writes a characteristic with response."""
    await peer.get_characteristics_by_uuid(uuid)[0].write_value(value, with_response=True)
