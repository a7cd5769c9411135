# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""As much of HCI over TCP as loads need: advertisers that are told once, and a scanner that counts."""

from __future__ import annotations

import socket
import struct
import time

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
