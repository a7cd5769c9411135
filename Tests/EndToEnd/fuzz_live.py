#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Sends damaged HCI packets, then damaged L2CAP and attribute PDUs, to a running program. The program must continue with
the same memory, and healthy hosts beside the hostile ones must not be disturbed."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from beaconry import BINARY, MAJOR_MINOR, TRANSMIT_SETTINGS
from fuzz_samples import (
    Commands,
    attribute_pdus,
    extended_commands,
    legacy_commands,
    link_commands,
    other_commands,
    other_frames,
)
from healthy import HealthyHosts
from raw_host import (
    ATTRIBUTES,
    DISCONNECT,
    LE_SET_EVENT_MASK,
    READ_ADDRESS,
    RESET,
    SET_EVENT_MASK,
    Disconnected,
    Gone,
    RawHost,
    command,
    data,
    frame,
)

HEALTHY, PLAIN = "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"
# Many beacons, because a write may take one off the air for ten seconds.
TARGETS = [f"C0:FF:EE:00:01:{number:02X}" for number in range(16)]
EXTREMES = (0, 1, 0x7F, 0x80, 0xFE, 0xFF)


def profile() -> str:
    """A beacon for the healthy connection, one for the scan, and the targets."""

    def beacon(name: str, address: str) -> str:
        uuid = "2173E519-9155-4862-AB64-7953AB146156"
        return (
            f"  - id: {name}\n    device: iot-design-shop\n    address: {address}\n    interval: 20ms\n"
            f"    ibeacon: {{ uuid: {uuid}, major: 2, minor: 3, measured-power: -59 }}\n"
        )

    plain = beacon("plain", PLAIN).replace("iot-design-shop", "ibeacon").replace("20ms", "100ms")
    targets = "".join(beacon(f"target-{number}", address) for number, address in enumerate(TARGETS))
    return "profile: fuzz\nbeacons:\n" + beacon("healthy", HEALTHY) + plain + targets


def damaged(sample: bytes, draw: Callable[[], float]) -> bytes:
    """A sample with up to three damages, usually with none: a sample that is refused at once reaches no code behind that."""
    count = int(draw() * 8) - 4
    if count <= 0:
        return sample
    octets = bytearray(sample)
    for _ in range(count):
        place, kind = int(draw() * (len(octets) + 1)), int(draw() * 7)
        if place == len(octets) or kind == 0:
            octets[place:place] = bytes(int(draw() * 256) for _ in range(1 + int(draw() * 6)))
        elif kind == 1:
            octets[place] ^= 1 << int(draw() * 8)
        elif kind == 2:
            octets[place] = EXTREMES[int(draw() * len(EXTREMES))]
        elif kind == 3:
            del octets[place : place + 1 + int(draw() * 8)]
        elif kind == 4:
            del octets[place:]
        elif kind == 5:
            octets[place:place] = octets[place : place + 8]
        else:
            octets[place] = int(draw() * 256)
    return bytes(octets)


class Hostility:
    """The common part of both fuzzers: sends samples in batches, and verifies that each batch was processed."""

    batch = 64

    def __init__(self, port: int, seed: str, healthy: HealthyHosts) -> None:
        self.port = port
        self.random = random.Random(seed)
        self.draw = self.random.random
        self.healthy = healthy
        self.sent = 0
        self.tally: dict[str, int] = {}

    def count(self, name: str) -> None:
        """Counts an event."""
        self.tally[name] = self.tally.get(name, 0) + 1

    def run(self, count: int) -> None:
        """Sends a number of samples."""
        goal = self.sent + count
        while self.sent < goal:
            self.step(min(self.batch, goal - self.sent))
            self.healthy.check()

    def step(self, count: int) -> None:
        """Sends a batch of samples."""
        raise NotImplementedError


