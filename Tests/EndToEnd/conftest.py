# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures and hooks of all end-to-end tests."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from beaconry import PATIENCE, Beaconry
from xdist.scheduler import LoadScopeScheduling

TOGETHER = {"test_install.py", "test_packaging.py", "test_service.py"}
"""Files whose tests share what takes long to make."""


def pytest_configure(config: pytest.Config) -> None:
    # Under nohup SIGHUP is ignored, and in the background of a script SIGQUIT; the programs under test would inherit that.
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    config.addinivalue_line("markers", "starts_first: waits long for a time limit of the specification, and starts first.")
    config.addinivalue_line("markers", "package: makes or reads what a release consists of; it runs in make test-more.")
    config.addinivalue_line("markers", "slow: takes two seconds of a processor or more, with all its cases, or needs the virtual machine; it runs in make test-more.")
    config.addinivalue_line("markers", "variants: another width or colour scheme of a test that make test has twice; it runs in make test-all.")
    config.addinivalue_line("markers", "statistics: needs many seeds or rows; it runs in make test-all only, with the optimised program.")


class Scheduling(LoadScopeScheduling):
    """Gives the workers one test at a time, or a file whose tests are run together; the files first."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        return file if Path(file).name in TOGETHER else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Limits the time of each test, and starts tests that wait long first, so that other workers are busy meanwhile.

    The limit is for a test that hangs. It is above those of the states for which a test waits, whose messages say more."""
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(2 * PATIENCE))
    items.sort(key=lambda item: item.get_closest_marker("starts_first") is None)


@pytest.fixture
def beaconry(tmp_path: Path) -> Iterator[Beaconry]:
    """The program under test, with its own folders; processes that still run at the end are killed."""
    beaconry = Beaconry(tmp_path)
    yield beaconry
    beaconry.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the events of the programs to the report of a failed test."""
    report = yield
    beaconry = getattr(item, "funcargs", {}).get("beaconry")
    if report.when == "call" and report.failed and isinstance(beaconry, Beaconry):
        report.sections += [(f"events of program {number}", run.record) for number, run in enumerate(beaconry.runs)]
    return report
