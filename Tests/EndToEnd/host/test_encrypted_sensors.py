# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Encrypted frames of Xiaomi's sensors: the packages that Home Assistant uses decrypt them with the key of the profile."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import Beaconry
from bleak.backends.device import BLEDevice
from bleparser import BleParser
from habluetooth import BluetoothServiceInfoBleak
from xiaomi_ble import XiaomiBluetoothDeviceData

KEY = "e9ea895fac7cca6d30532432a516f3a8"
ADDRESS = "A4:C1:38:02:83:F4"
Values = dict[str, Any]


def xiaomi(data: bytes) -> Values:
    """The values of xiaomi-ble, which has verified the key."""
    service = "0000fe95-0000-1000-8000-00805f9b34fb"
    info = BluetoothServiceInfoBleak(
        name="", address=ADDRESS, rssi=-60, manufacturer_data={}, service_data={service: data[7:]}, service_uuids=[service], source="test",
        device=BLEDevice(ADDRESS, "", {}), advertisement=None, connectable=True, time=time.monotonic(), tx_power=None,
    )  # fmt: skip
    parser = XiaomiBluetoothDeviceData(bindkey=bytes.fromhex(KEY))
    values = {key.key: value.native_value for key, value in parser.update(info).entity_values.items()}
    assert parser.bindkey_verified
    return values


def bleparser(data: bytes) -> Values:
    address = bytes.fromhex(ADDRESS.replace(":", ""))
    event = bytes([2, 1, 0, 0]) + address[::-1] + bytes([len(data)]) + data + b"\xc4"
    values, _ = BleParser(aeskeys={address: bytes.fromhex(KEY)}).parse_raw_data(b"\x04\x3e" + bytes([len(event)]) + event)
    assert values is not None
    return values


SENSORS: dict[str, tuple[str, Callable[[bytes], Values], Values]] = {
    "mibeacon": ("product: 1371, temperature: {}", xiaomi, {"temperature": 20}),
    "pvvx": ("temperature: {}, humidity: 41.73, battery: 61", bleparser, {"temperature": 20, "humidity": 41.73, "battery": 61}),
    "atc1441": ("temperature: {}, humidity: 41, battery: 61", bleparser, {"temperature": 20, "humidity": 41, "battery": 61}),
}
"""The keys of a profile, with a place for the temperature, the decoder, and its values."""


def advertised(beaconry: Beaconry, format: str, temperature: str) -> list[bytes]:
    """The different advertising data of a sensor in three seconds."""
    (beaconry.folder / "key.txt").write_text(KEY + "\n")
    keys = SENSORS[format][0].format(temperature)
    path = beaconry.profile(
        f"profile: p\nbeacons:\n  - {{ id: a, device: beacon, format: {format}, address: {ADDRESS}, {keys}, bind-key-file: key.txt }}\n"
    )
    recording = beaconry.folder / "encrypted.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(path), "--rate", "max", "--duration", "3s", "--force")
    assert done.returncode == 0, done
    packets = [json.loads(line) for line in recording.read_text().splitlines()[1:]]
    return list(dict.fromkeys(bytes.fromhex(each["data"]) for each in packets if each["pdu"] != "SCAN_RSP"))


@pytest.mark.parametrize("format", SENSORS)
def test_package_decrypts_what_the_profile_gives(beaconry: Beaconry, format: str) -> None:
    _, decode, expected = SENSORS[format]
    frames = advertised(beaconry, format, "{ counter: { start: 20, step: 1, max: 30, every: 1s } }")
    assert len(frames) >= 3
    for index, data in enumerate(frames):
        values = decode(data)
        wanted = expected | {"temperature": 20 + index}
        assert {key: pytest.approx(values.get(key), abs=0.006) for key in wanted} == wanted, values


@pytest.mark.parametrize("format", SENSORS)
def test_decode_and_receivers_name_the_frame(beaconry: Beaconry, format: str) -> None:
    """Without the key, its counter and its ciphertext; with it, its values, which a report decrypts with its own address."""
    [data] = advertised(beaconry, format, "20")

    def decoded(*options: str) -> Values:
        result = beaconry.call("decode", data.hex(), "--json", *options)
        assert result.returncode == 0, result
        payload = json.loads(result.stdout)
        misses.append(payload.get("nearMisses", []))
        [frame] = payload["frames"]
        return dict(frame)

    misses: list[list[dict[str, str]]] = []

    assert set(decoded()) == {"format", "counter", "encrypted"} and decoded()["format"] == f"{format}-encrypted"
    opened = decoded("--bind-key-file", str(beaconry.folder / "key.txt"), "--address", ADDRESS)
    assert opened["format"] == format and opened["temperature"] == 20
    (beaconry.folder / "other.txt").write_text(KEY[::-1])
    assert decoded("--bind-key-file", str(beaconry.folder / "other.txt"), "--address", ADDRESS) == decoded()
    assert decoded("--bind-key-file", str(beaconry.folder / "key.txt")) == decoded()
    closed = [f"a frame that the key does not open for the sender {ADDRESS}", "a frame that the key opens only with the address of its sender"]
    assert [[each["text"] for each in found] for found in misses] == [[], [], [], closed[:1], [], closed[1:], []]


@pytest.mark.parametrize(
    "format, keys, words",
    [
        ("pvvx", "voltage: 3000", "an encrypted frame of pvvx has no voltage"),
        ("pvvx", "packet: 5", "an encrypted frame of pvvx has no packet, or counts by itself"),
        ("mibeacon", "frame-counter: 5", "an encrypted frame of mibeacon has no frame-counter, or counts by itself"),
        ("mibeacon", "climate-temperature: 18, climate-humidity: 66.1", "the advertising data takes 32 bytes"),
    ],
)
def test_what_an_encrypted_frame_does_not_have_is_an_error(beaconry: Beaconry, format: str, keys: str, words: str) -> None:
    profile = f"profile: p\nbeacons:\n  - {{ id: a, device: beacon, format: {format}, address: {ADDRESS}, {keys} %s }}\n"
    assert beaconry.call("check", str(beaconry.profile(profile % "", "plain.yaml"))).returncode == 0
    done = beaconry.call("check", str(beaconry.profile(profile % f", bind-key: {KEY}", "encrypted.yaml")))
    assert done.returncode == 65 and words in done.stderr and KEY not in done.stderr, done
