# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A peripheral (Bumble's) with behaviour that bluetoothd's peripherals do not have: `faulty_peripheral.py TRANSPORT`.

Reading REFUSING gives the ATT error that was written to it last; reading LEAVING ends the connection instead of
answering. The program prints `ready` as a JSON object, and advertises again after a central has disconnected.
"""

from __future__ import annotations

import asyncio
import json
import sys

from bumble.att import ATT_Error, ErrorCode
from bumble.core import AdvertisingData
from bumble.device import Connection, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.transport import open_transport

ADDRESS = "F5:F4:F3:F2:F1:F0"
SERVICE = "50DB505C-8AC4-4738-8448-3B1D9CC09CC5"
REFUSING, LEAVING = (f"486F64C6-4B5F-4B3B-8AFF-EDE134A8447{number}" for number in (1, 2))


class Faults:
    """The behaviour of the characteristics."""

    def __init__(self) -> None:
        self.code = 0x0E

    def write(self, _: Connection | None, value: bytes) -> None:
        self.code = value[0]

    def refuse(self, _: Connection | None) -> bytes:
        raise ATT_Error(ErrorCode(self.code))

    async def leave(self, connection: Connection | None) -> bytes:
        assert connection
        await connection.disconnect()
        await asyncio.sleep(60)
        return b""


async def main(transport: str) -> None:
    faults = Faults()
    refusing = Characteristic(
        REFUSING, Characteristic.Properties.READ | Characteristic.Properties.WRITE,
        Characteristic.READABLE | Characteristic.WRITEABLE, CharacteristicValue(read=faults.refuse, write=faults.write),
    )  # fmt: skip
    leaving = Characteristic(
        LEAVING, Characteristic.Properties.READ, Characteristic.READABLE, CharacteristicValue(read=faults.leave)
    )
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("faulty", Address(ADDRESS), source, sink)
        device.add_service(Service(SERVICE, [refusing, leaving]))
        await device.power_on()
        name = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b"Faulty")]))
        await device.start_advertising(advertising_data=b"\x02\x01\x06" + name, auto_restart=True)
        print(json.dumps({"event": "ready"}), flush=True)
        await source.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
