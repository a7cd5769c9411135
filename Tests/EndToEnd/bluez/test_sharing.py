# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""An adapter that other programs use past bluetoothd, or in turns with a run: nothing of theirs is taken, what is on the air is what
is reported, and what a killed run has left is named and removed. What is on the air is what a raw host there receives."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest
from air import Receiver, Visitor
from beaconry import Beaconry, ibeacon
from test_advertising import E2C5, plain
from vhci import ADDRESSES, RECEIVERS, Management, World, eventually, set_adapter_property

pytestmark = [pytest.mark.places, pytest.mark.depends_on("bluez")]

FRAME = ibeacon(E2C5, 1, 0)
FOREIGN = bytes.fromhex("02010606ffffff0f0e0d")
"""The data of another program."""


def hcitool(opcode: int, parameters: bytes) -> None:
    """Sends a command past the kernel, as scripts do; its reply is not checked."""
    octets = [f"{each:02x}" for each in parameters]
    group = ["0x08", f"0x{opcode & 0x3FF:04x}"]
    subprocess.run(["hcitool", "-i", "hci0", "cmd", *group, *octets], check=True, capture_output=True, timeout=120)


def set_past_the_kernel(data: bytes) -> None:
    """Gives the controller advertising data: LE Set Advertising Data."""
    hcitool(0x2008, bytes([len(data)]) + data.ljust(31, b"\0"))


def received(receiver: Receiver, *frames: bytes, since: float) -> None:
    """Waits until all of these are received."""
    receiver.wait_for(lambda reports: set(frames) <= {each.data for each in reports}, since=since)


def listed(beaconry: Beaconry) -> list[dict[str, Any]]:
    """The beacons of the run, as `ctl list` has them."""
    return [json.loads(line) for line in beaconry.call("ctl", "list", "--json").stdout.splitlines()]


@pytest.mark.parametrize("begins", ["before", "during"])
def test_data_set_past_the_kernel_is_replaced(
    beaconry: Beaconry, receiver: Receiver, extended: bool, begins: str
) -> None:
    """The kernel does not repeat data that it believes to be there. A controller whose host uses advertising sets refuses the legacy
    command (Core 5.4, Vol 4, Part E, 3.1.1)."""
    profile = beaconry.profile(plain(1))
    if begins == "before":
        # The kernel remembers the frame of this run.
        first = beaconry.run(profile)
        first.wait("ready")
        assert first.end() == 0
        set_past_the_kernel(FOREIGN)
    run = beaconry.run(profile)
    run.wait("ready")
    since = time.time()
    if begins == "during":
        received(receiver, FRAME, since=since)
        set_past_the_kernel(FOREIGN)
    if begins == "during" and not extended:
        received(receiver, FOREIGN, since=since)
        stopped = run.wait("advertising-stopped")
        assert "set past the kernel" in json.dumps(stopped)
        since = time.time()
        run.wait("advertising-started")
    received(receiver, FRAME, since=since)
    begun = time.time()
    received(receiver, FRAME, since=begun)
    assert {each.data for each in receiver.since(begun)} == {FRAME}
    assert run.end() == 0


def test_advertisement_of_another_program_on_a_full_adapter_stays(
    beaconry: Beaconry, receiver: Receiver, mgmt: Management, extended: bool
) -> None:
    """bluetoothd gives a program the lowest number that no other of its clients has, even if it is one of ours."""
    total = mgmt.advertising_features(0).max_instances
    frames = [ibeacon(E2C5, 1, number) for number in range(total)]
    run = beaconry.run(beaconry.profile(plain(total)))
    run.wait("ready")
    received(receiver, *frames, since=time.time())
    taken = time.time()
    mgmt.add_advertising(0, 1, data=FOREIGN)
    stopped = run.wait("advertising-stopped")
    assert "another program's advertisement has taken its advertising instance" in json.dumps(stopped)
    refused = run.wait("advertising-refused")
    assert f"all advertising instances of hci0 are in use, 1 of {total} by other programs" in refused["message"]
    assert refused["device"] == stopped["device"]
    [index] = [number for number, each in enumerate(listed(beaconry)) if not each["onAir"]]
    # For several rounds of turns.
    received(receiver, FOREIGN, since=taken)
    for _ in range(3):
        since = time.time()
        received(receiver, FOREIGN, *(each for number, each in enumerate(frames) if number != index), since=since)
        assert frames[index] not in {each.data for each in receiver.since(since)}
    mgmt.remove_advertising(0, 1)
    run.wait("advertising-started", device=stopped["device"])
    since = time.time()
    received(receiver, *frames, since=since)
    assert run.end() == 0


