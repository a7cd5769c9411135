# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Sweeps on executors: the report is that of the program, whatever happens to workers."""

from __future__ import annotations

import concurrent.futures
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import beaconry._sweep
import pytest
from beaconry import ProgramError, sweep
from beaconry._program import find_program
from beaconry._sweep import Done, do_runs

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SCENARIO = f"""scenario: chance
physics: {{ sensitivity: -68dBm }}
beacons: [{{ id: door, device: ibeacon, interval: 100ms, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}]
receivers: [{{ id: phone, position: [3, 0] }}]
expect: [{{ receiver: phone, sees: door, by: 200ms }}]
"""
SPEC = """sweep: doors
scenario: chance.yaml
seeds: 1..20
variants: { place: { receivers.phone.position: [[2, 0], [3, 0], [4, 0]] } }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A sweep of 60 runs."""
    (tmp_path / "chance.yaml").write_text(SCENARIO)
    path = tmp_path / "doors.sweep.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def report(spec: Path) -> str:
    return subprocess.run([find_program(), "sweep", spec], capture_output=True, text=True, check=True, timeout=300).stdout


def runs(output: Path) -> list[str]:
    return output.read_text().splitlines()[1:]


def test_report_is_that_of_the_program(spec: Path, report: str, tmp_path: Path) -> None:
    assert sweep(spec).text == str(sweep(spec, jobs=1)) == report
    output = tmp_path / "out.jsonl"
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        found = sweep(spec, executor, output=output, batch=7)
    assert found.text == report
    assert len(runs(output)) == len(set(runs(output))) == 60
    rate = found.figure("passed", "place=[3, 0]")
    # The pass rate is that of tests with several seeds.
    pass_rate = found.rate("passed", "place=[3, 0]")
    assert pass_rate.runs == 20 and pass_rate.passed == 20 * rate["mean"] and pass_rate.interval == pytest.approx(rate["interval"], abs=1e-5)
    assert rate["runs"] == 20 and found.records[-1]["done"] == 60
    with pytest.raises(KeyError):
        found.figure("passed", "place=[9, 0]")


def test_output_is_continued_by_any_executor(spec: Path, report: str, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    subprocess.run([find_program(), "sweep", spec, "--shard", "1/2", "--output", output], capture_output=True, check=True, timeout=300)
    before = runs(output)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert sweep(spec, executor, output=output).text == report
    assert runs(output)[: len(before)] == before and len(runs(output)) == 60
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert sweep(spec, executor, output=output).text == report
    assert len(runs(output)) == 60


def test_runs_of_a_killed_worker_are_done_again(spec: Path, report: str, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        stop = threading.Event()

        def kill() -> None:
            while not stop.is_set():
                if output.exists() and len(runs(output)) > 5 and executor._processes:
                    os.kill(next(iter(executor._processes)), signal.SIGKILL)
                    return
                stop.wait(0.005)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            with pytest.warns(UserWarning, match="the executor is broken .*; this machine does the other runs"):
                found = sweep(spec, executor, output=output, batch=2)
        finally:
            stop.set()
            killer.join()
    assert found.text == report
    assert len(runs(output)) == len(set(runs(output))) == 60


def test_runs_of_a_program_that_ended_are_done_again(spec: Path, report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def half(copy: str, batch: list[str]) -> Done:
        calls.append(len(batch))
        done = do_runs(copy, batch)
        if len(calls) == 1:
            return Done(done.lines[:3], None)
        if len(calls) == 2:
            raise OSError("the worker is lost")
        return done

    monkeypatch.setattr(beaconry._sweep, "do_runs", half)
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        assert sweep(spec, executor, batch=20).text == report
    assert calls == [20, 20, 20] + [1] * 37


def test_a_run_that_always_ends_the_program_is_an_error(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beaconry._sweep, "do_runs", lambda copy, batch: Done([], None) if "0 4" in batch else do_runs(copy, batch))
    with concurrent.futures.ThreadPoolExecutor(2) as executor, pytest.raises(ProgramError, match="the run 0 4 .* has ended the program 3 times"):
        sweep(spec, executor)


def test_workers_of_another_version_are_an_error(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(copy: str, batch: list[str]) -> Done:
        return do_runs(copy.replace('"version":"beaconry', '"version":"gateway'), batch)

    monkeypatch.setattr(beaconry._sweep, "do_runs", other)
    with concurrent.futures.ThreadPoolExecutor(2) as executor, pytest.raises(ProgramError, match="the sweep was begun by gateway .*, and this is beaconry"):
        sweep(spec, executor)


def test_faults_of_the_spec_are_errors(spec: Path) -> None:
    spec.write_text(SPEC.replace("phone", "tablet"))
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        for chosen in (None, executor):
            with pytest.raises(ProgramError, match=r'doors.sweep.yaml:4:22: error: .*there is no "tablet"'):
                sweep(spec, chosen)


def test_workers_need_no_files(spec: Path, report: str, tmp_path: Path) -> None:
    class Elsewhere(concurrent.futures.ThreadPoolExecutor):
        """Its workers begin when the files are gone."""

        def submit(self, *arguments: object, **values: object) -> concurrent.futures.Future:  # type: ignore[type-arg]
            (tmp_path / "chance.yaml").unlink(missing_ok=True)
            return super().submit(*arguments, **values)  # type: ignore[arg-type]

    with Elsewhere(1) as executor:
        assert sweep(spec, executor).text == report


def test_example_of_the_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    checkout = Path(__file__).resolve().parents[2]
    document = (checkout / "docs" / "sweeps.md").read_text()
    blocks = re.findall(r"```(?:yaml|python)\n(.*?)```", document, re.DOTALL)
    (tmp_path / "rooms-sweep.yaml").write_text(next(block for block in blocks if block.startswith("# rooms-sweep.yaml")))
    (tmp_path / "scenarios").symlink_to(checkout / "scenarios")
    monkeypatch.chdir(tmp_path)
    exec(next(block for block in blocks if block.startswith("from beaconry import sweep")), {})  # noqa: S102
    assert capsys.readouterr().out.startswith("sweep rooms: 80 runs, 4 variants, seeds 1..20\n")