class HCIHostility(Hostility):
    """Hosts that send damaged commands and data, and sometimes break their framing."""

    def __init__(self, port: int, seed: str, healthy: HealthyHosts) -> None:
        super().__init__(port, seed, healthy)
        # A controller accepts one of the two styles until it is reset: each half of the hosts uses one.
        self.styles = legacy_commands(TARGETS), extended_commands(TARGETS)
        self.links, self.others = link_commands(), other_commands(TARGETS)
        self.payloads = [frame(ATTRIBUTES, pdu) for pdu in attribute_pdus()[:60]] + [b"", bytes(251), bytes(1000)]
        self.hosts = [RawHost(port) for _ in range(4)]

    def step(self, count: int) -> None:
        place = self.random.randrange(len(self.hosts))
        host = self.hosts[place]
        handle = host.handle
        packets = [self.packet(self.styles[place % 2], handle) for _ in range(count)]
        self.sent += count
        if self.draw() < 0.02:
            self.hosts[place] = self.break_framing(host, packets)
            return
        if self.draw() < 0.1:
            packets[0] = command(RESET)
        if self.draw() < 0.5:
            packets[1:1] = (command(LE_SET_EVENT_MASK, b"\xff" * 8), command(SET_EVENT_MASK, b"\xff" * 8))
        packets.append(command(READ_ADDRESS))
        host.send(b"".join(packets))
        host.answer(READ_ADDRESS)
        if host.handle not in (handle, None):
            self.count("connected")

    def packet(self, style: Commands, current: int | None) -> bytes:
        """A damaged packet with valid H4 and HCI lengths."""
        draw = self.draw
        handle = current if current and draw() < 0.9 else int(draw() * 4096)
        kind = draw()
        if kind < (0.3 if current else 0.02):
            boundary = int(draw() * 2) if draw() < 0.95 else int(draw() * 16)
            return data(handle, damaged(self.payloads[int(draw() * len(self.payloads))], draw), boundary)
        if kind < (0.45 if current else 0.04):
            opcode, parameters = self.links[int(draw() * len(self.links))]
            if opcode == DISCONNECT and draw() < 0.9:
                opcode, parameters = 0x2016, b""
            parameters = handle.to_bytes(2, "little") + parameters
        else:
            samples = style if kind < 0.8 else self.others
            opcode, parameters = samples[int(draw() * len(samples))]
        if draw() < 0.01:
            opcode ^= 1 << int(draw() * 16)
        return command(opcode, damaged(parameters, draw)[:255])

    def break_framing(self, host: RawHost, packets: list[bytes]) -> RawHost:
        """Sends bytes that are not H4, or an incomplete packet; returns a new host."""
        last = packets[-1]
        try:
            if self.draw() < 0.5:
                # An invalid packet type: the program must close the connection.
                self.count("no packet type")
                host.send(b"".join(packets[:-1]) + b"\x09" + last[1:])
                host.wait(lambda _: False)
            # A wrong length: the following bytes are parsed as something else.
            self.count("wrong length")
            host.send(b"".join(packets[:-1]) + damaged(last, self.draw) + last)
        except Gone:
            self.count("hung up")
        host.close(reset=self.draw() < 0.5)
        return RawHost(self.port)

    def close(self) -> None:
        """Closes all hosts."""
        for host in self.hosts:
            host.close()


class PeerHostility(Hostility):
    """A central with a valid connection to a beacon, which sends damaged PDUs."""

    batch = 16

    def __init__(self, port: int, seed: str, healthy: HealthyHosts) -> None:
        super().__init__(port, seed, healthy)
        self.attribute_pdus = attribute_pdus()
        self.others = other_frames()
        self.host = RawHost(port)
        self.host.start()
        self.host.connect(*TARGETS)
        self.handles = self.host.characteristics()

    def step(self, count: int) -> None:
        host = self.host
        try:
            if host.handle is None:
                self.count("reconnected")
                host.connect(*TARGETS)
                # The interval becomes 20 ms again, for the next connection; no other response may arrive in between.
                host.request(b"\x12" + self.handles[TRANSMIT_SETTINGS].to_bytes(2, "little") + b"\x02\x00\x20\x00")
            handle = host.handle
            if handle is None:
                return
            packets = [self.packets(handle) for _ in range(count)]
            packets.append(command(READ_ADDRESS))
            self.sent += count
            host.send(b"".join(packets))
            host.answer(READ_ADDRESS)
            if self.draw() < 0.02:
                self.ask()
            if self.draw() < 0.002 and host.handle is not None:
                self.count("left")
                host.command(DISCONNECT, handle.to_bytes(2, "little") + b"\x13")
                host.wait(lambda _: host.handle is None)
        except Disconnected:
            self.count("disconnected while asking")

    def ask(self) -> None:
        """Expects a valid request to be answered, unless the connection was closed."""
        read = b"\x0a" + self.handles[MAJOR_MINOR].to_bytes(2, "little")
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            # Waiting requests are answered first; while too many wait, this one is dropped.
            try:
                answer = self.host.request(read, 1)
            except TimeoutError:
                continue
            if answer[0] == 0x0B and len(answer) == 5:
                return self.count("asked")
        raise AssertionError("the beacon no longer answers, and has not disconnected")

    def packets(self, handle: int) -> bytes:
        """A damaged PDU in mostly valid packets."""
        draw = self.draw
        if draw() < 0.9:
            channel, payload = ATTRIBUTES, self.attribute_pdus[int(draw() * len(self.attribute_pdus))]
        else:
            channel, payload = self.others[int(draw() * len(self.others))]
        framed = frame(channel, damaged(payload, draw))
        chance = draw()
        if chance < 0.02:
            framed = damaged(framed, draw)
        elif chance < 0.06 and len(framed) > 1:
            cut = 1 + int(draw() * (len(framed) - 1))
            start, rest = data(handle, framed[:cut]), data(handle, framed[cut:], 1)
            # Divided in two, out of order, or with one fragment lost.
            return (start + rest, start + rest, rest + start, start, rest)[int(draw() * 5)]
        return data(handle, framed, 0 if draw() < 0.99 else int(draw() * 16))

    def close(self) -> None:
        """Closes the connection."""
        self.host.close()


