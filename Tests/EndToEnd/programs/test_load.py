# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Many beacons and clients, clients that stop reading, and clients that are killed in every state."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from private_bus import FOLDER, WIRE, PrivateBus

ADAPTER = "/org/bluez/hci0"
PROPERTIES = "org.freedesktop.DBus.Properties"
POT = f"{ADAPTER}/dev_C0_FF_EE_00_00_03"
BEACONS, CLIENTS, SIGNALS = 500, 10, 3
DUPLICATES = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}


async def connect(service: PrivateBus) -> MessageBus:
    return await MessageBus(bus_address=service.address).connect()


async def call(bus: MessageBus, path: str, member: str, signature: str = "", *body: Any) -> list[Any]:
    """Calls a method, which has the name of its interface before it; it must succeed."""
    interface, _, name = member.rpartition(".")
    reply = await asyncio.wait_for(bus.call(Message("org.bluez", path, interface, name, signature=signature, body=list(body))), 300)
    assert reply and reply.message_type is MessageType.METHOD_RETURN, reply and (reply.error_name, reply.body)
    return reply.body


async def discover(bus: MessageBus, **settings: Variant) -> None:
    await call(bus, ADAPTER, "org.bluez.Adapter1.SetDiscoveryFilter", "a{sv}", {**DUPLICATES, **settings})
    await call(bus, ADAPTER, "org.bluez.Adapter1.StartDiscovery")


