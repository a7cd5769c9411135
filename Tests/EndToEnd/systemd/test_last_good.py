# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The last good profile of the services: it is on the air, and reported, while the profile cannot be read."""

from __future__ import annotations

import re

import pytest
from machine import Machine, profile, use_virtual_air

PROFILE = "/etc/beaconry/profile.yaml"
METRICS = "/run/beaconry/metrics"
BROKEN = "profile: museum\nbeacons: nothing\n"


def is_last_good(machine: Machine) -> bool:
    """The gauge that the alert is about."""
    found = re.search(r"^beaconry_profile_is_last_good(?:\{.*\})? (\d)", machine.read(METRICS), re.MULTILINE)
    assert found, machine.read(METRICS)
    return found[1] == "1"


@pytest.fixture
def running(machine: Machine) -> Machine:
    """A machine whose service has had two beacons on the air, and is enabled."""
    machine.write(PROFILE, profile("museum", "door", "lobby"))
    use_virtual_air(machine, BEACONRY_METRICS_FILE=METRICS)
    machine.run("systemctl", "enable", "--now", "beaconry")
    machine.wait_for_beacons(count=2)
    machine.wait("metrics", lambda: machine.exists(METRICS) and not is_last_good(machine))
    return machine


@pytest.mark.parametrize("way", ["restart", "power cut"])
def test_broken_profile_is_replaced_until_it_is_corrected(running: Machine, way: str) -> None:
    running.write(PROFILE, BROKEN)
    if way == "restart":
        running.run("systemctl", "restart", "beaconry")
    else:
        running.kill()
        running.boot()
    running.wait_for_beacons(count=2)
    assert running.state("beaconry") == "active"
    running.wait("metric", lambda: running.exists(METRICS) and is_last_good(running))
    assert "profile.yaml:2:" in running.journal(), "the fault is reported"
    assert "last" in running.show("beaconry", "StatusText")[0]
    assert running.call("systemctl", "reload", "beaconry").returncode != 0
    running.write(PROFILE, profile("museum", "door", "lobby", "garden"))
    running.run("systemctl", "reload", "beaconry")
    running.wait_for_beacons(count=3)
    running.wait("metric", lambda: not is_last_good(running))


def test_last_good_profile_survives_a_second_start(running: Machine) -> None:
    """The copy that is run does not replace what it is a copy of."""
    running.write(PROFILE, BROKEN)
    for _ in range(2):
        running.run("systemctl", "restart", "beaconry")
        running.wait_for_beacons(count=2)
    running.wait("metric", lambda: running.exists(METRICS) and is_last_good(running))
