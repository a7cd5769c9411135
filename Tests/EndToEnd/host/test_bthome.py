# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Each object of BTHome that bthome-ble knows is decoded with the same value."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import Any

import pytest
from beaconry import Beaconry
from bleak.backends.device import BLEDevice
from bthome_ble import BTHomeBluetoothDeviceData
from bthome_ble.const import MEAS_TYPES
from bthome_ble.event import BUTTON_EVENTS, COMMAND_EVENTS, DIMMER_EVENTS
from habluetooth import BluetoothServiceInfoBleak

UUID = "0000fcd2-0000-1000-8000-00805f9b34fb"


def payload(identifier: int, first: int) -> bytes:
    """An object with bytes that count from a number."""
    kind = MEAS_TYPES[identifier]
    if kind.data_format == "string":
        return bytes([identifier, 5]) + b"Hello"
    if kind.data_format == "raw":
        return bytes([identifier, 3, 1, 2, 3])
    if kind.data_format == "command":
        return bytes([identifier, 1, 2, 7])
    if kind.data_format == "unsigned_integer" and kind.data_length == 1 and "BinarySensor" in type(kind.meas_format).__name__:
        return bytes([identifier, first & 1])
    return bytes([identifier] + [(first + index) & 0xFF for index in range(kind.data_length)])


def expected(data: bytes) -> list[Any]:
    """The values of bthome-ble, numbers as such, events by their numbers."""
    address = "C0:FF:EE:00:00:06"
    info = BluetoothServiceInfoBleak(
        name="", address=address, rssi=-60, manufacturer_data={}, service_data={UUID: b"\x40" + data}, service_uuids=[UUID],
        source="test", device=BLEDevice(address, "", {}), advertisement=None, connectable=False, time=time.monotonic(),
        tx_power=None,
    )  # fmt: skip
    parser = BTHomeBluetoothDeviceData()
    update = parser.update(info)
    values = [each.native_value for key, each in update.entity_values.items() if key.key != "signal_strength"]
    values += [int(each.native_value) for each in update.binary_entity_values.values()]
    events = {name: number for table in (BUTTON_EVENTS, DIMMER_EVENTS, COMMAND_EVENTS) for number, name in table.items()}
    for event in update.events.values():
        number, properties = events[event.event_type], event.event_properties or {}
        values.append(
            f"{number} {properties['steps']}" if "steps" in properties
            else f"{number:02x}{properties['args']}" if "args" in properties else number
        )  # fmt: skip
    values += [device.sw_version for device in update.devices.values() if data[0] in (0xF1, 0xF2)]
    if data[0] == 0xF0:
        values.append(parser.device_type_id)
    return [int(each.timestamp()) if isinstance(each, datetime) else each for each in values]


def decoded(beaconry: Beaconry, data: bytes) -> dict[str, Any]:
    structure = bytes([len(data) + 4, 0x16, 0xD2, 0xFC, 0x40]) + data
    result = beaconry.call("decode", structure.hex(), "--json")
    assert result.returncode == 0, result.stderr
    frame = json.loads(result.stdout)["frames"][0]
    assert frame.pop("format") == "bthome"
    return dict(frame)


@pytest.mark.slow
@pytest.mark.parametrize("identifier", MEAS_TYPES, ids=hex)
@pytest.mark.parametrize("first", [1, 0x80])
def test_object_has_the_value_of_bthome_ble(beaconry: Beaconry, identifier: int, first: int) -> None:
    if MEAS_TYPES[identifier].meas_format in ("button", "dimmer"):
        first = 1
    data = payload(identifier, first)
    values = list(decoded(beaconry, data).values())
    assert len(values) == 1
    other = expected(data)
    assert len(other) == 1, other
    # bthome-ble rounds steps of 0.35 to tenths.
    near = 0.06 if identifier == 0x58 else 0.006
    assert values[0] == (pytest.approx(other[0], abs=near) if isinstance(other[0], float) else other[0])


@pytest.mark.slow
def test_all_objects_are_known(beaconry: Beaconry) -> None:
    """Objects after one of each kind are found, and several of a kind are a list."""
    for identifier in MEAS_TYPES:
        frame = decoded(beaconry, payload(identifier, 1) + b"\x77")
        assert frame.pop("undecoded") == "77" and len(frame) == 1
    assert decoded(beaconry, bytes.fromhex("02c40902c50945e800")) == {"temperature": [25, 25.01, 23.2]}


