# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The rig itself: if one of these tests fails, the results of the other tests in this folder mean nothing."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import vhci
from dbus_fast import BusType, Message, PropertyAccess
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property

# Tests that depend on BlueZ or the controllers are marked.
pytestmark = pytest.mark.depends_on()

BEACON = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
SERVICE = "0000feaa-0000-1000-8000-00805f9b34fb"
SCAN_RESPONSE = bytes.fromhex("0303aafe") + b"\x05\x09Rig1"
CONNECTABLE = 1
TICKS = 320
CHARACTERISTIC = "b0a7c0de-0001-4a6b-9c3d-5e8f70819203"


def the_beacon_is_on_air(air: vhci.Air) -> bool:
    return any(each.advertising_data == BEACON for each in air.on_air)


def the_beacon_was_interrupted(air: vhci.Air) -> bool:
    return any(each.ended is not None and each.set.advertising_data == BEACON for each in air.airings)


def advertise(mgmt: vhci.Management, index: int = 0, instance: int = 1) -> None:
    mgmt.add_extended_advertising(index, instance, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)


class Application(ServiceInterface):
    """A GATT service with one characteristic, which bluetoothd serves on hci0."""

    def __init__(self) -> None:
        super().__init__("org.bluez.GattCharacteristic1")
        self.value = b"before"

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":  # noqa: F821
        return CHARACTERISTIC

    @dbus_property(access=PropertyAccess.READ)
    def Service(self) -> "o":  # noqa: F821
        return "/rig/service"

    @dbus_property(access=PropertyAccess.READ)
    def Flags(self) -> "as":  # noqa: F722
        return ["read", "write"]

    @dbus_method()
    def ReadValue(self, options: "a{sv}") -> "ay":  # noqa: F722, F821
        return self.value

    @dbus_method()
    def WriteValue(self, value: "ay", options: "a{sv}"):  # noqa: F722, F821
        self.value = bytes(value)


class Service(ServiceInterface):
    def __init__(self) -> None:
        super().__init__("org.bluez.GattService1")

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":  # noqa: F821
        return SERVICE

    @dbus_property(access=PropertyAccess.READ)
    def Primary(self) -> "b":  # noqa: F821
        return True


@asynccontextmanager
async def gatt_application():
    application = Application()
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export("/rig/service", Service())
    bus.export("/rig/service/characteristic", application)
    register = Message(
        "org.bluez", "/org/bluez/hci0", "org.bluez.GattManager1", "RegisterApplication",
        signature="oa{sv}", body=["/rig", {}],
    )  # fmt: skip
    try:
        reply = await bus.call(register)
        assert reply.error_name is None, reply.body
        yield application
    finally:
        bus.disconnect()


@pytest.mark.depends_on("combination")
def test_machine_has_the_requested_versions(world, mgmt):
    version = int(vhci.adapter_property(0, "Modalias")[-4:], 16)  # usb:v1D6Bp0246d0542 is 5.66
    assert vhci.BLUEZ == f"{version >> 8}.{version & 0xFF}"
    assert os.uname().release.startswith({"5.66": "6.1.", "5.82": "6.12."}[vhci.BLUEZ])
    assert [(each.index, each.address, each.powered) for each in mgmt.controllers()] == [
        (0, vhci.ADDRESSES[0], True),
        (1, vhci.ADDRESSES[1], True),
    ]


@pytest.mark.depends_on("combination")
def test_controllers_are_of_the_requested_kind(mgmt, witness, extended):
    advertise(mgmt)
    witness.wait_for(the_beacon_is_on_air)
    opcodes = {opcode for opcode, _ in witness.commands()}
    assert (0x2036 in opcodes) == extended
    assert (0x2006 in opcodes) != extended


@pytest.mark.depends_on("controllers")
def test_advertisement_is_recorded_and_received(mgmt, witness, phone):
    advertise(mgmt)
    air = witness.wait_for(the_beacon_is_on_air)
    advertised = air.on_air[0]
    assert (advertised.min_ticks, advertised.max_ticks) == (TICKS, TICKS)
    assert advertised.scan_response == SCAN_RESPONSE
    assert advertised.pdu == "ADV_IND"

    def match(device, advertisement) -> bool:
        assert device.address == vhci.ADDRESSES[0]
        return advertisement.manufacturer_data == {0x004C: BEACON[7:]} and SERVICE in advertisement.service_uuids

    asyncio.run(phone.find(match, service_uuids=[SERVICE]))

    reports = witness.reports(address=vhci.ADDRESSES[0])
    assert {(each.pdu, each.data) for each in reports} == {("ADV_IND", BEACON), ("SCAN_RSP", SCAN_RESPONSE)}


