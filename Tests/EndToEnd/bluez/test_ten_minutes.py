# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Ten minutes of a museum on a legacy controller whose character, and what other programs do with it, change every 30 s.

Fifteen seconds after each change, what is on the air is what `ctl list` says is on the air, and what is missing is reported.
BEACONRY_CONDITIONS selects conditions by the beginnings of their names: `scan,busy`.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from air import AirStarter, VirtualAir, Visitor
from beaconry import CONFIG_SERVICE, Beaconry, Event, Run, ibeacon
from test_advertising import E2C5
from unix_http import UnixConnection
from vhci import World, adapter_property, dbus_call, eventually, set_adapter_property

# A machine of its own: in no plan.
pytestmark = [pytest.mark.depends_on("own machine"), pytest.mark.timeout(1200)]

SLOT, SETTLED, WINDOW = 30, 15, 12
"""Seconds: from change to change, from a change until everything is consistent again, and of the comparison after that, in
the machine's time."""
LATE = 1
"""Seconds that a condition may begin later than planned, and that the machine may stop while it lasts. On a busy host it
may stop for longer; what it misses then is not observed."""

RECORD = Path("/results/ten-minutes.txt")
"""The conditions with their events and faults, for the analysis of a failure."""

MUSEUM = ["profile: museum", "beacons:", "  - { id: entrance, device: iot-design-shop }"] + [
    f"  - {{ id: room-{number}, device: ibeacon, ibeacon: {{ uuid: {E2C5}, major: 1, minor: {number} }} }}"
    for number in range(1, 5)
]
FRAMES = {"entrance": ibeacon(CONFIG_SERVICE, 1, 1)} | {
    f"room-{number}": ibeacon(E2C5, 1, number) for number in range(1, 5)
}


class Museum:
    """The run under test, with its controller."""

    def __init__(self, beaconry: Beaconry, world: World, air: VirtualAir, run: Run) -> None:
        self.beaconry = beaconry
        self.world = world
        self.air = air
        self.run = run
        self.index = air.indexes[0]
        self.visitor: Visitor | None = None
        self._control = UnixConnection(control_path(beaconry), 120)

    def listed(self) -> dict[str, dict[str, Any]]:
        """The beacons by their ids, as `ctl list` has them, without a process that may take seconds to start."""
        return {each["id"]: each for each in self._control.exchange("GET", "/v1/beacons")["beacons"]}

    def adapter_call(self, method: str) -> None:
        """Calls a method of the adapter in bluetoothd."""
        assert dbus_call(f"/org/bluez/hci{self.index}", f"org.bluez.Adapter1.{method}") is not None

    def connect(self) -> None:
        """A central connects to the entrance."""
        address = adapter_property(self.index, "Address")
        self.visitor = self.air.visitor()
        self.visitor.connect_to(address)

    def leave(self) -> None:
        """The central disconnects."""
        assert self.visitor
        if self.visitor.handle is not None:
            self.visitor.leave()
        self.visitor.close()

    def remove_instances(self) -> None:
        """Removes all instances of the kernel; there are some again, however long the end of the condition before took."""
        management = self.world.management
        eventually("there are instances", lambda: management.advertising_features(self.index).instances)
        management.remove_advertising(self.index)

    def unblock(self) -> None:
        """Ends the block of the adapter, and powers it on."""
        self.world.controllers.unblock(self.index)
        self.world.management.power(self.index, True)


def control_path(beaconry: Beaconry) -> str:
    """The control socket of the run."""
    return str(beaconry.runtime / "museum.sock")


@dataclass(frozen=True)
class Condition:
    """What is different for 30 s."""

    name: str
    reported: tuple[str, ...] = ()
    """Events, or codes of warnings, of which one must be reported."""
    character: str = ""
    is_steady: bool = True
    """Whether the states stay as they are until its end; a scan of bluetoothd pauses."""
    is_off: bool = False
    """Whether the adapter is switched off. The kernel resets controllers then whose drivers want it, as those of USB and of
    serial lines do; that of virtual ones does not, so that a controller continues with the turn that it is in."""
    leaves_all_on: bool = False
    """Whether every beacon is on the air after 15 s."""
    begin: Callable[[Museum], Any] = lambda _: None
    end: Callable[[Museum], Any] = lambda _: None


