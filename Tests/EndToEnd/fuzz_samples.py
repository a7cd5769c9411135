# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Valid packets and PDUs for the live fuzzer to damage."""

from __future__ import annotations

import struct

from raw_host import wire

FRAME = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
KEY = bytes(range(16))
OWN = bytes.fromhex("0102030405c6")
CONNECTING = struct.pack("<HHHHHH", 6, 6, 0, 100, 0, 0)


Commands = list[tuple[int, bytes]]


def legacy_commands(beacons: list[str]) -> Commands:
    """Commands that advertise, scan and connect as before Bluetooth 5."""
    advertising = struct.pack("<HHBBB6sBB", 32, 32, 0, 1, 0, bytes(6), 7, 0)
    return [
        (0x2005, OWN), (0x2006, advertising), (0x2008, bytes([len(FRAME)]) + FRAME.ljust(31, b"\0")),
        (0x2009, bytes([3]) + b"\x02\x09A".ljust(31, b"\0")), (0x200A, b"\x01"), (0x200A, b"\x00"),
        (0x200B, struct.pack("<BHHBB", 1, 16, 16, 1, 0)), (0x200C, b"\x01\x00"), (0x200C, b"\x00\x00"),
        (0x200D, struct.pack("<HHBB6sB", 16, 16, 0, 1, wire(beacons[0]), 1) + CONNECTING),
        (0x200D, struct.pack("<HHBB6sB", 16, 16, 1, 0, bytes(6), 0) + CONNECTING),
        (0x200D, struct.pack("<HHBB6sB", 16, 16, 0, 1, OWN, 0) + CONNECTING), (0x2007, b""),
    ]  # fmt: skip


def extended_commands(beacons: list[str]) -> Commands:
    """The same with extended commands."""
    advertising = struct.pack(
        "<BH3s3sBBB6sBBBBBBB", 1, 0x13, b"\x20\0\0", b"\x20\0\0", 7, 1, 0, bytes(6), 0, 0x7F, 1, 0, 1, 0, 0
    )
    return [
        (0x2035, b"\x01" + OWN), (0x2036, advertising), (0x2037, b"\x01\x03\x00\x1e" + FRAME), (0x2005, OWN),
        (0x2038, b"\x01\x03\x00\x03\x02\x09A"), (0x2039, b"\x01\x01\x01\x00\x00\x00"), (0x2039, b"\x00\x00"),
        (0x203A, b""), (0x203B, b""), (0x203C, b"\x01"), (0x203D, b""),
        (0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 16, 16)), (0x2042, b"\x01\x01\0\0\0\0"), (0x2042, bytes(6)),
        (0x2043, b"\x00\x01\x01" + wire(beacons[0]) + b"\x01" + struct.pack("<HH", 16, 16) + CONNECTING),
        (0x2043, b"\x01\x00\x00" + bytes(6) + b"\x01" + struct.pack("<HH", 16, 16) + CONNECTING),
        (0x2043, b"\x00\x00\x01" + OWN + b"\x01" + struct.pack("<HH", 16, 16) + CONNECTING),
    ]  # fmt: skip


def link_commands() -> Commands:
    """Commands with a connection handle."""
    return [
        (0x0406, b"\x13"), (0x041D, b""), (0x1405, b""), (0x2013, CONNECTING), (0x2015, b""), (0x2016, b""),
        (0x2019, bytes(10) + KEY), (0x201A, KEY), (0x201B, b""), (0x2020, CONNECTING), (0x2021, b"\x1a"),
        (0x2022, struct.pack("<HH", 251, 2120)), (0x2030, b""), (0x2032, b"\x00\x02\x02\x00\x00"),
    ]  # fmt: skip


def other_commands(beacons: list[str]) -> Commands:
    """All other commands except the reset, which would undo them."""
    beacon = wire(beacons[0])
    others = [
        (0x0C01, b"\xff" * 8), (0x0C13, b"beacon".ljust(248, b"\0")), (0x0C14, b""), (0x0C2D, b"\x00\x00\x00"),
        (0x0C31, b"\x01"), (0x0C33, struct.pack("<HBHH", 251, 64, 16, 8)), (0x0C35, struct.pack("<BHH", 1, 1, 1)),
        (0x0C63, b"\xff" * 8), (0x0C6C, b""), (0x0C6D, b"\x01\x00"), (0x0C7B, b"\x01\x00\x00"), (0x1001, b""),
        (0x1002, b""), (0x1003, b""), (0x1004, b"\x01"), (0x1005, b""), (0x1009, b""), (0x2001, b"\xff" * 8),
        (0x2002, b""), (0x2003, b""), (0x200E, b""), (0x200F, b""), (0x2010, b""), (0x2012, b"\x01" + beacon),
        (0x2014, b"\xff\xff\xff\xff\x1f"), (0x2017, KEY + KEY), (0x2018, b""), (0x201C, b""), (0x2023, b""),
        (0x2024, struct.pack("<HH", 251, 2120)), (0x2025, b""), (0x2026, bytes(64)), (0x2028, b"\x01" + beacon),
        (0x2027, b"\x01" + beacon + KEY + KEY), (0x2029, b""), (0x202A, b""), (0x202D, b"\x01"), (0x202F, b""),
        (0x202E, b"\x84\x03"), (0x2031, b"\x00\x03\x03"), (0x204B, b""), (0x204E, b"\x01" + beacon + b"\x00"),
        (0x2060, b""), (0xFC01, b"\x01\x02"), (0xFFBE, struct.pack("<iii", 3000, -1000, 0)),
    ]  # fmt: skip
    accepted = [*classic_commands(beacons), *((0x2011, b"\x01" + wire(each)) for each in beacons)]
    return others + accepted