KINDS = HCIHostility, PeerHostility


class Memory:
    """Measurements of the resident size of a process, in KiB."""

    def __init__(self, process: int) -> None:
        self._status = Path(f"/proc/{process}/status")
        self.sizes: dict[str, int] = {}

    def note(self, name: str) -> None:
        """Measures after pending work is done."""
        time.sleep(1)
        lines = dict(line.split(":", 1) for line in self._status.read_text().splitlines())
        self.sizes[name] = int(lines["VmRSS"].split()[0])

    def growth(self, since: str, until: str) -> float:
        """The growth as a fraction of the earlier size."""
        return self.sizes[until] / self.sizes[since] - 1


class Program:
    """The running program; its events, hundreds of thousands, are discarded."""

    def __init__(self, folder: Path, seed: int) -> None:
        (folder / "fuzz.yaml").write_text(profile())
        self._errors = (folder / "errors").open("w+")
        self.process = subprocess.Popen(
            [
                BINARY, "run", folder / "fuzz.yaml", "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0?as=dual-mode",
                "--air-timing", "immediate", "--seed", str(seed), "--ephemeral", "--json",
                "--control", folder / "control",
            ],
            env={**os.environ, "XDG_RUNTIME_DIR": str(folder)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self._errors,
        )  # fmt: skip
        assert self.process.stdout
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "radio-ready":
                self.port = int(event["servers"][0].rsplit(":", 1)[1])
            if event["event"] == "ready":
                break
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stdout
        while self.process.stdout.read1(1 << 16):
            pass

    def last_errors(self) -> str:
        """The end of the text on standard error."""
        self._errors.seek(0)
        return self._errors.read()[-4000:]

    def end(self) -> int:
        """Sends SIGTERM; returns the exit code."""
        self.process.terminate()
        return self.process.wait(60)


def fuzz(program: Program, arguments: argparse.Namespace) -> None:
    """Runs both fuzzers."""
    port, memory = program.port, Memory(program.process.pid)
    healthy = HealthyHosts(port, beacon=HEALTHY, value=bytes.fromhex("02000300"), advertiser=PLAIN)
    try:
        # Warms up: memory that is allocated once is allocated now.
        for kind in KINDS:
            warming = kind(port, f"{arguments.seed}/warming", healthy)
            warming.run(arguments.warming)
            warming.close()
        memory.note("warm")
        for kind, count, name in zip(KINDS, (arguments.packets, arguments.pdus), ("half", "end")):
            began = time.monotonic()
            fuzzer = kind(port, str(arguments.seed), healthy)
            fuzzer.run(count)
            fuzzer.close()
            took = time.monotonic() - began
            memory.note(name)
            print(f"{kind.__name__}: {count} in {took:.1f} s ({count / took:.0f}/s), {fuzzer.tally}", flush=True)
        print(f"resident, in KiB: {memory.sizes}")
        print(f"healthy hosts: {healthy.end(rate=4)}")
        assert abs(memory.growth("half", "end")) <= 0.1, "the memory of the program grows"
        assert program.process.poll() is None, "the program is gone"
        assert program.end() == 0, "the program does not end in order"
    finally:
        healthy.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, default=1_000_000, help="HCI packets (default %(default)s)")
    parser.add_argument("--pdus", type=int, default=1_000_000, help="L2CAP and attribute PDUs (default %(default)s)")
    parser.add_argument("--warming", type=int, default=10_000, help="number of each for the warm-up (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default %(default)s)")
    arguments = parser.parse_args()
    print(f"fuzz_live.py --packets {arguments.packets} --pdus {arguments.pdus} --seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder), arguments.seed)
        try:
            fuzz(program, arguments)
        except BaseException:
            print(f"the program: {program.process.poll()}, {program.last_errors()}", file=sys.stderr)
            raise
        finally:
            program.process.kill()
            program.process.wait()
    print("nothing broke")


if __name__ == "__main__":
    main()
