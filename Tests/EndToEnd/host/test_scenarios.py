# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry test`: the scenarios of the repository, failures, results in files, and files with faults."""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from beaconry import CHECKOUT, Beaconry
from test_command_line import BINARY
from test_command_line import beaconry as call

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


def test_there_are_fourteen_scenarios() -> None:
    assert len(SCENARIOS) == 14


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_passes(path: Path) -> None:
    result = call("test", str(path), "--json")
    record = json.loads(result.stdout)
    assert result.returncode == 0, record
    assert record["passed"] and record["scenario"] == path.stem
    assert all(expectation["passed"] for expectation in record["expectations"])


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "within", "share"), [("", 20, 0.004), ("", 600, 0.12), ("power-on: together\n", 20, 1)])
def test_first_packet_comes_at_a_phase_of_the_interval(tmp_path: Path, keys: str, within: int, share: float) -> None:
    path = tmp_path / "slow.yaml"
    path.write_text(
        SHOP.replace("100ms", "5s") + keys + "expect:\n"
        f"  - {{ receiver: phone, sees: door, by: {within}ms, require: 0.5% }}\n"
    )  # fmt: skip
    result = call("test", str(path), "--seeds", "1..200", "--json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    passed = next(record["passed"] for record in records if record["event"] == "expectation")
    # Four standard deviations of a binomial distribution.
    assert abs(passed - 200 * share) <= 4 * (200 * share * (1 - share)) ** 0.5


@pytest.mark.slow
def test_pairing_is_the_same_in_each_run(tmp_path: Path) -> None:
    captures = {}
    for name, seed in (("first", "7"), ("second", "7"), ("other", "8")):
        file = tmp_path / f"{name}.btsnoop"
        result = call("test", str(CHECKOUT / "scenarios/paired-lock.yaml"), "--seed", seed, "--capture", str(file))
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
    result = call("test", write(tmp_path, f"at: 2s, do: {change}", f"on-air: door, by: {end}"))
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
    result = call("test", str(path))
    assert result.returncode == 0, result.stdout


# A beacon whose packets are received by chance: its seeds differ.
CHANCE = f"""scenario: chance
duration: 10m
beacons:
  - {{ id: door, device: ibeacon, interval: 100ms, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
receivers: [{{ id: phone, position: [3, 0] }}]
timeline:
  - {{ at: 0s, do: link door phone --packet-loss 50 }}
  - {{ at: 5s, do: off door }}
expect:
  - {{ receiver: phone, sees: door, by: 5s }}
  - {{ receiver: phone, sees: door, between: [1s, 1.15s], require: 10% }}
  - {{ receiver: phone, sees: door, between: [1s, 1.15s], require: 99% }}
"""


def records(result: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_seeds_give_a_pass_rate_of_each_expectation(tmp_path: Path) -> None:
    path = tmp_path / "chance.yaml"
    path.write_text(CHANCE)
    junit = tmp_path / "results.xml"
    done = call("test", str(path), "--seeds", "1..40", "--json", "--junit", str(junit))
    assert done.returncode == 1, done.stderr
    *rates, verdict = records(done)
    assert [rate["line"] for rate in rates] == [10, 11, 12]
    for rate in rates:
        assert rate["event"] == "expectation" and rate["runs"] == 40
        assert rate["passed"] + len(rate["failedSeeds"]) == 40
        assert rate["rate"] == rate["passed"] / 40
        low, high = rate["interval"]
        assert 0 <= low <= rate["rate"] <= high <= 1 and low < high
    always, often, seldom = rates
    assert (always["passed"], always["failedSeeds"], always["interval"][1]) == (40, [], 1)
    assert 10 < often["passed"] < 40
    assert [rate["met"] for rate in rates] == [True, True, False]
    assert [rate["required"] for rate in rates] == [1, 0.1, 0.99]
    assert (verdict["event"], verdict["passed"], verdict["runs"], verdict["seeds"]) == ("scenario", False, 40, "1..40")

    # Each seed does what it does alone.
    failed = often["failedSeeds"][0]
    passed = next(seed for seed in range(1, 41) if seed not in often["failedSeeds"])
    for seed, is_met in ((failed, False), (passed, True)):
        [alone] = records(call("test", str(path), "--seed", str(seed), "--json"))
        assert (alone["seed"], alone["expectations"][1]["passed"]) == (seed, is_met)

    root = ElementTree.parse(junit).getroot()
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    properties = {each.get("name"): each.get("value") for each in root.findall("testsuite/properties/property")}
    assert properties == {"seeds": "1..40", "virtual-duration": "600.0"}
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    message = failure.get("message") or ""
    assert f"passed in {seldom['passed']} of 40 runs" in message and "99 % required" in message
    assert f"failed with seeds {failed}, " in message and f"; with seed {failed} at 1.15s: " in message


def test_table_of_pass_rates_names_failed_seeds(tmp_path: Path) -> None:
    path = tmp_path / "chance.yaml"
    path.write_text(CHANCE)
    done = call("test", str(path), "--seeds", "1..30,40,50")
    head, columns, *rows = done.stdout.splitlines()
    assert head == "FAILED chance: 1 of 3 expectations below the required pass rate in 32 runs of 600s, seeds 1..30,40,50"
    assert columns.split("  ")[-1] == "EXPECTATION"
    assert [row.split()[0] for row in rows[:3]] == ["ok", "ok", "FAILED"]
    assert "32/32" in rows[0] and "100 %" in rows[0]
    assert rows[3].startswith(f"{path}:11: failed with seeds ") and "; with seed " in rows[3]
    assert rows[-1].startswith("95 % interval:")
    assert call("test", str(path), "--seeds", "1").stdout.startswith(("passed", "FAILED"))


def documented_pass_rates(folder: Path) -> str:
    """Writes the example of docs/testing-with-physics.md, and returns the table that it prints with the seeds 1 to 50."""
    text = (CHECKOUT / "docs/testing-with-physics.md").read_text()
    (folder / "rooms.yaml").write_text(text.split("```yaml\n")[1].split("```")[0])
    return text.split("beaconry test rooms.yaml --seeds 1..50\n\n```\n")[1].split("```")[0]


def pass_rates(folder: Path, seeds: str) -> str:
    command = [str(Path(BINARY).absolute()), "test", "rooms.yaml", "--seeds", seeds]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False).stdout


@pytest.mark.statistics
def test_documented_pass_rates_are_those_of_the_command(tmp_path: Path) -> None:
    printed = documented_pass_rates(tmp_path)
    assert pass_rates(tmp_path, "1..50") == printed


def test_documented_failures_are_those_of_some_seeds(tmp_path: Path) -> None:
    """Which of the expectations fail with a few of the seeds, and why with the first of them that fails."""
    printed = documented_pass_rates(tmp_path)
    seeds = {1, 2, 4, 5}
    passed = {line: int(count) for line, count in re.findall(r"^  (?:ok|FAILED) +(\d+) +(\d+)/50 ", printed, re.MULTILINE)}
    failure = re.compile(r"^rooms\.yaml:(\d+): failed with seeds? ([\d, ]*\d).*(; with seed .*)$", re.MULTILINE)
    documented = {line: (set(map(int, found.split(","))) & seeds, reason) for line, found, reason in failure.findall(printed)}
    assert len(passed) == 13 and {line for line, count in passed.items() if count < 50} == documented.keys()
    for line in documented:
        # The list of those that fail always is shortened.
        if passed[line] == 0:
            documented[line] = (seeds, documented[line][1])
    done = pass_rates(tmp_path, ",".join(map(str, sorted(seeds))))
    assert {line: (set(map(int, found.split(","))), reason) for line, found, reason in failure.findall(done)} == documented


def test_rate_that_is_high_enough_passes(tmp_path: Path) -> None:
    path = tmp_path / "chance.yaml"
    path.write_text("\n".join(CHANCE.splitlines()[:-1]) + "\n")
    done = call("test", str(path), "--seeds", "1..30")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("passed chance: 2 expectations in 30 runs of 600s, seeds 1..30")
    # Without seeds every expectation must be met.
    failed = done.stdout.split("; with seed ")[1].split()[0]
    assert call("test", str(path), "--seed", failed).returncode == 1


def test_watched_scenario_runs_again_after_each_change(beaconry: Beaconry, tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"

    def save(time: str) -> None:
        new = path.with_suffix(".new")
        new.write_text(SHOP + f"timeline:\n  - {{ at: 10s, do: off door }}\nexpect:\n  - {{ on-air: door, at: {time} }}\n")
        new.replace(path)

    save("20s")
    run = beaconry.start("test", str(path), "--watch", "--json")
    assert not run.wait("scenario")["passed"]
    save("5s")
    assert run.wait("scenario")["passed"]
    save("5x")
    assert run.wait("error")["line"] == 8
    save("6s")
    assert run.wait("scenario")["passed"]


def test_changes_that_are_refused_with_some_seeds_fail(tmp_path: Path) -> None:
    path = write(tmp_path, "at: 2s, do: set door mayor=7", "on-air: door, at: 5s")
    *rates, verdict = records(call("test", path, "--seeds", "1..3", "--json"))
    assert [(rate["text"], rate["passed"], rate["failedSeeds"]) for rate in rates] == [
        ("set door mayor=7 at 2s", 0, [1, 2, 3]),
        ("door is on the air at 5s", 3, []),
    ]
    assert not verdict["passed"]


def test_every_run_begins_at_the_same_time_of_day(tmp_path: Path) -> None:
    """A scenario does the same with other scenarios and seeds beside it."""
    path = tmp_path / "opening.yaml"
    path.write_text(
        f"""scenario: opening
beacons:
  - {{ id: door, device: ibeacon, schedule: {{ between: "00:01-00:02" }}, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
receivers: [{{ id: phone }}]
expect:
  - {{ off-air: door, between: [1s, 59s] }}
  - {{ on-air: door, between: [61s, 119s] }}
  - {{ off-air: door, between: [121s, 10m] }}
"""
    )
    done = call("test", str(path), "--seeds", "1..3", TZ="UTC")
    assert done.returncode == 0, done.stdout + done.stderr
    done = call("test", str(path), str(path), TZ="UTC")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--seeds", "1..5", "--seed", "1"), "--seed and --seeds exclude each other; leave one out"),
        (("--seeds", "1..5", "--capture", "a.btsnoop"), "--capture is the file of one run; write --seed N instead of --seeds"),
        (("--seeds", "1-5"), '--seeds: "1-5" is not a list of seeds; write 1..50 or 1,5,9'),
        (("--seeds", "5..1"), "--seeds: 5..1 begins with its last seed; write 1..5"),
        (("--seeds", "1,2,1"), "--seeds: the seed 1 is given twice; leave one out"),
        (("--seeds", "1..100000"), "--seeds: at most 10000 seeds are possible; write fewer, such as 1..50"),
    ],
)
def test_seeds_that_are_not_possible_are_refused(options: tuple[str, ...], sentence: str) -> None:
    done = call("test", str(SCENARIOS[0]), *options)
    assert (done.returncode, done.stdout, done.stderr) == (64, "", f"beaconry: {sentence}\n")


