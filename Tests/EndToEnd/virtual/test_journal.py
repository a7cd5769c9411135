# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The journal of a run, and waiting for its events, with a Bumble host as the central."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from beaconry import Beaconry, Run
from phone import connected, phone, write

BEACON = "C0:FF:EE:00:00:01"
PROFILE = f"""
profile: plant
beacons:
  - id: pot
    device: gatt
    address: {BEACON}
    interval: 30ms
    services:
      - uuid: 5A1E0001-8C1D-4E8B-9C55-0D0E8F6A1B01
        characteristics:
          - {{ name: threshold, uuid: 2A6F, properties: [read, write], type: uint8, value: 30 }}
"""

Start = Callable[..., tuple[Run, str]]


async def write_threshold(transport: str, value: int) -> None:
    async with phone(transport) as device, connected(device, BEACON) as (_, peer):
        await write(peer, "2A6F", bytes([value]))


def test_wait_ends_with_the_last_condition(air: Start, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE))
    conditions = ("connected,device=pot", "written,decoded.threshold=50,value=32")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(beaconry.call, "ctl", "wait", *conditions, "--within", "50s", "--json")
        asyncio.run(write_threshold(transport, 50))
        done = waiting.result(60)
    assert done.returncode == 0, done
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["condition"], each["ok"], each["count"], each["near"]) for each in verdicts] == [
        (condition, True, 1, []) for condition in conditions
    ]
    assert verdicts[1]["events"][0]["decoded"] == {"threshold": "50"}
    # What has happened counts, but not before --since.
    again = beaconry.call("ctl", "wait", "written", "--within", "100ms")
    assert (again.returncode, again.stdout) == (0, "met: written (1 event)\n")
    number = verdicts[1]["events"][0]["sequence"]
    assert beaconry.call("ctl", "wait", "written", "--within", "100ms", "--since", str(number)).returncode == 1


def test_unmet_condition_has_the_nearest_events(air: Start, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE))
    asyncio.run(write_threshold(transport, 7))
    began = time.monotonic()
    done = beaconry.call("ctl", "wait", "connected", "written,device=pot,decoded.threshold=8", "--within", "300ms")
    assert time.monotonic() - began > 0.3
    assert done.returncode == 1 and not done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == [
        "met: connected (1 event)", "not met within 300ms: written,device=pot,decoded.threshold=8 (0 events)",
    ]  # fmt: skip
    assert lines[2].startswith("  near: ") and "  written,device=pot," in lines[2] and "decoded.threshold=7" in lines[2]
    # What is printed is a condition that the event meets.
    condition = lines[2].split("  ")[-1]
    assert beaconry.call("ctl", "wait", condition, "--within", "100ms").returncode == 0


def test_absence_is_certain_at_the_time_limit(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    began = time.monotonic()
    assert beaconry.call("ctl", "wait", "connected", "--count", "0", "--within", "500ms").returncode == 0
    assert time.monotonic() - began > 0.5
    # An event that was not to occur ends it early.
    assert beaconry.call("ctl", "wait", "ready", "--count", "0", "--within", "1h").returncode == 1


def test_journal_is_selected_and_cleared(air: Start, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE))
    asyncio.run(write_threshold(transport, 7))
    beaconry.call("ctl", "wait", "disconnected")
    events = [json.loads(line) for line in beaconry.call("ctl", "journal", "--json").stdout.splitlines()]
    numbers = [each["sequence"] for each in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and events[0]["event"] == "radio-ready"
    selected = beaconry.call("ctl", "journal", "--type", "connected", "--type", "written", "--device", "pot").stdout
    assert [line.split("  ")[2].split(",")[0] for line in selected.splitlines()] == ["connected", "written"]
    assert not beaconry.call("ctl", "journal", "--device", "door").stdout
    since = beaconry.call("ctl", "journal", "--since", str(numbers[-2]), "--json").stdout.splitlines()
    assert [json.loads(line) for line in since] == events[-1:]
    assert len(beaconry.call("ctl", "journal", "--since", "1h").stdout.splitlines()) == len(events)
    time.sleep(0.2)
    assert not beaconry.call("ctl", "journal", "--since", "100ms").stdout
    cleared = beaconry.call("ctl", "journal", "--clear", "--json")
    assert [json.loads(line) for line in cleared.stdout.splitlines()] == events
    assert not beaconry.call("ctl", "journal").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("wait", "connected,door"), 64, "write EVENT,KEY=VALUE"),
        (("wait", "connected", "--within", "soon"), 64, "--within: "),
        (("wait", "connected", "--count", "1", "--at-least", "1"), 64, "exclude each other"),
        (("wait", "connected", "--within", "25h"), 65, "at most 24h"),
        (("journal", "--since", "noon"), 64, "neither the number of an event nor a duration"),
    ],
)
def test_wrong_usage(air: Start, beaconry: Beaconry, arguments: tuple[str, ...], code: int, message: str) -> None:
    air(beaconry.profile(PROFILE))
    done = beaconry.call("ctl", *arguments)
    assert done.returncode == code and message in done.stderr, done


def is_socket(file: Path) -> bool:
    """Whether an open file of a process is a socket; it may have been closed meanwhile."""
    try:
        return os.readlink(file).startswith("socket:")
    except OSError:
        return False


def test_end_of_the_run_ends_the_wait(air: Start, beaconry: Beaconry) -> None:
    run, _ = air(beaconry.profile(PROFILE))
    waiting = beaconry.start("ctl", "wait", "connected", "--within", "1h", "--json")
    files = Path(f"/proc/{waiting.process.pid}/fd")
    deadline = time.monotonic() + 60
    while not any(is_socket(file) for file in files.iterdir()):
        assert time.monotonic() < deadline, "it does not connect"
    time.sleep(0.5)
    assert beaconry.call("ctl", "stop").returncode == 0
    assert waiting.exit_code() == 1, waiting.record
    assert run.exit_code() == 0
