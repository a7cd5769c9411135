# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Receivers that differ: each key at each place that has it, handsets, and the phone as which each command receives."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import PATIENCE, Beaconry, Run
from command_tree import CommandTree, command_tree
from raw_host import RawHost

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
BEACON = f"  - {{ id: door, device: ibeacon, interval: 100ms, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 7 }} }}\n"
PROFILE = f"profile: room\nbeacons:\n{BEACON}"
MAX = ("--rate", "max", "--seed", "1")
NONE = ("--hci-server", "none")
"""No server beside those of the receivers: tests run at once."""

KEYS = {
    "rssi-offset": (-7.5, "-7.5dB"), "sensitivity": (-90, "-90dBm"), "fast": (2, "2dB"), "antenna": ("isotropic", "isotropic"),
    "carried": ("pocket", "pocket"), "heading": (90, "90"),
}  # fmt: skip
"""The keys, with a value in JSON and in a profile."""
OTHERS = {"id", "label", "hci-server", "esphome", "phone", "scan", "regions", "listening", "screen", "bluetooth", "permission", "estimator", "count"}
"""The keys of a receiver that say nothing of its hardware."""
PLACES = {"position", "path", "track", "orbit", "grid"}


def member(key: str) -> str:
    """The name of a key in JSON."""
    first, *rest = key.split("-")
    return first + "".join(each.capitalize() for each in rest)


def schema(beaconry: Beaconry, kind: str) -> Any:
    return json.loads(beaconry.call("schema", kind).stdout)


def shown(beaconry: Beaconry, name: str = "phone") -> dict[str, Any]:
    for command in ("receivers", "receiver list"):
        for line in beaconry.call("ctl", *command.split(), "--json").stdout.splitlines():
            if (record := json.loads(line))["name"] == name:
                return record
    raise AssertionError(f"there is no receiver {name}")


def test_keys_are_those_of_the_schema(beaconry: Beaconry) -> None:
    """A new key needs a value here, so that it is tried at each place."""
    for kind in ("profile", "scenario"):
        found = schema(beaconry, kind)["properties"]["receivers"]["items"]["properties"]
        assert set(found) - OTHERS - PLACES == set(KEYS), kind


def ready(run: Run) -> Run:
    run.wait("ready")
    return run


def in_profile(keys: str) -> Callable[[Beaconry, str, str], Run]:
    def start(beaconry: Beaconry, key: str, text: str) -> Run:
        return ready(beaconry.run(beaconry.profile(f"{PROFILE}receivers:\n  - {{ id: phone, {keys}{key}: {text} }}\n"), *NONE, radio="virtual"))

    return start


def in_option(option: str) -> Callable[[Beaconry, str, str], Run]:
    def start(beaconry: Beaconry, key: str, text: str) -> Run:
        return ready(beaconry.run(beaconry.profile(PROFILE), option, f"127.0.0.1:0?name=phone&{key}={text}", *NONE, radio="virtual"))

    return start


def server_option(beaconry: Beaconry, key: str, text: str) -> Run:
    return ready(beaconry.run(beaconry.profile(PROFILE), "--hci-server", f"tcp:127.0.0.1:0?name=phone&{key}={text}", radio="virtual"))


