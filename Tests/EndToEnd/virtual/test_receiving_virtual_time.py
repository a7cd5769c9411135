# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Receiving commands with the beacons of a profile in the same process, in virtual time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""
profile: shop
beacons:
  - id: door
    device: ibeacon
    interval: 200ms
    address: C0:FF:EE:00:00:01
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 7, measured-power: -59 }}
"""
CLOSING = SHOP + "    schedule: { on: 10s, off: 1h }\n"
MUSEUM = f"""
profile: museum
beacons:
  - {{ id: mummy, device: ibeacon, interval: 200ms, position: [0, 2], ibeacon: {{ uuid: {UUID}, major: 2, minor: 1 }} }}
  - {{ id: amphora, device: ibeacon, interval: 200ms, position: [10, 2], ibeacon: {{ uuid: {UUID}, major: 2, minor: 2 }} }}
  - {{ id: capsule, device: ibeacon, interval: 200ms, position: [20, 2], ibeacon: {{ uuid: {UUID}, major: 2, minor: 3 }} }}
receivers:
  - {{ id: visitor, path: {{ through: [[0, 0], [10, 0], [20, 0]], speed: 1m/s, pauses: {{ 1: 10s, 2: 10s, 3: 10s }} }} }}
"""
MAX = ("--rate", "max", "--seed", "7")


def objects(beaconry: Beaconry, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    done = beaconry.call(*arguments, "--json")
    assert done.returncode == code, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("scan", "--duplicates", "--duration", "30s"),
        ("range", "--duration", "30s"),
        ("seek", "--uuid", UUID, "--duration", "30s"),
        ("expect", "--uuid", UUID, "--count", "50", "--within", "1m"),
        ("calibrate",),
    ],
)
def test_the_same_seed_prints_the_same(beaconry: Beaconry, command: tuple[str, ...]) -> None:
    profile = str(beaconry.profile(SHOP))
    calls = [
        beaconry.call(*command, "--profile", profile, "--physics", "office", "--rate", "max", "--seed", seed, "--json")
        for seed in ("7", "7", "8")
    ]
    assert [call.returncode for call in calls] == [0, 0, 0], calls
    assert calls[0].stdout == calls[1].stdout != calls[2].stdout
    assert '"time":"2026-01-01T00:00:0' in calls[0].stdout


def test_a_region_is_left_after_thirty_virtual_seconds(beaconry: Beaconry) -> None:
    regions = beaconry.profile(f"regions:\n  - {{ identifier: shop, uuid: {UUID} }}\n", "regions.yaml")
    profile = str(beaconry.profile(CLOSING))
    lines = objects(beaconry, "monitor", str(regions), "--profile", profile, *MAX, "--no-ranging", "--duration", "1m")
    events = {line["event"]: line["time"] for line in lines if line["event"] in ("entered", "exited")}
    assert events["entered"].startswith("2026-01-01T00:00:00.")
    # The beacon is switched off after 10 s.
    assert events["exited"][:18] in ("2026-01-01T00:00:3", "2026-01-01T00:00:4") and events["exited"][17:20] in ("39.", "40.")
    assert not list(beaconry.state.rglob("*")), "states of a simulation are not saved"


def test_a_walk_through_the_museum_is_ranged(beaconry: Beaconry) -> None:
    profile = str(beaconry.profile(MUSEUM))
    lines = objects(beaconry, "range", "--profile", profile, *MAX, "--duration", "50s", "--model", "log-distance:2")
    reports = [line["beacons"] for line in lines if line["event"] == "ranged"]
    assert len(reports) == 50
    assert [reports[second - 1][0]["minor"] for second in (2, 9, 12, 20, 28, 32, 40, 49)] == [1, 1, 1, 2, 2, 2, 3, 3]
    assert reports[8][0]["accuracy"] == pytest.approx(2, abs=0.3)
    # At another place.
    lines = objects(
        beaconry, "range", "--profile", profile, *MAX, "--duration", "5s", "--model", "log-distance:2", "--position", "20,0"
    )
    assert {line["beacons"][0]["minor"] for line in lines if line["event"] == "ranged"} == {3}


def test_without_a_uuid_every_ibeacon_is_received(beaconry: Beaconry) -> None:
    """The beacons of a first profile have a UUID of their own."""
    profile = beaconry.folder / "first.yaml"
    assert beaconry.call("init", str(profile)).returncode == 0
    arguments = ("--profile", str(profile), *MAX)
    ranged = objects(beaconry, "range", *arguments, "--duration", "1s")[-1]["beacons"]
    assert sorted(beacon["minor"] for beacon in ranged) == [1, 2, 11, 12, 13]
    ranged = objects(beaconry, "range", *arguments, "--major", "1", "--minor", "2", "--duration", "1s")[-1]["beacons"]
    assert [beacon["minor"] for beacon in ranged] == [2]
    assert objects(beaconry, "seek", *arguments, "--duration", "1s")[-1]["nearest"]["major"] == 1
    assert objects(beaconry, "calibrate", *arguments, "--major", "1", "--minor", "1")[-1]["minor"] == 1
    assert objects(beaconry, "calibrate", *arguments, code=1)[-1]["code"] == "more-than-one-beacon"


@pytest.mark.slow
def test_the_museum_is_ranged(beaconry: Beaconry) -> None:
    arguments = ("--uuid", "2173E519-9155-4862-AB64-7953AB146156", "--major", "4", "--minor", "1", "--duration", "3m")
    lines = objects(beaconry, "range", "--profile", str(PROFILES / "museum.yaml"), *MAX, *arguments)
    reports = [line for line in lines if line["event"] == "ranged"]
    assert len(reports) == 180 and reports[-1]["time"].startswith("2026-01-01T00:03:00")
    # Every 100 ms, with a random delay of up to 10 ms.
    assert sum(report["beacons"][0]["packets"] for report in reports) == pytest.approx(1800 / 1.05, rel=0.01)


def test_an_expectation_times_out_in_virtual_time(beaconry: Beaconry) -> None:
    profile = str(beaconry.profile(SHOP))
    arguments = ("--uuid", UUID, "--major", "9", "--within", "10m")
    verdict = objects(beaconry, "expect", "--profile", profile, *MAX, *arguments, code=1)[-1]
    assert verdict["elapsed"] == 600 and not verdict["fulfilled"]


def test_events_before_the_work_begins_are_expected(beaconry: Beaconry) -> None:
    arguments = ("--profile", str(beaconry.profile(SHOP)), *MAX, "--event", "ready", "--event", "radio-ready", "--within", "1s")
    verdicts = [line for line in objects(beaconry, "expect", *arguments) if line["event"] == "verdict"]
    assert [(verdict["fulfilled"], verdict["count"]) for verdict in verdicts] == [(True, 1), (True, 1)], verdicts


@pytest.mark.slow
def test_events_of_the_run_and_values_are_expected_in_virtual_time(beaconry: Beaconry) -> None:
    profile = str(beaconry.profile(CLOSING.replace("device: ibeacon", "device: iot-design-shop\n    name: Door")))
    file = beaconry.profile(
        """
