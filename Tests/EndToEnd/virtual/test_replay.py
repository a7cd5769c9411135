# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A recording is sent again on the virtual air: addresses, types, data, RSSI and times."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry, Event
from phone import Report, phone, receive_reports

HEAD = {"v": 1, "began": "2026-01-31T12:00:00.000Z", "radio": "virtual", "limits": []}
PDUS = ["ADV_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND"]


def sighting(microseconds: int, address: str, pdu: str, data: str, rssi: int) -> Event:
    """A line of a recording."""
    return {
        "v": 1, "microseconds": microseconds, "address": address, "addressType": "random", "pdu": pdu, "data": data,
        "rssi": rssi,
    }  # fmt: skip


def made_recording(path: Path, seed: int = 7) -> list[Event]:
    """Writes a recording of three seconds with random times, RSSI and data."""
    numbers = random.Random(seed)
    lines, time = [], 0
    while time < 3_000_000:
        number = numbers.randrange(3)
        address, pdu = f"C0:FF:EE:00:00:0{number}", PDUS[number]
        data = "020106" + f"04ff{numbers.randrange(1 << 24):06x}"
        lines.append(sighting(time, address, pdu, data, numbers.randrange(-100, -30)))
        if number < 2 and numbers.random() < 0.5:
            lines.append(sighting(time + 300, address, "SCAN_RSP", f"0509{number:08x}", numbers.randrange(-100, -30)))
        time += numbers.randrange(1_000, 90_000)
    path.write_text("".join(json.dumps(line) + "\n" for line in [HEAD, *lines]))
    return lines


def fields(lines: list[Event]) -> list[tuple[Any, ...]]:
    """What a receiver gets of lines of a recording."""
    return [(line["address"], line["pdu"], bytes.fromhex(line["data"]), line["rssi"]) for line in lines]


def received(transport: str, count: int) -> list[Report]:
    """What a Bumble host receives, until it has this number of reports, and half a second longer."""

    async def receive() -> list[Report]:
        async with phone(transport) as device:
            reports = await receive_reports(device, 0, until=lambda reports: len(reports) >= count)
            return reports + await receive_reports(device, 0.5, until=None)

    return asyncio.run(receive())


def test_a_host_receives_the_recording_with_its_rssi_and_times(beaconry: Beaconry, tmp_path: Path) -> None:
    """The replay begins with the first scan, so nothing is lost; its times are those on the air, which the capture has."""
    recording, capture = tmp_path / "air.jsonl", tmp_path / "air.btsnoop"
    lines = made_recording(recording)
    run = beaconry.start(
        "run", "--replay", str(recording), "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--json",
        "--capture", str(capture),
    )  # fmt: skip
    transport = run.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    assert run.wait("ready")["beacons"] == 0
    reports = received(transport, len(lines))
    assert [(each.address, each.pdu, each.data, each.rssi) for each in reports] == fields(lines)
    assert run.end() == 0

    decoded = map(json.loads, beaconry.call("decode", str(capture), "--json").stdout.splitlines())
    times = [datetime.fromisoformat(each["time"].replace("Z", "+00:00")).timestamp() for each in decoded]
    assert len(times) == len(lines)
    for time, line in zip(times, lines, strict=True):
        assert time - times[0] == pytest.approx(line["microseconds"] / 1e6, abs=0.0021)


def test_a_profile_runs_beside_a_replay_that_is_recorded_again(beaconry: Beaconry, tmp_path: Path) -> None:
    """A replay of what `record` has written is received by our own host, too; the beacons of the profile are not affected."""
    recording, again = tmp_path / "air.jsonl", tmp_path / "again.jsonl"
    lines = made_recording(recording, seed=8)
    museum = str(PROFILES / "museum.yaml")
    options = ("--ephemeral", "--rate", "max", "--duration", "1s", "--hci-server", "none")
    run = beaconry.run(museum, *options, radio="virtual")
    run.wait("stopping")
    beacons = {event["address"] for event in run.events if event["event"] == "advertising-started"}
    air = ("--profile", museum, "--replay", str(recording), "--rate", "max")
    done = beaconry.call("record", str(again), "--duration", "8s", *air)
    assert done.returncode == 0, done.stderr
    recorded = [json.loads(line) for line in again.read_text().splitlines()[1:]]
    replayed = [line for line in recorded if line["address"].startswith("C0:FF:EE:00:00")]
    assert fields(replayed) == fields(lines)
    assert beacons and beacons <= {line["address"] for line in recorded}
    assert run.exit_code() == 0


