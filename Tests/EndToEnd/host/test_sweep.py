# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry sweep` and `beaconry merge`: the same report however the runs are done, continued outputs, crashes, full disks and bad input."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from beaconry import PATIENCE
from test_command_line import BINARY
from test_command_line import beaconry as call

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SCENARIO = f"""scenario: chance
profile: door.yaml
physics: {{ sensitivity: -68dBm }}
receivers: [{{ id: phone, position: [3, 0] }}]
expect:
  - {{ receiver: phone, sees: door, by: 200ms }}
  - {{ receiver: phone, sees: door, by: 1s }}
  - {{ receiver: phone, sees: door, by: 1s }}
"""
PROFILE = f"""profile: door
beacons: [{{ id: door, device: ibeacon, interval: 100ms, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}]
"""
SPEC = """sweep: doors
scenario: chance.yaml
seeds: 1..10
variants:
  interval: { beacons.*.interval: [100ms, 1s] }
  place: { receivers.phone.position: [[2, 0], [3, 0], [4, 0]] }
baseline: { interval: 100ms }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A sweep of 60 runs."""
    (tmp_path / "chance.yaml").write_text(SCENARIO)
    (tmp_path / "door.yaml").write_text(PROFILE)
    path = tmp_path / "doors.sweep.yaml"
    path.write_text(SPEC)
    return path


