# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`run --watch`, and `ctl` with patterns, on a profile in short forms."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from beaconry import PROFILES, Beaconry, Run

AIR = ("--hci-server", "none", "--ephemeral")
WAREHOUSE = (PROFILES / "warehouse.yaml").read_text()
ONE = '  - { id: extra, interval: 200ms }\n  - { id: "shelf'


def watched(beaconry: Beaconry, profile: Path, *options: str) -> Run:
    run = beaconry.run(profile, "--watch", *AIR, *options, radio="virtual")
    run.wait("ready")
    return run


def replace(path: Path, old: str, new: str) -> None:
    """Edits a file as editors do: the new text is in another file, which takes its place."""
    text = path.read_text()
    assert old in text
    edited = path.with_suffix(".new")
    edited.write_text(text.replace(old, new))
    os.replace(edited, path)


def commands(capture: Path) -> list[str]:
    """The commands to controllers, from tshark."""
    done = subprocess.run(
        ["tshark", "-r", str(capture), "-Y", "bthci_cmd", "-T", "fields", "-e", "_ws.col.Info"], capture_output=True, text=True,
        timeout=300, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_an_edit_touches_one_advertisement(beaconry: Beaconry, tmp_path: Path) -> None:
    profile, capture = beaconry.profile(WAREHOUSE, "warehouse.yaml"), tmp_path / "edit.btsnoop"
    run = watched(beaconry, profile, "--capture", str(capture))
    replace(profile, '  - { id: "shelf', ONE)
    assert run.wait("reloaded")["beacons"] == 201
    run.wait_until_reported("advertising-started", device="extra")
    # The last command of each beacon starts its advertising.
    deadline = time.monotonic() + 300
    while (sent := commands(capture)).count("Sent LE Set Extended Advertising Enable") < 201:
        assert time.monotonic() < deadline, sent[-20:]
    seen = len(run.events)
    replace(profile, "interval: 200ms", "interval: 300ms")
    run.wait("reloaded")
    run.wait_until_reported("advertising-changed")
    run.take(0.5)
    changed = [event for event in run.events[seen:] if event["event"].startswith("advertising-")]
    assert [(event["event"], event["device"], event["intervalTicks"]) for event in changed] == [
        ("advertising-changed", "extra", 480)
    ]
    assert run.end() == 0
    # The parameters of an advertising set can be changed while it is disabled only. The other 200 get no command.
    assert commands(capture)[len(sent) :] == [
        "Sent LE Set Extended Advertising Enable", "Sent LE Set Extended Advertising Parameters",
        "Sent LE Set Extended Advertising Enable",
    ]  # fmt: skip


def test_a_broken_edit_changes_nothing(beaconry: Beaconry) -> None:
    profile = beaconry.profile(WAREHOUSE, "warehouse.yaml")
    run = watched(beaconry, profile)
    profile.write_text(WAREHOUSE.replace("count: 200", "count: many"))
    fault = run.wait("reload-failed")["faults"][0]
    assert (fault["line"], fault["field"]) == (5, "beacons[0].count") and "a number from 1 to 10000" in fault["message"]
    profile.write_text(WAREHOUSE.replace("count: 200", "count: 200 "))
    assert run.wait("reloaded")["beacons"] == 200
    profile.unlink()
    run.wait("reload-failed")
    profile.write_text(WAREHOUSE)
    run.wait("reloaded")
    assert not [event for event in run.events if event["event"] in ("advertising-changed", "advertising-stopped")]
    assert run.end() == 0


def test_each_fault_of_an_edit_is_a_line(beaconry: Beaconry) -> None:
    profile = beaconry.profile(WAREHOUSE, "warehouse.yaml")
    process = subprocess.Popen(
        [beaconry.binary, "run", profile, "--radio", "virtual", "--watch", *AIR], stdout=subprocess.PIPE, text=True,
        env=beaconry.environment,
    )  # fmt: skip
    assert process.stdout
    try:
        for line in process.stdout:
            if line.startswith("ready: "):
                break
        profile.write_text("profile: warehouse\nbeacons:\n  - { id: a, device: nope }\n  - { id: b c, device: raw }\n")
        lines = iter(process.stdout)
        while not (line := next(lines)).startswith("reload failed"):
            pass
        faults = [next(lines), next(lines)]
        assert line == "reload failed: 2 faults; fix the profile; it is read again when it is saved\n"
        assert [fault.split(": ")[:3] for fault in faults] == [
            [f"{profile}:3:22", "error", "beacons[0].device"], [f"{profile}:4:11", "error", "beacons[1].id"],
        ]  # fmt: skip
        assert "\ufffd" not in "".join(faults)
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        assert process.wait(300) == 0


def test_included_files_and_tracks_are_watched(beaconry: Beaconry) -> None:
    (beaconry.folder / "parts").mkdir()
    part, track = beaconry.folder / "parts" / "guard.yaml", beaconry.folder / "parts" / "guard.csv"
    part.write_text("beacons: [{ id: guard, device: ibeacon, track: guard.csv }]\n")
    track.write_text("t,who,x,y\n0,guard,3,4\n")
    profile = beaconry.profile(
        "profile: shop\ninclude: parts/guard.yaml\n"
        "defaults: { ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }\nbeacons: []\n"
    )
    run = watched(beaconry, profile)
    track.write_text("t,who,x,y\n0,guard,5,6\n")
    run.wait("reloaded")
    guard = json.loads(beaconry.call("ctl", "show", "guard", "--json").stdout)
    assert guard["position"] == [5, 6, 0]
    part.write_text("beacons: [{ id: dog, device: ibeacon }]\n")
    run.wait("reloaded")
    run.wait_until_reported("advertising-started", device="dog")
    assert run.end() == 0


def test_patterns_stand_for_several_beacons(beaconry: Beaconry) -> None:
    run = watched(beaconry, beaconry.profile(WAREHOUSE, "warehouse.yaml"))
    done = beaconry.call("ctl", "set", "shelf-19[5-9]", "interval=500ms", "--json")
    changed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["id"] for each in changed] == [f"shelf-19{digit}" for digit in "56789"]
    assert {each["settings"]["interval"] for each in changed} == {"500ms"}
    assert beaconry.call("ctl", "disable", "warehouse/shelf-0*").stdout.count("off\n") == 99
    refused = beaconry.call("ctl", "enable", "room-*")
    assert refused.returncode == 64 and 'no beacon matches "room-*"' in refused.stderr
    assert run.end() == 0


