# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Beacons on controllers that behave as real ones do, and not as the specification has it, under a real kernel and bluetoothd.

The controllers are ours, with a character (docs/virtual-air.md); a well-behaved one on the same air receives what they send.
What the characters do to our own host stack, which has no kernel between, is tested in Tests/HCIRadioTests: there belong
`scan-busy`, and most of `mixing`, `ats2851`, `disable-first` and `terminated-0x44`.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from air import AirStarter, VirtualAir
from beaconry import CONFIG_SERVICE, PROFILES, Beaconry, ibeacon
from test_advertising import E2C5, plain
from vhci import Management, Witness, adapter_property, dbus_call, eventually

# The controllers are not those of the machine.
pytestmark = pytest.mark.depends_on("newest")

SHOP = PROFILES / "iot-design-shop.yaml"
SHOP_FRAME = ibeacon(CONFIG_SERVICE, 1, 1)
HARDWARE_ERROR = 0x10


def frames(count: int) -> set[bytes]:
    """The frames of the profile plain(count)."""
    return {ibeacon(E2C5, 1, number) for number in range(count)}


def listed(beaconry: Beaconry) -> list[dict[str, Any]]:
    """The beacons of the run, as `ctl list` has them."""
    return [json.loads(line) for line in beaconry.call("ctl", "list", "--json").stdout.splitlines()]


def expect_on_air(air: VirtualAir, expected: set[bytes], since: float) -> None:
    """Expects the receiver to receive these frames."""
    air.receiver.wait_for(lambda reports: expected <= {each.data for each in reports}, since)


def expect_off_air(air: VirtualAir, frames: set[bytes]) -> None:
    """Expects a time in which the receiver receives the beacon of the air, and none of these frames."""

    def is_off() -> bool:
        received = {each.data for each in air.receiver.since(time.time() - 2)}
        return bool(received) and not received & frames

    eventually("the frames are off the air", is_off)


# Plain beacons ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A character, and what holds for plain beacons on it."""

    character: str
    beacons: int = 2
    extended: bool = True
    instances: int = 64
    extra: str = ""
    """A key of each beacon."""
    warnings: frozenset[str] = frozenset()


TURNS = frozenset({"interval-forced", "time-shared"})
LEGACY = {"extended": False, "instances": 5, "warnings": TURNS}
ROWS = [
    Row("legacy-5.0", **LEGACY),
    Row("sets:20", 20, instances=20),
    Row("low-handles:4", 3, instances=4),
    Row("mixing:counted"),
    Row("feature-lies:no-feature", **LEGACY),
    Row("le-only"),
    Row("no-address"),
    Row("power:fixed", extra="tx-power: -6dBm", warnings=frozenset({"tx-power-changed"})),
    Row("power:unknown", extra="tx-power: -6dBm", warnings=frozenset({"tx-power-changed"})),
    Row("slow:100"),
    Row("terminated-0x44"),
]
MORE_ROWS = [
    Row("legacy-5.0+slow:100", **LEGACY),
    Row("sets:4", 4, instances=4),
    Row("mixing:uncounted"),
    Row("feature-lies:no-commands"),
    Row("power:nearest", extra="tx-power: 10dBm", warnings=frozenset({"tx-power-changed"})),
]
RELEASE = pytest.mark.depends_on("release")


@pytest.mark.parametrize(
    "row", [*ROWS, *(pytest.param(each, marks=RELEASE) for each in MORE_ROWS)], ids=lambda row: row.character
)
def test_plain_beacons_are_received(beaconry: Beaconry, air: AirStarter, row: Row) -> None:
    place = air(row.character)
    run = beaconry.run(beaconry.profile(plain(row.beacons, row.extra)), radio=place.radio)
    ready = run.wait("radio-ready")
    assert (ready["extended"], ready["instances"]) == (row.extended, row.instances)
    run.wait("ready", beacons=row.beacons)
    expect_on_air(place, frames(row.beacons), run.began)
    run.take(1)
    assert run.warnings() == row.warnings
    assert not any(each["event"] == "advertising-stopped" for each in run.events)
    # A controller without extended advertising may be one of Bluetooth 5, and 127 is no power.
    assert not any(words in run.record for words in ("Bluetooth 4", "Bluetooth 5", "127 dBm"))
    if row.extended:
        reported = {each["address"] for each in run.events if each["event"] == "advertising-started"}
        reports = place.receiver.since(run.began)
        assert reported == {each.address for each in reports if each.data in frames(row.beacons)}
    assert run.end() == 0
    expect_off_air(place, frames(row.beacons))


