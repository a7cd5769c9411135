#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A session of two clients with org.bluez, recorded from the bus.

The bus is that of DBUS_SYSTEM_BUS_ADDRESS; it has two adapters, on whose air the beacons of wire.yaml are. The session is
the same for a real bluetoothd and for `beaconry dbus`, so the recordings can be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from recording import Recorder

sys.path.append(str(Path(__file__).resolve().parents[1]))
from bumble.hci import Address, OwnAddressType  # noqa: E402
from private_peer import IDENTITY, SECRET as PRIVATE_SECRET, Io, private, private_peer  # noqa: E402

BUS = "org.freedesktop.DBus"
PROPERTIES, MANAGER = f"{BUS}.Properties", f"{BUS}.ObjectManager"
ADAPTER, DEVICE, CHARACTERISTIC = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1"
MONITORS = "org.bluez.AdvertisementMonitorManager1"
BLUEZ = "/org/bluez"
FRAME, SHOP, POT, LOCK, GATE = (f"C0:FF:EE:00:00:0{number}" for number in range(1, 6))
MOISTURE, DESCRIPTION = "00002a6f-0000-1000-8000-00805f9b34fb", "00002901-0000-1000-8000-00805f9b34fb"
CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"
LABEL, PUMP, VALVE, LIGHT, SECRET, BROKEN, SLOW = (f"5a1e000{number}-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in range(3, 10))
KEY = "5a1e0012-8c1d-4e8b-9c55-0d0e8f6a1b01"
PATIENCE = 300
"""Time limit for an answer and for an expected signal, in seconds."""

Answer = tuple[str, list[Any]]


class Refused(Exception):
    """The error that a client answers a call of org.bluez with."""


class Client:
    """A program on the bus that calls org.bluez, and exports objects for it."""

    def __init__(self, name: str, recorder: Recorder) -> None:
        self.name = name
        self.recorder = recorder
        self.exports: dict[tuple[str, str], Callable[[list[Any]], Answer]] = {}
        """What is answered to calls: by path and member."""

    async def connect(self) -> Client:
        self.bus = await MessageBus(bus_address=self.recorder.address, negotiate_unix_fd=True).connect()
        self.recorder.names[str(self.bus.unique_name)] = self.name
        self.bus.add_message_handler(self._called)
        return self

    async def call(self, path: str, member: str, signature: str = "", *body: Any) -> Message | None:
        """Calls a method, which has the name of its interface before it; returns the reply when the monitor has seen it and
        what was sent before it; None if there is none in time."""
        interface, _, name = member.rpartition(".")
        message = Message("org.bluez", path, interface or None, name, signature=signature, body=list(body))
        try:
            reply = await asyncio.wait_for(self.bus.call(message), PATIENCE)
        except TimeoutError:
            self.recorder.note(f"! no answer to {self.name}'s {name}")
            return None
        await self.fence()
        return reply

    async def get(self, path: str, interface: str, name: str) -> Any:
        """A property; None if there is none."""
        reply = await self.call(path, f"{PROPERTIES}.Get", "ss", interface, name)
        return reply.body[0].value if reply and reply.message_type is MessageType.METHOD_RETURN else None

    async def set(self, path: str, interface: str, name: str, signature: str, value: Any) -> None:
        await self.call(path, f"{PROPERTIES}.Set", "ssv", interface, name, Variant(signature, value))

    async def introspect(self, path: str) -> None:
        await self.call(path, "org.freedesktop.DBus.Introspectable.Introspect")

    async def fence(self) -> None:
        """Waits until the monitor has seen everything that org.bluez has sent before now."""
        ping = Message("org.bluez", "/", "org.freedesktop.DBus.Peer", "Ping", serial=self.bus.next_serial())

        def send() -> int:
            self.bus.send(ping)
            return ping.serial

        await self.recorder.pass_fence(str(self.bus.unique_name), send)

    def export(self, path: str, member: str, answer: Callable[[list[Any]], Answer]) -> None:
        self.exports[(path, member)] = answer

    async def names(self) -> list[str]:
        """The names on the bus."""
        reply = await self.bus.call(Message(BUS, "/org/freedesktop/DBus", BUS, "ListNames"))
        assert reply
        return reply.body[0]

    async def process_of(self, name: str) -> int:
        """The number of the process with this name."""
        call = Message(BUS, "/org/freedesktop/DBus", BUS, "GetConnectionUnixProcessID", signature="s", body=[name])
        reply = await self.bus.call(call)
        assert reply
        return reply.body[0] if reply.message_type is MessageType.METHOD_RETURN else 0

    def kill(self) -> None:
        """Closes the connection, as the end of the program does."""
        self.bus.disconnect()

    def _called(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        answer = self.exports.get((message.path or "", message.member or ""))
        try:
            if answer:
                signature, body = answer(message.body)
                return Message.new_method_return(message, signature, body)
        except Refused as refused:
            name, reason = refused.args
            return Message.new_error(message, name, reason)
        return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", f"no {message.member}")


class Shell:
    """bluetoothctl, which gets commands on its standard input."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid
        self._output = b""

    async def type(self, command: str, answer: str) -> None:
        """Types a command, and waits for a text."""
        assert self._process.stdin and self._process.stdout
        if command:
            self._process.stdin.write(command.encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            while answer.encode() not in self._output:
                data = await self._process.stdout.read(4096)
                assert data, f"bluetoothctl has ended without {answer!r}: {self._output.decode(errors='replace')}"
                self._output += data
        self._output = self._output.partition(answer.encode())[2] if answer else self._output

    async def end(self) -> None:
        """Waits for its end."""
        assert self._process.stdout
        while await self._process.stdout.read(4096):
            pass
        await self._process.wait()


@asynccontextmanager
async def shell(address: str) -> AsyncIterator[Shell]:
    """bluetoothctl on a bus."""
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec("bluetoothctl", env=environment, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    yield Shell(process)
    if process.returncode is None:
        process.kill()
        await process.wait()


class Session:
    """The steps, in order. Later steps rely on the state in which earlier ones leave the service."""

    def __init__(self, recorder: Recorder, first: str, second: str, settle: float, air: str, output: Path) -> None:
        self.recorder = recorder
        self.output = output
        self.air = air
        self.here, self.there = f"{BLUEZ}/{first}", f"{BLUEZ}/{second}"
        self.settle = settle
        self.c1, self.c2 = Client("C1", recorder), Client("C2", recorder)
        self.veil = f"{self.here}/{self.VEIL}"
        self.paths: dict[str, str] = {}
        self.handles: dict[str, int] = {}
        self.peers = AsyncExitStack()

    async def run(self, only: str | None) -> None:
        await self.c1.connect()
        await self.c2.connect()
        async with self.peers:
            await self.run_steps(only)

    async def run_steps(self, only: str | None) -> None:
        for name in [name for name in vars(Session) if name.startswith("step_")]:
            if not any(part in name for part in only.split(",")) if only else name in self.ON_REQUEST:
                continue
            self.recorder.begin(name.removeprefix("step_").replace("_", "-"))
            try:
                await getattr(self, name)()
            except (KeyError, TimeoutError, OSError) as error:
                self.recorder.note(f"! the step ended early: {error!r}")
            await self.recorder.settle(self.settle, self.c1.fence)
            if name not in self.WITH_ALL_DEVICES:
                self.recorder.steps[-1].keep_devices_in_use()
            self.recorder.steps[-1].sort_devices()
            self.output.write_text("".join(f"{step}\n" for step in self.recorder.steps))
            print(self.recorder.steps[-1].name, len(self.recorder.steps[-1].events), flush=True)

    ON_REQUEST = ("step_key_lost",)
    """bluetoothd 5.66 ends with an error in them."""
    WITH_ALL_DEVICES = ("step_discovery", "step_second_client", "step_last_discovery_ends", "step_monitor", "step_devices_expire")

    # What the steps use

    async def expect(self, header: str, detail: str = "", times: int = 1, seconds: float = PATIENCE) -> None:
        """Waits for signals or calls in this step that contain these texts."""

        def arrived() -> bool:
            found = [event for event in self.recorder.steps[-1].events if header in event.header]
            return sum(not detail or any(detail in each for each in event.details) for event in found) >= times

        deadline = time.monotonic() + seconds
        # dbus-fast may have read the message already without reporting it until more arrives.
        while not await self.recorder.until(arrived, 0.5) and time.monotonic() < deadline:
            await self.c1.fence()
        if not arrived():
            self.recorder.note(f"! not within the time limit: {header} {detail}")
        await self.c1.fence()

    def device(self, address: str, adapter: str | None = None) -> str:
        return f"{adapter or self.here}/dev_{address.replace(':', '_')}"

    async def discover(self, address: str, client: Client | None = None, adapter: str | None = None) -> None:
        """Discovers until the device was found, which is the only one that matches."""
        with self.unrecorded():
            await self.c1.call(adapter or self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(address, adapter))
        await self.start_discovery(address, client, adapter)
        await self.expect(f"* InterfacesAdded {self.device(address, adapter)} ")
        await self.stop_discovery(client, adapter)

    async def start_discovery(self, pattern: str, client: Client | None = None, adapter: str | None = None) -> None:
        """Starts to discover the devices whose addresses begin with this pattern."""
        client, adapter = client or self.c1, adapter or self.here
        settings = {"Transport": Variant("s", "le"), "Pattern": Variant("s", pattern)}
        await client.call(adapter, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", settings)
        await client.call(adapter, f"{ADAPTER}.StartDiscovery")
        await self.expect(f"* PropertiesChanged {adapter} Adapter1", "Discovering = b true")

    async def stop_discovery(self, client: Client | None = None, adapter: str | None = None) -> None:
        await (client or self.c1).call(adapter or self.here, f"{ADAPTER}.StopDiscovery")
        await self.expect(f"* PropertiesChanged {adapter or self.here} Adapter1", "Discovering = b false")

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """A step that is removed again: preparations."""
        self.recorder.begin("unrecorded")
        yield
        self.recorder.steps.pop()

    async def forget(self, *others: str) -> None:
        """Removes the devices of the first adapter except these. They would expire at some time in a later step."""
        with self.unrecorded():
            reply = await self.c1.call("/", f"{MANAGER}.GetManagedObjects")
            assert reply
            left = {self.device(address) for address in others}
            for path, listed in reply.body[0].items():
                if DEVICE in listed and path.startswith(self.here + "/") and path not in left:
                    await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", path)

    async def connect(self, address: str, client: Client | None = None, adapter: str | None = None) -> None:
        """Connects, and waits for the services."""
        path = self.device(address, adapter)
        await (client or self.c1).call(path, f"{DEVICE}.Connect")
        await self.expect(f"* PropertiesChanged {path} Device1", "ServicesResolved = b true")
        await self.learn_paths()

    async def learn_paths(self) -> None:
        """Learns the paths of characteristics and descriptors by their UUID."""
        with self.unrecorded():
            reply = await self.c1.call("/", f"{MANAGER}.GetManagedObjects")
        assert reply
        for path, listed in sorted(reply.body[0].items()):
            for interface in (CHARACTERISTIC, "org.bluez.GattDescriptor1"):
                if interface in listed:
                    self.paths.setdefault(listed[interface]["UUID"].value, path)

    async def read(self, uuid: str, client: Client | None = None, **options: Variant) -> None:
        await (client or self.c1).call(self.paths[uuid], f"{CHARACTERISTIC}.ReadValue", "a{sv}", options)

    async def write(self, uuid: str, value: bytes, client: Client | None = None, **options: Variant) -> None:
        await (client or self.c1).call(self.paths[uuid], f"{CHARACTERISTIC}.WriteValue", "aya{sv}", value, options)

    async def on(self, uuid: str, member: str, *more: Any, client: Client | None = None) -> Message | None:
        return await (client or self.c1).call(self.paths[uuid], f"{CHARACTERISTIC}.{member}", *more)

    # The adapter

    async def step_objects(self) -> None:
        await self.c1.call("/", f"{MANAGER}.GetManagedObjects")
        for path in ("/", "/org", BLUEZ, self.here):
            await self.c1.introspect(path)

    async def step_adapter_properties(self) -> None:
        await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", ADAPTER)
        await self.c1.get(self.here, ADAPTER, "Powered")
        for interface in (PROPERTIES, MANAGER, "org.bluez.Nothing1", ""):
            await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", interface)
        await self.c1.get(self.here, ADAPTER, "Nothing")
        await self.c1.get(self.here, "org.bluez.Nothing1", "Powered")
        await self.c1.get(self.here, PROPERTIES, "Powered")

    async def step_unknown_members(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.Nothing")
        await self.c1.call(self.here, "org.bluez.Nothing1.StartDiscovery")
        await self.c1.call(f"{BLUEZ}/hci9", f"{ADAPTER}.StartDiscovery")
        await self.c1.call(self.device(POT), f"{DEVICE}.Connect")
        await self.c1.call(self.device(POT), f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.c1.introspect(self.device(POT))
        await self.c1.introspect("/nothing")
        await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter")
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery", "s", "now")
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "s", "/device")
        await self.c1.call(self.here, f"{PROPERTIES}.Get", "s", ADAPTER)

    async def step_adapter_settings(self) -> None:
        with self.unrecorded():
            settings = {name: await self.c1.get(self.here, ADAPTER, name) for name in ("Discoverable", "Pairable")}
        await self.c1.set(self.here, ADAPTER, "Alias", "s", "Desk")
        await self.c1.set(self.here, ADAPTER, "Alias", "s", "Desk")
        await self.c1.set(self.here, ADAPTER, "Alias", "s", "")
        for name, value in (("Discoverable", True), ("Discoverable", False), ("Pairable", True), ("Pairable", False)):
            await self.c1.set(self.here, ADAPTER, name, "b", value)
            if settings[name] != value:
                await self.expect(f"* PropertiesChanged {self.here} Adapter1", f"{name} = b {str(value).lower()}")
            settings[name] = value
        await self.c1.set(self.here, ADAPTER, "DiscoverableTimeout", "u", 60)
        await self.c1.set(self.here, ADAPTER, "DiscoverableTimeout", "u", 180)
        await self.c1.set(self.here, ADAPTER, "PairableTimeout", "u", 30)
        await self.c1.set(self.here, ADAPTER, "PairableTimeout", "u", 0)
        await self.c1.set(self.here, ADAPTER, "Powered", "b", True)
        await self.c1.set(self.here, ADAPTER, "Powered", "s", "on")
        await self.c1.set(self.here, ADAPTER, "Address", "s", "00:00:00:00:00:01")
        await self.c1.set(self.here, ADAPTER, "Nothing", "s", "x")
        await self.c1.set(self.here, "org.bluez.Nothing1", "Powered", "b", True)

    async def step_discovery_filters(self) -> None:
        s, n, q, b = (lambda value, kind=kind: Variant(kind, value) for kind in "snqb")
        filters = [
            {"Nothing": s("x")}, {"RSSI": s("x")}, {"RSSI": n(-128)}, {"RSSI": n(21)}, {"RSSI": n(20)}, {"Pathloss": q(200)},
            {"Pathloss": q(40)}, {"RSSI": n(-80), "Pathloss": q(40)}, {"Transport": s("radio")}, {"Transport": s("bredr")},
            {"DuplicateData": s("x")}, {"UUIDs": Variant("as", ["x"])}, {"UUIDs": Variant("as", [])},
            {"UUIDs": Variant("as", ["180F", "0000180A", MOISTURE])}, {"UUIDs": s("180F")}, {"Pattern": s("")}, {"Pattern": q(1)},
            {"Discoverable": b(False)}, {"AutoConnect": b(False)}, {},
        ]  # fmt: skip
        for each in filters:
            await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", each)
        await self.c1.call(self.here, f"{ADAPTER}.GetDiscoveryFilters")

    async def step_discovery(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.StopDiscovery")
        le = {"Transport": Variant("s", "le")}
        await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", le)
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery")
        await self.expect(f"* PropertiesChanged {self.here} Adapter1", "Discovering = b true")
        for address in (FRAME, SHOP, POT, LOCK, GATE):
            await self.expect(f"* InterfacesAdded {self.device(address)} ")
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery")

    async def step_second_client(self) -> None:
        await self.c2.call(self.here, f"{ADAPTER}.StopDiscovery")
        await self.c2.call(self.here, f"{ADAPTER}.StartDiscovery")
        await self.c1.call(self.here, f"{ADAPTER}.StopDiscovery")
        await self.c2.call("/", f"{MANAGER}.GetManagedObjects")

    async def step_last_discovery_ends(self) -> None:
        await self.c2.call(self.here, f"{ADAPTER}.StopDiscovery")
        await self.expect(f"* PropertiesChanged {self.here} Adapter1", "Discovering = b false")
        await self.c1.call("/", f"{MANAGER}.GetManagedObjects")
        await self.forget(POT)

    async def step_discovery_by_service(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(POT))
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(POT))
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", "/device")
        filters = {"Transport": Variant("s", "le"), "UUIDs": Variant("as", ["181A"])}
        await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", filters)
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery")
        await self.expect(f"* InterfacesAdded {self.device(POT)} ")
        await self.stop_discovery()

    async def step_discovery_of_duplicates(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(POT))
        filters = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True), "UUIDs": Variant("as", ["181A"])}
        await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", filters)
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery")
        await self.expect(f"* PropertiesChanged {self.device(POT)} Device1", "ServiceData", times=2)
        await self.stop_discovery()
        self.recorder.steps[-1].merge_repeated()

    # A device

    async def step_device_properties(self) -> None:
        pot = self.device(POT)
        await self.c1.introspect(pot)
        await self.c1.call(pot, f"{PROPERTIES}.GetAll", "s", DEVICE)
        for name in ("RSSI", "TxPower", "Icon", "Class", "Modalias", "Nothing"):
            await self.c1.get(pot, DEVICE, name)
        await self.c1.set(pot, DEVICE, "Alias", "s", "Fern")
        await self.c1.set(pot, DEVICE, "Alias", "s", "")
        await self.c1.set(pot, DEVICE, "Blocked", "b", True)
        await self.c1.set(pot, DEVICE, "Blocked", "b", False)
        await self.c1.set(pot, DEVICE, "Address", "s", SHOP)
        await self.c1.set(pot, DEVICE, "Trusted", "s", "yes")
        await self.c1.set(pot, DEVICE, "Trusted", "b", True)

    async def step_disconnect_without_link(self) -> None:
        await self.c1.call(self.device(POT), f"{DEVICE}.Disconnect")
        await self.c1.call(self.device(POT), f"{DEVICE}.CancelPairing")

    async def step_connect_cancelled(self) -> None:
        await self.start_discovery(FRAME)
        await self.expect(f"* InterfacesAdded {self.device(FRAME)} ")
        pending = asyncio.ensure_future(self.c1.bus.call(Message("org.bluez", self.device(FRAME), DEVICE, "Connect")))
        await self.c1.fence()
        await self.c2.call(self.device(FRAME), f"{DEVICE}.Connect")
        await self.c2.call(self.device(FRAME), f"{DEVICE}.Disconnect")
        await pending
        await self.stop_discovery()
        await self.forget(POT)

    async def step_connect(self) -> None:
        await self.connect(POT)
        await self.c1.call(self.device(POT), f"{DEVICE}.Connect")
        await self.c2.call(self.device(POT), f"{PROPERTIES}.GetAll", "s", DEVICE)

    async def step_services(self) -> None:
        moisture = self.paths[MOISTURE]
        for path in (moisture.rpartition("/")[0], moisture, self.paths[DESCRIPTION]):
            await self.c1.introspect(path)
        await self.c1.call("/", f"{MANAGER}.GetManagedObjects")

    async def step_reads(self) -> None:
        for options in ({}, {"offset": Variant("q", 1)}, {"offset": Variant("q", 2)}, {"offset": Variant("q", 9)}, {"offset": Variant("s", "x")}):
            await self.read(MOISTURE, **options)
        await self.read(LABEL)
        await self.read(LABEL)
        await self.read(PUMP)
        await self.read(BROKEN)
        await self.on(MOISTURE, "ReadValue")
        await self.read(MOISTURE, client=self.c2)
        await self.c1.get(self.paths[MOISTURE], CHARACTERISTIC, "Value")

    async def step_reads_at_once(self) -> None:
        slow = Message("org.bluez", self.paths[SLOW], CHARACTERISTIC, "ReadValue", signature="a{sv}", body=[{}])
        pending = asyncio.ensure_future(self.c1.bus.call(slow))
        await self.c1.fence()
        await self.read(SLOW, client=self.c2, offset=Variant("q", 1))
        await pending
        await self.c1.fence()

    async def step_descriptors(self) -> None:
        description = self.paths[DESCRIPTION]
        descriptor = "org.bluez.GattDescriptor1"
        await self.c1.call(description, f"{descriptor}.ReadValue", "a{sv}", {})
        await self.c1.call(description, f"{descriptor}.ReadValue", "a{sv}", {"offset": Variant("q", 2)})
        await self.c1.call(description, f"{descriptor}.WriteValue", "aya{sv}", b"Sand", {})
        configuration = self.paths[CONFIGURATION]
        await self.c1.call(configuration, f"{descriptor}.ReadValue", "a{sv}", {})
        await self.c1.call(configuration, f"{descriptor}.WriteValue", "aya{sv}", b"\1\0", {})

    async def step_writes(self) -> None:
        for value in (b"Mint", bytes(range(200)), b""):
            await self.write(LABEL, value)
            await self.read(LABEL)
        for kind in ("request", "command", "reliable", "other"):
            await self.write(LABEL, b"Mint", type=Variant("s", kind))
        await self.write(LABEL, b"XX", offset=Variant("q", 1))
        await self.write(LABEL, b"XX", offset=Variant("q", 300))
        await self.write(LABEL, bytes(513))
        await self.write(SECRET, b"\2")
        await self.write(SECRET, b"\2\2")
        await self.write(BROKEN, b"\2")
        await self.write(MOISTURE, b"\2")
        await self.write(SECRET, b"\6", prepare_authorize=Variant("b", True))
        await self.on(LABEL, "WriteValue", "ay", b"x")

    async def step_notifications(self) -> None:
        await self.on(MOISTURE, "StartNotify")
        await self.on(PUMP, "StopNotify")
        await self.on(PUMP, "StartNotify")
        await self.on(PUMP, "StartNotify")
        await self.c1.call(self.paths[PUMP] , f"{PROPERTIES}.GetAll", "s", CHARACTERISTIC)
        signal = f"* PropertiesChanged {self.paths[PUMP]} GattCharacteristic1"
        for count, value in enumerate((b"one", b"two", b"two")):
            await self.write(PUMP, value)
            await self.expect(signal, "Value", times=count + 1)
        await self.on(PUMP, "StartNotify", client=self.c2)
        await self.on(PUMP, "StopNotify")
        await self.on(PUMP, "AcquireNotify", "a{sv}", {})
        await self.on(PUMP, "StopNotify", client=self.c2)
        await self.expect(signal, "Notifying = b false")
        await self.on(PUMP, "Confirm")

    async def step_indications(self) -> None:
        await self.on(VALVE, "StartNotify")
        signal = f"* PropertiesChanged {self.paths[VALVE]} GattCharacteristic1"
        await self.write(VALVE, b"open")
        await self.expect(signal, "Value = ")
        await self.on(VALVE, "StopNotify")
        await self.on(VALVE, "AcquireNotify", "a{sv}", {})

    async def step_acquired(self) -> None:
        reply = await self.on(PUMP, "AcquireNotify", "a{sv}", {})
        await self.on(PUMP, "AcquireNotify", "a{sv}", {}, client=self.c2)
        await self.on(PUMP, "StartNotify")
        await self.write(PUMP, b"three")
        if reply and reply.unix_fds:
            value = await asyncio.wait_for(self.packet(reply.unix_fds[0]), PATIENCE)
            self.recorder.note(f"C1 received {value!r}")
            os.close(reply.unix_fds[0])
            await self.expect(f"* PropertiesChanged {self.paths[PUMP]}", "NotifyAcquired = b false")
        reply = await self.on(LIGHT, "AcquireWrite", "a{sv}", {})
        await self.on(LIGHT, "AcquireWrite", "a{sv}", {}, client=self.c2)
        await self.write(LIGHT, b"on", type=Variant("s", "command"))
        await self.on(LIGHT, "StartNotify")
        if reply and reply.unix_fds:
            os.write(reply.unix_fds[0], b"dim")
            await self.expect(f"* PropertiesChanged {self.paths[LIGHT]}", "Value")
            os.close(reply.unix_fds[0])
            await self.expect(f"* PropertiesChanged {self.paths[LIGHT]}", "WriteAcquired = b false")
        await self.on(LIGHT, "StopNotify")
        await self.on(SECRET, "AcquireWrite", "a{sv}", {})

    @staticmethod
    async def packet(descriptor: int) -> bytes:
        """The next packet of a socket."""
        loop, arrived = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(descriptor, arrived.set)
        await arrived.wait()
        loop.remove_reader(descriptor)
        return os.read(descriptor, 512)

    async def step_subscriber_vanishes(self) -> None:
        other = await Client("C3", self.recorder).connect()
        await self.on(PUMP, "StartNotify", client=other)
        other.kill()
        await self.expect(f"* PropertiesChanged {self.paths[PUMP]} GattCharacteristic1", "Notifying = b false")

    async def step_disconnect(self) -> None:
        await self.on(PUMP, "StartNotify")
        await self.c1.call(self.device(POT), f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {self.device(POT)} Device1", "Connected = b false")
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.c1.call(self.device(POT), f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.read(MOISTURE)
        await self.write(LABEL, b"Mint")
        await self.on(PUMP, "StartNotify")
        await self.on(PUMP, "AcquireNotify", "a{sv}", {})

    async def step_connect_again(self) -> None:
        await self.connect(POT)
        await self.read(MOISTURE)

    async def step_remove_connected_device(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(POT))
        await self.expect(f"* InterfacesRemoved {self.device(POT)} from /", "Device1")

    # Pairing

    async def step_agents(self) -> None:
        manager = "org.bluez.AgentManager1"
        await self.c1.call(BLUEZ, f"{manager}.UnregisterAgent", "o", "/agent")
        await self.c1.call(BLUEZ, f"{manager}.RequestDefaultAgent", "o", "/agent")
        await self.c1.call(BLUEZ, f"{manager}.RegisterAgent", "os", "/agent", "Telepathy")
        await self.c1.call(BLUEZ, f"{manager}.RegisterAgent", "os", "/agent", "KeyboardDisplay")
        await self.c1.call(BLUEZ, f"{manager}.RegisterAgent", "os", "/agent2", "")
        await self.c1.call(BLUEZ, f"{manager}.RequestDefaultAgent", "o", "/agent")
        await self.c2.call(BLUEZ, f"{manager}.RequestDefaultAgent", "o", "/agent")

    async def step_pair_without_passkey(self) -> None:
        self.serve_agent()
        await self.discover(LOCK)
        await self.c1.call(self.device(LOCK), f"{DEVICE}.Pair")
        await self.expect(f"* PropertiesChanged {self.device(LOCK)} Device1", "ServicesResolved = b true")
        await self.learn_paths()
        await self.read(KEY)
        await self.forget()

    async def step_pair_with_passkey(self) -> None:
        await self.discover(GATE)
        await self.c1.call(self.device(GATE), f"{DEVICE}.Pair")
        await self.expect(f"* InterfacesAdded {self.device(GATE)} ", "Battery1", times=1)
        await self.c1.call(self.device(GATE), f"{PROPERTIES}.GetAll", "s", "org.bluez.Battery1")
        await self.c1.call(self.device(GATE), f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {self.device(GATE)} Device1", "Connected = b false")

    async def step_connect_bonded(self) -> None:
        await self.connect(GATE)
        await self.expect(f"* InterfacesAdded {self.device(GATE)} ", "Battery1", times=1)

    async def step_pair_refused(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.device(GATE))
        await self.expect(f"* InterfacesRemoved {self.device(GATE)} from /", "Device1")
        await self.discover(GATE)

        def refuse(_: list[Any]) -> Answer:
            raise Refused("org.bluez.Error.Rejected", "no")

        self.c1.export("/agent", "RequestPasskey", refuse)
        await self.c1.call(self.device(GATE), f"{DEVICE}.Pair")
        self.recorder.steps[-1].cut_after("Pair ->")
        await self.forget()

    async def step_pair_with_wrong_passkey(self) -> None:
        await self.discover(GATE)
        self.c1.export("/agent", "RequestPasskey", lambda _: ("u", [1]))
        await self.c1.call(self.device(GATE), f"{DEVICE}.Pair")
        self.recorder.steps[-1].cut_after("Pair ->")
        await self.forget()

    # A device of another stack with private addresses

    VEIL = f"dev_{private(1).replace(':', '_')}"
    """The object of the device, which has the name of the first address that was received."""

    async def step_private_found(self) -> None:
        with self.unrecorded():
            self.peer = await self.peers.enter_async_context(private_peer(self.air))
            await self.peer.advertise(1)
        self.serve_agent()
        await self.discover(private(1))

    async def step_private_paired(self) -> None:
        await self.c1.call(self.veil, f"{DEVICE}.Pair")
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "ServicesResolved = b true")
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "Paired = b true")
        await self.learn_paths()
        await self.read(PRIVATE_SECRET)
        await self.c1.call(self.veil, f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.leave()

    async def step_private_connected_again(self) -> None:
        await self.enter()
        await self.read(PRIVATE_SECRET)
        await self.leave()

    async def step_private_received(self) -> None:
        """From another address."""
        await self.receive_private(2)
        await self.list_devices()
        await self.c1.call(self.veil, f"{PROPERTIES}.GetAll", "s", DEVICE)

    async def step_private_connected_at_new_address(self) -> None:
        await self.enter()
        await self.read(PRIVATE_SECRET)

    async def step_private_received_while_connected(self) -> None:
        await self.receive_private(3)
        await self.list_devices()
        await self.leave()

    async def step_private_connected_without_discovery(self) -> None:
        await self.peer.advertise(4)
        await self.enter()
        await self.read(PRIVATE_SECRET)
        await self.leave()

    async def step_key_lost(self) -> None:
        """The device has lost the keys of the bond."""
        self.peer.forget()
        await self.c1.call(self.veil, f"{DEVICE}.Connect")
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "Connected = b false")
        await self.c1.call(self.veil, f"{PROPERTIES}.GetAll", "s", DEVICE)

    async def step_private_removed(self) -> None:
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.veil)
        self.peer.forget()
        await self.peer.advertise(1)
        await self.discover(private(1))

    async def step_read_pairs(self) -> None:
        """Which agent is asked when a program reads a protected value: one that has none."""
        await self.enter()
        await self.read(PRIVATE_SECRET, client=self.c2)
        await self.note_pairing()
        await self.leave()
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.veil)
        self.peer.forget()

    async def step_encryption_requested(self) -> None:
        """A device without a bond requests encryption."""
        await self.discover(private(1))
        self.peer.is_demanding = True
        await self.enter()
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "Paired = b true")
        await self.read(PRIVATE_SECRET)
        await self.note_pairing()
        await self.leave()

    async def step_authentication_requested(self) -> None:
        """A device with a bond requests more than its key provides."""
        self.peer.require(Io.DISPLAY_OUTPUT_ONLY, mitm=True)
        await self.enter()
        await self.note_pairing()
        await self.leave()

    async def step_encryption_requested_again(self) -> None:
        """The key of the bond provides what the device requests: no pairing."""
        await self.enter()
        await self.read(PRIVATE_SECRET)
        before = self.peer.encryptions
        self.peer.request()
        await self.until(lambda: self.peer.encryptions > before, "the device has not been answered")
        self.note_pairings()
        await self.leave()
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.veil)
        self.peer.is_demanding = False
        self.peer.require(Io.NO_OUTPUT_NO_INPUT)
        self.peer.forget()
        await self.peer.silence()

    async def step_two_agents(self) -> None:
        """Which of two agents is asked when a device requests the pairing."""
        await self.c2.call(BLUEZ, "org.bluez.AgentManager1.RegisterAgent", "os", "/agent", "KeyboardDisplay")
        self.serve_agent(self.c2)
        self.peer.is_demanding = True
        self.peer.require(Io.DISPLAY_OUTPUT_ONLY, mitm=True)
        await self.peer.advertise(1)
        await self.discover(private(1))
        await self.enter()
        await self.note_pairing()
        await self.leave()

    async def step_first_agent_removed(self) -> None:
        await self.c1.call(BLUEZ, "org.bluez.AgentManager1.UnregisterAgent", "o", "/agent")
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.c1.get(self.here, ADAPTER, "Pairable")
        await self.c1.call(BLUEZ, "org.bluez.AgentManager1.RegisterAgent", "os", "/agent", "KeyboardDisplay")
        await self.c2.call(BLUEZ, "org.bluez.AgentManager1.UnregisterAgent", "o", "/agent")
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.c1.get(self.here, ADAPTER, "Pairable")
        await self.c1.call(BLUEZ, "org.bluez.AgentManager1.RequestDefaultAgent", "o", "/agent")
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", self.veil)
        self.peer.is_demanding = False
        self.peer.require(Io.NO_OUTPUT_NO_INPUT)
        self.peer.forget()
        await self.peer.silence()

    async def step_private_central(self) -> None:
        """The device is the central, and pairs with the adapter."""
        self.serve_advertisement("/advertisement", Type=Variant("s", "peripheral"), LocalName=Variant("s", "Desk"))
        await self.advertise()
        path = f"{self.here}/dev_{private(5).replace(':', '_')}"
        central = await self.connect_central(5)
        await self.expect(f"* InterfacesAdded {path} from /")
        await central.pair()
        await self.expect(f"* PropertiesChanged {path} Device1", "Paired = b true")
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.note_pairing()
        await self.c1.call(path, f"{PROPERTIES}.GetAll", "s", DEVICE)
        await central.disconnect()
        await self.expect(f"* PropertiesChanged {path} Device1", "Connected = b false")

    async def step_private_central_at_new_address(self) -> None:
        path = f"{self.here}/dev_{private(5).replace(':', '_')}"
        central = await self.connect_central(6)
        await self.expect(f"* PropertiesChanged {path} Device1", "Connected = b true")
        await central.encrypt()
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.list_devices()
        await central.disconnect()
        await self.expect(f"* PropertiesChanged {path} Device1", "Connected = b false")

    async def step_private_central_becomes_peripheral(self) -> None:
        """The keys are those of the adapter, whatever its role."""
        path = f"{self.here}/dev_{private(5).replace(':', '_')}"
        await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", "/advertisement")
        await self.peer.advertise(7)
        await self.c1.call(path, f"{DEVICE}.Connect")
        await self.expect(f"* PropertiesChanged {path} Device1", "ServicesResolved = b true")
        await self.recorder.settle(self.settle, self.c1.fence)
        self.note_pairings()
        await self.c1.call(path, f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {path} Device1", "Connected = b false")
        await self.c1.call(self.here, f"{ADAPTER}.RemoveDevice", "o", path)
        self.peer.forget()
        await self.peer.silence()

    async def connect_central(self, number: int) -> Any:
        """Connects the device as a central to the first adapter, from the private address of this number."""
        with self.unrecorded():
            own = await self.c1.get(self.here, ADAPTER, "Address")
        await self.peer.set_address(number)
        return await self.peer.device.connect(
            Address(own, Address.PUBLIC_DEVICE_ADDRESS), own_address_type=OwnAddressType.RANDOM
        )

    async def receive_private(self, number: int | None) -> None:
        """Discovers until the bonded device was received from the address of this number."""
        await self.peer.advertise(number)
        await self.start_discovery(IDENTITY)
        with self.unrecorded():
            deadline = time.monotonic() + PATIENCE
            while await self.c1.get(self.veil, DEVICE, "RSSI") is None and time.monotonic() < deadline:
                await asyncio.sleep(0.1)
        await self.stop_discovery()

    async def list_devices(self) -> None:
        """Notes which objects there are of the device with private addresses."""
        with self.unrecorded():
            reply = await self.c1.call("/", f"{MANAGER}.GetManagedObjects")
        assert reply
        own = [self.device(address) for address in (IDENTITY, *map(private, range(1, 8)))]
        self.recorder.note("its objects: " + ", ".join(path for path in own if path in reply.body[0]))

    async def enter(self) -> None:
        """Connects to the device with private addresses."""
        await self.c1.call(self.veil, f"{DEVICE}.Connect")
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "ServicesResolved = b true")
        await self.learn_paths()

    async def leave(self) -> None:
        """Ends the link to it."""
        await self.c1.call(self.veil, f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {self.veil} Device1", "Connected = b false")

    async def note_pairing(self) -> None:
        """Waits until a pairing has ended on the other side, and notes how."""
        await self.until(lambda: bool(self.peer.pairings), "the device has not paired")
        self.note_pairings()

    def note_pairings(self) -> None:
        """Notes how the pairings ended on the other side."""
        ends = ["paired" if end is None else f"refused with 0x{end:02x}" for end in self.peer.pairings]
        self.recorder.note("the device: " + (", ".join(ends) or "no pairing"))
        self.peer.pairings.clear()

    async def until(self, holds: Callable[[], bool], failure: str) -> None:
        """Waits until a condition holds that is not seen on the bus."""
        deadline = time.monotonic() + PATIENCE
        while not holds() and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        if not holds():
            self.recorder.note(f"! {failure}")

    async def step_agent_removed(self) -> None:
        await self.c1.call(BLUEZ, "org.bluez.AgentManager1.UnregisterAgent", "o", "/agent")
        await self.forget()

    async def step_pair_without_agent(self) -> None:
        """With LE Secure Connections."""
        await self.peer.advertise(1)
        await self.discover(private(1))
        await self.pair_without_agent()

    async def step_pair_legacy_without_agent(self) -> None:
        self.peer.require(Io.NO_OUTPUT_NO_INPUT, secure_connections=False)
        await self.pair_without_agent()

    async def pair_without_agent(self) -> None:
        await self.c1.call(self.veil, f"{DEVICE}.Pair")
        await self.note_pairing()
        await asyncio.sleep(4)
        await self.c1.call(self.veil, f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.c1.call(self.veil, f"{DEVICE}.Disconnect")
        await self.recorder.settle(self.settle, self.c1.fence)

    async def step_encryption_requested_without_agent(self) -> None:
        self.peer.require(Io.NO_OUTPUT_NO_INPUT)
        self.peer.is_demanding = True
        await self.enter()
        await self.note_pairing()
        await self.c1.call(self.veil, f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.leave()
        with self.unrecorded():
            await self.peers.aclose()
        await self.forget()

    def serve_agent(self, client: Client | None = None) -> None:
        client = client or self.c1
        for member in ("Release", "Cancel", "RequestConfirmation", "RequestAuthorization", "AuthorizeService", "DisplayPasskey"):
            client.export("/agent", member, lambda _: ("", []))
        client.export("/agent", "RequestPasskey", lambda _: ("u", [123456]))

    # Monitors

    async def step_monitor(self) -> None:
        reply = await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", MONITORS)
        if not reply or reply.message_type is MessageType.ERROR:
            return  # BlueZ 5.66 has it only with experimental features
        values = {
            "Type": Variant("s", "or_patterns"), "Patterns": Variant("a(yyay)", [[0, 0xFF, bytes.fromhex("4c000215e2c56db5")]]),
            "RSSISamplingPeriod": Variant("q", 0),
        }  # fmt: skip
        monitor = {"/monitors/0": {"org.bluez.AdvertisementMonitor1": values}}
        self.c1.export("/monitors", "GetManagedObjects", lambda _: ("a{oa{sa{sv}}}", [monitor]))
        for member in ("Activate", "Release", "DeviceFound", "DeviceLost"):
            self.c1.export("/monitors/0", member, lambda _: ("", []))
        await self.c1.call(self.here, f"{MONITORS}.UnregisterMonitor", "o", "/monitors")
        await self.c1.call(self.here, f"{MONITORS}.RegisterMonitor", "o", "/monitors")
        await self.expect("C1 is called: AdvertisementMonitor1.DeviceFound")
        await self.c1.call(self.here, f"{MONITORS}.RegisterMonitor", "o", "/monitors")
        self.recorder.steps[-1].merge_repeated()

    async def step_monitor_removed(self) -> None:
        if ("/monitors", "GetManagedObjects") not in self.c1.exports:
            return
        await self.c1.call(self.here, f"{MONITORS}.UnregisterMonitor", "o", "/monitors")
        wrong = {"/monitors/0": {"org.bluez.AdvertisementMonitor1": {"Type": Variant("s", "and_patterns")}}}
        self.c1.export("/monitors", "GetManagedObjects", lambda _: ("a{oa{sa{sv}}}", [wrong]))
        await self.c1.call(self.here, f"{MONITORS}.RegisterMonitor", "o", "/monitors")
        await self.expect("C1 is called: AdvertisementMonitor1.Release")
        await self.c1.call(self.here, f"{MONITORS}.UnregisterMonitor", "o", "/monitors")

    # The peripheral role

    ADVERTISEMENTS = "org.bluez.LEAdvertisingManager1"

    def serve_advertisement(self, path: str, **values: Variant) -> None:
        self.c1.export(path, "GetAll", lambda _: ("a{sv}", [values]))
        self.c1.export(path, "Release", lambda _: ("", []))

    async def advertise(self, path: str = "/advertisement", **options: Variant) -> None:
        await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.RegisterAdvertisement", "oa{sv}", path, options)

    async def step_advertisement(self) -> None:
        await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", self.ADVERTISEMENTS)
        await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", "/advertisement")
        self.serve_advertisement(
            "/advertisement", Type=Variant("s", "peripheral"), ServiceUUIDs=Variant("as", ["180F", LABEL]),
            LocalName=Variant("s", "Desk"), ManufacturerData=Variant("a{qv}", {0xFFFF: Variant("ay", b"\1\2")}),
        )  # fmt: skip
        await self.advertise()
        await self.advertise()
        await self.c1.get(self.here, self.ADVERTISEMENTS, "ActiveInstances")

    async def step_advertisement_received(self) -> None:
        own = await self.c1.get(self.here, ADAPTER, "Address")
        path = self.device(own, self.there)
        with self.unrecorded():
            await self.start_discovery(own, self.c2, self.there)
            # The kernel reports the scan response with the advertisement or after it.
            await self.expect(path, 'Name = s "Desk"')
            await self.stop_discovery(self.c2, self.there)
        await self.c2.call(path, f"{PROPERTIES}.GetAll", "s", DEVICE)
        await self.c2.call(self.there, f"{ADAPTER}.RemoveDevice", "o", path)

    async def step_wrong_advertisements(self) -> None:
        wrong = [
            {}, {"Type": Variant("s", "central")}, {"Type": Variant("s", "peripheral"), "ServiceUUIDs": Variant("as", ["x"])},
            {"Type": Variant("s", "peripheral"), "ServiceUUIDs": Variant("as", [LABEL, PUMP])},
            {"Type": Variant("s", "broadcast"), "Discoverable": Variant("b", True)},
            {"Type": Variant("s", "peripheral"), "Includes": Variant("as", ["nothing"])},
            {"Type": Variant("s", "peripheral"), "ManufacturerData": Variant("s", "x")},
            {"Type": Variant("s", "peripheral"), "MinInterval": Variant("u", 200), "MaxInterval": Variant("u", 100)},
            {"Type": Variant("s", "peripheral"), "TxPower": Variant("n", 100)},
        ]  # fmt: skip
        for number, values in enumerate(wrong):
            self.serve_advertisement(f"/wrong{number}", **values)
            await self.advertise(f"/wrong{number}")
            await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", f"/wrong{number}")
        await self.advertise("/nothing")
        for path in ("/nothing", "/advertisement"):
            await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", path)
        await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", self.ADVERTISEMENTS)

    async def step_advertising_rules(self) -> None:
        """What bluetoothd takes although it looks wrong, and what it refuses: `parse_*` of its advertising.c."""
        rules = [
            {"Type": Variant("s", "broadcast"), "MinInterval": Variant("u", 200)},
            {"Type": Variant("s", "broadcast"), "MaxInterval": Variant("u", 200)},
            {"Type": Variant("s", "broadcast"), "MinInterval": Variant("u", 200), "MaxInterval": Variant("u", 10_485_760)},
            {"Type": Variant("s", "broadcast"), "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", b"")})},
            {"Type": Variant("s", "broadcast"), "ServiceData": Variant("a{sv}", {"180F": Variant("ay", b"")})},
            {"Type": Variant("s", "broadcast"), "Data": Variant("a{yv}", {0x26: Variant("ay", b"")})},
            {"Type": Variant("s", "broadcast"), "Appearance": Variant("q", 0x0340), "Includes": Variant("as", ["appearance"])},
            {"Type": Variant("s", "broadcast"), "SecondaryChannel": Variant("s", "3M")},
            {"Type": Variant("s", "broadcast"), "Data": Variant("a{yv}", {0x2E: Variant("ay", bytes(6))})},
            {"Type": Variant("s", "peripheral"), "DiscoverableTimeout": Variant("q", 10)},
            {"Type": Variant("s", "peripheral"), "Discoverable": Variant("b", True), "DiscoverableTimeout": Variant("q", 10), "Timeout": Variant("q", 5)},
        ]  # fmt: skip
        for number, values in enumerate(rules):
            self.serve_advertisement(f"/rule{number}", **values)
            await self.advertise(f"/rule{number}")
            await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", f"/rule{number}")

    async def step_application(self) -> None:
        manager = "org.bluez.GattManager1"
        await self.c1.call(self.here, f"{manager}.UnregisterApplication", "o", "/application")
        await self.c1.call(self.here, f"{manager}.RegisterApplication", "oa{sv}", "/application", {})
        self.c1.export("/application", "GetManagedObjects", lambda _: ("a{oa{sa{sv}}}", [{}]))
        await self.c1.call(self.here, f"{manager}.RegisterApplication", "oa{sv}", "/application", {})
        self.c1.export("/application", "GetManagedObjects", lambda _: ("a{oa{sa{sv}}}", [self.application()]))
        await self.c1.call(self.here, f"{manager}.RegisterApplication", "oa{sv}", "/application", {})
        await self.c1.call(self.here, f"{manager}.RegisterApplication", "oa{sv}", "/application", {})
        await self.c1.get(self.here, ADAPTER, "UUIDs")

    OWN_SERVICE, OWN_VALUE, OWN_COMMAND, OWN_TEXT, OWN_LABEL = (f"5a1e01{number}0-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in range(5))

    def application(self) -> dict[str, Any]:
        """A service with a characteristic that can be read, written and notified, one for commands, and two descriptors, of which
        one has a property for its value and no methods. Those with a property for their handle get it."""
        service, value, note = "/application/service", "/application/service/value", "/application/service/value/note"
        label, handle = "/application/service/value/label", Variant("q", 0)
        for path in (service, value, note):
            self.c1.export(path, "Set", lambda body, path=path: self.set_handle(path, body[2].value))
        command = "/application/service/command"
        self.c1.export(command, "WriteValue", lambda _: ("", []))
        self.c1.export(value, "ReadValue", lambda _: ("ay", [b"hello"]))
        for member in ("WriteValue", "StartNotify", "StopNotify", "Confirm"):
            self.c1.export(value, member, lambda _: ("", []))
        self.c1.export(note, "ReadValue", lambda _: ("ay", [b"a note"]))
        self.c1.export(note, "WriteValue", lambda _: ("", []))
        flags = Variant("as", ["read", "write", "notify"])
        return {
            service: {"org.bluez.GattService1": {"UUID": Variant("s", self.OWN_SERVICE), "Primary": Variant("b", True), "Handle": handle}},
            value: {CHARACTERISTIC: {"UUID": Variant("s", self.OWN_VALUE), "Service": Variant("o", service), "Flags": flags,
                                     "Handle": handle}},
            command: {CHARACTERISTIC: {"UUID": Variant("s", self.OWN_COMMAND), "Service": Variant("o", service),
                                       "Flags": Variant("as", ["write-without-response"])}},
            note: {"org.bluez.GattDescriptor1": {"UUID": Variant("s", self.OWN_TEXT), "Characteristic": Variant("o", value),
                                                 "Flags": Variant("as", ["read", "write"]), "Handle": handle}},
            label: {"org.bluez.GattDescriptor1": {"UUID": Variant("s", self.OWN_LABEL), "Characteristic": Variant("o", value),
                                                  "Flags": Variant("as", ["read"]), "Value": Variant("ay", b"a label")}},
        }  # fmt: skip

    def set_handle(self, path: str, handle: int) -> Answer:
        """Takes the handle of an object of the application."""
        self.handles[path] = handle
        return "", []

    async def step_application_used(self) -> None:
        own = await self.c1.get(self.here, ADAPTER, "Address")
        self.serve_advertisement("/advertisement", Type=Variant("s", "peripheral"), LocalName=Variant("s", "Desk"))
        await self.advertise()
        with self.unrecorded():  # the handles are those of each service's own attributes
            await self.discover(own, client=self.c2, adapter=self.there)
            await self.connect(own, client=self.c2, adapter=self.there)
        found = {path: int(self.paths[uuid][-4:], 16) for path, uuid in (("value", self.OWN_VALUE), ("value/note", self.OWN_TEXT))}
        found[""] = int(self.paths[self.OWN_VALUE].split("/")[-2][-4:], 16)
        apart = [f"{name or 'service'} {self.handles[f'/application/service/{name}'.rstrip('/')] - handle}" for name, handle in found.items()]
        self.recorder.note("handles after those in the paths: " + ", ".join(apart))
        for alias, uuid in (("VALUE", self.OWN_VALUE), ("COMMAND", self.OWN_COMMAND), ("TEXT", self.OWN_TEXT), ("LABEL", self.OWN_LABEL)):
            self.recorder.aliases[self.paths[uuid]] = alias
        # The longest first: the descriptor is below its characteristic.
        self.recorder.aliases = dict(sorted(self.recorder.aliases.items(), reverse=True))

    async def step_application_read_and_written(self) -> None:
        await self.read(self.OWN_VALUE, client=self.c2)
        await self.write(self.OWN_VALUE, b"hi", client=self.c2)
        await self.write(self.OWN_VALUE, b"hi", client=self.c2, offset=Variant("q", 2))
        await self.write(self.OWN_VALUE, bytes(600), client=self.c2)
        await self.write(self.OWN_COMMAND, b"hi", client=self.c2)
        await self.expect("at /application/service/command")
        descriptor = "org.bluez.GattDescriptor1"
        await self.c2.call(self.paths[self.OWN_TEXT], f"{descriptor}.ReadValue", "a{sv}", {})
        await self.c2.call(self.paths[self.OWN_TEXT], f"{descriptor}.ReadValue", "a{sv}", {"offset": Variant("q", 2)})
        await self.c2.call(self.paths[self.OWN_TEXT], f"{descriptor}.WriteValue", "aya{sv}", b"hi", {})
        await self.c2.call(self.paths[self.OWN_LABEL], f"{descriptor}.ReadValue", "a{sv}", {})
        await self.c2.call(self.paths[self.OWN_LABEL], f"{descriptor}.WriteValue", "aya{sv}", b"hi", {})
        await self.on(self.OWN_VALUE, "StartNotify", client=self.c2)
        await self.expect("C1 is called: GattCharacteristic1.StartNotify")
        changed = Message.new_signal(
            "/application/service/value", PROPERTIES, "PropertiesChanged", "sa{sv}as",
            [CHARACTERISTIC, {"Value": Variant("ay", b"news")}, []],
        )  # fmt: skip
        await self.c1.bus.send(changed)
        await self.expect("* PropertiesChanged VALUE", "Value = ay [6e 65 77 73]")
        for error in ("NotPermitted", "NotAuthorized", "InvalidOffset", "InvalidValueLength", "NotSupported", "InProgress", "Failed"):

            def refuse(_: list[Any], name: str = error) -> Answer:
                raise Refused(f"org.bluez.Error.{name}", "0x80" if name == "Failed" else "no")

            for member in ("ReadValue", "WriteValue"):
                self.c1.export("/application/service/value", member, refuse)
            await self.read(self.OWN_VALUE, client=self.c2)
            await self.write(self.OWN_VALUE, b"hi", client=self.c2)

    async def step_application_removed(self) -> None:
        own = await self.c1.get(self.here, ADAPTER, "Address")
        await self.c2.call(self.device(own, self.there), f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {self.device(own, self.there)} Device1", "Connected = b false")
        await self.c1.call(self.here, "org.bluez.GattManager1.UnregisterApplication", "o", "/application")
        await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", "/advertisement")
        with self.unrecorded():
            await self.c2.call(self.there, f"{ADAPTER}.RemoveDevice", "o", self.device(own, self.there))
            await self.forget()

    async def step_device_name(self) -> None:
        """The name of the adapter is its Device Name, whatever it advertises."""
        own = await self.c1.get(self.here, ADAPTER, "Address")
        path = self.device(own, self.there)
        await self.c1.set(self.here, ADAPTER, "Alias", "s", "Kiosk")
        await self.advertise()
        with self.unrecorded():
            await self.discover(own, client=self.c2, adapter=self.there)
            await self.connect(own, client=self.c2, adapter=self.there)
            deadline = time.monotonic() + PATIENCE
            while await self.c2.get(path, DEVICE, "Name") != "Kiosk" and time.monotonic() < deadline:
                await asyncio.sleep(0.1)
        await self.c2.get(path, DEVICE, "Name")
        await self.c2.get(path, DEVICE, "Alias")
        await self.c2.get(path, DEVICE, "UUIDs")
        await self.c2.call(path, f"{DEVICE}.Disconnect")
        await self.expect(f"* PropertiesChanged {path} Device1", "Connected = b false")
        await self.c1.set(self.here, ADAPTER, "Alias", "s", "")
        with self.unrecorded():
            await self.c2.call(self.there, f"{ADAPTER}.RemoveDevice", "o", path)

    # bluetoothctl as the program with services

    SHELL_SERVICE, SHELL_VALUE, SHELL_TEXT = (f"5a1e02{number}0-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in range(3))

    async def step_shell_application(self) -> None:
        with self.unrecorded():
            self.shell = await self.peers.enter_async_context(shell(self.recorder.address))
            await self.shell.type("", "Agent registered")
            if await self.c1.get(self.here, MONITORS, "SupportedMonitorTypes") is not None:
                # It registers its monitors, too, and its objects are read for them.
                await self.shell.type("", "path registered")
            await self.name_process(self.shell.pid, "CTL")
            await self.shell.type(f"select {await self.c1.get(self.here, ADAPTER, 'Address')}", "")
        await self.shell.type(f"gatt.register-service {self.SHELL_SERVICE}", "Primary (yes/no):")
        await self.shell.type("yes", "")
        await self.shell.type(f"gatt.register-characteristic {self.SHELL_VALUE} read,write", "Enter value:")
        await self.shell.type("0x68 0x65 0x6c 0x6c 0x6f", "")
        await self.shell.type(f"gatt.register-descriptor {self.SHELL_TEXT} read,write", "Enter value:")
        await self.shell.type("0x74 0x65 0x78 0x74", "")
        await self.shell.type("gatt.register-application", "Application registered")

    async def step_shell_application_used(self) -> None:
        own = await self.c1.get(self.here, ADAPTER, "Address")
        with self.unrecorded():
            await self.discover(own, client=self.c2, adapter=self.there)
            await self.connect(own, client=self.c2, adapter=self.there)
        value, text, descriptor = self.paths[self.SHELL_VALUE], self.paths[self.SHELL_TEXT], "org.bluez.GattDescriptor1"
        self.recorder.aliases = {text: "TEXT", value: "VALUE"}
        await self.read(self.SHELL_VALUE, client=self.c2)
        await self.read(self.SHELL_VALUE, client=self.c2, offset=Variant("q", 32))
        await self.write(self.SHELL_VALUE, b"act", client=self.c2, offset=Variant("q", 4))
        await self.read(self.SHELL_VALUE, client=self.c2)
        await self.c2.call(text, f"{descriptor}.ReadValue", "a{sv}", {})
        await self.c2.call(text, f"{descriptor}.ReadValue", "a{sv}", {"offset": Variant("q", 32)})
        await self.c2.call(text, f"{descriptor}.WriteValue", "aya{sv}", b"s", {"offset": Variant("q", 2)})
        await self.c2.call(text, f"{descriptor}.ReadValue", "a{sv}", {})

    async def step_shell_ends(self) -> None:
        own = await self.c1.get(self.here, ADAPTER, "Address")
        await self.shell.type("quit", "")
        await self.shell.end()
        await self.recorder.settle(self.settle, self.c1.fence)
        with self.unrecorded():
            await self.c2.call(self.there, f"{ADAPTER}.RemoveDevice", "o", self.device(own, self.there))
        await self.c1.call(self.here, f"{self.ADVERTISEMENTS}.UnregisterAdvertisement", "o", "/advertisement")
        self.recorder.aliases = {}

    async def name_process(self, pid: int, name: str) -> None:
        """Names the connection of another process."""
        for unique in await self.c1.names():
            if unique.startswith(":") and await self.c1.process_of(unique) == pid:
                self.recorder.names[unique] = name

    # Ends

    async def step_discoverer_vanishes(self) -> None:
        other = await Client("C3", self.recorder).connect()
        await self.start_discovery("00:00:00", other)
        other.kill()
        await self.expect(f"* PropertiesChanged {self.here} Adapter1", "Discovering = b false")

    async def step_powered_off(self) -> None:
        await self.discover(SHOP)
        await self.connect(SHOP)
        await self.c1.set(self.here, ADAPTER, "Powered", "b", False)
        await self.expect(f"* PropertiesChanged {self.here} Adapter1", "Powered = b false")
        await self.recorder.settle(self.settle, self.c1.fence)
        await self.c1.call(self.here, f"{ADAPTER}.StartDiscovery")
        await self.c1.call(self.here, f"{ADAPTER}.StopDiscovery")
        await self.c1.call(self.here, f"{ADAPTER}.SetDiscoveryFilter", "a{sv}", {})
        await self.c1.call(self.device(SHOP), f"{DEVICE}.Connect")
        await self.c1.call(self.device(SHOP), f"{DEVICE}.Pair")
        await self.c1.call(self.here, f"{PROPERTIES}.GetAll", "s", ADAPTER)
        await self.c1.set(self.here, ADAPTER, "Powered", "b", True)
        await self.expect(f"* PropertiesChanged {self.here} Adapter1", "Powered = b true")

    async def step_devices_expire(self) -> None:
        await self.forget()
        await self.start_discovery("C0:FF:EE")
        for address in (FRAME, SHOP, POT, LOCK, GATE):
            await self.expect(f"* InterfacesAdded {self.device(address)} ")
        await self.stop_discovery()
        for address in (FRAME, SHOP, POT, LOCK, GATE):
            await self.expect(f"* InterfacesRemoved {self.device(address)} from /", seconds=PATIENCE + 35)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="the file for the recording")
    parser.add_argument("--adapters", nargs=2, default=["hci0", "hci1"], help="the adapters (default: hci0 hci1)")
    parser.add_argument("--air", required=True, help="where another host joins the air, as Bumble takes it")
    parser.add_argument("--settle", type=float, default=0.3, help="the silence that ends a step, in seconds (default 0.3)")
    parser.add_argument("--only", help="the steps whose names contain one of these parts, separated by commas")
    options = parser.parse_args()
    recorder = Recorder(os.environ.get("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket"))
    await recorder.start()
    await Session(recorder, *options.adapters, options.settle, options.air, options.output).run(options.only)


if __name__ == "__main__":
    asyncio.run(main())
