#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Measures what runs leave behind, and what clients cost that do nothing or too much: all of it, or the parts that are named.

Each part prints its numbers, and fails beyond a bound. `airs`: Python airs that are dropped without `close`. `bus`: runs of
`beaconry dbus -- COMMAND` that are killed. `idle`: connections that use up the descriptors. `stalled`: readers of events that
read nothing. `waits`: expectations that wait while events come. `nested`: deep JSON in bodies. `reload`: how long others wait
for the reload of a large profile.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beaconry import BINARY, CHECKOUT
from unix_http import UnixConnection

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PATIENCE = 120
DOOR = f"profile: shop\nbeacons:\n  - {{ id: door, device: iot-design-shop, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}\n"


class Run:
    """`beaconry run` with a control socket and HTTP, in a folder of its own."""

    def __init__(self, folder: Path, profile: str, descriptors: int | None = None) -> None:
        self.folder = folder
        self.profile = folder / "shop.yaml"
        self.profile.write_text(profile)
        self.control = folder / "control"
        command = [
            BINARY, "run", self.profile, "--radio", "virtual", "--hci-server", "none", "--http", "127.0.0.1:0", "--control", self.control,
            "--state", folder / "state", "--json",
        ]  # fmt: skip
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
            preexec_fn=limit,
        )  # fmt: skip
        assert self.process.stdout
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "http-ready":
                host, _, port = event["url"].removeprefix("http://").rpartition(":")
                self.http = (host, int(port))
            if event["event"] == "ready":
                break
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stdout
        while self.process.stdout.read1(1 << 16):
            pass

    @property
    def resident(self) -> float:
        """The resident size in MB."""
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines())
        return int(lines["VmRSS"].split()[0]) / 1024

    @property
    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self) -> socket.socket:
        """A connection to the control socket."""
        connection = UnixConnection(self.control, PATIENCE)
        connection.connect()
        return connection.sock

    def client(self) -> Callable[..., Any]:
        """Sends requests over one connection to the control socket."""
        connection = UnixConnection(self.control, PATIENCE)

        def request(method: str, path: str, body: Any = None) -> Any:
            answer = connection.exchange(method, path, body)
            assert "detail" not in answer, answer
            return answer

        return request

    def post_events(self, count: int) -> None:
        """Lets the run post this number of events, 500 requests at a time."""
        request = [
            b"PATCH /v1/beacons/door HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            for body in (b'{"muted":true}', b'{"muted":false}')
        ]  # fmt: skip
        with self.connect() as connection, connection.makefile("rb") as lines:
            for _ in range(0, count, 500):
                connection.sendall(b"".join(request) * 250)
                for _ in range(500):
                    assert lines.readline().startswith(b"HTTP/1.1 200")
                    while line := lines.readline().strip().lower():
                        if line.startswith(b"content-length:"):
                            length = int(line.split(b":")[1])
                    lines.read(length)

    def post(self, path: str, body: bytes) -> socket.socket:
        """Sends a request over HTTP; its response is yet to be read."""
        connection = socket.create_connection(self.http, PATIENCE)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        return connection

    def end(self) -> None:
        """Ends the program in order."""
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0


@contextmanager
def run(profile: str = DOOR, descriptors: int | None = None) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix="size-") as folder:
        started = Run(Path(folder), profile, descriptors)
        try:
            yield started
            started.end()
        finally:
            started.process.kill()
            started.process.wait()


def raise_limit() -> None:
    """Lets this process have as many descriptors as it may."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def check(holds: bool, sentence: str) -> None:
    print(sentence, flush=True)
    if not holds:
        raise SystemExit(f"this is beyond the bound: {sentence}")


# What is left behind -------------------------------------------------------------------------------------------------


def processes(mark: str) -> list[int]:
    """The processes with a mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "environ").read_bytes() and "Z" not in (entry / "stat").read_text().rpartition(")")[2][:3]:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


AIRS = """
import os, sys, threading, time
from beaconry import Air

def counts():
    children = sum(1 for entry in os.listdir("/proc") if entry.isdigit() and parent(entry) == os.getpid())
    return {"threads": threading.active_count(), "processes": children, "descriptors": len(os.listdir("/proc/self/fd")),
            "folders": len(os.listdir(os.environ["TMPDIR"]))}

def parent(number):
    try:
        return int(open(f"/proc/{number}/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return 0

Air().close()
before = counts()
airs = [Air() for _ in range(int(sys.argv[1]))]
print("during", counts())
airs.clear()
deadline = time.monotonic() + 120
while counts() != before and time.monotonic() < deadline:
    time.sleep(0.1)
print("before", before)
print("after ", counts())
sys.exit(counts() != before)
"""


