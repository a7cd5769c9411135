# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Peripherals that are declared in profiles, used by bleak through bluetoothd."""

from __future__ import annotations

import asyncio

import pytest
from beaconry import PROFILES, Beaconry
from bleak.exc import BleakError
from vhci import Phone, Witness

# The attribute server of bluetoothd is tested in each version in test_configuration.py.
pytestmark = pytest.mark.depends_on()

LEVEL, MANUFACTURER = "00002a19-0000-1000-8000-00805f9b34fb", "00002a29-0000-1000-8000-00805f9b34fb"
BATTERY, INFORMATION = "0000180f-0000-1000-8000-00805f9b34fb", "0000180a-0000-1000-8000-00805f9b34fb"
HEART_RATE, MEASUREMENT = "0000180d-0000-1000-8000-00805f9b34fb", "00002a37-0000-1000-8000-00805f9b34fb"
LOCATION, CONTROL_POINT = "00002a38-0000-1000-8000-00805f9b34fb", "00002a39-0000-1000-8000-00805f9b34fb"


async def find(phone: Phone, name: str, services: list[str]):
    """The device with this name, found by a scan with the filter of the book's app."""
    return await phone.find(lambda _, seen: seen.local_name == name, service_uuids=services)


def test_battery_notifies_changes_only(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    """The filter of the book's app finds the battery; only changes of the level are notified."""
    text = (PROFILES / "battery.yaml").read_text().replace("level: { waveform", "level: 55 # { waveform")
    run = beaconry.run(beaconry.profile(text))
    run.wait("ready")

    def turn(level: int) -> None:
        result = beaconry.call("ctl", "set", "battery", f"level={level}")
        assert result.returncode == 0, result.stderr

    async def use() -> None:
        device = await find(phone, "BLE112 Battery", [BATTERY, INFORMATION])
        async with phone.connect(device) as client:
            assert bytes(await client.read_gatt_char(MANUFACTURER)) == b"Bluegiga"
            assert bytes(await client.read_gatt_char(LEVEL)) == b"\x37"
            levels: asyncio.Queue[bytes] = asyncio.Queue()
            await client.start_notify(LEVEL, lambda _, value: levels.put_nowait(bytes(value)))
            for level in (42, 42, 41, 42):
                await asyncio.to_thread(turn, level)
            assert [await asyncio.wait_for(levels.get(), 60) for _ in range(3)] == [b"\x2a", b"\x29", b"\x2a"]
            assert levels.empty()

    asyncio.run(use())
    run.wait("disconnected")
    run.wait("advertising-started")
    assert run.end() == 0


def test_heart_rate_is_notified_and_controlled(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    """Measurements are notified, and the control point checks what is written."""
    run = beaconry.run(PROFILES / "heart-rate.yaml")
    run.wait("ready")

    async def use() -> None:
        device = await find(phone, "Heart Strap", [HEART_RATE])
        async with phone.connect(device) as client:
            assert bytes(await client.read_gatt_char(LOCATION)) == b"\x01"
            measurements: asyncio.Queue[bytes] = asyncio.Queue()
            await client.start_notify(MEASUREMENT, lambda _, value: measurements.put_nowait(bytes(value)))
            for _ in range(3):
                value = await asyncio.wait_for(measurements.get(), 60)
                assert len(value) == 4 and value[0] == 0x0E and 62 <= value[1] <= 118
            with pytest.raises(BleakError):
                await client.write_gatt_char(CONTROL_POINT, b"\x02", response=True)
            await client.write_gatt_char(CONTROL_POINT, b"\x01", response=True)

    asyncio.run(use())
    run.wait_until_reported("written", characteristic="2A39", value="01")
    assert run.end() == 0