def by_command(*words: str) -> Callable[[Beaconry, str, str], Run]:
    def start(beaconry: Beaconry, key: str, text: str) -> Run:
        run = ready(beaconry.run(beaconry.profile(PROFILE), *NONE, radio="virtual"))
        if words[0] == "change":
            assert beaconry.call("ctl", "receiver", words[1], "phone").returncode == 0
        done = beaconry.call("ctl", "receiver", "listen" if words[0] == "listen" else "change", "phone", f"--{key}={text}")
        assert done.returncode == 0, done
        return run

    return start


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(in_profile("phone: exact, "), id="profile-phone"), pytest.param(in_profile(""), id="profile-server"),
        pytest.param(in_profile('esphome: "127.0.0.1:0", '), id="profile-proxy"), pytest.param(server_option, id="hci-server"),
        pytest.param(in_option("--esphome"), id="esphome"), pytest.param(by_command("listen"), id="ctl-listen"),
        pytest.param(by_command("change", "listen"), id="ctl-change"), pytest.param(by_command("change", "add"), id="ctl-change-server"),
    ],
)  # fmt: skip
def test_key_is_at_each_place(beaconry: Beaconry, start: Callable[[Beaconry, str, str], Run], key: str) -> None:
    value, text = KEYS[key]
    run = start(beaconry, key, text)
    record = shown(beaconry)
    assert {each: record.get(member(each)) for each in KEYS} == {each: value if each == key else None for each in KEYS}
    assert run.end() == 0


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("rssi-offset=41", 'rssi-offset: "41" is not an offset from -40dB to 40dB'),
        ("antenna=isotrop", 'did you mean "isotropic"?'),
        ("carried=pockt", 'did you mean "pocket"?'),
        ("sensitivity=-10", 'sensitivity: "-10" is not the sensitivity of a receiver from -120dBm to -50dBm'),
    ],
)
def test_wrong_value_is_refused_with_what_can_be_written(beaconry: Beaconry, item: str, words: str) -> None:
    profile = str(beaconry.profile(PROFILE))
    for option, place in (("--hci-server", "tcp:127.0.0.1:0"), ("--esphome", "127.0.0.1:0")):
        refused = beaconry.call("run", profile, "--radio", "virtual", option, f"{place}?{item}")
        assert refused.returncode == 64 and words in refused.stderr, refused
    key, text = item.split("=")
    refused = beaconry.call("ctl", "receiver", "listen", "phone", f"--{key}={text}")
    assert refused.returncode == 64 and words.split(": ")[-1] in refused.stderr, refused


# The phone of a command -----------------------------------------------------------------------------------------------


def recorded(beaconry: Beaconry, receiver: str, *options: str, duration: str = "600s") -> list[dict[str, Any]]:
    path = beaconry.profile(f"{PROFILE}receivers:\n  - {{ id: phone, position: [3, 0], {receiver} }}\n")
    file = path.parent / "recorded.jsonl"
    done = beaconry.call("record", str(file), "--force", "--profile", str(path), "--duration", duration, *MAX, *options)
    assert done.returncode == 0, done
    return [each for each in map(json.loads, file.read_text().splitlines()) if "rssi" in each]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "least", "most"),
    [
        ("hci-server: none", 5600, 5750), ("phone: exact", 5600, 5750), ("phone: android-13-low-power", 570, 610),
        ("phone: android-9-balanced", 1350, 1500), ("phone: android-9-low-latency", 5600, 5750), ("phone: altbeacon-background", 540, 600),
        ("phone: exact, scan: { window: 30ms, interval: 300ms }", 530, 610), ("phone: exact, listening: false", 0, 0),
        ("bluetooth: off", 0, 0), ("permission: denied", 0, 0), ("phone: android-9-balanced, screen: off", 0, 0),
        (f"phone: android-9-balanced, screen: off, regions: [{{ id: r, uuid: {UUID} }}]", 1350, 1500),
        ("phone: android-8-balanced, screen: off", 2200, 2400), ("phone: android-13-low-power, screen: off", 0, 0),
    ],
)  # fmt: skip
def test_recording_is_that_of_the_phone(beaconry: Beaconry, keys: str, least: int, most: int) -> None:
    found = recorded(beaconry, keys)
    assert least <= len(found) <= most, len(found)
    assert {each["rssi"] for each in found} <= {-69, -68}


def test_handset_has_its_offset_which_a_key_replaces(beaconry: Beaconry) -> None:
    def rssi(keys: str) -> set[int]:
        return {each["rssi"] for each in recorded(beaconry, keys, duration="10s")}

    (mean,) = rssi("phone: android-low-latency")
    assert rssi("phone: { preset: android-low-latency, handset: galaxy-s9 }") == {mean - 8}
    assert rssi("phone: { preset: android-low-latency, handset: galaxy-s9 }, rssi-offset: 2dB") == {mean + 2}
    assert rssi("hci-server: none, rssi-offset: -20") == {mean - 20}


PROBES: dict[str, tuple[tuple[str, ...], Callable[[str, int], bool]]] = {
    "scan": (("--duration", "20s"), lambda output, code: UUID in output.upper()),
    "range": (("--duration", "20s"), lambda output, code: UUID in output.upper()),
    "seek": (("--uuid", UUID, "--duration", "20s"), lambda output, code: '"nearest"' in output),
    "record": (("{file}", "--duration", "20s"), lambda output, code: '"sightings":0' not in output.replace(" ", "")),
    "expect": (("--uuid", UUID, "--within", "20s"), lambda output, code: code == 0),
    "calibrate": (("--uuid", UUID, "--major", "1", "--minor", "7"), lambda output, code: code == 0),
    "monitor watch": (("{regions}", "--duration", "20s"), lambda output, code: '"entered"' in output),
    "manage list": (("--duration", "20s"), lambda output, code: "C0:FF:EE:00:00:02" in output.upper()),
}
"""The commands that receive as a receiver of a profile, with their arguments, and whether they have received something."""
NOT_TRIED = {
    "manage": "reads the settings of a device; manage list scans as it does",
    "phone": "finds accessories as expect finds beacons; it has no end of its own",
}


