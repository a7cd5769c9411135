# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The clients of `chaos.py` that change single beacons.

Each setting and each state of a beacon has one owner, so that the last acknowledged request of the owner is what counts. The
requests of different owners, and those of the director, overlap.
"""

from __future__ import annotations

import json
import random
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from chaos_clients import PATIENCE, HTTPClient, Lost, Program, Refused
from chaos_model import RACED, Beacon, Change, Entry, Model, Operation, Register, Setting, constant, draw_position

OWNERS = ("ctl", "patch", "post")
ATTRIBUTES = ("uuid", "major", "minor", "measured-power", "interval", "tx-power", "power", "muted", "position", "entry")
CONFIGURED = {"uuid", "major", "minor", "interval", "tx-power", "power", "muted"}
"""What the central owns of the beacons that it configures."""


class Gate:
    """Lets the writers work, or stops all of them between two requests."""

    def __init__(self, writers: int) -> None:
        self._changed = threading.Condition()
        self._writers = writers
        self._parked = 0
        self._is_open = False
        self.is_over = False

    @property
    def is_open(self) -> bool:
        return self._is_open

    def open(self) -> None:
        """Lets the writers work."""
        with self._changed:
            self._is_open = True
            self._changed.notify_all()

    def close(self, *, over: bool = False) -> None:
        """Stops the writers, and waits until all have stopped."""
        with self._changed:
            self._is_open = False
            self.is_over |= over
            self._changed.notify_all()
            stopped = self._changed.wait_for(lambda: self._parked == self._writers, 3 * PATIENCE)
        assert stopped, "a writer does not stop"

    def park(self) -> None:
        """Waits until the writers may work."""
        with self._changed:
            self._parked += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_open or self.is_over)
            if not self.is_over:
                self._parked -= 1


class Writer(threading.Thread):
    """Sends one request after the other while the gate is open."""

    def __init__(self, name: str, program: Program, gate: Gate, seed: object) -> None:
        super().__init__(name=name, daemon=True)
        self.program = program
        self.model: Model = program.model
        self.gate = gate
        self.chance = random.Random(f"{seed}/{name}")

    def run(self) -> None:
        while True:
            self.gate.park()
            if self.gate.is_over:
                return
            while self.gate.is_open:
                try:
                    self.step()
                except Lost:
                    self.reset()
                    if not self.program.is_ending:
                        self.model.differ(f"{self.name}: the program closed the connection")
                    # The gate closes soon.
                    time.sleep(0.02)
                except Exception:  # noqa: BLE001
                    self.reset()
                    if not self.program.is_ending:
                        self.model.differ(f"{self.name}: {traceback.format_exc()}")
                    time.sleep(0.1)
            try:
                self.pause()
            except Exception:  # noqa: BLE001
                self.reset()
                if not self.program.is_ending:
                    self.model.differ(f"{self.name}: {traceback.format_exc()}")

    def step(self) -> None:
        """Sends a request."""
        raise NotImplementedError

    def pause(self) -> None:
        """Called when the gate was closed."""

    def reset(self) -> None:
        """Called after the loss of the connection."""

    # Requests

    def send(self, operation: Operation, request: Callable[[], Any], *, parts: int = 1) -> bool:
        """Sends a request; returns whether it was acknowledged. One of several parts may be refused after some of them."""
        try:
            request()
        except Lost:
            self.model.lose(operation)
            raise
        except Refused as refusal:
            if self.program.is_ending:
                self.model.lose(operation, str(refusal))
                raise Lost from refusal
            if parts > 1:
                self.model.lose(operation, f"refused, perhaps in part: {refusal}")
            else:
                self.model.refuse(operation, str(refusal))
            if not self.may_be_refused(operation, refusal):
                self.model.differ(f"{operation.kind} {operation.text} was refused: {refusal}", *operation.devices)
            return False
        self.model.acknowledge(operation)
        return True

    def may_be_refused(self, operation: Operation, refusal: Refused) -> bool:
        """Whether a request may be refused: what it changes may be absent."""
        absent = [name for name in operation.devices if self.model.may_have_been_absent(name, operation)]
        return refusal.code == "unknown-beacon" and bool(absent)

    def switch(self, beacon: Beacon, requests: Requests) -> None:
        """Switches a beacon on or off, or exchanges its battery."""
        if len(beacon.power.values) > 1:
            self.read_power(beacon, requests)
        flat, enabled = next(iter(beacon.power.values))
        actions = ["full"] if flat else ["flat", "disable" if enabled else "enable", "enable", "disable"]
        action = self.chance.choice(actions)
        changes: dict[str, Callable[[Any], Any]] = {
            "enable": lambda value: value if value[0] else (False, True), "disable": lambda value: (value[0], False),
            "flat": lambda value: (True, False), "full": lambda value: (False, True) if value[0] else value,
        }  # fmt: skip
        operation = self.model.begin(action, beacon.name, [(beacon.power, changes[action])], beacon.name)
        self.send(operation, lambda: requests.switch(beacon.name, action))

    def read_power(self, beacon: Beacon, requests: Requests) -> None:
        """Reads what overlapping requests have made of a state, on which the next request depends."""
        with self.model.structure.shared():
            try:
                status = requests.control.exchange("GET", f"/v1/beacons/{beacon.name}")
            except Refused:
                return
            found = (status["battery"] == "flat", status["enabled"])
            if found not in beacon.power.values:
                self.model.differ(f"{beacon.name} has the power {found}, not one of {beacon.power.values}", beacon.name)
            beacon.power.settle(found)

    def mute(self, beacon: Beacon, requests: Requests) -> None:
        """Mutes a beacon, or ends that."""
        muted = self.chance.random() < 0.4
        operation = self.model.begin("mute" if muted else "unmute", beacon.name, [(beacon.muted, constant(muted))], beacon.name)
        self.send(operation, lambda: requests.mute(beacon.name, muted))


class Requests:
    """Requests that change single beacons and receivers."""

    def __init__(self, control: HTTPClient) -> None:
        self.control = control

    def patch(self, device: str, members: dict[str, Any]) -> None:
        self.control.exchange("PATCH", f"/v1/beacons/{device}", members, kind="application/merge-patch+json")

    def change(self, device: str, values: dict[str, tuple[str, Any]]) -> None:
        settings = {key: text if key in ("interval", "tx-power") else value for key, (text, value) in values.items()}
        self.patch(device, {"settings": settings})

    def switch(self, device: str, action: str) -> None:
        self.patch(device, {"battery": action} if action in ("flat", "full") else {"enabled": action == "enable"})

    def mute(self, device: str, muted: bool) -> None:
        self.patch(device, {"muted": muted})

    def move(self, name: str, position: Sequence[float]) -> None:
        self.control.exchange("PUT", f"/v1/air/{name}/position", {"position": list(position)})

    def put(self, device: str, document: dict[str, Any]) -> None:
        self.control.exchange("PUT", f"/v1/beacons/{device}", document)

    def remove(self, device: str) -> None:
        self.control.exchange("DELETE", f"/v1/beacons/{device}")

    def add_receiver(self, name: str, position: Sequence[float]) -> None:
        self.control.exchange("POST", "/v1/receivers", {"name": name, "position": list(position)})

    def remove_receiver(self, name: str) -> None:
        self.control.exchange("DELETE", f"/v1/receivers/{name}")

    def close(self) -> None:
        self.control.close()


class TextRequests(Requests):
    """The same with settings and entries as texts."""

    def change(self, device: str, values: dict[str, tuple[str, Any]]) -> None:
        self.patch(device, {"settings": {key: text for key, (text, _) in values.items()}})

    def put(self, device: str, document: dict[str, Any]) -> None:
        self.control.exchange("PUT", f"/v1/beacons/{device}", json.dumps(document).encode(), kind="application/yaml")


class RequestWriter(Writer):
    """A client that changes single beacons, and adds and removes receivers."""

    WEIGHTS = {"set": 62, "power": 9, "muted": 6, "position": 12, "entry": 6, "receiver": 3, "several": 2}

    def __init__(self, name: str, program: Program, gate: Gate, seed: object, requests: Requests) -> None:
        super().__init__(name, program, gate, seed)
        self.requests = requests
        place = OWNERS.index(name)
        self.owned: dict[str, list[str]] = {attribute: [] for attribute in ATTRIBUTES}
        for beacon in self.model.beacons.values():
            if beacon.name == RACED:
                continue
            for number, attribute in enumerate(ATTRIBUTES):
                known = attribute in beacon.registers or attribute in ("power", "muted", "position", "entry")
                configured = beacon.name.startswith("gatt-") and attribute in CONFIGURED
                if known and not configured and (beacon.number + number) % len(OWNERS) == place:
                    self.owned[attribute].append(beacon.name)
        self.receivers = [each for each in self.model.receivers if each.startswith(f"{name}-")]

    def reset(self) -> None:
        self.requests.close()

    def pause(self) -> None:
        self.requests.close()

    def step(self) -> None:
        kind = self.chance.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
        match kind:
            case "set":
                self.change()
            case "power":
                self.switch(self.pick("power"), self.requests)
            case "muted":
                self.mute(self.pick("muted"), self.requests)
            case "position":
                self.move()
            case "entry":
                self.put_or_remove(self.pick("entry"))
            case "receiver":
                self.change_receiver()
            case "several" if not isinstance(self.requests, TextRequests):
                self.change_several(self.requests)

    def pick(self, attribute: str) -> Beacon:
        """A beacon whose attribute this writer owns, mostly one that is in a profile."""
        beacons = [self.model.beacons[name] for name in self.owned[attribute]]
        present = [beacon for beacon in beacons if beacon.entry is not None]
        return self.chance.choice(beacons if attribute == "entry" or not present or self.chance.random() < 0.02 else present)

    def setting(self) -> tuple[Beacon, Setting]:
        """A setting that this writer owns."""
        key = self.chance.choice([each for each in ATTRIBUTES[:6] if self.owned[each]])
        beacon = self.pick(key)
        return beacon, next(each for each in beacon.settings if each.key == key)

    def change(self) -> None:
        beacon, setting = self.setting()
        text, value = setting.draw(self.chance)
        changes: list[Change] = [(beacon.registers[setting.key], constant(value))]
        operation = self.model.begin("set", f"{beacon.name} {setting.key}={text}", changes, beacon.name)
        self.send(operation, lambda: self.requests.change(beacon.name, {setting.key: (text, value)}))

    def change_several(self, requests: Requests) -> None:
        """Changes settings, position and muting of a beacon by one PATCH."""
        beacon, _ = self.setting()
        members: dict[str, Any] = {}
        changes: list[Change] = []
        for setting in beacon.settings:
            if beacon.name in self.owned[setting.key]:
                text, value = setting.draw(self.chance)
                members.setdefault("settings", {})[setting.key] = text
                changes.append((beacon.registers[setting.key], constant(value)))
        if beacon.name in self.owned["position"]:
            position = draw_position(self.chance)
            members["position"] = list(position)
            changes.append((beacon.position, constant(position)))
        if beacon.name in self.owned["muted"]:
            members["muted"] = self.chance.random() < 0.4
            changes.append((beacon.muted, constant(members["muted"])))
        operation = self.model.begin("several", f"{beacon.name} {members}", changes, beacon.name)
        self.send(operation, lambda: requests.patch(beacon.name, members), parts=len(members))

    def move(self) -> None:
        present = [name for name in self.receivers if None not in self.model.receivers[name].values]
        position = draw_position(self.chance)
        if present and self.chance.random() < 0.1:
            name = self.chance.choice(present)
            register = self.model.receivers[name]
            operation = self.model.begin("move", f"{name} {position}", [(register, lambda value: position if value else None)], name)
            # PATCH /v1/beacons is for beacons only.
            self.send(operation, lambda: Requests.move(self.requests, name, position))
            return
        beacon = self.pick("position")
        operation = self.model.begin("move", f"{beacon.name} {position}", [(beacon.position, constant(position))], beacon.name)
        self.send(operation, lambda: self.requests.move(beacon.name, position))

    def put_or_remove(self, beacon: Beacon) -> None:
        with self.model.structure.shared():
            removes = beacon.entry is not None and not beacon.name.startswith("gatt-") and self.chance.random() < 0.35
            entry = None if removes else Entry.draw(self.chance, saves=beacon.saves)
            if not removes and beacon.entry is not None and self.chance.random() < 0.2:
                entry = beacon.entry
            changes = self.model.redefine({beacon.name: entry})
            operation = self.model.begin("remove" if removes else "put", f"{beacon.name} {entry}", changes, beacon.name)
            if entry is None:
                is_done = self.send(operation, lambda: self.requests.remove(beacon.name))
            else:
                is_done = self.send(operation, lambda: self.requests.put(beacon.name, beacon.document(entry)))
            if is_done:
                self.model.adopt({beacon.name: entry})

    def change_receiver(self) -> None:
        name = self.chance.choice(self.receivers)
        register = self.model.receivers[name]
        if len(register.values) > 1:
            self.read_receiver(name, register)
        if register.values == {None}:
            position = draw_position(self.chance)
            operation = self.model.begin("receiver add", f"{name} {position}", [(register, constant(position))], name)
            self.send(operation, lambda: self.requests.add_receiver(name, position))
        else:
            operation = self.model.begin("receiver remove", name, [(register, constant(None))], name)
            self.send(operation, lambda: self.requests.remove_receiver(name))

    def read_receiver(self, name: str, register: Register) -> None:
        with self.model.structure.shared():
            server = self.requests.control.servers.get(name)
            found = tuple(server["position"]) if server else None
            if found not in register.values:
                self.model.differ(f"the receiver {name} is at {found}, not one of {register.values}", name)
            register.settle(found)
