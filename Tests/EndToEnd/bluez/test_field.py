# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What other programs, settings and kernels do to the beacons of a good adapter: each is prevented, or reported until it ends."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest
from beaconry import CONFIG_SERVICE, PROFILES, Beaconry, Run, ibeacon
from test_advertising import E2C5, plain
from vhci import (
    BLUEZ,
    Air,
    Bluetoothd,
    Controllers,
    Management,
    Witness,
    dbus_call,
    eventually,
    set_adapter_property,
)

# What the kernel does differs between the kernels and between the kinds of controllers.
pytestmark = pytest.mark.depends_on("combination")

FRAMES = [ibeacon(E2C5, 1, number) for number in range(5)]


def started(beaconry: Beaconry, beacons: int = 1) -> Run:
    run = beaconry.run(beaconry.profile(plain(beacons)))
    run.wait("ready")
    return run


def listed(beaconry: Beaconry) -> list[dict[str, Any]]:
    """The beacons of the run, as `ctl list` has them."""
    return [json.loads(line) for line in beaconry.call("ctl", "list", "--json").stdout.splitlines()]


def advertised(air: Air) -> set[bytes]:
    return {each.advertising_data for each in air.on_air}


def own_set(air: Air) -> bool:
    """Whether the kernel advertises the adapter itself, in a set of its own."""
    return any(each.handle == 0 for each in air.on_air)


