# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry survey`: figures of scenarios and profiles, estimators of users, comparisons, and what bad input gets."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from beaconry import PROFILES, Beaconry
from comings import UUID

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "surveys.md"
ROOMS = """
profile: flat
physics: {physics}
floors: [{{ id: ground, from: 0m }}]
rooms:
  - {{ id: west, floor: ground, outline: [[0, 0], [5, 0], [5, 4], [0, 4]], walls: plasterboard, doors: [{{ at: [5, 2], width: 1m }}] }}
  - {{ id: east, floor: ground, outline: [[5, 0], [10, 0], [10, 4], [5, 4]], walls: plasterboard }}
beacons:
  - {{ id: window, device: ibeacon, position: [0.5, 2, 2], ibeacon: {{ uuid: UUID, minor: 1 }} }}
  - {{ id: door, device: ibeacon, position: [9.5, 2, 2], ibeacon: {{ uuid: UUID, minor: 2 }} }}
"""
ROOMS = ROOMS.replace("UUID", UUID)
WALK = "receivers:\n  - { id: visitor, path: { through: [[1, 2, 1], [9, 2, 1]], speed: 0.5m/s } }\n"


def flat(beaconry: Beaconry, physics: str = "off", receivers: str = WALK) -> Path:
    return beaconry.profile(ROOMS.format(physics=physics) + receivers)


def survey(beaconry: Beaconry, *arguments: object) -> dict:
    result = beaconry.call("survey", *arguments, "--json")
    assert result.returncode == 0, result
    return json.loads(result.stdout)


def test_figures_of_a_walk_without_chance(beaconry: Beaconry) -> None:
    """The border is crossed at 8 s, by truth and by the strongest beacon; the mean of 6 s comes later."""
    report = survey(beaconry, flat(beaconry))
    assert (report["event"], report["v"], report["estimator"], report["surveyed"]) == ("survey", 1, "strongest", "visitor")
    assert [each["name"] for each in report["rooms"]] == ["west", "east"]
    assert report["samples"] == 16
    figures = report["figures"]
    assert figures["lost"] == 0 and 0 < figures["room-error"] < 0.3
    assert 0 < figures["enter"] <= 6 and figures["wrong-changes"] == 0
    assert report["confusion"]["west"] == {"west": 1}
    assert {each["name"]: each["figures"]["right"] for each in report["without"]}["door"] < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["nearest", "strongest", "centroid", "least-squares"])
def test_same_seed_gives_the_same_bytes(beaconry: Beaconry, estimator: str) -> None:
    file = flat(beaconry, "home")
    results = {beaconry.call("survey", file, "--seeds", "1..3", "--estimator", estimator, *form).stdout for form in [["--json"]] * 2}
    assert len(results) == 1
    report = json.loads(results.pop())
    assert [each["seed"] for each in report["runs"]] == [1, 2, 3]
    mean = sum(each["figures"]["median-error"] for each in report["runs"]) / 3
    assert report["figures"]["median-error"] == pytest.approx(mean)


@pytest.mark.slow
def test_profile_without_movement_is_surveyed_on_a_grid(beaconry: Beaconry, tmp_path: Path) -> None:
    plot = tmp_path / "errors.svg"
    report = survey(beaconry, flat(beaconry, "home", ""), "--grid", "1m", "--plot", plot)
    # 20 places a room, four headings, and the samples from 6 to 9 s at each.
    assert report["samples"] == 2 * 20 * 4 * 4
    assert "wrong-changes" not in report["figures"] and report["figures"]["right"] > 0.8
    assert report["surveyed"] == "a grid of 1 m with four headings"
    text = plot.read_text()
    assert text.startswith("<?xml") and ">ground</text>" in text and "error (m)" in text
    refused = beaconry.call("survey", flat(beaconry, "home", ""), "--plot", plot)
    assert refused.returncode == 73 and "--force" in refused.stderr


def test_tag_is_located_among_receivers(beaconry: Beaconry) -> None:
    file = beaconry.profile(
        ROOMS.format(physics="off").split("beacons:")[0] + """
beacons:
  - { id: tag, device: ibeacon, ibeacon: { uuid: UUID }, path: { through: [[1, 2, 1], [9, 2, 1]], speed: 0.5m/s } }
receivers:
  - { id: kitchen, position: [0.5, 2, 2] }
  - { id: hall, position: [9.5, 2, 2] }
""".replace("UUID", UUID)
    )
    report = survey(beaconry, file)
    assert report["surveyed"] == "tag" and [each["name"] for each in report["without"]] == ["kitchen", "hall"]
    assert report["figures"]["room-error"] < 0.3


