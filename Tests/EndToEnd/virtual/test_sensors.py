# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Frames of sensors that are sent, received by Bumble, and decoded by the packages that Home Assistant uses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from beaconry import Beaconry
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData
from bleparser import BleParser
from bluetooth_sensor_state_data import BluetoothData
from bumble.core import AdvertisingData
from govee_ble import GoveeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from inkbird_ble import INKBIRDBluetoothDeviceData
from kbeacon_ble import KBeaconBluetoothDeviceData
from phone import Report, phone, receive_reports
from ruuvitag_ble import RuuvitagBluetoothDeviceData
from switchbot import parse_advertisement_data
from thermopro_ble import ThermoProBluetoothDeviceData
from tilt_ble import TiltBluetoothDeviceData
from xiaomi_ble import XiaomiBluetoothDeviceData


@dataclass
class Received:
    """What a central knows of a device: the data of its advertisement and its scan response."""

    address: str
    data: bytes
    scan_response: bytes

    def structures(self) -> list[tuple[int, bytes]]:
        return [each for data in (self.data, self.scan_response) for each in AdvertisingData.from_bytes(data).ad_structures]

    def manufacturer_data(self) -> dict[int, bytes]:
        kind = AdvertisingData.MANUFACTURER_SPECIFIC_DATA
        return {int.from_bytes(each[:2], "little"): each[2:] for number, each in self.structures() if number == kind}

    def service_data(self) -> dict[str, bytes]:
        kind = AdvertisingData.SERVICE_DATA_16_BIT_UUID
        found = [each for number, each in self.structures() if number == kind]
        return {f"0000{int.from_bytes(each[:2], 'little'):04x}-0000-1000-8000-00805f9b34fb": each[2:] for each in found}

    def name(self) -> str:
        return next((each.decode() for kind, each in self.structures() if kind == AdvertisingData.COMPLETE_LOCAL_NAME), "")

    def info(self) -> BluetoothServiceInfoBleak:
        services = list(self.service_data())
        for kind, each in self.structures():
            if kind == AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS:
                services += [f"0000{each[i + 1]:02x}{each[i]:02x}-0000-1000-8000-00805f9b34fb" for i in range(0, len(each), 2)]
        return BluetoothServiceInfoBleak(
            name=self.name(), address=self.address, rssi=-60, manufacturer_data=self.manufacturer_data(),
            service_data=self.service_data(), service_uuids=services, source="test",
            device=BLEDevice(self.address, self.name(), {}), advertisement=None, connectable=True, time=time.monotonic(),
            tx_power=None,
        )  # fmt: skip


def of(package: type[BluetoothData]) -> Callable[[Received], dict[str, Any]]:
    """The values that a package of the family has, by their keys."""

    def decode(received: Received) -> dict[str, Any]:
        update = package().update(received.info())
        return {key.key: value.native_value for key, value in update.entity_values.items()}

    return decode


def bleparser(received: Received) -> dict[str, Any]:
    """The values that bleparser has of the HCI event."""
    address = bytes.fromhex(received.address.replace(":", ""))[::-1]
    data = received.data + received.scan_response
    event = bytes([2, 1, 0, 0]) + address + bytes([len(data)]) + data + b"\xc4"
    values, _ = BleParser().parse_raw_data(b"\x04\x3e" + bytes([len(event)]) + event)
    assert values is not None
    return values


def switchbot(received: Received) -> dict[str, Any]:
    advertisement = AdvertisementData(
        received.name() or None, received.manufacturer_data(), received.service_data(), [], None, -60, ()
    )
    parsed = parse_advertisement_data(BLEDevice(received.address, "", {}), advertisement)
    assert parsed is not None
    values = parsed.data["data"]
    return {"temperature": values["temp"]["c"], "humidity": values["humidity"], "battery": values["battery"]}


