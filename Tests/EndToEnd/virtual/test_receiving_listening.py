# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Commands that listen: scan, range, seek, calibrate, expect; the air is another process."""

from __future__ import annotations

import json
import os
import pty
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from beaconry import CONFIG_SERVICE, Beaconry, Event, Run, ibeacon, service_list

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
UNUSED = "74278BDA-B644-4520-8F0C-720EAF059935"
OTHER = "5A4BCFCE-174E-4BAC-A814-092E77F6B7E5"
PROFILE = f"""
# a room
profile: room
beacons:
  - id: near        # beside the receiver
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }}   # as it was bought
    address: C0:FF:EE:00:00:01
  - id: far
    device: iot-design-shop
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 2, measured-power: -40 }}
    address: C0:FF:EE:00:00:02
    name: Far
  - id: other
    device: ibeacon
    ibeacon: {{ uuid: {OTHER}, major: 7, minor: 7, measured-power: -59 }}
    address: C0:FF:EE:00:00:03
  - id: thermometer
    device: raw
    advertising-data: 02010603031a18051603184142
    address: C0:FF:EE:00:00:04
  - id: page
    device: raw
    advertising-data: 0303aafe0e16aafe10f500666f6f0a6578616d
    address: C0:FF:EE:00:00:05
"""

Air = Callable[..., tuple[Run, str]]
DISTANCES = {1: 2, 2: 14.1, 3: 0.1}
"""The distances of beacons, in metres, that give them the RSSI of the powers that `room` sets: -65, -63 and -39 dBm."""


@pytest.fixture
def virtual(beaconry: Beaconry) -> tuple[str, ...]:
    """Options of commands: the profile above around the receiver, in virtual time."""
    text = PROFILE
    for number, distance in DISTANCES.items():
        address = f"address: C0:FF:EE:00:00:0{number}\n"
        text = text.replace(address, f"{address}    position: [{distance}, 0]\n")
    return "--profile", str(beaconry.profile(text, "virtual.yaml")), "--rate", "max", "--seed", "7", "--position", "0,0"


@pytest.fixture
def room(air: Air, beaconry: Beaconry) -> tuple[Run, str]:
    """The profile above on an air, with powers that make the beacons appear near, far and immediate."""
    run, transport = air(beaconry.profile(PROFILE, "room.yaml"), "--ephemeral")
    for beacon, power in {"near": -6, "far": -23, "other": 20}.items():
        assert beaconry.call("ctl", "set", beacon, f"tx-power={power}").returncode == 0
    return run, transport


def android(rssi: float, power: float) -> str:
    """The distance by the curve of the Android Beacon Library."""
    ratio = rssi / power
    return f"{ratio**10 if ratio < 1 else 0.42093 * ratio**6.9476 + 0.54992:.2f}"


def objects(output: str) -> list[Event]:
    """The JSON lines of an output, each of version 1."""
    events = [json.loads(line) for line in output.splitlines()]
    assert all(event["v"] == 1 for event in events)
    return events


# MARK: scan


def scanned(beaconry: Beaconry, virtual: tuple[str, ...], *options: str) -> list[Event]:
    """The output of two seconds of scanning."""
    done = beaconry.call("scan", *virtual, "--duration", "2s", "--json", *options)
    assert done.returncode == 0, done.stderr
    return [event for event in objects(done.stdout) if event["event"] == "heard"]


def numbers(events: list[Event]) -> set[int]:
    """The last bytes of the addresses."""
    return {int(event["address"][-2:], 16) for event in events}


def test_scan_prints_only_news(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    received = scanned(beaconry, virtual)
    assert numbers(received) == {1, 2, 3, 4, 5}
    assert len(received) == 6, "the scan response of the scannable one, too, and no repetition"
    near = next(event for event in received if event["address"].endswith("01"))
    assert near["advertisingData"] == ibeacon(UUID, 1, 1).hex() and near["pdu"] == "ADV_NONCONN_IND"
    assert near["frames"] == [{"format": "ibeacon", "uuid": UUID, "major": 1, "minor": 1, "measuredPower": -59}]
    assert near["addressType"] == "random" and near["rssi"] == -65 and "scanResponse" not in near
    far = [event for event in received if event["address"].endswith("02")][-1]
    assert far["scanResponse"].startswith(service_list(CONFIG_SERVICE).hex()) and far["name"] == "Far"
    assert far["services"] == [CONFIG_SERVICE.upper()]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--services", "1809"], set()), (["--services", "181A"], {4}), (["--services", "181A", CONFIG_SERVICE], {2, 4}),
        (["--services", CONFIG_SERVICE, "--passive"], set()), (["--formats", "ibeacon"], {1, 2, 3}),
        (["--min-rssi", "-60"], {3, 4, 5}), (["--min-rssi", "-60dBm", "--formats", "ibeacon"], {3}), (["--name", "fA"], {2}),
        (["--formats", "eddystone-url"], {5}), (["--formats", "eddystone"], {5}), (["--formats", "ibeacon,eddystone-url"], {1, 2, 3, 5}),
    ],
)  # fmt: skip
def test_scan_filters_devices(
    virtual: tuple[str, ...], beaconry: Beaconry, options: list[str], expected: set[int]
) -> None:
    assert numbers(scanned(beaconry, virtual, *options)) == expected


