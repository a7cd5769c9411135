# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Recordings of a conversation on the bus between clients and org.bluez, in a form that can be read and compared.

A recording has steps. A step has events in their order on the bus; an event has a header, which says what kind of message
it was, and details, such as one line for each property. What differs from run to run is normalised: unique names, RSSI,
the name of the host.
"""

from __future__ import annotations

import asyncio
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.signature import SignatureType, get_signature_tree

BUS = "org.freedesktop.DBus"
PROPERTIES = BUS + ".Properties"
OBJECT_MANAGER = BUS + ".ObjectManager"
STANDARD = (BUS + ".Introspectable", PROPERTIES, BUS + ".Peer")
"""Interfaces without properties, which some services list and others omit."""
SILENT_PARTS = 6
OF_THE_SPECIFICATION = "-0000-1000-8000-00805f9b34fb"
VARYING = {"RSSI": "<rssi>"}
HANDLE = r'"Handle", q \d+'
"""A handle that a program gets: it depends on the other attributes of the service."""
OF_THE_HOST = {("org.bluez.Adapter1", name): f"<{name.lower()}>" for name in ("Name", "Alias", "Modalias", "Class")}


@dataclass
class Event:
    """A message on the bus."""

    header: str
    details: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in [self.header, *("    " + each for each in self.details)])

    @property
    def device(self) -> str | None:
        """The device that a signal is about."""
        found = re.match(r"\* \S+ \S+/(dev_[0-9A-F_]{17})", self.header)
        return found[1] if found else None


@dataclass
class Step:
    """A part of a session, and what was on the bus meanwhile."""

    name: str
    events: list[Event] = field(default_factory=list)

    def __str__(self) -> str:
        return f"== {self.name}\n" + "".join(map(str, self.events))

    def cut_after(self, text: str) -> None:
        """Removes what follows the first event with this text in its header."""
        place = next((place for place, event in enumerate(self.events) if text in event.header), len(self.events))
        del self.events[place + 1 :]

    def keep_devices_in_use(self) -> None:
        """Removes signals about devices that no call of the step is about: BlueZ 5.82 adds devices that it has met before,
        whatever the filter, and all devices expire."""
        calls = " ".join(event.header for event in self.events if not event.header.startswith("*"))
        self.events = [event for event in self.events if not event.device or event.device in calls]

    def sort_devices(self) -> None:
        """Groups signals about different devices that follow each other: their order is that of advertisements."""
        ordered: list[Event] = []
        run: list[Event] = []
        for event in [*self.events, Event("")]:
            if event.device:
                run.append(event)
                continue
            ordered += sorted(run, key=lambda each: each.device or "")
            run = []
            ordered.append(event)
        self.events = ordered[:-1]

    def merge_repeated(self) -> None:
        """Removes repetitions of a signal, for steps in which each received advertisement is signalled."""
        seen: set[str] = set()
        unique = []
        for event in self.events:
            if not event.header.startswith("*"):
                seen = set()
            elif str(event) in seen:
                continue
            else:
                seen.add(str(event))
            unique.append(event)
        self.events = unique


def read(path: Path) -> list[Step]:
    """The steps of a recording; lines that begin with # are comments."""
    steps: list[Step] = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            steps.append(Step(line[3:]))
        elif line.startswith("    "):
            steps[-1].events[-1].details.append(line[4:])
        elif line and not line.startswith("#"):
            steps[-1].events.append(Event(line))
    return steps


# Values as text --------------------------------------------------------------------------------------------------


def text(kind: SignatureType, value: Any) -> str:
    """A value of this type as text."""
    if kind.token == "v":
        return f"{value.signature} {text(value.type, value.value)}"
    if kind.token == "a":
        element = kind.children[0]
        if element.token == "y":
            return f"[{bytes(value).hex(' ')}]"
        if element.token == "{":
            pairs = [(text(element.children[0], key), text(element.children[1], each)) for key, each in value.items()]
            return "{" + ", ".join(f"{key}: {each}" for key, each in sorted(pairs)) + "}"
        return "[" + ", ".join(text(element, each) for each in value) + "]"
    if kind.token == "(":
        return "(" + ", ".join(map(text, kind.children, value)) + ")"
    if kind.token == "b":
        return "true" if value else "false"
    if kind.token == "h":
        return "<fd>"
    return f'"{value}"' if kind.token in "sog" else str(value)