def sweep(spec: Path, *options: str, code: int = 0) -> str:
    done = call("sweep", str(spec), *options)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def merge(*files: Path | str, code: int = 0) -> str:
    done = call("merge", *map(str, files))
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def start(spec: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [BINARY, "sweep", str(spec), *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def lines(file: Path) -> list[str]:
    """The complete lines of runs."""
    return [line for line in file.read_text().splitlines(keepends=True)[1:] if line.endswith("\n")] if file.exists() else []


def wait(what: object, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end and process.poll() is None, "the sweep has ended too early"
        time.sleep(0.005)


def workers(process: subprocess.Popen[str]) -> list[int]:
    """The processes that do the runs."""
    path = Path(f"/proc/{process.pid}/task")
    return [int(each) for task in path.iterdir() for each in (task / "children").read_text().split() if is_worker(int(each))]


def is_worker(process: int) -> bool:
    try:
        return b"--worker" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def is_there(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.slow
def test_report_is_the_same_however_the_runs_are_done(spec: Path, tmp_path: Path) -> None:
    report = sweep(spec, "--jobs", "1")
    assert report.startswith("sweep doors: 60 runs, 6 variants, seeds 1..10\nphone: sees door between 0s and 0.2s\n")
    assert "phone: sees door between 0s and 1s #2\n" in report
    output, parts = tmp_path / "all.jsonl", [tmp_path / f"{number}.jsonl" for number in (1, 2, 3)]
    assert sweep(spec, "--jobs", "2", "--output", str(output)) == report
    assert merge(output) == report
    for number, part in enumerate(parts, 1):
        text = sweep(spec, "--shard", f"{number}/3", "--output", str(part))
        assert text.startswith("sweep doors: 20 of 60 runs") and "missing" not in text
    assert merge(*parts) == merge(*reversed(parts)) == report
    # Nothing is counted twice.
    merged = tmp_path / "merged.jsonl"
    done = call("merge", *map(str, [*parts, output]), "--output", str(merged))
    assert done.stdout == report and "60 results of the same runs counted once" in done.stderr
    assert merge(merged) == report and sorted(lines(merged)) == sorted(lines(output)) and len(lines(merged)) == 60
    part = merge(parts[0])
    assert len(re.findall(r"^missing: .* with seeds ", part, re.MULTILINE)) == 6
    # The lines in another order are the same results.
    first, *rest = output.read_text().splitlines(keepends=True)
    output.write_text(first + "".join(sorted(rest)))
    assert merge(output) == report


def test_report_has_three_forms(spec: Path) -> None:
    records = [json.loads(line) for line in sweep(spec, "--json").splitlines()]
    figures = [record for record in records if record["event"] == "figure"]
    assert len(figures) == 6 * 4 and records[-1]["event"] == "sweep" and records[-1]["done"] == records[-1]["runs"] == 60
    assert all(record["v"] == 1 and record["runs"] == 10 and record["rate"] and len(record["interval"]) == 2 for record in figures)
    compared = [record["comparison"] for record in figures if "comparison" in record]
    assert len(compared) == 3 * 4 and {each["pairs"] for each in compared} == {10}
    assert {each["baseline"] for each in compared} == {f"interval=100ms place=[{x}, 0]" for x in (2, 3, 4)}
    markdown = sweep(spec, "--markdown")
    assert markdown.startswith("# doors\n") and markdown.count("\n| --- |") == 4
    assert sweep(spec, "--markdown", "--json", code=64)


def test_output_is_continued(spec: Path, tmp_path: Path) -> None:
    report, output = sweep(spec), tmp_path / "out.jsonl"
    with start(spec, "--output", str(output)) as process:
        wait(lambda: len(lines(output)) >= 7, process)
        before = workers(process)
        process.send_signal(signal.SIGKILL)
    kept = lines(output)
    assert 7 <= len(kept) < 60
    end = time.monotonic() + PATIENCE
    while any(is_there(each) for each in before):
        assert time.monotonic() < end, "a process of the sweep has outlived it"
        time.sleep(0.01)
    # What a crash leaves of a line is cut off.
    with output.open("a") as file:
        file.write(kept[0][:40])
    done = call("sweep", str(spec), "--output", str(output))
    assert done.returncode == 0 and done.stdout == report, done.stderr
    assert f"{output} has {len(kept)} results; {60 - len(kept)} runs to do" in done.stderr
    assert lines(output)[: len(kept)] == kept and len(lines(output)) == len(set(lines(output))) == 60
    before_again = output.read_bytes()
    assert sweep(spec, "--output", str(output)) == report and output.read_bytes() == before_again


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_all_processes(spec: Path, tmp_path: Path, number: signal.Signals, code: int) -> None:
    spec.write_text(SPEC.replace("1..10", "1..2000"))
    output = tmp_path / "out.jsonl"
    with start(spec, "--output", str(output), "--jobs", "3") as process:
        wait(lambda: len(lines(output)) >= 5 and len(workers(process)) == 3, process)
        before = workers(process)
        process.send_signal(number)
        _, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert re.search(rf"beaconry: ended after \d+ of 12000 runs; the results are in {output}, and the same command continues\n", notes)
    assert not any(is_there(each) for each in before)
    assert output.read_text().endswith("\n")


def test_runs_of_a_killed_process_are_done_again(spec: Path, tmp_path: Path) -> None:
    report, output = sweep(spec), tmp_path / "out.jsonl"
    with start(spec, "--output", str(output), "--jobs", "2") as process:
        wait(lambda: len(lines(output)) >= 5 and len(workers(process)) == 2, process)
        os.kill(workers(process)[0], signal.SIGKILL)
        text, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and text == report, notes
    assert len(lines(output)) == 60


def test_a_run_that_ends_its_process_does_not_end_the_sweep(spec: Path, tmp_path: Path) -> None:
    """Two runs that take long, whose processes are killed again and again."""
    spec.write_text("sweep: long\nscenario: chance.yaml\nseeds: 1..2\nvariants: { time: { duration: [2s, 1000h] } }\n")
    output = tmp_path / "out.jsonl"
    with start(spec, "--output", str(output), "--jobs", "2") as process:
        wait(lambda: len(lines(output)) == 2, process)
        end = time.monotonic() + PATIENCE
        while process.poll() is None:
            assert time.monotonic() < end
            with contextlib.suppress(OSError):
                for each in workers(process):
                    os.kill(each, signal.SIGKILL)
            time.sleep(0.05)
        text, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == 70, notes
    assert text.startswith("sweep long: 2 of 4 runs, 2 variants, seeds 1..2\nmissing: time=1000h with seeds 1, 2\n")
    for seed in (1, 2):
        assert f"beaconry: the process of time=1000h with seed {seed} was ended by signal 9, twice; the run has no result\n" in notes
    assert notes.endswith("beaconry: internal error: 2 runs ended the process that did them; please report it\n")


def test_full_disks_lose_no_finished_line(spec: Path, tmp_path: Path) -> None:
    assert "No space left" in sweep(spec, "--output", "/dev/full", code=74)
    report, place = sweep(spec), tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(place)], check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        output = place / "out.jsonl"
        sentence = sweep(spec, "--output", str(output), code=74)
        assert sentence.splitlines()[-1] == (
            f"beaconry: cannot write {output}: No space left on device; the finished runs before are in it: make room, and the same "
            "command continues"
        )
        kept = output.read_text()
        assert kept.endswith("\n") and len(lines(output)) > 5
        subprocess.run(["mount", "-o", "remount,size=1m", str(place)], check=True)
        assert sweep(spec, "--output", str(output)) == report and output.read_text().startswith(kept)
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.slow
def test_outputs_of_other_sweeps_are_refused(spec: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    sweep(spec, "--output", str(output))
    kept = output.read_text()
    # Every file counts, and so does the version.
    for file, old, new in (
        (spec, "1..10", "1..11"), (tmp_path / "chance.yaml", "200ms", "300ms"), (tmp_path / "door.yaml", "minor: 1", "minor: 2"),
    ):  # fmt: skip
        text = file.read_text()
        file.write_text(text.replace(old, new))
        assert "before its spec or one of its files was changed" in sweep(spec, "--output", str(output), code=65)
        other = tmp_path / "other.jsonl"
        sweep(spec, "--output", str(other))
        assert "choose another file, or undo the change" in merge(output, other, code=65)
        other.unlink()
        file.write_text(text)
    spec.write_text(SPEC.replace("sweep: doors", "sweep: windows"))
    assert f"{output} is of the sweep doors, and this sweep is windows; choose another file" in sweep(spec, "--output", str(output), code=65)
    spec.write_text(SPEC)
    version = re.search(r'"version":"([^"]*)"', kept)
    assert version
    other = tmp_path / "other.jsonl"
    other.write_text(kept.replace(version[1], "beaconry 0.0.9"))
    assert f"{other} is of beaconry 0.0.9, and {output} of {version[1]}: run all with one version" in merge(output, other, code=65)
    assert "is of beaconry 0.0.9, and this sweep of" in sweep(spec, "--output", str(other), code=65)
    assert output.read_text() == kept
    # The same files elsewhere are the same sweep.
    shutil.copytree(tmp_path, tmp_path / "copy")
    assert sweep(tmp_path / "copy" / spec.name, "--output", str(output)) == merge(output)


def test_variables_count_as_files(spec: Path, tmp_path: Path) -> None:
    spec.write_text(SPEC.replace("[100ms, 1s]", "[100ms, '${SLOW}']"))
    output = tmp_path / "out.jsonl"
    assert call("sweep", str(spec), "--output", str(output), SLOW="1s").returncode == 0
    assert call("sweep", str(spec), "--output", str(output), SLOW="1s").returncode == 0
    other = call("sweep", str(spec), "--output", str(output), SLOW="2s")
    assert other.returncode == 65 and "was changed" in other.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: "", "is empty; run beaconry sweep first"),
        (lambda text: text.replace("\n", "\nnonsense\n", 1), ":2: error: this is no line of a sweep's results"),
        (lambda text: text.partition("\n")[2], ":1: error: the line of the sweep itself is missing"),
        (lambda text: text.replace('"seed":3', '"seed":33'), "the sweep doors has no such variant or seed; remove the line"),
        (lambda text: text + text.splitlines()[1].replace('"passed":true', '"passed":false').replace('"passed":1', '"passed":0') + "\n"
         if '"passed":true' in text.splitlines()[1] else text + text.splitlines()[1].replace('"passed":false', '"passed":true') + "\n",
         "has another result in"),
    ],
)  # fmt: skip
def test_damaged_outputs_are_explained(spec: Path, tmp_path: Path, change: object, sentence: str) -> None:
    output = tmp_path / "out.jsonl"
    sweep(spec, "--output", str(output))
    output.write_text(change(output.read_text()))  # type: ignore[operator]
    said = merge(output, code=65)
    assert sentence in said and len(said.splitlines()) == 1


def test_a_line_that_is_not_complete_is_not_counted(spec: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    sweep(spec, "--output", str(output))
    output.write_text(output.read_text()[:-10])
    done = call("merge", str(output))
    assert done.returncode == 0 and "the last line is not complete" in done.stderr and done.stdout.startswith("sweep doors: 59 of 60 runs")


def test_one_process_writes_at_a_time(spec: Path, tmp_path: Path) -> None:
    spec.write_text(SPEC.replace("1..10", "1..2000"))
    output = tmp_path / "out.jsonl"
    with start(spec, "--output", str(output)) as process:
        wait(lambda: lines(output), process)
        assert "another sweep writes to" in sweep(spec, "--output", str(output), code=73)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 64, "the spec of the sweep is missing; write beaconry sweep SPEC"), (["none.yaml"], 65, "there is no such file"),
        (["SPEC", "--shard", "4/3"], 64, "4/3 is no part: the parts of 3 are 1/3 to 3/3"), (["SPEC", "--shard", "x"], 64, "write 1/4 for the first of four"),
        (["SPEC", "--jobs", "0"], 64, "from 1 to 1000"), (["SPEC", "--output", "/none/out.jsonl"], 73, "choose another file"),
    ],
)  # fmt: skip
def test_wrong_calls_are_explained(spec: Path, arguments: list[str], code: int, sentence: str) -> None:
    done = call("sweep", *[str(spec) if each == "SPEC" else each for each in arguments])
    assert done.returncode == code and sentence in done.stderr, done.stderr


