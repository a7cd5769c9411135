# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The receiving commands on hci0 under bluetoothd, with beacons on hci1."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peripheral as rig
import pytest
from air import AirStarter
from beaconry import BINARY, CONFIG_SERVICE, Beaconry, Run, service_list
from test_receiving import BEACON, CONNECTABLE, TICKS, peripheral  # noqa: F401
from vhci import ADDRESSES, Bluetoothd, Management, as_ordinary_user

# Tests in which bluetoothd reports devices are marked.
pytestmark = pytest.mark.depends_on()

RADIO = ("--radio", "bluez:hci0")
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def objects(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def beacon(world, mgmt: Management) -> None:
    """A configurable iBeacon that hci1 advertises."""
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, service_list(CONFIG_SERVICE))


def test_scan_sees_what_the_kernel_sees(beacon: None, beaconry: Beaconry) -> None:
    scan = beaconry.start("scan", *RADIO, "--services", CONFIG_SERVICE, "--duration", "600s", "--json")
    scan.wait("heard", address=ADDRESSES[1], where=lambda event: event.get("frames"))
    assert scan.end() == 0, scan.errors
    received = [each for each in scan.events if each.get("address") == ADDRESSES[1] and each.get("frames")]
    assert received[-1]["advertisingData"] == BEACON.hex() and received[-1]["frames"][0]["uuid"] == UUID
    assert {each.get("pdu") for each in received} <= {"ADV_IND", "SCAN_RSP"}


@pytest.mark.depends_on("bluez")
def test_limits_of_an_ordinary_user_are_reported(beacon: None) -> None:
    scan = Run(as_ordinary_user([str(BINARY), "scan", *RADIO, "--duration", "60s", "--json"]), dict(os.environ))
    try:
        # btvirt's only report of a scan may arrive before the kernel passes reports on.
        scan.wait("heard", where=lambda event: any(frame["uuid"] == UUID for frame in event.get("frames", [])))
        assert scan.end() == 0, scan.errors
    finally:
        scan.kill()
    limits = {code.removeprefix("limit-") for code in scan.warnings()}
    assert {"pdu", "exact-data"} <= limits, scan.events
    assert not any("pdu" in each for each in scan.events if each.get("address") == ADDRESSES[1])


INTERVALS = """
profile: intervals
beacons:
  - { id: fast, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1 }, interval: 100ms,
      address: "C0:FF:EE:00:00:01" }
  - { id: slow, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2 }, interval: 200ms,
      address: "C0:FF:EE:00:00:02" }
"""


@pytest.mark.depends_on("bluez")
def test_recorded_intervals_are_those_of_complete_scans(
    beaconry: Beaconry, air: AirStarter, bluetoothd: Bluetoothd
) -> None:
    """A discovery reports a beacon once a second: its intervals are not known. A passive scan reports each advertisement."""
    room = air("", profile=INTERVALS)
    recording, profile = str(beaconry.folder / "air.jsonl"), beaconry.folder / "clone.yaml"

    def record(*options: str) -> tuple[list[str], str, str]:
        """The limits of a recording, the profile that `clone` makes of it, and what `clone` says."""
        for seconds in (10, 20, 40):
            done = beaconry.call("record", recording, "--radio", room.radio, "--duration", f"{seconds}s", "--force", *options)
            assert done.returncode == 0, done
            head, *lines = objects(Path(recording).read_text())
            if all(sum(each["address"] == f"C0:FF:EE:00:00:0{number}" for each in lines) > 7 for number in (1, 2)):
                break
        done = beaconry.call("clone", recording, str(profile), "--force")
        assert done.returncode == 0, done
        return head["limits"], profile.read_text(), done.stderr

    limits, text, errors = record()
    assert "duplicates" in limits and "interval:" not in text and "[intervals-unknown]" in errors, (limits, text, errors)
    assert text.count("# its interval is left out, so it is 100 ms: the receiver left out repetitions") == 2, text
    refused = beaconry.call("record", recording, "--radio", room.radio, "--force", "--passive")
    assert refused.returncode == 69 and "Experimental = true" in refused.stderr, refused
    bluetoothd.restart("-E")
    limits, text, errors = record("--passive")
    assert limits == [] and "[intervals-unknown]" not in errors, (limits, errors)
    # What is estimated depends on how evenly the machine runs: unit tests compare it.
    assert text.count("    interval: ") == 2 and "left out" not in text, text


def test_expect_and_range_receive_the_beacon(beacon: None, beaconry: Beaconry) -> None:
    found = beaconry.call("expect", *RADIO, "--uuid", UUID, "--major", "1", "--minor", "2", "--within", "100s")
    assert found.returncode == 0, found
    missed = beaconry.call("expect", *RADIO, "--uuid", UUID, "--major", "9", "--within", "3s")
    assert missed.returncode == 1 and len(missed.stderr.splitlines() + missed.stdout.splitlines()) <= 3, missed
    ranging = beaconry.start("range", *RADIO, "--uuid", UUID, "--duration", "600s", "--json")
    ranging.wait("ranged", where=lambda event: [each["minor"] for each in event["beacons"]] == [2])
    assert ranging.end() == 0, ranging.errors


@pytest.mark.depends_on("bluez")
def test_manage_configures_a_third_party_peripheral(
    beacon: None, beaconry: Beaconry, peripheral: Callable[[], Run]  # noqa: F811
) -> None:
    device = peripheral()
    shown = beaconry.call("manage", "show", ADDRESSES[1], *RADIO, "--json")
    assert shown.returncode == 0, shown.stderr
    assert objects(shown.stdout)[-1]["settings"]["intervalTicks"] == 160
    done = beaconry.call("manage", "set", ADDRESSES[1], *RADIO, "--major", "7", "--interval", "200ms", "--json", timeout=120)
    assert done.returncode == 0, done.stderr
    device.wait("written", characteristic=rig.MAJOR_MINOR, value="07000100")
    device.wait("written", characteristic=rig.TRANSMIT_SETTINGS, value="02004001")
