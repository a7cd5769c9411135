# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A receiver within a run receives what a host of another process at the same place receives."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from beaconry import PATIENCE, Beaconry
from phone import phone, receive_reports

# Both walk on the same path. Nothing is left to chance, which depends on the names of receivers. In all, fewer packets are sent
# than the run keeps for a client of the stream that is behind (1,024): none is lost on a busy machine.
HALL = """
profile: hall
physics: { exponent: 2.2 }
defaults: { device: ibeacon, interval: 250ms, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1 } }
beacons:
  - { id: "b-{n:2}", count: 20, ibeacon: { minor: 1..20 }, grid: { columns: 5, spacing: 4m } }
receivers:
  - { id: host, path: &walk { through: [[1, 1], [30, 9], [1, 1]], speed: 8m/s, repeat: true }, hci-server: "tcp:127.0.0.1:0" }
  - { id: phone, path: *walk, phone: exact, scan: { active: false } }
"""
PACKETS = int(os.environ.get("BEACONRY_COMPARED_PACKETS", "500"))
Received = dict[tuple[str, str], list[int]]


def contains(whole: list[int], part: list[int]) -> bool:
    """Whether a list has another one as consecutive elements."""
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def received(file: Path) -> Received:
    """The RSSI of the packets in a stream so far, in order, by address and data."""
    found: Received = defaultdict(list)
    for line in file.read_bytes().split(b"\n")[:-1]:
        if line.startswith(b"data:"):
            record = json.loads(line[5:])
            assert "lost" not in record, "the stream was read too slowly"
            found[record["address"], record["data"]].append(record["rssi"])
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_packets_are_those_of_a_host_on_the_same_path(beaconry: Beaconry, tmp_path: Path) -> None:
    run = beaconry.run(
        beaconry.profile(HALL), "--ephemeral", "--http", "127.0.0.1:0", "--hci-server", "none", "--seed", "7", radio="virtual"
    )
    url = run.wait("http-ready")["url"]
    server = run.wait("radio-ready")["receivers"]["host"]
    run.wait("ready")
    stream = tmp_path / "stream"
    # Not a thread of this process, which Bumble keeps busy: it must not fall behind.
    with stream.open("wb") as output:
        curl = subprocess.Popen(["curl", "-sN", f"{url}/v1/receivers/phone/advertisements"], stdout=output)
    wait_until(lambda: len(received(stream)) == 20)

    async def receive() -> Received:
        async with phone(server.replace("tcp:", "tcp-client:", 1)) as device:
            reports = await receive_reports(device, 0, active=False, until=lambda reports: len(reports) >= PACKETS)
        found = defaultdict(list)
        for report in reports:
            found[report.address, report.data.hex()].append(report.rssi)
        return found

    theirs = asyncio.run(receive())
    assert len({rssi for values in theirs.values() for rssi in values}) > 20, "they did not walk"
    # A packet behind those that were on their way when Bumble had enough: the stream has all that were before it.
    for words in (("disable", "b-*"), ("set", "b-01", "major=2"), ("enable", "b-01")):
        assert beaconry.call("ctl", *words).returncode == 0
    wait_until(lambda: len(received(stream)) == 21)
    curl.kill()
    curl.wait()
    ours = received(stream)
    assert set(theirs) < set(ours) and len(theirs) == 20
    for each, values in theirs.items():
        assert contains(ours[each], values), (values, ours[each])
