# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Rooms of a profile, and the truth beside what is received."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
BEACONS = f"""
profile: flat
beacons:
  - {{ id: west, device: ibeacon, position: [1, 1], interval: 100ms, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }} }}
  - {{ id: east, device: ibeacon, position: [7, 1], interval: 100ms, ibeacon: {{ uuid: {UUID}, major: 1, minor: 2, measured-power: -59 }} }}
"""
WALK = """
receivers:
  - { id: phone, phone: exact, path: { through: [[1, 2], [9, 2]], speed: 1m/s } }
"""
OUTLINES = "outline: [[0, 0], [4, 0], [4, 3], [0, 3]]", "outline: [[4, 0], [8, 0], [8, 3], [4, 3]]"


def rooms(walls: str = "", doors: str = "") -> str:
    """Two rooms beside each other, with keys of the walls, and a door between them."""
    return f"""
floors: [{{ id: ground, from: 0m }}]
rooms:
  - {{ id: left, floor: ground, {OUTLINES[0]}{walls}{doors} }}
  - {{ id: right, floor: ground, {OUTLINES[1]}{walls} }}
"""


def recorded(beaconry: Beaconry, profile: Path, tmp_path: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of a recording in virtual time, without the head."""
    file = tmp_path / "r.jsonl"
    done = beaconry.call("record", str(file), "--profile", str(profile), "--seed", "7", "--rate", "max", "--force", *options)
    assert done.returncode == 0, done
    return [json.loads(line) for line in file.read_text().splitlines()[1:]]


def test_lines_of_a_recording_have_the_truth(beaconry: Beaconry, tmp_path: Path) -> None:
    profile = beaconry.profile(BEACONS + WALK + rooms())
    lines = recorded(beaconry, profile, tmp_path, "--receiver", "phone", "--duration", "9s")
    assert len(lines) > 150
    for line in lines:
        truth, seconds = line["truth"], line["microseconds"] * 1e-6
        x = min(1 + seconds, 9)
        receiver, beacon = truth["receiver"], truth["beacon"]
        assert receiver["name"] == "phone" and beacon["name"] in ("west", "east")
        # The recording begins when the scan does, some milliseconds after the air.
        assert receiver["position"] == pytest.approx([x, 2, 0], abs=0.05)
        assert truth["distance"] == pytest.approx(math.dist(receiver["position"], beacon["position"]), abs=0.002)
        if abs(x - 4) > 0.1 and abs(x - 8) > 0.1:
            assert receiver.get("room") == ("left" if x < 4 else "right" if x < 8 else None)
        assert beacon["room"] == {"west": "left", "east": "right"}[beacon["name"]]
        assert line["v"] == 1


def test_recordings_of_other_radios_have_no_truth(beaconry: Beaconry, tmp_path: Path) -> None:
    """A profile without positions has no places; the replay of a recording is the same with and without its truth."""
    lines = recorded(beaconry, beaconry.profile(BEACONS.replace("position: [1, 1], ", "").replace("position: [7, 1], ", "")),
                     tmp_path, "--duration", "2s")  # fmt: skip
    assert lines and all("truth" not in line for line in lines)


@pytest.mark.parametrize(("walls", "losses"), [("", [0, 0]), (", walls: 6dB", [6, 6]), (", walls: brick", [8, 8])])
def test_a_wall_between_rooms_takes_its_loss_once(
    beaconry: Beaconry, tmp_path: Path, walls: str, losses: list[int]
) -> None:
    """A receiver at the place of a beacon in the left room receives the other one through one wall, and none through a door."""
    at = "receivers:\n  - { id: phone, phone: exact, position: [1, 1] }\n"
    for doors, loss in (("", losses[0]), (", doors: [{ at: [4, 1], width: 1m }]" if walls else "", 0)):
        profile = beaconry.profile(BEACONS + at + rooms(walls, doors))
        lines = recorded(beaconry, profile, tmp_path, "--receiver", "phone", "--duration", "2s")
        levels = {line["rssi"] for line in lines if line["truth"]["beacon"]["name"] == "east"}
        assert levels == {round(-59 - 20 * math.log10(6) - loss)}


def test_a_slab_takes_its_loss(beaconry: Beaconry, tmp_path: Path) -> None:
    floors = "floors: [{ id: ground, from: 0m }, { id: upper, from: 2.6m, slab: { material: concrete } }]\n"
    for z, loss in ((1, 0), (2.5, 0), (2.6, 13.5), (5, 13.5)):
        at = f"receivers:\n  - {{ id: phone, phone: exact, position: [1, 1, {z}] }}\n"
        lines = recorded(beaconry, beaconry.profile(BEACONS + at + floors), tmp_path, "--receiver", "phone", "--duration", "2s")
        levels = {line["rssi"] for line in lines if line["truth"]["beacon"]["name"] == "west"}
        assert levels == {round(-59 - 20 * math.log10(z) - loss)}


def captured(beaconry: Beaconry, tmp_path: Path, profile: str, name: str) -> tuple[bytes, list[dict[str, Any]]]:
    """The HCI traffic of a run in virtual time, and its events."""
    file = tmp_path / f"{name}.btsnoop"
    options = ("--rate", "max", "--seed", "7", "--physics", "home", "--duration", "20s", "--ephemeral", "--json")
    done = beaconry.call("run", str(beaconry.profile(profile, f"{name}.yaml")), "--radio", "virtual", *options, "--capture", str(file))
    assert done.returncode == 0, done
    return file.read_bytes(), [json.loads(line) for line in done.stdout.splitlines()]


def test_reading_the_truth_changes_no_packet(beaconry: Beaconry, tmp_path: Path) -> None:
    """With rooms that are areas, whose events are reported, each packet of the air is the same as without rooms."""
    without, quiet = captured(beaconry, tmp_path, BEACONS + WALK, "without")
    areas, events = captured(beaconry, tmp_path, BEACONS + WALK + rooms(), "areas")
    walls, _ = captured(beaconry, tmp_path, BEACONS + WALK + rooms(", walls: brick"), "walls")
    assert len(without) > 10_000 and areas == without and walls != without
    assert not any(event["event"].startswith("room-") for event in quiet)
    changes = [(each["event"], each["room"], each["receiver"], each["position"]) for each in events if "room" in each]
    assert changes == [
        ("room-entered", "left", "phone", [1, 2, 0]), ("room-left", "left", "phone", [4, 2, 0]),
        ("room-entered", "right", "phone", [4, 2, 0]), ("room-left", "right", "phone", [8, 2, 0]),
    ]  # fmt: skip


def test_rooms_are_events_at_the_time_of_the_crossing(beaconry: Beaconry, tmp_path: Path) -> None:
    _, events = captured(beaconry, tmp_path, BEACONS + WALK + rooms(), "times")
    start = next(each["time"] for each in events if each["event"] == "receiver-added")
    order = [each["event"] for each in events if each["event"] in ("receiver-added", "room-entered")]
    assert order == ["receiver-added", "room-entered", "room-entered"]
    seconds = [moment(each["time"]) - moment(start) for each in events if each["event"] == "room-left"]
    assert seconds == pytest.approx([3, 7], abs=0.002)


def moment(text: str) -> float:
    hours, minutes, rest = text.split("T")[1].rstrip("Z").split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(rest)


def listed(beaconry: Beaconry, *command: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in beaconry.call("ctl", *command, "--json").stdout.splitlines()]


def test_moves_are_events_at_once(beaconry: Beaconry) -> None:
    still = "receivers:\n  - { id: phone, phone: exact, position: [1, 1] }\n"
    run = beaconry.run(beaconry.profile(BEACONS + still + rooms()), "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait_until_reported("room-entered", receiver="phone", room="left")
    run.wait_until_reported("ready")
    assert beaconry.call("ctl", "move", "phone", "5", "1").returncode == 0
    run.wait_until_reported("room-left", receiver="phone", room="left", position=[5, 1, 0])
    run.wait_until_reported("room-entered", receiver="phone", room="right", position=[5, 1, 0])
    assert [each["room"] for each in listed(beaconry, "receivers")] == ["right"]
    assert "ROOM" in beaconry.call("ctl", "receivers").stdout and "ROOM" in beaconry.call("ctl", "list").stdout
    assert {each["id"]: each["room"] for each in listed(beaconry, "list")} == {"west": "left", "east": "right"}
    # A reload without rooms: the receiver is in none, and nothing is reported any more.
    beaconry.profile(BEACONS + still)
    assert beaconry.call("ctl", "reload").returncode == 0
    run.wait_until_reported("room-left", receiver="phone", room="right")
    assert all("room" not in each for each in listed(beaconry, "receivers") + listed(beaconry, "list"))
    assert "ROOM" not in beaconry.call("ctl", "list").stdout


def test_the_house_is_walked_through_in_virtual_time(beaconry: Beaconry, tmp_path: Path) -> None:
    profile = (PROFILES / "house.yaml").read_text().replace("- id: phone", "- id: phone\n    phone: exact")
    profile = profile.replace("-proxy,", "-proxy, phone: exact,").replace("speed: 0.8m/s", "speed: 2.5m/s")
    _, events = captured(beaconry, tmp_path, profile, "house")
    visited = [each["room"] for each in events if each["event"] == "room-entered" and each["receiver"] == "phone"]
    assert visited[:9] == [
        "entrance", "living-room", "kitchen", "entrance", "landing", "bedroom", "landing", "bathroom", "landing",
    ]  # fmt: skip


def test_check_reports_a_beacon_in_no_room(beaconry: Beaconry) -> None:
    profile = beaconry.profile(BEACONS.replace("[7, 1]", "[9, 1]") + rooms())
    done = beaconry.call("check", str(profile))
    assert "east" in done.stdout + done.stderr and "[9, 1, 0] is in no room; the nearest one is right, 1 m away" in done.stdout + done.stderr
    assert "beacon-outside-rooms" in done.stdout + done.stderr


def test_profiles_with_other_rooms_do_not_run_together(beaconry: Beaconry) -> None:
    first = beaconry.profile(BEACONS + rooms(), "one.yaml")
    second = beaconry.profile(
        BEACONS.replace("profile: flat", "profile: other").replace("minor: ", "minor: 1") + rooms(", walls: brick"), "two.yaml")
    done = beaconry.call("check", str(first), str(second))
    assert done.returncode == 65, done
    assert "an earlier profile has other floors and rooms, and there is one air" in done.stdout + done.stderr


ESTIMATED = "receivers:\n  - { id: phone, phone: PHONE, estimator: strongest, position: [1, 1] }\n"


@pytest.mark.slow
@pytest.mark.parametrize("phone", ["exact", "iphone", "altbeacon"])
def test_estimate_of_a_receiver_follows_its_moves(beaconry: Beaconry, phone: str) -> None:
    profile = beaconry.profile(BEACONS + ESTIMATED.replace("PHONE", phone) + rooms())
    run = beaconry.run(profile, "--ephemeral", "--hci-server", "none", radio="virtual")
    run.wait_until_reported("estimated", receiver="phone", room="left", estimator="strongest", position=[1, 1, 0])
    run.wait_until_reported("ready")
    assert [each["estimate"] for each in listed(beaconry, "receivers")] == [
        {"estimator": "strongest", "room": "left", "position": [1, 1, 0]}
    ]
    assert "ROOM  ESTIMATED" in beaconry.call("ctl", "receivers").stdout
    assert beaconry.call("ctl", "move", "phone", "6.5", "1").returncode == 0
    run.wait_until_reported("estimated", receiver="phone", room="right", position=[7, 1, 0])
    # Another estimator, and none.
    assert beaconry.call("ctl", "receiver", "change", "phone", "--estimator", "least-squares").returncode == 0
    run.wait_until_reported("estimated", receiver="phone", estimator="least-squares")
    assert beaconry.call("ctl", "receiver", "change", "phone", "--estimator", "off").returncode == 0
    assert all("estimate" not in each for each in listed(beaconry, "receivers"))
    refused = beaconry.call("ctl", "receiver", "change", "phone", "--estimator", "best")
    assert refused.returncode == 64 and "nearest" in refused.stderr


def test_estimates_change_no_packet(beaconry: Beaconry, tmp_path: Path) -> None:
    without, _ = captured(beaconry, tmp_path, BEACONS + WALK + rooms(), "plain")
    walk = WALK.replace("phone: exact,", "phone: exact, estimator: nearest,")
    estimated, events = captured(beaconry, tmp_path, BEACONS + walk + rooms(), "estimated")
    assert estimated == without
    found = [each.get("room") for each in events if each["event"] == "estimated"]
    assert found[:2] == ["left", "right"]
