# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The clock and the time zone of the machine are set during a run, as by NTP on a small computer without a clock of its own."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from air import Receiver
from beaconry import BEACON_UUID, Beaconry, Run, ibeacon
from vhci import eventually

PROFILE = """
profile: shop
beacons:
  - id: sign
    device: ibeacon
    ibeacon: {{ uuid: {uuid}, major: 1, minor: 7 }}
    schedule: {{ between: "{begin}-{end}" }}
"""
FRAME = ibeacon(BEACON_UUID, 1, 7)
LOCALTIME = Path("/etc/localtime")

pytestmark = [pytest.mark.places, pytest.mark.depends_on("bluez")]


def in_a_machine() -> None:
    assert Path("/results").is_dir(), "this test sets the clock: it runs in Scripts/bluez-vm"


@pytest.fixture
def step_clock() -> Iterator[Callable[[int], None]]:
    """Sets the clock of the virtual machine forward or back by a number of hours; at the end it is as if it had never been set."""
    in_a_machine()
    difference = time.time() - time.monotonic()

    def step(hours: int) -> None:
        subprocess.run(["date", "-s", f"@{time.time() + hours * 3600:.3f}"], check=True, stdout=subprocess.DEVNULL)

    yield step
    time.clock_settime(time.CLOCK_REALTIME, time.monotonic() + difference)


@pytest.fixture
def set_zone() -> Iterator[Callable[[str], None]]:
    """Sets the time zone of the virtual machine, as timedatectl does."""
    in_a_machine()
    before = LOCALTIME.resolve()

    def set_zone(name: str | Path) -> None:
        LOCALTIME.unlink()
        LOCALTIME.symlink_to(Path("/usr/share/zoneinfo") / name)

    yield set_zone
    set_zone(before)


def start(beaconry: Beaconry) -> Run:
    """A run whose beacon is on in a window of two hours, which begins in four."""
    begin, end = (time.strftime("%H:%M", time.gmtime(time.time() + hours * 3600)) for hours in (4, 6))
    run = beaconry.run(beaconry.profile(PROFILE.format(uuid=BEACON_UUID, begin=begin, end=end)))
    assert run.wait("ready")["onAir"] == 0
    return run


def is_received(receiver: Receiver) -> bool:
    """Whether the beacon was received in the last two seconds: reports from before the clock was set back are of the future."""
    now = time.time()
    return any(each.data == FRAME and now - 2 < each.time <= now for each in receiver.since(now - 2))


def expect_the_window(run: Run, receiver: Receiver, begin: Callable[[], None], end: Callable[[], None]) -> None:
    assert not is_received(receiver)
    begin()
    run.wait("advertising-started", device="sign")
    eventually("it is received", lambda: is_received(receiver))
    end()
    assert run.wait("advertising-stopped", device="sign")["reason"] == "off by its schedule"
    eventually("it is off the air", lambda: not is_received(receiver))
    assert run.end() == 0


def test_schedule_follows_the_clock_when_it_is_set(beaconry: Beaconry, receiver: Receiver, step_clock: Callable[[int], None]) -> None:
    beaconry.environment["TZ"] = "UTC"
    expect_the_window(start(beaconry), receiver, lambda: step_clock(5), lambda: step_clock(-5))


def test_schedule_follows_the_time_zone_when_it_is_set(beaconry: Beaconry, receiver: Receiver, set_zone: Callable[[str], None]) -> None:
    beaconry.environment.pop("TZ", None)
    set_zone("Etc/UTC")
    # Etc/GMT-5 is five hours ahead of UTC.
    expect_the_window(start(beaconry), receiver, lambda: set_zone("Etc/GMT-5"), lambda: set_zone("Etc/UTC"))
