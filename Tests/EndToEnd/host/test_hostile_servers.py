# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What stands in the place of a run: `ctl` reads a bounded part of it, waits a bounded time, and says what is wrong."""

from __future__ import annotations

import ast
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import BINARY, Beaconry

MEMORY = 700 << 20
"""More than the longest answer that a client accepts takes, in bytes."""
HEAD = "HTTP/1.1 {} X\r\nContent-Type: {}\r\n{}\r\n"
ENDLESS = "Transfer-Encoding: chunked\r\n"
Answer = Callable[[socket.socket], None]


def endless(status: int, kind: str, piece: bytes = b"x" * 65536) -> Answer:
    """A body without end."""

    def answer(client: socket.socket) -> None:
        client.sendall(HEAD.format(status, kind, ENDLESS).encode())
        chunk = b"%x\r\n%s\r\n" % (len(piece), piece)
        while True:
            client.sendall(chunk)

    return answer


def silent(client: socket.socket) -> None:
    client.recv(1)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Answer], str]]:
    """Servers at Unix sockets, which answer each request alike."""
    servers: list[socket.socket] = []

    def begin(answer: Answer) -> str:
        path = str(tmp_path / f"{len(servers)}.sock")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        servers.append(server)

        def accept() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=handle, args=(client,), daemon=True).start()

        def handle(client: socket.socket) -> None:
            with client:
                try:
                    while b"\r\n\r\n" not in client.recv(65536):
                        pass
                    answer(client)
                except OSError:
                    pass

        threading.Thread(target=accept, daemon=True).start()
        return path

    yield begin
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
size = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(repr((done.returncode, done.stdout, done.stderr, size)))
"""


def ctl(*arguments: str) -> tuple[subprocess.CompletedProcess[str], int]:
    """The result, and the largest size of the process in bytes, of which a process of its own takes note."""
    command = [sys.executable, "-c", MEASURE, str(BINARY), "ctl", *arguments]
    measured = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    code, output, errors, size = ast.literal_eval(measured.stdout)
    return subprocess.CompletedProcess(arguments, code, output, errors), size


@pytest.mark.slow
@pytest.mark.parametrize("command", [("list",), ("events",), ("journal",), ("profile",), ("stop",)], ids=" ".join)
@pytest.mark.parametrize("status,kind", [(409, "application/problem+json"), (200, "application/json"), (200, "application/yaml")])
def test_body_without_end_is_not_read_to_the_end(serve: Callable[[Answer], str], command: tuple[str, ...], status: int, kind: str) -> None:
    done, memory = ctl(*command, "--control", serve(endless(status, kind)))
    assert done.returncode == 74 and "is not a run of beaconry: " in done.stderr, done
    assert memory < MEMORY


@pytest.mark.slow
def test_event_without_end_is_not_read_to_the_end(serve: Callable[[Answer], str]) -> None:
    """Lines of data without an empty line."""
    path = serve(endless(200, "text/event-stream", b"data: " + b"x" * 65000 + b"\n"))
    with subprocess.Popen([BINARY, "ctl", "events", "--control", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        status = Path(f"/proc/{process.pid}/statm")
        sizes = []
        # 100 s of processor, or the end.
        while process.poll() is None and len(sizes) < 50:
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                sizes.append(int(status.read_text().split()[1]) * 4096)
        process.kill()
    assert not sizes or max(sizes) < MEMORY


@pytest.mark.parametrize("command", [("list",), ("stop",)], ids=" ".join)
def test_server_that_does_not_answer_is_reported(serve: Callable[[Answer], str], command: tuple[str, ...]) -> None:
    path = serve(silent)
    done, _ = ctl(*command, "--control", path)
    assert done.returncode == 74, done
    assert "closed the connection before it answered" in done.stderr or f"{path} has not answered within " in done.stderr


def test_run_that_is_stopped_is_reported(beaconry: Beaconry) -> None:
    """By SIGSTOP, as in a debugger."""
    control = str(beaconry.folder / "run.sock")
    profile = beaconry.profile("profile: shop\nbeacons: [{ id: door, device: iot-design-shop }]\n")
    run = beaconry.run(profile, "--hci-server", "none", "--control", control, radio="virtual")
    run.wait("ready")
    os.kill(run.process.pid, signal.SIGSTOP)
    try:
        done, _ = ctl("list", "--control", control)
        assert done.returncode == 74 and f"{control} has not answered within 10 s" in done.stderr, done
        assert "the run may be stopped" in done.stderr
        # Its backlog is full: another run must not take the path.
        waiting = []
        while len(waiting) < 4096:
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            waiting.append(client)
            try:
                client.connect(control)
            except BlockingIOError:
                break
        other = beaconry.call("run", str(profile), "--radio", "virtual", "--hci-server", "none", "--control", control, "--ephemeral", "--duration", "1ms")
        assert other.returncode == 73 and f"the control socket {control} is in use" in other.stderr, other
        full = beaconry.call("ctl", "list", "--control", control)
        assert full.returncode == 74 and "accepts no connections" in full.stderr, full
        for client in waiting:
            client.close()
    finally:
        os.kill(run.process.pid, signal.SIGCONT)
    assert beaconry.call("ctl", "list", "--control", control).returncode == 0
