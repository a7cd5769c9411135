# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The SensorTag under bluetoothd, as the tutorial's app uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import Beaconry, Run
from bleak.exc import BleakError
from sensortag import ROOM, SENSORS, check_barometer, full_uuid
from vhci import Phone, Witness

# The attribute server of bluetoothd is tested in each version in test_configuration.py.
pytestmark = pytest.mark.depends_on()

PROFILE = f"profile: tags\nbeacons:\n  - id: tag\n    device: sensortag\n    firmware: 1.4\n{ROOM}"


class Notifications:
    """The notifications of characteristics, in order."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._queues: dict[str, asyncio.Queue[bytes]] = {}

    async def subscribe(self, name: str) -> None:
        """Subscribes to a characteristic."""
        queue = self._queues.setdefault(name, asyncio.Queue())
        await self._client.start_notify(full_uuid(name), lambda _, value: queue.put_nowait(bytes(value)))

    async def wait_for(self, name: str, condition: Callable[[bytes], Any], seconds: float = 60) -> bytes:
        """Waits for a value that meets a condition; earlier values are dropped."""
        async with asyncio.timeout(seconds):
            while not condition(value := await self._queues[name].get()):
                pass
        return value


def test_app_of_the_tutorial_reads_all_sensors(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    run = beaconry.run(beaconry.profile(PROFILE))
    run.wait("ready")
    witness.wait_for(lambda air: air.on_air and air.on_air[0].advertising_data == bytes.fromhex("020105"))
    assert witness.air().on_air[0].scan_response.hex() == "0a0953656e736f72546167" "051250002003" "020a00"
    asyncio.run(app(beaconry, run, phone))
    run.wait("disconnected")
    run.wait("advertising-started")
    assert run.end() == 0


async def app(beaconry: Beaconry, run: Run, phone: Phone) -> None:
    """Scans by name, connects, discovers, and uses each sensor: configuration, calibration, notifications, keys."""
    tag = await phone.find(lambda device, seen: "SensorTag" in (seen.local_name, device.name))
    async with phone.connect(tag) as client:
        notifications = Notifications(client)

        async def read(name: str) -> bytes:
            return bytes(await client.read_gatt_char(full_uuid(name)))

        async def write(name: str, *octets: int) -> None:
            await client.write_gatt_char(full_uuid(name), bytes(octets), response=True)

        data = client.services.get_characteristic(full_uuid("AA01*"))
        assert set(data.properties) == {"read", "notify"}
        (description,) = [each for each in data.descriptors if each.uuid.startswith("00002901")]
        assert bytes(await client.read_gatt_descriptor(description.handle)) == b"IR Temp. Data"
        assert await read("2A26") == b"1.4 (Jul 12 2013)\0"
        with pytest.raises(BleakError, match="(?i)invalid.*length|0x0d"):
            await write("AA02*", 1, 0)

        await write("AA42*", 2)
        assert await read("AA42*") == b"\x02"
        calibration = await read("AA43*")
        await write("AA42*", 1)
        await notifications.subscribe("AA41*")
        await write("AA13*", 10)
        await write("AA33*", 50)
        for name, (configuration, value, _) in SENSORS.items():
            await notifications.subscribe(name)
            await write(configuration, value)
        for name, (_, _, check) in SENSORS.items():
            check(await notifications.wait_for(name, any))
        check_barometer(await notifications.wait_for("AA41*", lambda value: any(value[2:])), calibration)

        await notifications.subscribe("FFE1")
        for keys, octet in (("left", 1), ("left+right", 3), ("none", 0)):
            result = await asyncio.to_thread(beaconry.call, "ctl", "set", "tag", f"keys={keys}")
            assert result.returncode == 0, result.stderr
            await notifications.wait_for("FFE1", lambda value, wanted=bytes([octet]): value == wanted)

        for name, configuration in [(name, each[0]) for name, each in SENSORS.items()] + [("AA41*", "AA42*")]:
            await write(configuration, 0)
            await notifications.wait_for(name, lambda value: not any(value))
            assert not any(await read(name)) and await read(configuration) == b"\0"
        assert await read("AA13*") == b"\x64" and not any(await read("AA43*"))
