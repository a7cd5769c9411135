# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Rates and intervals of advertisements, where the receiver leaves out repetitions: each command that shows them says so, or leaves
them out."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry, Run
from raw_host import RawHost

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"""
profile: room
beacons:
  - id: slow
    device: ibeacon
    interval: 200ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}
    address: C0:FF:EE:00:00:01
"""
REGIONS = f"regions:\n  - {{ identifier: shop, uuid: {UUID} }}\n"

RADIOS = {
    "virtual": "here, as tcp-client: both are our own host",
    "tcp-client": "here",
    "esphome": "here",
    "bluez": "Tests/EndToEnd/bluez/test_receiving_commands.py",
    "hci-socket": "Tests/EndToEnd/bluez/test_receiving.py",
    "unix": "our own host, as tcp-client",
    "serial": "our own host, as tcp-client",
}
"""The kinds of radios, and where what they report is tested."""

SAYS = {
    "scan": ["scan", "--duplicates"],
    "record": ["record", "{folder}/recording.jsonl"],
    "range": ["range", "--uuid", UUID],
    "seek": ["seek", "--uuid", UUID],
    "monitor watch": ["monitor", "watch", "{folder}/regions.yaml", "--ephemeral"],
    "expect": ["expect", "--uuid", UUID, "--count", "3", "--within", "60s"],
    "calibrate": ["calibrate", "--uuid", UUID, "--duration", "1s"],
}
"""The receiving commands that depend on how often they receive, and a use of each: they warn."""

OTHERS = {
    "advertise": "sends", "bench": "sends", "check": "sends", "run": "sends; --replay is tested here",
    "doctor": "tested here", "phone": "connects", "manage": "connects", "dbus": "sends and receives on the virtual air",
    "clone": "tested here", "plot": "tested here", "decode": "prints what a file has", "radios": "lists",
}  # fmt: skip
"""All other commands that use a radio or read recordings."""


def commands(node: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, dict[str, Any]]]:
    """The commands of the program that have no commands below, and their descriptions."""
    below = [each for each in node.get("subcommands", []) if each["commandName"] != "help"]
    if not below:
        return [(" ".join(path), node)]
    return [found for each in below for found in commands(each, (*path, each["commandName"]))]


def names(node: dict[str, Any]) -> set[str]:
    """The names of a command's options and arguments."""
    return {each["valueName"] for each in node.get("arguments", [])} | {
        name["name"] for each in node.get("arguments", []) for name in each.get("names", [])
    }


@pytest.fixture
def room(beaconry: Beaconry) -> tuple[str, str]:
    """A run with a beacon, and two receivers of it: one that reports each advertisement, and one that does not."""
    return start_room(beaconry)[:2]


def start_room(beaconry: Beaconry) -> tuple[str, str, str]:
    """The same run; and the radio of another host on its air."""
    servers = ("--hci-server", "tcp:127.0.0.1:0?name=host", "--hci-server", "tcp:127.0.0.1:0?name=other", "--esphome", "127.0.0.1:0?name=proxy")
    run = beaconry.run(beaconry.profile(PROFILE), "--ephemeral", *servers, radio="virtual")
    receivers = run.wait("radio-ready")["receivers"]
    run.wait("ready")
    host, other = (receivers[name].replace("tcp:", "tcp-client:") for name in ("host", "other"))
    return host, receivers["proxy"], other


def recording(beaconry: Beaconry, radio: str) -> Path:
    """A recording of twelve advertisements or more."""
    path = beaconry.folder / f"{radio.partition(':')[0]}.jsonl"
    for seconds in (4, 8, 16, 32):
        done = beaconry.call("record", str(path), "--radio", radio, "--duration", f"{seconds}s", "--force")
        assert done.returncode == 0, done
        if len(path.read_text().splitlines()) > 12:
            return path
    raise AssertionError(f"{path} has too few advertisements")


def test_every_radio_and_every_command_is_in_the_tables(beaconry: Beaconry) -> None:
    refused = beaconry.call("scan", "--radio", "none")
    assert refused.returncode == 64
    listed = set(re.findall(r"([a-z-]+):[\w/]", refused.stderr.split("; write ")[1]))
    assert listed - {"bluez"} == set(RADIOS) - {"bluez", "virtual"}, refused.stderr
    known = {*SAYS, *OTHERS}
    found = {
        name
        for name, node in commands(json.loads(beaconry.call("--experimental-dump-help").stdout)["command"])
        if names(node) & {"radio", "via", "recording", "recordings", "replay"}
    }
    assert {name for name in found if name not in known and name.split()[0] not in known} == set()
    assert {name for name in known if not any(each == name or each.split()[0] == name for each in found)} <= {"decode", "radios"}