def test_encrypted_frames_are_named(beaconry: Beaconry) -> None:
    structure = "1116d2fc41e445f3c962001122336c7c2e1d"
    result = beaconry.call("decode", structure, "--json")
    assert [each["format"] for each in json.loads(result.stdout)["frames"]] == ["bthome-encrypted"], result.stdout


KEY = "231d39c1d7cc1ab1aee224cd096db932"
ADDRESS = "54:48:E6:8F:80:A5"


def encrypted(beaconry: Beaconry, profile: str, **variables: str) -> list[bytes]:
    """The service data that a beacon advertises in three seconds."""
    path = beaconry.profile(profile)
    beaconry.environment.update(variables)
    recording = beaconry.folder / "encrypted.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(path), "--rate", "max", "--duration", "3s", "--force")
    assert done.returncode == 0, done
    packets = [bytes.fromhex(json.loads(line)["data"]) for line in recording.read_text().splitlines()[1:]]
    return list(dict.fromkeys(each[each.index(b"\x16\xd2\xfc") + 3 :] for each in packets))


def test_encrypted_frames_are_decrypted_by_bthome_ble(beaconry: Beaconry) -> None:
    """With the key of a file or of an environment variable; the counter grows with each value, and the key is not shown."""
    beacon = f"device: beacon, format: bthome, address: {ADDRESS}, battery: 87, temperature: {{ counter: {{ start: 20, step: 1, max: 30, every: 1s }} }}"
    (beaconry.folder / "key.txt").write_text(KEY + "\n")
    frames = encrypted(beaconry, f"profile: p\nbeacons:\n  - {{ id: a, {beacon}, bind-key-file: key.txt }}\n")
    assert len(frames) >= 3
    parser = BTHomeBluetoothDeviceData(bindkey=bytes.fromhex(KEY))
    temperatures = []
    for data in frames:
        info = BluetoothServiceInfoBleak(
            name="", address=ADDRESS, rssi=-60, manufacturer_data={}, service_data={UUID: data}, service_uuids=[UUID], source="test",
            device=BLEDevice(ADDRESS, "", {}), advertisement=None, connectable=False, time=time.monotonic(), tx_power=None,
        )  # fmt: skip
        values = {key.key: value.native_value for key, value in parser.update(info).entity_values.items()}
        assert parser.bindkey_verified and values["battery"] == 87
        temperatures.append(values["temperature"])
    assert temperatures == [20, 21, 22, 23][: len(temperatures)]
    counters = [int.from_bytes(data[-8:-4], "little") for data in frames]
    assert counters == sorted(set(counters)) and counters[0] > 0

    again = encrypted(beaconry, f'profile: p\nbeacons:\n  - {{ id: a, {beacon}, bind-key: "${{SENSOR_KEY}}" }}\n', SENSOR_KEY=KEY)
    assert len(again[0]) == len(frames[0])
    digits = bytes([len(again[0]) + 3, 0x16, 0xD2, 0xFC]) + again[0]
    decoded = beaconry.call("decode", digits.hex(), "--bind-key-file", str(beaconry.folder / "key.txt"), "--address", ADDRESS, "--json")
    assert json.loads(decoded.stdout)["frames"] == [{"format": "bthome", "battery": 87, "temperature": 20}], decoded
    other = beaconry.call("decode", digits.hex(), "--bind-key-file", str(beaconry.folder / "key.txt"), "--address", "54:48:E6:8F:80:A6", "--json")
    assert json.loads(other.stdout)["frames"][0]["format"] == "bthome-encrypted"


@pytest.mark.parametrize(
    "keys, words",
    [
        ("address: 54:48:E6:8F:80:A5, bind-key: 00", "a bind key is 16 bytes; write 32 hexadecimal digits"),
        (f"bind-key: {KEY}", "encryption needs the address"),
        ("address: 54:48:E6:8F:80:A5, bind-key-file: none.txt", "none.txt"),
        (f"address: 54:48:E6:8F:80:A5, bind-key: {KEY}, pressure: 1, illuminance: 2, humidity: 3, voltage: 3, packet-id: 1", "takes"),
    ],
)
def test_mistakes_of_keys_are_reported(beaconry: Beaconry, keys: str, words: str) -> None:
    profile = beaconry.profile(f"profile: p\nbeacons:\n  - {{ id: a, device: beacon, format: bthome, temperature: 1, {keys} }}\n")
    done = beaconry.call("check", str(profile))
    assert done.returncode == 65 and words in done.stderr and KEY not in done.stderr, done
