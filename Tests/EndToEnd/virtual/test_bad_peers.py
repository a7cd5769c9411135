# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Misbehaving hosts on controllers of our virtual air: the program withstands them, and other hosts are not disturbed."""

from __future__ import annotations

import os
import random
import resource
import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry, Run
from healthy import HealthyHosts
from raw_host import CREATE_CONNECTION, READ_ADDRESS, RESET, Gone, RawHost, command, data, wire
from test_hosts import ENTRANCE, PLAIN, TWO

BESIDE = """  - id: beside
    device: iot-design-shop
    address: C0:FF:EE:00:00:03
    ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 2, minor: 3, measured-power: -59 }
    interval: 100ms
"""
BESIDE_ADDRESS = "C0:FF:EE:00:00:03"


class Air:
    """A running program with healthy hosts on its air: one connected to `beside`, and one that receives `plain`."""

    def __init__(self, run: Run, transport: str) -> None:
        self.run = run
        self.port = int(transport.rsplit(":", 1)[1])
        self.healthy = HealthyHosts(
            self.port, beacon=BESIDE_ADDRESS, value=bytes.fromhex("02000300"), advertiser=PLAIN
        )

    def host(self, *, buffer: int | None = None) -> RawHost:
        """Another host."""
        host = RawHost(self.port, buffer=buffer)
        host.start()
        return host

    @property
    def resident(self) -> int:
        """The program's memory in KiB."""
        status = Path(f"/proc/{self.run.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def end(self, *, rate: float = 10) -> None:
        """Expects the healthy hosts to have received and read without disturbance, and the program to end in order."""
        print(self.healthy.end(patience=30, rate=rate))
        assert self.run.end() == 0


Start = Callable[..., Air]


@pytest.fixture
def start(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> Iterator[Start]:
    """Starts a program with healthy hosts."""
    started: list[Air] = []

    def begin(*options: str) -> Air:
        run, transport = air(beaconry.profile(TWO + BESIDE), "--ephemeral", *options)
        started.append(Air(run, transport))
        return started[-1]

    yield begin
    for each in started:
        each.healthy.kill()


def test_host_that_does_not_read_loses_reports(start: Start) -> None:
    """Only this host loses old reports; other hosts receive all, and the program's memory does not grow."""
    air = start()
    advertisers = [air.host() for _ in range(2)]
    # 64 sets each, every 20 ms: 5,000 reports a second for each scanning host.
    for number, advertiser in enumerate(advertisers):
        for handle in range(64):
            address = bytes([handle, number, 0, 0, 0, 0xC1])
            parameters = [handle, 0x10, 0, 32, 0, 0, 32, 0, 0, 7, 1, *bytes(8), 127, 1, 0, 1, 0, 0]
            advertiser.command(0x2036, bytes(parameters))
            advertiser.command(0x2035, bytes([handle]) + address)
            advertiser.command(0x2037, bytes([handle, 3, 1, 31]) + bytes(31))
        for handle in range(64):
            assert advertiser.command(0x2039, bytes([1, 1, handle, 0, 0, 0])) == b"\x00"
    deaf = [air.host(buffer=4096) for _ in range(2)]
    for host in deaf:
        host.scan()
    reader = air.host()
    reader.scan()
    # A busy machine may need longer for the same reports. Those of the first seconds fill the queues.
    reader.wait(lambda _: sum(reader.reports.values()) >= 25_000)
    before = air.resident
    reader.wait(lambda _: sum(reader.reports.values()) >= 65_000)
    assert air.resident < before * 1.1 + 1024, (before, air.resident)
    for other in (*advertisers, reader):
        other.close()
    # The host still receives the latest reports: it is behind by 4,096 reports and the contents of the buffers, no
    # more.
    time.sleep(0.5)
    for host in deaf:
        host.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        assert host.command(READ_ADDRESS)[0] == 0
        before_that = sum(host.reports.values())
        assert 4096 <= before_that < 100_000, before_that
        host.reports.clear()
        host.wait(lambda _: host.reports.get(wire(PLAIN), 0) >= 10)
    air.end()


def test_host_that_reads_late_receives_all_answers(start: Start) -> None:
    """Every command is answered, however many were sent before the first answer was read."""
    air = start()
    host = air.host(buffer=4096)
    sent, octets = 0, command(READ_ADDRESS) * 10_000
    while sent < 40_000_000:
        if not select.select([], [host], [], 1)[1]:
            break
        sent += host.socket.send(octets[sent % len(octets) :])
    # The program stopped reading instead of storing all commands; this number fits into the sockets.
    assert sent < 40_000_000
    rest = -sent % 4
    host.send(command(READ_ADDRESS)[4 - rest :] if rest else b"")
    answers = (sent + rest) // 4
    host.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    host.send(command(RESET))
    count = 0

    def note(packet: bytes) -> bool:
        nonlocal count
        count += packet[4:6] == READ_ADDRESS.to_bytes(2, "little")
        return packet[4:6] == RESET.to_bytes(2, "little")

    host.wait(note)
    assert count == answers
    air.end()


def test_host_that_writes_a_byte_a_second_is_answered(start: Start) -> None:
    """A slow host is valid: each packet is answered when it is complete."""
    air = start()
    host = RawHost(air.port)
    for octet in command(RESET):
        time.sleep(1)
        host.send(bytes([octet]))
    assert host.answer(RESET) == b"\x00"
    air.end()


def test_500_hosts_are_served_at_once(start: Start) -> None:
    """All hosts are answered, although shells usually allow fewer open files than the system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= 1024, "this machine does not allow this many files"
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        air = start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1024), hard))
    hosts = [RawHost(air.port) for _ in range(500)]
    for host in hosts:
        host.send(command(RESET))
    for host in hosts:
        assert host.answer(RESET) == b"\x00"
    for host in hosts[::2]:
        host.close(reset=True)
    for host in hosts[1::2]:
        assert host.command(READ_ADDRESS)[0] == 0
        host.close()
    assert air.host().command(READ_ADDRESS)[0] == 0
    air.end()


def test_hosts_beyond_the_systems_limit_wait(start: Start) -> None:
    """Later hosts wait until there is room; the program neither ends nor uses much processor time."""
    air = start()
    process = air.run.process.pid
    free = 22
    limit = len(list(Path(f"/proc/{process}/fd").iterdir())) + free
    resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, limit))
    hosts = [RawHost(air.port) for _ in range(50)]
    for host in hosts:
        host.send(command(RESET))
    # Some are left for the rest of the process.
    deadline = time.monotonic() + 300
    while len(select.select(hosts, [], [], 1)[0]) < free - 12:
        assert time.monotonic() < deadline
    time.sleep(1)
    assert len(select.select(hosts, [], [], 1)[0]) <= free - 8
    began, before = time.monotonic(), processor_seconds(process)
    time.sleep(3)
    # A busy loop would use all of the time.
    assert processor_seconds(process) - before < (time.monotonic() - began) / 3
    for host in hosts[:20]:
        host.close()
    assert hosts[20].answer(RESET) == b"\x00"
    for host in hosts[20:]:
        host.close()
    assert air.host().command(READ_ADDRESS)[0] == 0
    air.end()


def processor_seconds(process: int) -> float:
    """The processor time of a process, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_host_that_stops_in_a_packet_disturbs_no_other(start: Start) -> None:
    """A host that stops during a command, during data on a connection, and while it connects."""
    air = start()
    for cut in range(1, 8):
        host = air.host()
        host.send(command(0x2005, bytes(6))[:cut])
        host.close(reset=cut % 2 == 0)
    for is_reset in (False, True):
        host = air.host()
        handle = host.connect(ENTRANCE)
        air.run.wait("connected", device="entrance")
        host.send(data(handle, b"\x07\x00\x04\x00\x0a")[:-2])
        host.close(reset=is_reset)
        air.run.wait("disconnected", device="entrance", timeout=300)
    host = air.host()
    assert host.command(CREATE_CONNECTION, bytes([16, 0, 16, 0, 0, 1]) + wire("C0:00:00:00:00:01") + bytes(
        [0, 6, 0, 6, 0, 0, 0, 200, 0, 0, 0, 0, 0])) == b"\x00"  # fmt: skip
    host.close()
    again = air.host()
    again.connect(ENTRANCE)
    air.end()


def test_host_that_sends_garbage_is_disconnected(start: Start) -> None:
    """The program disconnects the host at once for an invalid packet, and later for packets that only look valid."""
    air = start()
    generator = random.Random(1)
    for number in range(200):
        host = air.host() if number % 2 else RawHost(air.port)
        garbage = bytes([generator.choice([0, 6, 9, 0xFF])]) + generator.randbytes(generator.randrange(5000))
        with pytest.raises(Gone):
            host.send(garbage)
            host.wait(lambda _: False)
        host.close()
    # The controllers of disconnected hosts are free again.
    assert air.host().command(READ_ADDRESS)[0] == 0
    air.end()
