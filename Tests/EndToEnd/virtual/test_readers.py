# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Readers of standard output that close it or stall, and full disks."""

from __future__ import annotations

import array
import fcntl
import json
import os
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry, Run

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"""
profile: town
beacons:
  - id: door
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}
"""
PHONE = """
phone: iphone
notifications: [{ id: message, category: social, app: com.apple.MobileSMS, title: Robert, message: Are you coming? }]
"""
PIPE = 4096  # the smallest that the kernel supports

Town = tuple[Run, str]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def town(air: Callable[..., Town], beaconry: Beaconry) -> Town:
    return air(beaconry.profile(PROFILE, "town.yaml"), "--ephemeral")


@pytest.fixture
def start(beaconry: Beaconry) -> Iterator[Start]:
    """Starts the program with a small pipe as standard output, which is not read unless the test does."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, prefix: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*prefix, str(beaconry.binary), *arguments], env=beaconry.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PIPE)
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait(300)


def wait_until_full(process: subprocess.Popen[bytes]) -> None:
    """Waits until the next line does not fit into the pipe."""
    assert process.stdout
    waiting, last, since = array.array("i", [0]), -1, time.monotonic()
    deadline = time.monotonic() + 300
    while waiting[0] < PIPE // 2 or time.monotonic() - since < 2:
        assert time.monotonic() < deadline, f"{waiting[0]} bytes wait"
        fcntl.ioctl(process.stdout, termios.FIONREAD, waiting)
        if waiting[0] != last:
            last, since = waiting[0], time.monotonic()
        time.sleep(0.02)


def wait_until_halted(process: subprocess.Popen[bytes]) -> None:
    """Waits until all threads are stopped (proc(5))."""
    deadline = time.monotonic() + 300
    threads = Path(f"/proc/{process.pid}/task")
    while {(thread / "stat").read_text().rpartition(")")[2].split()[0] for thread in threads.iterdir()} != {"T"}:
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Some of these print nothing after their first lines: they must end even so.
@pytest.mark.parametrize(
    "command",
    [
        ["scan"], ["scan", "--duplicates"], ["range"], ["seek"], ["monitor"], ["ctl", "events"],
        ["phone"], ["record"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_command_ends_with_its_reader(town: Town, beaconry: Beaconry, start: Start, command: list[str]) -> None:
    arguments = [*command, "--json"]
    if command[0] == "monitor":
        regions = beaconry.profile(f"regions: [{{ identifier: shop, uuid: {UUID} }}]", "regions.yaml")
        arguments += [str(regions), "--ephemeral", "--no-ranging"]
    if command[0] == "phone":
        arguments += [str(beaconry.profile(PHONE, "phone.yaml")), "--ephemeral"]
    if command[0] == "record":
        arguments += [str(beaconry.folder / "town.jsonl")]
    if command[0] != "ctl":
        arguments += ["--radio", town[1]]
    process = start(*arguments)
    if command[0] == "ctl":
        # It prints nothing when it listens; a later event will do.
        assert process.stdout
        while not select.select([process.stdout], [], [], 0.2)[0]:
            for word in ("disable", "enable"):
                assert beaconry.call("ctl", word, "door").returncode == 0
    assert process.stdout and process.stderr
    assert json.loads(process.stdout.readline())["v"] == 1
    process.stdout.close()
    assert process.wait(300) == -signal.SIGPIPE
    assert process.stderr.read() == b""
    if command[0] == "record":
        assert (beaconry.folder / "town.jsonl").read_text().startswith('{"began"'), "the recording is saved"


def test_shell_sees_sigpipe(town: Town, beaconry: Beaconry) -> None:
    script = '"$0" scan --json --radio "$1" | grep -m1 heard; echo "${PIPESTATUS[@]}"'
    done = subprocess.run(
        ["bash", "-c", script, str(beaconry.binary), town[1]], env=beaconry.environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[1:] == ["141 0"], done
    assert done.stderr == ""


def test_run_continues_without_its_reader(beaconry: Beaconry, start: Start) -> None:
    process = start(
        "run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--json"
    )
    assert process.stdout and process.stderr
    while json.loads(process.stdout.readline())["event"] != "ready":
        pass
    process.stdout.close()
    for word in ("disable", "enable"):
        assert beaconry.call("ctl", word, "door").returncode == 0
    process.terminate()
    assert process.wait(300) == 0
    assert process.stderr.read() == b""


# MARK: - Readers that stall


def stalled_run(beaconry: Beaconry, start: Start, *options: str, prefix: tuple[str, ...] = ()) -> "subprocess.Popen[bytes]":
    process = start(
        "run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--hci-server", "none", "--ephemeral", *options,
        prefix=prefix,
    )  # fmt: skip
    socket = beaconry.runtime / "beaconry" / "test.sock"
    deadline = time.monotonic() + 300
    while beaconry.call("ctl", "list").returncode != 0:
        assert time.monotonic() < deadline, socket
    for number in range(8):
        # The output is not read, and every command is answered all the same.
        done = beaconry.call("ctl", "set", "door", f"major={number}", timeout=300)
        assert done.returncode == 0, done
    return process


@pytest.mark.slow
@pytest.mark.parametrize("prefix", [(), ("taskset", "-c", "0")], ids=["", "one processor"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_run_ends_although_its_reader_stalls(
    beaconry: Beaconry, start: Start, how: signal.Signals, prefix: tuple[str, ...]
) -> None:
    process = stalled_run(beaconry, start, "--json", prefix=prefix)
    wait_until_full(process)
    process.send_signal(how)
    assert process.wait(300) == 74
    assert process.stderr
    assert b"the reader of standard output has stopped reading" in process.stderr.read()
    assert list((beaconry.runtime / "beaconry").iterdir()) == []


def test_stop_is_answered_when_the_run_has_ended(beaconry: Beaconry, start: Start) -> None:
    process = stalled_run(beaconry, start, "--json")
    wait_until_full(process)
    done = beaconry.call("ctl", "stop", timeout=300)
    assert (done.returncode, done.stdout) == (0, "stopped\n")
    # The socket closes at the end; the process has only to exit.
    assert process.wait(300) == 74


def test_slow_reader_receives_everything(beaconry: Beaconry, start: Start) -> None:
    process = stalled_run(beaconry, start, "--json")
    wait_until_full(process)
    # The reader continues when the run is to end. The run waits two seconds for it, which a busy machine may exceed, so
    # the run is halted until the pipe is empty: what it has not written yet fits.
    process.send_signal(signal.SIGSTOP)
    wait_until_halted(process)
    process.terminate()
    assert process.stdout
    waiting = os.read(process.stdout.fileno(), PIPE)
    process.send_signal(signal.SIGCONT)
    rest = process.stdout.read()
    events = [json.loads(line)["event"] for line in (waiting + rest).splitlines()]
    assert events[-1] == "stopping" and len(rest) < PIPE
    assert process.wait(300) == 0


def test_scan_ends_although_its_reader_stalls(town: Town, start: Start) -> None:
    process = start("scan", "--duplicates", "--json", "--radio", town[1])
    wait_until_full(process)
    process.terminate()
    assert process.wait(300) == 74
    assert process.stderr and b"the reader of standard output has stopped reading" in process.stderr.read()


# MARK: - A full disk


def full(beaconry: Beaconry, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    with Path("/dev/full").open("w") as disk:
        return subprocess.run(
            [str(beaconry.binary), *arguments], env=beaconry.environment, stdin=subprocess.DEVNULL, stdout=disk,
            stderr=subprocess.PIPE, text=True, timeout=timeout, check=False,
        )  # fmt: skip


COMMANDS = [
    ["encode", "ibeacon", "--uuid", UUID], ["decode", "020106", "--json"], ["check", "PROFILE"], ["radios"], ["--help"],
    ["--version"], ["scan", "--help"], ["ctl", "list"], ["ctl", "show", "door", "--json"], ["ctl", "reload"],
    ["reset", "town/door"], ["monitor", "add", "shop", "--uuid", UUID], ["scan", "--radio", "AIR"],
    ["range", "--json", "--radio", "AIR"], ["expect", "--uuid", UUID, "--within", "50s", "--radio", "AIR"],
    ["clone", "RECORDING", "clone.yaml"],
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_results_that_cannot_be_written_are_an_error(town: Town, beaconry: Beaconry, command: list[str]) -> None:
    recording = beaconry.folder / "town.jsonl"
    if "RECORDING" in command:
        virtual = ("--profile", str(beaconry.folder / "town.yaml"), "--rate", "max")
        assert beaconry.call("record", str(recording), "--duration", "3s", *virtual).returncode == 0
    if "town/door" in command:
        (beaconry.state / "beaconry" / "town").mkdir(parents=True)
    names = {
        "PROFILE": str(beaconry.folder / "town.yaml"), "AIR": town[1], "RECORDING": str(recording),
        "clone.yaml": str(beaconry.folder / "clone.yaml"),
    }  # fmt: skip
    done = full(beaconry, *(names.get(word, word) for word in command))
    assert done.returncode == 74, done
    last = done.stderr.splitlines()[-1]
    assert last.startswith("beaconry: cannot write to standard output: No space left on device"), done.stderr
    assert done.stderr.count("cannot write") == 1


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_run_reports_lost_events_and_continues(beaconry: Beaconry, options: list[str]) -> None:
    ready = beaconry.folder / "ready"
    with Path("/dev/full").open("w") as disk:
        process = subprocess.Popen(
            [
                str(beaconry.binary), "run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--hci-server", "none",
                "--ephemeral", "--ready-file", str(ready), *options,
            ],
            env=beaconry.environment, stdin=subprocess.DEVNULL, stdout=disk, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    deadline = time.monotonic() + 300
    while not ready.exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    assert beaconry.call("ctl", "disable", "door").returncode == 0
    process.terminate()
    assert process.wait(300) == 74
    assert process.stderr
    words = process.stderr.read().splitlines()
    assert words[0].startswith("warning: cannot write to standard output: No space left on device")
    assert words[-1].startswith("beaconry: cannot write to standard output: No space left on device")
    assert "lost)" in words[-1]
