# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A host on a controller behind a TCP port, with as little code as possible between a test and the bytes: it can send any
bytes, and counts reports. Bumble's hosts send only valid packets, and are much slower."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable

RESET, SET_EVENT_MASK, LE_SET_EVENT_MASK, READ_ADDRESS = 0x0C03, 0x0C01, 0x2001, 0x1009
DISCONNECT, CREATE_CONNECTION = 0x0406, 0x200D
ATTRIBUTES = 4
READ_REQUEST, READ_RESPONSE = 0x0A, 0x0B


class Gone(Exception):
    """The other end has closed the connection."""


class Disconnected(Exception):
    """The connection to a beacon has ended."""


def command(opcode: int, parameters: bytes = b"") -> bytes:
    """An H4 packet with a command."""
    return struct.pack("<BHB", 1, opcode, len(parameters)) + parameters


def data(handle: int, payload: bytes, boundary: int = 0) -> bytes:
    """An H4 packet with ACL data."""
    return struct.pack("<BHH", 2, handle & 0x0FFF | boundary << 12, len(payload)) + payload


def frame(channel: int, payload: bytes) -> bytes:
    """An L2CAP frame."""
    return struct.pack("<HH", len(payload), channel) + payload


def wire(address: str) -> bytes:
    """An address in HCI order."""
    return bytes.fromhex(address.replace(":", ""))[::-1]


