# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests that run inside Scripts/bluez-vm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import vhci
from air import QUIET, AirStarter, Receiver, VirtualAir
from beaconry import PROFILES, Beaconry, Run

RESULTS = Path("/results")
PLAN = os.environ.get("BEACONRY_VM_PLAN", "")
"""Selects the tests and their controllers: `full` is every test with both kinds, `reduced` is planned(). Without a plan
every test runs with the controllers that the machine was started with. In a machine with the controllers of rootcanal or
Beaconry a plan has the tests with the marker `places`, with both kinds of these controllers."""
PART = os.environ.get("BEACONRY_VM_PART", "1/1")
"""The part of the plan that this machine runs: `2/3` is the second of three, and `2-4/4` all but the first of four. Tests are dealt
out in turn."""
KINDS = ("legacy", "extended")
FIRST_KIND = {"5.66": "legacy", "5.82": "extended"}
"""The reduced plan combines the oldest BlueZ and kernel with the oldest controllers, and the newest with the newest."""
NEWEST = list(FIRST_KIND)[-1]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "depends_on(what, …): what the test's outcome may depend on: `bluez`, the version of bluetoothd and the kernel;"
        " `controllers`, their kind; `combination`, both together. Without arguments, nothing; unmarked, bluez and"
        " controllers. `newest`: nothing, but the reduced plan has it with the newest BlueZ and kernel. `newest only`: the"
        " machine with the newest BlueZ and kernel is the only one that has it, with a plan or without. `release`: on the"
        " release of BlueZ only, so that the full plan has it and the reduced one does not. `own machine`: runs in a machine"
        " of its own, so that no plan has it.",
    )
    config.addinivalue_line(
        "markers",
        "places: it places something on an adapter: the plans have it with the controllers of rootcanal and Beaconry, too. If it"
        " uses the fixture `receiver`, with these only.",
    )


