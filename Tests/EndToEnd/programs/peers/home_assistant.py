# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The Bluetooth part of Home Assistant, without the rest: habluetooth scans, ibeacon_ble decodes. `home_assistant.py
active|passive UUID COUNT` ends when this number of iBeacons with the UUID was received."""

from __future__ import annotations

import asyncio
import sys

from bluetooth_adapters import get_adapters
from habluetooth import BluetoothManager, BluetoothScanningMode, HaScanner, set_manager
from habluetooth.models import BluetoothServiceInfoBleak
from ibeacon_ble import iBeaconParser, is_ibeacon_service_info


class Manager(BluetoothManager):
    """Passes each advertisement on."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.parser = iBeaconParser()
        self.received: dict[tuple[int, int], str] = {}
        self.changed = asyncio.Event()

    def _discover_service_info(self, info: BluetoothServiceInfoBleak) -> None:
        if is_ibeacon_service_info(info) and (beacon := self.parser.parse(info)):
            if str(beacon.uuid) == sys.argv[2].lower():
                self.received[(beacon.major, beacon.minor)] = info.address
                self.changed.set()


async def main() -> None:
    from bleak_retry_connector import BleakSlotManager

    mode = BluetoothScanningMode[sys.argv[1].upper()]
    manager = Manager(get_adapters(), BleakSlotManager())
    set_manager(manager)
    await manager.async_setup()
    adapters = await manager.async_get_bluetooth_adapters()
    scanner = HaScanner(mode, "hci0", adapters["hci0"]["address"])
    scanner.async_setup()
    unregister = manager.async_register_scanner(scanner)
    await scanner.async_start()
    assert scanner.scanning and scanner.current_mode is mode, (scanner.scanning, scanner.current_mode)
    async with asyncio.timeout(60):
        while len(manager.received) < int(sys.argv[3]):
            manager.changed.clear()
            await manager.changed.wait()
    await scanner.async_stop()
    unregister()
    manager.async_stop()
    print("ok", mode.value, sorted(manager.received))


asyncio.run(main())
