# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pass rates of runs with several seeds: of tests, and of sweeps."""

from __future__ import annotations

import math
from typing import NamedTuple

QUANTILE = 1.959963985
"""The quantile of the standard normal distribution for 95 %, two-sided."""


class PassRate(NamedTuple):
    """How many of a number of runs passed."""

    passed: int
    runs: int

    def reaches(self, required: float) -> bool:
        """Whether the rate is at least a part, from 0 to 1."""
        return self.passed >= required * self.runs - 1e-9

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the pass rate of all seeds, of which these are a sample, from 0 to 1: Wilson's score interval
        (Wilson, "Probable inference, the law of succession, and statistical inference", 1927)."""
        rate, square = self.passed / self.runs, QUANTILE * QUANTILE
        centre = (rate + square / (2 * self.runs)) / (1 + square / self.runs)
        spread = rate * (1 - rate) / self.runs + square / (4 * self.runs * self.runs)
        half = QUANTILE / (1 + square / self.runs) * math.sqrt(spread)
        return (0.0 if self.passed == 0 else centre - half), (1.0 if self.passed == self.runs else centre + half)

    @property
    def interval_text(self) -> str:
        """`92.9 to 100 %`"""
        lowest, highest = self.interval
        return f"{number(lowest)} to {number(highest)} %"

    @property
    def text(self) -> str:
        """`96 %`"""
        return f"{number(self.passed / self.runs)} %"


def number(part: float) -> str:
    """A part as a percentage with at most one decimal; only all is 100, and only nothing is 0."""
    tenths = math.floor(part * 1000 + 0.5)
    if 0 < part < 1:
        tenths = min(max(tenths, 1), 999)
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
