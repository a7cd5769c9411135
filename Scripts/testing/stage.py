# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Stages of a test run: which may start, their processes, and their end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).resolve().parents[2]
LOGS = CHECKOUT / ".build" / "test"
BEGAN = time.monotonic()
DEFAULT_PORT = 6402
"""Where the program listens for hosts on the virtual air unless a server is named."""


class Extent(Enum):
    """Which run a stage belongs to; the last one, `make test-all`, has all stages."""

    TEST = "make test"
    MORE = "make test-more, in continuous integration as well"
    MACHINE = "make test-more, machines that continuous integration has no time for"
    ALL = "make test-all, or the name of the stage"


@dataclass
class Stage:
    """A command that runs when the stages that it needs have passed, and its outcome."""

    name: str
    command: str
    needs: list[str] = field(default_factory=list)
    processors: float = 1
    """The number of processors that it keeps busy, on average; 0 for a stage that mostly waits, as for a network."""
    uses_package: bool = False
    """Whether it uses SwiftPM, which locks the package: one such stage runs at a time."""
    extent: Extent = Extent.TEST
    """The smallest run that it belongs to."""
    environment: dict[str, str] = field(default_factory=dict)
    prefix: list[str] = field(default_factory=list)
    """A program that runs the command, such as nice."""
    folder: Path = LOGS
    """Of its log."""

    process: subprocess.Popen[bytes] | None = None
    outcome: str = ""
    """"passed", "failed", or the reason why it did not run."""
    began: float = 0
    seconds: float = 0
    processor_seconds: float = 0
    """The user and system time of its processes."""

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.process else ""


def run(stages: list[Stage], note_end: Callable[[Stage], None]) -> bool:
    """Runs stages to their end, and ends them when it is interrupted; returns whether all have passed.

    note_end is called with each stage that has ended.
    """
    for folder in {stage.folder for stage in stages}:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        while step(stages, note_end):
            time.sleep(0.2)
    finally:
        end_all(stages)
    return all(stage.outcome == "passed" for stage in stages)


@contextmanager
def without_default_port() -> Iterator[None]:
    """Occupies the default port while stages run, so that a test that uses it fails each time, and not only beside another such test.

    If another program has the port, it is occupied already."""
    with socket.socket() as holder:
        with suppress(OSError):
            # Without listening: what connects is refused, as without a run.
            holder.bind(("127.0.0.1", DEFAULT_PORT))
        yield


def report(line: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - BEGAN), 60)
    print(f"{minutes:3}:{seconds:02}  {line}", flush=True)


def start(stage: Stage) -> None:
    output: IO[bytes] = stage.log.open("wb")
    with output:
        # Its own process group, so that everything that it started ends with it.
        stage.process = subprocess.Popen(
            [*stage.prefix, "/bin/sh", "-c", stage.command], cwd=CHECKOUT, env={**environment(), **stage.environment},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    stage.began = time.monotonic()
    report(f"{stage.name} …")


def environment() -> dict[str, str]:
    """The environment of all stages. Images of containers often disable compiled modules, and then each of the processes that run tests
    compiles the same files, which is a tenth of the processor time of the suite host."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def may_start(stage: Stage, running: list[Stage]) -> bool:
    """Whether there is room for a stage beside the running ones."""
    if stage.uses_package and any(each.uses_package for each in running):
        return False
    busy = sum(each.processors for each in running)
    return stage.processors == 0 or busy == 0 or busy + stage.processors < max(2, os.cpu_count() or 2) + 0.01


def step(all_stages: list[Stage], note_end: Callable[[Stage], None]) -> bool:
    """Handles stages that have ended, and starts those that can start; returns whether stages remain."""
    by_name = {stage.name: stage for stage in all_stages}
    for stage in all_stages:
        if stage.process and not stage.outcome and (status := ended(stage)) is not None:
            stage.seconds = time.monotonic() - stage.began
            stage.outcome = "failed" if status else "passed"
            note_end(stage)
    for stage in all_stages:
        if stage.process or stage.outcome:
            continue
        needed = [by_name[name] for name in stage.needs if name in by_name]
        if missing := [each.name for each in needed if each.outcome not in ("", "passed")]:
            stage.outcome = f"not run without {missing[0]}"
            report(f"{stage.name} {stage.outcome}")
        elif all(each.outcome for each in needed):
            if may_start(stage, [each for each in all_stages if each.process and not each.outcome]):
                start(stage)
    return any(not stage.outcome for stage in all_stages)


def ended(stage: Stage) -> int | None:
    """The exit status of a stage that has ended; records its processor time."""
    assert stage.process
    pid, status, usage = os.wait4(stage.process.pid, os.WNOHANG)
    if pid == 0:
        return None
    stage.processor_seconds = usage.ru_utime + usage.ru_stime
    stage.process.returncode = os.waitstatus_to_exitcode(status)
    return stage.process.returncode


def end_all(all_stages: list[Stage]) -> None:
    """Ends the running stages, at first so that they can clean up."""
    running = [stage.process for stage in all_stages if stage.process and not stage.outcome]
    for how, patience in ((signal.SIGINT, 20), (signal.SIGTERM, 5)):
        left = [process for process in running if process.poll() is None]
        for process in left:
            os.killpg(process.pid, how)
        end = time.monotonic() + patience
        while time.monotonic() < end and any(process.poll() is None for process in left):
            time.sleep(0.1)
    # Machines with systemd ignore the others, and outlive their tests.
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
