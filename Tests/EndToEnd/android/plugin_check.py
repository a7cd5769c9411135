# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Tests/Android/PluginCheck.java: the plug-in in a program that calls it as the Android Beacon Library does."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import CHECKOUT, PATIENCE

CLIENT = CHECKOUT / "clients" / "android"
CHECK = CHECKOUT / "Tests" / "Android"
JSON_LIBRARY = Path("/usr/share/java/com.android.json.jar")
"""Android's org.json."""

Report = dict[str, Any]


def compile_plugin(classes: Path) -> None:
    """Compiles the plug-in and the program against stand-ins for the classes of Android and of the library."""
    if not shutil.which("javac") or not JSON_LIBRARY.exists():
        pytest.fail("there is no Java compiler, or no org.json: apt install default-jdk-headless libandroid-json-java")
    sources = sorted([*CLIENT.glob("*.java"), *CHECK.rglob("*.java")])
    # Newer compilers warn that they will drop Java 8 (options), which older versions of Android need.
    words = ["javac", "--release", "8", "-Xlint:all,-options", "-Werror", "-encoding", "UTF-8"]
    command = [*words, "-cp", str(JSON_LIBRARY), "-d", str(classes), *map(str, sources)]
    compiled = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert compiled.returncode == 0, compiled.stderr


class PluginCheck:
    """The program, as a process.

    - Parameters:
      - log: the file for its log.
      - cycle: the length of a scan cycle in milliseconds; 0 for cycles on request.
      - arguments: the meta-data of the application; see the program.
    """

    def __init__(self, classes: Path, log: Path, *arguments: str, cycle: int = 0) -> None:
        # Small and quick to start: there may be many at once.
        java = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{classes}:{JSON_LIBRARY}"]
        self._log = log
        self._reports: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [*java, "PluginCheck", str(cycle), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=output, text=True,
            )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._reports.put(line)
        self._reports.put(None)

    @property
    def log(self) -> str:
        return self._log.read_text()

    @property
    def warnings(self) -> list[str]:
        """The messages of the plug-in's log that are not only information."""
        return [line for line in self.log.splitlines() if line.startswith("WARNING: ")]

    def next(self) -> Report:
        """The next report."""
        try:
            line = self._reports.get(timeout=PATIENCE)
        except queue.Empty:
            line = None
        assert line is not None, f"no report; the log:\n{self.log}"
        report: Report = json.loads(line)
        return report

    def request(self, command: str) -> Report:
        """The report that a command prints."""
        self.send(command)
        return self.next()

    def send(self, command: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def status_when(self, is_met: Callable[[Report], object]) -> Report:
        """The first status with a property. Packets are not taken."""
        end = time.monotonic() + PATIENCE
        while not is_met(status := self.request("status")):
            assert time.monotonic() < end, f"the last status is {status}; the log:\n{self.log}"
            time.sleep(0.02)
        return status

    def packets(self, count: int) -> Report:
        """One cycle, when this number of packets waits."""
        self.status_when(lambda status: status["waiting"] >= count)
        return self.request("cycle")

    def exit_code(self) -> int:
        """Ends the program."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
