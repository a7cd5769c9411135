# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Files that are refused: too large, or not regular files."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from beaconry import Beaconry

LIMIT = 1 << 20
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def beacons(count: int) -> str:
    """Beacons with lines of 200 bytes each, so that a cut after 1 MiB can fall between two of them."""
    line = "  - {{ id: b{0}, device: ibeacon, ibeacon: {{ uuid: {1}, major: {2}, minor: {3} }} }} #"
    return "".join(line.format(number, UUID, number // 256, number % 256).ljust(199, "x") + "\n" for number in range(count))


def oversized(head: str, body: str = "") -> str:
    """A text that is complete within the first MiB, and continues after it."""
    text = head + body
    assert len(text) < LIMIT
    return text + "#" * (LIMIT - len(text) - 1) + "\n" + "# the rest\n"


PROFILE = "profile: big\nbeacons:\n" + beacons(1)
REGIONS = f"regions:\n  - {{ identifier: shop, uuid: {UUID} }}\n"
PLAN = "beacons:\n  - { beacon: F0:F1:F2:F3:F4:F5, major: 7 }\n"
PHONE = "phone: iphone\nnotifications: [{ id: m, category: social, app: com.apple.MobileSMS, title: Robert }]\n"


@pytest.mark.parametrize(
    "command,text",
    [
        (["check"], PROFILE),
        (["run", "--radio", "virtual", "--hci-server", "none", "--duration", "1ms"], PROFILE),
        (["monitor", "--radio", "tcp-client:127.0.0.1:1"], REGIONS),
        (["manage", "apply", "--radio", "tcp-client:127.0.0.1:1"], PLAN),
        (["phone", "--radio", "tcp-client:127.0.0.1:1"], PHONE),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_file_that_is_too_large_is_refused(beaconry: Beaconry, command: list[str], text: str) -> None:
    file = beaconry.profile(oversized(text))
    done = beaconry.call(*command[:2], str(file), *command[2:]) if command[0] == "manage" else beaconry.call(
        command[0], str(file), *command[1:]
    )
    assert done.returncode == 65, done
    assert f"its size is {file.stat().st_size} bytes, and the limit is {LIMIT} bytes" in done.stderr


def test_profile_is_not_cut_between_two_beacons(beaconry: Beaconry) -> None:
    text = "profile: big\nbeacons:\n" + "#".ljust(199 - 22, "x") + "\n" + beacons(6243)
    assert text[LIMIT - 1] != "\n" or len(text) > LIMIT
    done = beaconry.call("check", str(beaconry.profile(text)))
    assert (done.returncode, done.stdout) == (65, ""), done


def test_trace_that_is_too_large_is_refused(beaconry: Beaconry) -> None:
    trace = beaconry.folder / "trace.csv"
    rows = "".join(f"{number:>9},{20.5:>9}\n" for number in range(LIMIT // 20))
    trace.write_text(rows + "garbage\n" * 20)
    profile = beaconry.profile("""
profile: traced
beacons:
  - id: meter
    device: gatt
    services:
      - uuid: 181A
        characteristics: [{ name: level, uuid: 2A6E, type: int16, properties: [read], trace: { file: trace.csv } }]
""")
    done = beaconry.call("check", str(profile))
    assert done.returncode == 65, done
    assert f"the limit is {LIMIT} bytes" in done.stderr, done.stderr


def test_saved_regions_that_are_too_large_are_refused(beaconry: Beaconry) -> None:
    assert beaconry.call("monitor", "add", "shop", "--uuid", UUID).returncode == 0
    saved = beaconry.state / "beaconry" / ".monitor" / "saved.json"
    before = saved.read_text() + " " * LIMIT
    saved.write_text(before)
    done = beaconry.call("monitor", "add", "hall", "--uuid", UUID)
    assert done.returncode == 65 and f"the limit is {LIMIT} bytes" in done.stderr, done
    assert saved.read_text() == before


@pytest.mark.parametrize("name", ["profile", "state"])
def test_fifo_is_refused_at_once(beaconry: Beaconry, name: str) -> None:
    fifo = beaconry.folder / f"{name}.fifo"
    profile = beaconry.profile("profile: big\nbeacons: [{ id: b0, device: iot-design-shop }]\n")
    if name == "state":
        fifo = beaconry.state / "beaconry" / "big" / "b0.json"
        fifo.parent.mkdir(parents=True, mode=0o700)
    os.mkfifo(fifo)
    run = ["run", str(profile), "--radio", "virtual", "--hci-server", "none", "--duration", "1ms"]
    done = beaconry.call(*(["check", str(fifo)] if name != "state" else run), timeout=300)
    assert done.returncode == (74 if name == "state" else 65), done
    assert "it is a FIFO, not a regular file" in done.stderr


@pytest.mark.parametrize("option", ["--control", "--hci-server unix:"])
def test_file_in_the_place_of_a_socket_is_refused_and_stays(beaconry: Beaconry, option: str) -> None:
    file = beaconry.folder / "notes.txt"
    file.write_text("notes")
    others = [] if option.startswith("--hci-server") else ["--hci-server", "none"]
    words = [option, str(file)] if " " not in option else [option.split()[0], option.split()[1] + str(file)]
    profile = beaconry.profile(PROFILE)
    done = beaconry.call("run", str(profile), "--radio", "virtual", "--ephemeral", "--duration", "1s", *words, *others)
    assert done.returncode == 73 and f"{file}" in done.stderr and "a file that is no socket has this path" in done.stderr, done
    assert file.read_text() == "notes"


def test_profile_that_becomes_a_fifo_does_not_stop_the_run(beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE)
    run = beaconry.run(profile, "--hci-server", "none", "--ephemeral", radio="virtual")
    run.wait("ready")
    profile.unlink()
    os.mkfifo(profile)
    done = beaconry.call("ctl", "reload", timeout=300)
    assert done.returncode == 65 and "it is a FIFO, not a regular file" in done.stderr, done
    assert beaconry.call("ctl", "list", timeout=300).returncode == 0
    assert run.end(signal.SIGTERM) == 0


@pytest.mark.slow
def test_list_of_many_beacons_is_printed_whole(beaconry: Beaconry) -> None:
    run = beaconry.run(
        beaconry.profile("profile: big\nbeacons:\n" + beacons(900)), "--hci-server", "none", "--ephemeral", radio="virtual"
    )
    run.wait("ready")
    done = beaconry.call("ctl", "list", "--json")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 1 << 16, "the list is too short for this test"
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [f"b{number}" for number in range(900)]
    assert run.end() == 0
