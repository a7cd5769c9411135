# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Tests of an app that sees and configures the beacon at a shop's door.

Each test has the beacons of shop.yaml on an air of its own. `seen` stands for the app: it uses Bumble as its host stack.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from beaconry import Air
from bumble.core import UUID, AdvertisingData
from bumble.device import Advertisement, Device, Peer

MAJOR_AND_MINOR = UUID("2173E519-9155-4862-AB64-7953AB146158")
SHOP = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

pytestmark = pytest.mark.beaconry_profile("shop.yaml")


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


def test_app_sees_the_beacon(air: Air, bumble_device: Any) -> None:
    async def scenario() -> None:
        async with bumble_device(air) as device:
            assert (await seen(device))[:2] == (1, 7)

    asyncio.run(scenario())
    assert air.journal.expect("scan-started", scan="active", within="60s")


def test_app_sees_a_change(air: Air, bumble_device: Any) -> None:
    air.client.change_beacon("door", settings={"minor": 8})

    async def scenario() -> None:
        async with bumble_device(air) as device:
            assert (await seen(device))[:2] == (1, 8)

    asyncio.run(scenario())


def test_app_configures_the_beacon(air: Air, bumble_device: Any) -> None:
    async def scenario() -> None:
        async with bumble_device(air) as device:
            _, _, address = await seen(device)
            async with Peer(await device.connect(address)) as peer:
                (characteristic,) = peer.get_characteristics_by_uuid(MAJOR_AND_MINOR)
                # Two little-endian numbers: major 5, minor 9.
                await characteristic.write_value(b"\x05\x00\x09\x00", with_response=True)

    asyncio.run(scenario())
    assert air.journal.expect("written", beacon="door", decoded={"major": 5, "minor": 9}, within="60s")
    assert air.client.show_beacon("door")["settings"]["major"] == 5


@pytest.mark.beaconry_profile("shop.yaml", time="virtual")
def test_visitor_enters_and_leaves(air: Air) -> None:
    """Ten minutes at the shop take a fraction of a second."""
    phone = air.phone("phone", model="iphone", at=(3, 0))
    phone.monitor("shop", uuid=SHOP)
    air.clock.advance("10m")
    assert phone.state("shop") == "inside"
    air.client.change_beacon("door", enabled=False)
    air.clock.advance("1m")
    assert phone.state("shop") == "outside"