expect:
  - event: advertising-stopped,device=door,reason=off by its schedule
    within: 20s
  - event: connected,device=door
    within: 5s
  - advertisement: { name: Door }
    value: { characteristic: 2A00, hex: 446f6f72 }
    within: 5s
  - advertisement: { major: 1 }
    count: 1000
    within: 1h
""",
        "expectations.yaml",
    )
    lines = objects(beaconry, "expect", str(file), "--profile", profile, *MAX, code=1)
    verdicts = [line for line in lines if line["event"] == "verdict"]
    assert [verdict["fulfilled"] for verdict in verdicts] == [True, True, True, False], verdicts
    assert verdicts[0]["elapsed"] == pytest.approx(10, abs=0.1) and verdicts[3]["elapsed"] == 3600


def test_a_recording_has_virtual_times_and_is_received_again(beaconry: Beaconry) -> None:
    profile, file = str(beaconry.profile(SHOP)), beaconry.folder / "shop.jsonl"
    done = beaconry.call("record", str(file), "--profile", profile, *MAX, "--duration", "1m")
    assert done.returncode == 0, done
    first = file.read_bytes()
    assert beaconry.call("record", str(file), "--force", "--profile", profile, *MAX, "--duration", "1m").returncode == 0
    assert file.read_bytes() == first
    offsets = [json.loads(line)["microseconds"] / 1e6 for line in first.splitlines()[1:]]
    assert 280 <= len(offsets) <= 300 and 59 < offsets[-1] <= 60
    arguments = ("--uuid", UUID, "--count", str(len(offsets) - 5), "--within", "2m")
    verdict = objects(beaconry, "expect", "--replay", str(file), *MAX, *arguments)[-1]
    assert verdict["fulfilled"] and 55 < verdict["elapsed"] < 62


def test_settings_are_read_and_written_in_virtual_time(beaconry: Beaconry) -> None:
    profile = str(PROFILES / "iot-design-shop.yaml")
    listed = objects(beaconry, "manage", "list", "--profile", profile, *MAX)
    address = listed[-1]["address"]
    changed = objects(beaconry, "manage", "set", address, "--major", "77", "--profile", profile, *MAX)
    assert changed[-1]["settings"]["major"] == 77
    # Nothing is saved.
    shown = objects(beaconry, "manage", "show", address, "--profile", profile, *MAX)
    assert shown[-1]["settings"]["major"] != 77


def test_a_profile_runs_in_real_time_without_a_rate(beaconry: Beaconry) -> None:
    lines = objects(beaconry, "expect", "--profile", str(beaconry.profile(SHOP)), "--uuid", UUID, "--within", "50s")
    assert lines[-1]["fulfilled"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--profile", "{profile}", "--radio", "hci-socket:0"], "--profile and --replay run on a virtual air"),
        (["--rate", "max"], "--rate needs --profile"),
        (["--seed", "7"], "need --profile"),
        (["--receiver", "visitor"], "need --profile"),
        (["--profile", "{profile}", "--rate", "manual"], "--rate manual needs beaconry ctl clock"),
        (["--profile", "{profile}", "--receiver", "guard"], 'no receiver "guard"; receivers are visitor'),
        (["--profile", "{profile}", "--receiver", "visitor", "--position", "1,0"], "--position and --receiver exclude"),
    ],
)
def test_options_that_exclude_each_other_are_refused(beaconry: Beaconry, options: list[str], sentence: str) -> None:
    profile = str(beaconry.profile(MUSEUM))
    done = beaconry.call("scan", *[option.format(profile=profile) for option in options])
    assert done.returncode == 64 and sentence in done.stderr, done


def test_a_profile_with_faults_is_refused(beaconry: Beaconry) -> None:
    done = beaconry.call("range", "--profile", str(beaconry.profile("profile: x\n")), *MAX)
    assert done.returncode == 65 and "test.yaml:1:1" in done.stderr, done