def test_markdown_has_the_same_figures(beaconry: Beaconry) -> None:
    text = beaconry.call("survey", flat(beaconry), "--markdown").stdout
    assert "| all |" in text and "| in west |" in text and "| TRUE ROOM | west | east | none |" in text
    refused = beaconry.call("survey", flat(beaconry), "--markdown", "--json")
    assert refused.returncode == 64


def test_baseline_finds_what_is_worse(beaconry: Beaconry, tmp_path: Path) -> None:
    file, baseline = flat(beaconry, "home"), tmp_path / "baseline.json"
    baseline.write_text(beaconry.call("survey", file, "--seeds", "1..8", "--json").stdout)
    same = beaconry.call("survey", file, "--seeds", "1..8", "--baseline", baseline)
    assert "room-error: +0 %, with each seed: not different" in same.stdout
    # The door's beacon at the window's side.
    worse = beaconry.profile(file.read_text().replace("[9.5, 2, 2]", "[4.5, 2, 2]"), "worse.yaml")
    found = beaconry.call("survey", worse, "--seeds", "1..8", "--baseline", baseline)
    assert found.returncode == 1 and re.search(r"room-error: .*: worse", found.stdout)
    for seeds, words in (("1..9", "has other seeds"), ("1..8", "is not the output")):
        if seeds == "1..8":
            baseline.write_text("{}")
        refused = beaconry.call("survey", file, "--seeds", seeds, "--baseline", baseline)
        assert refused.returncode in (64, 65) and words in refused.stderr


# Estimators of users


def command(tmp_path: Path, code: str) -> str:
    script = tmp_path / "estimator.py"
    script.write_text("import json, os, sys, time\ninstallation = json.loads(sys.stdin.readline())\n" + code)
    return f"exec:{sys.executable} {script}"


def documented(tmp_path: Path, number: int = 0) -> str:
    """An estimator of docs/surveys.md."""
    script = tmp_path / f"estimator-{number}.py"
    script.write_text(re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)[number])
    return f"exec:{sys.executable} {script}"


def test_estimator_of_the_document_is_ours(beaconry: Beaconry, tmp_path: Path) -> None:
    """The twenty lines of docs/surveys.md give the rooms of `strongest`."""
    file = flat(beaconry, "home")
    ours = survey(beaconry, file, "--estimator", "strongest")
    theirs = survey(beaconry, file, "--estimator", documented(tmp_path))
    assert theirs["estimator"].startswith("exec:")
    for key in ("right", "lost", "wrong-changes", "enter", "leave"):
        assert theirs["figures"][key] == pytest.approx(ours["figures"][key]), key
    assert "median-error" not in theirs["figures"]
    assert theirs["confusion"] == ours["confusion"]


LOCATE = """
import json, sys
request = json.load(sys.stdin)
assert set(request) == {"floor_bounds", "locator", "stations", "distances"}, request
assert [len(point) for point in request["floor_bounds"]] == [3, 3] and request["locator"] == "NelderMead"
stations = {each["id"]: each for each in request["stations"]}
assert all(set(each) == {"id", "x", "y", "z"} for each in request["stations"])
nearest = min(request["distances"], key=lambda each: each["distance_m"])
station = stations[nearest["station_id"]]
print(json.dumps({"x": station["x"], "y": station["y"], "z": station["z"], "confidence": 80, "fixes": 2, "moved": True}))
"""
"""In the place of `locate` of ESPresense-companion, which was not run: it checks the documented request, and has the nearest station."""


def test_request_of_the_companion_is_as_documented(beaconry: Beaconry, tmp_path: Path) -> None:
    (tmp_path / "locate.py").write_text(LOCATE)
    estimator = f"{documented(tmp_path, 1)} {sys.executable} {tmp_path / 'locate.py'}"
    report = survey(beaconry, flat(beaconry), "--no-outages", "--estimator", estimator)
    assert report["figures"]["room-error"] < 0.3 and report["figures"]["lost"] == 0
    assert report["figures"]["median-error"] > 0


