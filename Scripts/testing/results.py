# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What the logs of stages say: numbers of tests, failed tests, the slowest ones, and tables of them."""

from __future__ import annotations

import re
import time
from collections import Counter

from testing.stage import BEGAN, Stage, report

SLOWEST = 10
"""The number of tests of each suite that are printed with their time."""


def print_end(stage: Stage) -> None:
    """Prints that a stage has ended, and what a failed one has written."""
    report(f"{stage.name} {stage.outcome} in {duration(stage.seconds)}{summary(stage)}")
    if stage.outcome == "failed":
        print(f"== {stage.log}", *failures(stage)[-400:], "==", sep="\n", flush=True)


def summary(stage: Stage) -> str:
    """The number of tests, from the last lines of their output."""
    for pattern in (r"Test run with (\d+ tests in \d+ suites) ", r"^=*\s*((?:\d+ \w+, )*\d+ \w+) in [\d.]+s"):
        if found := re.findall(pattern, stage.text, re.MULTILINE):
            # Only the reason of a skipped test follows the word.
            skipped = len(re.findall(r"^\S+ Test (?:\S+\(.*\)|\".*\") skipped(?:: .*)?\.?$", stage.text, re.MULTILINE))
            return f": {found[-1]}" + (f", {skipped} skipped" if skipped else "")
    return ""


def outcomes(stage: Stage) -> Counter[str]:
    """The numbers of tests that have passed, failed and were skipped, from the output of pytest and of Swift Testing."""
    found = Counter({word: int(number) for number, word in re.findall(r"(\d+) (\w+)", summary(stage))})
    found["failed"] += found["error"] + found["errors"]
    if "tests" in found:
        found["failed"] = len(failed_tests(stage))
        found["passed"] = found["tests"] - found["failed"] - found["skipped"]
    return Counter({word: found[word] for word in ("passed", "failed", "skipped")})


def failed_tests(stage: Stage) -> list[str]:
    """The names of the failed tests, from the output of Swift Testing and of pytest."""
    return re.findall(r"^✘ Test (?!run with )(.*) failed after", stage.text, re.MULTILINE) + re.findall(
        r"^(?:FAILED|ERROR) (\S+::\S.*?)(?: - .*)?$", stage.text, re.MULTILINE
    )


def failures(stage: Stage) -> list[str]:
    """The lines of a log that matter: those that Swift Testing marks, else all."""
    lines = stage.text.splitlines()
    return [line for line in lines if line.startswith("✘")] or lines


def slowest(stage: Stage) -> list[tuple[float, str]]:
    """The slowest tests, from the output of pytest's --durations and of Swift Testing."""
    found = [(float(time), name) for time, name in re.findall(r"^([\d.]+)s (?:call|setup|teardown) +(.*)", stage.text, re.MULTILINE)]
    pattern = r"^\S+ +Test (.*?) (?:passed|failed) after ([\d.]+) seconds"
    found += [(float(time), name) for name, time in re.findall(pattern, stage.text, re.MULTILINE)]
    return sorted((each for each in found if not each[1].startswith("run with")), reverse=True)[:SLOWEST]


def duration(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def print_tables(all_stages: list[Stage]) -> None:
    for stage in all_stages:
        if tests := slowest(stage):
            print(f"\nSlowest of {stage.name}, in seconds")
            for seconds, name in tests:
                print(f"{seconds:8.1f}  {name}")
    print("\nStages: minutes, and minutes of processor time")
    for stage in all_stages:
        times = f"{duration(stage.seconds):>8} {duration(stage.processor_seconds):>8}"
        print(f"{times}  {stage.name:12} {stage.outcome}{summary(stage)}")
    computed = sum(stage.processor_seconds for stage in all_stages)
    print(f"{duration(time.monotonic() - BEGAN):>8} {duration(computed):>8}  in all")
    counts = sum((outcomes(stage) for stage in all_stages), Counter())
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    if sum(counts.values()) > 0:
        print(f"\nTests: {counts['passed']} passed, {counts['failed']} failed{skipped}", flush=True)
