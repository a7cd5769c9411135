# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A peripheral on one of BlueZ's adapters, made with the third-party library bluez_peripheral, as a program.

`peripheral.py hciN` prints one JSON object a line (`ready`, `written`), accepts one command a line, and prints `done`
when the command is finished: `battery PERCENT`, `subscribed` (done when a central has subscribed to the battery level:
bluetoothd first answers the central, then enables notifications), `indicate HEX`, `refuse NAME [MESSAGE]` (the error of
bluetoothd that the next reads and writes of REFUSING get).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.descriptor import DescriptorFlags
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus
from dbus_next import DBusError

CONFIG_SERVICE = "2173e519-9155-4862-ab64-7953ab146156"
BEACON_UUID = "2173e519-9155-4862-ab64-7953ab146157"
MAJOR_MINOR = "2173e519-9155-4862-ab64-7953ab146158"
TRANSMIT_SETTINGS = "2173e519-9155-4862-ab64-7953ab146159"
LENGTHS = {BEACON_UUID: 16, MAJOR_MINOR: 4, TRANSMIT_SETTINGS: 4}
DESCRIPTION = "2901"
DESCRIBED = b"major, then minor"
BATTERY_SERVICE, BATTERY_LEVEL = "180F", "2A19"
TEST_SERVICE = "50db505c-8ac4-4738-8448-3b1d9cc09cc5"
LONG, REFUSING, SLOW, COMMANDED, INDICATED = (f"486f64c6-4b5f-4b3b-8aff-ede134a8446{number}" for number in range(1, 6))
LONG_VALUE = bytes(range(256)) + bytes(100)
NAME, COMPANY, MANUFACTURER_DATA = "Rig", 0xFFFF, bytes.fromhex("0a0b0c0d")
SLOW_SECONDS = 4

F = CharacteristicFlags


def report(event: str, **fields: str) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


class Values:
    """Values that centrals read and write, whole or in parts."""

    def __init__(self) -> None:
        self.values = {
            BEACON_UUID: bytes.fromhex(CONFIG_SERVICE.replace("-", "")),
            MAJOR_MINOR: bytes.fromhex("01000100"),
            TRANSMIT_SETTINGS: bytes.fromhex("0200a000"),
            LONG: LONG_VALUE,
        }

    def read(self, uuid: str, options) -> bytes:
        return self.values[uuid][options.offset :]

    def write(self, uuid: str, value: bytes, options) -> None:
        if options.prepare_authorize:
            return
        whole = self.values.get(uuid, b"")[: options.offset] + bytes(value)
        if len(whole) != LENGTHS.get(uuid, len(whole)):
            raise DBusError("org.bluez.Error.InvalidValueLength", "the offset is past the end")
        self.values[uuid] = whole
        report("written", characteristic=uuid, value=bytes(value).hex())


VALUES = Values()


class Configuration(Service):
    """The service of the IoT Design Shop beacon."""

    def __init__(self) -> None:
        super().__init__(CONFIG_SERVICE, True)

    @characteristic(BEACON_UUID, F.READ | F.WRITE)
    def beacon_uuid(self, options):
        return VALUES.read(BEACON_UUID, options)

    @beacon_uuid.setter
    def beacon_uuid(self, value, options):
        VALUES.write(BEACON_UUID, value, options)

    @characteristic(MAJOR_MINOR, F.READ | F.WRITE)
    def major_minor(self, options):
        return VALUES.read(MAJOR_MINOR, options)

    @major_minor.setter
    def major_minor(self, value, options):
        VALUES.write(MAJOR_MINOR, value, options)

    @major_minor.descriptor(DESCRIPTION, DescriptorFlags.READ)
    def description(self, options):
        return DESCRIBED

    @characteristic(TRANSMIT_SETTINGS, F.READ | F.WRITE)
    def transmit_settings(self, options):
        return VALUES.read(TRANSMIT_SETTINGS, options)

    @transmit_settings.setter
    def transmit_settings(self, value, options):
        VALUES.write(TRANSMIT_SETTINGS, value, options)


class Battery(Service):
    """The battery service of the Bluetooth SIG."""

    def __init__(self) -> None:
        self.percent = 100
        super().__init__(BATTERY_SERVICE, True)

    @characteristic(BATTERY_LEVEL, F.READ | F.NOTIFY)
    def level(self, options):
        return bytes([self.percent])

    def change(self, percent: int) -> None:
        self.percent = percent
        self.level.changed(bytes([percent]))


class Tests(Service):
    """Characteristics for tests of a central."""

    def __init__(self) -> None:
        self.refusal = DBusError("org.bluez.Error.Failed", "0x80")
        super().__init__(TEST_SERVICE, True)

    @characteristic(LONG, F.READ | F.WRITE)
    def long(self, options):
        return VALUES.read(LONG, options)

    @long.setter
    def long(self, value, options):
        VALUES.write(LONG, value, options)

    @characteristic(REFUSING, F.READ | F.WRITE)
    def refusing(self, options):
        raise self.refusal

    @refusing.setter
    def refusing(self, value, options):
        raise self.refusal

    @characteristic(SLOW, F.READ)
    def slow(self, options):
        time.sleep(SLOW_SECONDS)
        return b"late"

    @characteristic(COMMANDED, F.WRITE_WITHOUT_RESPONSE)
    def commanded(self, options):
        return b""

    @commanded.setter
    def commanded(self, value, options):
        VALUES.write(COMMANDED, value, options)

    @characteristic(INDICATED, F.INDICATE)
    def indicated(self, options):
        return b""


async def main(adapter_name: str) -> None:
    bus = await get_message_bus()
    adapter = next(each for each in await Adapter.get_all(bus) if each._proxy.path.endswith(adapter_name))
    battery, tests = Battery(), Tests()
    services = ServiceCollection([Configuration(), battery, tests])
    await services.register(bus, adapter=adapter)
    advertisement = Advertisement(NAME, [BATTERY_SERVICE], 0, 0, manufacturerData={COMPANY: MANUFACTURER_DATA})
    await advertisement.register(bus, adapter=adapter)
    report("ready")
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command, *words = line.decode().strip().split(maxsplit=2)
        if command == "battery":
            battery.change(int(words[0]))
        elif command == "subscribed":
            while not battery.level._notify:
                await asyncio.sleep(0.05)
        elif command == "indicate":
            tests.indicated.changed(bytes.fromhex(words[0]))
        elif command == "refuse":
            tests.refusal = DBusError(words[0], words[1] if len(words) > 1 else "as requested")
        report("done", command=line.decode().strip())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
