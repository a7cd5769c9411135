# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Unmodified programs and libraries that use BlueZ, on the bus of `beaconry dbus`."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import CHECKOUT
from private_bus import ADDRESSES, FOLDER, PEERS, WIRE, PrivateBus
from terminal import Terminal

BLEAK = ["bleak-0.22.3", "bleak-1.1.1", "bleak-3.0.1", "venv"]
TRIXIE = CHECKOUT / ".build" / "vm" / "trixie"
MUSEUM = "2173E519-9155-4862-AB64-7953AB146156"


@pytest.mark.parametrize("peer", BLEAK)
def test_bleak(wire: PrivateBus, peer: str) -> None:
    assert wire.program(peer, "bleak_scenario.py").startswith("ok")


@pytest.mark.parametrize("mode", ["active", "passive"])
def test_home_assistant_receives_ibeacons(museum: PrivateBus, mode: str) -> None:
    assert museum.program("home-assistant", "home_assistant.py", mode, MUSEUM, "12").startswith("ok")


def test_simpleble(wire: PrivateBus) -> None:
    assert wire.program("simpleble", "simpleble.py").startswith("ok")


def test_bluezero(wire: PrivateBus) -> None:
    assert wire.program("bluezero", "bluezero_central.py").startswith("ok")


def two_addresses() -> list[str]:
    return [word for address in ADDRESSES for word in ("--adapter-address", address)]


@pytest.fixture
def adapters_of_btvirt(service: Callable[..., PrivateBus]) -> PrivateBus:
    """Two adapters that find each other, and nothing else on the air."""
    return service(*two_addresses())


@pytest.mark.parametrize("suite", ["unit", "loopback"])
def test_suite_of_bluez_peripheral(adapters_of_btvirt: PrivateBus, suite: str) -> None:
    """The library's own tests."""
    folder = PEERS / "bluez-peripheral" / "source"
    python = PEERS / "bluez-peripheral" / "bin" / "python"
    assert folder.exists(), "bluez-peripheral is missing: run Scripts/install-dependencies peers"
    command = ("env", f"PYTHONPATH={FOLDER / 'peers'}", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "bluez_peripheral_suite")
    done = adapters_of_btvirt.call(*command, f"tests/{suite}", cwd=str(folder))
    assert re.search(r"\d+ passed", done.stdout) and "failed" not in done.stdout, done.stdout


def bluetoothctl(version: str) -> list[str]:
    """The command of this version: that of this machine, or that of Debian 13 with its own libraries."""
    if version == "5.66":
        return ["bluetoothctl"]
    library = TRIXIE / "usr/lib/x86_64-linux-gnu"
    return [f"{TRIXIE}/lib64/ld-linux-x86-64.so.2", "--library-path", f"{library}", f"{TRIXIE}/usr/bin/bluetoothctl"]


@pytest.mark.parametrize("version", ["5.66", "5.82"])
def test_bluetoothctl(wire: PrivateBus, version: str) -> None:
    """What a person types: find, connect, read, write, be notified, disconnect, remove."""
    pot = "C0:FF:EE:00:00:03"
    with Terminal(bluetoothctl(version), wire.environment) as shell:
        shell.wait(r"\[bluetooth\]|Agent registered")
        shell.type("show", rf"Controller {ADDRESSES[0]}[\s\S]*Powered: yes")
        shell.type("scan le", rf"Device {pot} Plant")
        shell.type("info " + pot, r"Name: Plant[\s\S]*Appearance: 0x0540[\s\S]*UUID: Environmental Sensing")
        shell.type("scan off", r"Discovery stopped")
        shell.type("connect " + pot, r"Connection successful")
        shell.wait(r"ServicesResolved: yes")
        shell.type("menu gatt", r"Menu gatt")
        shell.type("select-attribute 5a1e0003-8c1d-4e8b-9c55-0d0e8f6a1b01", r"service0012/char0013\]")
        shell.type("read", r"42 61 73 69 6c")
        shell.type('write "0x4d 0x69"', r"Attempting to write")
        shell.type("read", r"4d 69 ")
        shell.type("select-attribute 5a1e0004-8c1d-4e8b-9c55-0d0e8f6a1b01", r"service0012/char0015\]")
        shell.type("notify on", r"Notify started")
        shell.type('write "0x6f 0x6e 0x65"', r"6f 6e 65")
        shell.type("notify off", r"Notify stopped")
        shell.type("select-attribute 5a1e0007-8c1d-4e8b-9c55-0d0e8f6a1b01", r"service0012/char001e\]")
        shell.type("write 2", r"Failed to write: org.bluez.Error.Failed")
        shell.type("back", r"Menu main")
        shell.type("disconnect " + pot, r"Successful disconnected|Disconnection successful")
        shell.type("remove " + pot, r"Device has been removed")
        shell.type("quit", "")


@pytest.mark.parametrize("version", ["5.66", "5.82"])
def test_bluetoothctl_pairs_and_advertises(service: Callable[..., PrivateBus], version: str) -> None:
    """A person types the passkey of a pairing, and advertises with one adapter, which the other one finds."""
    gate = "C0:FF:EE:00:00:05"
    two = service(WIRE, *two_addresses())
    with Terminal(bluetoothctl(version), two.environment) as shell:
        shell.wait(r"\[bluetooth\]|Agent registered")
        shell.type("list", rf"Controller {ADDRESSES[0]}[\s\S]*Controller {ADDRESSES[1]}")
        shell.type(f"select {ADDRESSES[0]}", "")
        shell.type("scan le", rf"Device {gate} Gate")
        shell.type("scan off", r"Discovery stopped")
        shell.type(f"pair {gate}", r"Enter passkey \(number in 0-999999\):")
        shell.type("123456", r"Pairing successful")
        shell.type(f"info {gate}", r"Paired: yes")
        shell.type(f"disconnect {gate}", r"Successful disconnected|Disconnection successful")
        shell.type(f"remove {gate}", r"Device has been removed")
        shell.type("menu advertise", r"Menu advertise")
        shell.type("name Kiosk", "")
        shell.type("uuids 180f", "")
        shell.type("back", r"Menu main")
        shell.type("advertise on", r"Advertising object registered")
        shell.type(f"select {ADDRESSES[1]}", "")
        shell.type("scan le", rf"Device {ADDRESSES[0]} Kiosk")
        shell.type(f"info {ADDRESSES[0]}", r"UUID: Battery Service")
        shell.type(f"select {ADDRESSES[0]}", "")
        shell.type("advertise off", r"Advertising object unregistered")
        shell.type("quit", "")


def test_chromium_web_bluetooth(wire: PrivateBus) -> None:
    """A web page finds, reads, writes and is notified."""
    browser = shutil.which("chromium")
    assert browser, "chromium is missing: run Scripts/install-dependencies peers"
    assert wire.program("venv", "web_bluetooth.py", browser).startswith("ok")
