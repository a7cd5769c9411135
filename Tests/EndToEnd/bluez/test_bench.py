# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A walk on the bench, on an adapter of BlueZ: Bumble is the phone that rests beside it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import Beaconry, ibeacon
from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport
from vhci import Controllers, Witness, eventually

pytestmark = pytest.mark.depends_on("controllers")

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""
profile: shop
physics: {{ exponent: 2, sensitivity: -85dBm }}
beacons:
  - {{ id: door, device: ibeacon, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }} }}
receivers:
  - {{ id: visitor, path: {{ through: [[1, 0], [9, 0]], speed: 0.5m/s }} }}
"""
BENCH = ("--bench", "visitor", "--bench-rssi", "-65", "--bench-app", "log-distance")
WALK = 16
"""The seconds of the walk: 8 m at 0.5 m/s."""


async def packets(until: Callable[[list[int]], bool], meanwhile: Callable[[], Any]) -> list[int]:
    """The measured powers of the packets that Bumble receives on hci1, until they meet a condition."""
    received: list[int] = []

    def note(report: Any) -> None:
        data = bytes(report.data)
        if data[:29] == ibeacon(UUID, 1, 1)[:29]:
            received.append(data[29] - 256)

    async with await open_transport("hci-socket:1") as (source, sink):
        device = Device.with_hci("phone", Address("F0:F1:F2:F3:F4:F5"), source, sink)
        await device.power_on()
        device.host.on("advertising_report", note)
        await device.start_scanning(active=False, filter_duplicates=False)
        await asyncio.to_thread(meanwhile)
        while not until(received):
            await asyncio.sleep(0.05)
        await device.stop_scanning()
        await device.power_off()
    return received


def power_on_bench(beaconry: Beaconry) -> int | None:
    """The measured power with which the only beacon is advertised, in dBm; None while it is out of range."""
    [beacon] = json.loads(beaconry.call("ctl", "bench", "--json").stdout)["beacons"]
    power: int | None = beacon.get("benchPower")
    return power


def test_phone_receives_the_walk(beaconry: Beaconry, controllers: Controllers, witness: Witness) -> None:
    controllers.power(1, False)
    profile = beaconry.profile(SHOP)
    run = beaconry.run(profile, *BENCH)

    def walked() -> None:
        run.wait("advertising-changed", device="door", timeout=300)

    received = asyncio.run(asyncio.wait_for(packets(lambda found: found[-1:] == [-46], walked), 300))
    powers = [received[0], *(power for former, power in zip(received, received[1:]) if former != power)]
    # Every change is one of the device's once a second, so there are fewer than the 19 dB between the ends.
    assert len(powers) - 1 <= WALK + 1
    assert powers == sorted(powers) and powers[-1] == -46, powers
    # In a machine that stops for some seconds the receiver gets nothing meanwhile, and the beacon is out of its range for a moment.
    eventually("-46 dBm on the bench", lambda: power_on_bench(beaconry) == -46)

    assert beaconry.call("ctl", "move", "visitor", "500", "0").returncode == 0
    run.wait("advertising-stopped", device="door", timeout=120)
    witness.wait_for(lambda air: not air.on_air)
    assert beaconry.call("ctl", "move", "visitor", "1", "0").returncode == 0
    witness.wait_for(lambda air: [each.advertising_data for each in air.on_air] == [ibeacon(UUID, 1, 1, -65)])

    run.kill()
    run = beaconry.run(profile)
    run.wait("ready")
    witness.wait_for(lambda air: [each.advertising_data for each in air.on_air] == [ibeacon(UUID, 1, 1, -59)])
    assert run.end() == 0


def test_bench_is_calibrated(beaconry: Beaconry, controllers: Controllers, witness: Witness) -> None:
    """On a terminal: the iBeacon is on the air when the program says so, and until the values are read."""
    terminal, standard_input = os.openpty()
    command = [str(beaconry.binary), "bench", "calibrate", "--radio", "bluez:hci0"]
    with subprocess.Popen(
        command, stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=beaconry.environment
    ) as calibrating:
        os.close(standard_input)
        assert calibrating.stdout and calibrating.stderr
        assert "an iBeacon is on the air" in calibrating.stderr.readline()
        witness.wait_for(lambda air: [each.advertising_data[5:9] for each in air.on_air] == [bytes.fromhex("4c000215")])
        os.write(terminal, b"-67 -69 -68\n\x04")
        assert calibrating.stdout.read() == "bench RSSI -68 dBm, from 3 values: --bench-rssi -68\n"
        assert calibrating.wait(300) == 0
    os.close(terminal)
    witness.wait_for(lambda air: not air.on_air)

    controllers.power(0, False)
    terminal, standard_input = os.openpty()
    refused = subprocess.run(command, stdin=standard_input, capture_output=True, text=True, env=beaconry.environment)
    os.close(standard_input)
    os.close(terminal)
    assert refused.returncode == 69 and "hci0 is powered off" in refused.stderr and "on the air" not in refused.stderr
