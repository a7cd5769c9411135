# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A captured run, read by third-party programs."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import CHECKOUT, MAJOR_MINOR, Beaconry, Run
from phone import connected, phone, receive_reports, write
from test_hosts import ENTRANCE, TWO

PDUS = {"ADV_IND", "ADV_NONCONN_IND", "SCAN_RSP"}


def output_of(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


def btmon(file: Path) -> str:
    """The output of Debian 13's btmon, which Scripts/vm/prepare unpacks: Debian 12's crashes on attribute traffic."""
    trixie = CHECKOUT / ".build" / "vm" / "trixie"
    assert trixie.exists(), "run Scripts/vm/prepare .build/vm first"
    shutil.copy(file, trixie / "tmp" / file.name)
    return output_of("chroot", trixie, "btmon", "-r", f"/tmp/{file.name}")


def captured(air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path) -> Path:
    """A capture of advertising, a scan, the configuration sequence of the app, and the end."""
    file = tmp_path / "run.btsnoop"
    run, transport = air(beaconry.profile(TWO), "--capture", str(file))

    async def live() -> None:
        async with phone(transport) as device:
            await receive_reports(device, 1, until=lambda reports: {each.pdu for each in reports} >= PDUS)
            async with connected(device, ENTRANCE) as (_, peer):
                await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
            await receive_reports(device, 1, active=False, until=lambda reports: any(each.address == ENTRANCE for each in reports))

    asyncio.run(live())
    assert run.end() == 0
    return file


@pytest.mark.slow
def test_tshark_and_btmon_read_the_whole_capture(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path
) -> None:
    file = captured(air, beaconry, tmp_path)
    wrong = output_of("tshark", "-r", file, "-Y", "_ws.malformed || _ws.expert.severity == error")
    assert wrong == "", wrong
    frames = output_of("tshark", "-r", file).splitlines()
    assert len(frames) > 100
    assert any("LE Set Extended Advertising Enable" in frame for frame in frames)
    assert any("Write Request" in frame for frame in frames)
    assert not [frame for frame in frames if re.search(r"Unknown (command|event|opcode|subevent)", frame, re.IGNORECASE)]
    text = btmon(file)
    assert "= New Index: " in text
    assert not re.search(r"malformed|invalid packet|unknown (command|event|subevent)", text, re.IGNORECASE), text


def test_decode_prints_the_reports_of_a_capture(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path
) -> None:
    file = captured(air, beaconry, tmp_path)
    reports = [json.loads(line) for line in beaconry.call("decode", str(file), "--json").stdout.splitlines()]
    assert {report["pdu"] for report in reports} == PDUS
    frames = [frame for report in reports if report["address"] == ENTRANCE for frame in report["frames"]]
    assert {(frame["major"], frame["minor"]) for frame in frames} == {(2, 3), (7, 42)}
    cut = tmp_path / "cut.btsnoop"
    cut.write_bytes(file.read_bytes()[:-1])
    decoded = beaconry.call("decode", str(cut), "--json")
    assert decoded.returncode == 0 and "file-cut" in decoded.stdout, decoded


def test_capture_file_that_cannot_be_created_is_refused(beaconry: Beaconry) -> None:
    result = beaconry.call(
        "run", str(beaconry.profile(TWO)), "--radio", "virtual", "--hci-server", "none", "--capture", "/nowhere/file"
    )
    assert result.returncode == 73, result.stderr


def run_to_its_end(beaconry: Beaconry, capture: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    """A short run with a capture."""
    return subprocess.run(
        [
            str(beaconry.binary), "run", str(beaconry.profile(TWO)), "--radio", "virtual", "--hci-server", "none",
            "--ephemeral", "--duration", "100ms", "--capture", str(capture),
        ],
        env=beaconry.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
        **options,
    )  # fmt: skip


def is_capture(path: Path) -> bool:
    data = path.read_bytes()
    return data.startswith(b"btsnoop") and len(data) > 200


@pytest.mark.parametrize("exists", [False, True])
def test_only_its_owner_may_read_the_capture(beaconry: Beaconry, tmp_path: Path, exists: bool) -> None:
    file = tmp_path / "run.btsnoop"
    if exists:
        file.write_bytes(b"x" * 1_000_000)
        file.chmod(0o666)
    done = run_to_its_end(beaconry, file, stdout=subprocess.DEVNULL, umask=0)
    assert done.returncode == 0, done
    assert file.stat().st_mode & 0o777 == 0o600
    assert is_capture(file) and file.stat().st_size < 100_000


def test_capture_follows_no_link(beaconry: Beaconry, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    done = run_to_its_end(beaconry, link, stdout=subprocess.DEVNULL)
    assert done.returncode == 73 and "it is a symbolic link" in done.stderr, done
    assert target.read_text() == "precious"


def test_capture_to_stdout_fifo_or_process_substitution_works(beaconry: Beaconry, tmp_path: Path) -> None:
    output = tmp_path / "output"
    with output.open("wb") as file:
        run_to_its_end(beaconry, "/dev/stdout", stdout=file)
    assert b"btsnoop" in output.read_bytes()

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", str(fifo)], stdout=(tmp_path / "read").open("wb")):
        assert run_to_its_end(beaconry, fifo, stdout=subprocess.DEVNULL).returncode == 0
    assert is_capture(tmp_path / "read")

    script = '"$0" run "$1" --radio virtual --hci-server none --ephemeral --duration 100ms --capture >(cat > "$2"; echo > "$2.end")'
    end = tmp_path / "substituted.end"
    os.mkfifo(end)
    process = subprocess.Popen(
        ["bash", "-c", script, str(beaconry.binary), str(beaconry.profile(TWO)), str(tmp_path / "substituted")],
        env=beaconry.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    end.read_text()
    assert process.wait(300) == 0
    assert is_capture(tmp_path / "substituted")


def test_stalled_reader_of_the_capture_does_not_delay_the_end(beaconry: Beaconry, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    many = "profile: many\nbeacons:\n" + "".join(
        f"  - {{ id: b{number}, device: ibeacon, ibeacon: {{ uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 1, minor: {number} }} }}\n"
        for number in range(40)
    )
    run = beaconry.run(
        beaconry.profile(many), "--hci-server", "none", "--ephemeral", "--capture", str(fifo), radio="virtual"
    )
    run.wait("ready")
    assert run.end(signal.SIGTERM, timeout=300) == 74
    os.close(reader)
    assert "the capture file is incomplete" in run.errors


def test_run_on_a_terminal_shows_a_table(beaconry: Beaconry) -> None:
    """The table is redrawn in place, with device, identity, interval and connections."""
    primary, secondary = pty.openpty()
    environment = {**beaconry.environment, "TERM": "xterm"}
    command = [
        str(beaconry.binary), "run", str(beaconry.profile(TWO)), "--radio", "virtual",
        "--hci-server", "none", "--ephemeral", "--duration", "1s",
    ]  # fmt: skip
    process = subprocess.Popen(command, env=environment, stdin=secondary, stdout=secondary, stderr=secondary)
    os.close(secondary)
    said = b""
    while select.select([primary], [], [], 60)[0]:
        try:
            said += os.read(primary, 65536)
        except OSError:
            break  # the program has ended, which closes the terminal
    assert process.wait(300) == 0
    text = said.decode()
    assert re.search(r"DEVICE +INTERVAL +CONNECTED +MAJOR/MINOR +ADDRESS +IDENTITY", text), text
    assert re.search(r"entrance +100 ms +2/3 +[0-9A-F:]{17} +2173E519-9155-4", text), text
    assert "\x1b[" in text
