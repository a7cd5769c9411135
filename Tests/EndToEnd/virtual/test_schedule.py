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

from beaconry import Beaconry, Event, Run
from phone import phone, receive_reports

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


def received(beaconry: Beaconry, schedule: str, duration: str) -> list[Event]:
    """What a receiver in virtual time gets of the beacon."""
    profile = str(beaconry.profile(PROFILE.format(schedule=schedule)))
    done = beaconry.call("scan", "--duplicates", "--profile", profile, "--rate", "max", "--duration", duration, "--json")
    assert done.returncode == 0, done
    return [event for event in map(json.loads, done.stdout.splitlines()) if event["event"] == "heard"]


def test_a_beacon_is_received_at_its_times(beaconry: Beaconry) -> None:
    reports = received(beaconry, "{ on: 1s, off: 1s }", "5s")
    times = [datetime.fromisoformat(each["time"].replace("Z", "+00:00")).timestamp() for each in reports]
    gaps = [later - earlier for earlier, later in zip(times, times[1:]) if later - earlier > 0.5]
    assert len(reports) > 50 and len(gaps) == 2
    assert all(0.95 < gap < 1.05 for gap in gaps)


def test_a_host_receives_the_beacon_until_its_schedule_ends(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry
) -> None:
    run, transport = air(beaconry.profile(PROFILE.format(schedule="{ on: 1s, off: 1h }")), "--ephemeral")

    async def receive() -> None:
        async with phone(transport) as device:
            assert run.wait("advertising-stopped", device="sign")["reason"] == "off by its schedule"
            assert await receive_reports(device, 0.5, until=None) == []
            assert (await asyncio.to_thread(beaconry.call, "ctl", "enable", "sign")).returncode == 0
            await receive_reports(device, 0)

    asyncio.run(receive())
    assert run.end() == 0


def test_numbers_and_addresses_rotate(beaconry: Beaconry) -> None:
    reports = received(beaconry, "{ rotate: { every: 1s, minor: [1, 2, 3], address: random } }", "5s")
    identities = list(dict.fromkeys((each["address"], each["frames"][0]["minor"]) for each in reports))
    minors = [minor for _, minor in identities]
    assert len(identities) in (5, 6)
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
