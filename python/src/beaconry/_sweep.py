# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Sweeps: runs of a scenario in variants with many seeds, on any executor."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import fcntl
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ._errors import ProgramError
from ._program import find_program
from ._rates import PassRate

ATTEMPTS = 3
"""The number of attempts to do a run whose worker or program ends."""
WAITING = 1000
"""The number of batches that an executor has at once."""


class SweepReport(NamedTuple):
    """The report of a sweep, as `beaconry merge` prints it."""

    text: str
    """The report for people."""
    records: list[dict[str, Any]]
    """The objects of `beaconry merge --json`: each figure of each variant, and the sweep."""

    def figure(self, name: str, variant: str) -> dict[str, Any]:
        """The record of a figure of a variant; `KeyError` if there is none."""
        for record in self.records:
            if record["event"] == "figure" and (record["figure"], record["variant"]) == (name, variant):
                return record
        raise KeyError((name, variant))

    def rate(self, name: str, variant: str) -> PassRate:
        """How many runs of a variant have met an expectation; `ValueError` for a figure that is no rate."""
        record = self.figure(name, variant)
        if not record["rate"]:
            raise ValueError(f"{name} is a mean, not a rate")
        return PassRate(round(record["mean"] * record["runs"]), record["runs"])

    def __str__(self) -> str:
        return self.text


class Done(NamedTuple):
    """What a worker has done of a batch."""

    lines: list[str]
    """The results of the first runs of the batch."""
    error: str | None
    """Why the next run cannot be done on any worker; `None` if all are done, or the program has ended."""


def sweep(
    spec: str | os.PathLike[str],
    executor: concurrent.futures.Executor | None = None,
    *,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    batch: int = 16,
    program: str | os.PathLike[str] | None = None,
) -> SweepReport:
    """Does the runs of a sweep that have no result, and returns the report of all.

    Without an executor the program uses `jobs` processes of this machine (by default, one a processor). An executor gets batches of runs; its
    workers need this package, with the same version of the program, and no files: each batch has the texts of all files. Runs of a
    worker that is lost are done again. `output` is the file of the results, which is continued; without it they are not kept.

    Raises `ProgramError` if the spec has faults, or runs cannot be done.
    """
    found = find_program(program)
    with contextlib.ExitStack() as stack:
        if output is None:
            output = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="beaconry-sweep-"))) / "results.jsonl"
        local = ["sweep", os.fspath(spec), "--output", os.fspath(output), *(["--jobs", str(jobs)] if jobs else [])]
        if executor is None or not _spread(found, spec, Path(output), executor, batch):
            _call(found, *local)
        text = _call(found, "merge", os.fspath(output))
        records = [json.loads(line) for line in _call(found, "merge", os.fspath(output), "--json").splitlines()]
    return SweepReport(text, records)


def _call(program: Path, *arguments: str) -> str:
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        # Progress comes before the sentence.
        lines = [line for line in done.stderr.splitlines() if not line.endswith((" %", " left"))]
        raise ProgramError("\n".join(lines) or f"{program} {arguments[0]} ended with {done.returncode}")
    return done.stdout


def _spread(program: Path, spec: str | os.PathLike[str], output: Path, executor: concurrent.futures.Executor, batch: int) -> bool:
    """Does runs on an executor; `False` if the executor is broken, and runs are left."""
    plan = json.loads(_call(program, "sweep", os.fspath(spec), "--output", os.fspath(output), "--plan"))
    left = collections.deque(plan["runs"][start : start + batch] for start in range(0, len(plan["runs"]), batch))
    attempts: collections.Counter[str] = collections.Counter()
    waiting: dict[concurrent.futures.Future[Done], list[str]] = {}
    with _locked(output) as file:
        try:
            while left or waiting:
                while left and len(waiting) < WAITING:
                    runs = left.popleft()
                    waiting[executor.submit(do_runs, plan["copy"], runs)] = runs
                for future in concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    runs = waiting.pop(future)
                    done = _result(future, runs, attempts)
                    os.write(file, b"".join(f"{line}\n".encode() for line in done.lines))
                    if done.error is not None:
                        raise ProgramError(done.error)
                    # One by one, so that a run that ends the program does not take others with it.
                    for run in runs[len(done.lines) :]:
                        attempts[run] += run == runs[len(done.lines)]
                        if attempts[run] >= ATTEMPTS:
                            raise ProgramError(f"the run {run} (variant, seed) has ended the program {ATTEMPTS} times; the others can be continued")
                        left.append([run])
        except concurrent.futures.BrokenExecutor as error:
            warnings.warn(f"the executor is broken ({error}); this machine does the other runs", stacklevel=3)
            return False
        finally:
            for each in waiting:
                each.cancel()
    return True


def _result(future: concurrent.futures.Future[Done], runs: list[str], attempts: collections.Counter[str]) -> Done:
    """What a batch has done: nothing, if its worker is lost."""
    try:
        return future.result()
    except (concurrent.futures.BrokenExecutor, ProgramError):
        raise
    except (Exception, concurrent.futures.CancelledError):
        # Of the executor: it has given up a worker, or several.
        if attempts[runs[0]] >= ATTEMPTS - 1:
            raise
        return Done([], None)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    """A file that only this process appends to."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ProgramError(f"another sweep writes to {path} now; wait for its end, or choose another file") from error
        yield file
    finally:
        os.close(file)


def do_runs(copy: str, runs: list[str]) -> Done:
    """Does runs with the program of this machine; for the workers of an executor."""
    # The program ends with this process, because the pipe to it does.
    with subprocess.Popen([find_program(), "sweep", "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        # A program that has ended reads nothing; then there are no lines either.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write("\n".join([copy, *runs, "", ""]))
            process.stdin.flush()
        lines = [line[:-1] for line in process.stdout if line.endswith("\n")]
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    error = json.loads(lines[-1]).get("error") if lines else None
    return Done(lines[:-1] if error else lines, error)