class RawHost:
    """A host that reads while it writes, so that it never deadlocks with the other end."""

    def __init__(self, port: int, *, buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(300)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self._rest = b""
        self._packets: deque[bytes] = deque()
        self.handle: int | None = None
        """The connection handle, while connected."""
        self.attribute_pdus: deque[bytes] = deque()
        self.reports: dict[bytes, int] = {}
        """The number of advertising reports by address."""

    def close(self, *, reset: bool = False) -> None:
        """Closes the connection, with or without a TCP reset."""
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def fileno(self) -> int:
        return self.socket.fileno()

    # Packets

    def send(self, octets: bytes, timeout: float = 300) -> None:
        """Sends all bytes, and reads the bytes that arrive meanwhile."""
        rest, deadline = memoryview(octets), time.monotonic() + timeout
        while rest:
            readable, writable, _ = select.select([self], [self], [], max(0, deadline - time.monotonic()))
            assert readable or writable, f"{len(rest)} bytes were not accepted"
            if readable:
                self._receive()
            if writable:
                try:
                    rest = rest[self.socket.send(rest) :]
                except BlockingIOError:
                    pass
                except OSError as error:
                    raise Gone from error

    def _receive(self) -> None:
        try:
            octets = self.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError as error:
            raise Gone from error
        if not octets:
            raise Gone
        octets = self._rest + octets
        place, end = 0, len(octets)
        while end - place >= 5 or end - place >= 3 and octets[place] == 4:
            if octets[place] == 4:
                size = 3 + octets[place + 2]
            else:
                assert octets[place] == 2, f"this is not a packet: {octets[place:place + 32].hex()}"
                size = 5 + octets[place + 3] + (octets[place + 4] << 8)
            if end - place < size:
                break
            self._packets.append(octets[place : place + size])
            place += size
        self._rest = octets[place:]

    def wait(self, until: Callable[[bytes], bool], timeout: float = 300) -> bytes:
        """The next packet that meets a condition; earlier ones are counted."""
        deadline = time.monotonic() + timeout
        while True:
            while self._packets:
                packet = self._packets.popleft()
                self._note(packet)
                if until(packet):
                    return packet
            left = deadline - time.monotonic()
            if left < 0:
                raise TimeoutError
            if select.select([self], [], [], left)[0]:
                self._receive()

    def listen(self, seconds: float) -> None:
        """Counts the packets of a period."""
        try:
            self.wait(lambda _: False, seconds)
        except TimeoutError:
            pass

    def _note(self, packet: bytes) -> None:
        if packet[0] == 2:
            if packet[2] & 0x30 != 0x10 and packet[7:9] == b"\x04\x00" and len(packet) > 9:
                self.attribute_pdus.append(packet[9:])
        elif packet[1] == 0x3E and packet[3] == 2:
            # One report in each event, as Beaconry's controllers send them.
            address = packet[7:13]
            self.reports[address] = self.reports.get(address, 0) + 1
        elif packet[1] == 0x3E and packet[3] in (1, 0x0A) and packet[4] == 0:
            self.handle = packet[5] | packet[6] << 8
        elif packet[1] == 0x05 and self.handle == packet[4] | packet[5] << 8:
            self.handle = None

    # Commands

    def command(self, opcode: int, parameters: bytes = b"", timeout: float = 300) -> bytes:
        """Sends a command; returns the return parameters of Command Complete, or the status of Command Status."""
        self.send(command(opcode, parameters))
        return self.answer(opcode, timeout)

    def answer(self, opcode: int, timeout: float = 300) -> bytes:
        """The answer to a command that was sent."""
        wanted = struct.pack("<H", opcode)
        packet = self.wait(
            lambda packet: packet[0] == 4
            and (packet[1] == 0x0E and packet[4:6] == wanted or packet[1] == 0x0F and packet[5:7] == wanted),
            timeout,
        )
        return packet[6:] if packet[1] == 0x0E else packet[3:4]

    def start(self) -> None:
        """Resets the controller, and enables all events."""
        for opcode, parameters in ((RESET, b""), (SET_EVENT_MASK, b"\xff" * 8), (LE_SET_EVENT_MASK, b"\xff" * 8)):
            assert self.command(opcode, parameters) == b"\x00"

    def scan(self) -> None:
        """Scans passively, continuously, with duplicates."""
        assert self.command(0x200B, struct.pack("<BHHBB", 0, 160, 160, 0, 0)) == b"\x00"
        assert self.command(0x200C, b"\x01\x00") == b"\x00"

    def advertise(self, number: int, ticks: int = 160) -> None:
        """Advertises a non-connectable frame, from a random address with this number."""
        frame = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
        for opcode, parameters in (
            (0x2005, struct.pack("<I", number) + b"\xbe\xc0"),
            (0x2006, struct.pack("<HHBBB6sBB", ticks, ticks, 3, 1, 0, bytes(6), 7, 0)),
            (0x2008, bytes([len(frame)]) + frame.ljust(31, b"\0")),
            (0x200A, b"\x01"),
        ):
            assert self.command(opcode, parameters) == b"\x00"

    # A connection

    def connect(self, *addresses: str, timeout: float = 300) -> int:
        """Connects to the first of these random addresses that is received."""
        for opcode, parameters in ((0x2010, b""), *((0x2011, b"\x01" + wire(each)) for each in addresses)):
            assert self.command(opcode, parameters) == b"\x00"
        parameters = struct.pack("<HHBB6sBHHHHHH", 16, 16, 1, 0, bytes(6), 0, 6, 6, 0, 200, 0, 0)
        assert self.command(CREATE_CONNECTION, parameters) == b"\x00"
        self.attribute_pdus.clear()
        if self.handle is None:
            self.wait(lambda packet: packet[0] == 4 and self.handle is not None, timeout)
        assert self.handle is not None
        return self.handle

    def request(self, pdu: bytes, timeout: float = 300) -> bytes:
        """The response to an attribute request; other PDUs on that channel are dropped."""
        handle = self.handle
        if handle is None:
            raise Disconnected
        self.attribute_pdus.clear()
        self.send(data(handle, frame(ATTRIBUTES, pdu)))
        self.wait(lambda _: bool(self.attribute_pdus) or self.handle != handle, timeout)
        if not self.attribute_pdus:
            raise Disconnected
        return self.attribute_pdus.popleft()

    def characteristics(self) -> dict[str, int]:
        """The value handles of all characteristics with 128-bit UUIDs."""
        found: dict[str, int] = {}
        start = 1
        while True:
            answer = self.request(struct.pack("<BHHH", 0x08, start, 0xFFFF, 0x2803))
            if answer[0] != 0x09:
                return found
            for place in range(2, len(answer), answer[1]):
                declaration = answer[place : place + answer[1]]
                start = int.from_bytes(declaration[:2], "little") + 1
                if answer[1] == 21:
                    uuid = declaration[5:][::-1].hex()
                    name = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
                    found[name] = int.from_bytes(declaration[3:5], "little")

    def read(self, attribute: int, timeout: float = 300) -> bytes:
        """The value of an attribute."""
        answer = self.request(struct.pack("<BH", READ_REQUEST, attribute), timeout)
        assert answer[0] == READ_RESPONSE, f"reading attribute {attribute} gives {answer.hex()}"
        return answer[1:]
