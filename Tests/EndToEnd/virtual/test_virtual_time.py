# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Runs whose time is not real: as fast as possible, by a factor, and step by step."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry
from phone import phone

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PAIR = f"""
profile: pair
beacons:
  - {{ id: one, device: ibeacon, interval: 100ms, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
  - {{ id: two, device: ibeacon, interval: 1s, ibeacon: {{ uuid: {UUID}, major: 1, minor: 2 }} }}
"""
TELEMETRY = """
profile: telemetry
beacons:
  - id: sensor
    device: beacon
    format: eddystone-uid
    namespace: 00112233445566778899
    instance: AABBCCDDEEFF
    interval: 1s
    telemetry: { every: 2 }
"""


def control(beaconry: Beaconry, *arguments: str) -> subprocess.CompletedProcess[str]:
    return beaconry.call("ctl", *arguments)


def test_an_hour_takes_less_than_a_minute_and_has_its_times(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PAIR), "--rate", "max", "--duration", "1h", radio="virtual")
    assert run.wait("ready")["time"] == "2026-01-01T00:00:00.000Z"
    assert run.wait("stopping", timeout=300)["time"] == "2026-01-01T01:00:00.000Z"
    assert run.exit_code() == 0


@pytest.mark.slow
def test_a_day_of_schedules_has_all_of_their_changes(beaconry: Beaconry) -> None:
    """All periods divide a day, so the times of the changes are multiples of them."""
    periods = {"40s-20s": 60, "59.9s-100ms": 60, "7h-1h": 8 * 3600}
    beacons = "".join(
        f"  - {{ id: {name}, device: ibeacon, interval: 10240ms, ibeacon: {{ uuid: {UUID} }},"
        f" schedule: {{ on: {name.split('-')[0]}, off: {name.split('-')[1]} }} }}\n"
        for name in periods
    )
    rotating = (
        f"  - {{ id: turn, device: ibeacon, interval: 10240ms, ibeacon: {{ uuid: {UUID} }},"
        " schedule: { rotate: { every: 1m, minor: [1, 2] } } }\n"
    )
    profile = beaconry.profile(f"profile: schedules\nbeacons:\n{beacons}{rotating}")
    options = ("--radio", "virtual", "--hci-server", "none", "--rate", "max", "--duration", "24h", "--ephemeral", "--json")
    events = [json.loads(line) for line in beaconry.call("run", str(profile), *options).stdout.splitlines()]
    assert events[-1] == {"v": 1, "event": "stopping", "time": "2026-01-02T00:00:00.000Z"}
    for name, period in periods.items():
        times = [each["time"] for each in events if each["event"] == "advertising-started" and each["device"] == name]
        assert times == [written(number * period) for number in range(86_400 // period)], name
    times = [each["time"] for each in events if each["event"] == "advertising-changed" and each["device"] == "turn"]
    assert times == [written(number * 60) for number in range(1, 1440)]


def written(seconds: int) -> str:
    """A time of a run in virtual time as events have it."""
    return f"2026-01-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"


@pytest.mark.slow
def test_the_same_seed_writes_the_same_capture(beaconry: Beaconry, tmp_path: Path) -> None:
    captures = []
    for name in ("first", "second", "third"):
        file = tmp_path / f"{name}.btsnoop"
        run = beaconry.run(
            beaconry.profile(TELEMETRY), "--rate", "max", "--duration", "10m", "--seed", "7", "--capture", str(file),
            radio="virtual",
        )  # fmt: skip
        assert run.exit_code(timeout=300) == 0
        captures.append(file.read_bytes())
    # A telemetry frame every two seconds is an HCI command each.
    assert len(captures[0]) > 10_000
    assert captures[0] == captures[1] == captures[2]


def test_a_manual_clock_advances_by_steps(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PAIR), "--rate", "manual", "--duration", "1m", radio="virtual")
    run.wait("ready")
    assert json.loads(control(beaconry, "clock", "--json").stdout) == {"elapsed": 0, "rate": "manual", "v": 1, "virtual": True}
    advanced = json.loads(control(beaconry, "clock", "advance", "59s", "--json").stdout)
    assert advanced == {"elapsed": 59, "rate": "manual", "v": 1, "virtual": True}
    assert control(beaconry, "mute", "one").returncode == 0
    assert control(beaconry, "clock", "advance", "1s").returncode == 0
    assert run.wait("stopping")["time"] == "2026-01-01T00:01:00.000Z"


def test_the_rate_of_a_run_can_be_changed(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PAIR), "--rate", "manual", "--duration", "1000h", radio="virtual")
    run.wait("ready")
    refused = control(beaconry, "clock", "rate", "fast")
    assert refused.returncode == 64 and "is not a rate; write max, manual, or a number" in refused.stderr
    assert control(beaconry, "clock", "rate", "max").returncode == 0
    refused = control(beaconry, "clock", "advance", "1s")
    assert refused.returncode == 65 and "only a paused clock can be advanced" in refused.stderr
    assert control(beaconry, "clock", "pause").returncode == 0
    paused = json.loads(control(beaconry, "clock", "--json").stdout)["elapsed"]
    assert paused > 60
    assert json.loads(control(beaconry, "clock", "--json").stdout)["elapsed"] == paused


