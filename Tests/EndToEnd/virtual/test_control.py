# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The text output about a running `beaconry run`, and the ways to end the run."""

from __future__ import annotations

import json
from collections.abc import Callable

from beaconry import Beaconry, Run

PROFILE = """
profile: odds
beacons:
  - id: door
    device: ibeacon
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7 }
  - id: pot
    device: gatt
    name: Plant
    services:
      - uuid: 181A
        characteristics:
          - { name: moisture, uuid: 2A6F, properties: [read], type: uint16, scale: 0.01,
              waveform: { shape: square, min: 61.33, max: 61.33, period: 2m } }
          - { name: now, uuid: 2A08, properties: [read], clock: date-time }
      - uuid: 5A1E0001-8C1D-4E8B-9C55-0D0E8F6A1B01
        characteristics:
          - { name: threshold, uuid: 2A6F, properties: [read, write], type: uint8, value: 30, stored: true }
    advertise: { services: [181A] }
  - id: cell
    device: battery
    level: { drain: { from: 90, every: 1000h } }
  - id: tag
    device: sensortag
    humidity: { counter: { every: 1000h, start: 40, max: 60 } }
"""

Start = Callable[..., tuple[Run, str]]


def test_list_has_a_short_line_for_each_device(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    lines = beaconry.call("ctl", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["DEVICE", "door", "pot", "cell", "tag"]
    assert max(map(len, lines)) <= 120
    identity = lines[0].index("IDENTITY")
    assert [line[identity:] for line in lines[1:]] == [
        "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "Plant, service 181A", "Battery, service 180F", "SensorTag, service 180A",
    ]  # fmt: skip
    assert lines[1].split()[:6] == ["door", "ibeacon", "on", "100", "ms", "1/7"]
    listed = [json.loads(line) for line in beaconry.call("ctl", "list", "--json").stdout.splitlines()]
    assert [line[lines[0].index("ADDRESS") :].split()[0] for line in lines[1:]] == [each["effective"]["address"] for each in listed]


def test_each_setting_has_a_line_and_its_present_value(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    lines = beaconry.call("ctl", "show", "pot").stdout.splitlines()
    assert lines[0] == "pot: gatt of profile odds, on"
    cells = dict(line.strip().split(maxsplit=1) for line in lines[1:-1])
    year, rest = cells.pop("now").split("-", 1)
    assert int(year) > 2000 and rest.endswith(" (auto)")
    assert len(cells.pop("address")) == len("C0:FF:EE:00:00:01")
    assert cells == {
        "name": "Plant", "interval": "100 ms (160 ticks)", "tx-power": "default", "moisture": "61.33 (auto)",
        "threshold": "30", "services": "181A", "pdu": "ADV_IND", "flags": "0x06", "effective-tx-power": "0 dBm", "on-air": "yes",
    }  # fmt: skip
    assert lines[-1].strip() == "5A1E0001-8C1D-4E8B-9C55-0D0E8F6A1B01"
    assert len({len(line) - len(line.lstrip()) for line in lines[1:-1]}) == 1, "the settings are aligned"
    for device, setting in (("cell", "level 90 (auto)"), ("tag", "humidity 40 (auto)"), ("tag", "pressure 1013.25")):
        assert setting in [" ".join(line.split()) for line in beaconry.call("ctl", "show", device).stdout.splitlines()]


def test_json_has_settings_and_present_values(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    shown = json.loads(beaconry.call("ctl", "show", "cell", "--json").stdout)
    assert (shown["name"], shown["settings"]["level"], shown["present"]) == ("Battery", "auto", {"level": "90"})
    done = json.loads(beaconry.call("ctl", "set", "cell", "level=12", "--json").stdout)
    assert done["settings"]["level"] == "12" and "present" not in done


def test_set_prints_only_the_changed_settings(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    done = beaconry.call("ctl", "set", "cell", "level=12", "interval=200ms")
    assert done.stdout.splitlines() == [
        "cell: battery of profile odds, on", "  interval  200 ms (320 ticks)", "  level     12",
        "  (not saved; lost when the run ends)",
    ]  # fmt: skip
    assert beaconry.call("ctl", "disable", "cell").stdout == "cell: battery of profile odds, off\n"


def test_stop_ends_the_run(air: Start, beaconry: Beaconry) -> None:
    run, _ = air(beaconry.profile(PROFILE))
    done = beaconry.call("ctl", "stop", "--json")
    assert done.returncode == 0 and json.loads(done.stdout) == {"v": 1, "stopped": True}, done
    run.wait("stopping")
    assert run.exit_code() == 0
    assert not any(beaconry.runtime.rglob("*.sock"))
    again = beaconry.call("ctl", "list")
    assert again.returncode == 74 and "no running beaconry was found" in again.stderr