def test_a_link_override_changes_the_recorded_rssi(beaconry: Beaconry, tmp_path: Path) -> None:
    """Each advertiser has its address as its name on the air."""
    recording = tmp_path / "air.jsonl"
    lines = made_recording(recording)
    run = beaconry.run(
        PROFILES / "museum.yaml", "--ephemeral", "--replay", str(recording), "--hci-server",
        "tcp:127.0.0.1:0?name=phone", radio="virtual",
    )  # fmt: skip
    transport = run.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    run.wait("ready")

    async def receive() -> list[Report]:
        async with phone(transport) as device:
            done = await asyncio.to_thread(
                beaconry.call, "ctl", "link", "C0:FF:EE:00:00:01", "phone", "--loss", "10"
            )
            assert done.returncode == 0, done.stderr
            return await receive_reports(device, 0, until=lambda reports: len(rssi(reports)) == len(expected))

    def rssi(reports: list[Report]) -> list[int]:
        return [each.rssi for each in reports if each.address == "C0:FF:EE:00:00:01"]

    expected = [line["rssi"] - 10 for line in lines if line["address"] == "C0:FF:EE:00:00:01"]
    assert rssi(asyncio.run(receive())) == expected


@pytest.mark.parametrize(
    ("text", "options", "code", "words"),
    [
        (json.dumps(HEAD) + "\nnonsense\n", ("--radio", "virtual"), 65, ":2: this is not a line of a recording"),
        ("", ("--radio", "virtual"), 65, "is empty"),
        (json.dumps(HEAD) + "\n", ("--radio", "tcp-client:127.0.0.1:1"), 64, "--replay-loop need --radio virtual"),
    ],
)
def test_a_recording_that_cannot_be_sent_is_an_error(
    beaconry: Beaconry, tmp_path: Path, text: str, options: tuple[str, ...], code: int, words: str
) -> None:
    """It is read as a whole before anything is on the air."""
    (tmp_path / "bad.jsonl").write_text(text)
    done = beaconry.call("run", "--replay", str(tmp_path / "bad.jsonl"), *options)
    assert done.returncode == code
    assert words in done.stderr and done.stdout == ""


def test_the_end_of_a_replay_is_reported(beaconry: Beaconry, tmp_path: Path) -> None:
    """In real time by the run, and in virtual time by the command that receives it."""
    recording = tmp_path / "air.jsonl"
    lines = [sighting(number * 20_000, "C0:FF:EE:00:00:01", "ADV_NONCONN_IND", "020106", -60) for number in range(5)]
    recording.write_text("".join(json.dumps(line) + "\n" for line in [HEAD, *lines]))
    run = beaconry.start("run", "--replay", str(recording), "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--json")
    transport = run.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    run.wait("ready")
    assert len(received(transport, 5)) == 5
    assert run.wait("replay-ended")["packets"] == 5
    assert run.end() == 0

    again = tmp_path / "again.jsonl"
    options = ("--replay", str(recording), "--rate", "max", "--duration", "1s", "--json")
    done = beaconry.call("record", str(again), *options)
    assert done.returncode == 0, done.stderr
    assert [line["packets"] for line in map(json.loads, done.stdout.splitlines()) if line["event"] == "replay-ended"] == [5]
    assert len(again.read_text().splitlines()) == 1 + 5

    done = beaconry.call("record", str(again), "--force", *options, "--replay-loop")
    assert done.returncode == 0, done.stderr
    assert "replay-ended" not in done.stdout
    times = [json.loads(line)["microseconds"] for line in again.read_text().splitlines()[1:]]
    # The pause is the mean time between two packets.
    assert {late - early for early, late in zip(times, times[1:])} == {20_000} and len(times) > 45

    done = beaconry.call("record", str(again), "--force", "--replay-loop")
    assert done.returncode == 64 and "--replay-loop" in done.stderr


def test_run_without_profile_needs_a_recording(beaconry: Beaconry) -> None:
    """A recording takes the place of the profiles."""
    done = beaconry.call("run")
    assert done.returncode == 64 and "Missing expected argument '<profiles> ...'" in done.stderr
