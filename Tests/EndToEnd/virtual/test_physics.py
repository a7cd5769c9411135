# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The model of the virtual air as users select it: options, profile keys, carried receivers and overrides of links."""

from __future__ import annotations

import asyncio
import json
import re
from statistics import mean, pstdev
from typing import Any

import pytest
from beaconry import Beaconry
from phone import phone, receive_reports

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
DOOR = f"""
beacons:
  - id: door
    device: ibeacon
    position: [0, 0]
    interval: 20ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 7, measured-power: -59 }}
"""


def served(beaconry: Beaconry, keys: str, place: str, *options: str) -> str:
    """A run of the door with more keys of the profile; Bumble's name of its server."""
    profile = beaconry.profile(f"profile: room\n{keys}\n{DOOR}")
    run = beaconry.run(profile, "--hci-server", f"tcp:127.0.0.1:0{place}", *options, radio="virtual")
    (name,) = run.wait("radio-ready")["servers"]
    run.wait("ready")
    return name.replace("tcp:", "tcp-client:")


async def values(transport: str, count: int) -> list[int]:
    """The RSSI of a number of reports; of the reports of a second, if none is expected."""
    async with phone(transport) as device:
        seconds = 0 if count else 1
        return [each.rssi for each in await receive_reports(device, seconds, until=lambda reports: len(reports) >= count)]


def received(beaconry: Beaconry, keys: str, place: str, *options: str, count: int = 40) -> list[int]:
    return asyncio.run(values(served(beaconry, keys, place, *options), count))


def test_without_physics_the_rssi_is_constant(beaconry: Beaconry) -> None:
    assert set(received(beaconry, "", "?at=10,0")) == {-79}


def test_a_preset_spreads_the_rssi(beaconry: Beaconry) -> None:
    rssi = received(beaconry, "", "?at=3,0", "--physics", "office", "--seed", "5")
    assert pstdev(rssi) > 1.5
    assert abs(mean(rssi) - (-59 - 19 * 0.477)) < 12


def test_the_option_has_precedence_over_the_profile(beaconry: Beaconry) -> None:
    assert set(received(beaconry, "physics: office", "?at=10,0", "--physics", "off")) == {-79}


def test_options_replace_parts_of_the_model(beaconry: Beaconry) -> None:
    keys = "physics: { preset: off, exponent: 4, fast: 9dB }"
    assert set(received(beaconry, keys, "?at=10,0", "--path-loss", "3", "--rssi-noise", "0")) == {-89}


def test_the_environment_selects_the_model(beaconry: Beaconry) -> None:
    beaconry.environment["BEACONRY_PHYSICS"] = "home"
    assert len(set(received(beaconry, "", "?at=10,0"))) > 3


def test_walls_weaken_what_crosses_them(beaconry: Beaconry) -> None:
    keys = "walls: [{ from: [4, -9], to: [4, 9], loss: 6dB }, { from: [5, 1], to: [5, 9], loss: 20dB }]"
    assert set(received(beaconry, keys, "?at=10,0")) == {-85}


def test_nothing_is_received_far_below_the_sensitivity(beaconry: Beaconry) -> None:
    assert received(beaconry, "physics: { sensitivity: -75dBm }", "?at=10,0", count=0) == []


@pytest.mark.parametrize(
    ("carried", "rssi"),
    [
        ("carried=pocket&heading=270", -79),
        ("carried=pocket&heading=90", -88),
        ("carried=pocket&heading=0", -84),
        ("carried=pocket", -84),
        ("carried=hand&heading=270", -79),
        ("carried=hand&heading=90", -85),
        ("heading=90", -79),
    ],
)
def test_the_body_weakens_what_comes_from_behind(beaconry: Beaconry, carried: str, rssi: int) -> None:
    assert set(received(beaconry, "", f"?at=10,0&{carried}")) == {rssi}


def test_many_beacons_collide(beaconry: Beaconry) -> None:
    beacons = "".join(
        f"  - {{ id: b{number}, device: ibeacon, interval: 20ms, ibeacon: {{ uuid: {UUID}, minor: {number} }} }}\n"
        for number in range(20)
    )
    counts: list[int] = []
    for keys in ("", "physics: { capture: 8dB }"):
        profile, recording = beaconry.profile(f"profile: crowd\n{keys}\nbeacons:\n{beacons}"), beaconry.folder / "crowd.jsonl"
        options = ("--profile", str(profile), "--rate", "max", "--seed", "1", "--duration", "5s", "--force")
        recorded = beaconry.call("record", str(recording), *options)
        assert recorded.returncode == 0, recorded
        counts.append(len(recording.read_text().splitlines()) - 1)
    # exp(-2·376 µs·19/25 ms) = 0.56; some events have two PDUs or none while the scanner changes its channel.
    assert 0.4 < counts[1] / counts[0] < 0.75, counts


