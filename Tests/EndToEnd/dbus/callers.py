# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A client in a process of its own, which does what its argument says, prints a line, and then waits to be killed."""

from __future__ import annotations

import asyncio
import sys

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

HCI0 = "/org/bluez/hci0"
ODD = f"{HCI0}/dev_C0_FF_EE_00_00_01"


async def call(bus: MessageBus, path: str, interface: str, member: str, signature: str = "", *body: object) -> list:
    reply = await bus.call(
        Message("org.bluez", path, interface, member, signature=signature, body=list(body))
    )
    assert reply and reply.message_type is MessageType.METHOD_RETURN, reply and reply.body
    return reply.body


async def found(bus: MessageBus) -> None:
    await call(bus, HCI0, "org.bluez.Adapter1", "StartDiscovery")
    while True:
        (objects,) = await call(bus, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        if ODD in objects:
            return
        await asyncio.sleep(0.05)


async def characteristic(bus: MessageBus) -> str:
    while True:
        (objects,) = await call(bus, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        for path, interfaces in objects.items():
            properties = interfaces.get("org.bluez.GattCharacteristic1", {})
            if "UUID" in properties and properties["UUID"].value.startswith("0000fff1"):
                return path
        await asyncio.sleep(0.05)


async def main(what: str) -> None:
    bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
    await found(bus)
    if what in ("connected", "notifying", "acquired", "reading"):
        await call(bus, ODD, "org.bluez.Device1", "Connect")
    if what in ("notifying", "acquired"):
        path = await characteristic(bus)
        if what == "notifying":
            await call(bus, path, "org.bluez.GattCharacteristic1", "StartNotify")
        else:
            await call(bus, path, "org.bluez.GattCharacteristic1", "AcquireNotify", "a{sv}", {})
    if what == "connecting":
        await bus.send(Message("org.bluez", ODD, "org.bluez.Device1", "Connect"))
    print("ready", flush=True)
    await asyncio.sleep(600)


asyncio.run(main(sys.argv[1]))