def test_discoverable_adapter_is_reported(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = started(beaconry)
    set_adapter_property(0, "Discoverable", "b", True)
    if extended:
        # The kernel advertises the adapter itself, and leaves the sets of programs as they are.
        witness.wait_for(own_set)
        [beacon] = [each for each in witness.air().on_air if each.advertising_data == FRAMES[0]]
        assert beacon.pdu == listed(beaconry)[0]["effective"]["pdu"] == "ADV_NONCONN_IND"
        # Until the sets are gone, Linux 6.1 refuses to switch it off: it sends LE Set Extended Advertising Parameters for its
        # enabled set, which is disallowed (0x0C).
        assert run.end() == 0 and run.warnings() == set()
        set_adapter_property(0, "Discoverable", "b", False)
        return
    witness.wait_for(lambda air: [each.pdu for each in air.on_air] == ["ADV_IND"])
    # The settings change one after the other, and with each the cause that is named.
    run.wait("warning", code="pdu-changed", where=lambda event: "switch that off" in event["hint"])
    assert listed(beaconry)[0]["effective"]["pdu"] == "ADV_IND"
    set_adapter_property(0, "Discoverable", "b", False)
    witness.wait_for(lambda air: [each.pdu for each in air.on_air] == ["ADV_NONCONN_IND"])
    eventually("the status follows", lambda: listed(beaconry)[0]["effective"]["pdu"] == "ADV_NONCONN_IND")


def test_advertising_of_the_adapter_itself_is_reported(
    beaconry: Beaconry, witness: Witness, mgmt: Management, extended: bool
) -> None:
    try:
        if extended:
            own_advertising_leaves_sets_on_the_air(beaconry, witness, mgmt)
            return
        mgmt.set_advertising(0, True)
        run = beaconry.run(beaconry.profile(plain(1)))
        assert "own advertising of hci0 is on" in run.wait("advertising-refused")["message"]
        mgmt.set_advertising(0, False)
        run.wait("ready")
        assert run.end() == 0
        run = started(beaconry, 2)
        mgmt.set_advertising(0, True)
        refused = run.wait("advertising-refused", device="b1")
        assert "own advertising of hci0 is on" in refused["message"]
        eventually("both are off", lambda: [each["onAir"] for each in listed(beaconry)] == [False, False])
        assert not set(FRAMES) & advertised(witness.air())
        off = time.time()
        mgmt.set_advertising(0, False)
        run.wait("advertising-started", device="b1")
        witness.wait_for(lambda air: set(FRAMES[:2]) <= {each.advertising_data for each in air.since(off)})
    finally:
        mgmt.set_advertising(0, False)


def own_advertising_leaves_sets_on_the_air(beaconry: Beaconry, witness: Witness, mgmt: Management) -> None:
    """On a controller with sets: the kernel begins none beside its own, and leaves those that are on the air; when its own ends, it
    disables all, and the beacons are placed again. After such a time Linux 6.12 may answer that its own is on, and not send it;
    then beacons are on the air."""
    mgmt.set_advertising(0, True)
    is_on_air = own_set(witness.air())
    run = beaconry.run(beaconry.profile(plain(1)))
    if is_on_air:
        assert "own advertising of hci0 is on" in run.wait("advertising-refused")["message"]
        mgmt.set_advertising(0, False)
    run.wait("ready")
    assert run.end() == 0
    mgmt.set_advertising(0, False)
    run = started(beaconry, 2)
    for is_on in (True, False):
        mgmt.set_advertising(0, is_on)
        witness.wait_for(lambda air: set(FRAMES[:2]) <= advertised(air))
        eventually("both are listed", lambda: [each["state"] for each in listed(beaconry)] == ["on-air", "on-air"])
    assert run.end() == 0


def test_beacons_return_after_a_reset_of_the_adapter(
    beaconry: Beaconry, witness: Witness, controllers: Controllers
) -> None:
    run = started(beaconry)
    before = listed(beaconry)[0]["effective"]["address"]
    controllers.reset(0)
    run.wait("advertising-started")
    [on_air] = witness.wait_for(lambda air: advertised(air) == {FRAMES[0]}).on_air
    assert before != on_air.random_address
    eventually("the status follows", lambda: listed(beaconry)[0]["effective"]["address"] == on_air.random_address)
    assert listed(beaconry)[0]["state"] == "on-air"


@pytest.mark.depends_on("controllers")
def test_turns_have_the_reported_duration(
    beaconry: Beaconry, bluetoothd: Bluetoothd, witness: Witness, extended: bool
) -> None:
    bluetoothd.restart(settings={"LE": {"MultiAdvertisementRotationInterval": 5}})
    run = started(beaconry, 2)
    if extended:
        witness.wait_for(lambda air: advertised(air) == set(FRAMES[:2]))
        return
    run.wait_until_reported("warning", code="time-shared")
    [turn] = {
        float(re.search(r"turns of ([\d.]+) s", each["message"])[1])
        for each in run.events
        if each.get("code") == "time-shared"
    }

    def turns(air: Air) -> list[float]:
        # The kernel sets the data of a turn after the enabling, so that the former data is on the air for milliseconds.
        lengths = [each.ended - each.began for each in air.airings if each.ended and each.began > since]
        return [length for length in lengths if length > 0.2]

    since = time.time()
    air = witness.wait_for(lambda air: len(turns(air)) >= 7)
    # The median: a busy machine begins a turn late, or ends it late.
    assert turn - 0.1 < median(turns(air)) < 4


def test_scan_in_the_way_is_reported(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = started(beaconry, 2)
    assert dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery") is not None
    if extended:
        assert not [each for each in run.take(5) if each["event"] in ("warning", "advertising-stopped")]
        assert advertised(witness.air()) == set(FRAMES[:2])
        return
    warning = run.wait("warning", code="scan-in-the-way")
    assert "scan" in warning["message"]
    witness.wait_for(lambda air: not air.on_air)
    eventually("both are off", lambda: [each["onAir"] for each in listed(beaconry)] == [False, False])
    assert dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StopDiscovery") is not None
    ended = witness.air().airings[-1].ended or 0
    witness.wait_for(lambda air: set(FRAMES[:2]) <= {each.advertising_data for each in air.since(ended)})
    eventually("both are on", lambda: [each["onAir"] for each in listed(beaconry)] == [True, True])


@pytest.mark.depends_on("newest")
def test_kernels_of_mid_2026_are_reported(
    visitor: Callable[..., Run], beaconry: Beaconry, bluetoothd: Bluetoothd, witness: Witness
) -> None:
    """They refuse every advertisement of bluetoothd 5.56 to 5.86."""
    bluetoothd.restart(has_the_fault_of_2026=True)
    run = visitor("hot-and-cold.yaml")
    assert run.exit_code() == 69
    assert "kernels of mid-2026" in run.errors and "CAP_NET_ADMIN" in run.errors
    # The management socket is not affected.
    started(beaconry)
    witness.wait_for(lambda air: FRAMES[0] in advertised(air))


@pytest.mark.depends_on("newest")
def test_second_device_information_is_predicted(beaconry: Beaconry, bluetoothd: Bluetoothd, phone) -> None:
    profile = str(PROFILES / "sensortag.yaml")

    def advice() -> str:
        result = beaconry.call("check", profile, "--radio", "bluez:hci0")
        return result.stdout + result.stderr

    assert "DeviceID" in advice()
    bluetoothd.restart(settings={"General": {"DeviceID": "false"}})
    assert "DeviceID" not in advice()


@pytest.mark.depends_on("bluez")
def test_flags_of_a_discoverable_adapter_are_reported(visitor: Callable[..., Run], witness: Witness, extended: bool) -> None:
    """Without CAP_NET_ADMIN bluetoothd writes the flags; it leaves 0x04 out of those of an advertisement that begins while the
    adapter is discoverable, 5.66 on controllers with extended advertising only."""
    is_omitted = extended or BLUEZ != "5.66"
    frame = ibeacon(CONFIG_SERVICE, 1, 1)[3:]

    def flags(air: Air) -> set[bytes]:
        return {each.advertising_data.removeprefix(frame) for each in air.on_air if frame in each.advertising_data}

    set_adapter_property(0, "Discoverable", "b", True)
    run = visitor("iot-design-shop.yaml", reads_back=True)
    started = run.wait("advertising-started")
    run.wait("ready")
    on_air = witness.wait_for(flags)
    expected = bytes([2, 1, 2 if is_omitted else 6])
    assert flags(on_air) == {expected} and started["advertisingData"].endswith(expected.hex())
    run.take(1)
    hints = {each["hint"] for each in run.events if each.get("code") == "data-changed"}
    assert len(hints) == is_omitted and all("hci0 is discoverable" in each and "0x04" in each for each in hints)
    # While a controller has sets, Set Discoverable may not complete.
    assert run.end() == 0
    set_adapter_property(0, "Discoverable", "b", False)
    run = visitor("iot-design-shop.yaml", reads_back=True)
    run.wait("ready")
    witness.wait_for(lambda air: flags(air) == {b"\x02\x01\x06"})
    run.take(1)
    assert "data-changed" not in run.warnings()
