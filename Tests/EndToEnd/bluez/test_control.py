# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Changes of a running program, over the control socket and by SIGHUP."""

from __future__ import annotations

import json
import signal

import pytest
from beaconry import PROFILES, Beaconry, ibeacon
from vhci import Witness

# The control socket is ours, so bluetoothd and the controllers do not matter.
pytestmark = pytest.mark.depends_on()

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def test_settings_reach_the_air(beaconry: Beaconry, witness: Witness) -> None:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    run.wait("ready")
    result = beaconry.call("ctl", "set", "beacon", f"uuid={UUID}", "major=300", "minor=4", "interval=250ms", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["settings"]["major"] == 300
    changed = run.wait("advertising-changed")
    assert changed["advertisingData"] == ibeacon(UUID, 300, 4).hex() and changed["intervalTicks"] == 400
    air = witness.wait_for(lambda air: air.on_air and air.on_air[0].advertising_data == ibeacon(UUID, 300, 4))
    assert air.on_air[0].min_ticks == 400
    shown = beaconry.call("ctl", "show", "beacon", "--json")
    assert json.loads(shown.stdout)["settings"]["minor"] == 4


def test_disabled_beacon_leaves_the_air(beaconry: Beaconry, witness: Witness) -> None:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    run.wait("ready")
    assert beaconry.call("ctl", "disable", "beacon").returncode == 0
    run.wait("advertising-stopped")
    witness.wait_for(lambda air: not air.on_air)
    assert beaconry.call("ctl", "enable", "beacon").returncode == 0
    run.wait("advertising-started")
    witness.wait_for(lambda air: air.on_air)


def test_bad_settings_change_nothing(beaconry: Beaconry) -> None:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    run.wait("ready")
    for settings, code, words in (
        (("major=70000",), 65, "whole number"),
        (("minor=3", "colour=red"), 65, "no setting"),
        (("tx-power=4dBm",), 65, "-23, -6 and 0 dBm"),
        (("major",), 64, "KEY=VALUE"),
    ):
        result = beaconry.call("ctl", "set", "beacon", *settings)
        assert result.returncode == code and words in result.stderr
    assert beaconry.call("ctl", "set", "nobody", "major=1").returncode == 64
    assert json.loads(beaconry.call("ctl", "show", "beacon", "--json").stdout)["settings"]["minor"] == 1


def test_reload_applies_changes_and_refuses_mistakes(beaconry: Beaconry, witness: Witness) -> None:
    text = "profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n    ibeacon: { uuid: %s, minor: %d }\n"
    profile = beaconry.profile(text % (UUID, 1))
    run = beaconry.run(profile)
    run.wait("ready")
    beaconry.profile(text % (UUID, 2))
    run.process.send_signal(signal.SIGHUP)
    run.wait("reloaded")
    run.wait("advertising-changed", advertisingData=ibeacon(UUID, 0, 2).hex())
    beaconry.profile(text.replace("minor", "miner") % (UUID, 3))
    result = beaconry.call("ctl", "reload")
    assert result.returncode == 65
    assert "test.yaml:5:60: error: beacons[0].ibeacon: there is no key \"miner\"" in result.stderr
    run.wait("reload-failed")
    assert json.loads(beaconry.call("ctl", "list", "--json").stdout)["settings"]["minor"] == 2
    beaconry.profile(text % (UUID, 2) + f"  - id: window\n    device: ibeacon\n    ibeacon: {{ uuid: {UUID}, minor: 9 }}\n")
    answer = json.loads(beaconry.call("ctl", "reload", "--json").stdout)
    assert answer == {"v": 1, "added": ["window"], "changed": [], "removed": [], "kept": ["door"]}
    witness.wait_for(lambda air: ibeacon(UUID, 0, 9) in {each.advertising_data for each in air.since(run.began)})


def test_events_are_streamed(beaconry: Beaconry) -> None:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml")
    run.wait("ready")
    listener = beaconry.start("ctl", "events", "--json")
    while True:  # until the subscription is active: each change is an event
        beaconry.call("ctl", "set", "beacon", "minor=8")
        beaconry.call("ctl", "set", "beacon", "minor=9")
        if any(event["event"] == "settings-saved" for event in listener.take(2)):
            break
    assert run.end() == 0
    listener.wait("stopping")
    assert listener.exit_code() == 0


def test_socket_in_use_is_refused(beaconry: Beaconry) -> None:
    beaconry.run(PROFILES / "hot-and-cold.yaml").wait("ready")
    result = beaconry.call("run", str(PROFILES / "hot-and-cold.yaml"), "--radio", "bluez:hci1")
    assert result.returncode == 73
    assert "control socket" in result.stderr and "in use" in result.stderr


def test_second_configurable_beacon_on_an_adapter_is_refused(beaconry: Beaconry) -> None:
    """A second run would add its services to the same attribute database, where centrals could not distinguish them."""
    first = beaconry.run(PROFILES / "iot-design-shop.yaml")
    first.wait("ready")
    profile = beaconry.profile("profile: second\nbeacons:\n  - { id: door, device: iot-design-shop }\n")
    refused = beaconry.call("run", str(profile), "--radio", "bluez:hci0", "--ephemeral")
    assert refused.returncode == 69
    assert 'hci0 carries the configurable beacon "beacon" of another run' in refused.stderr
    assert first.end() == 0
    second = beaconry.run(profile, "--ephemeral")
    second.wait("ready")
    assert second.end() == 0
