# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Advertising through the management socket: exact bytes, exact intervals, and reported differences."""

from __future__ import annotations

import pytest
from beaconry import CONFIG_SERVICE, PROFILES, Beaconry, ibeacon, service_list
from vhci import ADDRESSES, Management, Witness

# The kernel advertises, so the version of bluetoothd does not matter.
pytestmark = [pytest.mark.places, pytest.mark.depends_on("controllers")]

E2C5 = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def plain(beacons: int = 1, extra: str = "") -> str:
    lines = ["profile: plain", "beacons:"]
    for number in range(beacons):
        lines += [f"  - id: b{number}", "    device: ibeacon", f"    ibeacon: {{ uuid: {E2C5}, major: 1, minor: {number} }}"]
        if extra:
            lines.append(f"    {extra}")
    return "\n".join(lines) + "\n"


def test_factory_beacon_is_advertised_to_the_byte(beaconry: Beaconry, witness: Witness) -> None:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    started = run.wait("advertising-started")
    data = ibeacon(CONFIG_SERVICE, 1, 1)
    response = service_list(CONFIG_SERVICE) + b"\x0b\x09IoT Beacon"
    [advertised] = witness.wait_for(lambda air: air.on_air).on_air
    assert (advertised.advertising_data, advertised.scan_response) == (data, response)
    assert (advertised.pdu, advertised.min_ticks, advertised.max_ticks) == ("ADV_IND", 160, 160)
    assert started["advertisingData"] == data.hex()
    assert started["scanResponse"] == response.hex()
    assert (started["intervalTicks"], started["pdu"], started["address"]) == (160, "ADV_IND", ADDRESSES[0])
    assert started["device"] == "beacon" and "different" not in started
    run.wait("ready", beacons=1)
    assert run.warnings() == set()
    assert run.end() == 0
    witness.wait_for(lambda air: not air.on_air)


@pytest.mark.depends_on()
def test_phone_receives_what_is_sent(beaconry: Beaconry, witness: Witness, phone) -> None:
    import asyncio

    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    run.wait("ready")
    device = asyncio.run(phone.find(lambda _, seen: CONFIG_SERVICE in seen.service_uuids, service_uuids=[CONFIG_SERVICE]))
    assert device.address == ADDRESSES[0]
    reports = {each.pdu: each.data for each in witness.reports(1, ADDRESSES[0])}
    assert reports["ADV_IND"] == ibeacon(CONFIG_SERVICE, 1, 1)
    assert reports["SCAN_RSP"] == service_list(CONFIG_SERVICE) + b"\x0b\x09IoT Beacon"


