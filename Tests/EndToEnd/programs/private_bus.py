# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A running `beaconry dbus`, and programs on its bus."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from beaconry import CHECKOUT, Run

FOLDER = Path(__file__).resolve().parent
PEERS = CHECKOUT / ".build" / "peers"
WIRE = FOLDER / "wire.yaml"
ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")
"""The addresses of the adapters, which are those of BlueZ's own virtual controllers."""


@dataclass
class PrivateBus:
    """A running `beaconry dbus`, and the address of its bus."""

    run: Run
    address: str

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address, "PYTHONDONTWRITEBYTECODE": "1"}

    @property
    def air(self) -> str:
        """Where another host joins the air, as Bumble takes it; the run must have such a server."""
        return "tcp-client:" + self.run.wait_for_text(r"listening on tcp:(\S+?),? ")[1]

    def call(self, *command: str | Path, timeout: float = 550, **options: str) -> subprocess.CompletedProcess[str]:
        """Runs a program on the bus to its end, which must be a success."""
        done = subprocess.run(
            list(map(str, command)), env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout, check=False, **options,
        )  # fmt: skip
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done

    def program(self, peer: str, script: str, *arguments: str, timeout: float = 550) -> str:
        """Runs a script of the folder peers with a peer's Python; returns its output."""
        python = (CHECKOUT / ".build" / "venv" if peer == "venv" else PEERS / peer) / "bin" / "python"
        assert python.exists(), f"{peer} is missing: run Scripts/install-dependencies peers"
        return self.call(python, FOLDER / "peers" / script, *arguments, timeout=timeout).stdout
