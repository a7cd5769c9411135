#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Sends damaged D-Bus messages to `beaconry dbus`: calls of its objects with other arguments, answers to its calls that do
not fit, and bytes that are no message. The service must continue to serve another client."""

from __future__ import annotations

import argparse
import io
import os
import random
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast._private.unmarshaller import Unmarshaller
from dbus_fast.signature import SignatureType, get_signature_tree

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from beaconry import BINARY  # noqa: E402

BUS = "org.freedesktop.DBus"
ADAPTER, POT = "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_FF_EE_00_00_03"
DEVICES = [f"/org/bluez/hci0/dev_C0_FF_EE_00_00_0{number}" for number in range(1, 6)]
SERVICE = f"{POT}/service0012"
CHARACTERISTICS = [f"{SERVICE}/char00{each}" for each in ("13", "15", "18", "1b", "1e", "20")] + [f"{POT}/service000e/char000f"]
DESCRIPTORS = [f"{POT}/service000e/char000f/desc0011", f"{SERVICE}/char0015/desc0017"]
OWN = ["/", "/own", "/own/0", "/own/service", "/own/service/value"]
CALLS: list[tuple[list[str], str, str, str]] = [
    (["/"], f"{BUS}.ObjectManager", "GetManagedObjects", ""),
    (["/", "/org", "/org/bluez", ADAPTER, *DEVICES, *CHARACTERISTICS], f"{BUS}.Introspectable", "Introspect", ""),
    ([ADAPTER, *DEVICES, *CHARACTERISTICS, *DESCRIPTORS], f"{BUS}.Properties", "Get", "ss"),
    ([ADAPTER, *DEVICES, *CHARACTERISTICS, *DESCRIPTORS], f"{BUS}.Properties", "GetAll", "s"),
    ([ADAPTER, *DEVICES, *CHARACTERISTICS], f"{BUS}.Properties", "Set", "ssv"),
    ([ADAPTER], "org.bluez.Adapter1", "StartDiscovery", ""),
    ([ADAPTER], "org.bluez.Adapter1", "StopDiscovery", ""),
    ([ADAPTER], "org.bluez.Adapter1", "SetDiscoveryFilter", "a{sv}"),
    ([ADAPTER], "org.bluez.Adapter1", "GetDiscoveryFilters", ""),
    ([ADAPTER], "org.bluez.Adapter1", "RemoveDevice", "o"),
    (DEVICES, "org.bluez.Device1", "Connect", ""),
    (DEVICES, "org.bluez.Device1", "Disconnect", ""),
    (DEVICES, "org.bluez.Device1", "Pair", ""),
    (DEVICES, "org.bluez.Device1", "CancelPairing", ""),
    (DEVICES, "org.bluez.Device1", "ConnectProfile", "s"),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "ReadValue", "a{sv}"),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "WriteValue", "aya{sv}"),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "StartNotify", ""),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "StopNotify", ""),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "AcquireNotify", "a{sv}"),
    (CHARACTERISTICS, "org.bluez.GattCharacteristic1", "AcquireWrite", "a{sv}"),
    (DESCRIPTORS, "org.bluez.GattDescriptor1", "ReadValue", "a{sv}"),
    (DESCRIPTORS, "org.bluez.GattDescriptor1", "WriteValue", "aya{sv}"),
    (["/org/bluez"], "org.bluez.AgentManager1", "RegisterAgent", "os"),
    (["/org/bluez"], "org.bluez.AgentManager1", "RequestDefaultAgent", "o"),
    (["/org/bluez"], "org.bluez.AgentManager1", "UnregisterAgent", "o"),
    ([ADAPTER], "org.bluez.AdvertisementMonitorManager1", "RegisterMonitor", "o"),
    ([ADAPTER], "org.bluez.AdvertisementMonitorManager1", "UnregisterMonitor", "o"),
    ([ADAPTER], "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}"),
    ([ADAPTER], "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", "o"),
    ([ADAPTER], "org.bluez.GattManager1", "RegisterApplication", "oa{sv}"),
    ([ADAPTER], "org.bluez.GattManager1", "UnregisterApplication", "o"),
]
ANSWERS = {"GetAll": "a{sv}", "GetManagedObjects": "a{oa{sa{sv}}}", "ReadValue": "ay", "RequestPasskey": "u", "RequestPinCode": "s"}
"""The signatures of what the service expects of a client."""
TEXTS = [
    "", "x", "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattCharacteristic1", "org.bluez.GattService1",
    "org.bluez.GattDescriptor1", "org.bluez.LEAdvertisement1", "org.bluez.AdvertisementMonitor1", "Powered", "Alias", "Trusted",
    "RSSI", "Pathloss", "UUIDs", "Transport", "le", "DuplicateData", "Pattern", "offset", "type", "command", "request", "reliable",
    "Type", "peripheral", "broadcast", "ServiceUUIDs", "ManufacturerData", "ServiceData", "LocalName", "Includes", "tx-power",
    "MinInterval", "MaxInterval", "TxPower", "Data", "Discoverable", "Duration", "Timeout", "SecondaryChannel", "Appearance",
    "UUID", "Primary", "Service", "Characteristic", "Flags", "Handle", "Value", "read", "write", "notify", "indicate",
    "or_patterns", "Patterns", "RSSILowThreshold", "RSSIHighTimeout", "RSSISamplingPeriod", "KeyboardDisplay", "NoInputNoOutput",
    "180F", "0000181a-0000-1000-8000-00805f9b34fb", "5a1e0004-8c1d-4e8b-9c55-0d0e8f6a1b01", "C0:FF:EE", "\u00e9\U0001f600", "a" * 300,
]  # fmt: skip
SIGNATURES = ["s", "b", "y", "q", "n", "u", "i", "t", "x", "d", "o", "ay", "as", "a{sv}", "a{qv}", "a{yv}", "v", "a(yyay)", "g", "(sv)", "ao"]
BATCH = 250


class Generator:
    """Random values of given types, from the words that the service understands."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, kind: SignatureType, depth: int = 0) -> Any:
        choose, token = self.random, kind.token
        if token == "s":
            return choose.choice(TEXTS)
        if token == "o":
            return choose.choice([*OWN, ADAPTER, *DEVICES, *CHARACTERISTICS])
        if token == "g":
            return choose.choice(SIGNATURES)
        if token == "b":
            return choose.random() < 0.5
        if token == "d":
            return choose.choice([0.0, -1.5, 1e308, float("inf"), float("nan")])
        if token == "v":
            signature = choose.choice(SIGNATURES[:11] if depth > 4 else SIGNATURES)
            return Variant(signature, self.value(get_signature_tree(signature).types[0], depth + 1))
        if token == "a":
            return self.array(kind.children[0], depth)
        if token == "(":
            return [self.value(each, depth + 1) for each in kind.children]
        bits = {"y": 8, "q": 16, "n": 16, "u": 32, "i": 32, "t": 64, "x": 64}[token]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if token in "nix" else (0, (1 << bits) - 1)
        return choose.choice([0, 1, 2, low, high, high // 2, choose.randint(low, high)])

    def array(self, element: SignatureType, depth: int) -> Any:
        count = self.random.choice([0, 1, 1, 2, 3, 3]) if depth < 5 else 0
        if element.token == "y":
            return self.random.randbytes(self.random.choice([0, 1, 2, 4, 16, 20, 22, 31, 255, 512, 513, 1000]))
        if element.token == "{":
            key, each = element.children
            return {self.value(key, depth + 1): self.value(each, depth + 1) for _ in range(count)}
        return [self.value(element, depth + 1) for _ in range(count)]

    def body(self, signature: str) -> list[Any]:
        return [self.value(kind) for kind in get_signature_tree(signature).types]

    def call(self, serial: int) -> Message:
        """A call of the service, sometimes with another signature or member."""
        paths, interface, member, signature = self.random.choice(CALLS)
        chance = self.random.random()
        if chance < 0.06:
            signature = "".join(self.random.choices(SIGNATURES, k=self.random.randrange(4)))
        elif chance < 0.08:
            interface = self.random.choice(CALLS)[1]
        elif chance < 0.10:
            member = self.random.choice(CALLS)[2]
        elif chance < 0.12:
            paths = [f"{POT}/service{self.random.randrange(40):04x}"]
        flags = MessageFlag.NO_REPLY_EXPECTED if self.random.random() < 0.3 else MessageFlag.NONE
        path = self.random.choice(paths)
        return Message("org.bluez", path, interface, member, signature=signature, body=self.body(signature), serial=serial, flags=flags)

    def answer(self, call: Message, serial: int) -> Message | None:
        """An answer to a call of the service: the right types, others, an error, or none."""
        chance = self.random.random()
        if chance < 0.1:
            return None
        if chance < 0.3:
            name = self.random.choice(["org.bluez.Error.Failed", "org.bluez.Error.Rejected", "org.freedesktop.DBus.Error.NoReply", "a.b"])
            return Message.new_error(call, name, self.random.choice(TEXTS))
        signature = ANSWERS.get(call.member or "", "")
        if chance < 0.5:
            signature = "".join(self.random.choices(SIGNATURES, k=self.random.randrange(3)))
        return Message.new_method_return(call, signature, self.body(signature))

    def signal(self, serial: int) -> Message:
        """A signal of the client's own objects."""
        member, signature = self.random.choice([("InterfacesAdded", "oa{sa{sv}}"), ("InterfacesRemoved", "oas"), ("PropertiesChanged", "sa{sv}as")])
        interface = f"{BUS}.{'Properties' if member == 'PropertiesChanged' else 'ObjectManager'}"
        return Message(
            path=self.random.choice(OWN), interface=interface, member=member, signature=signature, body=self.body(signature),
            message_type=MessageType.SIGNAL, serial=serial,
        )  # fmt: skip


class RawClient:
    """A connection to the bus, from bytes to messages, which answers no call by itself."""

    def __init__(self, address: str) -> None:
        path = address.split(",")[0].removeprefix("unix:path=")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        assert self.socket.recv(256).startswith(b"OK")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0
        self.buffer = b""
        self.replied: set[int] = set()
        self.calls: list[Message] = []
        self.wait_for(self.send(Message(BUS, "/org/freedesktop/DBus", BUS, "Hello", serial=self.next())))

    def next(self) -> int:
        self.serial += 1
        return self.serial

    def send(self, message: Message) -> int:
        message.serial = message.serial or self.next()
        self.send_bytes(bytes(message._marshall(False)))
        return message.serial

    def send_bytes(self, data: bytes) -> None:
        """Sends bytes, and reads meanwhile what arrives."""
        view = memoryview(data)
        self.socket.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
            while view:
                for _, events in selector.select(30):
                    if events & selectors.EVENT_READ:
                        self.receive()
                    if events & selectors.EVENT_WRITE:
                        view = view[self.socket.send(view) :]

    def receive(self) -> None:
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the bus has closed the connection")
        self.buffer += data
        while message := self.message():
            if message.message_type is MessageType.METHOD_CALL:
                self.calls.append(message)
            elif message.message_type is not MessageType.SIGNAL:
                self.replied.add(message.reply_serial or 0)

    def message(self) -> Message | None:
        """The next complete message of the buffer."""
        if len(self.buffer) < 16:
            return None
        body, _, fields = struct.unpack_from("<III", self.buffer, 4)
        size = 16 + (fields + 7) // 8 * 8 + body
        if len(self.buffer) < size:
            return None
        whole, self.buffer = self.buffer[:size], self.buffer[size:]
        kind = MessageType(whole[1])
        if kind is MessageType.SIGNAL:
            return Message(path="/", interface="a.b", member="c", message_type=MessageType.SIGNAL)
        return Unmarshaller(io.BytesIO(whole)).unmarshall()

    def wait_for(self, serial: int, seconds: float = 60) -> None:
        """Waits for the answer to a call."""
        deadline = time.monotonic() + seconds
        while serial not in self.replied:
            left = deadline - time.monotonic()
            assert left > 0, "org.bluez does not answer"
            self.socket.settimeout(left)
            self.receive()

    def call(self, path: str, interface: str, member: str, signature: str = "", *body: Any) -> None:
        self.wait_for(self.send(Message("org.bluez", path, interface, member, signature=signature, body=list(body))))


class Fuzzer:
    """Hostile connections, and a healthy one beside them."""

    def __init__(self, address: str, seed: int) -> None:
        self.address = address
        self.generator = Generator(seed)
        self.clients = [RawClient(address) for _ in range(3)]
        self.healthy = RawClient(address)
        self.sent = self.reconnected = 0

    def run(self, count: int) -> None:
        reported = time.monotonic()
        while self.sent < count:
            place = self.generator.random.randrange(len(self.clients))
            try:
                self.step(self.clients[place])
            except (ConnectionError, BrokenPipeError):
                self.reconnected += 1
                self.clients[place] = RawClient(self.address)
            self.healthy.replied.clear()
            self.healthy.call(ADAPTER, f"{BUS}.Properties", "Get", "ss", "org.bluez.Adapter1", "Powered")
            if time.monotonic() - reported > 10:
                reported = time.monotonic()
                print(f"{self.sent} messages", flush=True)

    def step(self, client: RawClient) -> None:
        """A batch of messages; one in 40 ends the connection, with messages that the bus refuses, or without."""
        choose = self.generator.random
        data = b"".join(bytes(message._marshall(False)) for message in self.messages(client))
        self.sent += BATCH
        client.replied.clear()
        client.send_bytes(data)
        chance = choose.random()
        if chance < 0.02:
            client.socket.close()
            raise ConnectionError("closed")
        if chance < 0.05:
            octets = bytearray(data[:2000])
            for _ in range(3):
                octets[choose.randrange(len(octets))] = choose.randrange(256)
            client.send_bytes(bytes(octets))
            client.socket.close()
            raise ConnectionError("closed")

    def messages(self, client: RawClient) -> Iterator[Message]:
        calls, client.calls = client.calls, []
        for call in calls[:BATCH]:
            if answer := self.generator.answer(call, client.next()):
                answer.serial = client.next()
                yield answer
        for _ in range(BATCH):
            yield self.generator.signal(client.next()) if self.generator.random.random() < 0.05 else self.generator.call(client.next())

    def check(self) -> None:
        """The service still finds, connects and reads. The connections that the hostile clients have opened belong to the adapter, as
        in BlueZ, and outlive them; a connected device does not advertise. So the adapter is switched off, which ends them, and
        forgets the devices."""
        for client in self.clients:
            client.replied.clear()
            # The answer follows the handling of all earlier messages of this connection.
            client.call(ADAPTER, f"{BUS}.Properties", "Get", "ss", "org.bluez.Adapter1", "Powered")
            client.socket.close()
        healthy = self.healthy
        healthy.call(ADAPTER, f"{BUS}.Properties", "Set", "ssv", "org.bluez.Adapter1", "Powered", Variant("b", False))
        for device in DEVICES:
            healthy.call(ADAPTER, "org.bluez.Adapter1", "RemoveDevice", "o", device)
        healthy.call(ADAPTER, f"{BUS}.Properties", "Set", "ssv", "org.bluez.Adapter1", "Powered", Variant("b", True))
        done = subprocess.run(
            [sys.executable, "-B", FOLDER / "peers" / "bleak_scenario.py"], env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def memory(process: int) -> int:
    """The resident memory of a process, in KiB."""
    return int(next(line.split()[1] for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmRSS")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000, help="the number of messages (default 20000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="beaconry-") as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder}
        command = [BINARY, "dbus", FOLDER / "wire.yaml", "--ephemeral"]
        errors = (Path(folder) / "errors").open("w+")
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True) as service:
            try:
                assert service.stdout
                # export DBUS_SYSTEM_BUS_ADDRESS='ADDRESS'
                address = service.stdout.readline().split("'")[1]
                fuzzer = Fuzzer(address, options.seed)
                fuzzer.run(options.messages // 4)
                before = memory(service.pid)
                fuzzer.run(options.messages)
                after = memory(service.pid)
                fuzzer.check()
                print(f"{fuzzer.sent} messages, {fuzzer.reconnected} connections ended, {before} KiB, then {after} KiB")
                assert after < before + 60_000, "the memory grows"
                service.terminate()
                assert service.wait(60) == 0, service.returncode
            except BaseException:
                service.kill()
                errors.seek(0)
                text = errors.read()
                print(text[:4000], text[-4000:], sep="\n", file=sys.stderr)
                raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
