# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""An ordinary user with only D-Bus: bluetoothd changes advertisements, and every difference is reported."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from beaconry import CONFIG_SERVICE, MAJOR_MINOR, Run, ibeacon, service_list
from test_configuration import configure
from vhci import BLUEZ, AdvertisingSet, Bluetoothd, Phone, Witness

# bluetoothd advertises.
pytestmark = [pytest.mark.places, pytest.mark.depends_on("bluez")]


def carries_frame(data: bytes) -> bool:
    return ibeacon(CONFIG_SERVICE, 1, 1)[3:] in data


@pytest.mark.depends_on("combination")
def test_configurable_beacon_works_over_the_bus(
    visitor, bluetoothd: Bluetoothd, witness: Witness, phone: Phone
) -> None:
    bluetoothd.restart("-E")
    run = visitor("iot-design-shop.yaml")
    ready = run.wait("radio-ready")
    assert ready["way"] == "D-Bus"
    started = run.wait("advertising-started")
    run.wait("ready")
    run.take(1)
    assert "not-read-back" in run.warnings()
    assert {"advertisingData", "scanResponse", "intervalTicks", "pdu", "address"} <= set(started["unknown"])
    witness.wait_for(lambda air: any(carries_frame(each.advertising_data) for each in air.since(run.began)))
    advertised_set = next(each for each in witness.air().since(run.began) if carries_frame(each.advertising_data))
    assert advertised_set.pdu == "ADV_IND" and (advertised_set.min_ticks, advertised_set.max_ticks) == (160, 160)
    assert advertised_set.advertising_data == ibeacon(CONFIG_SERVICE, 1, 1)[3:] + b"\x02\x01\x06"
    assert "flags-last" in run.warnings()
    if BLUEZ == "5.66":
        assert "second-instance" in run.warnings()
        witness.wait_for(
            lambda air: any(service_list(CONFIG_SERVICE) in each.advertising_data for each in air.since(run.began))
        )
    else:
        assert service_list(CONFIG_SERVICE) in advertised_set.scan_response
        assert "second-instance" not in run.warnings()
    assert asyncio.run(configure(phone, (MAJOR_MINOR, b"\x05\x00\x06\x00")))[MAJOR_MINOR] == b"\x05\x00\x06\x00"
    run.wait("disconnected")
    names = {event["event"] for event in run.events}
    assert {"connected", "advertising-stopped", "settings-saved"} <= names
    assert [event["value"] for event in run.events if event["event"] == "written"] == ["05000600"]
    run.wait("advertising-started")
    frame = ibeacon(CONFIG_SERVICE, 5, 6)[3:]
    witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.since(run.began)))
    assert run.end() == 0
    witness.wait_for(lambda air: not air.on_air)


def test_plain_beacon_is_advertised(visitor, witness: Witness) -> None:
    run = visitor("hot-and-cold.yaml")
    run.wait("ready")
    run.take(1)
    frame = ibeacon("D9EED498-BFDB-43C0-8B55-D06BB74C430B", 0, 0)[3:]
    air = witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.on_air))
    advertised_set = next(each for each in air.on_air if frame in each.advertising_data)
    assert b"\x02\x01\x06" in advertised_set.advertising_data
    assert advertised_set.pdu == "ADV_IND" and "pdu-changed" in run.warnings()
    assert ("interval-ignored" in run.warnings()) == (BLUEZ == "5.66")
    assert "flags-last" in run.warnings()
    if BLUEZ == "5.66":
        assert advertised_set.min_ticks != 160
    else:
        assert advertised_set.min_ticks == advertised_set.max_ticks == 160


def test_restart_of_bluetoothd_is_survived(visitor, bluetoothd: Bluetoothd, witness: Witness) -> None:
    run = visitor("hot-and-cold.yaml")
    run.wait("ready")
    bluetoothd.restart()
    run.wait("radio-lost")
    run.wait("advertising-started")
    frame = ibeacon("D9EED498-BFDB-43C0-8B55-D06BB74C430B", 0, 0)[3:]
    witness.wait_for(lambda air: any(frame in each.advertising_data for each in air.on_air))


def test_strict_refuses_what_the_bus_cannot_do(visitor) -> None:
    run = visitor("hot-and-cold.yaml", "--strict")
    assert run.exit_code() == 69
    assert "other values than requested" in run.errors


FLAGS = bytes.fromhex("020106")
EDDYSTONE_URL = bytes.fromhex("0d16aafe10eb0261706163686500")


def advertised(witness: Witness, run: Run, structure: bytes, scan_response: bytes | None = None) -> AdvertisingSet:
    """The set that had a structure, and this scan response, on the air since the run began.

    The kernel may set the scan response of a legacy controller after the advertising data.
    """

    def has(each: AdvertisingSet) -> bool:
        return structure in each.advertising_data and scan_response in (None, each.scan_response)

    air = witness.wait_for(lambda air: any(has(each) for each in air.since(run.began)))
    return next(each for each in air.since(run.began) if has(each))


