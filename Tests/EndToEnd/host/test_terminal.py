# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The live tables on a terminal: a pseudo-terminal, rendered by pyte."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest
from beaconry import BINARY, Beaconry

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


class Screen:
    """A terminal with the program in the foreground."""

    def __init__(self, beaconry: Beaconry, *arguments: str, columns: int = 120, rows: int = 24) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self.control, self.terminal = pty.openpty()
        self._size(columns, rows)
        self.before = termios.tcgetattr(self.terminal)
        # A new session with this terminal, so that Ctrl-C comes from the terminal, as for a person.
        self.process = subprocess.Popen(
            [str(BINARY), *arguments], stdin=self.terminal, stdout=self.terminal, stderr=self.terminal, start_new_session=True,
            env={**beaconry.environment, "TERM": "xterm"}, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.control, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Changes the terminal's size; the program receives SIGWINCH."""
        self._screen.resize(rows, columns)
        self._size(columns, rows)

    def type(self, text: str) -> None:
        os.write(self.control, text.encode())

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, up to the last one that is not empty."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip().split("\n")

    def read(self, seconds: float) -> bool:
        """Renders the output of a period; returns whether there was any."""
        if not select.select([self.control], [], [], seconds)[0]:
            return False
        try:
            part = os.read(self.control, 65536)
        except OSError:
            return False
        self.raw += part
        self._stream.feed(part)
        return bool(part)

    def until(self, condition: Callable[[list[str]], bool], timeout: float = 300) -> list[str]:
        """Waits until the screen meets a condition."""
        deadline = time.monotonic() + timeout
        while not condition(self.lines):
            assert time.monotonic() < deadline, "\n".join(self.lines)
            self.read(0.1)
        return self.lines

    def exit_code(self) -> int:
        """Renders all output until the program has ended; returns the exit code."""
        code = None
        while code is None:
            code = self.process.poll()
            self.read(0.1)
        while self.read(0):
            pass
        return code

    @property
    def modes(self) -> list[object]:
        return termios.tcgetattr(self.terminal)

    def echoes(self) -> bool:
        return bool(self.modes[3] & termios.ECHO)  # type: ignore[operator]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(300)
        os.close(self.control)
        os.close(self.terminal)


Show = Callable[..., Screen]


@pytest.fixture
def show(beaconry: Beaconry) -> Iterator[Show]:
    """Starts the program on a terminal."""
    screens: list[Screen] = []

    def start(*arguments: str, **size: int) -> Screen:
        screens.append(Screen(beaconry, *arguments, **size))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


def profile(beaconry: Beaconry, count: int) -> Path:
    """A profile with a number of beacons: b01 with minor 1, and so on."""
    beacons = "".join(
        f"  - {{ id: b{number:02}, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: {number} }} }}\n"
        for number in range(1, count + 1)
    )
    return beaconry.profile(f"profile: many\nbeacons:\n{beacons}", "many.yaml")


def run(beaconry: Beaconry, count: int) -> list[str]:
    return ["run", str(profile(beaconry, count)), "--radio", "virtual", "--hci-server", "none", "--ephemeral"]


def rows(lines: list[str]) -> list[str]:
    """The ids of the visible beacons."""
    return [line.split()[0] for line in lines if line.startswith("b") and line[1:3].isdigit()]


def test_ctrl_c_leaves_the_table_on_the_screen(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 3))
    table = screen.until(lambda lines: rows(lines) == ["b01", "b02", "b03"] and "ready: 3 beacons are on the air" in lines)
    assert not screen.echoes()
    screen.type("\x03")
    assert screen.exit_code() == 0
    assert b"^C" not in screen.raw
    assert screen.lines == [*table[:-5], "stopping", *table[-5:]], "the table appears once, below the printed lines"
    assert screen.modes == screen.before


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signal_restores_the_terminal(beaconry: Beaconry, show: Show, how: signal.Signals) -> None:
    screen = show(*run(beaconry, 1))
    screen.until(lambda lines: rows(lines) == ["b01"])
    assert not screen.echoes()
    screen.process.send_signal(how)
    assert screen.exit_code() == 0
    assert screen.modes == screen.before


def test_failure_restores_the_terminal(beaconry: Beaconry, show: Show) -> None:
    screen = show("scan", "--radio", "tcp-client:127.0.0.1:1")
    assert screen.exit_code() == 69
    assert screen.modes == screen.before


def test_long_table_is_scrolled(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 30), rows=12)
    lines = screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(1, 9)] and lines[-1].startswith("1-8 of 30"))
    assert lines[-1] == "1-8 of 30  ↑ ↓ PgUp PgDn: scroll  /: filter"
    assert any(line.startswith("DEVICE") for line in lines)
    screen.type("\x1b[B")
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(2, 10)])
    screen.type("\x1b[6~")
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(10, 18)] and lines[-1].startswith("10-17 of 30"))
    screen.type("\x1b[F")
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(23, 31)])
    screen.type("\x1b[A\x1b[5~")
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(14, 22)])
    screen.type("\x1b[H")
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(1, 9)])


