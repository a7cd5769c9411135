# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What a run must be like after the acknowledged changes of several clients.

Each value that a request changes is a `Register`. Requests that do not overlap in time take effect in their order. Of two
that overlap, either may be the later one, so a register may have several candidates until a request follows all of them, or
until the run was read. A request that was not acknowledged, because the program was killed or the connection was lost, adds
candidates and replaces none.
"""

from __future__ import annotations

import random
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from beaconry import CONFIG_SERVICE, ibeacon, service_list

PROFILE = "chaos"
RACED = "raced"
"""A beacon that is changed in conflicting ways only."""
SCANNER, SCANNER_POSITION = "scanner", (0.0, 0.0, 0.0)
UUIDS = ("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "74278BDA-B644-4520-8F0C-720EAF059935", "8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90")
NAMES = (None, "Door", "Shelf", "Till", "K\u00fcche", "Aisle 12", "K")
LOG_LENGTH = 20_000
Change = tuple["Register", Callable[[Any], Any]]


class Register:
    """A value, with the values that it may have after requests that overlapped, and the times of their ends."""

    def __init__(self, value: Any) -> None:
        self._candidates: dict[Any, int] = {value: 0}

    @property
    def values(self) -> set[Any]:
        return set(self._candidates)

    def take(self, change: Callable[[Any], Any], start: int, now: int, *, certain: bool) -> None:
        """Takes a request that began at `start`; one that is not certain may have had no effect."""
        results = {change(value) for value in self._candidates}
        if certain:
            self._candidates = {value: end for value, end in self._candidates.items() if end >= start}
        self._candidates |= {value: now for value in results}

    def settle(self, value: Any) -> None:
        """Takes what was read while no request was under way."""
        self._candidates = {value: 0}


def constant(value: Any) -> Callable[[Any], Any]:
    """A change that does not depend on the former value."""
    return lambda _: value


@dataclass(frozen=True)
class Setting:
    """A setting of `ctl set`."""

    key: str
    draw: Callable[[random.Random], tuple[str, Any]]
    """Its text and its value in the status."""


def _integer(low: int, high: int) -> Callable[[random.Random], tuple[str, Any]]:
    def draw(chance: random.Random) -> tuple[str, Any]:
        value = chance.randint(low, high)
        return str(value), value

    return draw


def _interval(chance: random.Random) -> tuple[str, Any]:
    milliseconds = 5 * chance.randint(4, 12)
    return f"{milliseconds}ms", f"{milliseconds}ms"


def _uuid(chance: random.Random) -> tuple[str, Any]:
    uuid = chance.choice(UUIDS)
    return uuid, uuid


def _power(chance: random.Random) -> tuple[str, Any]:
    value = chance.choice((-23, -6, 0))
    return f"{value}dBm", value


COMMON = (
    Setting("uuid", _uuid), Setting("major", _integer(0, 65535)), Setting("minor", _integer(0, 65535)),
    Setting("measured-power", _integer(-90, -30)), Setting("interval", _interval),
)  # fmt: skip
SAVED = (*COMMON, Setting("tx-power", _power))
"""Those of `iot-design-shop`, which saves them."""


def draw_position(chance: random.Random) -> tuple[float, ...]:
    """A position whose numbers are exact in decimals and in binary."""
    return (chance.randint(2, 80) / 4, chance.randint(-40, 40) / 4, chance.randint(0, 8) / 4)


@dataclass(frozen=True)
class Entry:
    """What varies in the entry of a beacon in a profile."""

    name: str | None = None
    position: tuple[float, ...] | None = None
    minor: int = 1

    @staticmethod
    def draw(chance: random.Random, *, saves: bool) -> Entry:
        """A random entry. What a beacon saves is the same in all its entries, so that a reset has one result."""
        position = draw_position(chance) if saves or chance.random() < 0.8 else None
        return Entry(chance.choice(NAMES), position, 1 if saves else chance.randint(0, 65535))


class Beacon:
    """A beacon, which may be in no profile at present."""

    def __init__(self, name: str, number: int, *, saves: bool, entry: Entry | None) -> None:
        self.name = name
        self.number = number
        self.saves = saves
        self.address = f"C0:FF:EE:00:02:{number:02X}"
        self.settings = SAVED if saves else COMMON
        self.entry = entry
        """In the profile in use; `None` if it is in none."""
        entry = entry or Entry()
        self.registers = {setting.key: Register(value) for setting, value in zip(self.settings, self.defaults(entry))}
        self.power = Register((False, True))
        """Whether its battery is flat, and whether it is switched on."""
        self.muted = Register(False)
        self.position = Register(entry.position)
        self.may_be_absent = self.entry is None
        self.absent_until = 0

    def defaults(self, entry: Entry) -> list[Any]:
        """The values of the settings in an entry."""
        return [UUIDS[0], 1, entry.minor, -59, "30ms", 0][: len(self.settings)]

    def document(self, entry: Entry) -> dict[str, Any]:
        """The keys of an entry in a profile, without its id."""
        keys: dict[str, Any] = {
            "device": "iot-design-shop" if self.saves else "ibeacon", "address": self.address, "interval": "30ms",
            "ibeacon": {"uuid": UUIDS[0], "major": 1, "minor": entry.minor, "measured-power": -59},
        }  # fmt: skip
        if self.saves:
            keys["tx-power"] = "0dBm"
        if entry.name is not None:
            keys["name"] = entry.name
        if entry.position is not None:
            keys["position"] = list(entry.position)
        return keys

    def redefined(self, entry: Entry | None, *, resets: bool = False) -> list[Change]:
        """The changes by a profile with another entry, or by a reset."""
        if entry is None:
            return []
        is_fresh = self.entry is None or resets
        is_other = is_fresh or entry != self.entry
        changes: list[Change] = []
        if is_fresh:
            changes += [(self.power, constant((False, True))), (self.muted, constant(False))]
        if is_other:
            changes.append((self.position, constant(entry.position)))
        if resets or is_other and not self.saves:
            values = zip(self.registers.values(), self.defaults(entry))
            changes += [(register, constant(value)) for register, value in values]
        return changes

    def advertisement(self, status: dict[str, Any]) -> tuple[int, bytes, bytes | None]:
        """PDU type, advertising data and scan response with the values of a status."""
        name = status.get("name")
        structure = b""
        if name is not None:
            octets = name.encode()
            structure = bytes([len(octets) + 1, 0x09]) + octets
        data = ibeacon(*(status["settings"][key] for key in ("uuid", "major", "minor", "measured-power")))
        if self.saves:
            return 0x00, data, service_list(CONFIG_SERVICE) + structure
        return (0x03, data, None) if name is None else (0x02, data, structure)


@dataclass
class Operation:
    """A request that is under way."""

    kind: str
    text: str
    start: int
    changes: list[Change]
    devices: tuple[str, ...]


class Structure:
    """Allows either several changes of single entries, or one change of the whole profile, which would undo them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shared = 0
        self._is_exclusive = False
        self._waiting = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_exclusive and not self._waiting)
            self._shared += 1
        try:
            yield
        finally:
            with self._changed:
                self._shared -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: not self._is_exclusive and self._shared == 0)
            self._waiting -= 1
            self._is_exclusive = True
        try:
            yield
        finally:
            with self._changed:
                self._is_exclusive = False
                self._changed.notify_all()


