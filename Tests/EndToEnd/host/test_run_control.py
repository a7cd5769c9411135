# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""How runs start, end, and avoid conflicts with each other."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from beaconry import BINARY, Beaconry, Run

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n    ibeacon: {{ uuid: {UUID}, major: 1, minor: 7 }}\n"
OPTIONS = ("--radio", "virtual", "--hci-server", "none", "--ephemeral")


@contextmanager
def on_a_terminal(beaconry: Beaconry, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Starts a command in a new session, with the terminal of the returned descriptor."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), *arguments], env=beaconry.environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(slave)
    try:
        yield process, master
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(300)


def wait_for(path: Path, process: subprocess.Popen[bytes], timeout: float = 300) -> None:
    deadline = time.monotonic() + timeout
    while not path.exists():
        assert process.poll() is None and time.monotonic() < deadline, f"{path} does not appear"
        time.sleep(0.01)


def read_until(master: int, word: bytes, timeout: float = 300) -> None:
    seen, deadline = b"", time.monotonic() + timeout
    while word not in seen:
        assert select.select([master], [], [], max(0, deadline - time.monotonic()))[0], seen
        seen += os.read(master, 65536)


def test_closing_the_terminal_ends_the_run(beaconry: Beaconry) -> None:
    ready = beaconry.folder / "ready"
    with on_a_terminal(beaconry, "run", str(beaconry.profile(PROFILE)), *OPTIONS, "--ready-file", str(ready)) as (process, master):
        read_until(master, b"Ctrl-C ends")
        wait_for(ready, process)
        os.close(master)
        assert process.wait(300) == 0
    assert not ready.exists() and not any(beaconry.runtime.rglob("*.sock")), "it ended in order"


def test_hangup_without_a_terminal_reloads(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PROFILE), *OPTIONS[2:], radio="virtual")
    run.wait("ready")
    run.process.send_signal(signal.SIGHUP)
    run.wait("reloaded")
    assert run.end() == 0


def test_hangup_during_the_start_is_handled_after_it(beaconry: Beaconry) -> None:
    beacons = "".join(
        f"  - {{ id: b{number}, device: iot-design-shop, ibeacon: {{ major: 1, minor: {number} }} }}\n" for number in range(200)
    )
    profile = beaconry.profile(f"profile: one\nbeacons:\n{beacons}")
    # The signal is ignored from the program's first instruction until it is trapped. On busy processors this test may
    # be suspended for all of that time and see only the trap; then it tries another start.
    for _ in range(10):
        run = beaconry.start(
            "run", str(profile), "--radio", "virtual", "--hci-server", "none", "--json", "--state", str(beaconry.state)
        )
        while not has_signal(run, "SigIgn") and not has_signal(run, "SigCgt"):
            assert run.process.poll() is None
        if has_signal(run, "SigIgn"):
            break
        assert run.end() == 0, run.record
    else:
        raise AssertionError("the signal was never ignored: it would have ended the program until it was trapped")
    while not any(event["event"] == "ready" for event in run.events):
        run.process.send_signal(signal.SIGHUP)
        run.take_one(0.002)
        assert run.process.poll() is None, run.record
    assert run.end() == 0, run.record
    assert not any(event["event"] in ("error", "reload-failed") for event in run.events), run.record


def has_signal(run: Run, kind: str) -> bool:
    """Whether a run ignores or catches SIGHUP."""
    status = Path(f"/proc/{run.process.pid}/status").read_text()
    return any(line.startswith(kind) and int(line.split()[1], 16) & 1 << signal.SIGHUP - 1 for line in status.splitlines())


