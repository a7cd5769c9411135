# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The peripheral role of `org.bluez`: programs that advertise and serve attributes, seen from another adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from beaconry import Beaconry
from bleak import BleakClient, BleakScanner
from bleak.backends.device import BLEDevice
from bleak.exc import BleakError
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.descriptor import DescriptorFlags, descriptor
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter
from dbus_next import BusType, DBusError, Variant
from dbus_next.aio import MessageBus
from dbus_next.service import PropertyAccess, ServiceInterface, dbus_property, method

ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")
VALUE = "0000fff1-0000-1000-8000-00805f9b34fb"
REFUSED = "0000fff2-0000-1000-8000-00805f9b34fb"


class Thermometer(Service):
    """A service with a value that can be read, written and subscribed to, and one that is refused."""

    def __init__(self) -> None:
        self.stored = bytes(range(100))
        self.devices: list[str | None] = []
        super().__init__("FFF0", True)

    @characteristic("FFF1", CharacteristicFlags.READ | CharacteristicFlags.WRITE | CharacteristicFlags.NOTIFY)
    def value(self, options):
        self.devices.append(options.device)
        return self.stored[options.offset :]

    @value.setter
    def value_written(self, value, options):
        self.stored = self.stored[: options.offset] + value

    @descriptor("2901", value, DescriptorFlags.READ)
    def name(self, options):
        return b"temperature"

    @characteristic("FFF2", CharacteristicFlags.READ)
    def refused(self, options):
        raise DBusError("org.bluez.Error.NotPermitted", "no")


@pytest.fixture
def address(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> str:
    """The bus of a run without beacons and with two adapters, as btvirt has them."""
    options = [word for address in ADDRESSES for word in ("--adapter-address", address)]
    run = beaconry.start("dbus", "--json", *options)
    address = run.wait("bus-ready")["address"]
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
    return str(address)


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[MessageBus, Adapter]]:
    """A program's connection to the bus, and the adapter that it advertises with."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    adapters = await Adapter.get_all(bus)
    chosen = [adapter for adapter in adapters if await adapter.get_address() == ADDRESSES[0]]
    assert len(adapters) == 2
    try:
        yield bus, chosen[0]
    finally:
        bus.disconnect()


async def find(name: str) -> BLEDevice:
    device = await BleakScanner.find_device_by_name(name, timeout=300, bluez={"adapter": "hci1"})
    assert device is not None and device.address == ADDRESSES[0]
    return device


async def wait_until(condition) -> None:
    for _ in range(1200):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the condition did not come true")


def test_application_is_served_to_a_central(address: str) -> None:
    async def scenario() -> None:
        async with connection() as (bus, adapter):
            service = Thermometer()
            services = ServiceCollection()
            services.add_service(service)
            await services.register(bus, adapter=adapter)
            await Advertisement("Thermo", ["FFF0"], 0x0300, 60).register(bus, adapter)
            async with BleakClient(await find("Thermo"), bluez={"adapter": "hci1"}, timeout=300) as client:
                # Longer than the MTU of bleak's first packets, and from an offset.
                assert await client.read_gatt_char(VALUE) == bytes(range(100))
                path = "/org/bluez/hci0/dev_" + ADDRESSES[1].replace(":", "_")
                assert service.devices[-1] == path
                await client.write_gatt_char(VALUE, b"warm", response=True)
                assert service.stored == b"warm"
                assert await client.read_gatt_char(VALUE) == b"warm"
                with pytest.raises(BleakError):
                    await client.read_gatt_char(REFUSED)
                (named,) = [d for d in client.services.get_characteristic(VALUE).descriptors if d.uuid.startswith("00002901")]
                assert await client.read_gatt_descriptor(named.handle) == b"temperature"
                received: list[bytes] = []
                await client.start_notify(VALUE, lambda _, value: received.append(bytes(value)))
                for number in range(5):
                    service.value.changed(bytes([number]))
                await wait_until(lambda: len(received) == 5)
                assert received == [bytes([number]) for number in range(5)]
                await client.stop_notify(VALUE)
            await services.unregister()

    asyncio.run(asyncio.wait_for(scenario(), 250))


def test_advertisements_end_with_their_program(address: str) -> None:
    async def scenario() -> None:
        async with connection() as (bus, adapter):
            await Advertisement("Gone", ["FFF0"], 0x0300, 0).register(bus, adapter)
            await find("Gone")
        async with connection() as (bus, adapter):
            manager = adapter._proxy.get_interface("org.bluez.LEAdvertisingManager1")
            for _ in range(1200):
                if await manager.get_active_instances() == 0:
                    break
                await asyncio.sleep(0.05)
            assert (await manager.get_active_instances(), await manager.get_supported_instances()) == (0, 16)

    asyncio.run(asyncio.wait_for(scenario(), 250))


class Broadcast(ServiceInterface):
    """An advertisement object with the properties that a test gives."""

    def __init__(self, data: dict[int, Variant]) -> None:
        super().__init__("org.bluez.LEAdvertisement1")
        self.manufacturer_data = data
        self.released = asyncio.Event()

    @dbus_property(PropertyAccess.READ)
    def Type(self) -> "s":  # noqa: F821
        return "broadcast"

    @dbus_property(PropertyAccess.READ)
    def ManufacturerData(self) -> "a{qv}":  # noqa: F722
        return self.manufacturer_data

    @dbus_property(PropertyAccess.READ)
    def MinInterval(self) -> "u":  # noqa: F821
        return 100

    @dbus_property(PropertyAccess.READ)
    def MaxInterval(self) -> "u":  # noqa: F821
        return 100

    @dbus_property(PropertyAccess.READ)
    def Timeout(self) -> "q":  # noqa: F821
        return 20

    @method()
    def Release(self):
        self.released.set()


def test_broadcast_is_released_after_its_timeout(address: str) -> None:
    async def scenario() -> None:
        async with connection() as (bus, adapter):
            manager = adapter._proxy.get_interface("org.bluez.LEAdvertisingManager1")
            beacon = Broadcast({0x004C: Variant("ay", bytes(23))})
            bus.export("/beacon", beacon)
            found = asyncio.Event()

            def seen(device: BLEDevice, data) -> None:
                if data.manufacturer_data.get(0x004C) == bytes(23):
                    found.set()

            async with BleakScanner(seen, bluez={"adapter": "hci1"}):
                await manager.call_register_advertisement("/beacon", {})
                with pytest.raises(DBusError, match="Already Exists"):
                    await manager.call_register_advertisement("/beacon", {})
                await found.wait()
            await beacon.released.wait()
            with pytest.raises(DBusError, match="Does Not Exist"):
                await manager.call_unregister_advertisement("/beacon")

    asyncio.run(asyncio.wait_for(scenario(), 250))


def test_advertisement_that_does_not_fit_is_refused(address: str) -> None:
    async def scenario() -> None:
        async with connection() as (bus, adapter):
            manager = adapter._proxy.get_interface("org.bluez.LEAdvertisingManager1")
            bus.export("/beacon", Broadcast({0x004C: Variant("ay", bytes(28))}))
            with pytest.raises(DBusError, match="Failed to parse advertisement"):
                await manager.call_register_advertisement("/beacon", {})
            with pytest.raises(DBusError, match="Failed to parse advertisement"):
                await manager.call_register_advertisement("/nothing", {})
            gatt = adapter._proxy.get_interface("org.bluez.GattManager1")
            with pytest.raises(DBusError, match="No object received"):
                await gatt.call_register_application("/nothing", {})

    asyncio.run(asyncio.wait_for(scenario(), 250))