async def listen(bus: MessageBus) -> None:
    """Receives all signals of org.bluez."""
    rule = "type='signal',sender='org.bluez'"
    await bus.call(Message("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "AddMatch", signature="s", body=[rule]))


def crowd(folder: Path) -> Path:
    """A profile with many beacons."""
    text = "profile: crowd\nbeacons:\n" + "".join(
        f"  - id: b{number}\n    device: ibeacon\n    interval: 3s\n"
        f"    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: {number} }}\n"
        for number in range(BEACONS)
    )
    path = folder / "crowd.yaml"
    path.write_text(text)
    return path


class Counting:
    """A client that counts what is signalled of each device."""

    def __init__(self) -> None:
        self.signals: Counter[str] = Counter()
        self.changed = asyncio.Event()

    def received(self, message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL:
            return
        if message.member == "InterfacesAdded" and "org.bluez.Device1" in message.body[1]:
            self.signals[message.body[0]] += 1
        elif message.member == "PropertiesChanged" and "ManufacturerData" in message.body[1]:
            self.signals[message.path or ""] += 1
        self.changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(300):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


def reports(capture: Path) -> Counter[str]:
    """The advertising reports of a capture, counted by tshark: their number for each device's path."""
    fields = ["-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", "-e", "bthci_evt.bd_addr"]
    wanted = "bthci_evt.le_meta_subevent == 0x02 || bthci_evt.le_meta_subevent == 0x0d"
    listed = subprocess.run(["tshark", "-r", capture, "-Y", wanted, *fields], capture_output=True, text=True, timeout=300, check=True)
    addresses = listed.stdout.replace(",", "\n").upper().split()
    return Counter(f"{ADAPTER}/dev_{address.replace(':', '_')}" for address in addresses)


def processor_seconds(process: int) -> float:
    """The user and system time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_every_client_gets_every_report_of_many_beacons(
    service: Callable[..., PrivateBus], beaconry: Beaconry, tmp_path: Path
) -> None:
    """With DuplicateData, each advertising report that the adapter receives is one signal for each client."""
    capture = tmp_path / "crowd.btsnoop"
    ours = service(crowd(tmp_path), "--capture", capture)

    async def use() -> None:
        counts = [Counting() for _ in range(CLIENTS)]
        buses = [await connect(ours) for _ in counts]
        for bus, count in zip(buses, counts):
            bus.add_message_handler(count.received)
            await listen(bus)
        begin, time_before = time.monotonic(), processor_seconds(ours.run.process.pid)
        for bus in buses:
            await discover(bus)
        await counts[0].until(lambda: len(counts[0].signals) == BEACONS and min(counts[0].signals.values()) >= SIGNALS)
        used = (processor_seconds(ours.run.process.pid) - time_before) / (time.monotonic() - begin)
        print(f"{BEACONS} beacons, {CLIENTS} clients: {sum(counts[0].signals.values())} signals each, {used:.2f} of a processor")
        # Without beacons the capture is complete, and all that it has is signalled in time.
        done = await asyncio.to_thread(beaconry.call, "ctl", "disable", "b*")
        assert done.returncode == 0, done
        received = reports(capture)
        assert len(received) == BEACONS
        for count in counts:
            await count.until(lambda: count.signals.total() >= received.total())
            assert count.signals == received

    asyncio.run(use())
    assert ours.run.end() == 0


def test_client_that_stops_reading_does_not_disturb_others(service: Callable[..., PrivateBus], tmp_path: Path) -> None:
    ours = service(crowd(tmp_path))

    async def use() -> None:
        stopped, healthy = await connect(ours), await connect(ours)
        await listen(stopped)
        await discover(stopped)
        asyncio.get_running_loop().remove_reader(stopped._fd)
        count = Counting()
        healthy.add_message_handler(count.received)
        await listen(healthy)
        await discover(healthy)
        await count.until(lambda: sum(count.signals.values()) >= 10 * BEACONS)
        for _ in range(100):
            assert (await call(healthy, ADAPTER, f"{PROPERTIES}.Get", "ss", "org.bluez.Adapter1", "Discovering"))[0].value
        stopped._sock.shutdown(socket.SHUT_RDWR)
        await call(healthy, ADAPTER, "org.bluez.Adapter1.StopDiscovery")
        await eventually(healthy, ADAPTER, "Adapter1", "Discovering", False)

    asyncio.run(use())


async def value(bus: MessageBus, path: str, interface: str, name: str) -> Any:
    """A property; None if there is none."""
    message = Message("org.bluez", path, PROPERTIES, "Get", signature="ss", body=[f"org.bluez.{interface}", name])
    reply = await asyncio.wait_for(bus.call(message), 300)
    return reply.body[0].value if reply and reply.message_type is MessageType.METHOD_RETURN else None


async def eventually(bus: MessageBus, path: str, interface: str, name: str, wanted: Any) -> None:
    """Waits until a property has a value."""
    async with asyncio.timeout(300):
        while await value(bus, path, interface, name) != wanted:
            await asyncio.sleep(0.05)


async def cleared(service: PrivateBus, count: int) -> None:
    """Waits until the beacon has reported this number of subscriptions that ended."""
    async with asyncio.timeout(300):
        while service.run.errors.count("unsubscribed from pump") < count:
            await asyncio.sleep(0.05)


PUMP, LIGHT = f"{POT}/service0012/char0015", f"{POT}/service0012/char001b"
STATES = {
    "discovering": [(ADAPTER, "Adapter1", "Discovering", False)],
    "connecting": [(ADAPTER, "Adapter1", "Discovering", False)],
    "connected": [(POT, "Device1", "Connected", True)],
    "reading": [(POT, "Device1", "Connected", True)],
    "notifying": [(PUMP, "GattCharacteristic1", "Notifying", False)],
    "acquired-notify": [(PUMP, "GattCharacteristic1", "NotifyAcquired", False)],
    "acquired-write": [(LIGHT, "GattCharacteristic1", "WriteAcquired", False)],
    "pairing": [(ADAPTER, "Adapter1", "Discovering", False)],
    "monitoring": [(ADAPTER, "Adapter1", "Discovering", False)],
    "advertising": [(ADAPTER, "LEAdvertisingManager1", "ActiveInstances", 0)],
    "serving": [],
}
"""The states of clients, and the properties that show what is left when the client was killed: nothing but connections."""


@pytest.mark.parametrize("state", STATES)
def test_killed_client_leaves_nothing(service: Callable[..., PrivateBus], state: str) -> None:
    ours = service(WIRE)

    def kill() -> None:
        command = [sys.executable, "-B", FOLDER / "victim.py", state]
        with subprocess.Popen(command, env=ours.environment, stdout=subprocess.PIPE, text=True) as victim:
            assert victim.stdout and victim.stdout.readline() == "ready\n"
            victim.send_signal(signal.SIGKILL)

    async def use() -> None:
        bus = await connect(ours)
        before = await value(bus, ADAPTER, "Adapter1", "UUIDs")
        # Twice: a session that is left would refuse the second client.
        for count in (1, 2):
            await asyncio.to_thread(kill)
            for path, interface, name, wanted in STATES[state]:
                await eventually(bus, path, interface, name, wanted)
            await eventually(bus, ADAPTER, "Adapter1", "UUIDs", before)
            if state in ("notifying", "acquired-notify"):
                await cleared(ours, count)
            if await value(bus, POT, "Device1", "Connected"):
                await call(bus, POT, "org.bluez.Device1.Disconnect")
        await discover(bus)
        await eventually(bus, ADAPTER, "Adapter1", "Discovering", True)

    asyncio.run(use())