def test_estimator_has_figures_of_each_receiver(spec: Path, tmp_path: Path) -> None:
    spec.write_text(SPEC + "estimator: nearest\n")
    output = tmp_path / "out.jsonl"
    sweep(spec, "--output", str(output))
    figures = [json.loads(line)["figures"] for line in output.read_text().splitlines() if "figures" in line]
    assert figures and all("phone.median-error" in each and each["phone.lost"] >= 0 for each in figures)
    spec.write_text(SPEC + "estimator: nearst\n")
    assert 'there is no estimator "nearst"' in sweep(spec, code=65)


def test_faults_of_the_spec_have_places(spec: Path) -> None:
    spec.write_text(SPEC.replace("beacons.*.interval", "beacons.gate.interval"))
    assert re.search(r'doors\.sweep\.yaml:5:15: error: .*there is no "gate" in beacons of .*door\.yaml; beacons are door\n', sweep(spec, code=65))
    spec.write_text(SPEC.replace("chance.yaml", "none.yaml"))
    assert re.search(r"doors\.sweep\.yaml:2:11: error: scenario: .*none\.yaml: there is no such file", sweep(spec, code=65))
    spec.write_text(SPEC.replace("place: { receivers.phone.position: [[2, 0], [3, 0], [4, 0]] }", "end: { duration: [2s, 100ms] }"))
    assert "so it is in the variant interval=100ms end=100ms" in sweep(spec, code=65)
    spec.write_text(SPEC.replace("1s]", "1km]"))
    assert re.search(r"doors\.sweep\.yaml:5:43: error: beacons\[0\]\.interval: .*1km", sweep(spec, code=65))


