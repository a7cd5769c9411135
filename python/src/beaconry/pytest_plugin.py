# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for pytest, which finds them by itself: `air`, `air_session`, `bumble_device` and `hci`.

When a test fails, its report has the last events, and a folder has all events and the HCI traffic.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Union

import pytest

from ._air import Air
from ._members import Receiver
from ._run import Time
from ._errors import ProgramError

VHCI = "/dev/vhci"
SHOWN = 60
"""The number of events in the report of a failed test."""

_airs = pytest.StashKey[dict[str, Air]]()
_failed = pytest.StashKey[bool]()

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
    config.addinivalue_line(
        "markers",
        "beaconry_profile(profile=None, *, time=None, rate=1, seed=None, physics=None, options=()): the profile of the air, "
        "by its path beside the test or its content, and its settings",
    )


# Airs ---------------------------------------------------------------------------------------------------------------


def _start(config: pytest.Config, name: str, profile: Any = None, time: Time | None = None, **settings: Any) -> Air:
    seed = config.getoption("--beaconry-seed")
    settings.setdefault("seed", zlib.crc32(name.encode()) if seed is None else seed)
    return Air(
        profile, time=time or config.getoption("--beaconry-time"), program=config.getoption("--beaconry-program"), **settings
    )


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The settings of the marker of a test."""
    marker = request.node.get_closest_marker("beaconry_profile")
    if marker is None:
        return {}
    if len(marker.args) > 1:
        raise pytest.UsageError("beaconry_profile has one profile; write several beacons into it")
    settings = dict(marker.kwargs)
    if marker.args:
        settings["profile"] = marker.args[0]
    profile = settings.get("profile")
    if profile is not None and not isinstance(profile, Mapping):
        settings["profile"] = request.node.path.parent / profile
    return settings


def _folder(item: pytest.Item, name: str) -> Path:
    """Where the files of an air of a failed test are saved."""
    test = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-.")
    if len(test) > 150:
        test = f"{test[:140]}-{zlib.crc32(item.nodeid.encode()):08x}"
    return Path(item.config.rootpath, item.config.getoption("--beaconry-artifacts"), test, name)


@contextlib.contextmanager
def _running(request: pytest.FixtureRequest, name: str, air: Air) -> Iterator[Air]:
    """Ends the air of a test after it, and saves its files if the test has failed."""
    item = request.node
    item.stash.setdefault(_airs, {})[name] = air
    try:
        yield air
        try:
            air.stop()
        finally:
            if item.stash.get(_failed, False):
                air.save(_folder(item, name))
    finally:
        air.close()


@pytest.fixture
def air(request: pytest.FixtureRequest) -> Iterator[Air]:
    """A virtual air for this test, with the profile of its marker `beaconry_profile`, if there is one."""
    started = _start(request.config, request.node.nodeid, **_marked(request))
    with _running(request, "air", started) as running:
        yield running


@pytest.fixture(scope="session")
def _air_of_session(request: pytest.FixtureRequest) -> Iterator[Air]:
    with _start(request.config, "session") as started:
        yield started


@pytest.fixture
def air_session(request: pytest.FixtureRequest, _air_of_session: Air) -> Air:
    """The virtual air that all tests of the session share (of each worker, with pytest-xdist)."""
    request.node.stash.setdefault(_airs, {})["air_session"] = _air_of_session
    return _air_of_session


@pytest.fixture
def hci(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an adapter of the kernel, such as `hci1`, with a controller on an air of its own; skipped without rights
    to /dev/vhci."""
    if not os.access(VHCI, os.R_OK | os.W_OK):
        pytest.skip(f"no rights to {VHCI}: load the module hci_vhci, and run as root")
    marked = _marked(request)
    started = _start(request.config, request.node.nodeid, **{**marked, "time": "wall"}, kernel_adapter=True)
    with _running(request, "hci", started) as running:
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


# Failures -----------------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    airs = item.stash.get(_airs, {})
    if report.failed and airs:  # type: ignore[attr-defined]
        item.stash[_failed] = True
        for name, air in airs.items():
            _attach(item, report, name, air)
    return report


def _attach(item: pytest.Item, report: Any, name: str, air: Air) -> None:
    events = air.journal.lines()
    left_out = [f"… {len(events) - SHOWN} earlier events"] if len(events) > SHOWN else []
    report.sections.append((f"beaconry events ({name})", "\n".join(left_out + events[-SHOWN:])))
    folder = _folder(item, name)
    if name == "air_session":
        # It continues after this test.
        air.save(folder)
    report.sections.append(
        (f"beaconry capture ({name})", f"{folder / 'capture.btsnoop'} (beaconry decode, Wireshark); all events: events.jsonl; "
         f"--beaconry-seed {air.seed} repeats the air")
    )  # fmt: skip
