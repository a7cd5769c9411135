# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""All problems with a radio: one sentence with a hint, and the right exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from beaconry import BINARY, PROFILES, Beaconry
from vhci import Bluetoothd, Controllers, as_ordinary_user, dbus_call

# Neither the version of bluetoothd nor the kind of controllers matters.
pytestmark = pytest.mark.depends_on()

PROFILE = str(PROFILES / "iot-design-shop.yaml")


def refused(beaconry: Beaconry, *words: str, radio: str = "bluez:hci0") -> None:
    result = beaconry.call("run", PROFILE, "--radio", radio, "--ephemeral")
    assert result.returncode == 69, result
    assert len(result.stderr.splitlines()) == 1
    for word in words:
        assert word in result.stderr


def test_missing_daemon_is_reported(beaconry: Beaconry, bluetoothd: Bluetoothd) -> None:
    bluetoothd.stop()
    refused(beaconry, "bluetoothd is not running", "systemctl start bluetooth")
    assert beaconry.call("radios").returncode == 69


def test_missing_bus_is_reported(beaconry: Beaconry) -> None:
    beaconry.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nowhere"
    refused(beaconry, "system bus", "systemctl start dbus bluetooth")


def test_unknown_adapter_is_reported(beaconry: Beaconry) -> None:
    refused(beaconry, "there is no adapter hci7", "hci0 (00:AA:01:00:00:00)", radio="bluez:hci7")
    refused(beaconry, "there is no adapter C0:00:00:00:00:01", radio="bluez:C0:00:00:00:00:01")


def test_machine_without_adapter_is_reported(beaconry: Beaconry, controllers: Controllers) -> None:
    controllers.unplug()
    refused(beaconry, "this machine has no Bluetooth adapter", radio="bluez")
    run = beaconry.run(PROFILE, "--hci-server", "none", radio="auto")
    ready = run.wait("radio-ready")
    assert (ready["radio"], ready["reason"]) == ("virtual", "this machine has no Bluetooth adapter")
    run.wait("ready")
    assert run.end() == 0


def test_powered_off_adapter_is_reported(beaconry: Beaconry, controllers: Controllers) -> None:
    controllers.power(0, False)
    refused(beaconry, "hci0 is powered off", "Powered b true")
    controllers.power(1, False)
    refused(beaconry, "hci0 is powered off", "Powered b true", radio="auto")


def test_blocked_adapter_is_reported(beaconry: Beaconry, controllers: Controllers) -> None:
    controllers.block(0)
    refused(beaconry, "hci0 is blocked by software", "rfkill unblock")
    controllers.block(1)
    refused(beaconry, "hci0 is blocked by software", "rfkill unblock", radio="auto")


def test_unmanaged_adapter_is_reported(beaconry: Beaconry, controllers: Controllers) -> None:
    controllers.unplug()
    controllers.plug_placeholder()
    refused(beaconry, "hci0 is present, but its controller did not start", "plug it in again", radio="auto")


def test_controllers_need_rights(run_as_user) -> None:
    ways = {
        "hci-socket:0 needs CAP_NET_ADMIN": ["--radio", "hci-socket:0"],
        "/dev/vhci may not be opened by this user": ["--radio", "virtual", "--hci-server", "vhci"],
    }
    for words, options in ways.items():
        result = run_as_user([str(BINARY), "run", PROFILE, "--ephemeral", *options])
        assert result.returncode == 69, result
        assert len(result.stderr.splitlines()) == 1 and words in result.stderr


def test_bus_policy_that_forbids_access_is_reported(beaconry: Beaconry, run_as_user) -> None:
    def reload_bus() -> None:
        done = dbus_call("/", "org.freedesktop.DBus.ReloadConfig", destination="org.freedesktop.DBus")
        assert done is not None

    policy = Path("/etc/dbus-1/system.d/zz-closed.conf")
    policy.write_text(
        '<busconfig><policy user="visitor"><deny send_destination="org.bluez"/></policy></busconfig>\n'
    )
    try:
        as_ordinary_user([])
        reload_bus()
        result = run_as_user([str(BINARY), "run", PROFILE, "--radio", "bluez:hci0", "--ephemeral"])
        assert result.returncode == 69
        assert "does not let this user talk to bluetoothd" in result.stderr
    finally:
        policy.unlink()
        reload_bus()


def test_invalid_radio_names_are_refused(beaconry: Beaconry) -> None:
    assert beaconry.call("run", PROFILE, "--radio", "zigbee").returncode == 64
