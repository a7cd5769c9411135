# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry dbus`: a command beside beacons, with a bus of its own."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from beaconry import BINARY, PATIENCE, Beaconry

PROFILE = "profile: test\nbeacons: [{ id: one, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }]\n"


@pytest.fixture(autouse=True)
def temporary_folder(beaconry: Beaconry) -> Path:
    """A folder for the temporary files of the program, whose contents a test can check."""
    folder = beaconry.runtime / "tmp"
    folder.mkdir()
    beaconry.environment["TMPDIR"] = str(folder)
    return folder


def test_command_has_the_bus_standard_output_and_its_exit_code(beaconry: Beaconry, temporary_folder: Path) -> None:
    profile = beaconry.profile(PROFILE)
    script = 'echo "$DBUS_SYSTEM_BUS_ADDRESS"; "$0" ctl list --json; exit 7'
    result = beaconry.call("dbus", str(profile), "--ephemeral", "--", "sh", "-c", script, str(BINARY))
    address, listed = result.stdout.splitlines()[:2]
    assert address.startswith(f"unix:path={temporary_folder}/") and "one" in listed
    assert result.returncode == 7, result.stderr
    assert result.stderr == ""
    assert list(temporary_folder.iterdir()) == []


def test_programs_see_the_beacons(beaconry: Beaconry) -> None:
    script = """
import asyncio
from bleak import BleakScanner

async def main():
    found = asyncio.Event()
    def seen(device, data):
        if 76 in data.manufacturer_data:
            print(data.manufacturer_data[76].hex())
            found.set()
    async with BleakScanner(seen):
        await asyncio.wait_for(found.wait(), 300)

asyncio.run(main())
"""
    result = beaconry.call(
        "dbus", str(beaconry.profile(PROFILE)), "--ephemeral", "--rssi-threshold", "0", "--", sys.executable, "-c", script
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("0215e2c56db5dffb48d2b060d0f5a71096e0")


def test_signal_that_ends_the_command_is_in_the_exit_code(beaconry: Beaconry) -> None:
    assert beaconry.call("dbus", "--", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_sent_to_the_command(beaconry: Beaconry, number: signal.Signals) -> None:
    trap = f"trap 'echo got it; exit 3' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [str(BINARY), "dbus", "--", "sh", "-c", trap], env=beaconry.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True,
        # A shell that started the tests in the background has made them ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.read() == "got it\n"
        assert process.wait(PATIENCE) == 3
    finally:
        process.kill()
        process.wait()


def test_missing_command_is_127_and_one_that_is_not_executable_126(beaconry: Beaconry) -> None:
    missing = beaconry.call("dbus", "--", "no-such-command")
    assert missing.returncode == 127 and "there is no command no-such-command" in missing.stderr
    plain = beaconry.folder / "plain"
    plain.write_text("text\n")
    refused = beaconry.call("dbus", "--", str(plain))
    assert refused.returncode == 126 and "chmod +x" in refused.stderr
    plain.chmod(plain.stat().st_mode | stat.S_IXUSR)
    plain.write_text("#!/no/such/interpreter\n")
    broken = beaconry.call("dbus", "--", str(plain))
    assert broken.returncode == 126 and "cannot be executed" in broken.stderr


def test_missing_daemon_has_a_hint(beaconry: Beaconry) -> None:
    beaconry.environment["PATH"] = str(beaconry.folder)
    result = beaconry.call("dbus", "--", "/bin/true")
    assert result.returncode == 69 and "apt install dbus-daemon" in result.stderr


def test_unreachable_bus_is_an_error(beaconry: Beaconry) -> None:
    result = beaconry.call("dbus", "--bus", "unix:path=/nonexistent/bus", "--", "true")
    assert result.returncode == 69 and "/nonexistent/bus" in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--radio", "bluez"], ["--rate", "max"], ["--bus", "nonsense"], ["--adapters", "0"]])
def test_impossible_options_are_usage_errors(beaconry: Beaconry, arguments: list[str]) -> None:
    assert beaconry.call("dbus", *arguments, "--", "true").returncode == 64


def test_address_is_printed_without_a_command(beaconry: Beaconry, temporary_folder: Path) -> None:
    process = subprocess.Popen(
        [str(BINARY), "dbus"], env=beaconry.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line.startswith("export DBUS_SYSTEM_BUS_ADDRESS='unix:path=")
        address = line.split("'")[1]
        taken = beaconry.call("dbus", "--bus", address, "--", "true")
        assert taken.returncode == 69 and "org.bluez" in taken.stderr
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    assert list(temporary_folder.iterdir()) == []


def test_bus_ends_with_a_killed_program(beaconry: Beaconry) -> None:
    run = beaconry.start("dbus", "--json")
    socket = run.wait("bus-ready")["address"].removeprefix("unix:path=")
    run.kill()
    deadline = time.monotonic() + PATIENCE
    while _has_listener(socket):
        assert time.monotonic() < deadline, "the daemon is still there"
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT])
def test_command_and_folder_end_with_a_killed_program(
    beaconry: Beaconry, temporary_folder: Path, how: signal.Signals
) -> None:
    # Where Swift is installed, SIGQUIT prints a backtrace and the process continues.
    beaconry.environment["SWIFT_BACKTRACE"] = "enable=off"
    number = temporary_folder.parent / "number"
    run = beaconry.start("dbus", "--", "sh", "-c", f"echo $$ > {number}.new; mv {number}.new {number}; exec sleep 1000")
    deadline = time.monotonic() + PATIENCE
    while not number.exists():
        assert time.monotonic() < deadline, "the command has not started"
        time.sleep(0.05)
    assert run.end(how) == -how
    command = Path("/proc") / number.read_text().strip()
    while command.exists() or any(temporary_folder.iterdir()):
        assert time.monotonic() < deadline + PATIENCE, "something is left"
        time.sleep(0.05)


def test_folder_of_a_bus_whose_shell_was_killed_is_removed_by_the_next(beaconry: Beaconry, temporary_folder: Path) -> None:
    left = temporary_folder / "beaconry-dbus-abcdef"
    left.mkdir()
    for name in ("bus.conf", "bus.lock"):
        (left / name).touch()
    result = beaconry.call("dbus", "--ephemeral", "--", "ls", str(temporary_folder))
    assert len(result.stdout.split()) == 1 and left.name not in result.stdout
    assert list(temporary_folder.iterdir()) == []


def _has_listener(path: str) -> bool:
    """Whether a process listens on a Unix socket."""
    return any(line.split()[-1] == path for line in Path("/proc/net/unix").read_text().splitlines()[1:])


def test_end_of_the_bus_ends_the_run(beaconry: Beaconry, temporary_folder: Path) -> None:
    run = beaconry.start("dbus", "--json")
    run.wait("bus-ready")
    configuration = next(temporary_folder.rglob("bus.conf"))
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"dbus-daemon") and f"--config-file={configuration}".encode() in words:
            os.kill(int(process.parent.name), signal.SIGKILL)
    assert run.exit_code() == 74
    assert "the bus has ended" in run.errors