def test_phone_connects_reads_and_writes(mgmt, witness, phone):
    async def visit() -> tuple[bytes, bytes]:
        async with gatt_application() as application:
            device = await phone.find(lambda device, _: device.address == vhci.ADDRESSES[0], service_uuids=[SERVICE])
            async with phone.connect(device) as client:
                witness.wait_for(the_beacon_was_interrupted)
                before = await client.read_gatt_char(CHARACTERISTIC)
                await client.write_gatt_char(CHARACTERISTIC, b"after", response=True)
            return bytes(before), application.value

    advertise(mgmt)
    assert asyncio.run(visit()) == (b"before", b"after")
    witness.wait_for(the_beacon_is_on_air)


def test_removed_advertisement_leaves_the_air(mgmt, witness):
    advertise(mgmt)
    witness.wait_for(the_beacon_is_on_air)
    assert mgmt.advertising_features(0).instances == (1,)
    mgmt.remove_advertising(0, 1)
    air = witness.wait_for(lambda air: not air.on_air)
    assert air.airings[-1].ended >= air.airings[-1].began
    assert mgmt.advertising_features(0).instances == ()


def test_command_that_the_kernel_refuses_is_an_error(mgmt):
    with pytest.raises(vhci.ManagementError) as refusal:
        mgmt.remove_advertising(0, 1)
    assert refusal.value.status == 0x0D


def test_bluetoothd_restarts_and_clears_instances(bluetoothd, mgmt):
    advertise(mgmt)
    before = bluetoothd.pid
    bluetoothd.restart("-E")
    assert bluetoothd.pid not in (None, before)
    assert b"\0-E\0" in Path(f"/proc/{bluetoothd.pid}/cmdline").read_bytes()
    assert vhci.adapter_property(0, "Powered") is True
    assert mgmt.advertising_features(0).instances == ()


def test_crashed_bluetoothd_is_noticed_and_restarted(bluetoothd, mgmt):
    bluetoothd.stop(crash=True)
    assert bluetoothd.pid is None
    assert vhci.adapter_property(0, "Powered") is None
    assert all(each.powered for each in mgmt.controllers())
    bluetoothd.start()
    assert vhci.adapter_property(0, "Powered") is True


def test_power_cycle_is_noticed(controllers, mgmt, witness, extended):
    advertise(mgmt)
    witness.wait_for(the_beacon_is_on_air)
    controllers.power(0, False)
    witness.wait_for(lambda air: not air.on_air)
    vhci.eventually("org.bluez noticed", lambda: vhci.adapter_property(0, "Powered") is False)
    # The kernel keeps the instances of a legacy controller and removes those of an extended one.
    assert mgmt.advertising_features(0).instances == (() if extended else (1,))
    controllers.power(0, True)
    if not extended:
        witness.wait_for(the_beacon_is_on_air)


def test_blocked_controller_is_down(controllers, mgmt):
    controllers.block(0)
    vhci.eventually("org.bluez noticed", lambda: vhci.adapter_property(0, "Powered") is False)
    with pytest.raises(vhci.ManagementError):
        mgmt.command(0x0005, 0, b"\x01")  # Set Powered, once
    controllers.unblock(0)
    mgmt.power(0, True)


def test_controllers_return_unchanged(controllers, bluetoothd):
    controllers.unplug()
    vhci.eventually("org.bluez noticed", lambda: vhci.adapter_property(0, "Powered") is None)
    assert controllers.replug() == dict(zip(vhci.ADDRESSES, (0, 1)))
    bluetoothd.wait()
    assert vhci.adapter_property(0, "Address") == vhci.ADDRESSES[0]


def test_controllers_return_with_other_numbers(controllers, bluetoothd, mgmt, witness):
    controllers.unplug()
    assert controllers.replug(shifted=True) == dict(zip(vhci.ADDRESSES, (1, 2)))
    bluetoothd.wait()
    assert vhci.adapter_property(1, "Address") == vhci.ADDRESSES[0]
    advertise(mgmt, index=1)
    witness.wait_for(the_beacon_is_on_air, index=1)


def test_ordinary_user_reaches_bluez_but_not_the_kernel(run_as_user):
    script = """
import asyncio, bleak, os
from dbus_fast import BusType, Message
from dbus_fast.aio import MessageBus
async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    reply = await bus.call(Message('org.bluez', '/org/bluez/hci0', 'org.freedesktop.DBus.Properties', 'Get',
        signature='ss', body=['org.bluez.Adapter1', 'Address']))
    print(os.getuid() != 0, reply.body[0].value)
asyncio.run(main())
"""
    result = run_as_user([sys.executable, "-c", script])
    assert result.stderr == ""
    assert result.stdout.split() == ["True", vhci.ADDRESSES[0]]

    script = "import vhci; vhci.Management().power(0, False)"
    refused = run_as_user([sys.executable, "-c", script], cwd=Path(__file__).parent)
    assert "status 0x14" in refused.stderr
