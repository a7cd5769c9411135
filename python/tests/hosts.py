# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A host with as little as it needs to scan: HCI over TCP."""

from __future__ import annotations

import socket
import struct

RESET = bytes.fromhex("01030c00")
EVENTS = bytes.fromhex("01010c08ffffffffffffffff")
SCAN = bytes.fromhex("010b200700100010000000") + bytes.fromhex("010c20020100")
ADVERTISING_REPORT = 2


class ScanningHost:
    """A passive scan from its creation until `close`."""

    def __init__(self, h4: str) -> None:
        host, port = h4.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=300)
        self._received = b""
        self._socket.sendall(RESET + EVENTS + SCAN)

    def reports(self, count: int) -> list[tuple[bytes, int]]:
        """The data and the RSSI in dBm of the next advertising reports (Core 5.4, Vol 4, Part E, 7.7.65.2)."""
        found: list[tuple[bytes, int]] = []
        while len(found) < count:
            event, parameters = self._event()
            if event == 0x3E and parameters[0] == ADVERTISING_REPORT:
                length = parameters[10]
                found.append((parameters[11 : 11 + length], struct.unpack("b", parameters[11 + length : 12 + length])[0]))
        return found

    def wait_for_rssi(self, rssi: int) -> None:
        """Waits for a packet with this RSSI; earlier ones are read."""
        while self.reports(1)[0][1] != rssi:
            pass

    def _event(self) -> tuple[int, bytes]:
        kind, event, length = self._take(3)
        assert kind == 4, kind
        return event, self._take(length)

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            more = self._socket.recv(65536)
            if not more:
                raise ConnectionError("the server has closed the connection")
            self._received += more
        taken, self._received = self._received[:count], self._received[count:]
        return taken

    def close(self) -> None:
        self._socket.close()
