# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The clock of the machine is set during a run, as by NTP on a small computer without a clock of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import BEACON_UUID, Beaconry, ibeacon
from vhci import Witness

PROFILE = """
profile: shop
beacons:
  - id: sign
    device: ibeacon
    ibeacon: {{ uuid: {uuid}, major: 1, minor: 7 }}
    schedule: {{ between: "{begin}-{end}" }}
"""


@pytest.fixture
def set_clock() -> Iterator[Callable[[float], None]]:
    """Sets the clock of the virtual machine by a number of seconds; at the end it is as if it had never been set."""
    assert Path("/results").is_dir(), "this test sets the clock: it runs in Scripts/bluez-vm"
    difference = time.time() - time.monotonic()

    def step(seconds: float) -> None:
        time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)

    yield step
    time.clock_settime(time.CLOCK_REALTIME, time.monotonic() + difference)


@pytest.mark.depends_on("bluez")
def test_schedule_follows_the_clock_when_it_is_set(
    beaconry: Beaconry, witness: Witness, set_clock: Callable[[float], None]
) -> None:
    beaconry.environment["TZ"] = "UTC"
    # The window begins in four hours, and is two hours long.
    begin, end = (time.strftime("%H:%M", time.gmtime(time.time() + hours * 3600)) for hours in (4, 6))
    run = beaconry.run(beaconry.profile(PROFILE.format(uuid=BEACON_UUID, begin=begin, end=end)))
    assert run.wait("ready")["onAir"] == 0
    data = ibeacon(BEACON_UUID, 1, 7)
    assert not any(each.advertising_data == data for each in witness.air(0).on_air)
    set_clock(5 * 3600)
    run.wait("advertising-started", device="sign")
    witness.wait_for(lambda air: any(each.advertising_data == data for each in air.on_air))
    set_clock(-5 * 3600)
    assert run.wait("advertising-stopped", device="sign")["reason"] == "off by its schedule"
    witness.wait_for(lambda air: not any(each.advertising_data == data for each in air.on_air))
    assert run.end() == 0
