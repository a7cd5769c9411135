# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our controllers under Linux and BlueZ, and our host on the kernel's controllers: never our code on both ends."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path

import pytest
from beaconry import (
    BEACON_UUID,
    CONFIG_SERVICE,
    MAJOR_MINOR,
    PROFILES,
    TRANSMIT_SETTINGS,
    Beaconry,
    Run,
    ibeacon,
    service_list,
)
from test_advertising import E2C5, plain
from vhci import (
    ADDRESSES,
    Bluetoothd,
    Controllers,
    Management,
    Phone,
    Witness,
    adapter_property,
    bluez_property,
    eventually,
)

SHOP = PROFILES / "iot-design-shop.yaml"
FACTORY = {
    BEACON_UUID: bytes.fromhex(CONFIG_SERVICE.replace("-", "")),
    MAJOR_MINOR: bytes.fromhex("01000100"),
    TRANSMIT_SETTINGS: bytes.fromhex("0200a000"),
}
NEW_UUID = "0b0b0b0b-1111-2222-3333-444455556666"
WRITTEN = {
    BEACON_UUID: bytes.fromhex(NEW_UUID.replace("-", "")),
    MAJOR_MINOR: bytes.fromhex("07002a00"),
    TRANSMIT_SETTINGS: bytes.fromhex("02004001"),
}
SCAN_RESPONSE = service_list(CONFIG_SERVICE) + b"\x0b\x09IoT Beacon"


def expect_on_air(phone: Phone, witness: Witness, address: str, frame: bytes) -> None:
    """Expects bluetoothd to find the frame, the name and the service, and the controller to report the same."""

    def match(device, seen) -> bool:
        return device.address == address and seen.manufacturer_data == {0x004C: frame[7:]} and bool(seen.service_uuids)

    device = asyncio.run(phone.find(match))
    assert bluez_property(device.details["path"], "Device1", "Name") == "IoT Beacon"
    assert bluez_property(device.details["path"], "Device1", "AddressType") == "random"
    assert CONFIG_SERVICE in device.details["props"]["UUIDs"]
    received = {each.pdu: each.data for each in witness.reports(phone.index, address)}
    assert received == {"ADV_IND": frame, "SCAN_RSP": SCAN_RESPONSE}


def expect_configurable(phone: Phone, run: Run, address: str) -> None:
    """Configures the beacon as the app does, and expects the program to report it."""

    async def app() -> None:
        async with phone.connect(await phone.find(lambda device, _: device.address == address)) as client:
            assert {each: bytes(await client.read_gatt_char(each)) for each in FACTORY} == FACTORY
            for each, value in WRITTEN.items():
                await client.write_gatt_char(each, value, response=True)
            assert {each: bytes(await client.read_gatt_char(each)) for each in WRITTEN} == WRITTEN

    asyncio.run(app())
    run.wait("connected", device="beacon")
    for each, value in WRITTEN.items():
        run.wait("written", characteristic=each.upper(), value=value.hex())
    run.wait("disconnected", device="beacon")
    again = run.wait("advertising-started", device="beacon")
    assert again["intervalTicks"] == 320


@pytest.mark.depends_on()
def test_kernel_uses_a_controller_on_our_air(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, witness: Witness
) -> None:
    run = beaconry.run(SHOP, "--hci-server", "vhci", radio="virtual")
    assert run.wait("radio-ready")["servers"] == ["vhci:hci2"]
    address = run.wait("advertising-started")["address"]
    eventually("the kernel has set up hci2", lambda: 2 in controllers.indexes().values())
    bluetoothd.wait()
    phone = Phone(2)
    phone.forget()
    expect_on_air(phone, witness, address, ibeacon(CONFIG_SERVICE, 1, 1))
    # No controller has a position, so all are 1 m apart, where the RSSI is the measured power of the frame.
    assert {each.rssi for each in witness.reports(2, address)} == {-59}
    expect_configurable(phone, run, address)
    phone.forget()
    began = len(witness.reports(2, address))
    frame = ibeacon(NEW_UUID, 7, 42)
    asyncio.run(phone.find(lambda _, seen: seen.manufacturer_data == {0x004C: frame[7:]}))
    assert {each.data for each in witness.reports(2, address)[began:] if each.pdu == "ADV_IND"} == {frame}
    phone.forget()
    assert run.end() == 0
    eventually("the kernel has lost hci2", lambda: not Path("/sys/class/bluetooth/hci2").exists())
    eventually("bluetoothd has lost hci2", lambda: adapter_property(2, "Address") is None)


@pytest.mark.depends_on()
def test_hosts_of_the_kernel_have_positions(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, witness: Witness
) -> None:
    profile = beaconry.profile(plain(extra="position: [0, 0]"))
    servers = ("--hci-server", "vhci?name=near&at=1,0", "--hci-server", "vhci?name=far&at=10,0")
    run = beaconry.run(profile, *servers, radio="virtual")
    assert run.wait("radio-ready")["servers"] == ["vhci:hci2", "vhci:hci3"]
    address = run.wait("advertising-started")["address"]
    eventually("the kernel has set up both", lambda: {2, 3} <= set(controllers.indexes().values()))
    bluetoothd.wait()
    for index, rssi in ((2, -59), (3, -79)):
        phone = Phone(index)
        phone.forget()
        asyncio.run(phone.find(lambda device, _: device.address == address))
        assert {each.rssi for each in witness.reports(index, address)} == {rssi}
        phone.forget()
    assert run.end() == 0
    eventually("bluetoothd has lost both", lambda: not any(adapter_property(each, "Address") for each in (2, 3)))