def classic_commands(beacons: list[str]) -> Commands:
    """Commands of BR/EDR, which controllers with the character `dual-mode` have."""
    beacon = wire(beacons[0])
    writes = [
        (0x080F, b"\x05\x00"), (0x0C16, b"\x00\x7d"), (0x0C18, b"\x10\x00"), (0x0C1A, b"\x03"),
        (0x0C1C, b"\x00\x08\x12\x00"), (0x0C1E, b"\x00\x10\x12\x00"), (0x0C20, b"\x00"), (0x0C24, b"\x0c\x02\x5a"),
        (0x0C26, b"\x60\x00"), (0x0C3A, b"\x01\x33\x8b\x9e"), (0x0C43, b"\x01"), (0x0C45, b"\x02"), (0x0C47, b"\x01"),
        (0x0C52, bytes(241)), (0x0C56, b"\x01"), (0x0C59, b"\x00"), (0x0C5B, b"\x00"), (0x0C05, b"\x00"),
        (0x0C05, b"\x02\x01" + bytes(6) + b"\x02"), (0x0C0D, beacon + b"\x01"), (0x0C11, b"\x01" + beacon + KEY),
        (0x0C12, beacon + b"\x01"),
    ]  # fmt: skip
    reads = (
        0x080E, 0x0C15, 0x0C17, 0x0C19, 0x0C1B, 0x0C1D, 0x0C1F, 0x0C23, 0x0C25, 0x0C38, 0x0C39, 0x0C42, 0x0C44, 0x0C46,
        0x0C51, 0x0C55, 0x0C58, 0x0C5A, 0x100B, 0x100C,
    )  # fmt: skip
    links = [
        (0x0401, b"\x33\x8b\x9e\x01\x00"), (0x0402, b""), (0x0405, beacon + b"\x18\xcc\x01\x00\x00\x00\x01"),
        (0x0408, beacon), (0x0419, beacon + b"\x01\x00\x00\x00"), (0x041A, beacon),
    ]  # fmt: skip
    return writes + [(opcode, b"") for opcode in reads] + links


def attribute_pdus() -> list[bytes]:
    """Attribute PDUs of every kind, for a table with about twenty attributes."""
    pdus = [
        bytes.fromhex(text)
        for text in (
            "02f700", "0302f7", "040100ffff", "060100ffff0028 56611453ab6479ab6248599119e57321", "080100ffff0328",
            "080100ffff0228", "08 0100 ffff 002a", "100100ffff0028", "100100ffff0128", "1e", "18 00", "18 01",
            "19 0102", "1b 0300 01", "1d 0300 01", "0e 0300 0500 0700", "20 0300 0500", "01 0a 0300 0a", "13",
            "d2 0300 01 02", "52 0400 02",
        )
    ]  # fmt: skip
    for handle in range(1, 24):
        attribute = struct.pack("<H", handle)
        pdus += [b"\x0a" + attribute, b"\x0c" + attribute + b"\x02\x00", b"\x12" + attribute + b"\x01\x00\x20\x00"]
        pdus += [b"\x16" + attribute + b"\x00\x00" + b"\x07\x00\x08\x00", b"\x12" + attribute + KEY]
        pdus += [b"\x12" + attribute + b"\x02\x00", b"\x52" + attribute + b"\x00"]
    return pdus


def other_frames() -> list[tuple[int, bytes]]:
    """PDUs of the signalling channel, of the security manager, and of unassigned channels."""
    signalling = (
        "01 01 0200 0000", "06 02 0400 4000 4100", "0a 03 0200 0200", "12 04 0800 0600 0600 0000 6400",
        "13 05 0200 0000", "14 06 0a00 8000 4000 1700 1700 0100", "15 07 0a00 4000 1700 1700 0100 0000",
        "16 08 0400 4000 0100",
        "17 09 0a00 8000 4000 1700 0100 4000", "18 0a 0a00 4000 1700 0100 0000 4000",
    )  # fmt: skip
    security = (
        "01 03 00 01 10 07 07", "02 03 00 01 10 07 07", "03" + "00" * 16, "04" + "11" * 16, "05 05", "0b 01",
        "0c" + "22" * 64,
    )  # fmt: skip
    return [
        *((5, bytes.fromhex(each)) for each in signalling), *((6, bytes.fromhex(each)) for each in security),
        (0x40, b"\x01\x00\x02"), (0x3A, b""), (1, b"\x00"),
    ]  # fmt: skip
