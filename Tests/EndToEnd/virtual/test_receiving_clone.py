# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A recording of one air, cloned into a profile, gives the same frames on another air."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import CONFIG_SERVICE, Beaconry, Event, Run

PROFILE = f"""
profile: mixed
beacons:
  - id: shop
    device: iot-design-shop
    ibeacon: {{ uuid: {CONFIG_SERVICE}, major: 40000, minor: 3, measured-power: -61 }}
    address: C0:FF:EE:00:00:01
    name: Shop
  - id: plain
    device: ibeacon
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2, measured-power: -12 }}
    address: C0:FF:EE:00:00:02
    flags: 0x1a
    interval: 152.5ms
  - id: bare
    device: ibeacon
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 3 }}
    address: C0:FF:EE:00:00:03
    flags: none
    name: Bare
  - id: url
    device: raw
    advertising-data: 0201060303aafe0e16aafe10f5036578616d706c6507
    scan-response: "0509 41 42 43 44"
    pdu: ADV_SCAN_IND
    interval: 20ms
    address: C0:FF:EE:00:00:04
  - id: garbage
    device: raw
    advertising-data: 0201061aff4c000215
    pdu: ADV_IND
    interval: 400ms
    address: C0:FF:EE:00:00:05
"""
FIELDS = ("address", "pdu", "advertisingData", "scanResponse", "intervalTicks")


def on_air(run: Run) -> dict[str, list[Any]]:
    """The reported advertisements of a run, by address."""
    started = [event for event in run.events if event["event"] == "advertising-started"]
    return {event["address"]: [event[field] for field in FIELDS] for event in started}


def measured(run: Run) -> dict[str, list[Any]]:
    """The same advertisements as a receiver measures them, with intervals within a tenth."""
    return {
        address: [*fields, pytest.approx(interval, rel=0.1)] for address, (*fields, interval) in on_air(run).items()
    }


def frames(lines: list[Event]) -> set[tuple[str, str, str]]:
    """The addresses, PDU types and bytes in a recording."""
    return {(line["address"], line["pdu"], line["data"]) for line in lines}


def record(beaconry: Beaconry, path: Path, *air: str) -> list[Event]:
    """Records for four seconds."""
    done = beaconry.call("record", str(path), "--duration", "4s", *air)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert "began" in lines[0]
    assert done.stdout == f"{path}: {len(lines) - 1} sightings of 5 devices\n"
    assert not path.with_name(path.name + ".part").exists()
    return lines[1:]


def test_record_clone_and_run_give_the_same_frames(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE)
    first, _ = air(profile, "--ephemeral")
    assert first.end() == 0
    recording, clone = beaconry.folder / "air.jsonl", beaconry.folder / "clone.yaml"
    lines = record(beaconry, recording, "--profile", str(profile), "--rate", "max", "--seed", "7")

    done = beaconry.call("clone", str(recording), str(clone), "--json")
    assert done.returncode == 0, done.stderr
    cloned = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(-100 < event["rssi"] < 0 for event in cloned), cloned
    kinds = {event["address"][-2:]: event["device"] for event in cloned}
    assert kinds == {"01": "iot-design-shop", "02": "ibeacon", "03": "ibeacon", "04": "beacon", "05": "raw"}

    second, _ = air(clone, "--ephemeral")
    assert on_air(second) == measured(first)
    again = record(beaconry, beaconry.folder / "again.jsonl", "--profile", str(clone), "--rate", "max", "--seed", "8")
    assert frames(again) == frames(lines)
    assert len(frames(lines)) == 5 + 4, "five advertisements, and the scan responses of the scannable ones"
    assert second.end() == 0


def wait_until_captured(beaconry: Beaconry, capture: Path) -> None:
    """Waits until a capture has the scan responses, and ten advertisements of each beacon, which show its interval."""
    deadline, counts = time.monotonic() + 300, Counter[tuple[str, bool]]()
    while sum(is_response or count >= 10 for (_, is_response), count in counts.items()) < 5 + 4:
        assert time.monotonic() < deadline, counts
        time.sleep(0.2)
        reports = map(json.loads, beaconry.call("decode", str(capture), "--json").stdout.splitlines())
        counts = Counter((report["address"], report["pdu"] == "SCAN_RSP") for report in reports)


