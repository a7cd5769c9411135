# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""An ordinary user, over D-Bus alone: what bluetoothd makes of a beacon, and that it is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from beaconry import CONFIG_SERVICE, MAJOR_MINOR, PROFILES, Beaconry, Run, ibeacon, service_list
from test_configuration import configure
from vhci import BLUEZ, Bluetoothd, Phone, Witness, as_ordinary_user


@pytest.fixture
def visitor(beaconry: Beaconry, tmp_path: Path):
    """Starts the program as an ordinary user with a state folder of its own."""
    command = as_ordinary_user([])

    def start(profile: str, *options: str) -> Run:
        folder = Path("/tmp/visitor")
        prefix = [*command, f"XDG_STATE_HOME={folder}/state", f"XDG_RUNTIME_DIR={folder}"]
        return beaconry.start("run", str(PROFILES / profile), "--radio", "bluez:hci0", "--json", *options, prefix=prefix)

    import shutil
    import subprocess

    shutil.rmtree("/tmp/visitor", ignore_errors=True)
    subprocess.run(["install", "-d", "-o", "visitor", "-m", "700", "/tmp/visitor"], check=True)
    return start


def carries_frame(data: bytes) -> bool:
    return ibeacon(CONFIG_SERVICE, 1, 1)[3:] in data


def test_the_configurable_beacon(visitor, bluetoothd: Bluetoothd, witness: Witness, phone: Phone) -> None:
    bluetoothd.restart("-E")
    run = visitor("iot-design-shop.yaml")
    ready = run.wait("radio-ready")
    assert ready["way"] == "D-Bus"
    started = run.wait("advertising-started")
    run.wait("ready")
    run.take(1)
    assert "not-read-back" in run.warnings()
    assert {"advertisingData", "scanResponse", "intervalTicks", "pdu", "address"} <= set(started["unknown"])
    witness.wait_for(lambda air: any(carries_frame(each.advertising_data) for each in air.since(run.began)), 30)
    told = next(each for each in witness.air().since(run.began) if carries_frame(each.advertising_data))
    assert told.pdu == "ADV_IND" and (told.min_ticks, told.max_ticks) == (160, 160)
    assert told.advertising_data == ibeacon(CONFIG_SERVICE, 1, 1)[3:] + b"\x02\x01\x06"
    assert "flags-last" in run.warnings()
    if BLUEZ == "5.66":
        assert "second-instance" in run.warnings()
        witness.wait_for(
            lambda air: any(service_list(CONFIG_SERVICE) in each.advertising_data for each in air.since(run.began)), 30
        )
    else:
        assert service_list(CONFIG_SERVICE) in told.scan_response
        assert "second-instance" not in run.warnings()
    assert asyncio.run(configure(phone, (MAJOR_MINOR, b"\x05\x00\x06\x00")))[MAJOR_MINOR] == b"\x05\x00\x06\x00"
    run.wait("disconnected")
    told = [event["event"] for event in run.events]
    assert {"connected", "advertising-stopped", "persisted"} <= set(told)
    assert [event["value"] for event in run.events if event["event"] == "written"] == ["05000600"]
    run.wait("advertising-started")
    frame = ibeacon(CONFIG_SERVICE, 5, 6)[3:]
    witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.since(run.began)), 30)
    assert run.end() == 0
    witness.wait_for(lambda air: not air.on_air)


def test_a_plain_beacon(visitor, witness: Witness) -> None:
    run = visitor("hot-and-cold.yaml")
    run.wait("ready")
    run.take(1)
    frame = ibeacon("D9EED498-BFDB-43C0-8B55-D06BB74C430B", 0, 0)[3:]
    air = witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.on_air))
    told = next(each for each in air.on_air if frame in each.advertising_data)
    assert b"\x02\x01\x06" in told.advertising_data
    assert told.pdu == "ADV_IND" and "pdu-changed" in run.warnings()
    assert ("interval-ignored" in run.warnings()) == (BLUEZ == "5.66")
    assert "flags-last" in run.warnings()
    if BLUEZ == "5.66":
        assert told.min_ticks != 160
    else:
        assert told.min_ticks == told.max_ticks == 160


def test_bluetoothd_restarted(visitor, bluetoothd: Bluetoothd, witness: Witness) -> None:
    run = visitor("hot-and-cold.yaml")
    run.wait("ready")
    bluetoothd.restart()
    run.wait("radio-lost")
    run.wait("advertising-started")
    frame = ibeacon("D9EED498-BFDB-43C0-8B55-D06BB74C430B", 0, 0)[3:]
    witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.on_air), 5)


def test_strict_refuses_what_the_bus_cannot_do(visitor) -> None:
    run = visitor("hot-and-cold.yaml", "--strict")
    assert run.exit_code() == 69
    assert "not on the air as asked" in run.errors
