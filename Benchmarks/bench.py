# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Measures the virtual air beside its peers, in one run, and prints one table. `make bench` builds what it needs."""

from __future__ import annotations

import json
import os
import pty
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from hci import CONNECTABLE, NON_CONNECTABLE, Host, Reader, bytes_a_second, reads_a_second  # noqa: E402

CHECKOUT = Path(__file__).resolve().parents[1]
RELEASE = Path(os.environ.get("BEACONRY_RELEASE", CHECKOUT / ".build" / "release"))
"""The folder of the programs; another one compares two versions."""
HERE = Path(__file__).resolve().parent


@dataclass
class Row:
    what: str
    ours: str
    theirs: str = ""
    ratio: str = ""
    goal: str = ""


ROWS: list[Row] = []


def report(what: str, ours: str, theirs: str = "", ratio: str = "", goal: str = "") -> None:
    ROWS.append(Row(what, ours, theirs, ratio, goal))
    print(f"  {what}: {ours}" + (f"; {theirs}" if theirs else "") + (f"; {ratio}" if ratio else ""), flush=True)


def free_ports(count: int) -> int:
    """The first of a number of consecutive ports that are free at present."""
    for first in range(21_000, 60_000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running(*command: str | Path, until: str, environment: dict[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program, from the line of its output that has this text on; ended at the end."""
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    try:
        assert process.stdout
        said: list[str] = []
        while until not in (line := process.stdout.readline()):
            said.append(line)
            if not line:
                raise RuntimeError(f"{command[0]} ended: {''.join(said[-5:])}")
        yield process, line
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def profile(folder: Path, count: int, milliseconds: int, *keys: str) -> Path:
    """A profile of so many plain beacons, with other keys."""
    path = folder / f"plain-{count}-{milliseconds}.yaml"
    lines = [f"profile: load-{count}", *keys, "beacons:"]
    for number in range(count):
        lines += [
            f"  - id: b{number}", "    device: ibeacon", f"    interval: {milliseconds}ms",
            "    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, "
            f"major: {number // 65536}, minor: {number % 65536} }}",
        ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    return path


@contextmanager
def our_air(folder: Path, beacons: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Our air with these beacons, and its port."""
    command = (
        RELEASE / "beaconry", "run", beacons, "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--json",
        "--ephemeral", "--control", folder / "control.sock", *options,
    )  # fmt: skip
    # Events go to a file: a pipe that is not read would stop the program.
    log = folder / "events.jsonl"
    with log.open("w") as output:
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output)
    try:
        port = 0
        while True:
            text = log.read_text()
            for line in text.splitlines():
                if '"radio-ready"' in line and not port:
                    port = int(json.loads(line)["servers"][0].rsplit(":", 1)[1])
            if '"event":"ready"' in text:
                break
            if process.poll() is not None:
                raise RuntimeError(f"the program ended: {text[-500:]}")
            time.sleep(0.02)
        yield process, port
    finally:
        process.terminate()
        process.wait(30)


def air_load(
    port_of: Callable[[int], int], pid: int, advertisers: int, seconds: float, ticks: int = 32, kind: int = NON_CONNECTABLE
) -> tuple[float, float]:
    """Reports a second that a scanner gets of so many advertisers at 20 ms, and the cores that the air takes."""
    hosts = []
    for number in range(advertisers):
        host = Host(port_of(number))
        host.prepare_advertising(ticks, number + 1, kind)
        hosts.append(host)
    scanner = Host(port_of(advertisers))
    scanner.scan()
    for host in hosts:
        host.start_advertising()
    scanner.count_reports(3)
    before = cpu_seconds(pid)
    count, elapsed = scanner.count_reports(seconds)
    used = (cpu_seconds(pid) - before) / elapsed
    for host in [*hosts, scanner]:
        host.socket.close()
    return count / elapsed, used


def bench_air(folder: Path) -> None:
    print("Advertisers over TCP at 20 ms, one scanner that listens without a pause", flush=True)
    with our_air(folder, profile(folder, 1, 10_000)) as (process, port):
        ours, our_cores = air_load(lambda _: port, process.pid, 400, 8)
        ours_few, our_few_cores = air_load(lambda _: port, process.pid, 100, 8, kind=CONNECTABLE)
    ports = free_ports(4)
    names = ("hci_port", "test_port", "link_port", "link_ble_port")
    flags = [f"--{name}={ports + index}" for index, name in enumerate(names)]
    binary = subprocess.run(
        [sys.executable, "-c", "import rootcanal.binaries as b; print(b.get_package_binary_resource_path('rootcanal'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    quiet = subprocess.Popen([binary, *flags], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        theirs, their_cores = air_load(lambda _: ports, quiet.pid, 400, 8)
    finally:
        quiet.kill()
    report(
        "400 advertisers, reports/s", f"{ours:,.0f} ({our_cores:.2f} cores)",
        f"rootcanal {theirs:,.0f} ({their_cores:.2f} cores)", f"{ours / theirs:.1f}x", "16,000/s",
    )  # fmt: skip
    report(
        "400 advertisers, CPU a report", f"{our_cores / ours * 1e6:.1f} us", f"rootcanal {their_cores / theirs * 1e6:.1f} us",
        f"{(their_cores / theirs) / (our_cores / ours):.1f}x",
    )  # fmt: skip
    first = free_ports(101)
    with running(sys.executable, HERE / "bumble_air.py", str(first), "101", until="ready") as (process, _):
        # Bumble's advertiser takes ticks for milliseconds, adds no random delay, and knows one legacy type.
        theirs, their_cores = air_load(lambda number: first + number, process.pid, 100, 8, ticks=25, kind=CONNECTABLE)
    report(
        "100 advertisers, reports/s", f"{ours_few:,.0f} ({our_few_cores:.2f} cores)",
        f"Bumble {theirs:,.0f} ({their_cores:.2f} cores)", f"{ours_few / theirs:.1f}x",
    )  # fmt: skip


def bench_start(folder: Path) -> None:
    print("From the start of the program to the first advertisement", flush=True)
    times = []
    # Otherwise the first packet comes at any time of its interval.
    beacons = profile(folder, 1, 100, "power-on: together")
    for _ in range(11):
        began = time.monotonic()
        with running(
            RELEASE / "beaconry", "run", beacons, "--radio", "virtual", "--hci-server", "none", "--json", "--ephemeral",
            "--control", folder / "start.sock", until='"advertising-started"',
        ):  # fmt: skip
            times.append(time.monotonic() - began)
    median = sorted(times)[len(times) // 2]
    report("start to first advertisement, median of 11", f"{median * 1000:.0f} ms", goal="50 ms")


def bench_memory(folder: Path) -> None:
    print("Memory of beacons", flush=True)
    sizes = {}
    for count in (100, 2100):
        with our_air(folder, profile(folder, count, 1000)) as (process, _):
            time.sleep(1)
            sizes[count] = resident_bytes(process.pid)
    each = (sizes[2100] - sizes[100]) / 2000
    report("resident size of a plain beacon", f"{each / 1024:.1f} KiB", f"100 beacons {sizes[100] >> 20} MiB", goal="4 KiB")


def bench_in_process(folder: Path) -> None:
    print("2,000 beacons of one program at 20 ms, one scanner", flush=True)
    with our_air(folder, profile(folder, 2000, 20)) as (process, port):
        scanner = Host(port)
        scanner.scan()
        scanner.count_reports(2)
        before = cpu_seconds(process.pid)
        count, elapsed = scanner.count_reports(8)
        cores = (cpu_seconds(process.pid) - before) / elapsed
    report("2,000 beacons, reports/s", f"{count / elapsed:,.0f} ({cores:.2f} cores)", goal="80,000/s in 1 core")


SERVICE = "2173E519-9155-4862-AB64-7953AB146156"
CHARACTERISTIC = "2173E519-9155-4862-AB64-7953AB146158"


READERS = 16


def configurable(folder: Path) -> Path:
    """A profile of one configurable beacon for each reader."""
    path = folder / "configurable.yaml"
    beacons = [f"  - {{ id: b{number}, device: iot-design-shop }}" for number in range(READERS)]
    path.write_text("\n".join(["profile: configurable", "beacons:", *beacons]) + "\n")
    return path


def reads_by_harness(port: int, address: str, count: int) -> float:
    """How many reads a second our client gets answered, one after the other."""
    lines = subprocess.run(
        [RELEASE / "central-harness", f"tcp-client:127.0.0.1:{port}", address, "reads", CHARACTERISTIC, str(count)],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    result = next(line for line in map(json.loads, lines.splitlines()) if line["event"] == "reads")
    return result["count"] / result["seconds"]


def reads_by_hosts(port: int, hosts: list[list[str]], pid: int) -> tuple[float, float, float]:
    """Reads a second of hosts with a client for each address, and the cores that a process and the clients take meanwhile."""
    readers = [Reader(port, addresses, CHARACTERISTIC) for addresses in hosts]
    before, own_before, began = cpu_seconds(pid), time.process_time(), time.monotonic()
    rate = reads_a_second(readers, 8)
    elapsed = time.monotonic() - began
    cores, own_cores = (cpu_seconds(pid) - before) / elapsed, (time.process_time() - own_before) / elapsed
    for reader in readers:
        reader.socket.close()
    time.sleep(1)
    return rate, cores, own_cores


def bench_reads(folder: Path) -> None:
    print("GATT reads over TCP: servers and clients on the same air, the same clients for both servers", flush=True)
    with our_air(folder, configurable(folder), "--air-timing", "immediate") as (process, port):
        records = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        ours = [record["address"] for record in records if record["event"] == "advertising-started"]
        theirs = [f"F0:BE:AC:00:00:{number:02X}" for number in range(READERS)]
        bumble = (HERE / "bumble_server.py", f"tcp-client:127.0.0.1:{port}", SERVICE, CHARACTERISTIC, *theirs)
        kinds = {
            f"GATT reads/s of 4 hosts with {READERS} connections": lambda addresses: [addresses[host::4] for host in range(4)],
            f"GATT reads/s of {READERS} hosts with one each": lambda addresses: [[address] for address in addresses],
        }
        our_rates = [reads_by_hosts(port, hosts(ours), process.pid) for hosts in kinds.values()]
        our_single = reads_by_harness(port, ours[0], 20_000)
        with running(sys.executable, *bumble, until="ready") as (server, _):
            their_rates = [reads_by_hosts(port, hosts(theirs), server.pid) for hosts in kinds.values()]
            their_single = reads_by_harness(port, theirs[0], 2_000)
    for kind, (our, our_cores, our_clients), (their, their_cores, their_clients) in zip(kinds, our_rates, their_rates):
        report(
            kind, f"{our:,.0f} ({our_cores:.2f} cores with the air, clients {our_clients:.2f})",
            f"Bumble {their:,.0f} ({their_cores:.2f} cores without, clients {their_clients:.2f})", f"{our / their:.1f}x", "10x",
        )  # fmt: skip
    report("GATT reads/s of one client", f"{our_single:,.0f}", f"Bumble {their_single:,.0f}", f"{our_single / their_single:.1f}x")


def bench_throughput(folder: Path) -> None:
    print("Data of one connection between two hosts over TCP, with the timing of the specification", flush=True)
    with our_air(folder, profile(folder, 1, 10_000)) as (process, port):
        for octets, phy, interval in ((27, 1, 24), (251, 1, 80), (27, 2, 400), (251, 2, 400)):
            before, began = cpu_seconds(process.pid), time.monotonic()
            ours = bytes_a_second(port, octets, phy, interval, 6)
            cores = (cpu_seconds(process.pid) - before) / (time.monotonic() - began)
            # Microseconds of a PDU, an empty one, and a space after each.
            exchange = 8 * (10 + octets) + 80 + 300 if phy == 1 else 4 * (11 + octets) + 44 + 300
            report(
                f"{octets} bytes, {phy}M, {interval * 1.25:g} ms", f"{ours / 1000:.1f} kB/s ({cores:.2f} cores)",
                goal=f"{octets / exchange * 1000:.1f} kB/s, the airtime's limit",
            )  # fmt: skip


class HTTPLoad:
    """Connections with several requests under way; each answer is followed by the next request."""

    CONNECTIONS = 4
    AT_ONCE = 8

    def __init__(self, port: int, request: Callable[[int], bytes]) -> None:
        self.request = request
        self.sent = self.answered = 0
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(self.CONNECTIONS)]

    def run(self, seconds: float) -> tuple[int, float]:
        """The number of answers with status 200 in a time, and the elapsed seconds."""
        began, deadline = time.monotonic(), time.monotonic() + seconds
        selector = selectors.DefaultSelector()
        for each in self.sockets:
            each.setblocking(False)
            selector.register(each, selectors.EVENT_READ)
            self.send(each, self.AT_ONCE)
        rest = {each: b"" for each in self.sockets}
        while time.monotonic() < deadline:
            for key, _ in selector.select(1):
                data = rest[key.fileobj] + key.fileobj.recv(1 << 20)
                answers = data.count(b"HTTP/1.1 200 OK")
                rest[key.fileobj] = data[-14:]
                self.answered += answers
                self.send(key.fileobj, answers)
        elapsed = time.monotonic() - began
        for each in self.sockets:
            each.close()
        assert self.answered, "no request was answered with 200"
        return self.answered, elapsed

    def send(self, connection: socket.socket, count: int) -> None:
        connection.setblocking(True)
        connection.sendall(b"".join(self.request(self.sent + number) for number in range(count)))
        connection.setblocking(False)
        self.sent += count


def bench_api(folder: Path) -> None:
    print("The control requests over HTTP, beside 100 beacons at 100 ms and a scanner; the program on one core", flush=True)
    with our_air(folder, profile(folder, 100, 100), "--http", "127.0.0.1:0") as (process, port):
        cores = sorted(os.sched_getaffinity(0))
        for thread in Path(f"/proc/{process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[0]})
        events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        url = next(event["url"] for event in events if event["event"] == "http-ready")
        scanner = Host(port)
        scanner.scan()
        scanner.count_reports(1)

        def loaded(method: str, path: str, body: Callable[[int], str] = lambda _: "") -> tuple[float, float]:
            """Requests a second, and reports a second meanwhile."""

            def request(number: int) -> bytes:
                text = body(number)
                type = "Content-Type: application/merge-patch+json\r\n" if text else ""
                return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{type}Content-Length: {len(text)}\r\n\r\n{text}".encode()

            with ThreadPoolExecutor() as pool:
                reports = pool.submit(scanner.count_reports, 8)
                answered, elapsed = HTTPLoad(int(url.rsplit(":", 1)[1]), request).run(8)
                count, period = reports.result()
            return answered / elapsed, count / period

        quiet, period = scanner.count_reports(8)
        reads, beside_reads = loaded("GET", "/v1/beacons/b7")
        sets, beside_sets = loaded("PATCH", "/v1/beacons/b7", lambda number: f'{{"settings":{{"minor":{number % 65536}}}}}')
    reports = f"{beside_reads:,.0f} reports/s beside it, {quiet / period:,.0f} without"
    report("HTTP reads/s of a beacon", f"{reads:,.0f} ({reports})", goal="10,000/s")
    reports = f"{beside_sets:,.0f} reports/s beside it, {quiet / period:,.0f} without"
    report("HTTP sets/s", f"{sets:,.0f} ({reports})", goal="2,000/s")


def bench_events(folder: Path) -> None:
    print("1,000 events a second, by 100 beacons whose schedule switches them on and off", flush=True)
    path = folder / "switched.yaml"
    beacons = [
        f"  - {{ id: b{number}, device: ibeacon, interval: 10s, schedule: {{ on: 100ms, off: 100ms }}, "
        f"ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: {number} }} }}"
        for number in range(100)
    ]
    path.write_text("\n".join(["profile: switched", "beacons:", *beacons]) + "\n")
    seconds = 10

    def microseconds(*options: str | Path, readers: int = 0, terminal: bool = False) -> tuple[int, float]:
        """The number of lines, and the processor time of the program for each second of events."""
        ours, theirs = pty.openpty() if terminal else os.pipe()
        command = [RELEASE / "beaconry", "run", path, "--radio", "virtual", "--ephemeral", "--duration", f"{seconds}s", *options]
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
        os.close(theirs)
        lines, clients, pending = 0, [], b""
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:
                # The other end of a terminal is closed.
                break
            if not data:
                break
            lines += data.count(b"\n")
            if readers and not clients:
                pending += data
                for line in pending.split(b"\n")[:-1]:
                    if b'"http-ready"' in line:
                        port = int(json.loads(line)["url"].rsplit(":", 1)[1])
                        clients = [selected_events(port) for _ in range(readers)]
        os.close(ours)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        return lines, (usage.ru_utime + usage.ru_stime) * 1e6 / seconds

    count, json_time = microseconds("--json")
    events = count / seconds
    for what, time_used in (
        ("as JSON", json_time),
        ("as sentences", microseconds()[1]),
        ("as a table on a terminal", microseconds(terminal=True)[1]),
        ("as JSON, with 8 readers of other events over HTTP", microseconds("--json", "--http", "127.0.0.1:0", readers=8)[1]),
    ):
        report(f"an event {what}", f"{time_used / events:.1f} us of a processor")


def selected_events(port: int) -> socket.socket:
    """A connection that asks for the events of one kind, and reads none."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"GET /v1/events?types=connected HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def walk(folder: Path) -> Path:
    """A scenario: a visitor who walks past six beacons, in 430 s."""
    path = folder / "walk.yaml"
    uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    beacons = [
        f"  - {{ id: exhibit-{number}, device: ibeacon, interval: 200ms, position: [{number * 80}, 2], "
        f"ibeacon: {{ uuid: {uuid}, major: 1, minor: {number} }} }}"
        for number in range(6)
    ]
    expectations = [
        f"  - {{ receiver: visitor, sees: exhibit-{number}, between: [{number * 80 - 10}s, {number * 80 + 20}s] }}" for number in range(1, 6)
    ]
    path.write_text("\n".join([
        "scenario: walk", "duration: 430s", "physics: office", "beacons:", *beacons,
        "receivers: [ { id: visitor, path: { through: [[0, 0], [400, 0]], speed: 1m/s } } ]", "expect:", *expectations, "",
    ]))  # fmt: skip
    return path


def stay(folder: Path) -> Path:
    """A scenario: a receiver that ranges 20 beacons for an hour."""
    path = folder / "stay.yaml"
    beacons = profile(folder, 20, 100).read_text().splitlines()[1:]
    path.write_text("\n".join([
        "scenario: stay", "duration: 1h", *beacons, "receivers: [ { id: phone } ]",
        "expect: [ { receiver: phone, sees: b0, by: 1h } ]", "",
    ]))  # fmt: skip
    return path


def measured(*command: str | Path) -> tuple[float, float, int]:
    """The seconds that a command takes, those of a processor, and its memory in bytes at most."""
    began = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command}: exit code {process.returncode}"
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def bench_tests(folder: Path) -> None:
    print("Tests of apps and scenarios in virtual time", flush=True)
    program, hour = RELEASE / "beaconry", profile(folder, 20, 100)
    for what, command, goal in (
        ("200 seeds of a walk of 430 s past 6 beacons at 200 ms", ("test", walk(folder), "--seeds", "1..200"), "8 s"),
        ("a scenario of an hour, 20 beacons at 100 ms, one receiver", ("test", stay(folder)), "2 s of a processor"),
        (
            "the same with range",
            ("range", "--profile", hour, "--rate", "max", "--duration", "1h", "--json"), "2 s of a processor",
        ),
    ):  # fmt: skip
        seconds, processor, memory = measured(program, *command)
        report(what, f"{seconds:.1f} s, {processor:.1f} s of a processor, {memory >> 20} MiB", goal=goal)


ON_DASK = """\
import sys, time, beaconry
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        began = time.monotonic()
        beaconry.sweep(sys.argv[1], client.get_executor())
        print(time.monotonic() - began)
"""


def bench_sweep(folder: Path) -> None:
    print("Sweeps", flush=True)
    program, spec, count = RELEASE / "beaconry", folder / "bench-sweep.yaml", 400
    seconds = []
    spec.write_text(f"sweep: bench\nscenario: {CHECKOUT / 'scenarios' / 'two-rooms.yaml'}\nseeds: 1..{count}\n")
    for jobs, what in ((1, "one process"), (2, "two processes")):
        taken, _, memory = measured(program, "sweep", spec, "--jobs", str(jobs))
        seconds.append(taken)
        report(f"sweep: runs a second with {what}, scenario of 66 s", f"{count / taken:.0f}, {memory >> 20} MiB", ratio=f"{seconds[0] / taken:.2f}")
    python = CHECKOUT / ".build" / "peers" / "dask" / "bin" / "python"
    if not python.exists():
        print("  without Dask's overhead: dask is missing, see Scripts/install-dependencies peers", flush=True)
        return
    # Short runs, beside which the engine's part is seen.
    scenario = folder / "short.yaml"
    scenario.write_text("\n".join([
        "scenario: short", "duration: 1s", *profile(folder, 1, 100).read_text().splitlines()[1:], "receivers: [ { id: phone } ]",
        "expect: [ { receiver: phone, sees: b0, by: 1s } ]", "",
    ]))  # fmt: skip
    spec.write_text(f"sweep: bench\nscenario: {scenario}\nseeds: 1..{count}\n")
    alone, _, _ = measured(program, "sweep", spec, "--jobs", "1")
    script = folder / "on_dask.py"
    script.write_text(ON_DASK)
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python" / "src"), "BEACONRY_BINARY": str(program)}
    with_dask = float(subprocess.run([python, script, spec], env=environment, capture_output=True, text=True, check=True).stdout)
    report("sweep: Dask's overhead a run, batches of 16, one worker", f"{(with_dask - alone) / count * 1000:.1f} ms", f"{alone / count * 1000:.1f} ms a run without it")


def bench_virtual_time(_: Path, *rows: str) -> None:
    print("Virtual time", flush=True)
    output = subprocess.run([RELEASE / "beaconry-bench", *rows], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        result = json.loads(line)
        report(result["what"], result["ours"], result.get("theirs", ""), result.get("ratio", ""), result.get("goal", ""))


def bench_collisions(_: Path) -> None:
    print("The table of docs/physics.md", flush=True)
    print(subprocess.run([RELEASE / "beaconry-bench", "collisions"], capture_output=True, text=True, check=True).stdout)


def bench_crowd(folder: Path) -> None:
    bench_virtual_time(folder, "crowd")


def bench_phones(folder: Path) -> None:
    bench_virtual_time(folder, "phones")


def print_table() -> None:
    cells = [["", "beaconry", "peer", "ratio", "goal"]] + [[r.what, r.ours, r.theirs, r.ratio, r.goal] for r in ROWS]
    widths = [max(len(row[column]) for row in cells) for column in range(5)]
    print()
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main() -> int:
    wanted = sys.argv[1:]
    benches = {
        "air": bench_air, "in-process": bench_in_process, "reads": bench_reads, "throughput": bench_throughput, "start": bench_start,
        "memory": bench_memory, "api": bench_api, "events": bench_events, "virtual-time": bench_virtual_time, "crowd": bench_crowd, "phones": bench_phones,
        "tests": bench_tests, "sweep": bench_sweep, "collisions": bench_collisions,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, bench in benches.items():
            if not wanted or name in wanted:
                bench(Path(folder))
    print_table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
