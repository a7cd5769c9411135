# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What a frame claims is read alike by everything that reads frames: each format with each consumer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry
from http_client import Server, wait_until

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
NAMESPACE = "00010203040506070809"
BEACONS: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "ibeacon": (
        f"format: ibeacon, uuid: {UUID}, major: 1, minor: 2, measured-power: -75", {"uuid": UUID, "major": 1, "minor": 2},
        f"uuid: {UUID}, major: 1",
    ),
    "altbeacon": (
        f"format: altbeacon, id1: {UUID}, id2: 1, id3: 3, measured-power: -75", {"uuid": UUID, "major": 1, "minor": 3},
        f"uuid: {UUID}, major: 1, minor: 3",
    ),
    "eddystone-uid": (
        f"format: eddystone-uid, namespace: {NAMESPACE}, instance: 0A0B0C0D0E0F, power-at-0m: -34",
        {"namespace": NAMESPACE, "instance": "0a0b0c0d0e0f"}, f"namespace: {NAMESPACE}",
    ),
    "eddystone-url": ("format: eddystone-url, url: https://example.com/a, power-at-0m: -34", {"identity": "https://example.com/a"}, None),
}  # fmt: skip
"""The formats of beacons that can be sent, each with a claimed -75 dBm at 1 m: keys of a profile, identifiers, and a region; `None`
for a format that has none."""
WITHOUT_IDENTITY = {"eddystone-tlm", "eddystone-etlm"}
NOT_SENT = {"eddystone-eid"}
RSSI = -87
"""-75 dBm less 12 dB for 4 m."""


@pytest.fixture
def profile(beaconry: Beaconry) -> Path:
    entries = "".join(
        f"  - {{ id: {name}, device: beacon, position: [4, 0], {keys} }}\n" for name, (keys, _, _) in BEACONS.items()
    )
    regions = ", ".join(f"{{ id: {name}, {region} }}" for name, (_, _, region) in BEACONS.items() if region)
    return beaconry.profile(
        f"profile: formats\nbeacons:\n{entries}receivers:\n  - {{ id: phone, position: [0, 0], phone: exact, regions: [{regions}] }}\n"
        f"  - {{ id: library, position: [0, 0], phone: altbeacon, regions: [{regions}] }}\n"
        "  - { id: iphone, position: [0, 0], phone: iphone }\n"
    )


@pytest.fixture
def place(beaconry: Beaconry) -> Path:
    """The beacons, and the place of the receiver of a command."""
    entries = "".join(
        f"  - {{ id: {name}, device: beacon, position: [4, 0], {keys} }}\n" for name, (keys, _, _) in BEACONS.items()
    )
    return beaconry.profile(f"profile: formats\nbeacons:\n{entries}receivers: [{{ id: phone, position: [0, 0] }}]\n", "place.yaml")


def test_each_format_has_a_row(beaconry: Beaconry) -> None:
    """Formats of sensors follow those of beacons, and have no identity."""
    result = beaconry.call("schema", "profile")
    formats = json.loads(result.stdout)
    text = json.dumps(formats)
    known = BEACONS.keys() | WITHOUT_IDENTITY | NOT_SENT
    document = (Path(__file__).parents[3] / "docs" / "beacon-formats.md").read_text()
    beacons = [line.split("`")[1] for line in document.split("## Sensors")[0].splitlines() if line.startswith("| `")]
    assert set(beacons) - {"bthome", "bthome-encrypted", "format"} == known, beacons
    assert all(f'"{each}"' in text for each in BEACONS)


def phones(server: Server, phone: str) -> dict[str, dict[str, Any]]:
    beacons = server.get(f"/v1/receivers/{phone}/beacons")["beacons"]
    return {each["format"]: each for each in beacons if each["packets"]}


