# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The program under test, as a process: its commands, events, output and end."""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Sequence

from forked import ForkedProgram

CHECKOUT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("BEACONRY_BINARY") or CHECKOUT / ".build" / "debug" / "beaconry")
PROFILES = CHECKOUT / "profiles"
PATIENCE = 300
"""The time limit of what has to happen, in seconds: it ends a test whose program hangs, however busy the machine is."""

CONFIG_SERVICE = "2173e519-9155-4862-ab64-7953ab146156"
BEACON_UUID = "2173e519-9155-4862-ab64-7953ab146157"
MAJOR_MINOR = "2173e519-9155-4862-ab64-7953ab146158"
TRANSMIT_SETTINGS = "2173e519-9155-4862-ab64-7953ab146159"

Event = dict[str, Any]


def ibeacon(uuid: str, major: int, minor: int, power: int = -59) -> bytes:
    """The 30 bytes of flags and frame."""
    head = bytes.fromhex("0201061aff4c000215") + bytes.fromhex(uuid.replace("-", ""))
    return head + major.to_bytes(2, "big") + minor.to_bytes(2, "big") + power.to_bytes(1, "big", signed=True)


def service_list(uuid: str) -> bytes:
    """The 18 bytes of a complete list of one 128-bit service."""
    return b"\x11\x07" + bytes.fromhex(uuid.replace("-", ""))[::-1]


class Run:
    """A running program, such as `beaconry run`, whose JSON events are collected, and which may accept commands."""

    def __init__(
        self,
        command: Sequence[str] | ForkedProgram,
        environment: dict[str, str] | None = None,
        takes_commands: bool = False,
    ) -> None:
        self.events: list[Event] = []
        self.began = time.time()
        self._arrived: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self.process = command if isinstance(command, ForkedProgram) else subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE if takes_commands else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._errors: list[str] = []
        self._has_errors = threading.Condition()
        self._threads = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_events(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._arrived.put(json.loads(line))
        self._arrived.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            with self._has_errors:
                self._errors.append(line)
                self._has_errors.notify_all()

    def send(self, *words: object) -> None:
        """Sends a command to the program."""
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    @property
    def errors(self) -> str:
        """The text on standard error so far."""
        return "".join(self._errors)

    def wait_for_text(self, pattern: str, timeout: float = PATIENCE) -> re.Match[str]:
        """Waits for text on standard error that a regular expression matches: it may come after the event that a test waits for."""
        with self._has_errors:
            found = self._has_errors.wait_for(lambda: re.search(pattern, self.errors), timeout)
        assert found, f"no {pattern} within {timeout} s:\n{self.errors}"
        return found

    def wait(
        self, name: str, timeout: float = PATIENCE, where: Callable[[Event], Any] = lambda _: True, **fields: Any
    ) -> Event:
        """Waits for an event with this name and these fields; takes it and all earlier events from the queue."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                event = self._arrived.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                event = None
            if event is None:
                last = "\n".join(f"  {each}" for each in self.events[-12:])
                raise AssertionError(f"no {name} {fields} within {timeout} s; the last events were\n{last}\n{self.errors}")
            self.events.append(event)
            if event["event"] == name and where(event) and all(event.get(k) == v for k, v in fields.items()):
                return event

    def take_one(self, seconds: float) -> Event | None:
        """The next event; None if none arrives within this time, or the program has ended."""
        try:
            event = self._arrived.get(timeout=max(0.01, seconds))
        except queue.Empty:
            return None
        if event is not None:
            self.events.append(event)
        return event

    def wait_until_reported(self, name: str, timeout: float = PATIENCE, **fields: Any) -> Event:
        """The first event with this name and these fields, which may have been taken from the queue already.

        For events of several devices: a program reports these in any order.
        """
        for each in self.events:
            if each["event"] == name and all(each.get(k) == v for k, v in fields.items()):
                return each
        return self.wait(name, timeout, **fields)

    def take(self, seconds: float) -> list[Event]:
        """All events in the queue, and those of the next seconds."""
        deadline, taken = time.monotonic() + seconds, []
        while True:
            try:
                event = self._arrived.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if event is None:
                break
            taken.append(event)
        self.events += taken
        return taken

    @property
    def record(self) -> str:
        """All events so far, for the analysis of a failure."""
        self.take(0)
        return "\n".join([*map(json.dumps, self.events), self.errors])

    def warnings(self) -> set[str]:
        """The codes of all warnings that were taken from the queue so far."""
        return {event["code"] for event in self.events if event["event"] == "warning"}

    def end(self, how: signal.Signals = signal.SIGTERM, timeout: float = PATIENCE) -> int:
        """Sends a signal and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.exit_code(timeout)

    def exit_code(self, timeout: float = PATIENCE) -> int:
        """Waits for the end of the program; returns the exit code."""
        code = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(timeout=300)
        return code

    def kill(self) -> None:
        """Sends SIGKILL, like a crash."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(300)


class Beaconry:
    """Starts the program with its own folders, and ends what a test leaves running."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        # The path of a socket has at most 107 bytes, too few for the folders of parallel tests.
        self.runtime = Path(tempfile.mkdtemp(prefix="beaconry-"))
        self.binary = BINARY
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.state), "XDG_RUNTIME_DIR": str(self.runtime)}
        for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
            self.environment.pop(name, None)
        self.runs: list[Run] = []

    def run(self, profile: Path | str, *options: str, radio: str = "bluez:hci0") -> Run:
        """Starts `run` with JSON events."""
        return self.start("run", str(profile), "--radio", radio, "--json", *options)

    def start(self, *arguments: str, prefix: Sequence[str] = ()) -> Run:
        """Starts any command that prints JSON events."""
        run = Run([*prefix, str(BINARY), *arguments], self.environment)
        self.runs.append(run)
        return run

    def call(self, *arguments: str, timeout: float = 2 * PATIENCE) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end."""
        return subprocess.run(
            [str(BINARY), *arguments], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout, check=False,
        )  # fmt: skip

    def profile(self, text: str, name: str = "test.yaml") -> Path:
        """Writes a profile."""
        path = self.folder / name
        path.write_text(text)
        return path

    def close(self) -> None:
        for run in self.runs:
            run.kill()
        shutil.rmtree(self.runtime, ignore_errors=True)
