# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A walk on the bench: Bumble rests beside the radio, and receives what makes an app show the distances of a walking receiver."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from beaconry import MAJOR_MINOR, Beaconry, Run
from phone import Report, connected, phone, read, receive_reports, write

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""
profile: shop
physics: {{ exponent: 2, sensitivity: -85dBm }}
beacons:
  - {{ id: door, device: ibeacon, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }} }}
  - {{ id: tag, device: iot-design-shop, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 2, measured-power: -59 }} }}
receivers:
  - {{ id: visitor, position: [1, 0], phone: iphone-locked }}
"""
BENCH = ("--bench", "visitor", "--bench-rssi", "-59", "--bench-app", "log-distance")


def start(beaconry: Beaconry, profile: Path, *options: str) -> tuple[Run, str]:
    """A bench whose radio is a virtual air, and Bumble's name for the place beside it."""
    run = beaconry.run(profile, *BENCH, "--seed", "5", "--hci-server", "tcp:127.0.0.1:0", *options, radio="virtual")
    radio = run.wait("radio-ready")
    assert radio["seed"] == 5
    server = radio["servers"][0]
    assert run.wait("warning")["code"] == "bench-scan"
    run.wait("ready")
    return run, server.replace("tcp:", "tcp-client:", 1)


def powers(reports: list[Report], minor: int = 1) -> list[int]:
    """The measured powers in the packets of a beacon, in order, each once in a row."""
    found: list[int] = []
    for report in reports:
        frame = report.data.find(bytes.fromhex("4c000215"))
        if frame < 0 or report.data[frame + 22 : frame + 24] != bytes([0, minor]):
            continue
        power = report.data[frame + 24] - 256
        if not found or found[-1] != power:
            found.append(power)
    return found


def test_measured_power_follows_the_walk(beaconry: Beaconry) -> None:
    run, place = start(beaconry, beaconry.profile(SHOP), "--ephemeral")

    async def receive() -> list[Report]:
        async with phone(place) as device:
            received = await receive_reports(device, 0, active=False, until=lambda reports: -59 in powers(reports))
            for metres, power in ((10, -39), (2, -53)):
                await asyncio.to_thread(beaconry.call, "ctl", "move", "visitor", str(metres), "0")
                received += await receive_reports(
                    device, 0, active=False, until=lambda reports, power=power: powers(reports)[-1:] == [power]
                )
            return received

    received = asyncio.run(receive())
    assert {report.rssi for report in received} == {-59}
    assert powers(received)[0] == -59 and powers(received)[-1] == -53
    bench = json.loads(beaconry.call("ctl", "bench", "--json").stdout)
    assert (bench["receiver"], bench["rssi"], bench["app"], bench["seed"]) == ("visitor", -59, "log-distance", 5)
    door = bench["beacons"][0]
    assert (door["beacon"], door["state"], door["measuredPower"], door["benchPower"]) == ("door", "in-range", -59, -53)
    shown = json.loads(beaconry.call("ctl", "show", "door", "--json").stdout)
    assert shown["settings"]["measured-power"] == -59
    assert shown["effective"]["advertisingData"].endswith("cb")
    assert run.end() == 0


def test_beacon_leaves_the_air_beyond_the_range(beaconry: Beaconry) -> None:
    run, _ = start(beaconry, beaconry.profile(SHOP), "--ephemeral")
    assert beaconry.call("ctl", "move", "visitor", "500", "0").returncode == 0
    for each in ("door", "tag"):
        stopped = run.wait_until_reported("advertising-stopped", device=each)
        assert stopped["reason"] == "it is out of the range of visitor"
    listed = json.loads(beaconry.call("ctl", "list", "--json").stdout.splitlines()[0])
    assert (listed["id"], listed["state"]) == ("door", "out-of-range")
    assert beaconry.call("ctl", "move", "visitor", "2", "0").returncode == 0
    started = run.wait("advertising-started", device="door")
    assert started["advertisingData"].endswith("cb")
    assert run.end() == 0


def test_kill_leaves_settings_as_they_were(beaconry: Beaconry) -> None:
    profile = beaconry.profile(SHOP)
    run, _ = start(beaconry, profile)
    assert beaconry.call("ctl", "move", "visitor", "10", "0").returncode == 0
    run.wait("advertising-changed", device="tag", timeout=300)
    run.kill()
    run = beaconry.run(profile, "--hci-server", "none", radio="virtual")
    assert run.wait("advertising-started", device="tag")["advertisingData"].endswith("c5")
    run.wait("ready")
    assert "settings-restored" not in run.record
    assert run.end() == 0


def test_central_connects_to_the_radio(beaconry: Beaconry) -> None:
    """The services are on the radio; a host beside it configures the beacon, and the walk goes on."""
    run, place = start(beaconry, beaconry.profile(SHOP), "--ephemeral")

    address = json.loads(beaconry.call("ctl", "show", "tag", "--json").stdout)["effective"]["address"]

    async def configure() -> bytes:
        async with phone(place) as device, connected(device, address) as (_, peer):
            await write(peer, MAJOR_MINOR, bytes([1, 0, 9, 0]))
            return await read(peer, MAJOR_MINOR)

    assert asyncio.run(configure()) == bytes([1, 0, 9, 0])
    run.wait("disconnected", device="tag")
    run.wait("advertising-started", device="tag")
    bench = json.loads(beaconry.call("ctl", "bench", "--json").stdout)
    assert [each["state"] for each in bench["beacons"]] == ["in-range", "in-range"]
    shown = json.loads(beaconry.call("ctl", "show", "tag", "--json").stdout)
    assert shown["effective"]["advertisingData"].endswith("00010009c5")
    assert run.end() == 0


def test_options_are_checked(beaconry: Beaconry) -> None:
    profile = str(beaconry.profile(SHOP))
    for options, code, words in (
        (["--bench", "guest", "--bench-rssi", "-68", "--radio", "virtual"], 64, 'no receiver "guest"'),
        (["--bench", "visitor", "--radio", "virtual"], 64, "--bench-rssi -68"),
        (["--bench-rssi", "-68", "--radio", "virtual"], 64, "need --bench RECEIVER"),
        (["--bench", "visitor", "--bench-rssi", "5", "--radio", "virtual"], 64, "-100 to -20 dBm"),
        (["--bench", "visitor", "--bench-rssi", "-68", "--radio", "virtual", "--rate", "2"], 64, "exclude each other"),
    ):
        refused = beaconry.call("run", profile, *options)
        assert refused.returncode == code and words in refused.stderr, refused


def test_bench_of_a_run_without_one_is_refused(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(SHOP), "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait("ready")
    refused = beaconry.call("ctl", "bench")
    assert refused.returncode != 0 and "this run has no bench" in refused.stderr
    assert run.end() == 0


def test_calibration_is_the_trimmed_mean(beaconry: Beaconry) -> None:
    values = ["-68"] * 8 + ["-90", "-40"]
    done = beaconry.call("bench", "calibrate", *values)
    assert done.stdout == "bench RSSI -68 dBm, from 10 values without the 1 lowest and the 1 highest: --bench-rssi -68\n"
    assert json.loads(beaconry.call("bench", "calibrate", "--json", *values).stdout)["rssi"] == -68
    assert "outside -75 to -65 dBm" in beaconry.call("bench", "calibrate", "-50").stderr
    refused = beaconry.call("bench", "calibrate", "-68", "strong")
    assert refused.returncode == 65 and '"strong" is not an RSSI' in refused.stderr
