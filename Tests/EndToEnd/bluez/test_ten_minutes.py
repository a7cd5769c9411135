# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Ten minutes of a museum on a legacy controller whose character, and what other programs do with it, change every 30 s.

Fifteen seconds after each change, what is on the air is what `ctl list` says is on the air, and what is missing is reported.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from air import AirStarter, VirtualAir, Visitor
from beaconry import CONFIG_SERVICE, Beaconry, Run, ibeacon
from test_advertising import E2C5
from vhci import World, adapter_property, dbus_call, eventually, set_adapter_property

# A machine of its own: in no plan.
pytestmark = [pytest.mark.depends_on("own machine"), pytest.mark.timeout(1200)]

SLOT, SETTLED, WINDOW = 30, 15, 12
"""Seconds: from change to change, from a change until everything is consistent again, and of the comparison after that."""

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

    def listed(self) -> dict[str, dict[str, Any]]:
        """The beacons by their ids, as `ctl list` has them."""
        lines = self.beaconry.call("ctl", "list", "--json").stdout.splitlines()
        return {each["device"]: each for each in map(json.loads, lines)}

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

    def unblock(self) -> None:
        """Ends the block of the adapter, and powers it on."""
        self.world.controllers.unblock(self.index)
        self.world.management.power(self.index, True)


@dataclass(frozen=True)
class Condition:
    """What is different for 30 s."""

    name: str
    reported: tuple[str, ...] = ()
    """Events, or codes of warnings, of which one must be reported."""
    character: str = ""
    is_steady: bool = True
    """Whether the states stay as they are until its end; a scan of bluetoothd pauses."""
    begin: Callable[[Museum], Any] = lambda _: None
    end: Callable[[Museum], Any] = lambda _: None


NOTHING = Condition("nothing")
SCAN = Condition(
    "scan", ("scan-in-the-way",), is_steady=False, begin=lambda museum: museum.adapter_call("StartDiscovery"),
    end=lambda museum: museum.adapter_call("StopDiscovery"),
)  # fmt: skip
LINK = Condition("link", ("connected",), begin=Museum.connect, end=Museum.leave)
DISCOVERABLE = Condition(
    "discoverable", ("pdu-changed",), begin=lambda museum: set_adapter_property(museum.index, "Discoverable", "b", True),
    end=lambda museum: set_adapter_property(museum.index, "Discoverable", "b", False),
)  # fmt: skip
CONDITIONS = [
    NOTHING,
    SCAN,
    Condition("busy", ("controller-in-the-way", "advertising-refused"), "busy:0x3A"),
    LINK,
    DISCOVERABLE,
    Condition("hung", ("advertising-stopped", "radio-lost", "advertising-refused"), "hung:0,error"),
    Condition("reset", ("advertising-stopped",), begin=lambda museum: museum.world.controllers.reset(museum.index)),
    Condition("slow", character="slow:100"),
    Condition(
        "advertising of the adapter itself", ("advertising-refused", "advertising-stopped"),
        begin=lambda museum: museum.world.management.set_advertising(museum.index, True),
        end=lambda museum: museum.world.management.set_advertising(museum.index, False),
    ),
    Condition("restart of bluetoothd", ("radio-lost",), begin=lambda museum: museum.world.bluetoothd.restart()),
    NOTHING,
    SCAN,
    Condition(
        "powered off", ("radio-lost",), begin=lambda museum: museum.world.management.power(museum.index, False),
        end=lambda museum: museum.world.management.power(museum.index, True),
    ),
    Condition("late answers", character="slow:1000,0x2008"),
    Condition(
        "blocked", ("radio-lost",), begin=lambda museum: museum.world.controllers.block(museum.index),
        end=Museum.unblock,
    ),
    Condition(
        "instances removed", ("advertising-stopped",),
        begin=lambda museum: museum.world.management.remove_advertising(museum.index),
    ),
    LINK,
    Condition("refusing", ("controller-in-the-way", "advertising-refused"), "busy:0x0C"),
    DISCOVERABLE,
    NOTHING,
]  # fmt: skip


def character() -> str:
    """The character of the controller: one part for each condition that has one, in its time."""
    parts = ["legacy-5.0", "strict-random"]
    for number, each in enumerate(CONDITIONS):
        if each.character:
            parts.append(f"{each.character}@{SLOT * number}s-{SLOT * (number + 1)}s")
    return "+".join(parts)


def test_museum_is_on_the_air_or_reported_missing(beaconry: Beaconry, world: World, air: AirStarter) -> None:
    place = air(character())
    start = place.joined
    run = beaconry.run(beaconry.profile("\n".join(MUSEUM) + "\n"), radio=place.radio)
    run.wait("ready")
    museum = Museum(beaconry, world, place, run)
    faults: list[str] = []
    for number, condition in enumerate(CONDITIONS):
        sleep_until(start + SLOT * number)
        first = len(run.events)
        condition.begin(museum)
        sleep_until(start + SLOT * number + SETTLED)
        began = time.time()
        before = museum.listed()
        sleep_until(start + SLOT * number + SETTLED + WINDOW)
        after = museum.listed()
        run.take(0)
        events = run.events[first:]
        found = compare(museum, before, after, began, condition.is_steady)
        faults += [f"{number} {condition.name}: {fault}" for fault in found]
        names = {each["event"] for each in events} | {each.get("code") for each in events}
        if condition.reported and not names & set(condition.reported):
            faults.append(f"{number} {condition.name}: none of {condition.reported} was reported, but {names}")
        condition.end(museum)
    eventually("all are on the air", lambda: {each["state"] for each in museum.listed().values()} == {"on-air"})
    ended = time.time()
    place.receiver.wait_for(lambda reports: set(FRAMES.values()) <= {each.data for each in reports}, ended)
    faults += [f"at the end: {fault}" for fault in lasting(run)]
    assert faults == []
    assert run.end() == 0


def sleep_until(moment: float) -> None:
    time.sleep(max(0, moment - time.monotonic()))


def compare(
    museum: Museum, before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], began: float, is_steady: bool
) -> list[str]:
    """How the air since a time differs from the states at its begin and now."""
    received = {each.data: each.pdu for each in museum.air.receiver.since(began)}
    faults = []
    for name, frame in FRAMES.items():
        states = before[name]["onAir"], after[name]["onAir"]
        if states == (True, True) and received.get(frame) != after[name].get("pdu"):
            faults.append(f"{name} is to be on the air as {after[name].get('pdu')}, and was received as {received.get(frame)}")
        elif states == (False, False) and frame in received:
            faults.append(f"{name} is {after[name]['state']}, and was received")
        elif states[0] != states[1] and is_steady:
            faults.append(f"{name} was {before[name]['state']} after {SETTLED} s, and then {after[name]['state']}")
    return faults


def lasting(run: Run) -> list[str]:
    """The differences that the last report of each beacon has, beyond those of every legacy controller."""
    last = {
        each["device"]: each
        for each in run.events
        if each["event"] in ("advertising-started", "advertising-changed", "advertising-refused")
    }
    return [
        f"the last report of {name} is {each}"
        for name, each in last.items()
        if each["event"] == "advertising-refused" or set(each.get("different", ())) - {"interval"}
    ]