def raw(path: Path, data: bytes, scan_response: bytes = b"") -> Path:
    """The profile of a connectable device with these bytes, which the ordinary user can read."""
    lines = ["profile: raw", "beacons:", "  - id: raw", "    device: raw", "    pdu: ADV_IND"]
    lines.append(f"    advertising-data: {data.hex()}")
    if scan_response:
        lines.append(f"    scan-response: {scan_response.hex()}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_heart_rate_service_is_advertised(visitor, witness: Witness) -> None:
    run = visitor("heart-rate.yaml")
    run.wait("ready")
    run.take(1)
    on_air = advertised(witness, run, bytes.fromhex("05030d180f18"), b"\x0c\x09Heart Strap")
    assert on_air.advertising_data == bytes.fromhex("05030d180f18 03194103") + FLAGS
    assert on_air.pdu == "ADV_IND"
    assert {"flags-last", "data-changed", "scan-response-changed"} <= run.warnings()
    assert "not-carried" not in run.warnings()


def test_effective_advertisement_is_read_back(visitor, witness: Witness) -> None:
    run = visitor("heart-rate.yaml", reads_back=True)
    ready = run.wait("radio-ready")
    assert ready["way"] == "D-Bus"
    started = run.wait("advertising-started")
    run.wait("ready")
    run.take(1)
    on_air = advertised(witness, run, bytes.fromhex("05030d180f18"), b"\x0c\x09Heart Strap")
    assert started["advertisingData"] == on_air.advertising_data.hex()
    assert started["scanResponse"] == on_air.scan_response.hex()
    assert {"advertisingData", "scanResponse"} <= set(started["different"])
    assert "not-read-back" not in run.warnings()


def test_battery_service_is_advertised(visitor, witness: Witness) -> None:
    run = visitor("battery.yaml")
    run.wait("ready")
    run.take(1)
    on_air = advertised(witness, run, bytes.fromhex("05030f180a18"), b"\x0f\x09BLE112 Battery")
    assert on_air.advertising_data == bytes.fromhex("05030f180a18") + FLAGS
    assert "not-carried" not in run.warnings()


def test_eddystone_is_advertised(visitor, witness: Witness) -> None:
    path = raw(Path("/tmp/visitor/eddystone.yaml"), FLAGS + bytes.fromhex("0303aafe") + EDDYSTONE_URL)
    run = visitor(path)
    run.wait("ready")
    run.take(1)
    on_air = advertised(witness, run, EDDYSTONE_URL)
    assert on_air.advertising_data == bytes.fromhex("0303aafe") + EDDYSTONE_URL + FLAGS
    assert {"flags-last"} <= run.warnings() and run.warnings().isdisjoint({"not-carried", "data-changed"})


def test_every_kind_of_structure_is_carried_or_reported(visitor, witness: Witness) -> None:
    services = bytes.fromhex("050578563412")  # 32 bits
    solicited = bytes.fromhex("03140d18")
    companies = bytes.fromhex("04ff590001 04ff4c0002")
    uri = bytes.fromhex("0424172f61")
    power = bytes.fromhex("020af9")
    service_data = bytes.fromhex("07207856341201ff")  # 32 bits
    interval_range = bytes.fromhex("051206000c00")
    path = raw(
        Path("/tmp/visitor/every.yaml"),
        FLAGS + uri + companies + solicited + services + power,
        service_data + interval_range + b"\x05\x08Name",
    )
    run = visitor(path)
    run.wait("ready")
    run.take(1)
    name = b"\x05\x09Name"
    lost = [each["message"] for each in run.events if each.get("code") == "not-carried"]
    # bluetoothd carries the power if the kernel had read it when it asked for the features of the adapter. The kernel adds it
    # when it has read it, which may be after the first event.
    without_power = [each for each in lost if "tx-power-level" in each]
    power = b"" if without_power else power[:-1]
    composed = services + solicited + companies + uri + FLAGS + power
    if BLUEZ == "5.66":
        assert "second-instance" in run.warnings()
        found = advertised(witness, run, composed, b"").advertising_data
        assert advertised(witness, run, service_data, name).advertising_data == service_data + FLAGS
    else:
        assert "second-instance" not in run.warnings()
        found = advertised(witness, run, composed, service_data + name).advertising_data
    assert found.startswith(composed) and len(found) == len(composed) + bool(power)  # and the value of the power
    [other] = [each for each in lost if each not in without_power]
    assert "peripheral-connection-interval-range (12 06000c00) of the scan response" in other


def test_strict_refuses_what_is_not_carried(visitor) -> None:
    path = raw(Path("/tmp/visitor/range.yaml"), bytes.fromhex("03030d18 051206000c00"))
    run = visitor(path, "--strict")
    assert run.exit_code() == 69
    assert "[not-carried]" in run.errors
    assert "other values than requested" in run.errors