def test_scan_prints_duplicates_on_request(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    received = scanned(beaconry, virtual, "--duplicates", "--passive")
    assert len(received) > 60 and not any(event["pdu"] == "SCAN_RSP" for event in received)


def test_scan_prints_lines_or_a_table(room: tuple[Run, str], beaconry: Beaconry) -> None:
    lines = subprocess.Popen(
        [str(beaconry.binary), "scan", "--radio", room[1], "--formats", "ibeacon"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=beaconry.environment, text=True,
    )  # fmt: skip
    assert lines.stdout and lines.stderr and "listening on tcp-client:" in lines.stderr.readline()
    text = ""
    while not all(f"C0:FF:EE:00:00:0{number} (random)" in text for number in (1, 2, 3)):
        text += lines.stdout.readline()
    lines.send_signal(signal.SIGINT)
    assert lines.wait(300) == 0
    assert f"C0:FF:EE:00:00:01 (random)  -65 dBm  ADV_NONCONN_IND  ibeacon {UUID} major 1 minor 1" in text
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [str(beaconry.binary), "scan", "--radio", room[1]], stdout=terminal, stderr=subprocess.PIPE,
        env={**beaconry.environment, "TERM": "xterm"},
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    while not all(part in shown for part in (b"5 devices on tcp-client:", b"ibeacon 1/2 ", b"ADDRESS", b"\x1b[")):
        shown += os.read(control, 65536)
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 0


# MARK: range and seek


def test_range_sorts_by_proximity(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    done = beaconry.call("range", *virtual, "--duration", "1s")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"Immediate\n  Major: 7, Minor: 7, Acc: {android(-39, -59)}m  -39 dBm  {OTHER}\n"
        f"Near\n  Acc: {android(-52, -52)}m  -52 dBm  eddystone-url http://www.foo.netexam\n  Major: 1, Minor: 1, Acc: {android(-65, -59)}m  -65 dBm  {UUID}\n"
        f"Far\n  Major: 1, Minor: 2, Acc: {android(-63, -40)}m  -63 dBm  {UUID}\n"
    )


@pytest.mark.parametrize(("command", "event"), [("range", "ranged"), ("seek", "sought")])
@pytest.mark.parametrize("duration", ["1s", "400ms"])
def test_last_report_comes_at_the_end(
    virtual: tuple[str, ...], beaconry: Beaconry, command: str, event: str, duration: str
) -> None:
    done = beaconry.call(command, "--uuid", UUID, *virtual, "--duration", duration, "--json")
    assert (done.returncode, [each["event"] for each in objects(done.stdout)]) == (0, ["listening", event]), done


def test_range_prints_json(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    options = ("--uuid", UUID, "--major", "1", "--duration", "2s", "--json", "--model", "log-distance")
    report = objects(beaconry.call("range", *virtual, *options).stdout)[-1]
    assert [beacon["minor"] for beacon in report["beacons"]] == [1, 2]
    near, far = report["beacons"]
    assert (near["proximity"], far["proximity"]) == ("near", "far")
    assert near["accuracy"] == pytest.approx(10 ** (6 / 20), rel=0.01) and far["accuracy"] == pytest.approx(10 ** (23 / 20), rel=0.01)
    assert 8 <= near["packets"] <= 11 and near["rssi"] == -65


def test_range_drops_a_beacon_that_is_off(room: tuple[Run, str], beaconry: Beaconry) -> None:
    run = beaconry.start("range", "--uuid", UUID, "--major", "1", "--radio", room[1], "--json")
    run.wait("ranged", where=lambda event: [beacon["minor"] for beacon in event["beacons"]] == [1, 2])
    assert beaconry.call("ctl", "disable", "near").returncode == 0
    run.wait("ranged", where=lambda event: [beacon["minor"] for beacon in event["beacons"]] == [2], timeout=300)
    assert run.end(signal.SIGINT) == 0


def test_range_names_what_was_received_instead(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    done = beaconry.call("range", "--uuid", UNUSED, *virtual, "--duration", "1s")
    (line,) = done.stdout.splitlines()
    assert line.startswith("No Beacons Found; received instead: ") and f"{UUID} 1/1" in line, done
    reports = [
        json.loads(beaconry.call("range", "--uuid", uuid, *virtual, "--duration", "1s", "--json").stdout.splitlines()[-1])
        for uuid in (UNUSED, UUID)
    ]
    assert reports[0]["beacons"] == [] and reports[0]["message"] == line.removeprefix("No Beacons Found; ")
    assert reports[1]["beacons"] and "message" not in reports[1]


def test_seek_gets_warmer(room: tuple[Run, str], virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    run = beaconry.start("seek", "--uuid", UUID, "--radio", room[1], "--json")
    cool = run.wait("sought", where=lambda event: event.get("nearest", {}).get("minor") == 1)
    assert cool["nearest"]["minor"] == 1 and 0.4 < cool["warmth"] < 0.7
    assert run.end() == 0
    done = beaconry.call("seek", "--uuid", OTHER, *virtual, "--duration", "1s")
    assert done.stdout == f"cold [{'#' * 30}] hot  {android(-39, -59)} m\n"
    done = beaconry.call("seek", *virtual, "--duration", "1s")
    assert done.stdout == f"cold [{'#' * 30}] hot  {android(-39, -59)} m\n", "the nearest of all"
    done = beaconry.call("seek", "--uuid", UNUSED, *virtual, "--duration", "1s")
    assert done.stdout == "No Beacons Found\n"


# MARK: calibrate


def test_calibrate_writes_the_profile_in_place(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE, "room.yaml")
    profile.chmod(0o640)
    done = beaconry.call(
        "calibrate", "--uuid", UUID, "--major", "1", "--minor", "1", "--duration", "2s", "--write", str(profile), *virtual
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("measured power -65 dBm, from ") and done.stdout.endswith(f"wrote measured-power -65 for \"near\" to {profile}\n")
    assert "50 %\n" in done.stderr
    assert profile.read_text() == PROFILE.replace("minor: 1, measured-power: -59 }   #", "minor: 1, measured-power: -65 }   #")
    assert stat.S_IMODE(profile.stat().st_mode) == 0o640


def test_calibrate_does_not_cut_a_large_profile(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    """The first MiB would be a valid profile, too: lines of 200 bytes, with a cut between two of them."""
    head = f"profile: large\nbeacons:\n  - {{ id: b, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }} }}\n"
    line = "  - {{ id: b{0}, device: ibeacon, ibeacon: {{ uuid: {1}, major: 9, minor: {0} }} }} #"
    lines = "".join(line.format(number, UUID).ljust(199, "x") + "\n" for number in range(6000))
    text = head + "#" * (((1 << 20) - len(head)) % 200 - 1) + "\n" + lines
    assert text[(1 << 20) - 1] == "\n"
    profile = beaconry.profile(text, "large.yaml")
    done = beaconry.call(
        "calibrate", "--uuid", UUID, "--major", "1", "--minor", "1", "--duration", "1s", "--write", str(profile), *virtual
    )
    assert profile.read_text() == text, f"{len(text)} bytes have become {profile.stat().st_size}"
    assert done.returncode == 65 and f"its size is {len(text)} bytes" in done.stderr, done


def test_calibrate_reports_failures(room: tuple[Run, str], virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    def calibrate(*options: str) -> tuple[int, str]:
        done = beaconry.call("calibrate", "--duration", "1s", *virtual, *options)
        return done.returncode, done.stderr.splitlines()[-1]

    code, words = calibrate("--uuid", UUID)
    assert code == 1 and words.startswith("beaconry: more than one beacon was received, ")
    code, words = calibrate("--uuid", UUID, "--major", "9")
    assert code == 1 and words.startswith("beaconry: no beacon of this kind was received")
    code, words = calibrate("--uuid", UUID, "--major", "1", "--minor", "2", "--write", "none.yaml")
    assert code == 65 and "no such file" in words
    other = beaconry.profile("profile: p\nbeacons:\n  - { id: a, device: iot-design-shop }\n", "other.yaml")
    code, words = calibrate("--uuid", UUID, "--major", "1", "--minor", "2", "--write", str(other))
    assert code == 65 and "no beacon has" in words
    run = beaconry.start("calibrate", "--uuid", OTHER, "--radio", room[1], "--json")
    run.wait("listening")
    assert run.take(0.5) == []
    assert run.end(signal.SIGINT) == 1
    assert run.wait("calibration-failed")["code"] == "cancelled"


# MARK: expect


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--uuid", UUID], 0, "received 1 advertisement of "), (["--uuid", UUID, "--major", "1", "--minor", "2", "--present"], 0, ""),
        (["--uuid", UUID, "--major", "2"], 1, "none with major 2"), (["--uuid", UUID, "--absent"], 1, "expected no "),
        (["--uuid", UUID, "--major", "2", "--absent"], 0, "received no "), (["--uuid", OTHER, "--proximity", "immediate"], 0, ""),
        (["--uuid", OTHER, "--proximity", "far"], 1, "none in far proximity"), (["--uuid", OTHER, "--count", "5"], 0, ""),
        (["--uuid", OTHER, "--count", "500"], 1, "received only "), (["--uuid", UUID, "--count", "2", "--beacons"], 0, "2 beacons"),
        ([], 0, "received 1 advertisement of "), (["--major", "7"], 0, f"{OTHER} major 7 minor 7"),
        (["--major", "9"], 1, "expected 1 advertisement of any iBeacon major 9 "),
        (["--uuid", UUID, "--uuid", OTHER, "--count", "3", "--beacons"], 0, f"3 beacons of {UUID} or {OTHER} within"),
        (["--uuid", UNUSED, "--uuid", OTHER, "--major", "7"], 0, f"{OTHER} major 7 minor 7"),
        (["--service", "181A"], 0, "of C0:FF:EE:00:00:04"), (["--name", "F*", "--rssi", "..-90"], 1, "none at -90 dBm or less"),
        (["--name", "Far", "--count", "2"], 0, "received 2 advertisements of "), (["--name", "far"], 1, 'none named "far"'),
        (["--service", "181A", "--service", "180F"], 1, "none with service 180F; nearest miss: C0:FF:EE:00:00:04"),
        (["--address", "C0:FF:EE:00:00:05", "--absent"], 1, "but received 1 advertisement of C0:FF:EE:00:00:05"),
        (["--format", "eddystone", "--field", "url=http://www.foo*", "--rssi", "-70.."], 0, "C0:FF:EE:00:00:05 eddystone-url"),
        (["--format", "eddystone-url", "--field", "url=http://bar*"], 1, "none with url http://bar*"),
        (["--field", "major=2..9", "--distance", "..1000"], 0, f"{OTHER} major 7 minor 7"),
        (["--name", "Far", "--characteristic", "2A00", "--value", "466172"], 0, "read 466172 of 2A00 of C0:FF:EE:00:00:02"),
        (["--name", "Far", "--characteristic", "2A00", "--value", "46"], 1, "but it is 466172"),
        (["--name", "Far", "--characteristic", "2A77", "--value", "46"], 1, "it has no such characteristic"),
        (["--event", "connected", "--event", "disconnected"], 1, "the run had 0 events disconnected"),
        (["--event", "connected"], 1, "the run had 0 events connected"),
    ],
)  # fmt: skip
def test_expect_waits_for_its_condition(
    virtual: tuple[str, ...], beaconry: Beaconry, options: list[str], code: int, words: str
) -> None:
    done = beaconry.call("expect", *options, "--within", "5s", *virtual)
    assert (done.returncode, done.stdout.count("\n")) == (code, max(1, options.count("--event"))), done
    assert words in done.stdout


def test_expect_reports_json_and_interruption(
    room: tuple[Run, str], virtual: tuple[str, ...], beaconry: Beaconry
) -> None:
    done = beaconry.call("expect", "--uuid", UUID, "--within", "300s", "--radio", room[1], "--json")
    assert [event["event"] for event in objects(done.stdout)] == ["listening", "verdict"]
    verdict = objects(done.stdout)[1]
    assert verdict["fulfilled"] is True and verdict["count"] == 1 and 0 <= verdict["elapsed"] < 50
    frame = {"address", "format", "major", "measuredPower", "minor", "uuid"}
    assert frame <= verdict["nearest"].keys() <= frame | {"name"} and verdict["nearest"]["uuid"] == UUID
    assert verdict["rssi"] < 0 < verdict["distance"]
    events = ("--event", "advertising-started,device=near", "--event", "ready", "--within", "300s")
    done = beaconry.call("expect", *events, "--radio", room[1])
    assert (done.returncode, done.stdout.count("\n")) == (0, 2) and "1 event ready" in done.stdout, done
    done = beaconry.call("expect", "--major", "9", "--within", "1s", *virtual, "--json")
    missed = objects(done.stdout)[1]
    assert (done.returncode, missed["fulfilled"], missed["count"], missed["elapsed"]) == (1, False, 0, 1)
    assert frame <= missed["nearest"].keys() <= frame | {"name"} and missed["rssi"] < 0 < missed["distance"]
    run = beaconry.start("expect", "--uuid", UUID, "--absent", "--major", "9", "--within", "60s", "--radio", room[1], "--json")
    run.wait("listening")
    assert run.end(signal.SIGTERM) == 1
    assert "stopped before the time limit" in run.errors


EXPECTATIONS = f"""
expect:
  - advertisement: {{ uuid: {UUID}, major: 1 }}
    count: 2
    beacons: true
  - advertisement: {{ name: Far }}
    value: {{ characteristic: 2A00, hex: 466172 }}
  - event: advertising-started,device=far
  - advertisement: {{ uuid: {UNUSED} }}
    absent: true
    within: 500ms
  - advertisement: {{ name: Nowhere }}
    within: 500ms
"""


def test_a_file_of_expectations_has_a_verdict_each_and_a_junit_file(virtual: tuple[str, ...], beaconry: Beaconry) -> None:
    file, junit = beaconry.profile(EXPECTATIONS, "expectations.yaml"), beaconry.folder / "results.xml"
    arguments = ("expect", str(file), "--within", "5s", *virtual, "--junit", str(junit))
    done = beaconry.call(*arguments)
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and len(lines) == 5, done
    assert [line.split(": ")[0] for line in lines] == [
        *(f"passed {file}:{number}" for number in (3, 6, 8, 9)), f"FAILED {file}:12"]  # fmt: skip
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("5", "1")
    cases = {case.get("line"): (case.get("name"), case.find("failure")) for case in suite}
    assert cases["6"] == ('value 466172 of 2A00 of any device named "Far"', None)
    assert cases["9"] == (f"no advertisement of {UNUSED}", None)
    name, failure = cases["12"]
    assert name == '1 advertisement of any device named "Nowhere"' and failure is not None
    assert 'none named "Nowhere"' in str(failure.get("message"))
    verdicts = [event for event in objects(beaconry.call(*arguments, "--json").stdout) if event["event"] == "verdict"]
    assert [(verdict["line"], verdict["fulfilled"]) for verdict in verdicts] == [(3, True), (6, True), (8, True), (9, True), (12, False)]
    assert verdicts[2]["events"][0]["device"] == "far"


def test_events_of_a_run_count_without_own_connections_and_since(room: tuple[Run, str], beaconry: Beaconry) -> None:
    """A connection that reads the value for another expectation is none of the app under test."""
    (radio, file) = (("--radio", room[1]), beaconry.profile("""
expect:
  - advertisement: { name: Far }
    value: { characteristic: 2A00, hex: 466172 }
  - event: connected,device=far
    within: 2s
""", "own.yaml"))  # fmt: skip
    done = beaconry.call("expect", str(file), "--within", "300s", *radio)
    assert done.returncode == 1, done
    assert [line.split(f" {file}")[0] for line in done.stdout.splitlines()] == ["passed", "FAILED"]
    room[0].wait("connected", device="far")
    met = beaconry.call("expect", "--event", "connected,device=far", "--within", "300s")
    assert met.returncode == 0, met
    # Only what follows: nothing connects any more.
    last = json.loads(beaconry.call("ctl", "journal", "--json").stdout.splitlines()[-1])["sequence"]
    for since in (str(last), "1ms"):
        assert beaconry.call("expect", "--event", "connected,device=far", "--within", "100ms", "--since", since).returncode == 1
    unknown = beaconry.call("expect", "--event", "connected,device=fra", "--within", "100ms")
    assert (unknown.returncode, 'there is no beacon "fra"; did you mean "far"?' in unknown.stderr) == (64, True), unknown
    assert beaconry.call("expect", "--event", "connected,device=fra", "--within", "100ms", "--may-appear").returncode == 1
    absent = beaconry.profile("expect:\n  - { event: \"connected,device=fra\", absent: true, within: 100ms, may-appear: true }\n", "absent.yaml")
    assert beaconry.call("expect", str(absent)).returncode == 0


def test_expect_that_is_not_met_names_the_beacons_that_are_missing(room: tuple[Run, str], beaconry: Beaconry) -> None:
    unmet = ("expect", "--name", "Nowhere", "--within", "100ms", "--radio", room[1])
    assert "beacons-missing" not in beaconry.call(*unmet).stderr
    beaconry.call("ctl", "battery", "far", "flat")
    done = beaconry.call(*unmet)
    assert done.returncode == 1 and "far (flat battery) [beacons-missing]" in done.stderr, done
    done = beaconry.call("expect", "--event", "connected,device=far", "--within", "100ms")
    assert done.returncode == 1 and "far (flat battery) [beacons-missing]" in done.stderr, done
    done = beaconry.call("expect", "--event", "connected,device=far", "--within", "100ms", "--json")
    assert [record["code"] for record in objects(done.stdout) if record["event"] == "warning"] == ["beacons-missing"]


# MARK: usage


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["expect", "--event", "conected", "--within", "1s"], 64, '--event: there is no event "conected"; did you mean "connected"?'),
        (["expect", "--event", "ready", "--since", "noon", "--within", "1s"], 64, "--since: "),
        (["expect", "--uuid", UUID], 64, "--within"), (["expect", "--minor", "1", "--within", "5s"], 64, "--minor needs a major number"),
        (["expect", "--uuid", UUID, "--present", "--absent", "--within", "1s"], 64, "exclude each other"),
        (["expect", "--uuid", "12", "--within", "1s"], 64, "--uuid: \"12\" is not a UUID"),
        (["expect", "--uuid", UUID, "--within", "soon"], 64, "--within: "), (["expect", "--uuid", UUID, "--count", "0", "--within", "1s"], 64, "--count"),
        (["expect", "--major", "1", "--format", "altbeacon", "--within", "1s"], 64, "are of iBeacons, not of altbeacon"),
        (["expect", "--rssi", "-40..-70", "--within", "1s"], 64, "--rssi: "), (["expect", "--format", "odd", "--within", "1s"], 64, "--format: "),
        (["expect", "--field", "url", "--within", "1s"], 64, "--field: "), (["expect", "--field", "a=1", "--field", "a=2", "--within", "1s"], 64, "--field a is given twice"),
        (["expect", "--characteristic", "2A19", "--within", "1s"], 64, "--characteristic and --value need each other"),
        (["expect", "--event", "=", "--within", "1s"], 64, "--event: "), (["expect", "none.yaml", "--major", "1"], 64, "a file has all expectations"),
        (["expect", "none.yaml"], 65, "none.yaml"),
        (["range", "--uuid", UUID, "--minor", "1"], 64, "--minor needs a major number"), (["range", "--model", "mine"], 64, "--model: "),
        (["range", "--near", "0.1"], 64, "--immediate and --near"), (["range", "--major", "65536", "--uuid", UUID], 64, "--major: "),
        (["scan", "--services", "Battery"], 64, "--services: "), (["scan", "--formats", "ibeacon,odd"], 64, "no format \"odd\""),
        (["scan", "--min-rssi", "loud"], 64, "--min-rssi: "), (["scan", "--duration", "5"], 64, "--duration: "),
        (["scan", "--radio", "tcp-client:127.0.0.1:1"], 69, "no controller answers at tcp-client:127.0.0.1:1"),
        (["seek", "--radio", "odd"], 64, "is not a radio"),
    ],
)  # fmt: skip
def test_wrong_usage_is_reported(beaconry: Beaconry, arguments: list[str], code: int, words: str) -> None:
    done = beaconry.call(*arguments)
    assert done.returncode == code and words in done.stderr, done


@pytest.mark.parametrize("command", ["scan", "range", "seek", "calibrate", "expect", "record", "clone"])
def test_help_has_an_example(beaconry: Beaconry, command: str) -> None:
    done = beaconry.call(command, "--help")
    assert done.returncode == 0 and f"Example: beaconry {command}" in done.stdout
    assert "--json" in done.stdout


def test_end_of_the_air_ends_a_listener(room: tuple[Run, str], beaconry: Beaconry) -> None:
    run = beaconry.start("range", "--radio", room[1], "--json")
    run.wait("ranged")
    assert room[0].end() == 0
    assert run.exit_code() == 69
    assert run.errors.startswith("beaconry: ")
