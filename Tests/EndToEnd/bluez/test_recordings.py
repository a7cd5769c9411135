# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The recordings that `beaconry dbus` is compared with are what a real bluetoothd sends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from beaconry import CHECKOUT, Beaconry, Run
from vhci import ADDRESSES, BLUEZ, Bluetoothd, Controllers, Management, RigError, eventually

FOLDER = CHECKOUT / "Tests" / "EndToEnd" / "programs"
KEY_LOST = "step_agents,private_found,private_paired,key_lost"
"""The steps in which a device has lost its key."""
RESULTS = Path("/results")


@pytest.mark.depends_on("release")
@pytest.mark.timeout(3000)
def test_recording_is_that_of_bluetoothd(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers, mgmt: Management
) -> None:
    """Both adapters are on our air, beside the beacons of the session."""
    controllers.unplug()
    run, air = join(beaconry, mgmt)
    bluetoothd.wait()
    session = [sys.executable, "-B", FOLDER / "wire_session.py", "--air", air, "--settle", "1.5", "--output"]
    subprocess.run([*session, RESULTS / f"bluez-{BLUEZ}.txt"], check=True, timeout=2400)
    # Advertisement monitors are among the experimental features of both versions.
    bluetoothd.restart("-E")
    experimental = RESULTS / f"experimental-{BLUEZ}.txt"
    subprocess.run([*session, experimental, "--only", "monitor"], check=True, timeout=300)
    if BLUEZ != "5.66":  # which ends with an error when a device has lost its key
        bluetoothd.restart()
        lost = RESULTS / f"key-lost-{BLUEZ}.txt"
        subprocess.run([*session, lost, "--only", KEY_LOST], check=True, timeout=300)
    assert run.end() == 0


def join(beaconry: Beaconry, mgmt: Management) -> tuple[Run, str]:
    """Starts a run whose controllers are hci0 and hci1 of the kernel; returns it with the address for another host.

    The kernel gives a new controller 2 s for each command, which the run may exceed on a busy host. Then both are added again.
    """
    servers = [word for address in ADDRESSES for word in ("--hci-server", f"vhci?address={address}")]
    for _ in range(4):
        run = beaconry.run(FOLDER / "wire.yaml", *servers, "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", radio="virtual")
        [port] = [each.rpartition(":")[2] for each in run.wait("radio-ready")["servers"] if each.startswith("tcp:")]
        run.wait("ready")
        try:
            eventually("both are set up", lambda: [each.index for each in mgmt.controllers()] == [0, 1], timeout=30)
            return run, f"tcp-client:127.0.0.1:{port}"
        except RigError:
            run.end()
    raise RigError("the kernel does not set up the controllers")
