# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What the unit tests promise about time."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]


def test_suites_with_a_time_limit_run_a_few_tests_at_once() -> None:
    """A suite has a time limit because it runs in real time. If all tests of a stage began at once, each would take as long as all of
    them, and exceed the limits of hosts and protocols on a busy machine (Tests/TestTraits/RealTime.swift)."""
    suites = [
        (path.relative_to(TESTS), suite)
        for path in sorted(TESTS.glob("*/**/*.swift"))
        for suite in re.findall(r"@(?:Suite|Test)\((.*)\)(?:$| (?:final )?(?:struct|class|func))", path.read_text(), re.MULTILINE)
    ]
    limited = [(path, suite) for path, suite in suites if ".timeLimit" in suite]
    assert len(limited) > 50
    assert [f"{path}: {suite}" for path, suite in limited if ".realTime" not in suite] == []