def test_several_scenarios_run_one_after_the_other() -> None:
    # A day, and elliptic curves, take long.
    quick = [path for path in SCENARIOS if path.stem not in ("shop-day", "paired-lock")]
    result = call("test", *map(str, quick))
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    assert len(quick) == 12 and [line.split(":")[0] for line in lines] == [f"passed {path.stem}" for path in quick]


def test_all_failures_are_reported_with_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(
        SHOP + "timeline:\n  - { at: 10s, do: [off door, set door mayor=7] }\nexpect:\n"
        "  - { on-air: door, at: 30s }\n  - { receiver: phone, sees: door, by: 1s }\n  - { on-air: door, at: 20s }\n"
    )
    done = call("test", str(path), "--seed", "5")
    assert done.returncode == 1
    head, refused, *unmet = done.stdout.splitlines()
    assert head == "FAILED shop: 2 of 3 expectations not met, 1 change refused in 30s, seed 5"
    assert refused.startswith(f'{path}:6: at 10s: "set door mayor=7" was refused: ')
    assert [line.split(": expected")[0] for line in unmet] == [f"{path}:10: at 20s", f"{path}:8: at 30s"]
    [record] = records(call("test", str(path), "--json"))
    assert [expectation["passed"] for expectation in record["expectations"]] == [False, True, False]
    assert [(each["line"], each["at"], each["change"]) for each in record["refused"]] == [(6, 10, "set door mayor=7")]