def test_turns_of_other_programs_are_counted(
    beaconry: Beaconry, receiver: Receiver, mgmt: Management, extended: bool
) -> None:
    ours = 1 if extended else 3
    mgmt.add_advertising(0, 1, data=FOREIGN)
    mgmt.add_advertising(0, 2, data=FOREIGN[:-1] + b"\0")
    run = beaconry.run(beaconry.profile(plain(ours)))
    run.wait("ready")
    if extended:
        assert "time-shared" not in run.warnings()
    else:
        run.wait_until_reported("warning", code="time-shared")
        gaps = {each["message"] for each in run.events if each.get("code") == "time-shared"}
        words = ("of 2 s for other programs", "1/7 of the time, with gaps of 6 s")
        assert any(all(word in each for word in words) for each in gaps), gaps
    # None is reported as off while it waits for its turn.
    for _ in range(2):
        received(receiver, *(ibeacon(E2C5, 1, number) for number in range(ours)), since=time.time())
    assert not [each for each in run.events if each["event"] == "advertising-stopped"]
    assert run.end() == 0
    mgmt.remove_advertising(0)


def test_what_a_killed_run_has_left_is_named_and_removed(
    beaconry: Beaconry, receiver: Receiver, world: World, extended: bool
) -> None:
    frames = [ibeacon(E2C5, 1, number) for number in range(3)]
    run = beaconry.run(beaconry.profile(plain(3)))
    run.wait("ready")
    run.kill()
    received(receiver, *frames, since=time.time())
    radios = beaconry.call("radios")
    assert "3 advertisements are on the air of hci0, left by a run that was killed" in radios.stderr, radios
    assert "beaconry radios --clean" in radios.stderr
    total = world.management.advertising_features(0).max_instances
    assert f"{total - 3} of {total} instances free" in radios.stdout
    cleaned = beaconry.call("radios", "--clean")
    assert cleaned.returncode == 0 and "bluez:hci0  3 advertisements removed" in cleaned.stdout, cleaned
    eventually("they are off the air", lambda: time.time() - last(receiver, frames) > 2)
    assert "left by a run" not in beaconry.call("radios").stderr
    assert "no run has left an advertisement" in beaconry.call("radios", "--clean").stderr


def last(receiver: Receiver, frames: list[bytes]) -> float:
    """The time of the last report of one of these frames."""
    return max((each.time for each in receiver.since(0) if each.data in frames), default=0)


# Linux 6.1 ends bluetoothd when a central that has connected leaves at once (docs/troubleshooting.md).
@pytest.mark.depends_on("newest only", "controllers")
def test_connection_to_a_plain_beacon_is_reported(
    beaconry: Beaconry, receiver: Receiver, extended: bool
) -> None:
    """While the adapter is discoverable, the kernel makes each advertisement connectable."""
    set_adapter_property(0, "Discoverable", "b", True)
    try:
        run = beaconry.run(beaconry.profile(plain(1)))
        run.wait("warning", code="pdu-changed")
        receiver.wait_for(
            lambda reports: any(each.pdu == "ADV_IND" and each.data == FRAME for each in reports), since=time.time()
        )
        visitor = Visitor(RECEIVERS)
        visitor.connect_to(ADDRESSES[0])
        central = run.wait("connected", device="b0")["central"]
        warning = run.wait("warning", code="unexpected-connection")
        assert central in warning["message"]
        visitor.leave()
        run.wait("disconnected", device="b0")
        visitor.close()
        assert run.end() == 0
    finally:
        set_adapter_property(0, "Discoverable", "b", False)


@pytest.mark.depends_on("newest only", "controllers")
def test_end_of_a_connection_is_no_change_of_the_pdu(
    beaconry: Beaconry, receiver: Receiver, extended: bool
) -> None:
    run = beaconry.run(beaconry.profile("profile: shop\nbeacons:\n  - { id: shop, device: iot-design-shop }\n"))
    run.wait("ready")
    for _ in range(3):
        visitor = Visitor(RECEIVERS)
        visitor.connect_to(ADDRESSES[0])
        run.wait("connected")
        visitor.leave()
        run.wait("disconnected")
        visitor.close()
        since = time.time()
        receiver.wait_for(lambda reports: any(each.pdu == "ADV_IND" for each in reports), since=since)
        eventually("it is listed", lambda: listed(beaconry)[0]["onAir"])
    assert "pdu-changed" not in run.warnings()
    assert run.end() == 0
