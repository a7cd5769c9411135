# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The journal of a run, and waiting for its events, with a Bumble host as the central."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from beaconry import BINARY, Beaconry, Run
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
        waiting = pool.submit(beaconry.call, "ctl", "wait", *conditions, "--within", "300s", "--json")
        asyncio.run(write_threshold(transport, 50))
        done = waiting.result(600)
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
    # These are the last events, in any order.
    for condition in (("disconnected",), ("host-left",), ("advertising-started", "--at-least", "2")):
        assert beaconry.call("ctl", "wait", *condition, "--within", "300s").returncode == 0
    events = [json.loads(line) for line in beaconry.call("ctl", "journal", "--json").stdout.splitlines()]
    numbers = [each["sequence"] for each in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and events[0]["event"] == "radio-ready"
    selected = beaconry.call("ctl", "journal", "--type", "connected", "--type", "written", "--device", "pot").stdout
    assert [line.split("  ")[2].split(",")[0] for line in selected.splitlines()] == ["connected", "written"]
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
        (("wait", "conected", "--count", "0"), 64, 'there is no event "conected"; did you mean "connected"?'),
        (("wait", "connected,devise=pot", "--count", "0"), 64, 'events have no "devise"; did you mean "device"?'),
        (("wait", "connected,device=pto", "--count", "0"), 64, 'there is no beacon "pto"; did you mean "pot"? beacons are pot'),
        (("wait", "scan-started,host=phone", "--count", "0"), 64, 'there is no host "phone"; hosts are host'),
        (("journal", "--type", "writen"), 64, 'there is no event "writen"; did you mean "written"?'),
        (("journal", "--device", "pto"), 64, 'there is no beacon "pto"; did you mean "pot"?'),
    ],
)
def test_wrong_usage(air: Start, beaconry: Beaconry, arguments: tuple[str, ...], code: int, message: str) -> None:
    air(beaconry.profile(PROFILE))
    done = beaconry.call("ctl", *arguments)
    assert done.returncode == code and message in done.stderr, done


def test_names_that_may_appear_or_were_there_are_accepted(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    absent = ("--count", "0", "--within", "100ms")
    later = beaconry.call("ctl", "wait", "connected,device=lamp", "scan-started,host=phone", *absent, "--may-appear")
    assert later.returncode == 0, later
    assert beaconry.call("ctl", "receiver", "add", "phone").returncode == 0
    for host in ("phone", "phone-2", "host", "host-3", "pho*"):
        assert beaconry.call("ctl", "wait", f"scan-started,host={host}", *absent).returncode == 0
    lamp = "{ device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1 } }"
    assert beaconry.call("ctl", "put", "lamp", lamp).returncode == 0
    assert beaconry.call("ctl", "wait", "advertising-started,device=lamp", "--within", "300s").returncode == 0
    assert beaconry.call("ctl", "remove", "lamp").returncode == 0
    stopped = ("advertising-stopped,device=lamp", "device=la*")
    assert beaconry.call("ctl", "wait", *stopped, "--within", "300s").returncode == 0


def test_entry_of_a_beacon_may_be_in_a_file_or_on_standard_input(air: Start, beaconry: Beaconry) -> None:
    air(beaconry.profile(PROFILE))
    entry = "device: ibeacon\nibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1 }\n"
    file = beaconry.profile(entry, "lamp.yaml")
    put = beaconry.call("ctl", "put", "lamp", str(file))
    # The radio may not have reported it yet.
    assert put.returncode == 0 and put.stdout in [f"lamp: ibeacon of profile plant, {state}\n" for state in ("starting", "on")], put
    command = [str(BINARY), "ctl", "put", "sign", "-"]
    piped = subprocess.run(command, env=beaconry.environment, input=entry, capture_output=True, text=True, timeout=300, check=False)
    # The radio may not have reported it yet.
    assert piped.returncode == 0 and piped.stdout in [f"sign: ibeacon of profile plant, {state}\n" for state in ("starting", "on")], piped
    wrong = beaconry.profile(entry.replace("major", "mayor"), "wrong.yaml")
    refused = beaconry.call("ctl", "put", "lamp", str(wrong), "--json")
    assert refused.returncode == 65 and refused.stderr.startswith(f"{wrong}:2:"), refused
    assert json.loads(refused.stdout)["file"] == str(wrong)
    missing = beaconry.call("ctl", "put", "lamp", "missing.yaml")
    assert missing.returncode == 65 and missing.stderr.startswith("missing.yaml: error: there is no such file"), missing


def test_unknown_names_are_listed_up_to_ten(air: Start, beaconry: Beaconry) -> None:
    beacons = "".join(
        f"  - {{ id: b{number}, device: ibeacon, ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: {number} }} }}\n"
        for number in range(30)
    )
    air(beaconry.profile(f"profile: shop\nbeacons:\n{beacons}"))
    ten = ", ".join(f"b{number}" for number in range(10))
    for command in (("show", "nope"), ("remove", "nope"), ("wait", "connected,device=nope")):
        refused = beaconry.call("ctl", *command)
        assert refused.stderr == f'beaconry: there is no beacon "nope"; beacons are {ten} and 20 more\n', refused
    assert beaconry.call("ctl", "reload").stdout == f"reloaded: unchanged {ten} and 20 more\n"


class Relay(socketserver.BaseRequestHandler):
    """A connection to a control socket, whose answers the test sees as they arrive."""

    def handle(self) -> None:
        assert isinstance(self.server, RelayServer)
        with socket.socket(socket.AF_UNIX) as run:
            run.connect(str(self.server.control))
            threading.Thread(target=self._ask, args=(run,), daemon=True).start()
            while answer := run.recv(65536):
                self.server.answers.put(answer)
                self.request.sendall(answer)

    def _ask(self, run: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while request := self.request.recv(65536):
                run.sendall(request)


class RelayServer(socketserver.ThreadingUnixStreamServer):
    """A socket in front of a control socket."""

    daemon_threads = True

    def __init__(self, path: Path, control: Path) -> None:
        super().__init__(str(path), Relay)
        self.control = control
        self.answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()


def test_end_of_the_run_ends_the_wait(air: Start, beaconry: Beaconry) -> None:
    run, _ = air(beaconry.profile(PROFILE))
    path = beaconry.runtime / "relay.sock"
    with RelayServer(path, beaconry.runtime / "beaconry" / "plant.sock") as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        waiting = beaconry.start("ctl", "wait", "connected", "--within", "1h", "--json", "--control", str(path))
        # The answer begins when the run waits; its content is the verdict.
        assert relay.answers.get(timeout=300).startswith(b"HTTP/1.1 200 ")
        assert beaconry.call("ctl", "stop").returncode == 0
        assert waiting.exit_code() == 1, waiting.record
        relay.shutdown()
    assert run.exit_code() == 0
