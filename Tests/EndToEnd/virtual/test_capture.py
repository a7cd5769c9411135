# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A captured run, as others read it."""

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
from phone import connected, hear, phone, write
from test_hosts import ENTRANCE, TWO


def output_of(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def btmon(file: Path) -> str:
    """The one of Debian 13, which Scripts/vm/prepare unpacks: that of Debian 12 crashes on attribute traffic."""
    trixie = CHECKOUT / ".build" / "vm" / "trixie"
    assert trixie.exists(), "run Scripts/vm/prepare .build/vm first"
    shutil.copy(file, trixie / "tmp" / file.name)
    return output_of("chroot", trixie, "btmon", "-r", f"/tmp/{file.name}")


def captured(air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path) -> Path:
    """Advertising, a scan, the configuration app's sequence, and the end."""
    file = tmp_path / "run.btsnoop"
    run, transport = air(beaconry.profile(TWO), "--capture", str(file))

    async def live() -> None:
        async with phone(transport) as device:
            await hear(device, 1)
            async with connected(device, ENTRANCE) as (_, peer):
                await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
            await hear(device, 1, active=False)

    asyncio.run(live())
    assert run.end() == 0
    return file


def test_tshark_and_btmon_read_all_of_it(
    air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path
) -> None:
    file = captured(air, beaconry, tmp_path)
    wrong = output_of("tshark", "-r", file, "-Y", "_ws.malformed || _ws.expert.severity == error")
    assert wrong == "", wrong
    frames = output_of("tshark", "-r", file).splitlines()
    assert len(frames) > 200
    assert any("LE Set Extended Advertising Enable" in frame for frame in frames)
    assert any("Write Request" in frame for frame in frames)
    assert not [frame for frame in frames if re.search(r"Unknown (command|event|opcode|subevent)", frame, re.IGNORECASE)]
    text = btmon(file)
    assert "= New Index: " in text
    assert not re.search(r"malformed|invalid packet|unknown (command|event|subevent)", text, re.IGNORECASE), text


def test_decode_tells_its_reports(air: Callable[..., tuple[Run, str]], beaconry: Beaconry, tmp_path: Path) -> None:
    file = captured(air, beaconry, tmp_path)
    reports = [json.loads(line) for line in beaconry.call("decode", str(file), "--json").stdout.splitlines()]
    assert {report["pdu"] for report in reports} == {"ADV_IND", "ADV_NONCONN_IND", "SCAN_RSP"}
    frames = [frame for report in reports if report["address"] == ENTRANCE for frame in report["frames"]]
    assert {(frame["major"], frame["minor"]) for frame in frames} == {(2, 3), (7, 42)}
    cut = tmp_path / "cut.btsnoop"
    cut.write_bytes(file.read_bytes()[:-1])
    assert beaconry.call("decode", str(cut)).returncode == 65


def test_a_capture_that_cannot_be(beaconry: Beaconry) -> None:
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
        env=beaconry.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=30, check=False,
        **options,
    )  # fmt: skip


def is_capture(path: Path) -> bool:
    data = path.read_bytes()
    return data.startswith(b"btsnoop") and len(data) > 200


@pytest.mark.parametrize("exists", [False, True])
def test_only_its_owner_may_read_it(beaconry: Beaconry, tmp_path: Path, exists: bool) -> None:
    file = tmp_path / "run.btsnoop"
    if exists:
        file.write_bytes(b"x" * 1_000_000)
        file.chmod(0o666)
    done = run_to_its_end(beaconry, file, stdout=subprocess.DEVNULL, umask=0)
    assert done.returncode == 0, done
    assert file.stat().st_mode & 0o777 == 0o600
    assert is_capture(file) and file.stat().st_size < 100_000


def test_no_link_is_followed(beaconry: Beaconry, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    done = run_to_its_end(beaconry, link, stdout=subprocess.DEVNULL)
    assert done.returncode == 73 and "it is a symbolic link" in done.stderr, done
    assert target.read_text() == "precious"


def test_dev_stdout_fifos_and_process_substitutions(beaconry: Beaconry, tmp_path: Path) -> None:
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
    assert process.wait(30) == 0
    assert is_capture(tmp_path / "substituted")


def test_a_reader_of_the_capture_that_stalls_does_not_hold_up_the_end(beaconry: Beaconry, tmp_path: Path) -> None:
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
    assert run.end(signal.SIGTERM, timeout=15) == 74
    os.close(reader)
    assert "the capture file is incomplete" in run.errors


def test_on_a_terminal_it_is_a_table(beaconry: Beaconry) -> None:
    """The table is redrawn in place, and names device, identity, interval and connections."""
    primary, secondary = pty.openpty()
    environment = {**beaconry.environment, "TERM": "xterm"}
    command = [
        str(beaconry.binary), "run", str(beaconry.profile(TWO)), "--radio", "virtual",
        "--hci-server", "none", "--ephemeral", "--duration", "1s",
    ]  # fmt: skip
    process = subprocess.Popen(command, env=environment, stdin=secondary, stdout=secondary, stderr=secondary)
    os.close(secondary)
    said = b""
    while select.select([primary], [], [], 10)[0]:
        try:
            said += os.read(primary, 65536)
        except OSError:
            break  # the program is gone, and with it the terminal's other end
    assert process.wait(10) == 0
    text = said.decode()
    assert re.search(r"DEVICE +INTERVAL +CONNECTED +MAJOR/MINOR +ADDRESS +IDENTITY", text), text
    assert re.search(r"entrance +100 ms +2/3 +[0-9A-F:]{17} +2173E519-9155-4", text), text
    assert "\x1b[" in text
