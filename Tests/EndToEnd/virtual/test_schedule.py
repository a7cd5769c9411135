# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Beacons with a schedule: what a host receives, and what the control socket shows."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from beaconry import Beaconry, Event, Run
from phone import Report, phone, receive_reports

PROFILE = """
profile: shop
beacons:
  - id: sign
    device: ibeacon
    interval: 20ms
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7 }}
    schedule: {schedule}
"""


def shown(beaconry: Beaconry) -> Event:
    """The status of the beacon."""
    done = beaconry.call("ctl", "show", "sign", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def received(transport: str, seconds: float) -> list[Report]:
    """What a Bumble host receives."""

    async def receive() -> list[Report]:
        async with phone(transport) as device:
            return await receive_reports(device, seconds)

    return asyncio.run(receive())


def test_a_host_receives_the_beacon_at_its_times(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path
) -> None:
    """The times are those on the air, which the capture has."""
    capture = tmp_path / "air.btsnoop"
    profile = beaconry.profile(PROFILE.format(schedule="{ on: 1s, off: 1s }"))
    run, transport = air(profile, "--ephemeral", "--capture", str(capture))
    reports = received(transport, 5)
    assert run.wait("advertising-stopped", device="sign")["reason"] == "off by its schedule"
    assert run.end() == 0
    decoded = map(json.loads, beaconry.call("decode", str(capture), "--json").stdout.splitlines())
    times = [datetime.fromisoformat(each["time"].replace("Z", "+00:00")).timestamp() for each in decoded]
    gaps = [later - earlier for earlier, later in zip(times, times[1:]) if later - earlier > 0.5]
    assert len(reports) > 50 and len(gaps) >= 2
    assert all(0.7 < gap < 1.5 for gap in gaps)


def test_numbers_and_addresses_rotate(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    schedule = "{ rotate: { every: 1s, minor: [1, 2, 3], address: random } }"
    _, transport = air(beaconry.profile(PROFILE.format(schedule=schedule)), "--ephemeral")
    reports = received(transport, 4)
    identities = list(dict.fromkeys((each.address, int.from_bytes(each.data[27:29], "big")) for each in reports))
    minors = [minor for _, minor in identities]
    assert len(identities) >= 4
    assert len({address for address, _ in identities}) == len(identities)
    assert all(later == earlier % 3 + 1 for earlier, later in zip(minors, minors[1:]))


def test_the_day_of_the_week_and_the_hand_of_the_user(beaconry: Beaconry) -> None:
    """It is off by its schedule; ctl enable switches it on until the schedule changes."""
    beaconry.environment["TZ"] = "UTC"
    now = time.time()
    # A window of a minute that began at midnight of the day before yesterday.
    day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][time.gmtime(now - 2 * 86400).tm_wday]
    profile = beaconry.profile(PROFILE.format(schedule=f"{{ between: {day} 00:00-00:01 }}"))
    run = beaconry.run(profile, "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait("ready")
    status = shown(beaconry)
    assert not status["enabled"] and not status["onAir"]
    midnight = int(now) // 86400 * 86400
    until = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(midnight + 5 * 86400))
    assert status["schedule"] == {"on": False, "until": until}
    listed = beaconry.call("ctl", "list")
    assert "off (schedule)" in listed.stdout

    assert beaconry.call("ctl", "enable", "sign").returncode == 0
    run.wait("advertising-started", device="sign")
    assert shown(beaconry)["schedule"] == {"on": False, "until": until, "overridden": True}
    assert f"switched on by hand until {until}" in beaconry.call("ctl", "show", "sign").stdout
    assert beaconry.call("ctl", "disable", "sign").returncode == 0
    assert run.wait("advertising-stopped", device="sign")["reason"] == "off by its schedule"
    assert shown(beaconry)["schedule"] == {"on": False, "until": until}
    assert run.end() == 0


def test_check_names_the_mistake(beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE.format(schedule="{ between: 9-17 }"))
    done = beaconry.call("check", str(profile))
    assert done.returncode == 65
    assert f"{os.fspath(profile)}:8:26: error: beacons[0].schedule.between: \"9-17\" is not a time of the day" in done.stderr + done.stdout