def test_ranging_has_identity_and_distance(served: Callable[..., Server], profile: Path) -> None:
    """An app with Core Location has iBeacons only."""
    server = served(profile=profile)
    for phone, formats in (("phone", set(BEACONS)), ("library", set(BEACONS)), ("iphone", {"ibeacon"})):
        wait_until(lambda phone=phone, formats=formats: phones(server, phone).keys() == formats, lambda phone=phone: phones(server, phone))  # type: ignore[misc]
        for name, beacon in phones(server, phone).items():
            assert BEACONS[name][1].items() <= beacon.items(), beacon
            assert (beacon["rssi"], beacon["measuredPower"]) == (RSSI, -75), beacon
            # The curve of the library for 12 dB is 2.0 m, free space 4 m.
            assert beacon["accuracy"] == pytest.approx(4.0 if phone == "iphone" else 1.74, abs=0.15), beacon


def test_regions_are_entered(served: Callable[..., Server], profile: Path) -> None:
    server = served(profile=profile)
    expected = {name: "inside" for name, (_, _, region) in BEACONS.items() if region}

    for phone in ("phone", "library"):
        def states(phone: str = phone) -> dict[str, str]:
            return {each["identifier"]: each["state"] for each in server.get(f"/v1/receivers/{phone}/regions")["regions"]}

        wait_until(lambda states=states: states() == expected, states)  # type: ignore[misc]
    refused = server.request("PUT", "/v1/receivers/iphone/regions/mall", {"namespace": NAMESPACE})
    assert refused.status == 409 and "no regions of Eddystone namespaces" in refused.body.decode(), refused


def test_packets_have_identity_and_power(served: Callable[..., Server], profile: Path) -> None:
    server = served(profile=profile)

    def packets() -> dict[str, dict[str, Any]]:
        return {each["device"]: each for each in server.get("/v1/receivers/phone/advertisers")["advertisers"] if "device" in each}

    wait_until(lambda: packets().keys() == BEACONS.keys(), packets)
    for name, packet in packets().items():
        assert BEACONS[name][1].items() <= packet.items() and packet["format"] == name and packet["measuredPower"] == -75
        assert packet["rssi"] == RSSI


@pytest.mark.parametrize("name", BEACONS)
def test_commands_have_identity_and_power(beaconry: Beaconry, place: Path, name: str) -> None:
    """`scan` and `decode`, `range`, `expect`, and `monitor`."""
    air = ("--profile", str(place), "--rate", "max", "--seed", "1")
    keys = BEACONS[name][1]
    scanned = beaconry.call("scan", *air, "--duration", "3s", "--json")
    frames = [frame for line in scanned.stdout.splitlines() for frame in json.loads(line).get("frames", [])]
    frame = next(each for each in frames if each["format"] == name)
    assert set(map(str, keys.values())) <= set(map(str, frame.values())), frame
    ranged = beaconry.call("range", *air, "--duration", "3s", "--model", "log-distance", "--json")
    reports = [json.loads(line) for line in ranged.stdout.splitlines()]
    beacons = [each for report in reports if report["event"] == "ranged" for each in report["beacons"] if each["format"] == name]
    assert beacons and all(keys.items() <= each.items() and each["accuracy"] == pytest.approx(4.0, abs=0.1) for each in beacons), reports
    expected = beaconry.call("expect", *air, "--format", name, "--distance", "3.9..4.1", "--model", "log-distance", "--within", "9s")
    assert expected.returncode == 0, expected
    region = BEACONS[name][2]
    if region:
        regions = beaconry.folder / "regions.yaml"
        regions.write_text(f"regions:\n  - {{ identifier: here, {region} }}\n")
        monitored = beaconry.call("monitor", str(regions), *air, "--duration", "3s", "--json")
        events = [json.loads(line) for line in monitored.stdout.splitlines()]
        entered = [each for each in events if each["event"] == "entered"]
        # An AltBeacon with the UUID of an iBeacon is in its region, too.
        assert len(entered) == 1, events


def test_clone_writes_each_format_as_itself(beaconry: Beaconry, profile: Path) -> None:
    recording = beaconry.folder / "formats.jsonl"
    done = beaconry.call("record", str(recording), "--profile", str(profile), "--rate", "max", "--duration", "5s", "--seed", "1")
    assert done.returncode == 0, done
    copy = beaconry.folder / "copy.yaml"
    done = beaconry.call("clone", str(recording), str(copy))
    assert done.returncode == 0, done
    text = copy.read_text()
    assert "device: raw" not in text
    for name in BEACONS.keys() - {"ibeacon"}:
        assert f"format: {name}" in text
    plotted = beaconry.folder / "formats.svg"
    assert beaconry.call("plot", str(recording), "-o", str(plotted)).returncode == 0
    assert all(f">{name} " in plotted.read_text() for name in BEACONS)


