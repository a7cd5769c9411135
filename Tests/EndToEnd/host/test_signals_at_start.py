# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Runs that get a signal as soon as others can find them: they end in order."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from beaconry import PATIENCE, Beaconry, Run

PROFILE = """
profile: shop
beacons:
  - { id: door, device: ibeacon, ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 1, minor: 2 } }
"""

COMMANDS: dict[str, list[str]] = {
    "run": ["run", "{profile}", "--radio", "virtual", "--ephemeral"],
    "run-http": ["run", "{profile}", "--radio", "virtual", "--http", "127.0.0.1:0"],
    "advertise": ["advertise", "--uuid", "2173E519-9155-4862-AB64-7953AB146156", "--radio", "virtual"],
    "demo": ["demo", "--no-browser"],
    "dbus": ["dbus"],
    "dbus-profile": ["dbus", "{profile}", "--ephemeral"],
}
"""The commands that run beacons."""


def wait_for_socket(run: Run, folder: Path) -> Path:
    """The control socket of a run, as soon as it has its name: it is made in a hidden folder beside it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and run.process.poll() is None:
        for each in folder.glob("beaconry/[!.]*"):
            if each.is_socket():
                return each
    raise AssertionError(f"no socket in {folder}:\n{run.record}")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("name", COMMANDS)
def test_run_that_is_ended_while_it_starts_ends_in_order(beaconry: Beaconry, name: str, how: signal.Signals) -> None:
    profile = str(beaconry.profile(PROFILE))
    run = beaconry.start(*(word.format(profile=profile) for word in COMMANDS[name]), "--json")
    path = wait_for_socket(run, beaconry.runtime)
    assert run.end(how) == 0, run.record
    assert not path.exists()


def test_signal_before_the_command_of_dbus_has_started_is_in_the_exit_code(beaconry: Beaconry) -> None:
    run = beaconry.start("dbus", "--json", "--", "sleep", str(PATIENCE))
    path = wait_for_socket(run, beaconry.runtime)
    assert run.end() == 128 + signal.SIGTERM, run.record
    assert not path.exists()
