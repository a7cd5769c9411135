# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`doctor` on a machine with one fault at a time, and on one without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from air import AirStarter
from beaconry import BINARY, Beaconry
from vhci import World, dbus_call, eventually, set_adapter_property

pytestmark = pytest.mark.depends_on("newest")


def diagnosis(beaconry: Beaconry, *options: str, duration: str = "2s") -> dict[str, dict[str, Any]]:
    """The findings of `doctor` that are neither ok nor unknown, by their checks: of each, the worst. The exit code follows."""
    result = beaconry.call("doctor", "--json", "--for", duration, *options)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines and lines[-1]["event"] == "diagnosis", result
    worst_last = sorted((line for line in lines if line["event"] == "check"), key=lambda line: line["result"] == "problem")
    found = {line["check"]: line for line in worst_last if line["result"] in ("problem", "note")}
    problems = [each for each in found.values() if each["result"] == "problem"]
    assert result.returncode == (1 if problems else 0), result.stdout + result.stderr
    assert all(each["meaning"] for each in found.values())
    return found


@contextmanager
def blocked(world: World) -> Iterator[None]:
    world.controllers.block(0)
    yield


@contextmanager
def powered_off(world: World) -> Iterator[None]:
    world.controllers.power(0, False)
    yield


@contextmanager
def discoverable(world: World) -> Iterator[None]:
    set_adapter_property(0, "Discoverable", "b", True)
    yield


@contextmanager
def advertising_by_itself(world: World) -> Iterator[None]:
    world.management.set_advertising(0, True)
    yield
    world.management.set_advertising(0, False)
    # The kernel keeps the set of the adapter itself in the controller until it is switched off.
    world.controllers.power(0, False)
    world.controllers.power(0, True)


@contextmanager
def without_instances(world: World) -> Iterator[None]:
    for number in range(world.management.advertising_features(0).max_instances):
        world.management.add_advertising(0, number + 1)
    yield


@contextmanager
def without_daemon(world: World) -> Iterator[None]:
    world.bluetoothd.stop()
    yield


@contextmanager
def without_adapter(world: World) -> Iterator[None]:
    world.controllers.unplug()
    yield


FAULTS: dict[str, Callable[[World], Any]] = {
    "rfkill": blocked,
    "power": powered_off,
    "discoverable": discoverable,
    "own-advertising": advertising_by_itself,
    "instances": without_instances,
    "bluetoothd": without_daemon,
    "adapter": without_adapter,
}
"""Faults of hci0, by the check that finds each."""


def test_healthy_machine_has_no_findings(beaconry: Beaconry, world: World) -> None:
    assert diagnosis(beaconry, "--radio", "bluez:hci0", "--via", "bluez:hci1", duration="20s") == {}


@pytest.mark.parametrize("check", FAULTS)
def test_fault_is_found(beaconry: Beaconry, world: World, check: str) -> None:
    with FAULTS[check](world):
        found = diagnosis(beaconry, *(["--radio", "bluez:hci0"] if check != "adapter" else []))
    assert found[check]["result"] == "problem" and found[check]["action"]


@pytest.mark.depends_on("controllers")
def test_scan_is_a_fault_of_legacy_adapters(beaconry: Beaconry, world: World, extended: bool) -> None:
    assert dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery") is not None
    found = diagnosis(beaconry, "--radio", "bluez:hci0")
    assert dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StopDiscovery") is not None
    assert ("scanning" in found) == (not extended)


def test_duplicate_address_is_found(beaconry: Beaconry, world: World, air: AirStarter) -> None:
    place = air("same-address", "same-address", starts=False)
    present = world.management.controllers
    eventually("the kernel has both", lambda: set(place.indexes) <= {each.index for each in present()})
    found = diagnosis(beaconry, "--radio", place.radio)
    assert found.get("duplicate-address", {}).get("result") == "problem", found


def test_interval_on_the_air_is_found(beaconry: Beaconry, air: AirStarter) -> None:
    """bluetoothd reports no duplicates, so the receiver is our own host on another controller."""
    place = air("air-interval:5")
    # It takes several intervals, of 500 ms each, to find that they are too long.
    via = f"tcp-client:127.0.0.1:{place.port}"
    found = diagnosis(beaconry, "--radio", place.radio, "--via", via, duration="8s")
    assert found["receiving"]["result"] == "problem"


def test_silent_controller_is_found(beaconry: Beaconry, air: AirStarter) -> None:
    place = air("silent:0x2036")
    found = diagnosis(beaconry, "--radio", place.radio)
    assert (found["advertising"]["result"], found["kernel-log"]["result"]) == ("problem", "problem")


def test_missing_rights_are_noted(run_as_user) -> None:
    result = run_as_user([str(BINARY), "doctor", "--radio", "bluez:hci0", "--json", "--for", "1s"])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    found = {line["check"]: line["result"] for line in lines if line["event"] == "check"}
    assert (found["cap-net-admin"], found["cap-net-raw"]) == ("note", "note")