NOTHING = Condition("nothing", leaves_all_on=True)
SCAN = Condition(
    "scan", ("scan-in-the-way",), is_steady=False, begin=lambda museum: museum.adapter_call("StartDiscovery"),
    end=lambda museum: museum.adapter_call("StopDiscovery"),
)  # fmt: skip
LINK = Condition("link", ("connected",), begin=Museum.connect, end=Museum.leave)
DISCOVERABLE = Condition(
    "discoverable", ("pdu-changed",), leaves_all_on=True,
    begin=lambda museum: set_adapter_property(museum.index, "Discoverable", "b", True),
    end=lambda museum: set_adapter_property(museum.index, "Discoverable", "b", False),
)  # fmt: skip
CONDITIONS = [
    NOTHING,
    SCAN,
    Condition("busy", ("controller-in-the-way", "advertising-refused"), "busy:0x3A"),
    LINK,
    DISCOVERABLE,
    Condition("hung", ("advertising-stopped", "radio-lost", "advertising-refused"), "hung:0,error", leaves_all_on=True),
    Condition(
        "reset", ("advertising-stopped",), leaves_all_on=True,
        begin=lambda museum: museum.world.controllers.reset(museum.index),
    ),
    Condition("slow", character="slow:100", leaves_all_on=True),
    Condition(
        "advertising of the adapter itself", ("advertising-refused", "advertising-stopped"),
        begin=lambda museum: museum.world.management.set_advertising(museum.index, True),
        end=lambda museum: museum.world.management.set_advertising(museum.index, False),
    ),
    Condition(
        "restart of bluetoothd", ("radio-lost",), leaves_all_on=True,
        begin=lambda museum: museum.world.bluetoothd.restart(),
    ),
    NOTHING,
    SCAN,
    Condition(
        "powered off", ("radio-lost",), is_off=True,
        begin=lambda museum: museum.world.management.power(museum.index, False),
        end=lambda museum: museum.world.management.power(museum.index, True),
    ),
    Condition("late answers", character="slow:1000,0x2008", leaves_all_on=True),
    Condition(
        "blocked", ("radio-lost",), is_off=True, begin=lambda museum: museum.world.controllers.block(museum.index),
        end=Museum.unblock,
    ),
    Condition(
        "instances removed", ("advertising-stopped",), leaves_all_on=True,
        begin=Museum.remove_instances,
    ),
    LINK,
    Condition("refusing", ("controller-in-the-way", "advertising-refused"), "busy:0x0C"),
    DISCOVERABLE,
    NOTHING,
]  # fmt: skip


def chosen() -> list[Condition]:
    """The conditions to test: those whose names begin with a word in BEACONRY_CONDITIONS; all without the variable."""
    words = tuple(filter(None, os.environ.get("BEACONRY_CONDITIONS", "").split(",")))
    return [each for each in CONDITIONS if not words or each.name.startswith(words)]


def character(conditions: list[Condition]) -> str:
    """The character of the controller: one part for each condition that has one, in its time. The first 30 s are for the
    start."""
    parts = ["legacy-5.0", "strict-random"]
    for number, each in enumerate(conditions, 1):
        if each.character:
            parts.append(f"{each.character}@{SLOT * number}s-{SLOT * (number + 1)}s")
    return "+".join(parts)


def test_museum_is_on_the_air_or_reported_missing(beaconry: Beaconry, world: World, air: AirStarter) -> None:
    RECORD.unlink(missing_ok=True)
    conditions = chosen()
    place = air(character(conditions))
    profile = beaconry.profile("\n".join(MUSEUM) + "\n")
    run = beaconry.run(profile, "--control", control_path(beaconry), radio=place.radio)
    run.wait("ready")
    museum = Museum(beaconry, world, place, run)
    heart = Heart()
    faults: list[str] = []
    missed: list[str] = []
    for number, condition in enumerate(conditions, 1):
        begin = place.joined + SLOT * number
        sleep_until(begin)
        if time.monotonic() > begin + LATE:
            missed.append(condition.name)
            continue
        found = observe(museum, condition)
        # The controller has another character when the time of the condition is over, and while the machine stops,
        # nothing is received or reported.
        if found.ended > begin + SLOT or found.faults and heart.longest_pause(begin) > LATE:
            missed.append(condition.name)
            continue
        faults += [f"{number} {condition.name}: {fault}" for fault in found.faults]
    eventually("all are on the air", lambda: {each["state"] for each in museum.listed().values()} == {"on-air"})
    listed = beaconry.call("ctl", "list", "--json", "--control", control_path(beaconry)).stdout.splitlines()
    versioned = museum.listed().items()
    assert {each["id"]: each for each in map(json.loads, listed)} == {name: {"v": 1, **each} for name, each in versioned}
    ended = time.time()
    place.receiver.wait_for(lambda reports: set(FRAMES.values()) <= {each.data for each in reports}, ended)
    run.take(0)
    faults += [f"at the end: {fault}" for fault in lasting(run, ())]
    assert faults == []
    assert len(missed) <= len(conditions) // 5, f"the machine was too slow to observe {missed}"
    assert run.end() == 0


