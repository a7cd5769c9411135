# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""GATT servers of Bumble's on controllers that others serve: TRANSPORT SERVICE CHARACTERISTIC ADDRESS…"""

import asyncio
import logging
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.transport import open_transport


async def serve(name: str, service: str, characteristic: str, address: str) -> None:
    transport = await open_transport(name)
    device = Device.with_hci("bumble", Address(address), transport.source, transport.sink)
    value = CharacteristicValue(read=lambda _connection: b"\x00\x01\x00\x01")
    device.add_service(
        Service(UUID(service), [Characteristic(
            UUID(characteristic), Characteristic.Properties.READ, Characteristic.READABLE, value)]))
    device.advertising_data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06")]))
    await device.power_on()
    await device.start_advertising(auto_restart=True)


async def main(name: str, service: str, characteristic: str, *addresses: str) -> None:
    for address in addresses:
        await serve(name, service, characteristic, address)
    print("ready", flush=True)
    await asyncio.Future()


logging.disable(logging.CRITICAL)
asyncio.run(main(*sys.argv[1:]))
