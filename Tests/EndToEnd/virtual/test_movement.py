# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Receivers and beacons that move on the virtual air: paths, tracks and orbits of profiles."""

from __future__ import annotations

import asyncio
import json
import math
from datetime import datetime
from pathlib import Path

from beaconry import PROFILES, Beaconry, Run
from phone import phone, receive_reports

DOOR = """
profile: walk
beacons:
  - id: door
    device: ibeacon
    position: [0, 0]
    interval: 20ms
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
"""

START, END, SPEED = -6.0, 4.0, 4.0
"""A way along the door, 1 m beside it, in metres and metres per second."""


def expected(seconds: float) -> int:
    """The RSSI at a time on the way there and back: the measured power minus 10 n log10(d), with n = 2."""
    once = (END - START) / SPEED
    phase = seconds % (2 * once)
    x = START + SPEED * phase if phase <= once else END - SPEED * (phase - once)
    return round(-59 - 20 * math.log10(math.hypot(x, 1)))


def moment(text: str) -> float:
    """The seconds of a timestamp since the Unix epoch."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def started(beaconry: Beaconry, profile: Path, *options: str) -> tuple[Run, dict[str, str]]:
    """A run, and Bumble's names of the servers of its receivers."""
    run = beaconry.run(profile, *options, radio="virtual")
    ready = run.wait("radio-ready")
    run.wait("ready")
    return run, {name: server.replace("tcp:", "tcp-client:") for name, server in ready["receivers"].items()}


async def rssi(transport: str) -> set[int]:
    """The RSSI of the advertisements that a host receives."""
    async with phone(transport) as device:
        return {each.rssi for each in await receive_reports(device, 0.5)}


def test_a_receiver_that_passes_a_beacon_has_the_rssi_of_its_distance(beaconry: Beaconry, tmp_path: Path) -> None:
    """Each report has exactly the RSSI of the position at its time on the air, which the capture has."""
    path = f"{{ through: [[{START}, 1], [{END}, 1]], speed: {SPEED}m/s, repeat: true }}"
    profile = beaconry.profile(DOOR + f"receivers:\n  - {{ id: visitor, path: {path} }}\n")
    capture = tmp_path / "walk.btsnoop"
    run, servers = started(beaconry, profile, "--hci-server", "none", "--capture", str(capture))

    async def walk() -> list[int]:
        async with phone(servers["visitor"]) as device:
            return [each.rssi for each in await receive_reports(device, 0, until=lambda reports: len(reports) >= 120)]

    received = asyncio.run(walk())
    assert run.end() == 0
    decoded = beaconry.call("decode", str(capture), "--json").stdout.splitlines()
    reports = [(moment(report["time"]), report["rssi"]) for report in map(json.loads, decoded)]
    assert len(set(received)) > 10
    assert [each for _, each in reports][: len(received)] == received

    def is_start(start: float) -> bool:
        """Whether all reports follow from this start of the air; times have whole milliseconds."""
        return all(
            any(expected(time - start + shift) == rssi for shift in (0, -0.002, 0.002)) for time, rssi in reports
        )

    # There and back takes five seconds.
    starts = [reports[0][0] - number / 1000 for number in range(5000)]
    assert any(map(is_start, starts)), reports[:50]


def test_receivers_have_servers_names_and_places(beaconry: Beaconry) -> None:
    receivers = """
receivers:
  - { id: visitor, position: [2, 0] }
  - { id: guard, position: [0, 10], hci-server: "tcp:127.0.0.1:0" }
  - id: anywhere
"""
    run, servers = started(
        beaconry, beaconry.profile(DOOR + receivers), "--hci-server", "tcp:127.0.0.1:0?name=visitor"
    )
    ready = next(each for each in run.events if each["event"] == "radio-ready")
    assert list(servers) and sorted(servers) == ["anywhere", "guard", "visitor"]
    assert ready["servers"] == [ready["receivers"][name] for name in ("visitor", "guard", "anywhere")]
    for name, value in (("visitor", -65), ("guard", -79), ("anywhere", -59)):
        assert asyncio.run(rssi(servers[name])) == {value}
        run.wait_until_reported("host-joined", host=name)


