# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The same session with `beaconry dbus` and with a real bluetoothd has the same messages on the bus."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from compare_wire import MEANT, differences, verdict
from private_bus import ADDRESSES, FOLDER, WIRE, PrivateBus
from recording import Event, Step, read

RECORDINGS = FOLDER / "recordings"
SERVER = ("--hci-server", "tcp:127.0.0.1:0")
SETTLE = ("--settle", "0.6")
"""The silence of a running service that ends a step, in seconds: more than it takes for the next message."""


def session(bus: PrivateBus, folder: Path, *options: str) -> Path:
    """Runs the session; returns the file of its recording."""
    made = folder / "ours.txt"
    bus.call(sys.executable, FOLDER / "wire_session.py", "--air", bus.air, *SETTLE, "--output", made, *options, timeout=900)
    return made


@pytest.mark.starts_first
def test_session_is_that_of_bluetoothd(service: Callable[..., PrivateBus], tmp_path: Path) -> None:
    """Each difference is one that is meant, or what one of the recorded versions does."""
    adapters = [word for address in ADDRESSES for word in ("--adapter-address", address)]
    made = session(service(WIRE, *adapters, *SERVER), tmp_path)
    found = verdict(read(made))
    assert not found, f"{len(found)} differences that {MEANT.name} does not list:\n" + "\n".join(found)


def test_experimental_monitors_are_those_of_bluetoothd(service: Callable[..., PrivateBus], tmp_path: Path) -> None:
    made = session(service(WIRE, "--adapters", "2", *SERVER), tmp_path, "--only", "monitor")
    found = verdict(read(made), sorted(RECORDINGS.glob("experimental-*.txt")), RECORDINGS / "meant-differences-experimental.txt")
    assert not found, "\n".join(found)


def test_device_that_has_lost_its_key_is_disconnected_as_by_bluetoothd(service: Callable[..., PrivateBus], tmp_path: Path) -> None:
    made = session(service(WIRE, "--adapters", "2", *SERVER), tmp_path, "--only", "step_agents,private_found,private_paired,key_lost")
    found = verdict(read(made), sorted(RECORDINGS.glob("key-lost-*.txt")))
    assert not found, "\n".join(found)


def test_comparison_finds_each_kind_of_difference() -> None:
    """Another order, a missing signal, another value, another error."""
    reply, signal = Event("C1 Connect -> ok"), Event("* PropertiesChanged /device Device1", ["Connected = b true"])
    theirs = [Step("connect", [signal, reply])]
    assert not differences(theirs, [Step("connect", [signal, reply])])
    others = {
        "order": [reply, signal],
        "missing": [reply],
        "value": [Event(signal.header, ["Connected = b false"]), reply],
        "error": [signal, Event('C1 Connect -> error org.bluez.Error.Failed "no"')],
        "added": [signal, signal, reply],
    }
    for name, events in others.items():
        assert differences(theirs, [Step("connect", events)]), name


def test_recordings_are_complete() -> None:
    """Every step is in both recordings, and ended as expected."""
    recordings = {path.name: read(path) for path in sorted(RECORDINGS.glob("bluez-*.txt"))}
    assert len(recordings) == 2
    names = [[step.name for step in steps] for steps in recordings.values()]
    assert names[0] == names[1] and len(names[0]) > 30
    for steps in recordings.values():
        assert not [event.header for step in steps for event in step.events if event.header.startswith("!")]
