# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests that run inside Scripts/bluez-vm."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import vhci
from beaconry import Beaconry

RESULTS = Path("/results") / f"{vhci.BLUEZ}-{vhci.CONTROLLERS}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without the machine there is nothing to test; no test of it runs for more than five minutes."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skipif(not vhci.BLUEZ, reason="runs inside Scripts/bluez-vm"))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def _world() -> Iterator[vhci.World]:
    world = vhci.World()
    world.restore()
    yield world
    world.close()


@pytest.fixture
def world(_world: vhci.World) -> Iterator[vhci.World]:
    """The machine as it was started; what the test does to it is undone after it."""
    yield _world
    _world.restore()


@pytest.fixture
def bluetoothd(world: vhci.World) -> vhci.Bluetoothd:
    """bluetoothd: start, stop, restart, pid."""
    return world.bluetoothd


@pytest.fixture
def controllers(world: vhci.World) -> vhci.Controllers:
    """The two controllers: power, block, unblock, unplug, replug, indexes."""
    return world.controllers


@pytest.fixture
def mgmt(world: vhci.World) -> vhci.Management:
    """The management socket: advertising features, foreign advertising instances, power."""
    return world.management


@pytest.fixture
def witness(world: vhci.World, request: pytest.FixtureRequest) -> Iterator[vhci.Witness]:
    """What really is on the air, recorded from before the test on; the recording stays in the results."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "-", request.node.name)
    with vhci.Witness(RESULTS / f"{name}.btsnoop") as witness:
        # The kernel does not tell a controller twice what it has been told; powering on begins with a reset.
        for index in world.controllers.indexes().values():
            world.controllers.power(index, False)
            world.controllers.power(index, True)
        world.bluetoothd.wait()
        yield witness


@pytest.fixture
def phone(world: vhci.World) -> Iterator[vhci.Phone]:
    """A central on hci1 that has met nobody yet."""
    phone = vhci.Phone()
    phone.forget()
    yield phone
    phone.forget()


@pytest.fixture
def run_as_user(world: vhci.World) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command as an ordinary user without capabilities: arguments as of subprocess.run, output captured."""

    def run(command: list[str | os.PathLike[str]], **options: Any) -> subprocess.CompletedProcess[str]:
        settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 120, "stdin": subprocess.DEVNULL}
        return subprocess.run(vhci.as_ordinary_user(map(str, command)), check=False, **(settings | options))

    return run


@pytest.fixture
def beaconry(world: vhci.World, beaconry: Beaconry) -> Beaconry:
    """The program under test; it ends before the machine is as it was."""
    return beaconry