def test_socket_in_use_names_the_other_run(beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE)
    run = beaconry.run(profile, *OPTIONS[2:], radio="virtual")
    run.wait("ready")
    second = beaconry.call("run", str(profile), *OPTIONS)
    assert second.returncode == 73
    assert f"in use by process {run.process.pid}; stop that run (beaconry ctl stop --control " in second.stderr, second
    command = second.stderr.split("(beaconry ")[1].split(")")[0].split()
    assert beaconry.call(*command).returncode == 0
    assert run.exit_code() == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--http", "0.0.0.0:0"], 64),
        (["--http", "nope"], 64),
        (["--http", "127.0.0.1:0", "--http-token-file", "missing"], 74),
        (["--http", "192.0.2.1:0"], 64),
        (["--http", "127.0.0.1:USED", "--capture", "c.btsnoop"], 73),
        (["--metrics-file", "missing/m.prom", "--capture", "c.btsnoop"], 73),
        (["--esphome", "0.0.0.0:0"], 73),
        (["--hci-server", "tcp:127.0.0.1:USED", "--capture", "c.btsnoop"], 73),
        (["--control-group", "no-such-group"], 64),
    ],
)
def test_refused_start_leaves_nothing(beaconry: Beaconry, tmp_path: Path, options: list[str], code: int) -> None:
    profile = beaconry.profile(PROFILE)
    folder = tmp_path / "empty"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = str(used.getsockname()[1])
        result = subprocess.run(
            [str(BINARY), "run", str(profile), "--radio", "virtual", "--state", str(folder / "state")]
            + (["--hci-server", "none"] if "--hci-server" not in options else [])
            + [option.replace("USED", port) for option in options],
            env=beaconry.environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert result.returncode == code and len(result.stderr.splitlines()) == 1, result
    assert [path for path in folder.rglob("*") if path.suffix in (".btsnoop", ".prom")] == []
    assert [path for path in beaconry.runtime.rglob("*") if not path.is_dir()] == []


def test_killed_run_is_no_run_and_the_next_one_cleans_up(beaconry: Beaconry) -> None:
    killed = beaconry.run(beaconry.profile(PROFILE), *OPTIONS[2:], radio="virtual")
    killed.wait("ready")
    killed.kill()
    left = {path.name for path in (beaconry.runtime / "beaconry").iterdir()}
    assert "shop.sock" in left and f"run-{killed.process.pid}.ledger.lock" in left
    assert "no running beaconry was found" in beaconry.call("ctl", "list").stderr
    cafe = beaconry.profile(PROFILE.replace("profile: shop", "profile: cafe"), "cafe.yaml")
    run = beaconry.run(cafe, *OPTIONS[2:], radio="virtual")
    run.wait("ready")
    assert not left & {path.name for path in (beaconry.runtime / "beaconry").iterdir()}
    assert json.loads(beaconry.call("ctl", "list", "--json").stdout)["profile"] == "cafe"
    assert run.end() == 0
    assert list((beaconry.runtime / "beaconry").iterdir()) == []


def test_control_none_is_no_socket(beaconry: Beaconry, tmp_path: Path) -> None:
    for command in (["run", str(beaconry.profile(PROFILE))], ["advertise", "ibeacon", "--uuid", UUID]):
        done = subprocess.run(
            [str(BINARY), *command, *OPTIONS[:4], "--duration", "10ms", "--control", "none", "--json"],
            env=beaconry.environment, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0 and '"ready"' in done.stdout, done
        assert not [path for path in [*tmp_path.iterdir(), *beaconry.runtime.rglob("*")] if path.is_socket() or path.name == "none"]


def test_several_advertise_at_once(beaconry: Beaconry) -> None:
    runs = [
        beaconry.start("advertise", "ibeacon", "--uuid", UUID, "--minor", str(minor), *OPTIONS[:4], "--json") for minor in (1, 2)
    ]
    for run in runs:
        run.wait("ready")
    names = sorted(f"advertise-{run.process.pid}" for run in runs)
    assert sorted(path.stem for path in beaconry.runtime.rglob("*.sock")) == names
    ambiguous = beaconry.call("ctl", "list")
    assert ambiguous.returncode == 64 and all(name in ambiguous.stderr for name in names), ambiguous
    for minor, run in enumerate(runs, 1):
        listed = beaconry.call("ctl", "list", "--json", "--profile", f"advertise-{run.process.pid}")
        assert json.loads(listed.stdout)["settings"]["minor"] == minor
    assert runs[0].end() == 0
    assert json.loads(beaconry.call("ctl", "list", "--json", "--profile", "advertise").stdout)["settings"]["minor"] == 2


def test_two_profiles_share_one_run(beaconry: Beaconry) -> None:
    shop = beaconry.profile(PROFILE, "shop.yaml")
    cafe = beaconry.profile(PROFILE.replace("profile: shop", "profile: cafe").replace("id: door", "id: bar"), "cafe.yaml")
    run = beaconry.start("run", str(shop), str(cafe), *OPTIONS, "--json")
    run.wait("ready")

    def devices(*options: str) -> list[str]:
        result = beaconry.call("ctl", "list", "--json", *options)
        assert result.returncode == 0, result
        return [json.loads(line)["id"] for line in result.stdout.splitlines()]

    assert devices() == ["door", "bar"], "with one run, there is no choice"
    assert devices("--profile", "shop") == ["door"]
    assert devices("--profile", "cafe") == ["bar"]
    shop.write_text(PROFILE.replace("profile: shop", "profile: store"))
    assert beaconry.call("ctl", "reload", "--profile", "shop").returncode == 0
    assert devices("--profile", "store") == ["door"]


def test_client_that_half_closes_is_answered(beaconry: Beaconry) -> None:
    beaconry.run(beaconry.profile(PROFILE), *OPTIONS[2:], radio="virtual").wait("ready")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(300)
        client.connect(str(beaconry.runtime / "beaconry" / "shop.sock"))
        client.sendall(b"GET /v1/beacons HTTP/1.1\r\nHost: run\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        _, _, body = client.makefile().read().partition("\n\n")
        assert json.loads(body)["beacons"][0]["id"] == "door"


def processor_time(run: Run) -> float:
    """The processor time of a run, in seconds."""
    fields = Path(f"/proc/{run.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_control_server_waits_for_free_descriptors(beaconry: Beaconry) -> None:
    profile = str(beaconry.profile(PROFILE))
    run = beaconry.start("run", profile, *OPTIONS, "--json", prefix=["prlimit", "--nofile=48:48"])
    run.wait("ready")
    clients = []
    try:
        for _ in range(60):
            client = socket.socket(socket.AF_UNIX)
            clients.append(client)
            client.connect(str(beaconry.runtime / "beaconry" / "shop.sock"))
        deadline = time.monotonic() + 300
        while len(os.listdir(f"/proc/{run.process.pid}/fd")) < 36:
            assert time.monotonic() < deadline, "no connections are accepted"
            time.sleep(0.01)
        before, began = processor_time(run), time.monotonic()
        while time.monotonic() < began + 1:
            time.sleep(0.1)
            used, elapsed = processor_time(run) - before, time.monotonic() - began
            assert used < 0.2 * max(1, elapsed), "it fails to accept in a busy loop"
            assert len(os.listdir(f"/proc/{run.process.pid}/fd")) < 44, "none are left for the rest of the process"
    finally:
        for client in clients:
            client.close()
    result = beaconry.call("ctl", "list", "--json")
    assert result.returncode == 0 and json.loads(result.stdout)["id"] == "door", "it serves again"


@pytest.mark.parametrize("text", ["[ # ]\n" * 985, "[" * 985, "profile: p\nbeacons: " + "[" * 985 + "]" * 985])
def test_nesting_does_not_exhaust_a_small_stack(beaconry: Beaconry, text: str) -> None:
    profile = beaconry.profile(text)
    result = subprocess.run(
        ["prlimit", "--stack=524288", str(BINARY), "check", str(profile)], env=beaconry.environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode == 65 and "nested deeper than 64 levels" in result.stderr, result


@pytest.mark.slow
def test_many_characteristics_are_read_in_linear_time(beaconry: Beaconry) -> None:
    def seconds(count: int) -> float:
        rows = "".join(
            f"          - {{ name: c{number}, uuid: {number:08X}-8C1D-4E8B-9C55-0D0E8F6A1B01, properties: [read], type: uint8, value: 1 }}\n"
            for number in range(count)
        )
        head = "profile: big\nbeacons:\n  - id: a\n    device: gatt\n    name: x\n    services:\n"
        profile = beaconry.profile(f"{head}      - uuid: 181A\n        characteristics:\n{rows}", f"{count}.yaml")
        process = subprocess.Popen([str(BINARY), "check", str(profile)], env=beaconry.environment, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return used.ru_utime

    # A quadratic algorithm would take about 256 times as long.
    assert seconds(8000) < 64 * max(seconds(500), 0.05)


def test_interval_that_is_on_the_air_is_shown_beside_the_setting(beaconry: Beaconry) -> None:
    profile = beaconry.profile(PROFILE.replace("device: ibeacon", "device: iot-design-shop"))

    def shown() -> dict[str, str]:
        rows = beaconry.call("ctl", "show", "door").stdout.splitlines()[1:]
        return dict(row.strip().split(None, 1) for row in rows)

    run = beaconry.run(profile, *OPTIONS[2:], radio="virtual")
    run.wait("ready")
    assert "effective-interval" not in shown()
    # The configuration service has ticks, of which 0 are the least that the controller can.
    assert beaconry.call("ctl", "set", "door", "interval=0ms").returncode == 0
    assert (shown()["interval"], shown()["effective-interval"]) == ("0 ms (0 ticks)", "20 ms")
    assert "20 ms" in beaconry.call("ctl", "list").stdout
    assert run.end() == 0
