# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What tests of the service share: a profile, and a client that reads raw messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from beaconry import Run
from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

HCI0 = "/org/bluez/hci0"
ODD = f"{HCI0}/dev_C0_FF_EE_00_00_01"
PLAIN = f"{HCI0}/dev_C0_FF_EE_00_00_02"
ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"

PERIPHERAL = """
profile: rig
beacons:
  - id: odd
    device: gatt
    name: Odd
    address: C0:FF:EE:00:00:01
    advertise: { services: [FFF0] }
    centrals: 2
    services:
      - uuid: FFF0
        characteristics:
          - { name: echo, uuid: FFF1, properties: [write, write-without-response, notify], type: text, echo: true }
          - { name: slow, uuid: FFF2, properties: [read], value: "01", read-delay: 700ms }
          - { name: locked, uuid: FFF4, properties: [read, write], type: uint8, read-error: { code: 0x86, until-written: true } }
          - { name: text, uuid: FFF5, properties: [read, write], type: text, value: first, length: { min: 2, max: 400 } }
          - { name: count, uuid: FFF6, properties: [read, indicate], type: uint32 be, counter: { every: 200ms, max: 99999 } }
  - id: plain
    device: ibeacon
    address: C0:FF:EE:00:00:02
    ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146157, major: 1, minor: 2 }
    interval: 100ms
"""
"""A peripheral, and a beacon that cannot be connected to."""

Bus = Callable[..., Run]


def server(run: Run) -> str:
    """Where another host joins the air of a run with `--hci-server tcp:127.0.0.1:0`, as Bumble takes it."""
    return "tcp-client:" + run.wait_for_text(r"listening on tcp:(\S+?),? ")[1]


class Client:
    """A client that records what arrives, in its order."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.log: list[str] = []
        self.objects: dict[str, dict[str, Any]] = {}
        self._serials: dict[int, str] = {}
        self._changed = asyncio.Event()
        bus.add_message_handler(self._note)

    def _note(self, message: Message) -> None:
        if message.message_type in (MessageType.METHOD_RETURN, MessageType.ERROR):
            member = self._serials.get(message.reply_serial)
            if member:
                self._add(f"reply {member}" if message.error_name is None else f"error {member} {message.error_name}")
        elif message.message_type is MessageType.SIGNAL and message.member == "InterfacesAdded":
            path, interfaces = message.body
            self.objects[path] = interfaces
            for name in interfaces:
                self._add(f"added {path} {name}")
        elif message.message_type is MessageType.SIGNAL and message.member == "PropertiesChanged":
            interface, changed, invalidated = message.body
            for name, value in changed.items():
                self._add(f"{message.path} {name}={value.value}")
            for name in invalidated:
                self._add(f"{message.path} -{name}")
        elif message.message_type is MessageType.SIGNAL and message.path and message.path.startswith("/org/bluez"):
            self._add(f"{message.path} {message.member}")

    def _add(self, line: str) -> None:
        self.log.append(line)
        self._changed.set()

    async def call(self, path: str, interface: str, member: str, signature: str = "", *body: Any) -> Message:
        message = Message("org.bluez", path, interface, member, signature=signature, body=list(body))
        message.serial = self.bus.next_serial()
        self._serials[message.serial] = member
        reply = await self.bus.call(message)
        assert reply
        return reply

    async def until(self, condition: Callable[[str], bool]) -> int:
        """The place in the log of the first line that meets a condition."""
        while True:
            for place, line in enumerate(self.log):
                if condition(line):
                    return place
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), 300)

    async def ordered(self, *lines: str) -> None:
        """Waits for lines, of which each must come behind the one before it."""
        places = [await self.until(lambda line, wanted=wanted: wanted in line) for wanted in lines]
        assert places == sorted(places), "\n".join(self.log)


@asynccontextmanager
async def client() -> AsyncIterator[Client]:
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    recorder = Client(bus)
    rule = "type='signal',sender='org.bluez'"
    await bus.call(
        Message(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", signature="s", body=[rule]
        )
    )
    yield recorder
    bus.disconnect()


async def discover(recorder: Client) -> None:
    await recorder.call(HCI0, ADAPTER, "StartDiscovery")
    await recorder.until(lambda line: line == f"added {ODD} {DEVICE}")