@pytest.mark.depends_on("controllers")
def test_our_host_runs_on_the_user_channel(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, witness: Witness, phone: Phone, extended: bool
) -> None:
    controllers.power(0, False)
    run = beaconry.run(SHOP, radio="hci-socket:0")
    ready = run.wait("radio-ready")
    assert (ready["radio"], ready["address"], ready["extended"]) == ("hci-socket:0", ADDRESSES[0], extended)
    address = run.wait("advertising-started")["address"]
    assert address != ADDRESSES[0]
    expect_on_air(phone, witness, address, ibeacon(CONFIG_SERVICE, 1, 1))
    expect_configurable(phone, run, address)
    phone.forget()
    frame = ibeacon(NEW_UUID, 7, 42)
    asyncio.run(phone.find(lambda _, seen: seen.manufacturer_data == {0x004C: frame[7:]}))
    assert run.end() == 0
    assert not witness.air().on_air

    # bluetoothd has the controller again, and it works.
    eventually("the kernel has hci0 back", lambda: controllers.indexes().get(ADDRESSES[0]) == 0)
    bluetoothd.wait()
    assert adapter_property(0, "Address") == ADDRESSES[0]
    again = beaconry.run(SHOP)
    assert again.wait("advertising-started")["address"] == ADDRESSES[0]
    witness.wait_for(lambda air: [each.advertising_data for each in air.on_air] == [frame])
    assert again.end() == 0


@pytest.mark.depends_on("controllers")
def test_several_beacons_run_on_the_user_channel(
    beaconry: Beaconry, controllers: Controllers, witness: Witness, phone: Phone, extended: bool
) -> None:
    """Each beacon has its own address: a set each, or turns of the only advertiser."""
    controllers.power(0, False)
    run = beaconry.run(beaconry.profile(plain(3)), radio="hci-socket:0")
    run.wait("ready", beacons=3)
    began = [event for event in run.events if event["event"] == "advertising-started"]
    reported = {(event["address"], bytes.fromhex(event["advertisingData"])) for event in began}
    assert {frame for _, frame in reported} == {ibeacon(E2C5, 1, number) for number in range(3)}
    assert len({address for address, _ in reported}) == 3

    def are_received(*_: object) -> bool:
        return reported <= {(each.address, each.data) for each in witness.reports(1) if each.pdu == "ADV_NONCONN_IND"}

    asyncio.run(phone.find(are_received))
    run.take(1)
    if extended:
        assert {(each.random_address, each.advertising_data) for each in witness.air().on_air} == reported
        assert "time-shared" not in run.warnings()
    else:
        assert len(witness.air().on_air) <= 1
        # On a fast machine the turns are so short that each beacon keeps its interval.
        slowed = [event for event in run.events if event["event"].startswith("advertising-") and event["intervalTicks"] > 160]
        assert ("time-shared" in run.warnings()) == bool(slowed)
    assert run.end() == 0
    assert not witness.air().on_air


# hci-tester ------------------------------------------------------------------------------------------------------

PASSED = {
    "Reset",
    "Read Local Version Information",
    "Read Local Supported Commands",
    "Read Local Supported Features",
    "Read Local Extended Features",
    "Read Buffer Size",
    "Read BD_ADDR",
    "LE Read Accept List Size",
    "LE Clear Accept List",
    "LE Encrypt",
    "LE Rand",
    "LE Read Local PK",
    "LE Generate DHKey",
    "TP/DSU/BV-02-C Reset in Advertising State",
}
DOES_NOT_APPLY = {
    "Read Country Code": "Failed",  # of Bluetooth 1.0, for BR; no version since has it
    "Read Local Supported Codecs": "Failed",  # of voice over BR/EDR
    "Inquiry (LIAC)": "Failed",  # of BR/EDR
    "Create Connection": "Not Run",  # of BR/EDR: its preparation, page scan, fails already
}


@pytest.mark.depends_on()
def test_hci_tester_passes_on_our_controllers(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, mgmt: Management
) -> None:
    """hci-tester has hci0 and hci1 for itself: bluetoothd and the other two controllers are stopped."""
    bluetoothd.stop()
    controllers.unplug()
    run = beaconry.run(SHOP, "--hci-server", "vhci", "--hci-server", "vhci", radio="virtual")
    assert run.wait("radio-ready")["servers"] == ["vhci:hci0", "vhci:hci1"]
    run.wait("ready")
    eventually("the kernel has set up both", lambda: [each.index for each in mgmt.controllers()] == [0, 1])
    tested = subprocess.run(["hci-tester"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    said = re.sub(r"\x1b\[[0-9;]*m", "", tested.stdout)
    summary = said[said.index("Test Summary") :]
    outcomes = dict(re.findall(r"^(\S.*?) {2,}(Passed|Failed|Timed out|Not Run)\b", summary, re.MULTILINE))
    assert outcomes == dict.fromkeys(PASSED, "Passed") | DOES_NOT_APPLY, said
    assert run.end() == 0
    eventually("the kernel has lost both", lambda: not controllers.indexes())


@pytest.mark.depends_on()
def test_controller_stays_while_the_kernel_takes_no_packets(beaconry: Beaconry) -> None:
    """Its answers come when the kernel has given up the set-up, which refuses them; later they are on time."""
    run = beaconry.run(SHOP, "--hci-server", "vhci?as=slow:3000@0s-10s", radio="virtual")
    run.wait("ready")

    def is_up() -> bool:
        return subprocess.run(["hciconfig", "hci2", "up"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    eventually("the kernel has set up hci2", is_up, interval=1)
    assert run.end() == 0
