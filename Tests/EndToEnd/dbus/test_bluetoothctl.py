# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""bluetoothctl, BlueZ's own program."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from rig import Bus

ODD = "C0:FF:EE:00:00:01"


class Shell:
    """bluetoothctl with commands on its standard input."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["bluetoothctl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )
        self._output = b""
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        while data := os.read(self._process.stdout.fileno(), 4096):
            with self._changed:
                self._output += data
                self._changed.notify_all()

    def send(self, command: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(command.encode() + b"\n")

    def expect(self, text: str, seconds: float = 60) -> None:
        """Waits for a text, and drops the output up to it."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while text.encode() not in self._output:
                left = deadline - time.monotonic()
                assert left > 0 and self._process.poll() is None, f"no {text!r} in {self._output.decode()}"
                self._changed.wait(left)
            self._output = self._output.split(text.encode(), 1)[1]

    def end(self) -> None:
        self._process.kill()
        self._process.wait(300)


@pytest.fixture
def shell(bus: Bus) -> Iterator[Shell]:
    bus()
    shell = Shell()
    shell.expect("Agent registered")
    yield shell
    shell.end()


def test_session(shell: Shell) -> None:
    shell.send("show")
    shell.expect("Roles: central")
    shell.send("scan on")
    shell.expect("Discovery started")
    shell.expect(f"Device {ODD} Odd")
    shell.send(f"connect {ODD}")
    shell.expect("Connection successful")
    shell.expect("ServicesResolved: yes")
    shell.send(f"info {ODD}")
    shell.expect("Connected: yes")
    shell.send("menu gatt")
    shell.send("select-attribute 0000fff5-0000-1000-8000-00805f9b34fb")
    shell.send("read")
    shell.expect("66 69 72 73 74")
    shell.send('write "0x41 0x42"')
    shell.expect("Attempting to write")
    shell.send("select-attribute 0000fff1-0000-1000-8000-00805f9b34fb")
    shell.send("notify on")
    shell.expect("Notify started")
    shell.send('write "0x43 0x44"')
    shell.expect("43 44")
    shell.send("notify off")
    shell.expect("Notify stopped")
    shell.send("back")
    shell.send(f"disconnect {ODD}")
    shell.expect("Successful disconnected")
    shell.send(f"remove {ODD}")
    shell.expect("Device has been removed")
    shell.send("scan off")
    shell.expect("Discovery stopped")


def test_removed_device_is_not_available(shell: Shell) -> None:
    shell.send("connect C0:FF:EE:00:00:77")
    shell.expect("Device C0:FF:EE:00:00:77 not available")