def receiving_commands() -> set[str]:
    """All commands with the option --receiver of the air in the same process."""
    found = set()

    def visit(command: CommandTree) -> None:
        if "--receiver" in command.options and "--profile" in command.options and "--rate" in command.options:
            found.add(" ".join(command.words))
        for each in command.below.values():
            visit(each)

    visit(command_tree())
    return found


def test_each_command_with_a_receiver_is_tried() -> None:
    names = receiving_commands()
    assert names, "commands have the option"
    untried = {name for name in names if name not in PROBES and not any(name.split()[0] == each for each in NOT_TRIED)}
    assert not untried, "each command needs a probe, so that none ignores the phone of its receiver"


@pytest.mark.slow
@pytest.mark.parametrize("command", PROBES)
def test_command_receives_as_its_receiver(beaconry: Beaconry, tmp_path: Path, command: str) -> None:
    """With Bluetooth off, no command receives anything; with it on, each does."""
    regions = tmp_path / "regions.yaml"
    regions.write_text(f"regions: [{{ identifier: r, uuid: {UUID} }}]\n")
    arguments, has_received = PROBES[command]
    device = "  - { id: tag, device: iot-design-shop, address: C0:FF:EE:00:00:02, position: [0, 0] }\n"
    for keys, expected in (("phone: android-low-latency", True), ("phone: android-low-latency, bluetooth: off", False)):
        profile = beaconry.profile(f"{PROFILE}{device}receivers:\n  - {{ id: phone, position: [1, 0], {keys} }}\n")
        given = [each.format(file=tmp_path / f"{expected}.jsonl", regions=regions) for each in arguments]
        done = beaconry.call(*command.split(), *given, "--profile", str(profile), "--receiver", "phone", *MAX, "--json")
        assert has_received(done.stdout, done.returncode) == expected, done


# A receiver with a server is a phone, too ---------------------------------------------------------------------------------


def test_receiver_with_a_server_is_a_phone_too(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(f"{PROFILE}receivers: [{{ id: desk, position: [2, 0] }}]\n"), *NONE, radio="virtual")
    server = run.wait("radio-ready")["receivers"]["desk"]
    run.wait("ready")
    assert "phone" not in shown(beaconry, "desk")
    assert beaconry.call("ctl", "receiver", "monitor", "desk", "shop", "--uuid", UUID).returncode == 0
    run.wait("receiver-added", receiver="desk")
    record = shown(beaconry, "desk")
    assert (record["phone"], record["server"], record["position"], record["joined"]) == ("exact", server, [2, 0, 0], False)
    listed = [json.loads(line)["name"] for line in beaconry.call("ctl", "receivers", "--json").stdout.splitlines()]
    assert listed.count("desk") <= 1
    # Both move, and have the settings that follow.
    assert beaconry.call("ctl", "move", "desk", "20", "0").returncode == 0
    assert shown(beaconry, "desk")["position"] == [20, 0, 0]
    assert beaconry.call("ctl", "receiver", "change", "desk", "--rssi-offset=-5", "--phone", "altbeacon").returncode == 0
    record = shown(beaconry, "desk")
    assert (record["rssiOffset"], record["phone"]) == (-5, "altbeacon")
    refused = beaconry.call("ctl", "receiver", "remove", "desk")
    assert refused.returncode != 0 and "profile" in refused.stderr, refused
    assert run.end() == 0