@dataclass
class Model:
    """The beacons, the receivers that were added, and the file of the profile."""

    beacons: dict[str, Beacon]
    receivers: dict[str, Register]
    """The positions of receivers that clients may add; `None` for one that is not there."""
    structure: Structure = field(default_factory=Structure)
    acknowledged: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._time = 0
        self._log: deque[tuple[tuple[str, ...], str]] = deque(maxlen=LOG_LENGTH)
        self.file: dict[str, Entry] = {each.name: each.entry for each in self.beacons.values() if each.entry is not None}
        """The entries in the file, by id."""
        self._is_resetting = False
        self._reset_until = 0

    @property
    def total(self) -> int:
        """The number of acknowledged changes."""
        return sum(self.acknowledged.values())

    # Requests

    def begin(self, kind: str, text: str, changes: list[Change], *devices: str) -> Operation:
        """Notes that a request is about to be sent. Without devices, it may concern all of them."""
        with self._lock:
            self._time += 1
            return Operation(kind, text, self._time, changes, devices)

    def acknowledge(self, operation: Operation, requests: int = 1) -> None:
        """Takes a request that was acknowledged, or several with the same effect."""
        self._finish(operation, "acknowledged", self.acknowledged, requests, certain=True)

    def lose(self, operation: Operation, outcome: str = "no answer") -> None:
        """Takes a request that got no answer, or that was refused after a part of its changes."""
        self._finish(operation, outcome, self.unknown, 1, certain=False)

    def refuse(self, operation: Operation, reason: str) -> None:
        """Takes a request that was refused as a whole."""
        with self._lock:
            self._time += 1
            self.refused[operation.kind] += 1
            self._note(operation, f"refused: {reason}")

    def _finish(self, operation: Operation, outcome: str, tally: Counter[str], requests: int, *, certain: bool) -> None:
        with self._lock:
            self._time += 1
            for register, change in operation.changes:
                register.take(change, operation.start, self._time, certain=certain)
            tally[operation.kind] += requests
            self._note(operation, outcome)

    def _note(self, operation: Operation, outcome: str) -> None:
        line = f"{operation.start}-{self._time} {operation.kind} {operation.text}: {outcome}"
        self._log.append((operation.devices, line))

    def differ(self, sentence: str, *devices: str) -> None:
        """Notes a difference, with the last requests for these devices."""
        with self._lock:
            related = [line for names, line in self._log if not names or set(names) & set(devices)]
            self.differences.append("\n    ".join([sentence, *related[-30:]]))

    # Entries

    def redefine(self, entries: dict[str, Entry | None], *, resets: bool = False) -> list[Change]:
        """The changes by a request that gives beacons other entries, which may make them absent from now on."""
        with self._lock:
            changes: list[Change] = []
            self._is_resetting = resets
            if resets:
                changes += [(register, constant(None)) for register in self.receivers.values()]
            for name, entry in entries.items():
                beacon = self.beacons[name]
                if entry is None or beacon.entry is None:
                    beacon.may_be_absent = True
                changes += beacon.redefined(entry, resets=resets)
            return changes

    def adopt(self, entries: dict[str, Entry | None]) -> None:
        """Takes the entries of a request that was acknowledged."""
        with self._lock:
            if self._is_resetting:
                self._is_resetting, self._reset_until = False, self._time
            for name, entry in entries.items():
                beacon = self.beacons[name]
                if beacon.may_be_absent and entry is not None:
                    beacon.absent_until = self._time
                beacon.entry = entry
                beacon.may_be_absent = entry is None

    def may_have_been_absent(self, name: str, operation: Operation) -> bool:
        """Whether a request may have found no beacon, or no added receiver, with this name."""
        if name in self.receivers:
            was_reset = self._is_resetting or self._reset_until >= operation.start
            return was_reset or None in self.receivers[name].values
        beacon = self.beacons[name]
        return beacon.may_be_absent or beacon.absent_until >= operation.start

    @property
    def whole_file(self) -> dict[str, Entry | None]:
        """The entry of each beacon in the file; `None` for those that are not in it."""
        return {name: self.file.get(name) for name in self.beacons}

    def restart(self) -> None:
        """Takes that the program was started again: what is not saved is as in the file."""
        self.adopt(self.whole_file)
        for beacon in self.beacons.values():
            entry = beacon.entry or Entry()
            beacon.power.settle((False, True))
            beacon.muted.settle(False)
            beacon.position.settle(entry.position)
            if not beacon.saves:
                for register, value in zip(beacon.registers.values(), beacon.defaults(entry)):
                    register.settle(value)
        for receiver in self.receivers.values():
            receiver.settle(None)