def arguments(message: Message) -> list[str]:
    """The arguments of a message as text."""
    return list(map(text, get_signature_tree(message.signature).types, message.body))


def properties(interface: str, values: dict[str, Variant]) -> list[str]:
    """A line for each property. The UUIDs of an adapter are those of applications only."""
    lines = []
    for name, value in sorted(values.items()):
        if (interface, name) == ("org.bluez.Adapter1", "UUIDs"):
            value = Variant("as", [uuid for uuid in value.value if not uuid.endswith(OF_THE_SPECIFICATION)])
        shown = VARYING.get(name) or OF_THE_HOST.get((interface, name)) or text(value.type, value.value)
        lines.append(f"{name} = {value.signature} {shown}")
    return lines


def interfaces(listed: dict[str, dict[str, Variant]]) -> list[str]:
    """A line for each property of these interfaces, and one for an interface without properties."""
    lines = []
    for name, values in sorted(listed.items()):
        if name not in STANDARD:
            lines += [f"{short(name)}.{line}" for line in properties(name, values)] or [short(name)]
    return lines


def objects(listed: dict[str, dict[str, dict[str, Variant]]]) -> list[str]:
    """The objects of a service, and whether each is listed after its parent."""
    paths = list(listed)
    late = [path for path in paths if any(each.startswith(path.rstrip("/") + "/") for each in paths[: paths.index(path)])]
    lines = [f"{path} {line}" for path in sorted(paths) for line in interfaces(listed[path])]
    return [f"listed after its child: {path}" for path in late] + lines


def introspection(document: str) -> list[str]:
    """A line for each member of each interface, and each child node."""
    lines = []
    for interface in ElementTree.fromstring(document):
        name = interface.get("name", "")
        if interface.tag == "node":
            lines.append(f"node {name}")
            continue
        if name in (*STANDARD, OBJECT_MANAGER):
            lines.append(f"interface {name}")
            continue
        for member in interface:
            if member.tag == "property":
                lines.append(f"property {short(name)}.{member.get('name')} {member.get('type')} {member.get('access')}")
            elif member.tag in ("method", "signal"):
                default = "in" if member.tag == "method" else "out"
                parts = [(each.get("direction", default), each.get("type", "")) for each in member if each.tag == "arg"]
                taken, given = ("".join(kind for way, kind in parts if way == which) for which in ("in", "out"))
                lines.append(f"{member.tag} {short(name)}.{member.get('name')} ({taken}) -> ({given})")
    return sorted(lines)


def short(interface: str | None) -> str:
    """The name of an interface without its first part, which is the same for all of BlueZ."""
    return (interface or "").removeprefix("org.bluez.").removeprefix(BUS + ".")


# The monitor -----------------------------------------------------------------------------------------------------