def test_first_failure_is_reported_with_its_moment(tmp_path: Path) -> None:
    path = write(tmp_path, "at: 10s, do: off door", "on-air: door, between: [1s, 20s]")
    result = call("test", path)
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
    result = call("test", write(tmp_path, "at: 10s, do: off door", expect))
    assert result.returncode == 1
    assert ": at " in result.stdout


def test_refused_change_fails(tmp_path: Path) -> None:
    result = call("test", write(tmp_path, "at: 2s, do: set door mayor=7", "on-air: door, at: 5s"))
    assert result.returncode == 1
    assert 'at 2s: "set door mayor=7" was refused' in result.stdout


def test_junit_file_has_all_expectations(tmp_path: Path) -> None:
    junit = tmp_path / "results.xml"
    failing = write(tmp_path, "at: 10s, do: off door", "on-air: door, at: 15s")
    assert call("test", str(SCENARIOS[0]), failing, "--junit", str(junit)).returncode == 1
    root = ElementTree.parse(junit).getroot()
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [SCENARIOS[0].stem, "shop"]
    assert root.get("failures") == "1"
    assert int(root.get("tests") or 0) == len(root.findall("testsuite/testcase"))
    failure = suites[1].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "at 15s: it has been off the air since 10s (seed 1)"


@pytest.mark.slow
def test_junit_times_are_real_and_virtual_ones_are_properties(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_text(SHOP + "duration: 24h\ntimeline:\n  - { at: 1s, do: off door }\nexpect:\n  - { off-air: door, at: 20h }\n")
    junit = tmp_path / "results.xml"
    assert call("test", str(path), "--seed", "9", "--junit", str(junit)).returncode == 0
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert suite is not None
    properties = {each.get("name"): each.get("value") for each in suite.findall("properties/property")}
    assert properties == {"seed": "9", "virtual-duration": "86400.0"}
    case = suite.find("testcase")
    assert case is not None
    # A day of the scenario; the run takes milliseconds, and less than the time limit of the test.
    assert float(suite.get("time") or 0) < 3600 and float(case.get("time") or 0) < 3600
    [moment] = case.findall("properties/property")
    assert (moment.get("name"), moment.get("value")) == ("virtual-time", "72000.0")


def test_results_without_a_folder_are_refused_before_the_run(tmp_path: Path) -> None:
    file = tmp_path / "out" / "results.xml"
    done = call("test", str(SCENARIOS[0]), "--junit", str(file))
    assert (done.returncode, done.stdout) == (74, "")
    sentence = f"cannot write {file}: there is no folder {file.parent}; create the folder"
    assert done.stderr == f"beaconry: {sentence}\n"
    profile = str(CHECKOUT / "profiles/museum.yaml")
    done = call(
        "run", profile, "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--duration", "1ms", "--metrics-file", str(file),
        "--control", str(tmp_path / "c"),
    )  # fmt: skip
    assert done.returncode == 73 and done.stderr == f"beaconry: {sentence}\n"


KINDS = {
    "a profile": f"profile: good\nbeacons: [{{ id: door, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}]\n",
    "a scenario": SHOP + "expect: [{ on-air: door, at: 1s }]\n",
    "a list of regions": f"regions: [{{ identifier: shop, uuid: {UUID} }}]\n",
    "a list of expectations": "expect: [{ event: ready }]\n",
}
HINTS = {
    "a profile": "run it with beaconry run, or check it with beaconry check",
    "a scenario": "run it with beaconry test",
    "a list of regions": "monitor them with beaconry monitor",
    "a list of expectations": "give it to beaconry expect",
}
READERS = {"run": "a profile", "check": "a profile", "test": "a scenario", "monitor": "a list of regions", "expect": "a list of expectations"}  # fmt: skip


@pytest.mark.parametrize("command", READERS)
def test_file_of_another_kind_is_named_with_its_command(tmp_path: Path, command: str) -> None:
    path = tmp_path / "file.yaml"
    for kind, text in KINDS.items():
        if kind == READERS[command]:
            continue
        path.write_text(text)
        done = call(command, str(path), XDG_RUNTIME_DIR=str(tmp_path))
        sentence = f"this is {kind}, not {READERS[command]}; {HINTS[kind]}"
        assert (done.returncode, done.stdout, done.stderr) == (65, "", f"{path}:1:1: error: {sentence}\n")


def test_region_list_without_regions_has_their_key_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "regions.yaml"
    path.write_text("region: []\n")
    done = call("monitor", str(path))
    assert done.returncode == 65
    assert 'there is no key "region" here; did you mean "regions"? keys are regions' in done.stderr


@pytest.mark.parametrize("name", ["crowd", "lossy-link", "commute"])
def test_captures_are_identical(tmp_path: Path, name: str) -> None:
    captures = [tmp_path / f"{number}.btsnoop" for number in range(2)]
    for capture in captures:
        assert call("test", str(CHECKOUT / "scenarios" / f"{name}.yaml"), "--capture", str(capture)).returncode == 0
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
        ("at: 1s, do: off door", "receiver: phone, proximity: door, is: neer, by: 1s", "8:45", 'did you mean "near"?'),
        ("at: 1s, do: off door", "receiver: phone, enters: door, cuont: 1, by: 1s", "8:38", 'did you mean "count"?'),
        ("at: 1s, do: off door", "receiver: phone, helo: door, by: 1s", "8:24", 'did you mean "hello"?'),
        ("at: 1s, do: off door", "on-air: door, at: 1s, require: 95", "8:38", "write a percentage"),
        ("at: 1s, do: off door", "on-air: door, at: 1s, requier: 95%", "8:29", 'did you mean "require"?'),
    ],
)
def test_fault_has_line_and_column(tmp_path: Path, timeline: str, expect: str, place: str, words: str) -> None:
    path = write(tmp_path, timeline, expect)
    result = call("test", path)
    assert result.returncode == 65
    assert f"{path}:{place}: error:" in result.stderr
    assert words in result.stderr


def test_capture_of_several_scenarios_is_refused(tmp_path: Path) -> None:
    result = call("test", *map(str, SCENARIOS[:2]), "--capture", str(tmp_path / "a.btsnoop"))
    assert result.returncode == 64
