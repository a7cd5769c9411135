# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Clients that are killed in all states, that stop reading, and that are many."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dbus_fast import Message, Variant
from rig import ADAPTER, CHARACTERISTIC, DEVICE, HCI0, ODD, Bus, Client, client

CALLERS = Path(__file__).parent / "callers.py"


@pytest.fixture
def caller() -> Iterator[object]:
    """Starts a client that has reached a state."""
    processes: list[subprocess.Popen[str]] = []

    def start(state: str) -> subprocess.Popen[str]:
        process = subprocess.Popen([sys.executable, CALLERS, state], stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout and process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait(300)


async def use(recorder: Client) -> None:
    """What any client must be able to do after another one has ended."""
    await recorder.call(HCI0, ADAPTER, "StartDiscovery")
    (objects,) = (await recorder.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")).body
    if ODD not in objects:
        await recorder.until(lambda line: line == f"added {ODD} {DEVICE}")
    await recorder.call(ODD, DEVICE, "Connect")
    (objects,) = (await recorder.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")).body
    if not any(path.startswith(f"{ODD}/") for path in objects):
        await recorder.until(lambda line: "ServicesResolved=True" in line)
        (objects,) = (await recorder.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")).body
    path = next(
        path
        for path, interfaces in objects.items()
        if CHARACTERISTIC in interfaces and interfaces[CHARACTERISTIC]["UUID"].value.startswith("0000fff1")
    )
    while (await recorder.call(path, CHARACTERISTIC, "StartNotify")).error_name == "org.bluez.Error.NotPermitted":
        await asyncio.sleep(0.05)  # the service has not received yet that the socket was closed
    await recorder.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", b"hi", {})
    await recorder.until(lambda line: line == f"{path} Value={b'hi'}")
    await recorder.call(path, CHARACTERISTIC, "StopNotify")
    assert (await recorder.call(ODD, DEVICE, "Disconnect")).error_name is None
    await recorder.call(HCI0, ADAPTER, "StopDiscovery")


@pytest.mark.parametrize("state", ["discovering", "connecting", "connected", "notifying", "acquired"])
def test_client_is_killed(bus: Bus, caller: object, state: str) -> None:
    bus()
    process = caller(state)  # type: ignore[operator]
    process.send_signal(signal.SIGKILL)
    process.wait(300)

    async def body() -> None:
        async with client() as recorder:
            await use(recorder)

    asyncio.run(body())


def test_discovery_ends_with_a_killed_client(bus: Bus, caller: object) -> None:
    bus()
    process = caller("discovering")  # type: ignore[operator]

    async def body() -> None:
        async with client() as recorder:
            process.send_signal(signal.SIGKILL)
            await recorder.until(lambda line: line == f"{HCI0} Discovering=False")

    asyncio.run(body())


def test_client_that_does_not_read(bus: Bus, caller: object) -> None:
    bus()
    process = caller("notifying")  # type: ignore[operator]
    process.send_signal(signal.SIGSTOP)

    async def body() -> None:
        async with client() as recorder:
            await use(recorder)

    try:
        asyncio.run(body())
    finally:
        process.send_signal(signal.SIGCONT)


CROWD = "profile: crowd\nbeacons:\n" + "".join(
    f"  - {{ id: b{number}, device: ibeacon, interval: 1s,"
    f" ibeacon: {{ uuid: 2173E519-9155-4862-AB64-7953AB146157, major: 1, minor: {number} }} }}\n"
    for number in range(500)
)


class Counter:
    """A client that counts the devices of which it received a signal."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.everything = asyncio.Event()

    def note(self, message: Message) -> None:
        if message.member == "PropertiesChanged" and "ManufacturerData" in message.body[1]:
            self.seen.add(message.path)
            if len(self.seen) == 500:
                self.everything.set()


@pytest.mark.slow
def test_ten_clients_and_five_hundred_beacons_with_duplicates(bus: Bus) -> None:
    run = bus(CROWD)

    async def one() -> None:
        counter = Counter()
        async with client() as recorder:
            recorder.bus.remove_message_handler(recorder._note)
            recorder.bus.add_message_handler(counter.note)
            parameters = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}
            await recorder.call(HCI0, ADAPTER, "SetDiscoveryFilter", "a{sv}", parameters)
            assert (await recorder.call(HCI0, ADAPTER, "StartDiscovery")).error_name is None
            await asyncio.wait_for(counter.everything.wait(), 300)

    async def body() -> None:
        await asyncio.gather(*(one() for _ in range(10)))

    asyncio.run(body())
    assert run.end() == 0
