#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Changes everything that can be changed, by five clients at once, and compares.

Three clients send requests (one at the control socket, two over TCP), a central writes the
configuration service, and a director reloads in all ways, replaces and edits the profile, resets the run and switches the
radio. Now and then the program is killed, or ended, and started again on the same state folder.

After each kill, and whenever all clients pause, three views must be the same: what the requests return, what a host on a raw
controller receives, and the files in the state folder. They must have every acknowledged change; a request without an answer
may have been performed or not.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import select
import struct
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from beaconry import CONFIG_SERVICE
from chaos_central import CentralWriter
from chaos_clients import CENTRAL, PATIENCE, ControlSocket, HTTPClient, Program
from chaos_director import Director
from chaos_model import PROFILE, RACED, SCANNER, SCANNER_POSITION, Beacon, Entry, Model, Register
from chaos_writers import OWNERS, Gate, Requests, RequestWriter, TextRequests, Writer
from raw_host import RawHost, wire

ROUND = 1000
"""The number of acknowledged changes between two comparisons, on average."""
ENDS = ("pause", "kill", "pause", "kill", "pause", "stop", "kill")
"""What happens to the program at the ends of rounds, in turn."""
SCAN_RESPONSE = 0x04


class Scanner(RawHost):
    """A host that scans actively, and keeps the last packets of each address."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.advertisements: dict[bytes, tuple[int, bytes, int]] = {}
        """PDU type, data and RSSI."""
        self.responses: dict[bytes, bytes] = {}
        self.counts: dict[bytes, int] = {}
        self.start()
        assert self.command(0x200B, struct.pack("<BHHBB", 1, 160, 160, 0, 0)) == b"\x00"
        assert self.command(0x200C, b"\x01\x00") == b"\x00"

    def _note(self, packet: bytes) -> None:
        if packet[0] != 4 or packet[1] != 0x3E or packet[3] != 2:
            return super()._note(packet)
        kind, address = packet[5], packet[7:13]
        data, rssi = packet[14 : 14 + packet[13]], struct.unpack("b", packet[14 + packet[13] : 15 + packet[13]])[0]
        if kind == SCAN_RESPONSE:
            self.responses[address] = data
        else:
            self.advertisements[address] = (kind, data, rssi)
            self.counts[address] = self.counts.get(address, 0) + 1
        return None

    def forget(self) -> None:
        """Forgets what was received, and what is yet to be read of it."""
        while select.select([self], [], [], 0)[0]:
            self._receive()
        self._packets.clear()
        for table in (self.advertisements, self.responses, self.counts):
            table.clear()


class Comparison:
    """Compares a run at rest with the model, and takes what it is where requests have overlapped."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.model = program.model
        self.beacons = 0
        self.count = 0
        self.ambiguous = 0

    def run(self) -> None:
        """Notes differences in the model."""
        control, resources = ControlSocket(self.program), HTTPClient(self.program)
        try:
            statuses = self._settled(control)
            self._compare_lists(control, resources, statuses)
            for beacon in self.model.beacons.values():
                self._compare(beacon, statuses.get(beacon.name))
            self._compare_receivers(control)
            self._compare_air(control, statuses)
            self._compare_files(statuses)
        finally:
            control.close()
            resources.close()
        self.count += 1

    def _settled(self, control: ControlSocket) -> dict[str, dict[str, Any]]:
        """The statuses, when no beacon is starting any more."""
        deadline = time.monotonic() + PATIENCE
        while True:
            statuses = {each["id"]: each for each in control.exchange("GET", "/v1/beacons")["beacons"]}
            unsettled = [each for each in statuses.values() if each["state"] != self._state(each)]
            if not unsettled:
                return statuses
            if time.monotonic() > deadline:
                for each in unsettled:
                    self.model.differ(f"{each['id']} is {each['state']}, not {self._state(each)}: {each}", each["id"])
                return statuses
            time.sleep(0.02)

    @staticmethod
    def _state(status: dict[str, Any]) -> str:
        """The state on the air that follows from the rest of a status while the radio is on and no central is connected."""
        if status["battery"] == "flat":
            return "flat-battery"
        if not status["enabled"]:
            return "disabled"
        return "muted" if status["muted"] else "on-air"

    def _compare_lists(self, control: ControlSocket, resources: HTTPClient, statuses: dict[str, dict[str, Any]]) -> None:
        listed = {each["id"]: each for each in resources.exchange("GET", "/v1/beacons")["beacons"]}
        for name in statuses.keys() | listed.keys():
            if statuses.get(name) != listed.get(name):
                self.model.differ(f"{name} is {statuses.get(name)} by the socket, {listed.get(name)} over HTTP", name)
        for name in statuses.keys() - self.model.beacons.keys():
            self.model.differ(f"there is a beacon {name}", name)
        health = resources.send("GET", "/v1/health")
        health.read()
        is_complete = not any(each["state"] == "flat-battery" for each in statuses.values())
        if health.status != (200 if is_complete else 503):
            self.model.differ(f"the health is {health.status}, with {statuses}")

    def _compare(self, beacon: Beacon, status: dict[str, Any] | None) -> None:
        self.beacons += 1
        if (status is None) != (beacon.entry is None):
            self.model.differ(f"{beacon.name} has the entry {beacon.entry}, and the status {status}", beacon.name)
        if status is None or beacon.entry is None:
            return
        if status.get("name") != beacon.entry.name:
            self.model.differ(f"{beacon.name} has the name {status.get('name')}, not {beacon.entry.name}", beacon.name)
        found: dict[str, tuple[Register, Any]] = {
            setting.key: (beacon.registers[setting.key], status["settings"].get(setting.key)) for setting in beacon.settings
        }
        found["power"] = (beacon.power, (status["battery"] == "flat", status["enabled"]))
        found["muted"] = (beacon.muted, status["muted"])
        found["position"] = (beacon.position, tuple(status["position"]) if "position" in status else None)
        for key, (register, value) in found.items():
            self.ambiguous += len(register.values) > 1
            if value not in register.values:
                self.model.differ(f"{beacon.name}: {key} is {value}, not one of {register.values}", beacon.name)
            register.settle(value)

    def _compare_receivers(self, control: ControlSocket) -> None:
        servers = control.servers
        for name in servers.keys() - self.model.receivers.keys() - {SCANNER, CENTRAL}:
            self.model.differ(f"there is a receiver {name}", name)
        for name, register in self.model.receivers.items():
            found = tuple(servers[name]["position"]) if name in servers else None
            self.ambiguous += len(register.values) > 1
            if found not in register.values:
                self.model.differ(f"the receiver {name} is at {found}, not one of {register.values}", name)
            register.settle(found)

    def _compare_air(self, control: ControlSocket, statuses: dict[str, dict[str, Any]]) -> None:
        """What is received must be what the statuses say, until which the last changes may take a moment."""
        scanner = Scanner(self.program.port(SCANNER))
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                scanner.forget()
                scanner.listen(0.3)
                faults = self._air_faults(scanner, statuses)
                if not faults:
                    break
                if time.monotonic() > deadline:
                    for name, sentence in faults:
                        self.model.differ(f"on the air: {name}: {sentence}", name)
                    break
            links = {each["from"]: each for each in control.exchange("GET", "/v1/links")["links"] if each["to"] == SCANNER}
        finally:
            scanner.close()
        for name, link in links.items():
            distance = self._distance(statuses[name]) if name in statuses else None
            if distance is None or not math.isclose(link.get("distance", 1), distance, abs_tol=1e-6):
                self.model.differ(f"the link of {name} is {link}, and the beacon {statuses.get(name)}", name)

    @staticmethod
    def _distance(status: dict[str, Any]) -> float:
        return math.dist(status["position"], SCANNER_POSITION) if "position" in status else 1

    def _air_faults(self, scanner: Scanner, statuses: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
        """Beacons that are not received as their statuses say, each with a clause."""
        faults: list[tuple[str, str]] = []
        known = {wire(beacon.address): beacon for beacon in self.model.beacons.values()}
        for address in scanner.counts.keys() - known.keys():
            faults.append((address[::-1].hex(":"), "nothing has this address"))
        for address, beacon in known.items():
            status = statuses.get(beacon.name)
            if status is None or status["state"] != "on-air":
                if address in scanner.counts:
                    faults.append((beacon.name, f"is received {scanner.counts[address]} times, and is {status}"))
                continue
            pdu, data, response = beacon.advertisement(status)
            power = status["settings"]["tx-power"]
            rssi = -59 + (0 if power == "default" else power) - 20 * math.log10(self._distance(status))
            found = scanner.advertisements.get(address)
            if scanner.counts.get(address, 0) < 2 or found is None:
                faults.append((beacon.name, "is not received"))
            elif found[:2] != (pdu, data) or abs(found[2] - rssi) > 0.501:
                faults.append((beacon.name, f"{found[0]} {found[1].hex()} {found[2]} instead of {pdu} {data.hex()} {rssi:.2f}"))
            elif scanner.responses.get(address) != response:
                faults.append((beacon.name, f"the scan response is {scanner.responses.get(address)!r} instead of {response!r}"))
        return faults

    def _compare_files(self, statuses: dict[str, dict[str, Any]]) -> None:
        """The saved settings must be those of the status; without a file, those of the profile."""
        folder = self.program.state / PROFILE
        for file in folder.iterdir():
            # A write that was killed leaves a new file, which the next one replaces.
            if file.suffix not in (".json", ".lock") and not file.name.endswith(".json.new"):
                self.model.differ(f"there is a file {file.name}", file.name.split(".")[0])
        for beacon in self.model.beacons.values():
            status = statuses.get(beacon.name)
            path = folder / f"{beacon.name}.json"
            if not beacon.saves:
                if path.exists():
                    self.model.differ(f"{beacon.name} must save nothing", beacon.name)
                continue
            if status is None:
                continue
            values = dict(zip((setting.key for setting in beacon.settings), beacon.defaults(Entry())))
            if path.exists():
                saved = json.loads(path.read_text())["settings"]
                values = {
                    "uuid": saved["uuid"], "major": saved["major"], "minor": saved["minor"], "measured-power": saved["measured-power"],
                    "interval": f"{saved['interval-ticks'] * 5 // 8}ms", "tx-power": (-23, -6, 0)[saved["power-code"]],
                }  # fmt: skip
            for setting in beacon.settings:
                found = status["settings"].get(setting.key)
                if found != values[setting.key]:
                    self.model.differ(f"{beacon.name}: {setting.key} is {found}, and {values} is saved", beacon.name)


def make_model() -> Model:
    """The beacons: some that save their settings, some for the central, some that save nothing, and some that come and go."""
    names = [*(f"saved-{n}" for n in range(6)), *(f"gatt-{n}" for n in range(3)), *(f"plain-{n}" for n in range(8)), RACED]
    beacons: dict[str, Beacon] = {}
    for number, name in enumerate([*names, *(f"guest-{n}" for n in range(6))]):
        saves = name.startswith(("saved", "gatt"))
        position = (1.0 + number / 2, 0.0, 0.0) if saves or number % 3 else None
        entry = Entry("Beacon" if number % 2 else None, position, 1 if saves else number)
        beacons[name] = Beacon(name, number, saves=saves, entry=None if name.startswith("guest") else entry)
    return Model(beacons, {f"{owner}-{n}": Register(None) for owner in OWNERS for n in range(3)})


def make_writers(program: Program, gate: Gate, seed: int) -> list[Writer]:
    """The writers."""
    return [
        RequestWriter("ctl", program, gate, seed, TextRequests(ControlSocket(program))),
        RequestWriter("patch", program, gate, seed, Requests(HTTPClient(program))),
        RequestWriter("post", program, gate, seed, TextRequests(HTTPClient(program))),
        CentralWriter(program, gate, seed), Director(program, gate, seed),
    ]  # fmt: skip


def change(program: Program, arguments: argparse.Namespace) -> Comparison:
    """Lets the writers work until the number of changes is reached, or a comparison finds a difference."""
    model, chance = program.model, random.Random(f"{arguments.seed}/rounds")
    gate = Gate(5)
    writers = make_writers(program, gate, arguments.seed)
    comparison = Comparison(program)
    restarts = {"kill": 0, "stop": 0}
    for writer in writers:
        writer.start()
    program.start()
    gate.close()
    comparison.run()
    began = time.monotonic()
    for how in cycle(ENDS):
        if model.total >= arguments.changes or model.differences:
            break
        count = model.total + chance.randint(ROUND // 2, ROUND * 3 // 2)
        gate.open()
        last, since = model.total, time.monotonic()
        while model.total < min(count, arguments.changes) and not model.differences:
            time.sleep(0.01)
            if model.total > last:
                last, since = model.total, time.monotonic()
            assert time.monotonic() - since < 2 * PATIENCE, "nothing is acknowledged any more"
        if how == "kill":
            program.kill()
        elif how == "stop":
            program.stop()
        gate.close()
        if how != "pause":
            restarts[how] += 1
            model.restart()
            program.start()
        comparison.run()
        rate = model.total / (time.monotonic() - began)
        print(f"{model.total:7} {how:5} {rate:.0f}/s, {len(model.differences)} differences", flush=True)
    gate.close(over=True)
    print(f"acknowledged: {dict(model.acknowledged.most_common())}")
    print(f"refused, because the beacon was removed: {dict(model.refused)}")
    print(f"without an answer, because the program or the connection ended: {dict(model.unknown)}")
    print(
        f"{model.total} changes acknowledged, {restarts['kill']} kills, {restarts['stop']} ends in order, "
        f"{model.acknowledged['reset']} resets, {comparison.count} comparisons of {comparison.beacons} beacons, "
        f"{comparison.ambiguous} values of overlapping requests, {len(model.differences)} differences"
    )
    return comparison


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=100_000, help="acknowledged changes (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default %(default)s)")
    arguments = parser.parse_args()
    print(f"chaos.py --changes {arguments.changes} --seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        program = Program(Path(folder), make_model())
        try:
            change(program, arguments)
        except BaseException:
            print(f"the program: {program.last_errors()}", file=sys.stderr)
            raise
        finally:
            program.close()
    for difference in program.model.differences[:20]:
        print(difference, file=sys.stderr)
    sys.exit(1 if program.model.differences else 0)


if __name__ == "__main__":
    main()
