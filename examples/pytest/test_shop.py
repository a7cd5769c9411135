# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Tests of an app that sees and configures the beacon at a shop's door."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement, Device, Peer
from bumble.transport import open_transport

from conftest import Air

MAJOR_AND_MINOR = UUID("2173E519-9155-4862-AB64-7953AB146158")


@asynccontextmanager
async def phone(air: Air) -> AsyncIterator[Device]:
    """A phone on the air."""
    async with await open_transport(air.transport) as transport:
        device = Device.with_hci("phone", "F0:F1:F2:F3:F4:F5", transport.source, transport.sink)
        await device.power_on()
        yield device


async def seen(device: Device) -> tuple[int, int, str]:
    """The major, minor and address of the first iBeacon that the phone receives."""
    found: asyncio.Future[tuple[int, int, str]] = asyncio.get_running_loop().create_future()

    def received(advertisement: Advertisement) -> None:
        for company, data in advertisement.data.get_all(AdvertisingData.MANUFACTURER_SPECIFIC_DATA):
            if company == 0x004C and data[:2] == b"\x02\x15" and not found.done():
                numbers = int.from_bytes(data[18:20], "big"), int.from_bytes(data[20:22], "big")
                found.set_result((*numbers, str(advertisement.address)))

    device.on("advertisement", received)
    await device.start_scanning()
    result = await asyncio.wait_for(found, 60)
    await device.stop_scanning()
    return result


def test_app_sees_the_beacon(air: Air) -> None:
    async def scenario() -> None:
        async with phone(air) as device:
            major, minor, _ = await seen(device)
            assert (major, minor) == (1, 7)

    asyncio.run(scenario())
    assert air.wait_for("scan-started")["scan"] == "active"


def test_app_sees_a_change(air: Air) -> None:
    air.control("PATCH", "/v1/beacons/door", {"settings": {"minor": 8}})

    async def scenario() -> None:
        async with phone(air) as device:
            assert (await seen(device))[:2] == (1, 8)

    asyncio.run(scenario())


def test_app_configures_the_beacon(air: Air) -> None:
    async def scenario() -> None:
        async with phone(air) as device:
            _, _, address = await seen(device)
            async with Peer(await device.connect(address)) as peer:
                (characteristic,) = peer.get_characteristics_by_uuid(MAJOR_AND_MINOR)
                # Two little-endian numbers: major 5, minor 9.
                await characteristic.write_value(b"\x05\x00\x09\x00", with_response=True)

    asyncio.run(scenario())
    assert air.wait_for("written")["decoded"] == {"major": "5", "minor": "9"}
    assert air.control("GET", "/v1/beacons/door")["settings"]["major"] == 5
