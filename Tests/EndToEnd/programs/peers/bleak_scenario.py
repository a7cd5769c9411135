# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What a program does with bleak, in every version from 0.22 on: scan, connect, read, write, be refused, be notified, know
the longest write, lose the link, and connect again by address. Prints `ok` and the version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

POT = "C0:FF:EE:00:00:03"
ENVIRONMENT = "0000181a-0000-1000-8000-00805f9b34fb"
MOISTURE, DESCRIPTION = "00002a6f-0000-1000-8000-00805f9b34fb", "00002901-0000-1000-8000-00805f9b34fb"
LABEL, PUMP, VALVE, LIGHT, SECRET, BROKEN = (f"5a1e000{number}-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in range(3, 9))


async def refused(attempt, code: int | None = None) -> None:
    """Expects an attempt to be refused, with this ATT error: since bleak 3 its number, before a text."""
    try:
        await attempt
    except BleakError as error:
        assert code is None or f"{code:#x}" in str(error) or error.args[0] == code, error.args
    else:
        raise AssertionError("not refused")


async def scan():
    """Scans until the device is found by its service; all that is advertised is reported."""
    found: dict = {}
    while POT not in found:
        found = await BleakScanner.discover(2, return_adv=True, service_uuids=[ENVIRONMENT])
    device, seen = found[POT]
    assert seen.local_name == "Plant" and ENVIRONMENT in seen.service_uuids
    assert seen.service_data == {ENVIRONMENT: b"\x0a\x0b"} and seen.rssi == -59, seen
    assert await BleakScanner.find_device_by_name("IoT Beacon", 60)
    return device


async def notified(client: BleakClient, writable: str, notifying: str, response: bool) -> None:
    """Expects each written value to be notified, equal ones too."""
    values: asyncio.Queue[bytes] = asyncio.Queue()
    await client.start_notify(notifying, lambda _, value: values.put_nowait(bytes(value)))
    for value in (b"one", b"two", b"two"):
        await client.write_gatt_char(writable, value, response=response)
        assert await asyncio.wait_for(values.get(), 60) == value
    await client.stop_notify(notifying)


async def use(client: BleakClient) -> None:
    assert bytes(await client.read_gatt_char(MOISTURE)) == b"\x06\x18"
    services = client.services
    description = services.get_characteristic(MOISTURE).get_descriptor(DESCRIPTION)
    assert bytes(await client.read_gatt_descriptor(description.handle)) == b"Soil"
    for value in (b"Mint", b"Sage" * 50):
        await client.write_gatt_char(LABEL, value, response=True)
        assert bytes(await client.read_gatt_char(LABEL)) == value
    await notified(client, PUMP, PUMP, True)
    await notified(client, VALVE, VALVE, True)
    await notified(client, LIGHT, LIGHT, False)
    await refused(client.write_gatt_char(SECRET, b"\2", response=True), 0x13)
    await refused(client.read_gatt_char(BROKEN), 0x80)
    await refused(client.write_gatt_char(BROKEN, b"\2", response=True), 0x81)
    await refused(client.read_gatt_char(PUMP))
    if hasattr(client._backend, "_acquire_mtu"):
        await client._backend._acquire_mtu()
    assert client.mtu_size > 23, client.mtu_size


@asynccontextmanager
async def connected(device: object, **options: object) -> AsyncIterator[BleakClient]:
    """A connection, which ends at the end."""
    client = BleakClient(device, timeout=300, **options)
    await client.connect()
    yield client
    try:
        await client.disconnect()
    except Exception:
        # Version 1 closes its connection to the bus at the signal of the disconnection, and fails if it has not read the
        # reply, which follows, by then.
        if not version("bleak").startswith("1."):
            raise


async def main() -> None:
    lost = asyncio.Event()
    async with connected(await scan(), disconnected_callback=lambda _: lost.set()) as client:
        await use(client)
        await client.write_gatt_char(LABEL, b"Sage", response=True)
    await asyncio.wait_for(lost.wait(), 60)
    for _ in range(2):
        async with connected(POT) as client:
            assert bytes(await client.read_gatt_char(LABEL)) == b"Sage"
    print("ok", version("bleak"))


asyncio.run(main())
