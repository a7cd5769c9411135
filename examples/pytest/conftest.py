# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Starts the beacons of shop.yaml on a separate virtual air for each test."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROFILE = Path(__file__).with_name("shop.yaml")


class Air:
    """A running `beaconry run`."""

    def __init__(self, folder: Path) -> None:
        self.events_file, self.control_path, ready = folder / "events.json", folder / "control.sock", folder / "ready"
        command = ["beaconry", "run", PROFILE, "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", "--json"]
        self.process = subprocess.Popen(
            [*command, "--control", self.control_path, "--ready-file", ready], stdout=self.events_file.open("w")
        )
        while not ready.exists():
            assert self.process.poll() is None, "beaconry ended before it was ready"
            time.sleep(0.02)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events up to now (docs/events.md)."""
        # The last line may not be complete yet.
        return [json.loads(line) for line in self.events_file.read_text().splitlines(keepends=True) if line.endswith("\n")]

    @property
    def transport(self) -> str:
        """The name of Bumble's transport to the air."""
        return self.wait_for("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")

    def wait_for(self, name: str, seconds: float = 60) -> dict[str, Any]:
        """The first event of this name."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in self.events:
                if event["event"] == name:
                    return event
            time.sleep(0.02)
        raise AssertionError(f"no event {name} within {seconds} s")

    def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One request on the control socket (docs/http.md)."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.control_path))
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read() or "null")
        connection.close()
        assert response.status < 400, answer["detail"]
        return answer


@pytest.fixture
def air() -> Iterator[Air]:
    # The path of a socket has at most 107 bytes, which pytest's own folders may exceed.
    with tempfile.TemporaryDirectory() as folder:
        running = Air(Path(folder))
        yield running
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 0
