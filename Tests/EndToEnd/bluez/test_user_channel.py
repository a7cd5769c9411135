# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our host on the kernel's user channel, beside a bluetoothd that powers every adapter that appears."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from beaconry import PROFILES, Beaconry
from vhci import ADDRESSES, Bluetoothd, Controllers, Management, adapter_property, eventually

# Neither the version of bluetoothd nor the kind of controllers matters.
pytestmark = pytest.mark.depends_on()

SHOP = str(PROFILES / "iot-design-shop.yaml")
OWN = "hci-socket:0"
CONNECTABLE, TICKS = 1, 160


def refused(beaconry: Beaconry, radio: str, *words: str) -> None:
    # Without a control socket, which another run of the profile may have.
    result = beaconry.call("run", SHOP, "--radio", radio, "--ephemeral", "--control", "none")
    assert result.returncode == 69, result
    assert len(result.stderr.splitlines()) == 1
    for word in words:
        assert word in result.stderr


def test_idle_adapter_is_taken_and_given_back(beaconry: Beaconry, bluetoothd: Bluetoothd) -> None:
    """Twice: bluetoothd powers the adapter that a run has given back."""
    for _ in range(2):
        assert adapter_property(0, "Powered") is True
        run = beaconry.run(SHOP, radio=OWN)
        assert run.wait("radio-ready")["address"] == ADDRESSES[0]
        run.wait("advertising-started")
        assert run.end() == 0
        eventually("bluetoothd has hci0 again, powered", lambda: adapter_property(0, "Powered") is True)
    bluetoothd.wait()


@contextmanager
def placeholder() -> Iterator[None]:
    """Another device is hci0. The kernel gives a number again only when its former adapter is released."""
    held: list[int] = []

    def is_first() -> bool:
        # Raw devices (0x80), which the kernel neither sets up nor reports on the management socket.
        held.append(os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC))
        os.write(held[-1], b"\xff\x80")
        return Path("/sys/class/bluetooth/hci0").exists()

    try:
        eventually("another device is hci0", is_first, interval=1)
        yield
    finally:
        for device in held:
            os.close(device)


def test_adapter_that_returns_is_taken_again(
    beaconry: Beaconry, bluetoothd: Bluetoothd, controllers: Controllers
) -> None:
    """Also under another number, and although bluetoothd powers it first."""
    run = beaconry.run(SHOP, radio=OWN)
    run.wait("advertising-started")
    for surroundings, words in ((nullcontext(), ""), (placeholder(), "now hci")):
        controllers.unplug()
        lost = run.wait("radio-lost")
        assert (lost["code"], lost["hint"]) == ("no-adapter", "plug the adapter in again")
        with surroundings:
            controllers.plug()
            ready = run.wait("radio-ready")
            assert ready["address"] == ADDRESSES[0] and words in ready["reason"], ready
            run.wait("advertising-started")
    assert run.end() == 0
    eventually("the kernel has it again", lambda: controllers.indexes().get(ADDRESSES[0], 0) > 0)


def test_adapter_in_use_is_left_alone(beaconry: Beaconry, mgmt: Management) -> None:
    mgmt.add_extended_advertising(0, 1, CONNECTABLE, TICKS, b"\x02\x01\x06", b"")
    refused(beaconry, OWN, "hci0 is in use: it has 1 advertisement", "--radio bluez:hci0")
    assert adapter_property(0, "Powered") is True
    mgmt.remove_advertising(0)
    # The kernel's list leaves out the number that a run chooses.
    run = beaconry.run(SHOP)
    run.wait("advertising-started")
    refused(beaconry, OWN, "hci0 is in use: it has 1 advertisement")
    assert run.end() == 0


def test_obstacles_are_reported(beaconry: Beaconry, controllers: Controllers) -> None:
    refused(beaconry, "hci-socket:7", "there is no adapter hci7", "beaconry radios")
    controllers.block(0)
    refused(beaconry, OWN, "hci0 is blocked", "rfkill unblock")
    controllers.unblock(0)
    run = beaconry.run(SHOP, radio=OWN)
    run.wait("advertising-started")
    refused(beaconry, OWN, "hci0 is busy: another program has its user channel")
    assert run.end() == 0