def test_controller_with_one_set_carries_a_connectable_beacon(
    beaconry: Beaconry, air: AirStarter, witness: Witness
) -> None:
    """The kernel then uses handle 0 for instance 1, but 1 in LE Set Advertising Set Random Address (`hci_sync.c`): it has
    no non-connectable instance there."""
    place = air("sets:1")
    [index] = place.indexes
    result = beaconry.call("run", str(beaconry.profile(plain(2))), "--radio", place.radio)
    assert result.returncode == 69
    assert f"1 of 2 beacons fit on hci{index}" in result.stderr
    result = beaconry.call("run", str(beaconry.profile(plain(1))), "--radio", place.radio)
    assert result.returncode == 69 and len(result.stderr.splitlines()) == 1
    handles = {parameters[0] for opcode, parameters in witness.commands(index) if opcode == 0x2035}
    assert handles == {1}, "the kernel has changed: it may carry non-connectable beacons now"
    run = beaconry.run(SHOP, radio=place.radio)
    run.wait("ready")
    expect_on_air(place, {SHOP_FRAME}, run.began)
    assert run.end() == 0


def test_flags_that_the_kernel_adds_are_reported(beaconry: Beaconry, air: AirStarter) -> None:
    """On an adapter without BR/EDR the kernel puts 02 01 04 in front of data without flags."""
    place = air("le-only")
    run = beaconry.run(beaconry.profile(plain(1, "flags: none")), radio=place.radio)
    started = run.wait("advertising-started")
    [frame] = [each[3:] for each in frames(1)]
    expect_on_air(place, {bytes.fromhex("020104") + frame}, run.began)
    assert started["advertisingData"] == "020104" + frame.hex()
    run.wait_until_reported("warning", code="data-changed")
    assert run.end() == 0


def test_adapter_that_does_not_start_is_reported(beaconry: Beaconry, air: AirStarter, mgmt: Management) -> None:
    """The controller refuses a command that it claims, so the kernel gives up; for the USB identifiers of real ones btusb
    leaves that command out."""
    place = air("ats2851", starts=False)
    [index] = place.indexes
    eventually("the kernel has given up", lambda: f"hci{index}: " in kernel_log())
    assert index not in {each.index for each in mgmt.controllers()}
    result = beaconry.call("run", str(SHOP), "--radio", place.radio, "--ephemeral")
    assert result.returncode == 69 and f"hci{index}" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def kernel_log() -> str:
    """The kernel's messages."""
    return subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout


def test_interval_on_the_air_is_that_of_the_controller(
    beaconry: Beaconry, air: AirStarter
) -> None:
    """What is read back is the host's command; only a second controller shows what is on the air."""
    place = air("air-interval:5")
    run = beaconry.run(beaconry.profile(plain(1, "interval: 100ms")), radio=place.radio)
    started = run.wait("advertising-started")
    assert started["intervalTicks"] == 160
    reports = place.receiver.wait_for(lambda reports: len([r for r in reports if r.data in frames(1)]) >= 16, run.began)
    times = [each.time for each in reports if each.data in frames(1)]
    # From the start of the run, because the first reports may have waited to be read.
    assert times[15] - run.began > 15 * 0.4
    assert run.end() == 0


# Connections ------------------------------------------------------------------------------------------------------

NEWEST_ONLY = pytest.mark.depends_on("newest only")
NEWEST_RELEASE = pytest.mark.depends_on("newest only", "release")
CONNECTIONS = [
    *(pytest.param(each, marks=NEWEST_ONLY) for each in ("late-terminated", "early-terminated", "no-terminated", "legacy-5.0+states")),
    *(pytest.param(each, marks=NEWEST_RELEASE) for each in ("late-terminated:3000", "disable-first", "terminated-0x44", "legacy-5.0")),
]  # fmt: skip


@pytest.mark.parametrize("character", CONNECTIONS)
def test_connectable_beacon_returns_after_a_connection(
    beaconry: Beaconry, air: AirStarter, character: str
) -> None:
    """Not with Linux 6.1 (6.1.192): when a central leaves at once, its list of channels is corrupt (`kernel BUG at
    lib/list_debug.c` in hci_chan_del), and it kills bluetoothd, which was closing its L2CAP socket."""
    place = air(character)
    run = beaconry.run(SHOP, radio=place.radio)
    address = run.wait("advertising-started")["address"]
    visitor = place.visitor()
    for _ in range(2):
        visitor.connect_to(address)
        run.wait("connected")
        visitor.leave()
        run.wait("disconnected")
        ended = time.time()
        run.wait("advertising-started")
        expect_on_air(place, {SHOP_FRAME}, ended)
    visitor.close()
    assert [each["state"] for each in listed(beaconry)] == ["on-air"]
    assert run.warnings() == set()
    assert run.end() == 0


