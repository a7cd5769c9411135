# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A client of org.bluez that gets into a state, prints `ready`, and waits to be killed: `victim.py STATE`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER, POT = "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_FF_EE_00_00_03"
FRAME = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
GATE = "/org/bluez/hci0/dev_C0_FF_EE_00_00_05"
PUMP, LIGHT, SLOW = (f"{POT}/service0012/char00{number}" for number in ("15", "1b", "22"))
SERVICE = "5a1e0100-8c1d-4e8b-9c55-0d0e8f6a1b01"


class Victim:
    """The states, and what they need."""

    async def start(self, state: str) -> None:
        self.bus = await MessageBus(negotiate_unix_fd=True, bus_type=BusType.SYSTEM).connect()
        self.called = asyncio.Event()
        self.bus.add_message_handler(self.answer)
        await asyncio.wait_for(getattr(self, state.replace("-", "_"))(), 60)
        print("ready", flush=True)
        await asyncio.sleep(600)

    async def call(self, path: str, interface: str, member: str, signature: str = "", *body: Any) -> Message:
        reply = await self.bus.call(Message("org.bluez", path, f"org.bluez.{interface}", member, signature=signature, body=list(body)))
        assert reply and reply.message_type is MessageType.METHOD_RETURN, reply and (reply.error_name, reply.body)
        return reply

    def begin(self, path: str, interface: str, member: str, signature: str = "", *body: Any) -> None:
        """Sends a call whose answer is not awaited."""
        self.bus.send(Message("org.bluez", path, f"org.bluez.{interface}", member, signature=signature, body=list(body)))

    async def seen(self, path: str) -> None:
        """Waits until the device exists."""
        while True:
            reply = await self.bus.call(
                Message("org.bluez", path, "org.freedesktop.DBus.Properties", "GetAll", signature="s", body=["org.bluez.Device1"])
            )
            if reply and reply.message_type is MessageType.METHOD_RETURN:
                return
            await asyncio.sleep(0.05)

    async def resolved(self) -> None:
        """Connects, and waits for the services."""
        await self.discovering()
        await self.seen(POT)
        await self.call(ADAPTER, "Adapter1", "StopDiscovery")
        await self.call(POT, "Device1", "Connect")
        while True:
            reply = await self.bus.call(
                Message("org.bluez", POT, "org.freedesktop.DBus.Properties", "Get", signature="ss", body=["org.bluez.Device1", "ServicesResolved"])
            )
            if reply and reply.body[0].value:
                return
            await asyncio.sleep(0.05)

    # States

    async def discovering(self) -> None:
        await self.call(ADAPTER, "Adapter1", "SetDiscoveryFilter", "a{sv}", {"DuplicateData": Variant("b", True)})
        await self.call(ADAPTER, "Adapter1", "StartDiscovery")

    async def connecting(self) -> None:
        await self.discovering()
        await self.seen(FRAME)
        self.begin(FRAME, "Device1", "Connect")

    async def connected(self) -> None:
        await self.resolved()

    async def reading(self) -> None:
        await self.resolved()
        self.begin(SLOW, "GattCharacteristic1", "ReadValue", "a{sv}", {})

    async def notifying(self) -> None:
        await self.resolved()
        await self.call(PUMP, "GattCharacteristic1", "StartNotify")

    async def acquired_notify(self) -> None:
        await self.resolved()
        await self.call(PUMP, "GattCharacteristic1", "AcquireNotify", "a{sv}", {})

    async def acquired_write(self) -> None:
        await self.resolved()
        await self.call(LIGHT, "GattCharacteristic1", "AcquireWrite", "a{sv}", {})

    async def pairing(self) -> None:
        await self.discovering()
        await self.seen(GATE)
        await self.call("/org/bluez", "AgentManager1", "RegisterAgent", "os", "/agent", "KeyboardDisplay")
        pair = Message("org.bluez", GATE, "org.bluez.Device1", "Pair")
        while True:
            reply = asyncio.ensure_future(self.bus.call(pair))
            await asyncio.wait([reply, asyncio.ensure_future(self.called.wait())], return_when=asyncio.FIRST_COMPLETED)
            if self.called.is_set():
                return
            # A device refuses a pairing shortly after one that failed (Core 5.4, Vol 3, Part H, 2.3.6).
            refusal = reply.result()
            assert refusal and refusal.error_name == "org.bluez.Error.AuthenticationFailed", refusal and refusal.error_name
            await asyncio.sleep(0.2)
            pair = Message("org.bluez", GATE, "org.bluez.Device1", "Pair")

    async def monitoring(self) -> None:
        await self.call(ADAPTER, "AdvertisementMonitorManager1", "RegisterMonitor", "o", "/monitors")
        await self.called.wait()

    async def advertising(self) -> None:
        await self.call(ADAPTER, "LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", "/advertisement", {})

    async def serving(self) -> None:
        await self.call(ADAPTER, "GattManager1", "RegisterApplication", "oa{sv}", "/application", {})

    # What org.bluez calls

    def answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        if message.member == "GetAll":
            return Message.new_method_return(message, "a{sv}", [{"Type": Variant("s", "peripheral"), "LocalName": Variant("s", "Victim")}])
        if message.member == "GetManagedObjects":
            return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.objects(message.path or "")])
        self.called.set()
        if message.member == "RequestPasskey":
            return True  # no answer
        return Message.new_method_return(message)

    @staticmethod
    def objects(path: str) -> dict[str, Any]:
        patterns = Variant("a(yyay)", [[0, 0xFF, bytes.fromhex("4c000215")]])
        if path == "/monitors":
            return {"/monitors/0": {"org.bluez.AdvertisementMonitor1": {"Type": Variant("s", "or_patterns"), "Patterns": patterns}}}
        return {"/application/service": {"org.bluez.GattService1": {"UUID": Variant("s", SERVICE), "Primary": Variant("b", True)}}}


asyncio.run(Victim().start(sys.argv[1]))