def planned(item: pytest.Function, kind: str) -> bool:
    """Whether the plan contains a test with these controllers in the machine with this version of BlueZ."""
    marker = item.get_closest_marker("depends_on")
    things = set(marker.args) if marker else {"bluez", "controllers"}
    kind = kind.rpartition("-")[2]
    if things - {"combination", "bluez", "controllers", "newest", "newest only", "release", "own machine"}:
        raise ValueError(f"{item.nodeid} depends on {things}")
    if "newest only" in things and vhci.BLUEZ != NEWEST:
        return False
    if not PLAN:
        return True
    if not (item.get_closest_marker("places") if vhci.MAKER else "receiver" not in item.fixturenames):
        return False
    if "own machine" in things or "release" in things and PLAN == "reduced":
        return False
    if PLAN != "reduced":
        return True
    if "combination" in things:
        return True
    if kind != FIRST_KIND[vhci.BLUEZ]:
        return False
    if vhci.MAKER:
        return True  # there is one machine of each
    if things & {"newest", "newest only"}:
        return vhci.BLUEZ == NEWEST
    # A test without dependencies runs once, in one of the machines.
    return bool(things) or zlib.crc32(item.originalname.encode()) % 2 == list(FIRST_KIND).index(vhci.BLUEZ)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Groups tests by their kind of controllers, because that fixture has the scope of the session."""
    begun = vhci.CONTROLLERS or FIRST_KIND.get(vhci.BLUEZ, "legacy")
    others = [f"{vhci.MAKER}-{kind}" if vhci.MAKER else kind for kind in KINDS]
    kinds = [begun, *(kind for kind in others if PLAN and kind != begun)]
    metafunc.parametrize("kind", kinds, indirect=True, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Removes the tests that are not in the plan. Outside the machine all tests are skipped."""
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents and isinstance(item, pytest.Function)]
    for item in ours:
        item.add_marker(pytest.mark.skipif(not vhci.BLUEZ, reason="runs inside Scripts/bluez-vm"))
    plan = [item for item in ours if planned(item, item.callspec.params["kind"])]
    of_machine, parts = PART.split("/")
    first, _, last = of_machine.partition("-")
    chosen = {item for part in range(int(first), int(last or first) + 1) for item in plan[part - 1 :: int(parts)]}
    config.hook.pytest_deselected(items=[item for item in ours if item not in chosen])
    items[:] = [item for item in items if item not in ours or item in chosen]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the last packets between the kernel and the controllers to the report of a failed test."""
    report = yield
    witness = getattr(item, "funcargs", {}).get("witness")
    if report.when == "call" and report.failed and isinstance(witness, vhci.Witness):
        report.sections.insert(0, ("last packets of the controllers", witness.text()))
    return report


@pytest.fixture(scope="session")
def _world() -> Iterator[vhci.World]:
    world = vhci.World()
    world.restore()
    yield world
    world.close()


@pytest.fixture(scope="session", autouse=True)
def kind(_world: vhci.World, request: pytest.FixtureRequest) -> str:
    """The kind of controllers in the machine now."""
    _world.use(request.param)
    return request.param


@pytest.fixture
def extended(kind: str) -> bool:
    """Whether the controllers have extended advertising."""
    return kind.endswith("extended")


@pytest.fixture
def world(_world: vhci.World) -> Iterator[vhci.World]:
    """The machine in its initial state; changes by the test are undone afterwards."""
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
def _recording(world: vhci.World, request: pytest.FixtureRequest) -> Iterator[vhci.Witness | None]:
    if "witness" not in request.fixturenames:
        yield None
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    with vhci.Witness(RESULTS / f"{result_name(request)}.btsnoop") as witness:
        yield witness


def result_name(request: pytest.FixtureRequest) -> str:
    """The name of the files of a test in the results, without an ending."""
    return re.sub(r"[^\w.-]+", "-", request.node.name)


@pytest.fixture
def fresh_controllers(world: vhci.World, _recording: vhci.Witness | None) -> vhci.Controllers:
    """The two controllers after a reset, without connections and without advertisements.

    The kernel does not repeat commands whose effect has not changed since the last reset, and a reset of btvirt's
    controllers leaves the other end of their connections connected.
    """
    for index in world.controllers.indexes().values():
        world.controllers.power(index, False)
        world.controllers.power(index, True)
    world.bluetoothd.wait()
    return world.controllers


@pytest.fixture
def witness(_recording: vhci.Witness, fresh_controllers: vhci.Controllers) -> vhci.Witness:
    """The traffic on the air, recorded from before the reset of the controllers; the recording stays in the results."""
    return _recording


@pytest.fixture
def receiver(fresh_controllers: vhci.Controllers, request: pytest.FixtureRequest) -> Iterator[Receiver]:
    """A host on the air of the controllers, which scans actively all the time; what it receives is in the results as well.

    The controllers were reset: the kernel keeps an advertising set of its own in one whose adapter was
    discoverable, which leaves a set less for the test.
    """
    if not vhci.MAKER:
        pytest.skip("no receiver can join the air of btvirt: --controllers rootcanal-… or beaconry-…")
    RESULTS.mkdir(parents=True, exist_ok=True)
    receiver = Receiver(vhci.RECEIVERS, actively=True, file=RESULTS / f"{result_name(request)}.air.txt")
    yield receiver
    receiver.close()


@pytest.fixture
def phone(world: vhci.World) -> Iterator[vhci.Phone]:
    """A central on hci1 that knows no devices yet."""
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
    """The program under test; it ends before the machine is restored."""
    return beaconry


@pytest.fixture
def air(beaconry: Beaconry, world: vhci.World) -> Iterator[AirStarter]:
    """Starts a virtual air with controllers; removes it after the test."""
    started: list[VirtualAir] = []

    def start(*characters: str, starts: bool = True, profile: str = QUIET) -> VirtualAir:
        started.append(VirtualAir(beaconry, world, characters, starts, profile))
        if starts:
            started[-1].wait_until_powered()
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def visitor(beaconry: Beaconry) -> Callable[..., Run]:
    """Starts the program as an ordinary user with its own state folder; with `reads_back` the user may read the HCI monitor
    (CAP_NET_RAW), but not manage the adapter."""
    folder = Path("/tmp/visitor")
    command = vhci.as_ordinary_user([])
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["install", "-d", "-o", "visitor", "-m", "700", folder], check=True)
    with_monitor = [each.replace("=-all", "=-all,+net_raw") for each in command]
    with_monitor.insert(1, "--ambient-caps=-all,+net_raw")

    def start(profile: str | Path, *options: str, reads_back: bool = False) -> Run:
        user = with_monitor if reads_back else command
        prefix = [*user, f"XDG_STATE_HOME={folder}/state", f"XDG_RUNTIME_DIR={folder}"]
        path = str(PROFILES / profile)
        return beaconry.start("run", path, "--radio", "bluez:hci0", "--json", *options, prefix=prefix)

    return start
