# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for tests of `beaconry dbus`, with programs that use BlueZ, and without a kernel that has Bluetooth."""

from __future__ import annotations

from pathlib import Path

import pytest
from beaconry import Beaconry, Run
from rig import PERIPHERAL, Bus


@pytest.fixture
def bus(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bus:
    """Starts a profile with the service; programs that use the system bus use its bus from then on."""

    def start(profile: str | Path = PERIPHERAL, *options: str) -> Run:
        if isinstance(profile, str):
            path = tmp_path / "rig.yaml"
            path.write_text(profile)
            profile = path
        run = beaconry.start("dbus", str(profile), "--json", *options)
        address = run.wait("bus-ready")["address"]
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        return run

    return start
