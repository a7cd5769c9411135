# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Controllers with a character on a virtual air of Beaconry, under the kernel as hci2 and further, and a well-behaved receiver
on the same air, whose reports do not pass the kernel. It receives on the air of the controllers of the machine as well, if they
are of rootcanal or Beaconry: what it receives is what is on the air, whatever a program reports."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from beaconry import Beaconry
from raw_host import CREATE_CONNECTION, DISCONNECT, Gone, RawHost, wire
from vhci import Record, Report, RigError, World, adapter_property, eventually, extended_reports, legacy_reports

QUIET = "profile: air\nbeacons:\n  - { id: air, device: raw, pdu: ADV_NONCONN_IND, advertising-data: 03ffffff, interval: 1s }\n"
"""A run needs a profile: a beacon that no test looks for."""


class Receiver(RawHost):
    """A host that scans all the time, and records each report with its time."""

    def __init__(self, port: int, *, actively: bool = False, file: Path | None = None) -> None:
        """Starts the scan; `actively` requests scan responses, and receives extended advertising as well. With a file, each
        report is a line in it: time, PDU type, address, RSSI, and data."""
        super().__init__(port)
        self._reports: list[Report] = []
        self._changed = threading.Condition()
        self._file = file.open("w", buffering=1) if file else None
        self.start()
        self.scan_actively() if actively else self.scan()
        threading.Thread(target=self._listen, daemon=True).start()

    def scan_actively(self) -> None:
        """Scans actively, continuously, with duplicates, by the extended commands."""
        for opcode, parameters in (
            (0x2005, wire("C0:0B:1E:AB:A1:5C")),
            (0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 160, 160)),
            (0x2042, struct.pack("<BBHH", 1, 0, 0, 0)),
        ):
            assert self.command(opcode, parameters) == b"\x00"

    def _listen(self) -> None:
        with suppress(Gone):
            while True:
                self.listen(3600)
        self.socket.close()
        if self._file:
            self._file.close()

    def close(self, *, reset: bool = False) -> None:
        """Leaves the air."""
        with suppress(OSError):  # the other end was first
            self.socket.shutdown(socket.SHUT_RDWR)

    def _note(self, packet: bytes) -> None:
        if packet[:2] != b"\x04\x3e" or packet[3] not in (0x02, 0x0D):
            return
        read = legacy_reports if packet[3] == 0x02 else extended_reports
        reports = read(Record(time.time(), -1, "event", packet[1:]))
        for each in reports if self._file else ():
            moment = f"{time.strftime('%T', time.localtime(each.time))}.{int(each.time % 1 * 1000):03}"
            print(moment, each.pdu, each.address, each.rssi, each.data.hex(), file=self._file)
        with self._changed:
            self._reports += reports
            self._changed.notify_all()

    def since(self, moment: float) -> list[Report]:
        """The reports since a time."""
        with self._changed:
            return self._since(moment)

    def _since(self, moment: float) -> list[Report]:
        first = len(self._reports)
        while first > 0 and self._reports[first - 1].time >= moment:
            first -= 1
        return self._reports[first:]

    def wait_for(self, condition: Callable[[list[Report]], Any], since: float, timeout: float = 120) -> list[Report]:
        """Waits until a condition holds for the reports since a time, and returns them; otherwise the test fails."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not condition(reports := self._since(since)):
                if not self._changed.wait(deadline - time.monotonic()):
                    seen = sorted({(each.pdu, each.address, each.data.hex()) for each in reports})
                    raise AssertionError(f"not within {timeout:g} s; {len(reports)} reports were of\n" + "\n".join(map(str, seen)))
            return reports


class Visitor(RawHost):
    """A central on the air."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.start()

    def connect_to(self, address: str, is_random: bool = False, timeout: float = 60) -> int:
        """Connects to a beacon with a supervision timeout of 4 s; returns the connection handle."""
        peer = struct.pack("<B6s", is_random, wire(address))
        parameters = struct.pack("<HHB7sBHHHHHH", 16, 16, 0, peer, 0, 24, 24, 0, 400, 0, 0)
        assert self.command(CREATE_CONNECTION, parameters) == b"\x00"
        if self.handle is None:
            self.wait(lambda packet: packet[0] == 4 and self.handle is not None, timeout)
        assert self.handle is not None
        return self.handle

    def leave(self) -> None:
        """Ends the connection, and waits for its end."""
        assert self.command(DISCONNECT, struct.pack("<HB", self.handle, 0x13)) == b"\x00"
        self.wait(lambda _: self.handle is None)


class VirtualAir:
    """A run whose controllers are hciN of the kernel, one of each character; "" is none."""

    receiver: Receiver | None = None

    def __init__(
        self, beaconry: Beaconry, world: World, characters: Sequence[str], starts: bool = True, profile: str = QUIET
    ) -> None:
        """Starts the run of a profile; with `starts`, returns when the kernel has set up the controllers.

        The kernel gives a new controller 2 s for each command, which the run may exceed on a busy host. Then the kernel has
        given up, and the controllers are added again.
        """
        self._management = world.management
        self._profile = profile
        self._others = {each.index for each in world.management.controllers()}
        servers = [option for each in characters for option in ("--hci-server", f"vhci?as={each}" if each else "vhci")]
        self._options = [*servers, "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", "--control", "none"]
        for _ in range(4):
            self._join(beaconry)
            try:
                if starts:
                    eventually("the kernel has set up the controllers", self._is_set_up, timeout=30)
                break
            except RigError:
                self.close()
        else:
            raise RigError(f"the kernel does not set up {characters}")
        self.receiver = Receiver(self.port)

    def _join(self, beaconry: Beaconry) -> None:
        self.run = beaconry.run(beaconry.profile(self._profile, "air.yaml"), *self._options, radio="virtual")
        places = self.run.wait("radio-ready")["servers"]
        self.joined = time.monotonic()
        """About when the controllers joined, from which their characters count the time."""
        self.indexes = [int(each.removeprefix("vhci:hci")) for each in places if each.startswith("vhci:")]
        """N of hciN, in the order of the characters."""
        [self.port] = [int(each.rpartition(":")[2]) for each in places if each.startswith("tcp:")]

    def _is_set_up(self) -> bool:
        return set(self.indexes) <= {each.index for each in self._management.controllers()}

    @property
    def radio(self) -> str:
        """The name of the first controller for --radio."""
        return f"bluez:hci{self.indexes[0]}"

    def wait_until_powered(self) -> None:
        """Waits until bluetoothd has powered the controllers on; on a busy host its first attempt may have failed."""
        for index in self.indexes:
            try:
                eventually(f"hci{index} powered", lambda: adapter_property(index, "Powered"), timeout=30)
            except RigError:
                self._management.power(index, True)
                eventually(f"hci{index} powered", lambda: adapter_property(index, "Powered"))

    def visitor(self) -> Visitor:
        """Another host on the air."""
        return Visitor(self.port)

    def close(self) -> None:
        """Removes the controllers from the kernel."""
        if self.receiver:
            self.receiver.close()
        self.run.end()
        gone = "the kernel has lost the controllers"
        eventually(gone, lambda: {each.index for each in self._management.controllers()} <= self._others)
        for index in self.indexes:
            eventually(f"bluetoothd has lost hci{index}", lambda: adapter_property(index, "Address") is None)


AirStarter = Callable[..., VirtualAir]
"""Starts a virtual air with a controller of each character; `starts` is whether the kernel is expected to set them up, `profile` has
its beacons."""