def test_host_and_phone_of_a_receiver_are_one_in_lists(beaconry: Beaconry) -> None:
    """The host has the name of the receiver, whichever came first, and an override of its path is that of both."""
    run = ready(beaconry.run(beaconry.profile(f"{PROFILE}receivers: [{{ id: desk, position: [2, 0] }}]\n"), *NONE, radio="virtual"))
    assert beaconry.call("ctl", "receiver", "beacons", "desk").returncode == 0
    run.wait("receiver-added", receiver="desk")
    host = RawHost(int(shown(beaconry, "desk")["port"]))
    run.wait("host-joined", host="desk")
    record = shown(beaconry, "desk")
    assert (record["joined"], record["hosts"], record["phone"]) == (True, ["desk"], "exact")
    listed = [json.loads(line)["name"] for line in beaconry.call("ctl", "receivers", "--json").stdout.splitlines()]
    assert listed == ["desk"]
    links = [json.loads(line) for line in beaconry.call("ctl", "links", "--json").stdout.splitlines()]
    assert [(each["from"], each["to"], round(each["meanRSSI"])) for each in links] == [("door", "desk", -65)]
    assert beaconry.call("ctl", "link", "door", "desk", "--rssi=-80").returncode == 0

    def ranged() -> list[int]:
        report = json.loads(beaconry.call("ctl", "receiver", "beacons", "desk", "--json").stdout)
        return [each["rssi"] for each in report["beacons"]]

    end = time.monotonic() + PATIENCE
    while ranged() != [-80]:
        assert time.monotonic() < end, ranged()
        time.sleep(0.1)
    host.close()
    run.wait("host-left", host="desk")
    assert run.end() == 0


def test_receiver_without_a_server_has_none(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(f"{PROFILE}receivers: [{{ id: desk, hci-server: none }}]\n"), *NONE, radio="virtual")
    assert "desk" not in run.wait("radio-ready").get("receivers", {})
    run.wait("ready")
    record = shown(beaconry, "desk")
    assert record["phone"] == "exact" and "server" not in record
    assert run.end() == 0


# Chance -----------------------------------------------------------------------------------------------------------------


def seconds_with_packets(found: list[dict[str, Any]], of: int) -> float:
    return len({int(each["microseconds"] / 1e6) for each in found}) / of


@pytest.mark.slow
def test_gaps_follow_from_the_seed_and_end_with_the_physics(beaconry: Beaconry) -> None:
    """The gaps of a phone are on an air with chance only."""
    gaps = "phone: android-low-latency-gaps, antenna: isotropic"
    assert len(recorded(beaconry, gaps, duration="300s")) > 2800
    first, again, other = (
        recorded(beaconry, gaps, "--physics", "hall", "--seed", seed, duration="300s") for seed in ("2", "2", "3")
    )
    assert first == again and first != other
    assert 0.7 < seconds_with_packets(first, 300) < 0.9
    assert seconds_with_packets(recorded(beaconry, "phone: android-low-latency", "--physics", "hall", duration="300s"), 300) > 0.96
    assert seconds_with_packets(recorded(beaconry, "hci-server: none", "--physics", "hall", duration="300s"), 300) == 1


def test_scenario_has_receivers_that_differ(beaconry: Beaconry) -> None:
    scenario = beaconry.profile(
        f"""
scenario: differ
duration: 5s
beacons:
{BEACON}receivers:
  - {{ id: exact, position: [1, 0] }}
  - {{ id: weak, position: [1, 0], phone: {{ preset: android-low-latency, handset: galaxy-s9 }} }}
  - {{ id: own, position: [1, 0], rssi-offset: -20 }}
  - {{ id: off, position: [1, 0], phone: android-low-latency, bluetooth: off }}
expect:
  - {{ receiver: exact, rssi: door, dbm: [-60, -58], between: [1s, 5s] }}
  - {{ receiver: weak, rssi: door, dbm: [-68, -66], between: [1s, 5s] }}
  - {{ receiver: own, rssi: door, dbm: [-80, -78], between: [1s, 5s] }}
  - {{ receiver: off, does-not-see: door, by: 5s }}
""",
        "differ.yaml",
    )
    done = beaconry.call("test", str(scenario))
    assert done.returncode == 0, done


def test_reload_changes_the_hardware(beaconry: Beaconry) -> None:
    def text(keys: str) -> str:
        return f"{PROFILE}receivers:\n  - {{ id: desk{keys} }}\n  - {{ id: tablet, phone: exact{keys} }}\n"

    path = beaconry.profile(text(""))
    run = ready(beaconry.run(path, *NONE, radio="virtual"))
    for keys, expected in ((", rssi-offset: -5, carried: hand", (-5, "hand")), ("", (None, None))):
        path.write_text(text(keys))
        done = beaconry.call("ctl", "reload")
        assert done.returncode == 0, done
        for name in ("desk", "tablet"):
            record = shown(beaconry, name)
            assert (record.get("rssiOffset"), record.get("carried")) == expected, name
    assert "receivers-not-changed" not in run.warnings()
    assert run.end() == 0
