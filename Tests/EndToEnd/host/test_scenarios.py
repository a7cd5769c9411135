# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry test`: the scenarios of the repository, failures, results in files, and files with faults."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from beaconry import CHECKOUT
from test_command_line import beaconry

SCENARIOS = sorted((CHECKOUT / "scenarios").glob("*.yaml"))
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""scenario: shop
beacons:
  - {{ id: door, device: ibeacon, interval: 100ms, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
receivers: [{{ id: phone, position: [3, 0] }}]
"""


def write(folder: Path, timeline: str, expect: str) -> str:
    path = folder / "shop.yaml"
    path.write_text(f"{SHOP}timeline:\n  - {{ {timeline} }}\nexpect:\n  - {{ {expect} }}\n")
    return str(path)


def test_there_are_eleven_scenarios() -> None:
    assert len(SCENARIOS) == 11


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_passes(path: Path) -> None:
    result = beaconry("test", str(path), "--json")
    record = json.loads(result.stdout)
    assert result.returncode == 0, record
    assert record["passed"] and record["scenario"] == path.stem
    assert all(expectation["passed"] for expectation in record["expectations"])


def test_pairing_is_the_same_in_each_run(tmp_path: Path) -> None:
    captures = {}
    for name, seed in (("first", "7"), ("second", "7"), ("other", "8")):
        file = tmp_path / f"{name}.btsnoop"
        result = beaconry("test", str(CHECKOUT / "scenarios/paired-lock.yaml"), "--seed", seed, "--capture", str(file))
        assert result.returncode == 0, result.stdout
        captures[name] = file.read_bytes()
    assert len(captures["first"]) > 10_000
    assert captures["first"] == captures["second"] != captures["other"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("connect phone door", "no connection to"),
        ("read phone door 2A00", "phone is not connected to door"),
        ("disconnect phone", "phone has no connection"),
        ("[off door, connect phone door]", "it was not done before the end of the scenario"),
    ],
)
def test_changes_on_connections_that_are_not_possible_are_refused(tmp_path: Path, change: str, sentence: str) -> None:
    # The beacon is not connectable.
    end = "5s" if "off" in change else "20s"
    result = beaconry("test", write(tmp_path, f"at: 2s, do: {change}", f"on-air: door, by: {end}"))
    assert result.returncode == 1
    assert "was refused" in result.stdout and sentence in result.stdout


def test_a_connection_and_its_values_are_expected(tmp_path: Path) -> None:
    path = tmp_path / "battery.yaml"
    path.write_text(
        """scenario: battery
beacons: [{ id: pot, device: battery, level: 50, position: [0, 0] }]
receivers: [{ id: phone, position: [3, 0] }, { id: tablet, position: [4, 0] }]
timeline:
  - { at: 1s, do: [connect phone pot, read phone pot 2A19, subscribe phone pot 2A19] }
  - { at: 5s, do: set pot level=49 }
  - { at: 8s, do: disconnect pot phone }
  - { at: 10s, do: [connect tablet pot, read tablet pot 2A19] }
expect:
  - { receiver: phone, connected: pot, between: [2s, 7s] }
  - { receiver: phone, value: pot, characteristic: 2A19, hex: 32, by: 3s }
  - { receiver: phone, value: pot, characteristic: 2A19, hex: 31, between: [5s, 6s] }
  - { receiver: phone, connected: pot, between: [9s, 30s], never: true }
  - { receiver: tablet, connected: pot, by: 12s }
  - { receiver: tablet, value: pot, characteristic: 2A19, hex: 31, by: 12s }
"""
    )
    result = beaconry("test", str(path))
    assert result.returncode == 0, result.stdout


def test_several_scenarios_run_one_after_the_other() -> None:
    result = beaconry("test", *map(str, SCENARIOS))
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"passed {path.stem}" for path in SCENARIOS]


def test_first_failure_is_reported_with_its_moment(tmp_path: Path) -> None:
    path = write(tmp_path, "at: 10s, do: off door", "on-air: door, between: [1s, 20s]")
    result = beaconry("test", path)
    assert result.returncode == 1
    assert f"{path}:8: at 10s: expected door is on the air all the time between 1s and 20s, but it has been off the air since 10s" in result.stdout


@pytest.mark.parametrize(
    "expect",
    [
        "receiver: phone, enters: door, by: 5s, never: true",
        "receiver: phone, exits: door, by: 60s, never: true",
        "receiver: phone, does-not-see: door, by: 5s",
        "receiver: phone, nearest: door, between: [1s, 30s]",
        "receiver: phone, distance: door, metres: 6, tolerance: 1, at: 9s",
        "receiver: phone, rssi: door, dbm: [-50, -40], by: 9s",
        "receiver: phone, reports: door, count: [0, 50], by: 9s",
        "off-air: door, at: 5s",
    ],
)
def test_expectation_can_fail(tmp_path: Path, expect: str) -> None:
    result = beaconry("test", write(tmp_path, "at: 10s, do: off door", expect))
    assert result.returncode == 1
    assert ": at " in result.stdout


def test_refused_change_fails(tmp_path: Path) -> None:
    result = beaconry("test", write(tmp_path, "at: 2s, do: set door mayor=7", "on-air: door, at: 5s"))
    assert result.returncode == 1
    assert 'at 2s: "set door mayor=7" was refused' in result.stdout


def test_junit_file_has_all_expectations(tmp_path: Path) -> None:
    junit = tmp_path / "results.xml"
    failing = write(tmp_path, "at: 10s, do: off door", "on-air: door, at: 15s")
    assert beaconry("test", str(SCENARIOS[0]), failing, "--junit", str(junit)).returncode == 1
    root = ElementTree.parse(junit).getroot()
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [SCENARIOS[0].stem, "shop"]
    assert root.get("failures") == "1"
    assert int(root.get("tests") or 0) == len(root.findall("testsuite/testcase"))
    failure = suites[1].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "at 15s: it has been off the air since 10s"


@pytest.mark.parametrize("name", ["crowd", "lossy-link", "commute"])
def test_captures_are_identical(tmp_path: Path, name: str) -> None:
    captures = [tmp_path / f"{number}.btsnoop" for number in range(2)]
    for capture in captures:
        assert beaconry("test", str(CHECKOUT / "scenarios" / f"{name}.yaml"), "--capture", str(capture)).returncode == 0
    first, second = (capture.read_bytes() for capture in captures)
    assert len(first) > 1000
    assert first == second


@pytest.mark.parametrize(
    "timeline,expect,place,words",
    [
        ("at: 1s, do: off dor", "on-air: door, at: 1s", "6:19", 'did you mean "door"?'),
        ("at: 1s, doo: off door", "on-air: door, at: 1s", "6:15", 'did you mean "do"?'),
        ("at: 1s, do: off door", "receiver: phone, entres: door, by: 1s", "8:24", 'did you mean "enters"?'),
        ("at: 1x, do: off door", "on-air: door, at: 1s", "6:11", "is not a duration"),
    ],
)
def test_fault_has_line_and_column(tmp_path: Path, timeline: str, expect: str, place: str, words: str) -> None:
    path = write(tmp_path, timeline, expect)
    result = beaconry("test", path)
    assert result.returncode == 65
    assert f"{path}:{place}: error:" in result.stderr
    assert words in result.stderr


def test_capture_of_several_scenarios_is_refused(tmp_path: Path) -> None:
    result = beaconry("test", *map(str, SCENARIOS[:2]), "--capture", str(tmp_path / "a.btsnoop"))
    assert result.returncode == 64
