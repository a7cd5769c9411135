# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The power that a frame claims, of whatever format and wherever it is: receivers estimate the distance that there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry
from http_client import Server, wait_until

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
IBEACON = "0215e2c56db5dffb48d2b060d0f5a71096e00001000{}b5"
"""The data after the company of Apple, with a claimed -75 dBm; in braces the minor number."""
BEACONS = {
    "plain": f"device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -75 }}",
    "alt": "device: beacon, format: altbeacon, id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6, id2: 1, id3: 2, measured-power: -75",
    "uid": "device: beacon, format: eddystone-uid, namespace: 00010203040506070809, instance: 0A0B0C0D0E0F, power-at-0m: -34",
    "url": "device: beacon, format: eddystone-url, url: https://example.com/a, power-at-0m: -34",
    "raw": f"device: raw, pdu: ADV_NONCONN_IND, advertising-data: 0201061aff4c00{IBEACON.format(2)}",
    "response": f'device: raw, pdu: ADV_SCAN_IND, advertising-data: "020106", scan-response: 1aff4c00{IBEACON.format(3)}',
    "gatt": f"device: gatt, advertise: {{ manufacturer-data: {{ company: 0x004C, data: {IBEACON.format(4)} }} }}, "
    "services: [{ uuid: 180F, characteristics: [{ name: level, uuid: 2A19, type: uint8, properties: [read], value: 5 }] }]",
}
"""Beacons with a claimed power of -75 dBm at 1 m; Eddystone claims the power at 0 m, which is 41 dB more."""
EXPECTED = {
    "plain": ("--uuid", UUID, "--major", "1", "--minor", "1"), "alt": ("--format", "altbeacon"), "uid": ("--format", "eddystone-uid"),
    "url": ("--format", "eddystone-url"), "raw": ("--uuid", UUID, "--major", "1", "--minor", "2"),
    "response": ("--uuid", UUID, "--major", "1", "--minor", "3"), "gatt": ("--uuid", UUID, "--major", "1", "--minor", "4"),
}  # fmt: skip
FOUR_METRES = ("--distance", "3.9..4.1", "--model", "log-distance", "--within", "30s", "--rate", "max", "--seed", "1")
RSSI = -87
"""-75 dBm less 12 dB for 4 m."""


@pytest.fixture
def profile(beaconry: Beaconry) -> Path:
    entries = "".join(f"  - {{ id: {name}, position: [4, 0], interval: 100ms, {text} }}\n" for name, text in BEACONS.items())
    return beaconry.profile(f"profile: power\nbeacons:\n{entries}receivers: [{{ id: phone, position: [0, 0] }}]\n")


def sightings(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


@pytest.mark.parametrize("name", BEACONS)
def test_beacon_is_as_far_away_as_it_is(beaconry: Beaconry, profile: Path, name: str) -> None:
    done = beaconry.call("expect", *EXPECTED[name], *FOUR_METRES, "--profile", str(profile))
    assert done.returncode == 0, done


def test_recording_and_its_replay_have_the_claimed_power(beaconry: Beaconry, profile: Path) -> None:
    recording = beaconry.folder / "power.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(profile), "--rate", "max", "--duration", "3s", "--seed", "1")
    assert done.returncode == 0, done
    lines = sightings(recording)
    assert len({each["address"] for each in lines}) == len(BEACONS)
    assert {each["rssi"] for each in lines} == {RSSI}
    again = beaconry.folder / "again.jsonl"
    done = beaconry.call("record", str(again), "--replay", str(recording), "--rate", "max", "--duration", "4s")
    assert done.returncode == 0, done
    received = sightings(again)
    assert len({each["address"] for each in received}) == len(BEACONS) and {each["rssi"] for each in received} == {RSSI}


def test_each_packet_has_the_power_that_its_frame_claims(beaconry: Beaconry) -> None:
    """An iBeacon of -75 dBm, and in the scan response one of -60 dBm."""
    frames = ("1aff4c00" + IBEACON.format(2), "1aff4c00" + IBEACON.format(3).removesuffix("b5") + "c4")
    profile = beaconry.profile(
        "profile: p\nreceivers: [{ id: phone, position: [0, 0] }]\nbeacons:\n  - { id: a, device: raw, pdu: ADV_SCAN_IND, position: [4, 0], "
        f'advertising-data: "020106{frames[0]}", scan-response: "{frames[1]}" }}\n'
    )
    recording = beaconry.folder / "power.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(profile), "--rate", "max", "--duration", "3s")
    assert done.returncode == 0, done
    assert {(each["pdu"], each["rssi"]) for each in sightings(recording)} == {("ADV_SCAN_IND", RSSI), ("SCAN_RSP", RSSI + 15)}
    for minor, power in (("2", -75), ("3", -60)):
        done = beaconry.call("expect", "--uuid", UUID, "--major", "1", "--minor", minor, "--profile", str(profile), *FOUR_METRES)
        assert done.returncode == 0, (power, done)


def test_advertiser_of_a_replay_that_is_moved_has_the_claimed_power(beaconry: Beaconry, served: Callable[..., Server], profile: Path) -> None:
    """The model of the air determines the RSSI then."""
    recording = beaconry.folder / "power.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(profile), "--rate", "max", "--duration", "3s", "--seed", "1")
    assert done.returncode == 0, done
    addresses = {each["address"] for each in sightings(recording)}
    server = served("--replay", str(recording), "--replay-loop", profile=beaconry.profile("profile: empty\nbeacons: []\n", "empty.yaml"))
    assert server.request("PUT", "/v1/receivers/near", {"position": [0, 0]}).status == 201
    for address in addresses:
        assert server.request("PUT", f"/v1/air/{address}/position", {"position": [4, 0]}).status == 200

    def levels() -> dict[str, int]:
        return {each["address"]: each["rssi"] for each in server.get("/v1/receivers/near/advertisers")["advertisers"]}

    wait_until(lambda: levels() == dict.fromkeys(addresses, RSSI), levels)
