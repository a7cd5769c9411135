# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The statuses of our controllers beside those of rootcanal's: sequences of commands whose last one depends on the state. Tests with
the real BlueZ use both controllers, and where these differ, the Core Specification 5.4 (Vol 4, Part E) decides."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import Beaconry
from peers import Program, ReservedPorts, wait_until_served
from raw_host import RawHost, wire

Command = tuple[int, bytes]
PEER = wire("C0:00:00:00:00:09")
RANDOM_ADDRESS: Command = (0x2005, wire("C0:00:00:00:00:01"))
READ_POWER: Command = (0x2007, b"")
ADVERTISE: Command = (0x200A, b"\1")
STOP: Command = (0x200A, b"\0")
SCAN: Command = (0x200C, b"\1\0")
CANCEL: Command = (0x200E, b"")
CLEAR_LIST: Command = (0x2010, b"")
ADD_TO_LIST: Command = (0x2011, b"\1" + PEER)
EXTENDED_SCAN: Command = (0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
CLEAR_SETS: Command = (0x203D, b"")


def parameters(kind: int = 0, own: int = 0, low: int = 160, high: int = 160, channels: int = 7, policy: int = 0) -> Command:
    return 0x2006, struct.pack("<HHBBB6sBB", low, high, kind, own, 0, bytes(6), channels, policy)


def data(response: bool = False) -> Command:
    return 0x2009 if response else 0x2008, b"\x03\x02\xff\x01".ljust(32, b"\0")


def scan(kind: int = 1, own: int = 0, policy: int = 0, window: int = 160) -> Command:
    return 0x200B, struct.pack("<BHHBB", kind, 160, window, own, policy)


def connect(own: int = 0) -> Command:
    return 0x200D, struct.pack("<HHBB6sBHHHHHH", 16, 16, 0, 0, PEER, own, 24, 24, 0, 400, 0, 0)


def extended_scan(own: int = 0) -> Command:
    return 0x2041, struct.pack("<BBBBHH", own, 0, 1, 1, 160, 160)


def a_set(properties: int = 0x10, own: int = 0, low: int = 160, high: int = 160, power: int = 127, handle: int = 1) -> Command:
    interval = low.to_bytes(3, "little") + high.to_bytes(3, "little")
    rest = struct.pack("<BBB6sBbBBBBB", 7, own, 0, bytes(6), 0, power, 1, 0, 1, 0, 0)
    return 0x2036, struct.pack("<BH", handle, properties) + interval + rest


def address_of_set() -> Command:
    return 0x2035, b"\1" + wire("C0:00:00:00:00:02")


def data_of_set(size: int = 10, operation: int = 3, response: bool = False) -> Command:
    octets = (bytes([max(size, 1) - 1, 0xFF]) + bytes(255))[:size]
    return 0x2038 if response else 0x2037, bytes([1, operation, 1, size]) + octets


def enable(*handles: int, on: bool = True) -> Command:
    return 0x2039, bytes([on, len(handles)]) + b"".join(struct.pack("<BHB", each, 0, 0) for each in handles)


REMOVE_SET: Command = (0x203C, b"\1")
RESPONSE_OF_SET = data_of_set(response=True)
LEGACY: dict[str, list[Command]] = {
    "data before parameters": [data()],
    "advertising at once": [ADVERTISE],
    "advertising twice": [parameters(), ADVERTISE, ADVERTISE],
    "stopping what is off": [STOP],
    "advertising with a random address that is missing": [parameters(3, 1), ADVERTISE],
    "random address while advertising with it": [RANDOM_ADDRESS, parameters(3, 1), ADVERTISE, RANDOM_ADDRESS],
    "random address while advertising": [parameters(), ADVERTISE, RANDOM_ADDRESS],
    "random address while scanning": [scan(), SCAN, RANDOM_ADDRESS],
    "random address while scanning passively": [scan(0), SCAN, RANDOM_ADDRESS],
    "random address while connecting": [connect(), RANDOM_ADDRESS],
    "parameters while advertising": [parameters(), ADVERTISE, parameters()],
    "data while advertising": [parameters(), ADVERTISE, data(), data(response=True)],
    "minimum above maximum": [parameters(low=200)],
    "own address of the resolving list": [parameters(own=2)],
    "random address of the resolving list": [parameters(own=3)],
    "no channel": [parameters(channels=0)],
    "scan parameters while scanning": [scan(), SCAN, scan()],
    "scanning twice": [scan(), SCAN, SCAN],
    "scanning at once": [SCAN],
    "scanning with a random address that is missing": [scan(own=1), SCAN],
    "scan window above its interval": [scan(window=320)],
    "advertising while scanning": [scan(), SCAN, parameters(), ADVERTISE],
    "not connectable advertising while scanning": [scan(), SCAN, parameters(3), ADVERTISE],
    "advertising while connecting": [connect(), parameters(), ADVERTISE],
    "scanning while connecting": [connect(), scan(), SCAN],
    "connecting twice": [connect(), connect()],
    "connecting while advertising": [parameters(), ADVERTISE, connect()],
    "connecting with a random address that is missing": [connect(own=1)],
    "cancelling nothing": [CANCEL],
    "cancelling": [connect(), CANCEL],
    "filter accept list while scanning": [scan(), SCAN, ADD_TO_LIST],
    "filter accept list while it filters a scan": [scan(policy=1), SCAN, ADD_TO_LIST],
    "clearing the filter accept list while it filters a scan": [scan(policy=1), SCAN, CLEAR_LIST],
    "filter accept list while it filters requests": [parameters(policy=3), ADVERTISE, ADD_TO_LIST],
}
EXTENDED: dict[str, list[Command]] = {
    "response of a set that is not scannable": [a_set(0x10), RESPONSE_OF_SET],
    "empty response of a set that is not scannable": [a_set(0x10), data_of_set(0, response=True)],
    "response of a scannable set": [a_set(0x12), RESPONSE_OF_SET],
    "scannable set without a response": [a_set(0x12), data_of_set(), enable(1)],
    "connectable set": [a_set(0x13), data_of_set(), RESPONSE_OF_SET, enable(1)],
    "data without a set": [data_of_set()],
    "response without a set": [RESPONSE_OF_SET],
    "enabling without a set": [enable(1)],
    "disabling without a set": [enable(1, on=False)],
    "disabling all of no sets": [enable(on=False)],
    "enabling none": [enable()],
    "enabling one twice in a command": [a_set(), enable(1, 1)],
    "parameters while enabled": [a_set(), enable(1), a_set()],
    "data while enabled": [a_set(), enable(1), data_of_set()],
    "data in parts while enabled": [a_set(), enable(1), data_of_set(operation=1)],
    "response while enabled": [a_set(0x12), enable(1), RESPONSE_OF_SET],
    "address without a set": [address_of_set()],
    "set with a random address": [a_set(own=1), address_of_set(), enable(1)],
    "set with a random address that is missing": [a_set(own=1), enable(1)],
    "set with the random address of the controller only": [RANDOM_ADDRESS, a_set(own=1), enable(1)],
    "address while connectable and enabled": [a_set(0x13, 1), address_of_set(), enable(1), address_of_set()],
    "address while enabled": [a_set(0x10, 1), address_of_set(), enable(1), address_of_set()],
    "removing an enabled set": [a_set(), enable(1), REMOVE_SET],
    "removing a set": [a_set(), REMOVE_SET],
    "removing no set": [REMOVE_SET],
    "removing all while one is enabled": [a_set(), enable(1), CLEAR_SETS],
    "removing all": [a_set(), CLEAR_SETS],
    "32 bytes in a legacy PDU": [a_set(), data_of_set(32)],
    "legacy PDU after 40 bytes": [a_set(0), data_of_set(40), a_set(0x10)],
    "unchanged data without data": [a_set(), data_of_set(0, operation=4)],
    **{f"properties {each:#04x}": [a_set(each)] for each in (0x00, 0x01, 0x02, 0x03, 0x11, 0x14, 0x15, 0x1D)},
    "minimum of a set above its maximum": [a_set(low=320)],
    "set with 20 dBm": [a_set(power=20)],
    "set with the last handle": [a_set(handle=0xEF)],
    "set with 21 dBm": [a_set(power=21)],
    "set with a handle too high": [a_set(handle=0xF0)],
    "scannable extended set without a response": [a_set(2), enable(1)],
    "advertising data of a scannable extended set": [a_set(2), data_of_set()],
    "set that loses its response": [a_set(0x12), RESPONSE_OF_SET, a_set(0x10)],
    "legacy parameters after extended ones": [a_set(), parameters()],
    "legacy advertising after extended parameters": [a_set(), ADVERTISE],
    "extended parameters after legacy ones": [parameters(), a_set()],
    "power of legacy advertising after extended parameters": [a_set(), READ_POWER],
    "legacy scan after extended parameters": [a_set(), scan()],
    "extended scan after legacy parameters": [parameters(), extended_scan()],
    "legacy scan after an extended one": [extended_scan(), scan()],
    "legacy connection after extended parameters": [a_set(), connect()],
    "random address during an extended scan": [extended_scan(), EXTENDED_SCAN, RANDOM_ADDRESS],
    "random address while a set is enabled": [a_set(), enable(1), RANDOM_ADDRESS],
    "random address while a set with one is enabled": [a_set(own=1), address_of_set(), enable(1), RANDOM_ADDRESS],
    "extended scan parameters while scanning": [extended_scan(), EXTENDED_SCAN, extended_scan()],
    "extended scan with a random address that is missing": [extended_scan(own=1), EXTENDED_SCAN],
    "extended scan at once": [EXTENDED_SCAN],
    "extended scan twice": [extended_scan(), EXTENDED_SCAN, EXTENDED_SCAN],
}
DIFFERENT = {
    # 7.8.52 forbids it for connectable advertising only.
    "address while enabled": ("0c", "00"),
    # 7.8.53: -127 to 20 dBm, and handles up to 0xEF.
    "set with 21 dBm": ("00", "12"),
    "set with a handle too high": ("00", "12"),
    # 7.8.53 forbids a type without advertising data for a set that has some, and says nothing of scan responses.
    "set that loses its response": ("12", "00"),
    # 3.1.1 lists it among the legacy commands.
    "power of legacy advertising after extended parameters": ("00", "0c"),
}
"""The last statuses of rootcanal and of ours where both are not the same, with what the specification has."""


@pytest.fixture
def rootcanal_ports(reserved_ports: ReservedPorts, spawn: Callable[..., Program], tmp_path: Path) -> dict[str, int]:
    """rootcanal's legacy and extended controllers: each connection is one."""
    ports = {"legacy": reserved_ports.reserve(), "extended": reserved_ports.reserve()}
    file = tmp_path / "rootcanal.txt"
    file.write_text("".join(
        f"tcp_server {{ tcp_port: {port} configuration {{ preset: DEFAULT features"
        f" {{ le_extended_advertising: {str(kind == 'extended').lower()} }} }} }}\n" for kind, port in ports.items()
    ))  # fmt: skip
    options = (f"--{each}_port={reserved_ports.reserve()}" for each in ("hci", "test", "link", "link_ble"))
    spawn(sys.executable, "-m", "rootcanal", f"--configuration_file={file}", *options)
    for port in ports.values():
        wait_until_served(port)
    return ports


def statuses(port: int, commands: list[Command]) -> list[str]:
    host = RawHost(port)
    host.start()
    found = [host.command(opcode, octets)[:1].hex() for opcode, octets in commands]
    host.close()
    return found


@pytest.mark.parametrize("kind", ["legacy", "extended"])
def test_controllers_answer_as_those_of_rootcanal(beaconry: Beaconry, rootcanal_ports: dict[str, int], kind: str) -> None:
    servers = {"legacy": "tcp:127.0.0.1:0?as=legacy-5.0", "extended": "tcp:127.0.0.1:0"}
    profile = beaconry.profile("profile: air\nbeacons: []\n")
    run = beaconry.run(profile, "--hci-server", servers[kind], radio="virtual")
    port = int(run.wait("radio-ready")["servers"][0].rpartition(":")[2])
    differences = {}
    for name, commands in (LEGACY if kind == "legacy" else LEGACY | EXTENDED).items():
        theirs, ours = (statuses(each, commands) for each in (rootcanal_ports[kind], port))
        if theirs != ours:
            differences[name] = (theirs[-1], ours[-1])
    assert differences == {name: each for name, each in DIFFERENT.items() if kind == "extended"}
    assert run.end() == 0