@pytest.mark.slow
@pytest.mark.parametrize(("options", "rate"), [((), 1), (("--rate", "10"), 10)], ids=["real time", "ten times"])
def test_hosts_receive_ten_times_the_advertisements_at_ten_times_the_rate(
    beaconry: Beaconry, options: tuple[str, ...], rate: int
) -> None:
    """They are almost six in a second of the run; the rate is the number of such seconds in one of real time."""
    profile = beaconry.profile(PAIR.replace("100ms", "200ms"))
    run = beaconry.run(profile, "--hci-server", "tcp:127.0.0.1:0", *options, radio="virtual")
    (name,) = run.wait("radio-ready")["servers"]
    run.wait("ready")
    reports: list[Any] = []

    async def clock() -> tuple[float, float, float]:
        """The time of the run, and the real time before and after it was read."""
        before = time.monotonic()
        answer = await asyncio.to_thread(control, beaconry, "clock", "--json")
        return json.loads(answer.stdout)["elapsed"], before, time.monotonic()

    async def receive() -> None:
        async with phone(name.replace("tcp:", "tcp-client:")) as device:
            device.host.on("advertising_report", reports.append)
            start, earliest, latest = await clock()
            await device.start_scanning(active=False, filter_duplicates=False)
            async with asyncio.timeout(300):
                while not reports:
                    await asyncio.sleep(0.02)
                first, (begin, *_) = len(reports), await clock()
                passed = 0.0
                # A busy machine delays reports for a time, and sends none early.
                while passed < 3 * rate or len(reports) - first < 5 * passed:
                    await asyncio.sleep(0.1)
                    passed = (await clock())[0] - begin
            count = len(reports)
            end, before, after = await clock()
            assert count <= 6 * (end - start) + 2
            assert 0.9 * rate * (before - latest) < end - start < 1.1 * rate * (after - earliest)

    asyncio.run(receive())
    assert run.end() == 0


def test_the_clock_of_real_time_cannot_be_changed(beaconry: Beaconry) -> None:
    beaconry.run(beaconry.profile(PAIR), "--hci-server", "none", radio="virtual").wait("ready")
    clock = json.loads(control(beaconry, "clock", "--json").stdout)
    assert clock["rate"] == "1" and "virtual" not in clock
    refused = control(beaconry, "clock", "pause")
    assert refused.returncode == 65 and "start the run with --rate" in refused.stderr


def test_receivers_of_a_profile_are_not_served_without_hosts(beaconry: Beaconry) -> None:
    run = beaconry.run(
        PROFILES / "walk.yaml", "--ephemeral", "--rate", "max", "--duration", "1m", "--hci-server", "none", radio="virtual"
    )
    assert "visitor" in run.wait("warning", code="receivers-not-served")["message"]
    assert run.wait("radio-ready").get("receivers") is None
    run.wait("stopping")
    assert run.end() == 0
    refused = beaconry.call(
        "run", str(PROFILES / "walk.yaml"), "--radio", "virtual", "--ephemeral", "--rate", "max", "--duration", "1m"
    )
    assert refused.returncode == 64 and "--hci-server none" in refused.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--rate", "max", "--hci-server", "tcp:127.0.0.1:0"], "--rate max is not possible with hosts of other processes"),
        (["--rate", "manual", "--hci-server", "tcp:127.0.0.1:0"], "use a number such as --rate 10"),
        (["--rate", "0"], '"0" is not a rate; write max, manual, or a number from 0.001 to 10000'),
        (["--rate", "1e-300"], '"1e-300" is not a rate; write max, manual, or a number from 0.001 to 10000'),
        (["--rate", "2", "--radio", "hci-socket:0"], "--rate needs --radio virtual"),
    ],
)
def test_a_rate_that_is_not_possible_is_refused(beaconry: Beaconry, options: list[str], sentence: str) -> None:
    radio = [] if "--radio" in options else ["--radio", "virtual"]
    done = beaconry.call("run", str(beaconry.profile(PAIR)), *radio, *options)
    assert done.returncode == 64 and sentence in done.stderr
