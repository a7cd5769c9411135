# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The daemon restarts, the adapter is switched off, blocked or unplugged, the advertisement is removed: the program
notices each, and is on the air again."""

from __future__ import annotations

import pytest
from beaconry import CONFIG_SERVICE, PROFILES, Beaconry, Run, ibeacon
from vhci import ADDRESSES, Bluetoothd, Controllers, Management, Phone, Witness, bluez_property, dbus_call, eventually

pytestmark = pytest.mark.places

DATA = ibeacon(CONFIG_SERVICE, 1, 1)


def started(beaconry: Beaconry, profile: str = "iot-design-shop") -> Run:
    run = beaconry.run(PROFILES / f"{profile}.yaml")
    run.wait("ready")
    return run


def on_air(witness: Witness, index: int = 0) -> bool:
    return any(each.advertising_data == DATA for each in witness.air(index).on_air)


def test_restart_of_bluetoothd_is_survived(
    beaconry: Beaconry, witness: Witness, bluetoothd: Bluetoothd, phone: Phone
) -> None:
    for crash in (False, True):
        run = started(beaconry)
        bluetoothd.restart(crash=crash)
        run.wait("radio-lost", code="no-daemon")
        run.wait("radio-ready")
        run.wait("advertising-started")
        assert on_air(witness)
        read_major_minor(phone)
        assert run.end() == 0


def read_major_minor(phone: Phone) -> None:
    import asyncio

    from test_configuration import MAJOR_MINOR, configure

    assert asyncio.run(configure(phone))[MAJOR_MINOR] == b"\x01\x00\x01\x00"


@pytest.mark.depends_on("bluez")
def test_beacon_returns_when_the_adapter_is_powered_on(
    beaconry: Beaconry, witness: Witness, controllers: Controllers
) -> None:
    run = started(beaconry)
    for _ in range(2):
        controllers.power(0, False)
        run.wait("radio-lost", code="powered-off")
        assert not on_air(witness)
        controllers.power(0, True)
        # The kernel keeps instances while the controller is off: the one of the time before must be gone.
        ready = run.wait("radio-ready")
        assert ready["freeInstances"] == ready["instances"]
        run.wait("advertising-started")
        assert on_air(witness)


@pytest.mark.depends_on()
def test_beacon_returns_when_the_adapter_is_unblocked(
    beaconry: Beaconry, witness: Witness, controllers: Controllers
) -> None:
    run = started(beaconry)
    controllers.block(0)
    run.wait("radio-lost", code="blocked")
    controllers.unblock(0)
    eventually("powered", lambda: power_on(controllers))
    run.wait("advertising-started")
    # Both bluetoothd and the test power the adapter on, so the advertisement may have to be restored once more.
    eventually("on the air", lambda: on_air(witness))


def power_on(controllers: Controllers) -> bool:
    controllers.power(0, True)
    return True


@pytest.mark.depends_on()
def test_adapter_with_a_new_number_is_found_again(
    beaconry: Beaconry, witness: Witness, controllers: Controllers, bluetoothd: Bluetoothd
) -> None:
    run = started(beaconry)
    controllers.unplug()
    run.wait("radio-lost", code="no-adapter")
    indexes = controllers.replug(shifted=True)
    assert indexes[ADDRESSES[0]] == 1
    bluetoothd.wait()
    ready = run.wait("radio-ready")
    assert (ready["radio"], ready["address"]) == ("bluez:hci1", ADDRESSES[0])
    run.wait("advertising-started")
    assert on_air(witness, 1)


def test_advertisement_removed_by_another_program_is_restored(
    beaconry: Beaconry, witness: Witness, mgmt: Management
) -> None:
    run = started(beaconry)
    mgmt.remove_advertising(0, 0)
    run.wait("advertising-stopped", reason="its advertising instance was removed by the kernel or another program")
    run.wait("advertising-started")
    assert on_air(witness)


def test_foreign_advertisement_is_not_disturbed(
    beaconry: Beaconry, witness: Witness, mgmt: Management, extended: bool
) -> None:
    foreign = bytes.fromhex("0201060303aafe")
    mgmt.add_advertising(0, 1, flags=1, data=foreign)
    run = started(beaconry)
    run.take(1)
    assert ("time-shared" in run.warnings()) == (not extended)
    witness.wait_for(lambda air: {foreign, DATA} <= {each.advertising_data for each in air.since(run.began)})
    assert run.end() == 0
    witness.wait_for(lambda air: DATA not in {each.advertising_data for each in air.on_air})
    assert 1 in mgmt.advertising_features(0).instances
    mgmt.remove_advertising(0, 1)


@pytest.mark.depends_on()
def test_peer_that_bluetoothd_connects_to_is_not_a_central(
    beaconry: Beaconry, witness: Witness, mgmt: Management
) -> None:
    mgmt.add_extended_advertising(1, 1, 1, 160, bytes.fromhex("020106"))
    run = started(beaconry)
    device = f"/org/bluez/hci0/dev_{ADDRESSES[1].replace(':', '_')}"
    eventually("the peer found", lambda: found_and_connected(device))
    dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StopDiscovery")
    assert not [event for event in run.take(4) if event["event"] in ("connected", "advertising-stopped")]
    dbus_call(device, "org.bluez.Device1.Disconnect")


def found_and_connected(device: str) -> bool:
    dbus_call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery")
    dbus_call(device, "org.bluez.Device1.Connect")
    return bool(bluez_property(device, "Device1", "Connected"))


@pytest.mark.depends_on()
def test_run_waits_for_the_radio(beaconry: Beaconry, witness: Witness, bluetoothd: Bluetoothd) -> None:
    bluetoothd.stop()
    run = beaconry.run(PROFILES / "iot-design-shop.yaml", "--wait")
    run.wait("radio-lost", code="no-daemon")
    bluetoothd.start()
    run.wait("ready")
    assert on_air(witness)


@pytest.mark.depends_on()
def test_ready_file_exists_while_ready(beaconry: Beaconry) -> None:
    ready = beaconry.folder / "ready"
    run = beaconry.run(PROFILES / "iot-design-shop.yaml", "--ready-file", str(ready))
    run.wait("ready")
    assert ready.exists()
    assert run.end() == 0
    assert not ready.exists()
