# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Tests that run with several seeds. Each test here is a project of its own."""

from __future__ import annotations

import pytest
from beaconry._rates import PassRate, number
from test_plugin import run

PROJECT = """
import pytest
from beaconry import Air

@pytest.fixture(scope="module")
def started():
    print("module starts")
    yield []
    print("module ends")

@pytest.fixture
def each(started):
    started.append(1)
    yield len(started)

@pytest.mark.beaconry_seeds(range(1, 11), require="{require}")
@pytest.mark.beaconry_profile(time="virtual")
def test_app(air, each, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with Air(time="virtual") as own:
        assert own.seed == air.seed == each
    assert air.seed not in (3, 7), "too far"
    assert air.seed != 9, "too near"

def test_other(started):
    assert started
"""


def test_a_test_passes_with_the_required_part(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT.format(require="70%"))
    result = run(pytester, "-s", "--strict-markers")
    result.assert_outcomes(passed=2)
    assert sum(line.count("module starts") for line in result.outlines) == 1, "all runs share the fixtures of the module"
    result.stdout.fnmatch_lines(
        [
            "=* beaconry pass rates =*", "passed test_a_test_passes*.py::test_app: in 10 runs, seeds 1..10",
            "      PASSED  RATE  95 % INTERVAL   REQUIRED", "  ok  7/10    70 %  39.7 to 89.2 %  70 %",
            "*.py:22: failed with seeds 3, 7; with seed 3: too far", "*.py:23: failed with seed 9; with seed 9: too near",
            'repeat one: pytest "test_a_test*.py::test_app" --beaconry-seed 3',
        ]
    )  # fmt: skip
    assert not (pytester.path / "beaconry-failures").exists()


def test_a_test_fails_below_the_required_part(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT.format(require="71%"))
    result = run(pytester, "--junitxml", "results.xml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_app _*", "FAILED *::test_app: below the required pass rate in 10 runs, seeds 1..10", "*FAILED  7/10    70 %  *71 %",
            "*.py:22: failed with seeds 3, 7; with seed 3: too far", "With seed 3:", "*AssertionError: too far",
            "*- beaconry events (air) -*", "*- beaconry events (air-2) -*", "*test_app/seed-3/air-2/capture.btsnoop *; --beaconry-seed 3 repeats the air",
        ]
    )  # fmt: skip
    assert {each.name for each in pytester.path.glob("beaconry-failures/*/*")} == {"seed-3", "seed-7", "seed-9"}
    text = (pytester.path / "results.xml").read_text()
    assert '<property name="failed-seeds" value="3, 7, 9"' in text and 'tests="2"' in text and 'failures="1"' in text


def test_one_seed_repeats_a_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PROJECT.format(require="0%").replace("== each", "in (3, 8)"))
    result = run(pytester, "--beaconry-seed", "3")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E * AssertionError: too far"])
    run(pytester, "--beaconry-seed", "8").assert_outcomes(passed=2)


def test_seeds_in_parallel_and_with_parameters(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(4))
        @pytest.mark.beaconry_seeds([2, 4, 6], require="100 %")
        @pytest.mark.beaconry_profile(time="virtual")
        def test_app(air, number):
            assert air.seed != number * 2
        """
    )
    result = run(pytester, "-n", "2")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*test_app?1?: below the required pass rate in 3 runs, seeds 2, 4, 6"])


def test_faults_of_fixtures_count_and_skips_do_not(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def app(air):
            if air.seed == 2:
                raise RuntimeError("no app")
            yield
            if air.seed == 3:
                raise RuntimeError("no end")

        @pytest.mark.beaconry_seeds(range(1, 6), require="50%")
        @pytest.mark.beaconry_profile(time="virtual")
        def test_app(air, app):
            if air.seed == 4:
                pytest.skip("not with this one")

        @pytest.mark.beaconry_seeds(range(1, 6))
        def test_skipped():
            pytest.skip("not at all")
        """
    )
    result = run(pytester, "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "passed *::test_app: in 4 runs, seeds 1..5", "*ok  2/4 *",
            "*failed with seed 2; with seed 2: RuntimeError: no app", "*failed with seed 3; with seed 3: RuntimeError: no end",
        ]
    )  # fmt: skip


def test_many_failed_seeds_are_cut(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.beaconry_seeds(range(1, 16))
        @pytest.mark.beaconry_profile(time="virtual")
        def test_app(air):
            assert False
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*: failed with seeds 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (15 in all); with seed 1: assert False"])
    assert len(list(pytester.path.glob("beaconry-failures/*/*"))) == 10


@pytest.mark.parametrize(
    ("passed", "runs", "interval"),
    # Of the table in docs/testing-with-physics.md, and of beaconry test.
    [(1, 1, "20.7 to 100 %"), (10, 10, "72.2 to 100 %"), (50, 50, "92.9 to 100 %"), (500, 500, "99.2 to 100 %"), (31, 50, "48.2 to 74.1 %"),
     (37, 50, "60.4 to 84.1 %"), (0, 50, "0 to 7.1 %")],
)  # fmt: skip
def test_intervals_are_those_of_the_program(passed: int, runs: int, interval: str) -> None:
    assert PassRate(passed, runs).interval_text == interval


def test_only_all_is_all() -> None:
    assert [number(part) for part in (0, 0.0001, 0.5, 0.925, 0.9999, 1)] == ["0", "0.1", "50", "92.5", "99.9", "100"]
    assert PassRate(19, 20).reaches(0.95) and not PassRate(18, 20).reaches(0.95)
