# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The central of `chaos.py`, which configures beacons over the air."""

from __future__ import annotations

import struct
from typing import Any

from beaconry import BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS
from chaos_clients import CENTRAL, ControlSocket, Lost, Program
from chaos_model import Beacon, Change, constant
from chaos_writers import Gate, Requests, Writer
from raw_host import DISCONNECT, Disconnected, Gone, RawHost

CREATE_CONNECTION_CANCEL = 0x200E


class CentralWriter(Writer):
    """A central that configures beacons, one connection after the other."""

    def __init__(self, program: Program, gate: Gate, seed: object) -> None:
        super().__init__("gatt", program, gate, seed)
        self.beacons = [each for each in self.model.beacons.values() if each.name.startswith("gatt-")]
        self.requests = Requests(ControlSocket(program))
        self.host: RawHost | None = None
        self.target: Beacon | None = None
        self.handles: dict[str, int] = {}

    def reset(self) -> None:
        self.requests.close()
        if self.host:
            self.host.close()
        self.host = None
        self.target = None

    def pause(self) -> None:
        self.leave()
        self.requests.close()

    def step(self) -> None:
        draw = self.chance.random()
        try:
            if draw < 0.01:
                self.leave()
            elif draw < 0.04 or not self.reachable:
                self.change_state()
            else:
                if self.host is None or self.host.handle is None or self.target is None:
                    self.connect()
                self.write()
        except Disconnected:
            self.target = None
        except Gone as error:
            raise Lost from error

    @property
    def reachable(self) -> list[Beacon]:
        """The beacons to which a central can connect."""
        return [
            beacon for beacon in self.beacons
            if beacon.entry is not None and beacon.power.values == {(False, True)} and beacon.muted.values == {False}
        ]  # fmt: skip

    def change_state(self) -> None:
        """Switches a beacon, or mutes one to which nothing is connected: it would take seconds until that is lost."""
        beacon = self.chance.choice(self.beacons)
        if self.chance.random() < 0.5 or beacon is self.target:
            self.switch(beacon, self.requests)
        else:
            self.mute(beacon, self.requests)

    def connect(self) -> None:
        if self.host is None:
            self.host = RawHost(self.program.port(CENTRAL))
            self.host.start()
        # One that was made while it was cancelled.
        self.leave()
        beacons = self.reachable
        if not beacons:
            return
        beacon = self.chance.choice(beacons)
        try:
            self.host.connect(beacon.address, timeout=3)
        except TimeoutError:
            # It may have been switched off, or been removed, meanwhile.
            self.host.command(CREATE_CONNECTION_CANCEL)
            return
        self.handles = self.host.characteristics()
        self.target = beacon

    def leave(self) -> None:
        """Ends the connection."""
        host = self.host
        try:
            if host and host.handle is not None:
                host.command(DISCONNECT, host.handle.to_bytes(2, "little") + b"\x13")
                # The connection may have ended before the answer.
                if host.handle is not None:
                    host.wait(lambda _: host.handle is None)
        except Gone:
            self.reset()
        self.target = None

    def write(self) -> None:
        beacon, host = self.target, self.host
        if beacon is None or host is None:
            return
        characteristic = self.chance.choice((MAJOR_MINOR, MAJOR_MINOR, BEACON_UUID, TRANSMIT_SETTINGS))
        keys = {MAJOR_MINOR: ("major", "minor"), BEACON_UUID: ("uuid",), TRANSMIT_SETTINGS: ("tx-power", "interval")}[characteristic]
        drawn = {each.key: each.draw(self.chance)[1] for each in beacon.settings if each.key in keys}
        changes: list[Change] = [(beacon.registers[key], constant(drawn[key])) for key in keys]
        operation = self.model.begin("gatt write", f"{beacon.name} {drawn}", changes, beacon.name)
        pdu = b"\x12" + struct.pack("<H", self.handles[characteristic]) + self.octets(characteristic, drawn)
        try:
            answer = host.request(pdu)
        except (Disconnected, Gone):
            self.model.lose(operation)
            raise
        if answer == b"\x13":
            self.model.acknowledge(operation)
        else:
            self.model.refuse(operation, answer.hex())
            self.model.differ(f"{beacon.name}: the write {pdu.hex()} got {answer.hex()}", beacon.name)

    @staticmethod
    def octets(characteristic: str, drawn: dict[str, Any]) -> bytes:
        """The value of a characteristic."""
        if characteristic == MAJOR_MINOR:
            return struct.pack("<HH", drawn["major"], drawn["minor"])
        if characteristic == BEACON_UUID:
            return bytes.fromhex(drawn["uuid"].replace("-", ""))
        return struct.pack("<HH", (-23, -6, 0).index(drawn["tx-power"]), int(drawn["interval"].removesuffix("ms")) * 8 // 5)
