# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our host as the phone, on third-party controllers, with a third-party device."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from beaconry import BINARY, ibeacon
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.transport import open_transport
from peers import BumbleControllers

HARNESS = Path(os.environ.get("BEACONRY_CENTRAL_HARNESS") or BINARY.parent / "central-harness")
ADDRESS = "F5:F4:F3:F2:F1:F0"
SERVICE = "50DB505C-8AC4-4738-8448-3B1D9CC09CC5"
SHORT, LONG, WRITTEN = (f"486F64C6-4B5F-4B3B-8AFF-EDE134A8446{number}" for number in (1, 2, 3))
LONG_VALUE = bytes(range(256)) + bytes(100)
FRAME = ibeacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 2)


@asynccontextmanager
async def bumble_device(transport: str) -> AsyncIterator[list[bytes]]:
    """Bumble's GATT server, advertising; yields the values that are written to it."""
    written: list[bytes] = []
    values = {
        SHORT: Characteristic(SHORT, Characteristic.Properties.READ, Characteristic.READABLE, b"short"),
        LONG: Characteristic(LONG, Characteristic.Properties.READ, Characteristic.READABLE, LONG_VALUE),
        WRITTEN: Characteristic(
            WRITTEN, Characteristic.Properties.WRITE, Characteristic.WRITEABLE,
            CharacteristicValue(write=lambda _, value: written.append(bytes(value))),
        ),
    }  # fmt: skip
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("device", Address(ADDRESS), source, sink)
        device.add_service(Service(SERVICE, list(values.values())))
        await device.power_on()
        name = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b"Bumble")]))
        await device.start_advertising(advertising_data=FRAME, scan_response_data=name, auto_restart=True)
        yield written
        await device.power_off()


async def harness(port: int, *task: str) -> list[dict[str, Any]]:
    """Runs a task of our host on Bumble's device; returns its output."""
    process = await asyncio.create_subprocess_exec(
        HARNESS, f"tcp-client:127.0.0.1:{port}", ADDRESS, *task, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), 300)
    lines = [json.loads(line) for line in output.splitlines()]
    assert process.returncode == 0, lines
    return lines


async def walk(device_transport: str, port: int) -> None:
    async with bumble_device(device_transport) as written:
        lines = await harness(port, "write", WRITTEN, LONG_VALUE[:100].hex())
    values = {line["characteristic"]: line.get("value") for line in lines if line["event"] == "characteristic"}
    assert values[SHORT] == b"short".hex()
    assert values[LONG] == LONG_VALUE.hex(), "a long value is read whole"
    assert written == [LONG_VALUE[:100]], "a value longer than a packet is written whole"
    assert {line["data"] for line in lines if line["event"] == "heard"} >= {FRAME.hex()}
    assert [line["event"] for line in lines][-1] == "disconnected"


def test_central_works_on_bumbles_controllers(bumble_controllers: BumbleControllers) -> None:
    asyncio.run(walk(bumble_controllers.transports[0], bumble_controllers.ports[1]))


def test_works_on_rootcanal(rootcanal: int) -> None:
    asyncio.run(walk(f"tcp-client:127.0.0.1:{rootcanal}", rootcanal))
