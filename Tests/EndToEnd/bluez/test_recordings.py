# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The recordings that `beaconry dbus` is compared with are what a real bluetoothd sends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from beaconry import CHECKOUT, Beaconry
from vhci import ADDRESSES, BLUEZ, Bluetoothd, Controllers, Management, eventually

FOLDER = CHECKOUT / "Tests" / "EndToEnd" / "programs"
RESULTS = Path("/results")


@pytest.mark.depends_on("release")
@pytest.mark.timeout(1200)
def test_recording_is_that_of_bluetoothd(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, mgmt: Management
) -> None:
    """Both adapters are on our air, beside the beacons of the session."""
    controllers.unplug()
    servers = [word for address in ADDRESSES for word in ("--hci-server", f"vhci?address={address}")]
    run = beaconry.run(FOLDER / "wire.yaml", *servers, "--ephemeral", radio="virtual")
    run.wait("ready")
    eventually("the kernel has set up both", lambda: [each.index for each in mgmt.controllers()] == [0, 1])
    bluetoothd.wait()
    session = [sys.executable, "-B", FOLDER / "wire_session.py", "--settle", "1.5", "--output"]
    subprocess.run([*session, RESULTS / f"bluez-{BLUEZ}.txt"], check=True, timeout=1000)
    # Advertisement monitors are among the experimental features of both versions.
    bluetoothd.restart("-E")
    experimental = RESULTS / f"bluez-{BLUEZ}-experimental.txt"
    subprocess.run([*session, experimental, "--only", "monitor"], check=True, timeout=300)
    assert run.end() == 0