def test_table_is_filtered(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 30), rows=12)
    screen.until(lambda lines: lines[-1].startswith("1-8 of 30"))
    screen.type("/B1")
    lines = screen.until(lambda lines: rows(lines) == [f"b{n}" for n in range(10, 18)])
    assert lines[-1] == "/B1_  (10 of 30; Enter: apply, Esc: show all)"
    screen.type("7\r")
    lines = screen.until(lambda lines: rows(lines) == ["b17"] and lines[-1].startswith("1 of 30"))
    assert lines[-1] == '1 of 30 with "B17"  Esc: show all'
    screen.type("\x1b")
    screen.until(lambda lines: lines[-1].startswith("1-8 of 30"))


def test_change_of_the_size_redraws_at_once(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 5), columns=120, rows=24)
    screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(1, 6)] and "ready: 5 beacons are on the air" in lines)
    screen.resize(60, 24)
    lines = screen.until(lambda lines: any(line.endswith("…") for line in lines))
    lines = screen.until(lambda lines: rows(lines) == [f"b{n:02}" for n in range(1, 6)])
    assert all(len(line) <= 60 for line in lines)
    assert [line.startswith("DEVICE") for line in lines].count(True) == 1, lines
    assert "ready: 5 beacons are on the air" in lines
    screen.resize(120, 6)
    screen.until(lambda lines: rows(lines) == ["b01", "b02"] and lines[-1].startswith("1-2 of 5"))
    screen.resize(120, 24)
    screen.until(lambda lines: rows(lines)[-5:] == [f"b{n:02}" for n in range(1, 6)] and UUID in lines[-1])


def test_uuid_that_is_cut_ends_in_an_ellipsis(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 1), columns=80)
    lines = screen.until(lambda lines: rows(lines) == ["b01"])
    assert len(lines[-1]) <= 80 and lines[-1].endswith("…")
    assert "ADDRESS" in lines[-2]


def test_disabled_beacon_is_shown_with_the_reason(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 2))
    screen.until(lambda lines: "ready: 2 beacons are on the air" in lines)
    assert beaconry.call("ctl", "disable", "b02").returncode == 0
    screen.until(lambda lines: rows(lines) == ["b01", "b02"] and "off (disabled)" in lines[-1])


def test_after_ctrl_z_the_table_takes_the_terminal_again(beaconry: Beaconry, show: Show) -> None:
    screen = show(*run(beaconry, 1))
    screen.until(lambda lines: rows(lines) == ["b01"])
    screen.process.send_signal(signal.SIGSTOP)
    assert os.waitid(os.P_PID, screen.process.pid, os.WSTOPPED | os.WNOWAIT) is not None
    termios.tcsetattr(screen.terminal, termios.TCSANOW, screen.before)  # as shells do
    screen.process.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + 300
    while screen.echoes():
        assert time.monotonic() < deadline
        screen.read(0.05)
    screen.type("\x03")
    assert screen.exit_code() == 0
    assert screen.modes == screen.before


def test_scan_is_sorted_by_rssi(beaconry: Beaconry, show: Show) -> None:
    radio = ["--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", "--json"]
    air = beaconry.start("run", str(profile(beaconry, 30)), *radio)
    place = air.wait("radio-ready")["servers"][0].removeprefix("tcp:")
    air.wait("ready")
    assert beaconry.call("ctl", "set", "b30", "tx-power=10").returncode == 0
    screen = show("scan", "--radio", f"tcp-client:{place}", rows=12)
    lines = screen.until(lambda lines: "of 30" in lines[-1])
    assert lines[-1].endswith("/: filter  s: sort by RSSI")
    screen.type("s")
    lines = screen.until(lambda lines: lines[-1].endswith("s: sort by first seen"))
    heading = next(number for number, line in enumerate(lines) if line.startswith("ADDRESS"))
    assert lines[heading].split() == ["ADDRESS", "RSSI", "TREND", "INTERVAL", "COUNT", "AGE", "NAME", "IDENTITY"]
    assert "ibeacon 1/30" in lines[heading + 1]
    screen.type("\x03")
    assert screen.exit_code() == 0
    assert screen.modes == screen.before


def test_without_a_terminal_lines_are_printed(beaconry: Beaconry) -> None:
    done = beaconry.call(*run(beaconry, 1), "--duration", "1s")
    assert done.returncode == 0
    assert "b01: on the air: iBeacon 1/1, ADV_NONCONN_IND every 160 ticks, " in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("command", "locale", "columns", "trend"),
    [("scan", "C.UTF-8", 120, "▅▅▅▅"), ("scan", "C", 120, "===="), ("scan", "C", 79, ""), ("range", "C.UTF-8", 120, "▅▅")],
)
def test_last_values_are_shown_as_a_sparkline(
    beaconry: Beaconry, show: Show, command: str, locale: str, columns: int, trend: str
) -> None:
    radio = ["--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", "--json"]
    air = beaconry.start("run", str(profile(beaconry, 1)), *radio)
    place = air.wait("radio-ready")["servers"][0].removeprefix("tcp:")
    air.wait("ready")
    beaconry.environment["LC_ALL"] = locale
    screen = show(command, "--radio", f"tcp-client:{place}", columns=columns)
    if trend:
        screen.until(lambda lines: any(trend in line for line in lines))
    else:
        lines = screen.until(lambda lines: any("ibeacon 1/1" in line for line in lines))
        assert not any("TREND" in line for line in lines)
