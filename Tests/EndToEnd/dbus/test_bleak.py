# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""bleak, which finds and uses beacons through the service as it does through bluetoothd."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest
from beaconry import Beaconry
from bleak import BleakClient, BleakScanner
from bleak.args.bluez import OrPattern
from bleak.assigned_numbers import AdvertisementDataType
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError
from rig import Bus

ODD = "C0:FF:EE:00:00:01"
PLAIN = "C0:FF:EE:00:00:02"


def uuid(short: str) -> str:
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


def run(body: Awaitable[None]) -> None:
    async def within() -> None:
        await asyncio.wait_for(body, 550)

    asyncio.run(within())


async def find(address: str = ODD) -> BLEDevice:
    device = await BleakScanner.find_device_by_address(address, 300)
    assert device
    return device


def test_scan_finds_beacons_with_their_data(bus: Bus) -> None:
    bus()

    async def body() -> None:
        found: dict[str, AdvertisementData] = {}
        both = asyncio.Event()

        def note(device: BLEDevice, data: AdvertisementData) -> None:
            found[device.address] = data
            if {ODD, PLAIN} <= found.keys() and found[ODD].local_name:
                both.set()

        async with BleakScanner(note):
            await asyncio.wait_for(both.wait(), 300)
        assert found[ODD].local_name == "Odd"
        assert uuid("fff0") in found[ODD].service_uuids
        frame = bytes.fromhex("02152173e51991554862ab647953ab14615700010002")
        assert found[PLAIN].manufacturer_data[0x4C][:-1] == frame
        assert -100 < found[PLAIN].rssi < 0

    run(body())


def test_passive_scan_reports_what_a_pattern_matches(bus: Bus) -> None:
    bus()

    async def body() -> None:
        seen = asyncio.Queue[str]()
        pattern = OrPattern(0, AdvertisementDataType.MANUFACTURER_SPECIFIC_DATA, bytes.fromhex("4c000215"))
        async with BleakScanner(
            lambda device, _: seen.put_nowait(device.address), scanning_mode="passive", bluez={"or_patterns": [pattern]}
        ):
            assert await asyncio.wait_for(seen.get(), 300) == PLAIN
            assert set(seen._queue) <= {PLAIN}

    run(body())


def test_values_are_read_written_and_notified(bus: Bus) -> None:
    bus()

    async def body() -> None:
        ended = asyncio.Event()
        async with BleakClient(await find(), disconnected_callback=lambda _: ended.set(), timeout=300) as client:
            echo = client.services.get_characteristic(uuid("fff1"))
            # The MTU is 517.
            assert echo and echo.max_write_without_response_size == 514
            assert await client.read_gatt_char(uuid("fff5")) == b"first"
            await client.write_gatt_char(uuid("fff5"), b"x" * 400, response=True)
            assert await client.read_gatt_char(uuid("fff5")) == b"x" * 400
            values = asyncio.Queue[bytes]()
            await client.start_notify(uuid("fff1"), lambda _, value: values.put_nowait(bytes(value)))
            for text in (b"one", b"one", b"two"):
                await client.write_gatt_char(uuid("fff1"), text, response=text == b"two")
                assert await asyncio.wait_for(values.get(), 300) == text
            await client.stop_notify(uuid("fff1"))
            counts = asyncio.Queue[bytes]()
            await client.start_notify(uuid("fff6"), lambda _, value: counts.put_nowait(bytes(value)))
            first = int.from_bytes(await asyncio.wait_for(counts.get(), 300), "big")
            assert int.from_bytes(await asyncio.wait_for(counts.get(), 300), "big") > first
        await asyncio.wait_for(ended.wait(), 300)

    run(body())


def test_notifications_as_signals(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with BleakClient(await find(), timeout=300) as client:
            values = asyncio.Queue[bytes]()
            await client.start_notify(
                uuid("fff1"), lambda _, value: values.put_nowait(bytes(value)), bluez={"use_start_notify": True}
            )
            for text in (b"one", b"one"):
                await client.write_gatt_char(uuid("fff1"), text, response=True)
                assert await asyncio.wait_for(values.get(), 300) == text

    run(body())


def test_refusals_have_the_codes_of_the_device(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with BleakClient(await find(), timeout=300) as client:
            with pytest.raises(BleakError, match="0x86|134"):
                await client.read_gatt_char(uuid("fff4"))
            with pytest.raises(BleakError):
                await client.write_gatt_char(uuid("fff5"), b"x", response=True)

    run(body())


def test_device_is_connected_again(bus: Bus) -> None:
    bus()

    async def body() -> None:
        device = await find()
        for _ in range(3):
            async with BleakClient(device, timeout=300) as client:
                assert await client.read_gatt_char(uuid("fff5")) == b"first"

    run(body())


def test_connection_to_a_silent_device_times_out(bus: Bus) -> None:
    bus()

    async def body() -> None:
        device = await find(PLAIN)
        with pytest.raises((BleakError, TimeoutError)):
            await BleakClient(device, timeout=2).connect()
        async with BleakClient(await find(), timeout=300) as client:
            assert await client.read_gatt_char(uuid("fff5")) == b"first"

    run(body())


def test_lost_connection_is_reported(bus: Bus) -> None:
    run_ = bus()

    async def body() -> None:
        ended = asyncio.Event()
        client = BleakClient(await find(), disconnected_callback=lambda _: ended.set(), timeout=300)
        await client.connect()
        # Bleak has a connection to the bus for each client, and does not look at how it ended; asyncio reports that as an error.
        connection = client._backend._bus  # pylint: disable=protected-access
        run_.end()
        await asyncio.wait_for(ended.wait(), 300)
        with pytest.raises(EOFError):
            await connection.wait_for_disconnect()
        assert not client.is_connected

    run(body())




def test_scan_of_a_program_is_an_event_of_its_adapter(bus: Bus, beaconry: Beaconry) -> None:
    started = bus()

    async def body() -> None:
        await find()

    run(body())
    events = ["host-joined,host=hci0,transport=dbus", "scan-started,host=hci0,scan=active", "scan-stopped,host=hci0"]
    waited = beaconry.call("ctl", "wait", *events, "--within", "60s")
    assert waited.returncode == 0, waited.stdout + waited.stderr
    assert started.end() == 0