def test_a_reload_changes_the_motion_of_receivers(beaconry: Beaconry) -> None:
    receivers = "receivers:\n  - { id: visitor, position: [2, 0] }\n  - { id: guard, position: [0, 10] }\n"
    run, servers = started(beaconry, beaconry.profile(DOOR + receivers), "--hci-server", "none")

    async def live() -> list[set[int]]:
        received: list[set[int]] = []

        async def ctl(*arguments: str) -> None:
            done = await asyncio.to_thread(beaconry.call, "ctl", *arguments)
            assert done.returncode == 0, done.stderr
            received.append({each.rssi for each in await receive_reports(device, 0.5)})

        async with phone(servers["visitor"]) as device:
            await ctl("move", "visitor", "3", "4")
            await ctl("reload")
            orbit = "orbit: { centre: [0, 0], radius: 4, period: 1s }"
            beaconry.profile(DOOR + f"receivers:\n  - {{ id: visitor, {orbit} }}\n  - id: other\n")
            await ctl("reload")
        return received

    # An unchanged motion does not bring back a host that was moved.
    assert asyncio.run(live()) == [{-73}, {-73}, {-71}]
    warning = run.wait("warning", code="receivers-not-changed")
    assert warning["message"].endswith(": guard, other")
    assert asyncio.run(rssi(servers["visitor"])) == {-71}
    assert asyncio.run(rssi(servers["guard"])) == {-79}


def test_a_moving_beacon_is_where_it_is_now(beaconry: Beaconry) -> None:
    """The profile that comes with the program."""
    _, servers = started(beaconry, PROFILES / "walk.yaml", "--hci-server", "none", "--ephemeral")
    assert sorted(servers) == ["guard", "visitor"]

    def place() -> tuple[float, float, float]:
        x, y, z = json.loads(beaconry.call("ctl", "show", "turntable", "--json").stdout)["position"]
        return x, y, z

    async def links() -> dict[tuple[str, str], float]:
        async with phone(servers["guard"]) as guard, phone(servers["visitor"], "F0:F1:F2:F3:F4:F6") as visitor:
            await guard.start_scanning()
            await visitor.start_scanning()
            text = (await asyncio.to_thread(beaconry.call, "ctl", "links", "--json")).stdout
        rows = [json.loads(line) for line in text.splitlines()]
        for row in rows:
            assert abs(row["meanRSSI"] + 59 + 20 * math.log10(row["distance"])) < 1e-6, row
        return {(row["from"], row["to"]): row["distance"] for row in rows}

    first, distances, second = place(), asyncio.run(links()), place()
    assert first != second
    for each in (first, second):
        assert abs(math.dist(each, (9, 8, 1)) - 0.5) < 1e-9
    beacons, receivers = ("door", "shelf", "turntable"), ("guard", "visitor")
    assert set(distances) == {(beacon, receiver) for beacon in beacons for receiver in receivers}
    # The guard goes round between 0, -2 and 6, 6.
    assert distances["door", "guard"] <= math.hypot(6, 6)
    assert beaconry.call("ctl", "move", "turntable", "1", "2", "3").returncode == 0
    assert place() == (1, 2, 3)


def test_faults_of_a_track_have_the_line_of_the_file(beaconry: Beaconry) -> None:
    (beaconry.folder / "door.csv").write_text("t,x,y\n0,1,2\n5,far,2\n")
    profile = beaconry.profile(DOOR.replace("position: [0, 0]", "track: door.csv"))
    refused = beaconry.call("check", str(profile))
    assert refused.returncode == 65, refused
    words = 'beacons[0].track: door.csv: line 3: "far" is not a number of metres from -10000 to 10000'
    assert words in refused.stderr, refused