def airs(count: int = 50) -> None:
    with tempfile.TemporaryDirectory(prefix="size-") as folder:
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python/src"), "TMPDIR": folder}
        environment["PATH"] = f"{BINARY.parent}:{environment['PATH']}"
        done = subprocess.run([sys.executable, "-B", "-c", AIRS, str(count)], env=environment, cwd=folder, check=False)
        check(done.returncode == 0, f"{count} airs dropped without close leave nothing")


def bus(count: int = 50) -> None:
    with tempfile.TemporaryDirectory(prefix="size-") as folder:
        temporary = Path(folder) / "tmp"
        temporary.mkdir()
        # Where Swift is installed, SIGQUIT prints a backtrace and the process continues.
        own = {"TMPDIR": str(temporary), "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder, "SWIFT_BACKTRACE": "enable=off"}
        environment = {**os.environ, **own}
        for how in (signal.SIGKILL, signal.SIGQUIT):
            most = [0, 0]
            for number in range(count):
                started = Path(folder) / f"started-{how.name}-{number}"
                command = [BINARY, "dbus", "--ephemeral", "--", "sh", "-c", f"touch {started}; exec sleep 1000"]
                process = subprocess.Popen(
                    command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                assert eventually(started.exists), "the command does not start"
                most = [max(most[0], len(processes(folder))), max(most[1], len(list(temporary.iterdir())))]
                process.send_signal(how)
                process.wait(PATIENCE)
            is_clean = eventually(lambda: not processes(folder) and not list(temporary.iterdir()))
            left = f"{len(processes(folder))} processes, {len(list(temporary.iterdir()))} folders left"
            check(is_clean, f"{count} times {how.name}: at most {most[0]} processes and {most[1]} folders at once; {left}")


# What clients cost ---------------------------------------------------------------------------------------------------


def idle(count: int = 1000, limit: int = 200) -> None:
    raise_limit()
    with run(descriptors=limit) as program:
        connections = [socket.create_connection(program.http) for _ in range(count)]
        assert eventually(lambda: program.descriptors >= limit - 16), f"{program.descriptors} descriptors"
        before, since = program.processor_seconds, time.monotonic()
        time.sleep(5)
        used = 100 * (program.processor_seconds - before) / (time.monotonic() - since)
        most = program.descriptors
        request = program.client()
        begin = time.monotonic()
        for minor in range(20):
            assert request("PATCH", "/v1/beacons/door", {"settings": {"minor": minor}})["settings"]["minor"] == minor
        took = (time.monotonic() - begin) / 20
        request("POST", "/v1/reload")
        for connection in connections:
            connection.close()
        check(
            used < 5,
            f"{count} idle connections, {most} of {limit} descriptors in use: {used:.1f} % of a processor; "
            f"a saved set takes {1000 * took:.1f} ms",
        )


def stalled(count: int = 256, events: int = 6000) -> None:
    raise_limit()
    # Unix sockets have small buffers: readers are behind by as many events as are kept.
    with run() as program:
        program.post_events(20_000)
        before = program.resident
        readers = []
        for _ in range(count):
            stream = program.connect()
            stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            readers.append(stream)
        time.sleep(1)
        request = program.client()
        program.post_events(events)
        begin = time.monotonic()
        request("GET", "/v1/beacons")
        took = time.monotonic() - begin
        grown = program.resident - before
        for reader in readers:
            reader.close()
        check(
            grown <= 100,
            f"{count} stalled readers at the control socket, {events} events: "
            f"+{grown:.1f} MB from {before:.1f} MB; list takes {1000 * took:.1f} ms",
        )


def waits(count: int = 100, events: int = 80_000) -> None:
    with run() as program:
        request = program.client()
        # The journal is full from here on.
        program.post_events(20_000)
        before = program.resident
        waiting = []
        for _ in range(count):
            connection = program.connect()
            condition = {"match": {"event": "connected", "device": "door"}}
            body = json.dumps({"conditions": [condition], "within": "10m"}).encode()
            head = "POST /v1/journal/wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            waiting.append(connection)
        request("GET", "/v1/beacons")
        began = time.monotonic()
        program.post_events(events)
        took = time.monotonic() - began
        begin = time.monotonic()
        request("PATCH", "/v1/beacons/door", {"settings": {"major": 7}})
        one = time.monotonic() - begin
        grown = program.resident - before
        for connection in waiting:
            connection.close()
        check(
            grown <= 5,
            f"{count} pending waits, {events} events in {took:.1f} s: {grown:+.1f} MB from {before:.1f} MB; "
            f"a set takes {1000 * one:.1f} ms",
        )


def nested(count: int = 20) -> None:
    # Two forms: one that is refused as too deep, one of as many levels and values as are accepted.
    deep = b'{"conditions":[{"match":{"decoded":{"x":[' + b",".join(b"[" * 500 + b"]" * 500 for _ in range(60)) + b"]}}}]}"
    wide = b'{"conditions":[{"match":{"decoded":{"x":[' + b",".join(b"[" * 25 + b"1" + b"]" * 25 for _ in range(700)) + b"]}}}]}"
    with run() as program:
        request = program.client()
        for name, body in (("deep", deep), ("wide", wide)):
            body = body[:65_000]
            connections = [program.post("/v1/journal/wait", body) for _ in range(count)]
            slowest, times = 0.0, []
            for _ in range(20):
                begin = time.monotonic()
                request("GET", "/v1/beacons")
                times.append(time.monotonic() - begin)
            slowest = max(times)
            begin = time.monotonic()
            statuses = sorted({connection.recv(64).split(b" ")[1].decode() for connection in connections})
            took = time.monotonic() - begin
            for connection in connections:
                connection.close()
            check(
                slowest < 0.2,
                f"{count} {name} bodies of {len(body)} bytes: the slowest of 20 lists takes {1000 * slowest:.1f} ms; "
                f"answered {statuses} within {1000 * took:.0f} ms more",
            )


LONGEST_WAIT = 0.1
"""The limit of docs/http.md in seconds, for a program that is optimised on a quiet machine."""


def reload(count: int = 9990, devices: int = 1000) -> None:
    """How long a request waits while a reload changes all beacons of a large profile."""
    door = f"profile: shop\nbeacons:\n  - {{ id: door, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}\n"

    def beacons(major: int) -> str:
        return (
            f'{door}  - {{ id: "shelf-{{n}}", count: {count}, device: ibeacon, interval: 1s,'
            f" ibeacon: {{ uuid: {UUID}, major: {major}, minor: 1..{count} }} }}\n"
        )

    def services(value: int) -> str:
        characteristics = "".join(
            f"            - {{ name: c{number}, uuid: 2A{number:02X}, type: uint8, properties: [read], value: {value} }}\n"
            for number in range(30)
        )
        return (
            f'{door}  - id: "lamp-{{n}}"\n    count: {devices}\n    device: gatt\n    services:\n'
            f"      - uuid: 180F\n        characteristics:\n{characteristics}"
        )

    with run(beacons(1)) as program:
        request, other = program.client(), program.client()
        waits: list[float] = []
        is_over = threading.Event()

        def ask() -> None:
            while not is_over.is_set():
                begin = time.monotonic()
                request("GET", "/v1/beacons/door")
                waits.append(time.monotonic() - begin)

        for name, text in (
            (f"the same {count} beacons are", beacons(1)), (f"{count} others are", beacons(2)),
            (f"{devices} devices of 30 characteristics are", services(1)), (f"{devices} others of them are", services(2)),
        ):  # fmt: skip
            waits.clear()
            is_over.clear()
            program.profile.write_text(text)
            asking = threading.Thread(target=ask)
            asking.start()
            time.sleep(0.2)
            begin = time.monotonic()
            other("POST", "/v1/reload")
            took = time.monotonic() - begin
            time.sleep(0.2)
            is_over.set()
            asking.join()
            print(
                f"{name} loaded in {1000 * took:.0f} ms; "
                f"the longest wait of another request is {1000 * max(waits):.0f} ms, the median {1000 * statistics.median(waits):.1f} ms",
                flush=True,
            )
            assert max(waits) <= LONGEST_WAIT, name


PARTS: dict[str, Callable[[], None]] = {
    "airs": airs, "bus": bus, "idle": idle, "stalled": stalled, "waits": waits, "nested": nested, "reload": reload,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    arguments = parser.parse_args()
    for name in arguments.parts or PARTS:
        if name not in PARTS:
            parser.error(f'there is no part "{name}"; parts are {", ".join(PARTS)}')
    for name in arguments.parts or PARTS:
        print(f"{name}:", flush=True)
        PARTS[name]()


if __name__ == "__main__":
    main()
