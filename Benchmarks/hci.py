# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""As much of HCI over TCP as loads need: advertisers that are told once, a scanner that counts, clients that read."""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Iterator

FRAME = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")


CONNECTABLE, NON_CONNECTABLE = 0, 3


class Host:
    """A host on a controller behind a TCP port."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self.command(0x0C03)
        self.command(0x0C01, b"\xff" * 8)
        self.command(0x2001, b"\xff" * 8)

    def command(self, opcode: int, parameters: bytes = b"") -> bytes:
        """Sends a command and returns what Command Complete returns."""
        self.socket.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
        while True:
            event = self._event()
            if event[1] == 0x0E and struct.unpack_from("<H", event, 4)[0] == opcode:
                if event[6:] and event[6] != 0:
                    raise RuntimeError(f"command 0x{opcode:04X} failed with status 0x{event[6]:02X}")
                return event[6:]
            if event[1] == 0x0F and struct.unpack_from("<H", event, 5)[0] == opcode:
                raise RuntimeError(f"command 0x{opcode:04X} was answered by a status, 0x{event[3]:02X}")

    def _event(self) -> bytes:
        while len(self._rest) < 3 or len(self._rest) < 3 + self._rest[2]:
            self._receive()
        length = 3 + self._rest[2]
        event, self._rest = self._rest[:length], self._rest[length:]
        return event

    def _receive(self) -> None:
        chunk = self.socket.recv(1 << 18)
        if not chunk:
            raise RuntimeError("the controller is gone")
        self._rest += chunk

    def prepare_advertising(self, ticks: int, number: int, kind: int) -> None:
        """Advertising of this type, from a random address of this number."""
        self.command(0x2005, struct.pack("<I", number) + b"\xbe\xc0")
        self.command(0x2006, struct.pack("<HHBBB6sBB", ticks, ticks, kind, 1, 0, bytes(6), 7, 0))
        self.command(0x2008, bytes([len(FRAME)]) + FRAME.ljust(31, b"\0"))

    def start_advertising(self) -> None:
        """Without waiting for the answer, which an overloaded controller does not give."""
        self.socket.sendall(bytes.fromhex("010a200101"))

    def scan(self) -> None:
        """Passive, without a pause, duplicates included."""
        self.command(0x200B, struct.pack("<BHHBB", 0, 160, 160, 0, 0))
        self.command(0x200C, b"\x01\x00")

    def count_reports(self, seconds: float) -> tuple[int, float]:
        """How many advertising reports arrive in so many seconds, and how long it really was.

        Bumble's controller answers the legacy commands with extended reports, and adds scan responses unasked.
        """
        count, began = 0, time.monotonic()
        self.socket.settimeout(1)
        while (now := time.monotonic()) < began + seconds:
            try:
                self._receive()
            except TimeoutError:
                continue
            place, data = 0, self._rest
            while len(data) - place >= 3 and len(data) - place >= 3 + data[place + 2]:
                if data[place + 1] == 0x3E:
                    subevent = data[place + 3]
                    if subevent == 0x02 or (subevent == 0x0D and not data[place + 5] & 8):
                        count += data[place + 4]
                place += 3 + data[place + 2]
            self._rest = data[place:]
        return count, now - began

    def connect(self, address: str, interval: int = 6) -> int:
        """Connects to a random address, with an interval in units of 1.25 ms; the handle."""
        octets = bytes.fromhex(address.replace(":", ""))[::-1]
        self.socket.sendall(
            struct.pack("<BHBHHBB6sBHHHHHH", 1, 0x200D, 25, 96, 96, 0, 1, octets, 0, interval, interval, 0, 200, 0, 0))
        return self.connected()

    def connected(self) -> int:
        """The handle of the next connection."""
        event = self._meta_event(0x01, 0x0A)
        if event[4] != 0:
            raise RuntimeError(f"no connection: status 0x{event[4]:02X}")
        return struct.unpack_from("<H", event, 5)[0]

    def _meta_event(self, *subevents: int) -> bytes:
        """The next LE event with one of these codes."""
        while (event := self._event())[1] != 0x3E or event[3] not in subevents:
            pass
        return event

    def use_long_packets(self, connection: int, octets: int, phy: int) -> None:
        """Data PDUs of this length on LE 1M or 2M."""
        self.command(0x2022, struct.pack("<HHH", connection, octets, 2120))
        if phy == 2:
            self.socket.sendall(struct.pack("<BHBHBBBH", 1, 0x2032, 7, connection, 0, 2, 2, 0))
            self._meta_event(0x0C)

    def packets(self) -> Iterator[bytes]:
        """The ACL data packets and the events that have come in."""
        data, place = self._rest, 0
        while len(data) - place >= 5:
            length = 3 + data[place + 2] if data[place] == 4 else 5 + struct.unpack_from("<H", data, place + 3)[0]
            if len(data) - place < length:
                break
            yield data[place : place + length]
            place += length
        self._rest = data[place:]


class Reader(Host):
    """Clients of one host that read a value again and again, each the next time when the answer to its last one is there."""

    def __init__(self, port: int, addresses: list[str], characteristic: str) -> None:
        super().__init__(port)
        self._requests: dict[int, bytes] = {}
        self._responses: dict[int, bytes] = {}
        for address in addresses:
            connection = self.connect(address)
            value = bytes.fromhex(characteristic.replace("-", ""))[::-1]
            self.socket.sendall(self._packet(connection, struct.pack("<BHH", 0x08, 1, 0xFFFF) + value))
            while not (answers := self._answers()):
                self._receive()
            _, answer = answers[0]
            if answer[0] != 0x09:
                raise RuntimeError(f"{address} has no characteristic {characteristic}")
            self._requests[connection] = self._packet(connection, b"\x0a" + answer[2:4])
            self._responses[connection] = b"\x0b" + answer[4:]

    def _packet(self, connection: int, pdu: bytes) -> bytes:
        return struct.pack("<BHHHH", 2, connection, len(pdu) + 4, len(pdu), 4) + pdu

    def _answers(self) -> list[tuple[int, bytes]]:
        """The attribute protocol PDUs that have come in, each with its connection; each fits into one packet."""
        return [(struct.unpack_from("<H", packet, 1)[0] & 0x0FFF, packet[9:]) for packet in self.packets() if packet[0] == 2]

    def begin(self) -> None:
        """The first request of each."""
        self.socket.sendall(b"".join(self._requests.values()))

    def take(self) -> int:
        """Takes the answers that have come in, checks them and asks again; how many there were."""
        self._receive()
        answers = self._answers()
        for connection, answer in answers:
            if answer != self._responses[connection]:
                raise RuntimeError(f"a read was answered by {answer.hex()}")
        self.socket.sendall(b"".join(self._requests[connection] for connection, _ in answers))
        return len(answers)


def reads_a_second(readers: list[Reader], seconds: float) -> float:
    """How many reads of all of them are answered in a second."""
    waiting = selectors.DefaultSelector()
    for reader in readers:
        waiting.register(reader.socket, selectors.EVENT_READ, reader)
        reader.begin()
    count, began = 0, time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        for key, _ in waiting.select(1):
            count += key.data.take()
    waiting.close()
    return count / (now - began)


def bytes_a_second(port: int, octets: int, phy: int, interval: int, seconds: float) -> float:
    """The throughput of a connection whose central always has data: as many packets as its controller has buffers."""
    peripheral, central = Host(port), Host(port)
    peripheral.prepare_advertising(32, 1, CONNECTABLE)
    peripheral.start_advertising()
    connection = central.connect("C0:BE:00:00:00:01", interval)
    peripheral.connected()
    central.use_long_packets(connection, octets, phy)
    packet = struct.pack("<BHH", 2, connection, octets) + bytes(octets)
    central.socket.sendall(packet * 16)
    waiting = selectors.DefaultSelector()
    for host in (central, peripheral):
        waiting.register(host.socket, selectors.EVENT_READ, host)
    # A second until all buffers are in use.
    received, end, began = 0, time.monotonic() + 1, 0.0
    while True:
        if (now := time.monotonic()) >= end:
            if began:
                break
            received, end, began = 0, now + seconds, now
        for key, _ in waiting.select(0.1):
            key.data._receive()
            completed = 0
            for item in key.data.packets():
                if item[0] == 2:
                    received += len(item) - 5
                elif item[1] == 0x13:
                    completed += struct.unpack_from("<H", item, 6)[0]
            if completed:
                central.socket.sendall(packet * completed)
    for host in (central, peripheral):
        host.socket.close()
    return received / (now - began)
