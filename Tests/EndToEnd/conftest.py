# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What all end-to-end tests share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "starts_first: waits long for a time limit of the specification; it begins first.")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits long begins first, so that other workers have something to do meanwhile."""
    items.sort(key=lambda item: item.get_closest_marker("starts_first") is None)


@pytest.fixture
def beaconry(tmp_path: Path) -> Iterator[Beaconry]:
    """The program under test, with folders of its own; what still runs at the end is killed."""
    beaconry = Beaconry(tmp_path)
    yield beaconry
    beaconry.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With a test that fails goes what its programs told."""
    report = yield
    beaconry = getattr(item, "funcargs", {}).get("beaconry")
    if report.when == "call" and report.failed and isinstance(beaconry, Beaconry):
        report.sections += [(f"program {number} told", run.record) for number, run in enumerate(beaconry.runs)]
    return report