def test_a_link_is_overridden_and_reset(beaconry: Beaconry) -> None:
    transport = served(beaconry, "", "?name=phone&at=10,0")

    async def walk() -> list[set[int]]:
        seen: list[set[int]] = []
        async with phone(transport) as device:
            for options in (("--rssi", "-42"), ("--loss", "6"), ("--blocked",), ("--reset",)):
                changed = await asyncio.to_thread(beaconry.call, "ctl", "link", "door", "phone", *options, "--json")
                assert changed.returncode == 0, changed
                assert json.loads(changed.stdout)["to"] == "phone"
                until = None if options == ("--blocked",) else bool
                seen.append({each.rssi for each in await receive_reports(device, 0.5, until=until)})
        return seen

    assert asyncio.run(walk()) == [{-42}, {-85}, set(), {-79}]


def test_an_override_ends_after_its_time_and_links_show_it(beaconry: Beaconry) -> None:
    transport = served(beaconry, "", "?name=phone&at=10,0")

    async def ctl(*arguments: str) -> str:
        done = await asyncio.to_thread(beaconry.call, "ctl", *arguments)
        assert done.returncode == 0, done
        return done.stdout

    async def scan() -> tuple[dict, str, dict]:
        async with phone(transport) as device:
            await device.start_scanning(filter_duplicates=False)
            done = await ctl("link", "door", "phone", "--loss", "6", "--for", "600s")
            assert done == "door to phone: 6 dB more loss, for 600 s\n"
            link, text = json.loads(await ctl("links", "--json")), await ctl("links")
            await ctl("link", "door", "phone", "--loss", "6", "--for", "500ms")
            async with asyncio.timeout(300):
                while "override" in (later := json.loads(await ctl("links", "--json"))):
                    pass
            return link, text, later

    link, text, later = asyncio.run(scan())
    assert link["meanRSSI"] == -85 and link["override"]["loss"] == 6 and 0 < float(link["override"]["for"].removesuffix("s")) <= 600
    assert "OVERRIDE" in text and "6 dB more loss, for " in text
    assert later["meanRSSI"] == -79


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("door", "stranger", "--loss", "6"), 64, 'nothing on the air is named "stranger"'),
        (("door", "door", "--loss", "6"), 64, "there is no link from door to itself"),
        (("door", "phone"), 64, "give --rssi, --loss, --packet-loss or --blocked, or --reset"),
        (("door", "phone", "--reset", "--loss", "6"), 64, "--reset removes the override"),
        (("door", "phone", "--loss", "much"), 64, '"much" is not a number of decibels from 0dB to 100dB'),
        (("door", "phone", "--rssi", "-80", "--loss", "6"), 64, "rssi and loss exclude each other"),
        (("door", "phone", "--for", "10s"), 64, "a time changes nothing alone"),
    ],
)
def test_wrong_overrides_are_refused(beaconry: Beaconry, arguments: tuple[str, ...], code: int, words: str) -> None:
    served(beaconry, "", "?name=phone&at=1,0")
    refused = beaconry.call("ctl", "link", *arguments)
    assert refused.returncode == code and words in refused.stderr, refused


def air(beaconry: Beaconry) -> dict[str, Any]:
    """The virtual air as `ctl physics` prints it."""
    return json.loads(beaconry.call("ctl", "physics", "--json").stdout)


def test_a_reload_changes_the_physics_that_the_profile_has_changed(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(f"profile: room\n{DOOR}"), "--hci-server", "none", radio="virtual")
    run.wait("ready")
    assert air(beaconry)["physics"]["preset"] == "off"
    beaconry.profile(f"profile: room\nphysics: office\n{DOOR}")
    assert beaconry.call("ctl", "reload").returncode == 0
    assert run.wait("physics-changed")["physics"]["preset"] == "office"
    # A change by a client stays until the profile has other physics; other walls are no other physics.
    assert beaconry.call("ctl", "physics", "hall").returncode == 0
    beaconry.profile(f"profile: room\nphysics: office\nwalls: [{{ from: [1, 0], to: [1, 2], loss: 6dB }}]\n{DOOR}")
    assert beaconry.call("ctl", "reload").returncode == 0
    assert air(beaconry)["physics"]["preset"] == "hall" and len(air(beaconry)["walls"]) == 1
    beaconry.profile(f"profile: room\nphysics: home\n{DOOR}")
    assert beaconry.call("ctl", "reload").returncode == 0
    assert air(beaconry)["physics"]["preset"] == "home" and air(beaconry)["walls"] == []
    assert beaconry.call("ctl", "physics", "hall").returncode == 0
    assert beaconry.call("ctl", "reset").returncode == 0
    assert air(beaconry)["physics"]["preset"] == "home"
    assert not [each for each in run.events if each["event"] == "warning"]