@pytest.mark.slow
def test_capture_is_cloned_too(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    capture, clone = beaconry.folder / "air.btsnoop", beaconry.folder / "clone.yaml"
    first, transport = air(beaconry.profile(PROFILE), "--ephemeral", "--capture", str(capture))
    recorder = beaconry.start("record", str(beaconry.folder / "air.jsonl"), "--radio", transport, "--json")
    wait_until_captured(beaconry, capture)
    assert recorder.end() == 0
    assert first.end() == 0
    done = beaconry.call("clone", str(capture), str(clone))
    assert done.returncode == 0, done.stderr
    assert all(line.endswith(" dBm") for line in done.stdout.splitlines())
    assert "the RSSI is not repeated" in done.stderr
    # The intervals of a capture in real time depend on how evenly the machine runs; the test above compares them.
    assert clone.read_text().count("    interval: ") == 5
    second, _ = air(clone, "--ephemeral")
    assert {address: fields[:-1] for address, fields in on_air(second).items()} == {
        address: fields[:-1] for address, fields in on_air(first).items()
    }


def test_interrupted_recording_is_complete(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE), "--ephemeral")
    path = beaconry.folder / "air.jsonl"
    path.write_text("the previous file")
    refused = beaconry.call("record", str(path), "--radio", transport)
    assert refused.returncode == 73 and "--force" in refused.stderr and path.read_text() == "the previous file"
    for how in (signal.SIGINT, signal.SIGTERM):
        run = beaconry.start("record", str(path), "--force", "--radio", transport, "--json")
        run.wait("listening")
        # Sightings are written many at a time.
        part, deadline = path.with_name(path.name + ".part"), time.monotonic() + 300
        while not (part.exists() and part.stat().st_size > 0):
            assert time.monotonic() < deadline, run.record
            time.sleep(0.05)
        assert run.take(0) == []
        assert path.read_text().startswith("the previous" if how == signal.SIGINT else '{"'), "the file is replaced at the end"
        assert run.end(how) == 0
        summary = run.wait("recorded")
        lines = path.read_text().splitlines()
        assert summary["sightings"] == len(lines) - 1 > 0
        assert all(json.loads(line)["v"] == 1 for line in lines)


def test_invalid_recordings_are_refused(beaconry: Beaconry) -> None:
    path, clone = beaconry.folder / "air.jsonl", beaconry.folder / "clone.yaml"
    head = '{"v":1,"began":"2026-01-01T00:00:00.000Z","radio":"virtual","limits":[]}\n'
    line = '{"v":1,"microseconds":5,"address":"C0:FF:EE:00:00:01","addressType":"random","pdu":"ADV_IND","data":"020106"}\n'
    for text, place in (
        ("", "is empty"), (head, "no advertiser"), (head + line + "{}\n", ":3:"), (head + line[:50], "within line 2"), ("x" * 200_000, ":1:"),
        (head + line.replace("ADV_IND", "ADV"), ":2:"), (head + line.replace("0201", "02010"), ":2:"), ("btsnoop", "ends within its header"),
        (line.replace("random", "odd"), ":1:"), (line.replace(":5,", ":-5,"), ":1:"), ("btsnoop\0" + "\xff" * 50, ""),
    ):  # fmt: skip
        path.write_bytes(text.encode("latin-1"))
        done = beaconry.call("clone", str(path), str(clone))
        assert (done.returncode, place in done.stderr) == (65, True), (text[-60:], done)
        assert not clone.exists()
    path.write_text(line)
    assert beaconry.call("clone", str(path), str(clone)).returncode == 0
    assert beaconry.call("check", str(clone)).returncode == 0
    again = beaconry.call("clone", str(path), str(clone))
    assert again.returncode == 73 and "--force" in again.stderr
    assert beaconry.call("clone", str(path), str(clone), "--force").returncode == 0
    assert beaconry.call("clone", str(path), str(beaconry.folder / "no" / "such.yaml")).returncode == 73
    assert beaconry.call("clone", str(path), str(beaconry.folder / "my shop.yaml")).returncode == 64
    assert beaconry.call("clone", str(beaconry.folder / "none"), str(clone), "--force").returncode == 65
    assert beaconry.call("record", str(beaconry.folder / "no" / "such"), "--radio", "tcp-client:127.0.0.1:1").returncode == 69