class Heart:
    """A thread that notes the time ten times a second, to find the times in which the machine did not run."""

    def __init__(self) -> None:
        self._beats = [time.monotonic()]
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        while True:
            time.sleep(0.1)
            self._beats.append(time.monotonic())

    def longest_pause(self, since: float) -> float:
        """The longest time between two beats, in seconds, of those that ended after a moment."""
        beats = [*self._beats, time.monotonic()]
        return max(later - former for former, later in zip(beats, beats[1:]) if later >= since)


def sleep_until(moment: float) -> None:
    time.sleep(max(0, moment - time.monotonic()))


@dataclass(frozen=True)
class Observation:
    """What was wrong while a condition lasted."""

    faults: list[str]
    ended: float


def observe(museum: Museum, condition: Condition) -> Observation:
    """Begins a condition, compares what is on the air and what is reported, and ends it."""
    run = museum.run
    # Those of the last seconds of the condition before, too: the controller may have changed some milliseconds ago.
    first, began = len(run.events), time.monotonic()
    condition.begin(museum)
    changed = time.monotonic()
    sleep_until(began + SETTLED)
    since = time.time()
    before = museum.listed()
    run.take(0)
    settled = len(run.events)
    sleep_until(began + SETTLED + WINDOW)
    after = museum.listed()
    run.take(0)
    events = run.events[first:]
    faults = compare(museum, before, after, since, run.events[settled:], condition)
    names = {each["event"] for each in events} | {each.get("code") for each in events}
    if condition.reported and not names & set(condition.reported):
        faults.append(f"none of {condition.reported} was reported, but {names}")
    faults += lasting(run, condition.reported)
    ended = time.monotonic()
    condition.end(museum)
    with RECORD.open("a") as record:
        times = f"{changed - began:.1f} s to begin, {ended - began:.1f} s, {time.monotonic() - ended:.1f} s to end"
        print(condition.name, times, *faults, sep="\n  ", file=record)
        for each in events:
            print("   ", json.dumps({key: each[key] for key in each if key not in ("v", "requested")}), file=record)
    return Observation(faults, ended)


def compare(
    museum: Museum,
    before: dict[str, dict[str, Any]],
    after: dict[str, dict[str, Any]],
    since: float,
    events: list[Event],
    condition: Condition,
) -> list[str]:
    """How the air since a time differs from the states then and now, and from the events in between.

    The time is longer than that after which a beacon is reported that does not get its turn.
    """
    counts = Counter((each.data, each.pdu) for each in museum.air.receiver.since(since))
    reported = {each["device"] for each in events if each["event"] in ("advertising-started", "advertising-stopped")}
    faults = []
    for name, frame in FRAMES.items():
        states, pdu = (before[name]["onAir"], after[name]["onAir"]), after[name].get("effective", {}).get("pdu")
        if condition.leaves_all_on and not states[0]:
            faults.append(f"{name} is {before[name]['state']} after {SETTLED} s")
        elif condition.is_steady and (states[0] != states[1] or name in reported):
            faults.append(f"{name} was {before[name]['state']} after {SETTLED} s, and then {after[name]['state']}")
        elif states == (True, True) and name not in reported and not counts[frame, pdu]:
            faults.append(f"{name} is to be on the air as {pdu}, and was not received so")
        elif states == (False, False) and name not in reported and counts[frame, pdu] >= TURN:
            faults.append(f"{name} is {after[name]['state']}, and was received {counts[frame, pdu]} times as {pdu}")
    if condition.is_off and len(faults) == 1 and "received" in faults[0]:
        faults = []
    return faults


TURN = 3
"""Fewer reports are no turn of 1 s. The kernel sets the data of the next instance while the one before is still enabled, and so
advertises it for some milliseconds even if the controller then refuses the turn."""

USUAL = {"interval-forced", "time-shared"}
"""The warnings about non-connectable beacons and several ones on every legacy controller."""


def lasting(run: Run, expected: Collection[str]) -> list[str]:
    """The warnings that belong to the last report of each beacon, apart from the usual and the expected ones."""
    last: dict[str, set[str]] = {}
    for each in run.events:
        if each["event"] in ("advertising-started", "advertising-changed", "advertising-refused", "advertising-stopped"):
            last[each["device"]] = set()
        elif each["event"] == "warning" and "device" in each:
            last.setdefault(each["device"], set()).add(each["code"])
    found = {name: sorted(codes - USUAL - set(expected)) for name, codes in last.items()}
    return [f"{name} still has {codes}" for name, codes in found.items() if codes]