def test_the_environment_is_that_of_the_run(beaconry: Beaconry) -> None:
    text = 'profile: shop\nbeacons: [{ id: "${PLACE}", device: ibeacon, ibeacon: { uuid: "${UUID:-%s}" } }]\n'
    profile = beaconry.profile(text % "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    beaconry.environment["PLACE"] = "north"
    assert "1 beacon: no problems found" in beaconry.call("check", str(profile)).stdout
    beaconry.environment.pop("PLACE")
    refused = beaconry.call("check", str(profile))
    assert refused.returncode == 65 and "test.yaml:2:17: error: the environment variable PLACE is not set" in refused.stderr


def test_a_first_profile_is_valid_and_never_replaced(beaconry: Beaconry) -> None:
    path = beaconry.folder / "cafe.yaml"
    written = json.loads(beaconry.call("init", str(path), "--json").stdout)
    assert written == {"v": 1, "profile": "cafe", "file": str(path)}
    first = path.read_bytes()
    assert beaconry.call("check", str(path)).returncode == 0
    run = beaconry.run(path, *AIR, radio="virtual")
    assert run.wait("ready")["beacons"] == 5
    assert run.end() == 0
    refused = beaconry.call("init", str(path))
    assert refused.returncode == 73 and "already exists" in refused.stderr and path.read_bytes() == first
    refused = beaconry.call("init", str(beaconry.folder / "my cafe.yaml"))
    assert refused.returncode == 64 and "is not a name" in refused.stderr


def test_equal_advice_is_one_line(beaconry: Beaconry) -> None:
    profile = beaconry.profile(WAREHOUSE.replace("count: 200", "count: 200, interval: 1s"))
    done = beaconry.call("check", str(profile))
    assert done.stdout.startswith(f"{profile}:5:5: advice: 200 beacons (shelf-001, shelf-002, shelf-003, …): Apple's beacons")
    assert len(done.stdout.splitlines()) == 1
    assert len(beaconry.call("check", str(profile), "--json").stdout.splitlines()) == 200


def test_findings_for_code_scanning_have_places(beaconry: Beaconry) -> None:
    profile = beaconry.profile(WAREHOUSE.replace("count: 200", "count: 2, interval: 1s"))
    lines = beaconry.call("check", str(profile), "--format", "github").stdout.splitlines()
    assert [line.partition("::shelf")[0] for line in lines] == [
        f"::notice file={profile},line=5,col=5,title=beaconry%3A interval-not-100ms"
    ] * 2
    log = json.loads(beaconry.call("check", str(profile), "--format", "sarif").stdout)
    (result, _), (rule,) = log["runs"][0]["results"], log["runs"][0]["tool"]["driver"]["rules"]
    place = result["locations"][0]["physicalLocation"]
    assert (log["version"], result["ruleId"], result["level"], rule["id"]) == (
        "2.1.0", "interval-not-100ms", "note", "interval-not-100ms",
    )  # fmt: skip
    assert (place["artifactLocation"]["uri"], place["region"]) == (str(profile), {"startLine": 5, "startColumn": 5})
    profile.write_text(WAREHOUSE.replace("count: 200", "count: 200, colour: red"))
    broken = beaconry.call("check", str(profile), "--format", "sarif")
    # Of copies with faults, a hundred are read.
    unread, result = json.loads(broken.stdout)["runs"][0]["results"]
    assert "100 further copies of this entry were not read" in unread["message"]["text"]
    assert broken.returncode == 65 and result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    github = beaconry.call("check", str(profile), "--format", "github").stdout
    assert all(line.startswith(f"::error file={profile},line=5,col=") for line in github.splitlines()) and 'there is no key "colour" here' in github