def test_figures_are_those_of_single_runs(spec: Path, tmp_path: Path) -> None:
    """A line is what `beaconry test` finds with the same values and the same seed."""
    output = tmp_path / "out.jsonl"
    sweep(spec, "--output", str(output))
    (tmp_path / "door.yaml").write_text(PROFILE.replace("100ms", "1s"))
    (tmp_path / "chance.yaml").write_text(SCENARIO.replace("[3, 0]", "[4, 0]"))
    found = {record["seed"]: record for line in lines(output) if (record := json.loads(line))["variant"] == "interval=1s place=[4, 0]"}
    for seed in range(1, 11):
        record = json.loads(call("test", str(tmp_path / "chance.yaml"), "--seed", str(seed), "--json").stdout.splitlines()[0])
        assert [float(each["passed"]) for each in record["expectations"]] == list(found[seed]["figures"].values())[:3]
        assert record["passed"] == found[seed]["passed"]


@pytest.mark.statistics
def test_intervals_hold_the_true_rate(tmp_path: Path) -> None:
    """Of 1,000 sweeps with 40 seeds. The phase of a beacon is uniform: it is seen within the first half of its interval in half of all runs."""
    (tmp_path / "half.yaml").write_text(
        f"""scenario: half
beacons: [{{ id: door, device: ibeacon, interval: 5s, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}]
receivers: [{{ id: phone, position: [3, 0] }}]
expect: [{{ receiver: phone, sees: door, by: 2500ms }}]
"""
    )
    spec, output, part = (tmp_path / name for name in ("half-sweep.yaml", "out.jsonl", "part.jsonl"))
    held = 0
    for first in range(1, 40_000, 10_000):
        seeds = f"{first}..{first + 9_999}"
        spec.write_text(f"sweep: half\nscenario: half.yaml\nseeds: {seeds}\n")
        output.unlink(missing_ok=True)
        assert call("sweep", str(spec), "--output", str(output)).returncode == 0
        header, *results = output.read_text().splitlines()
        by_seed = {json.loads(line)["seed"]: line for line in results}
        # The results of 40 seeds are those of a sweep with these.
        for start in range(first, first + 10_000, 40):
            chosen = range(start, start + 40)
            part.write_text("\n".join([header.replace(seeds, f"{chosen[0]}..{chosen[-1]}"), *(by_seed[seed] for seed in chosen), ""]))
            low, high = json.loads(call("merge", str(part), "--json").stdout.splitlines()[0])["interval"]
            held += low <= 0.5 <= high
    assert 930 <= held <= 970, held
