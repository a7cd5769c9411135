# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Rounds of the unit and host tests on a machine that is busy: a test that depends on time fails in some of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from testing import results, stage
from testing.stage import CHECKOUT, LOGS, Stage

FOLDER = LOGS / "hunt"
SUITES = ("unit", "unit-airs", "unit-buses", "unit-central", "unit-slow", "host", "host-slow")
COMPUTE = """
import select, sys, time
pause = float(sys.argv[1])
while True:
    end = time.monotonic() + 2
    while time.monotonic() < end:
        sum(range(1000))
    # The end of the program that started it.
    if select.select([0], [], [], pause)[0]:
        break
"""
"""Computes for two seconds after each pause of some seconds."""


@dataclass
class Condition:
    """What makes the machine slow during a round."""

    name: str
    prefix: list[str] = field(default_factory=list)
    """What runs the tests."""
    pauses: list[float] = field(default_factory=list)
    """Of the processes that compute beside the tests, in seconds."""


CONDITIONS = [
    Condition("on one core", prefix=["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]),
    Condition("beside six busy loops", pauses=[0] * 6),
    # For two seconds of four the tests get almost nothing. `swift test` runs the tests with the usual nice value, whatever its own is;
    # they keep its scheduling policy.
    Condition("at the lowest priority", prefix=["chrt", "--idle", "0"], pauses=[2] * (os.cpu_count() or 2)),
]


@contextmanager
def computing(pauses: list[float]) -> Iterator[None]:
    """Runs processes that compute."""
    commands = [[sys.executable, "-c", COMPUTE, str(pause)] for pause in pauses]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for command in commands]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@dataclass
class Round:
    """The stages of a round, and their outcomes."""

    number: int
    condition: Condition
    stages: list[Stage]
    passed: bool = False
    seconds: float = 0


def perform(round: Round) -> None:
    """Runs the stages of a round."""
    began = time.monotonic()
    stage.report(f"round {round.number}, {round.condition.name}")
    with computing(round.condition.pauses):
        round.passed = stage.run(round.stages, results.print_end)
    round.seconds = time.monotonic() - began


def hunt(count: int, stages: Callable[[], list[Stage]]) -> int:
    """Builds once, and runs the suites a number of times under one condition after another; returns the exit status.

    stages makes all stages.
    """
    built = [each for each in stages() if each.name in needed(stages())]
    if not stage.run(built, results.print_end):
        return 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    rounds = []
    for number in range(1, count + 1):
        condition = CONDITIONS[(number - 1) % len(CONDITIONS)]
        suites = [each for each in stages() if each.name in SUITES]
        for each in suites:
            each.needs, each.prefix, each.folder = [], condition.prefix, FOLDER / str(number)
        rounds.append(Round(number, condition, suites))
        perform(rounds[-1])
        print_rounds(rounds)
    return 0 if all(each.passed for each in rounds) else 1


def needed(all_stages: list[Stage]) -> set[str]:
    """The names of the stages that the suites need."""
    found: set[str] = set()
    for each in reversed(all_stages):
        if each.name in SUITES or each.name in found:
            found.update(each.needs)
    return found


def print_rounds(rounds: list[Round]) -> None:
    """Prints the outcome of each round, and the failed tests with their logs."""
    print("\nRounds")
    for each in rounds:
        stages = ", ".join(f"{one.name} {results.duration(one.seconds)}" for one in each.stages)
        outcome = "passed" if each.passed else "FAILED"
        print(f"{each.number:4}  {outcome}  {each.condition.name:22} {results.duration(each.seconds):>6}  {stages}")
    for each in rounds:
        for one in each.stages:
            if one.outcome == "failed":
                print(f"\nRound {each.number}, {each.condition.name}, {one.log.relative_to(CHECKOUT)}:")
                print(*(f"  {name}" for name in results.failed_tests(one) or ["no test"]), sep="\n")
    print(flush=True)