@NEWEST_ONLY
def test_connection_in_the_way_is_reported(beaconry: Beaconry, air: AirStarter) -> None:
    """The controller does not advertise while it has a connection; a plain beacon beside the connected one is off. Not with
    Linux 6.1, as the test above."""
    place = air("legacy-5.0+states")
    profile = plain(1) + "  - { id: shop, device: iot-design-shop }\n"
    run = beaconry.run(beaconry.profile(profile), radio=place.radio)
    run.wait("ready")
    [shop] = [each["address"] for each in run.events if each.get("device") == "shop" and "address" in each]
    visitor = place.visitor()
    visitor.connect_to(shop)
    run.wait("advertising-stopped", device="b0", where=lambda event: "connection" in event["reason"])
    visitor.leave()
    ended = time.time()
    run.wait("recovered")
    expect_on_air(place, {SHOP_FRAME, *frames(1)}, ended)
    visitor.close()
    assert run.end() == 0


# Failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["legacy-5.0+silent:0x2006", "silent:0x2036", pytest.param("silent:0x2039", marks=RELEASE)])
def test_silent_controller_is_named(beaconry: Beaconry, air: AirStarter, character: str) -> None:
    place = air(character)
    result = beaconry.call("run", str(beaconry.profile(plain(1))), "--radio", place.radio)
    assert result.returncode == 69
    # The kernel reports the legacy command as failed, and the others as not answered.
    assert "dmesg" in result.stderr and ("does not answer" in result.stderr) == (character[:6] == "silent")


@pytest.mark.parametrize("ending", ["error", "removal"])
def test_beacons_return_when_a_hung_controller_restarts(
    beaconry: Beaconry, air: AirStarter, witness: Witness, ending: str
) -> None:
    """Two beacons in turns need commands all the time, so that the controller hangs while they are on the air."""
    place = air(f"legacy-5.0+hung:150,{ending}")
    run = beaconry.run(beaconry.profile(plain(2)), radio=place.radio)
    run.wait("ready")
    expect_on_air(place, frames(2), run.began)

    def failure() -> float | None:
        return next((each.time for each in witness.poll() if each.kind == "event" and each.data[0] == HARDWARE_ERROR), None)

    failed = eventually("the controller has failed", failure)
    if ending == "removal":
        # Another controller with the same address takes its place, under another number.
        ready = run.wait("radio-ready", where=lambda event: event["radio"] != place.radio)
        assert run.wait("advertising-started")["radio"] == ready["radio"]
        assert len({each["address"] for each in run.events if each["event"] == "radio-ready"}) == 1
    run.wait("recovered")
    expect_on_air(place, frames(2), failed + 3)
    assert [each["state"] for each in listed(beaconry)] == ["on-air", "on-air"]
    assert run.end() == 0


@RELEASE
def test_busy_controller_is_named(beaconry: Beaconry, air: AirStarter) -> None:
    place = air("busy:0x3A@0s-60s")
    run = beaconry.run(beaconry.profile(plain(1)), radio=place.radio)
    assert "the kernel refuses the advertisement of b0" in run.wait("advertising-refused")["message"]
    run.wait("ready")
    expect_on_air(place, frames(1), run.began)
    assert run.end() == 0


def test_scan_of_a_strict_controller_is_reported(beaconry: Beaconry, air: AirStarter) -> None:
    place = air("legacy-5.0+strict-random")
    run = beaconry.run(beaconry.profile(plain(2)), radio=place.radio)
    run.wait("ready")
    adapter = f"/org/bluez/hci{place.indexes[0]}"
    assert dbus_call(adapter, "org.bluez.Adapter1.StartDiscovery") is not None
    run.wait("warning", code="scan-in-the-way")
    run.wait("degraded")
    assert dbus_call(adapter, "org.bluez.Adapter1.StopDiscovery") is not None
    stopped = time.time()
    run.wait("recovered")
    expect_on_air(place, frames(2), stopped)
    assert run.end() == 0


# Addresses --------------------------------------------------------------------------------------------------------


def test_adapters_with_one_address_are_kept_apart(beaconry: Beaconry, air: AirStarter, mgmt: Management) -> None:
    """Whether bluetoothd manages both or one of them: a run uses the adapter that it was given, or none."""
    place = air("same-address", "same-address", starts=False)
    eventually("the kernel has both", lambda: set(place.indexes) <= {each.index for each in mgmt.controllers()})
    eventually("bluetoothd has one", lambda: any(adapter_property(each, "Powered") for each in place.indexes))
    for number, index in enumerate(place.indexes):
        profile = beaconry.profile(plain(1).replace("profile: plain", f"profile: p{number}"), f"p{number}.yaml")
        if adapter_property(index, "Powered"):
            run = beaconry.run(profile, radio=f"bluez:hci{index}")
            assert run.wait("radio-ready")["radio"] == f"bluez:hci{index}"
            run.wait("ready")
            expect_on_air(place, frames(1), run.began)
        else:
            result = beaconry.call("run", str(profile), "--radio", f"bluez:hci{index}", "--ephemeral")
            assert result.returncode == 69 and f"hci{index}" in result.stderr