SENSORS: dict[str, tuple[str, Callable[[Received], dict[str, Any]], dict[str, Any]]] = {
    "ruuvi-5": (
        "temperature: 24.3, humidity: 53.49, pressure: 100044, acceleration-x: 4, acceleration-y: -4, acceleration-z: 1036, voltage: 2977",
        of(RuuvitagBluetoothDeviceData),
        {"temperature": 24.3, "humidity": 53.49, "pressure": 1000.44, "voltage": 2977},
    ),
    "ruuvi-6": (
        "temperature: 29.5, humidity: 55.3, pressure: 101102, pm25: 11.2, co2: 201", of(RuuvitagBluetoothDeviceData),
        {"temperature": 29.5, "humidity": 55.3, "pressure": 1011.02, "pm25": 11.2, "carbon_dioxide": 201},
    ),
    "pvvx": (
        "temperature: 17.05, humidity: 44.57, voltage: 2998, battery: 88", bleparser,
        {"temperature": 17.05, "humidity": 44.57, "voltage": 2.998, "battery": 88},
    ),
    "atc1441": (
        "temperature: 16.2, humidity: 47, battery: 95, voltage: 3064", bleparser,
        {"temperature": 16.2, "humidity": 47, "voltage": 3.064, "battery": 95},
    ),
    "mibeacon": (
        "climate-temperature: 18, climate-humidity: 66.1", of(XiaomiBluetoothDeviceData), {"temperature": 18.0, "humidity": 66.1},
    ),
    "govee-h5075": (
        "temperature: -11.5, humidity: 33.7, battery: 100", of(GoveeBluetoothDeviceData),
        {"temperature": -11.5, "humidity": 33.7, "battery": 100},
    ),
    "thermopro": ("temperature: 27.9, humidity: 39", of(ThermoProBluetoothDeviceData), {"temperature": 27.9, "humidity": 39, "battery": 100}),
    "switchbot-meter": ("temperature: 24, humidity: 38, battery: 90", switchbot, {"temperature": 24.0, "humidity": 38, "battery": 90}),
    "inkbird": (
        "temperature: 22.04, humidity: 43.4, battery: 77", of(INKBIRDBluetoothDeviceData),
        {"temperature": 22.04, "humidity": 43.4, "battery": 77},
    ),
    "kbeacon": (
        "voltage: 3675, temperature: 22.3125, humidity: 31.5625", of(KBeaconBluetoothDeviceData),
        {"voltage": 3.675, "temperature": 22.31, "humidity": 31.56},
    ),
    "tilt": ("temperature: 68, gravity: 1.016", of(TiltBluetoothDeviceData), {"temperature": 68, "specific_gravity": 1.016}),
}  # fmt: skip
"""The keys of a profile, the decoder, and its values. Minew and Teltonika EYE have no package."""


def addresses() -> dict[str, str]:
    return {name: f"A4:C1:38:00:00:{index:02X}" for index, name in enumerate(SENSORS, 1)}


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Received]:
    """All sensors, as one active scan received them."""
    beaconry = Beaconry(tmp_path_factory.mktemp("sensors"))
    lines = "".join(
        f"  - {{ id: {name}, device: beacon, format: {name}, address: {address}, {SENSORS[name][0]} }}\n"
        for name, address in addresses().items()
    )
    run = beaconry.run(beaconry.profile(f"profile: sensors\nbeacons:\n{lines}"), "--ephemeral", "--hci-server", "tcp:127.0.0.1:0", radio="virtual")
    try:
        server = run.wait("radio-ready")["servers"][0]
        run.wait("ready")
        reports = asyncio.run(receive(server.replace("tcp:", "tcp-client:")))
    finally:
        beaconry.close()
    return {
        name: Received(
            address, next(each.data for each in reports if each.address == address and each.pdu != "SCAN_RSP"),
            next((each.data for each in reports if each.address == address and each.pdu == "SCAN_RSP"), b""),
        )
        for name, address in addresses().items()
    }


async def receive(transport: str) -> list[Report]:
    wanted = set(addresses().values())
    scanned = {addresses()["inkbird"], addresses()["switchbot-meter"]}

    def is_complete(reports: list[Report]) -> bool:
        advertised = {each.address for each in reports if each.pdu != "SCAN_RSP"}
        answered = {each.address for each in reports if each.pdu == "SCAN_RSP"}
        return wanted <= advertised and scanned <= answered

    async with phone(transport) as device:
        return await receive_reports(device, 0, until=is_complete)


@pytest.mark.parametrize("name", SENSORS)
def test_package_decodes_what_the_profile_gives(received: dict[str, Received], name: str) -> None:
    _, decode, expected = SENSORS[name]
    values = decode(received[name])
    assert {key: pytest.approx(values.get(key), abs=0.006) for key in expected} == expected, values