LOOP = "for line in sys.stdin:\n    message = json.loads(line)\n    if 'until' not in message: continue\n    "
FAULTS = {
    "silent": (LOOP + "time.sleep(60)\n", "did not answer for 1.00 s within 10 s"),
    "crashes": ("sys.exit(3)\n", "has ended, with exit code 3, before its last answer"),
    "is killed": ("os.kill(os.getpid(), 9)\n", "has ended, with signal 9, before its last answer"),
    "floods": ("while True: print('{}', flush=True)\n", "has written more than one line for an estimate"),
    "floods without an end of line": ("sys.stdout.write('x' * 10_000_000)\nsys.stdout.flush()\ntime.sleep(60)\n", "has written a line of more than 64 KiB"),
    "lies about time": (LOOP + "print(json.dumps({'until': 99}), flush=True)\n", "which is about 99.0 s"),
    "knows another room": (LOOP + "print(json.dumps({'room': 'cellar'}), flush=True)\n", 'which has a room that there is not, "cellar"'),
    "is malformed": (LOOP + "print('kitchen', flush=True)\n", "which is no JSON object"),
    "answers twice": (LOOP + "print('{}\\n{}', flush=True)\n", "has written more than one line for an estimate"),
    "does not read": ("time.sleep(60)\n", "within 10 s"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_an_estimator_is_one_sentence(beaconry: Beaconry, tmp_path: Path, fault: str) -> None:
    code, words = FAULTS[fault]
    mark = tmp_path / "pid"
    code = f"open({str(mark)!r}, 'w').write(str(os.getpid()))\n" + code
    refused = beaconry.call("survey", flat(beaconry), "--estimator", command(tmp_path, code))
    assert refused.returncode == 65, refused
    assert refused.stdout == "" and words in refused.stderr and len(refused.stderr.strip().splitlines()) == 1
    assert not Path(f"/proc/{mark.read_text()}").exists(), "nothing is left behind"


def test_estimator_gets_the_installation_and_no_truth(beaconry: Beaconry, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code = f"""out = open({str(seen)!r}, "w")
out.write(json.dumps(installation) + "\\n")
for line in sys.stdin:
    out.write(line)
    out.flush()
    if "until" in json.loads(line): print("{{}}", flush=True)
"""
    report = survey(beaconry, flat(beaconry), "--no-outages", "--estimator", command(tmp_path, code))
    assert report["figures"]["lost"] == 1
    head, *lines = map(json.loads, seen.read_text().splitlines())
    assert head["receivers"] == [{"name": "visitor"}]
    assert head["beacons"][0] == {"name": "window", "position": [0.5, 2, 2], "room": "west"}
    assert [each["id"] for each in head["rooms"]] == ["west", "east"] and head["v"] == 1
    assert [each["until"] for each in lines if "until" in each] == list(range(1, 17))
    packets = [each for each in lines if "rssi" in each]
    assert packets and all(set(each) == {"time", "receiver", "beacon", "rssi"} for each in packets)
    times = [each.get("time", each.get("until")) for each in lines]
    assert times == sorted(times)


def test_standard_error_of_an_estimator_is_passed_on(beaconry: Beaconry, tmp_path: Path) -> None:
    code = "print('a remark', file=sys.stderr)\n" + LOOP + "print('{}', flush=True)\n"
    result = beaconry.call("survey", flat(beaconry), "--no-outages", "--estimator", command(tmp_path, code))
    assert "a remark" in result.stderr


def test_command_is_no_part_of_a_file(beaconry: Beaconry) -> None:
    file = flat(beaconry, receivers=WALK.replace("id: visitor,", 'id: visitor, estimator: "exec:./run.sh",'))
    refused = beaconry.call("check", file)
    assert refused.returncode == 65 and "a command is an option" in refused.stderr


# Expectations


def scenario(beaconry: Beaconry, expectation: str, receiver: str = "id: visitor,") -> Path:
    text = ROOMS.format(physics="off").replace("profile: flat", "scenario: flat") + WALK.replace("id: visitor,", receiver)
    return beaconry.profile(f"{text}duration: 16s\nexpect:\n  - {expectation}\n")


@pytest.mark.parametrize(
    ("expectation", "words"),
    [
        ("{ receiver: visitor, room-error: ..30% }", None),
        ("{ receiver: visitor, room-error: ..5% }", "room error at most 5 % between 0s and 16s, but it was"),
        ("{ receiver: visitor, room-error: ..0%, between: [0s, 7s] }", None),
        ("{ receiver: visitor, median-error: ..5m }", None),
        ("{ receiver: visitor, median-error: ..10cm }", "is not a bound; write ..2m"),
        ("{ receiver: visitor, room-error: ..0% , at: 3s }", "a figure is of a period"),
        ("{ receiver: visitor, room-error: 20% }", '15:38: error: expect[0].room-error: "20%" is not a bound; write ..20%'),
        ("{ receiver: visitor, room-error: ..10%, between: [0s, 500ms] }", "no estimate is in this period: there is one a second"),
        ("{ room-error: ..10% }", '"receiver" is missing'),
    ],
)
def test_expectation_of_an_error(beaconry: Beaconry, expectation: str, words: str | None) -> None:
    result = beaconry.call("test", scenario(beaconry, expectation))
    assert (result.returncode == 0) == (words is None), result
    if words:
        assert words in result.stdout + result.stderr


def test_estimator_of_a_receiver_and_of_the_command(beaconry: Beaconry, tmp_path: Path) -> None:
    """Least squares of two beacons have the place of a walk between them."""
    expectation = "{ receiver: visitor, median-error: ..2m }"
    assert beaconry.call("test", scenario(beaconry, expectation)).returncode == 1
    option = beaconry.call("test", scenario(beaconry, expectation), "--estimator", "centroid")
    own = beaconry.call("test", scenario(beaconry, expectation, "id: visitor, estimator: centroid,"))
    assert (option.returncode, own.returncode) == (0, 0), (option, own)
    lost = beaconry.call(
        "test", scenario(beaconry, "{ receiver: visitor, room-error: ..30% }"), "--estimator",
        command(tmp_path, LOOP + "print('{}', flush=True)\n"),
    )  # fmt: skip
    assert lost.returncode == 1 and "it was 100 %" in lost.stdout


def test_strongest_receiver_of_a_tag(beaconry: Beaconry) -> None:
    text = """
scenario: tag
duration: 20s
beacons: [{ id: tag, device: ibeacon, ibeacon: { uuid: UUID }, path: { through: [[0, 0], [8, 0]], speed: 0.5m/s } }]
receivers: [{ id: kitchen, position: [0, 1] }, { id: hall, position: [8, 1] }]
expect:
  - { beacon: tag, strongest: kitchen, between: [2s, 6s] }
  - { beacon: tag, strongest: hall, between: [13s, 16s] }
  - { beacon: tag, strongest: hall, at: 3s }
"""
    result = beaconry.call("test", beaconry.profile(text.replace("UUID", UUID)))
    assert result.returncode == 1
    assert "1 of 3 expectations not met" in result.stdout and "strongest at hall at 3s, but it was strongest at kitchen" in result.stdout


# Bad input


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profile: p\nbeacons: [{ id: a, device: battery, position: [1, 1] }]\n", "nothing moves in it, and it has no rooms for a grid"),
        ("profile: p\nbeacons: [{ id: a, device: battery }]\n" + WALK, "it has no beacons that do not move"),
    ],
)
def test_what_cannot_be_surveyed_is_said(beaconry: Beaconry, text: str, words: str) -> None:
    refused = beaconry.call("survey", beaconry.profile(text))
    assert refused.returncode == 65 and words in refused.stderr


def test_wrong_options_are_refused(beaconry: Beaconry) -> None:
    file = flat(beaconry)
    for options, words in (
        (("--estimator", "strongst"), "strongest"), (("--estimator", "exec:"), "a command is expected"),
        (("--estimator", "exec:./no-such-command"), "there is no file ./no-such-command"),
        (("--estimator", "exec:no-such-command"), "there is no command no-such-command"), (("--dwell", "1s"), "7s"), (("--grid", "0m"), "0.1"),
        (("--grid", "1m"), "something moves in"), (("--every", "1m"), "is longer than the survey of 16s"),
        (("--baseline", "none.json"), "write an output of beaconry survey --json"),
    ):  # fmt: skip
        refused = beaconry.call("survey", file, *options)
        assert refused.returncode in (64, 65) and words in refused.stderr, (options, refused)


def test_scenario_needs_no_expectations_and_has_its_duration(beaconry: Beaconry) -> None:
    text = ROOMS.format(physics="off").replace("profile: flat", "scenario: flat") + WALK + "duration: 16s\n"
    file = beaconry.profile(text)
    assert survey(beaconry, file)["samples"] == 16
    for options, words in ((("--duration", "5s"), "which has a duration"), (("--grid", "1m"), "is a scenario")):
        refused = beaconry.call("survey", file, *options)
        assert refused.returncode == 64 and words in refused.stderr


def test_house_is_surveyed(beaconry: Beaconry) -> None:
    report = survey(beaconry, PROFILES / "house.yaml", "--estimator", "least-squares")
    assert len(report["rooms"]) == 6 and report["figures"]["right"] > 0.3