def test_plain_beacon_is_advertised(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = beaconry.run(beaconry.profile(plain(1, "interval: 200ms")))
    started = run.wait("advertising-started")
    [advertised] = witness.wait_for(lambda air: air.on_air).on_air
    assert advertised.advertising_data == ibeacon(E2C5, 1, 0)
    assert advertised.pdu == started["pdu"] == "ADV_NONCONN_IND"
    assert started["address"] == advertised.random_address
    run.wait("ready")
    if extended:
        assert advertised.min_ticks == advertised.max_ticks == started["intervalTicks"] == 320
        assert run.warnings() == set()
    else:
        assert [advertised.min_ticks, advertised.max_ticks] == started["intervalTicksRange"]
        assert "intervalTicks" in started["unknown"] and started["different"] == ["interval"]
        run.take(1)
        assert run.warnings() == {"interval-forced"}


def test_power_and_address_are_applied(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = beaconry.run(beaconry.profile(plain(1, "tx-power: -6dBm\n    address: C0:FF:EE:00:00:01\n    pdu: ADV_IND")))
    started = run.wait("advertising-started")
    run.wait("ready")
    run.take(1)
    [advertised] = witness.wait_for(lambda air: air.on_air).on_air
    assert "address-not-settable" in run.warnings()
    assert "address" in started["different"]
    if extended:
        assert advertised.tx_power == -6
        assert started["txPower"] == advertised.selected_tx_power
    else:
        assert "tx-power-ignored" in run.warnings()
        assert "txPower" in started["unknown"] and "txPower" in started["different"]


def test_several_beacons_share_the_controller(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = beaconry.run(PROFILES / "airlocate.yaml")
    run.wait("ready", beacons=3)
    uuids = [E2C5, "5A4BCFCE-174E-4BAC-A814-092E77F6B7E5", "74278BDA-B644-4520-8F0C-720EAF059935"]
    wanted = {ibeacon(uuid, 0, 0) for uuid in uuids}
    witness.wait_for(lambda air: wanted <= {each.advertising_data for each in air.since(run.began)})
    run.take(1)
    shared = [event for event in run.events if event.get("code") == "time-shared"]
    if extended:
        assert not shared
        assert wanted == {each.advertising_data for each in witness.air().on_air}
    else:
        assert len(shared) == 3 and "1/3" in shared[0]["message"]


def test_beacons_that_do_not_fit_are_refused(beaconry: Beaconry, mgmt: Management) -> None:
    carried = mgmt.advertising_features(0).max_instances
    assert "have services" in beaconry.call("run", str(PROFILES / "museum.yaml"), "--radio", "bluez:hci0").stderr
    profile = str(beaconry.profile(plain(carried + 1)))
    result = beaconry.call("run", profile, "--radio", "bluez:hci0", "--json")
    assert result.returncode == 69
    assert f"{carried} of {carried + 1} beacons fit on hci0" in result.stderr
    check = beaconry.call("check", profile, "--radio", "bluez:hci0")
    assert check.returncode == 1
    assert f"{carried} of {carried + 1} fit" in check.stdout


@pytest.mark.depends_on()
def test_two_configurable_beacons_are_refused(beaconry: Beaconry) -> None:
    profile = beaconry.profile(
        "profile: two\nbeacons:\n  - {id: a, device: iot-design-shop}\n  - {id: b, device: iot-design-shop}\n"
    )
    result = beaconry.call("run", str(profile), "--radio", "bluez:hci0")
    assert result.returncode == 69
    assert '"a" and "b" have services' in result.stderr


@pytest.mark.depends_on()
def test_difference_ends_a_strict_run(beaconry: Beaconry) -> None:
    exact = beaconry.call("run", str(PROFILES / "iot-design-shop.yaml"), "--radio", "bluez:hci0", "--strict", "--duration", "1s")
    assert exact.returncode == 0, exact.stderr
    other = beaconry.profile(plain(1, "address: C0:FF:EE:00:00:01"))
    result = beaconry.call("run", str(other), "--radio", "bluez:hci0", "--strict", "--duration", "1s", "--json")
    assert result.returncode == 69
    assert "b0 advertises other values than requested" in result.stderr and "address" in result.stderr


@pytest.mark.depends_on()
def test_advertise_needs_no_profile(beaconry: Beaconry, witness: Witness) -> None:
    run = beaconry.start(
        "advertise", "ibeacon", "--uuid", E2C5, "--major", "7", "--minor", "8", "--measured-power", "-70",
        "--radio", "bluez:hci0", "--json", "--duration", "2s",
    )  # fmt: skip
    run.wait("advertising-started", advertisingData=ibeacon(E2C5, 7, 8, -70).hex())
    assert run.exit_code() == 0
    assert ibeacon(E2C5, 7, 8, -70) in {each.advertising_data for each in witness.air().since(run.began)}


def test_radios_lists_the_adapters(beaconry: Beaconry, mgmt: Management, extended: bool) -> None:
    import json

    result = beaconry.call("radios", "--json")
    assert result.returncode == 0
    first, *_, rights = map(json.loads, result.stdout.splitlines())
    assert (first["radio"], first["address"], first["powered"]) == ("bluez:hci0", ADDRESSES[0], True)
    assert first["advertising"] == ("extended" if extended else "legacy")
    assert first["instances"] == mgmt.advertising_features(0).max_instances
    assert rights["managementSocket"] and rights["monitorSocket"]
    assert "pairing dialog" in beaconry.call("radios").stderr