def test_physics_of_the_command_line_take_precedence_in_a_reload(beaconry: Beaconry) -> None:
    profile = beaconry.profile(f"profile: room\n{DOOR}")
    run = beaconry.run(profile, "--hci-server", "none", "--physics", "hall", radio="virtual")
    run.wait("ready")
    beaconry.profile(f"profile: room\nphysics: office\n{DOOR}")
    assert beaconry.call("ctl", "reload").returncode == 0
    run.wait("warning", code="physics-unchanged")
    assert air(beaconry)["physics"]["preset"] == "hall"


def test_physics_change_the_rssi_at_once(beaconry: Beaconry) -> None:
    profile = beaconry.profile(f"profile: room\n{DOOR}receivers: [{{ id: phone, position: [10, 0], phone: exact }}]\n")
    run = beaconry.run(profile, "--hci-server", "none", radio="virtual")
    run.wait("ready")

    def mean() -> float:
        [link] = beaconry.call("ctl", "links", "--json").stdout.splitlines()
        return json.loads(link)["meanRSSI"]

    assert mean() == -79
    changed = beaconry.call("ctl", "physics", "{ exponent: 3, body: off }")
    assert changed.returncode == 0 and re.search("^exponent +3$", changed.stdout, re.MULTILINE), changed
    assert mean() == -89
    assert run.wait("physics-changed")["physics"] == {"exponent": 3, "body": 0, "hand": 5.5}
    assert beaconry.call("ctl", "physics", "off").returncode == 0
    assert mean() == -79 and air(beaconry)["physics"]["preset"] == "off"


@pytest.mark.parametrize(
    ("physics", "words"),
    [
        ("offic", ['"offic" is not one of free, hall, office, home, obstructed, off', 'did you mean "office"']),
        ("{ exponnt: 2 }", ["exponnt", 'did you mean "exponent"']),
        ("{ exponent: 11 }", ["exponent", "0 to 10"]),
        ("{ preset: moon }", ['"moon" is not one of']),
        ("[1, 2]", ["a mapping of keys and values is expected here"]),
    ],
)
def test_wrong_physics_change_nothing(beaconry: Beaconry, physics: str, words: list[str]) -> None:
    run = beaconry.run(beaconry.profile(f"profile: room\n{DOOR}"), "--hci-server", "none", radio="virtual")
    run.wait("ready")
    refused = beaconry.call("ctl", "physics", physics)
    assert refused.returncode == 65 and all(each in refused.stderr for each in words), refused
    assert air(beaconry)["physics"]["preset"] == "off"


@pytest.mark.slow
def test_changes_of_physics_repeat_with_the_seed(beaconry: Beaconry) -> None:
    """In virtual time: what a phone ranges before and after two changes."""
    profile = beaconry.profile(f"profile: room\n{DOOR}receivers: [{{ id: phone, position: [6, 0], phone: exact }}]\n")

    def levels(seed: str) -> list[int]:
        run = beaconry.run(profile, "--rate", "manual", "--seed", seed, "--ephemeral", radio="virtual")
        run.wait("ready")
        levels = []
        for physics in ("hall", "obstructed", "off", "home"):
            assert beaconry.call("ctl", "physics", physics).returncode == 0
            for _ in range(3):
                assert beaconry.call("ctl", "clock", "advance", "1s").returncode == 0
                links = beaconry.call("ctl", "links", "--json").stdout.splitlines()
                levels += [json.loads(line).get("lastRSSI", 0) for line in links]
        run.end()
        return levels

    first = levels("7")
    assert len(set(first)) > 5 and levels("7") == first and levels("8") != first


def test_profiles_with_different_physics_are_refused(beaconry: Beaconry) -> None:
    one = beaconry.profile(f"profile: one\nphysics: office\n{DOOR}", "one.yaml")
    two = beaconry.profile(f"profile: two\nphysics: home\n{DOOR}", "two.yaml")
    for command in (("check",), ("run", "--ephemeral", "--radio", "virtual")):
        refused = beaconry.call(*command, str(one), str(two))
        assert refused.returncode == 65, refused
        assert "two.yaml:1:1: error: physics: an earlier profile has other physics" in refused.stdout + refused.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--physics", "moon"), '--physics: "moon" is not one of free, hall, office, home, obstructed, off'),
        (("--hci-server", "tcp:127.0.0.1:0?carried=bag"), '"bag" is not one of hand, pocket'),
        (("--hci-server", "tcp:127.0.0.1:0?carried=pocket&heading=x"), '"x" is not a number of degrees from -360 to 360'),
    ],
)
def test_wrong_options_are_refused(beaconry: Beaconry, arguments: tuple[str, ...], words: str) -> None:
    refused = beaconry.call("run", str(beaconry.profile(f"profile: room\n{DOOR}")), "--radio", "virtual", *arguments)
    assert refused.returncode == 64 and words in refused.stderr, refused