@pytest.mark.slow
@pytest.mark.parametrize("command", SAYS)
def test_command_says_that_repetitions_are_missing(command: str, room: tuple[str, str], beaconry: Beaconry) -> None:
    (beaconry.folder / "regions.yaml").write_text(REGIONS)
    words = [word.format(folder=beaconry.folder) for word in SAYS[command]]
    limited = {"--duration", "--within"} & set(words)
    for radio, missing in zip(room, (False, True)):
        done = beaconry.call(*words, *([] if limited else ["--duration", "1s"]), "--radio", radio, "--json")
        assert done.returncode == 0, done
        codes = [each.get("code") for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "warning"]
        assert ("duplicates" in codes) == missing, done.stdout
        (beaconry.folder / "recording.jsonl").unlink(missing_ok=True)


def test_clone_leaves_the_interval_out(room: tuple[str, str], beaconry: Beaconry) -> None:
    for radio, missing in zip(room, (False, True)):
        path, profile = recording(beaconry, radio), beaconry.folder / "clone.yaml"
        done = beaconry.call("clone", str(path), str(profile), "--force")
        assert done.returncode == 0, done
        text = profile.read_text()
        # What is estimated depends on how evenly the machine runs: unit tests, and a recording in virtual time, compare it.
        assert ("interval:" in text) == (not missing), text
        assert ("# its interval is left out, so it is 100 ms: the receiver left out repetitions" in text) == missing
        assert ("[intervals-unknown]; give the interval (--interval 200ms)" in done.stderr) == missing, done.stderr
        assert ("interval unknown" in done.stdout) == missing
        assert beaconry.call("check", str(profile)).returncode == 0

        given = beaconry.call("clone", str(path), str(profile), "--force", "--interval", "300ms", "--json")
        [cloned] = [json.loads(line) for line in given.stdout.splitlines()]
        assert (cloned["event"], cloned["intervalTicks"]) == ("cloned", 480)
        assert "    interval: 300ms\n" in profile.read_text() and "left out" not in profile.read_text()
    refused = beaconry.call("clone", str(path), str(profile), "--force", "--interval", "1ms")
    assert refused.returncode == 64 and "20ms to 10240ms" in refused.stderr


def test_plot_and_replay_say_that_repetitions_are_missing(room: tuple[str, str], beaconry: Beaconry) -> None:
    for radio, missing in zip(room, (False, True)):
        path = recording(beaconry, radio)
        done = beaconry.call("plot", str(path), "--output", str(beaconry.folder / "chart.svg"), "--force")
        assert done.returncode == 0, done
        assert (f"{path}: its receiver left out repetitions of advertisements" in done.stderr) == missing
        replayed = beaconry.call("scan", "--replay", str(path), "--rate", "max", "--duration", "5s", "--json")
        assert replayed.returncode == 0, replayed
        assert ('"code":"replay-thinned"' in replayed.stdout) == missing, replayed.stdout
        events = beaconry.call("range", "--uuid", UUID, "--radio", radio, "--duration", "3s", "--json")
        (beaconry.folder / "events.json").write_text(events.stdout)
        done = beaconry.call("plot", str(beaconry.folder / "events.json"), "--output", str(beaconry.folder / "chart.svg"), "--force")
        assert (done.returncode, "left out repetitions" in done.stderr) == (0, missing), done


def test_doctor_has_gaps_of_complete_receivers_only(beaconry: Beaconry) -> None:
    host, proxy, radio = start_room(beaconry)
    for via, missing in ((host, False), (proxy, True)):
        done = beaconry.call("doctor", "--radio", radio, "--via", via, "--for", "2s", "--json")
        stages = [each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "stage"]
        received = [each for stage in stages for each in stage["received"]]
        assert received and all(("gaps" in each) != missing for each in received), done


def test_capture_of_a_filtering_scan_has_no_intervals(beaconry: Beaconry, air: Callable[..., tuple[Run, str]]) -> None:
    """A capture has no list of limits; its commands show that the controller filtered."""
    for filters in (False, True):
        capture, profile = beaconry.folder / f"{filters}.btsnoop", beaconry.folder / "clone.yaml"
        run, radio = air(beaconry.profile(PROFILE), "--ephemeral", "--capture", str(capture))
        host = RawHost(int(radio.rpartition(":")[2]))
        host.start()
        assert host.command(0x200B, struct.pack("<BHHBB", 0, 160, 160, 0, 0)) == b"\x00"
        while sum(host.reports.values()) < 8:
            # The kernel restarts a discovery in this way, too; each scan reports an advertiser once if it filters.
            assert host.command(0x200C, bytes([1, filters])) == b"\x00"
            host.listen(0.5 if filters else 3)
            assert host.command(0x200C, b"\x00\x00") == b"\x00"
        host.close()
        assert run.end() == 0
        done = beaconry.call("clone", str(capture), str(profile), "--force")
        assert done.returncode == 0, done
        assert ("interval:" in profile.read_text()) != filters
        assert ("[intervals-unknown]" in done.stderr) == filters, done.stderr