class Recorder:
    """A monitor of the bus: everything between the named clients and org.bluez becomes an event of the current step."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.steps: list[Step] = []
        self.names: dict[str, str] = {}
        """The clients: a name for each unique name."""
        self.aliases: dict[str, str] = {}
        """Names for paths that depend on the service's other attributes."""
        self._service = ""
        self._calls: dict[tuple[str, int], Message] = {}
        self._fence: tuple[str, int] | None = None
        self._changed = asyncio.Event()

    async def start(self) -> None:
        """Connects to the bus and becomes a monitor."""
        self._bus = await MessageBus(bus_address=self.address, negotiate_unix_fd=True).connect()
        owner = await self._ask("GetNameOwner", "s", "org.bluez")
        self._service = owner.body[0]
        self._bus.add_message_handler(self._saw)
        await self._ask("BecomeMonitor", "asu", [], 0, interface=BUS + ".Monitoring")

    async def _ask(self, member: str, signature: str, *body: Any, interface: str = BUS) -> Message:
        call = Message(BUS, "/org/freedesktop/DBus", interface, member, signature=signature, body=list(body))
        reply = await self._bus.call(call)
        assert reply and reply.message_type is MessageType.METHOD_RETURN, reply and reply.body
        return reply

    def begin(self, name: str) -> None:
        """Begins a step."""
        self.steps.append(Step(name))

    def note(self, line: str) -> None:
        """Adds an event that was not on the bus."""
        self.steps[-1].events.append(Event(line))

    async def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Waits until a condition holds, which is evaluated after each message; returns whether it does."""
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def pass_fence(self, sender: str, send: Callable[[], int]) -> None:
        """Waits until the answer to a call, which `send` sends and returns the serial of, has passed the monitor."""
        self._fence = (sender, send())
        assert await self.until(lambda: self._fence is None, 300), "org.bluez answers"

    async def settle(self, seconds: float, answer: Callable[[], Awaitable[None]]) -> None:
        """Waits until nothing has been on the bus for this time, in each part of which org.bluez also answers: a time
        in which it does not run is not silence."""
        silent = 0
        while silent < SILENT_PARTS:
            before = self._count
            await asyncio.sleep(seconds / SILENT_PARTS)
            await answer()
            silent = silent + 1 if self._count == before else 0

    @property
    def _count(self) -> int:
        return sum(len(step.events) for step in self.steps)

    def _saw(self, message: Message) -> bool:
        for descriptor in message.unix_fds:
            os.close(descriptor)
        if event := self._event(message):
            for path, alias in self.aliases.items():
                event.header = event.header.replace(path, alias)
            event.header = re.sub(HANDLE, '"Handle", q <handle>', event.header)
            self.steps[-1].events.append(event)
        self._changed.set()
        # A call must not be answered by this connection, which only watches.
        return message.message_type is MessageType.METHOD_CALL

    def _event(self, message: Message) -> Event | None:
        kind = message.message_type
        if kind is MessageType.SIGNAL:
            return self._signal(message) if message.sender == self._service else None
        if kind is MessageType.METHOD_CALL:
            client = self.names.get(message.sender if message.sender != self._service else message.destination or "")
            if not client or message.destination not in (self._service, "org.bluez", *self.names):
                return None
            self._calls[(message.sender, message.serial)] = message
            if message.interface == BUS + ".Peer":
                return None
            arrow = "calls" if message.sender != self._service else "is called:"
            body = ", ".join(arguments(message))
            return Event(f"{client} {arrow} {short(message.interface)}.{message.member}({body}) at {message.path}")
        call = self._calls.pop((message.destination or "", message.reply_serial or 0), None)
        if not call:
            return None
        if self._fence == (call.sender, call.serial):
            self._fence = None
        if call.interface == BUS + ".Peer":
            return None
        client = self.names.get(call.sender or "")
        if not client:
            return None  # what the session itself answers to org.bluez
        if kind is MessageType.ERROR:
            reason = f' "{message.body[0]}"'.replace("\n", "\\n") if message.signature == "s" else ""
            return Event(f"{client} {call.member} -> error {message.error_name}{reason}")
        return Event(f"{client} {call.member} -> ok", list(self._answer(call, message)))

    def _answer(self, call: Message, reply: Message) -> Iterator[str]:
        if call.interface == OBJECT_MANAGER:
            yield from objects(reply.body[0])
        elif call.member == "Introspect":
            yield from introspection(reply.body[0])
        elif call.interface == PROPERTIES and call.member == "GetAll":
            yield from properties(call.body[0], reply.body[0])
        elif call.interface == PROPERTIES and call.member == "Get":
            yield from properties(call.body[0], {call.body[1]: reply.body[0]})
        else:
            yield from arguments(reply)

    def _signal(self, message: Message) -> Event | None:
        if message.interface == OBJECT_MANAGER and message.member == "InterfacesAdded":
            return Event(f"* InterfacesAdded {message.body[0]} from {message.path}", interfaces(message.body[1]))
        if message.interface == OBJECT_MANAGER:
            names = sorted(short(name) for name in message.body[1] if name not in STANDARD)
            return Event(f"* InterfacesRemoved {message.body[0]} from {message.path}", names)
        if message.interface == PROPERTIES:
            name, changed, gone = message.body
            lines = properties(name, changed) + [f"{each} invalidated" for each in sorted(gone)]
            # The RSSI of a device changes whenever it is received.
            return None if lines == ["RSSI = n <rssi>"] else Event(f"* PropertiesChanged {message.path} {short(name)}", lines)
        body = ", ".join(arguments(message))
        return Event(f"* {message.member} {message.path} {short(message.interface)}({body})")
