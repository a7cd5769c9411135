# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for pytest, which finds them by itself: `air`, `air_session`, `bluez`, `bumble_device` and `hci`.

When a test fails, its report has the last events of each run that was made for it, and a folder has all events and the HCI traffic.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Union

import pytest

from . import _pytest_marks, _pytest_seeds
from ._air import Air
from ._bluez import BlueZ
from ._errors import ProgramError
from ._members import Receiver
from ._pytest_reports import REPORTS, Reports

VHCI = "/dev/vhci"
BELOW_DBUS = "BEACONRY_COMMAND" in os.environ
"""Whether pytest is the command of `beaconry dbus`, which alone sets this variable."""

BumbleDevices = Callable[..., AbstractAsyncContextManager[Any]]
Where = Union[Receiver, Air, str]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("beaconry")
    group.addoption(
        "--beaconry-time", choices=("wall", "virtual"), default="wall",
        help="Time of the airs: wall, or virtual, which passes only in clock.advance and expectations (default: wall).",
    )  # fmt: skip
    group.addoption(
        "--beaconry-seed", type=int, default=None, metavar="N",
        help="Seed of the airs (default: one for each test, from its name).",
    )  # fmt: skip
    group.addoption(
        "--beaconry-program", default=None, metavar="PATH",
        help="The program beaconry (default: $BEACONRY_BINARY, else that of the wheel, else the one in PATH).",
    )  # fmt: skip
    group.addoption(
        "--beaconry-artifacts", default="beaconry-failures", metavar="DIR",
        help="Folder for the events and the HCI traffic of failed tests (default: beaconry-failures in the root folder).",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    for marker in _pytest_marks.MARKERS:
        config.addinivalue_line("markers", marker)
    config.stash[REPORTS] = Reports(config)
    config.pluginmanager.register(config.stash[REPORTS], "beaconry reports")


# Tests --------------------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report: Any = yield
    items = [each for each in report.result or [] if isinstance(each, pytest.Item)]
    # Several tests of a parametrised one have the same fault.
    faults = dict.fromkeys(f"{item.nodeid.partition('[')[0]}: {fault}" for item in items for fault in _pytest_marks.faults(item))
    if faults:
        report.outcome, report.longrepr, report.result = "failed", "\n".join(faults), []
    return report  # type: ignore[no-any-return]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    chosen = _pytest_marks.seeds(item)
    # One seed is a test as others.
    if chosen is None or item.config.getoption("--beaconry-seed") is not None or not isinstance(item, pytest.Function):
        return None
    _pytest_seeds.run(item, chosen, nextitem)
    return True


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    _pytest_seeds.note_fault(item, call)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    # Those of failed tests are in their reports.
    passed = terminalreporter.stats.get("passed", [])
    rates = [text for each in passed for name, text in each.user_properties if name == _pytest_seeds.PROPERTY]
    if rates:
        terminalreporter.section("beaconry pass rates")
        for text in rates:
            terminalreporter.write_line(text)


# Runs ---------------------------------------------------------------------------------------------------------------


def _air(request: pytest.FixtureRequest, **settings: Any) -> Air:
    """Starts an air, with the time of the command line unless the marker has one."""
    if BELOW_DBUS and not settings.get("kernel_adapter"):
        raise ProgramError(
            "this test runs within beaconry dbus, whose beacons an air does not have: it is another one; use the fixture bluez, or "
            "run pytest without beaconry dbus"
        )
    settings.pop("adapters", None)
    given = settings.pop("time", None)
    started = Air(time=given or request.config.getoption("--beaconry-time"), **settings)
    whose = f'the marker of the test has time="{given}"' if given else "the time is that of --beaconry-time"
    started._hints["receiver"] = (
        f'{whose}; mark the test with @pytest.mark.beaconry_profile(time="wall"), or use phone(...), which receives within the run'
    )
    return started


@pytest.fixture
def air(request: pytest.FixtureRequest) -> Iterator[Air]:
    """A virtual air for this test, with the profile of its marker `beaconry_profile`, if there is one."""
    with _air(request, **_pytest_marks.settings(request.node)) as running:
        yield running


@pytest.fixture(scope="session")
def _beaconry_air_session(request: pytest.FixtureRequest) -> Iterator[Air]:
    with _air(request) as running:
        yield running


@pytest.fixture
def air_session(_beaconry_air_session: Air) -> Air:
    """The virtual air that all tests of the session share (of each worker, with pytest-xdist)."""
    return _beaconry_air_session


@pytest.fixture
def bluez(request: pytest.FixtureRequest) -> Iterator[BlueZ]:
    """A private bus with `org.bluez`, an adapter `hci0` and the beacons of the marker `beaconry_profile`, for this test.

    The code of the test and its child processes use it as the system bus.
    """
    settings = _pytest_marks.settings(request.node)
    settings.pop("time", None)
    with BlueZ(**settings) as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment.items():
            patch.setenv(name, value)
        yield running


@pytest.fixture
def hci(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an adapter of the kernel, such as `hci1`, with a controller on an air of its own; skipped without rights
    to /dev/vhci."""
    if not os.access(VHCI, os.R_OK | os.W_OK):
        pytest.skip(f"no rights to {VHCI}: load the module hci_vhci, and run as root")
    with _air(request, **{**_pytest_marks.settings(request.node), "time": "wall"}, kernel_adapter=True) as running:
        yield running.adapter


# Bumble -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bumble_device() -> BumbleDevices:
    """Makes Bumble's device on a receiver, an air, or at `HOST:PORT`; needs `pip install beaconry[bumble]`.

    async with bumble_device(phone, address="F0:F1:F2:F3:F4:F5") as device:
        await device.start_scanning()
    """
    try:
        from bumble.device import Device
        from bumble.hci import Address
        from bumble.transport import open_transport
    except ImportError as error:
        raise ProgramError("bumble_device needs Bumble; install it with pip install beaconry[bumble]") from error

    @contextlib.asynccontextmanager
    async def device(where: Where, *, address: str = "F0:F1:F2:F3:F4:F5", name: str = "phone") -> AsyncIterator[Any]:
        place = where if isinstance(where, str) else where.h4
        async with await open_transport(f"tcp-client:{place}") as transport:
            made = Device.with_hci(name, Address(address), transport.source, transport.sink)
            await made.power_on()
            yield made
            await made.power_off()

    return device