def test_scenario_expects_each_format(beaconry: Beaconry) -> None:
    """`test` at 4 m: regions by the names of beacons, distances, and the nearest."""
    entries = "".join(
        f"  - {{ id: {name}, device: beacon, position: [{4 + index}, 0], {keys} }}\n" for index, (name, (keys, _, _)) in enumerate(BEACONS.items())
    )
    expectations = "".join(
        f"  - {{ receiver: phone, distance: {name}, metres: {4 + index}, tolerance: 0.5, by: 10s }}\n" for index, name in enumerate(BEACONS)
    ) + "".join(f"  - {{ receiver: phone, enters: {name}, by: 10s }}\n" for name, (_, _, region) in BEACONS.items() if region)
    scenario = beaconry.profile(
        f"scenario: formats\nduration: 20s\nbeacons:\n{entries}receivers: [{{ id: phone, position: [0, 0] }}]\nexpect:\n{expectations}"
        "  - { receiver: phone, nearest: ibeacon, by: 10s }\n", "scenario.yaml",
    )  # fmt: skip
    done = beaconry.call("test", str(scenario))
    assert done.returncode == 0, done


def test_near_misses_are_named(beaconry: Beaconry) -> None:
    """An iBeacon of 26 bytes: an app with the Android Beacon Library ranges it; others get the reason."""
    longer = f"0201041BFF4C000215{UUID.replace('-', '')}00010002BB4E"
    profile = beaconry.profile(f"profile: longer\nbeacons:\n  - {{ id: e, device: raw, advertising-data: {longer} }}\n")
    air = ("--profile", str(profile), "--rate", "max")
    missed = beaconry.call("expect", *air, "--uuid", UUID, "--within", "5s")
    assert missed.returncode == 1 and "none of an iBeacon; nearest miss: an iBeacon of 26 bytes from " in missed.stdout + missed.stderr, missed
    ranged = beaconry.call("range", *air, "--duration", "3s", "--json")
    assert "received instead: 1 advertiser without a beacon frame (an iBeacon of 26 bytes)" in ranged.stdout, ranged
    ranged = beaconry.call("range", *air, "--duration", "3s", "--json", "--phone", "altbeacon")
    beacons = [each for line in ranged.stdout.splitlines() for each in json.loads(line).get("beacons", [])]
    assert beacons and {each["minor"] for each in beacons} == {2} and {each["measuredPower"] for each in beacons} == {-69}
    scanned = beaconry.call("scan", *air, "--duration", "3s", "--json")
    assert json.loads(scanned.stdout.splitlines()[1])["nearMisses"][0]["text"] == "an iBeacon of 26 bytes", scanned
    assert "almost: an iBeacon of 26 bytes; " in beaconry.call("scan", *air, "--duration", "3s").stdout
    checked = beaconry.call("check", str(profile), "--json")
    assert '"near-miss"' in checked.stdout and "an iBeacon of 26 bytes" in checked.stdout, checked


def test_scan_names_what_is_no_beacon(beaconry: Beaconry) -> None:
    """A tracker is named, and so is a device that waits for its commissioning."""
    finding, matter = f"1EFF4C001219{'00' * 25}", "0B16F6FF000F00F1FF018000"
    beacons = "".join(
        f"  - {{ id: {name}, device: raw, pdu: ADV_IND, advertising-data: {data} }}\n" for name, data in (("f", finding), ("m", matter))
    )
    air = ("--profile", str(beaconry.profile(f"profile: known\nbeacons:\n{beacons}")), "--rate", "max", "--duration", "3s")
    records = [json.loads(line) for line in beaconry.call("scan", *air, "--json").stdout.splitlines()]
    known = {name for each in records for name in each.get("recognized", [])}
    assert known == {"Apple: Find My, separated from its owner", "Matter commissioning"}, records
    assert all(name in beaconry.call("scan", *air).stdout for name in known)
