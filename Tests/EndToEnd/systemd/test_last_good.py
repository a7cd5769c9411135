# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The last good profile of the services: it is on the air, and reported, while the profile cannot be read."""

from __future__ import annotations

import re

import pytest
from machine import Machine, profile, use_virtual_air

METRICS = "/run/beaconry/metrics"
BROKEN = "profile: museum\nbeacons: nothing\n"
HALL = "/etc/beaconry/rooms/hall.yaml"


class Service:
    """A service and its profile, which includes a file and refers to a variable."""

    def __init__(self, machine: Machine, unit: str) -> None:
        self.machine = machine
        self.unit = unit
        self.name = unit.partition("@")[2] or "profile"
        self.path = f"/etc/beaconry/{self.name}.yaml"

    def write(self, text: str) -> None:
        self.machine.write(self.path, text)

    def break_it(self, way: str) -> None:
        if way == "fault":
            self.write(BROKEN)
        elif way == "include":
            self.machine.run("rm", HALL)
        else:
            use_virtual_air(self.machine, self.unit, BEACONRY_METRICS_FILE=METRICS)

    def wait_for_beacons(self, count: int) -> None:
        self.machine.wait_for_beacons(self.name, count)

    def wait_for_metric(self, value: bool) -> None:
        self.machine.wait("metric", lambda: self.machine.exists(METRICS) and is_last_good(self.machine) == value)


def is_last_good(machine: Machine) -> bool:
    """The gauge that the alert is about."""
    found = re.search(r"^beaconry_profile_is_last_good(?:\{.*\})? (\d)", machine.read(METRICS), re.MULTILINE)
    assert found, machine.read(METRICS)
    return found[1] == "1"


@pytest.fixture(params=["beaconry", "beaconry@hall"])
def running(request: pytest.FixtureRequest, machine: Machine) -> Service:
    """A service that has had three beacons on the air, and is enabled."""
    service = Service(machine, request.param)
    machine.write(HALL, profile("", "hall").partition("\n")[2])
    text = profile("museum", "door", "lobby-${ROOM}").replace("profile: museum\n", "profile: museum\ninclude: rooms/hall.yaml\n")
    service.write(text.replace("lobby-${ROOM}", "'lobby-${ROOM}'"))
    use_virtual_air(machine, service.unit, BEACONRY_METRICS_FILE=METRICS, ROOM="3")
    machine.run("systemctl", "enable", "--now", service.unit)
    service.wait_for_beacons(3)
    service.wait_for_metric(False)
    return service


WAYS = {"restart": "fault", "power cut": "include", "another environment": "variable"}
"""How a start happens, and why the profile cannot be used then."""


@pytest.mark.parametrize("way", WAYS)
def test_broken_profile_is_replaced_until_it_is_corrected(running: Service, way: str) -> None:
    machine, unit = running.machine, running.unit
    running.break_it(WAYS[way])
    if way == "power cut":
        machine.kill()
        machine.boot()
    else:
        machine.run("systemctl", "restart", unit)
    running.wait_for_beacons(3)
    assert machine.state(unit) == "active"
    running.wait_for_metric(True)
    assert f"{running.name}.yaml:" in machine.journal(), "the fault is reported"
    assert "last" in machine.show(unit, "StatusText")[0]
    assert machine.call("systemctl", "reload", unit).returncode != 0
    running.write(profile("museum", "door", "lobby", "garden", "roof"))
    machine.run("systemctl", "reload", unit)
    running.wait_for_beacons(4)
    running.wait_for_metric(False)


def test_last_good_profile_survives_a_second_start(running: Service) -> None:
    """The copy that is run does not replace what it is a copy of."""
    running.write(BROKEN)
    for _ in range(2):
        running.machine.run("systemctl", "restart", running.unit)
        running.wait_for_beacons(3)
    running.wait_for_metric(True)
