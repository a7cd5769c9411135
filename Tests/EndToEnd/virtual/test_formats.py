# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Beacons of all formats that are sent, received by Bumble and decoded by beacontools and bthome-ble."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from beacontools import parse_packet
from bleak.backends.device import BLEDevice
from bthome_ble import BTHomeBluetoothDeviceData
from bumble.core import AdvertisingData
from habluetooth import BluetoothServiceInfoBleak

from beaconry import Beaconry
from phone import Report, phone, receive_reports

UUID = "2173E519-9155-4862-AB64-7953AB146156"
PROFILE = f"""\
profile: formats
beacons:
  - {{ id: ibeacon, device: beacon, format: ibeacon, uuid: {UUID}, major: 1, minor: 2, measured-power: -59, address: C0:FF:EE:00:00:01 }}
  - {{ id: altbeacon, device: beacon, format: altbeacon, company: 0x0118, id1: {UUID}, id2: 3, id3: 4, measured-power: -61, reserved: 5, address: C0:FF:EE:00:00:02 }}
  - {{ id: uid, device: beacon, format: eddystone-uid, namespace: 8b0ca750e7a7f6e3b0c2, instance: 0123456789ab, power-at-0m: -18, address: C0:FF:EE:00:00:03 }}
  - {{ id: url, device: beacon, format: eddystone-url, url: https://example.com/a, address: C0:FF:EE:00:00:04, telemetry: {{ every: 2, battery: 3000, temperature: 21.5 }} }}
  - {{ id: tlm, device: beacon, format: eddystone-tlm, battery-millivolts: 2900, temperature: 26.5, advertisements: 100, uptime-tenths: 1000, address: C0:FF:EE:00:00:05 }}
  - {{ id: bthome, device: beacon, format: bthome, temperature: 21.55, humidity: 50.5, battery: 87, address: C0:FF:EE:00:00:06 }}
"""


async def receive(transport: str) -> dict[str, list[bytes]]:
    """The data of each beacon, with at least ten frames of telemetry."""

    def is_complete(reports: list[Report]) -> bool:
        telemetry = {each.data for each in reports if each.address == "C0:FF:EE:00:00:04" and each.data[11] == 0x20}
        return len(telemetry) >= 10 and len({each.address for each in reports}) == 6

    received: dict[str, list[bytes]] = {}
    async with phone(transport) as device:
        for report in await receive_reports(device, 0, until=is_complete):
            received.setdefault(report.address, []).append(report.data)
    return received


def bthome(data: bytes) -> dict[str, Any]:
    """The values that bthome-ble finds in a payload."""
    service_data = {
        "0000fcd2-0000-1000-8000-00805f9b34fb": content[2:]
        for kind, content in AdvertisingData.from_bytes(data).ad_structures
        if kind == AdvertisingData.SERVICE_DATA_16_BIT_UUID and content[:2] == b"\xd2\xfc"
    }
    address = "C0:FF:EE:00:00:06"
    info = BluetoothServiceInfoBleak(
        name="", address=address, rssi=-60, manufacturer_data={}, service_data=service_data,
        service_uuids=list(service_data), source="test", device=BLEDevice(address, "", {}), advertisement=None,
        connectable=False, time=time.monotonic(), tx_power=None,
    )  # fmt: skip
    parser = BTHomeBluetoothDeviceData()
    assert parser.supported(info)
    update = parser.update(info)
    return {key.key: value.native_value for key, value in update.entity_values.items()}


def test_third_party_decoders_agree(air: Any, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE), "--ephemeral")
    received = asyncio.run(receive(transport))
    frames = {address: [parse_packet(data) for data in payloads] for address, payloads in received.items()}

    ibeacon = frames["C0:FF:EE:00:00:01"][0]
    assert (ibeacon.uuid.upper(), ibeacon.major, ibeacon.minor, ibeacon.tx_power) == (UUID, 1, 2, -59)

    # beacontools does not know AltBeacon; Bumble finds the company and the content.
    altbeacon = AdvertisingData.from_bytes(received["C0:FF:EE:00:00:02"][0])
    assert altbeacon.get_all(AdvertisingData.MANUFACTURER_SPECIFIC_DATA) == [
        (0x0118, bytes.fromhex("beac" + UUID.replace("-", "") + "00030004c305"))
    ]

    uid = frames["C0:FF:EE:00:00:03"][0]
    assert (uid.namespace, uid.instance, uid.tx_power) == ("8b0ca750e7a7f6e3b0c2", "0123456789ab", -18)

    urls = [frame for frame in frames["C0:FF:EE:00:00:04"] if type(frame).__name__ == "EddystoneURLFrame"]
    live = [frame for frame in frames["C0:FF:EE:00:00:04"] if type(frame).__name__ == "EddystoneTLMFrame"]
    assert {frame.url for frame in urls} == {"https://example.com/a"}
    assert {(frame.voltage, frame.temperature) for frame in live} == {(3000, 21.5)}
    # Its count and uptime only increase.
    counts = [frame.advertising_count for frame in live]
    assert counts == sorted(counts) and len(set(counts)) >= 10
    uptimes = [frame.seconds_since_boot for frame in live]
    assert uptimes == sorted(uptimes)

    tlm = frames["C0:FF:EE:00:00:05"][0]
    assert (tlm.voltage, tlm.temperature, tlm.advertising_count) == (2900, 26.5, 100)

    assert bthome(received["C0:FF:EE:00:00:06"][0]) | {"signal_strength": None} == {
        "temperature": 21.55, "humidity": 50.5, "battery": 87, "signal_strength": None,
    }  # fmt: skip
