# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Tests that run with several seeds, and pass if a part of the runs passes."""

from __future__ import annotations

import contextlib
import copy
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from . import _pytest_marks
from ._pytest_reports import REPORTS, SEED
from ._rates import PassRate, number

SHOWN = 10
"""The number of failed seeds that a report lists, and whose files are saved."""
PROPERTY = "pass-rate"
"""The property of a report with its pass rate as a sentence."""
FAULT = pytest.StashKey["Fault"]()


class Fault(NamedTuple):
    """Where and how a run of a test failed."""

    place: str
    """`test_shop.py:12`"""
    sentence: str


class Outcome(NamedTuple):
    """A run of a test with one seed."""

    seed: int
    reports: list[pytest.TestReport]
    fault: Fault | None

    @property
    def failure(self) -> pytest.TestReport | None:
        """The first failed phase."""
        return next((each for each in self.reports if each.failed), None)

    @property
    def is_skipped(self) -> bool:
        return any(each.skipped for each in self.reports)


def run(item: pytest.Function, chosen: _pytest_marks.Seeds, nextitem: pytest.Item | None) -> None:
    """Runs a test with each seed, and reports it once."""
    hook, reports = item.ihook, item.config.stash[REPORTS]
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    copies = [_copy(item, seed) for seed in chosen.seeds]
    outcomes: list[Outcome] = []
    for place, each in enumerate(copies):
        reports.begin(each)
        try:
            # A next test of the same module keeps the fixtures of the module.
            following = copies[place + 1] if place + 1 < len(copies) else nextitem
            outcomes.append(Outcome(each.stash[SEED], runtestprotocol(each, log=False, nextitem=following), each.stash.get(FAULT, None)))
        finally:
            reports.end(each)
        if sum(1 for outcome in outcomes if outcome.failure) > SHOWN and outcomes[-1].failure:
            shutil.rmtree(reports.folder(each), ignore_errors=True)
    merged = _merged(item, chosen, outcomes)
    if not any(report.failed for report in merged):
        shutil.rmtree(reports.folder(item), ignore_errors=True)
        with contextlib.suppress(OSError):
            reports.folder(item).parent.rmdir()
    for report in merged:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _copy(item: pytest.Function, seed: int) -> pytest.Function:
    """The same test once more, with fixtures of its own."""
    made = copy.copy(item)
    made.stash = pytest.Stash()
    made.stash[SEED] = seed
    made.user_properties = []
    made._report_sections = []
    made._initrequest()
    return made


def note_fault(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Keeps where a run of a test failed, for the report of all."""
    if SEED not in item.stash or FAULT in item.stash or call.excinfo is None:
        return
    entries = [entry for entry in call.excinfo.traceback if str(entry.path) == str(item.path)]
    line = f":{entries[-1].lineno + 1}" if entries else ""
    sentence = call.excinfo.exconly().removeprefix("AssertionError: ").strip().splitlines() or [call.when]
    item.stash[FAULT] = Fault(f"{item.nodeid.partition('::')[0]}{line}", sentence[0])


def _merged(item: pytest.Function, chosen: _pytest_marks.Seeds, outcomes: list[Outcome]) -> list[pytest.TestReport]:
    """The reports of the three phases of a test."""
    decided = [each for each in outcomes if each.failure or not each.is_skipped]
    if not decided:
        return outcomes[0].reports
    failures = [each for each in decided if each.failure]
    rate = PassRate(len(decided) - len(failures), len(decided))
    is_passed = rate.reaches(chosen.required)
    first = failures[0].failure if failures else None
    lines = list(table(item, chosen, rate, failures))
    duration = sum(report.duration for each in outcomes for report in each.reports)

    def report(when: Any) -> pytest.TestReport:
        is_call = when == "call"
        has_failed = is_call and not is_passed
        longrepr = "\n".join([*lines, "", f"With seed {failures[0].seed}:", first.longreprtext]) if has_failed and first else None
        return pytest.TestReport(
            item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed" if has_failed else "passed", longrepr, when,
            sections=first.sections if has_failed and first else [], duration=duration if is_call else 0.0,
            user_properties=_properties(rate, lines, failures),
        )  # fmt: skip

    return [report("setup"), report("call"), report("teardown")]


def _properties(rate: PassRate, lines: list[str], failures: list[Outcome]) -> list[tuple[str, object]]:
    return [
        ("passed", str(rate.passed)), ("runs", str(rate.runs)), ("failed-seeds", _list([each.seed for each in failures]) or "none"),
        (PROPERTY, "\n".join(lines)),
    ]  # fmt: skip


def table(item: pytest.Item, chosen: _pytest_marks.Seeds, rate: PassRate, failures: list[Outcome]) -> Iterator[str]:
    """The pass rate of a test, as `beaconry test` prints that of a scenario, and the failed seeds of each place."""
    is_passed = rate.reaches(chosen.required)
    head = "passed" if is_passed else "FAILED"
    below = "" if is_passed else "below the required pass rate "
    yield f"{head} {item.nodeid}: {below}in {rate.runs} {'run' if rate.runs == 1 else 'runs'}, seeds {_ranges(chosen.seeds)}"
    titles = ["", "PASSED", "RATE", "95 % INTERVAL", "REQUIRED"]
    row = ["ok" if is_passed else "FAILED", f"{rate.passed}/{rate.runs}", rate.text, rate.interval_text, f"{number(chosen.required)} %"]
    widths = [max(len(title), len(cell)) for title, cell in zip(titles, row)]
    for cells in (titles, row):
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()
    places: dict[str, list[Outcome]] = {}
    for each in failures:
        places.setdefault(each.fault.place if each.fault else item.nodeid, []).append(each)
    for place, found in places.items():
        sentence = found[0].fault.sentence if found[0].fault else "failed"
        plural = "" if len(found) == 1 else "s"
        yield f"{place}: failed with seed{plural} {_list([each.seed for each in found])}; with seed {found[0].seed}: {sentence}"
    if failures:
        yield f'repeat one: pytest "{item.nodeid}" --beaconry-seed {failures[0].seed}'


def _list(seeds: list[int]) -> str:
    """The first ten seeds: `3, 7, 12`."""
    first = ", ".join(map(str, seeds[:SHOWN]))
    return f"{first}, … ({len(seeds)} in all)" if len(seeds) > SHOWN else first


def _ranges(seeds: list[int]) -> str:
    """`1..50`, or the first ten seeds."""
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]}..{seeds[-1]}"
    return _list(seeds)
