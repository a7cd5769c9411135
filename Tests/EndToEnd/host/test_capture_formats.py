# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Captures of other tools: every link type is read by every command that reads captures, or refused by its name."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import Beaconry

ADDRESS = bytes.fromhex("c0ffee00d001")
UUID = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"
IBEACON = bytes.fromhex("0201061aff4c000215" + UUID.replace("-", "")) + struct.pack(">HHb", 7, 8, -59)
UID = bytes.fromhex("0201060303aafe1716aafe00ee00112233445566778899aabbccddeeff0000")
URL = bytes.fromhex("0201060303aafe0a16aafe10ee0361626307")
TLM = bytes.fromhex("0201060303aafe1116aafe20000bb8160000000064000003e8")
EPOCH = 0x00DCDDB30F2F8000


def event(data: bytes, rssi: int = -60) -> bytes:
    """An LE Advertising Report of ADV_NONCONN_IND, with the H4 byte."""
    parameters = bytes([2, 1, 3, 1]) + ADDRESS[::-1] + bytes([len(data)]) + data + struct.pack("b", rssi)
    return bytes([4, 0x3E, len(parameters)]) + parameters


def pdu(data: bytes) -> bytes:
    """The same on the link layer: access address, ADV_NONCONN_IND and CRC."""
    return bytes.fromhex("d6be898e") + bytes([0x42, 6 + len(data)]) + ADDRESS[::-1] + data + b"\0\0\0"


Records = list[tuple[float, bytes]]


def btsnoop(records: Records, link: int, flags: int) -> bytes:
    return b"btsnoop\0" + struct.pack(">II", 1, link) + b"".join(
        struct.pack(">IIIIq", len(each), len(each), flags, 0, EPOCH + int(time * 1e6)) + each for time, each in records
    )  # fmt: skip


def pcap(records: Records, link: int) -> bytes:
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link) + b"".join(
        struct.pack("<IIII", int(time), int(time % 1 * 1e6), len(each), len(each)) + each for time, each in records
    )


def pcapng(records: Records, link: int) -> bytes:
    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    def packet(time: float, data: bytes) -> bytes:
        ticks = int(time * 1e6)
        return block(6, struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)) + data)

    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", link, 0, 65535))
    return head + b"".join(packet(*each) for each in records)


def frames(*payloads: bytes, count: int = 40) -> list[tuple[float, bytes]]:
    """Payloads by turns, every 100 ms."""
    return [(1 + index * 0.1 + index * 3791 % 9000 / 1e6, payloads[index % len(payloads)]) for index in range(count)]


READ: dict[str, Callable[[Records], bytes]] = {
    "btsnoop-1001": lambda records: btsnoop([(time, event(data)[1:]) for time, data in records], 1001, 3),
    "btsnoop-1002": lambda records: btsnoop([(time, event(data)) for time, data in records], 1002, 3),
    "btsnoop-2001": lambda records: btsnoop([(time, event(data)[1:]) for time, data in records], 2001, 3),
    "pcap-187": lambda records: pcap([(time, event(data)) for time, data in records], 187),
    "pcap-201": lambda records: pcap([(time, b"\0\0\0\1" + event(data)) for time, data in records], 201),
    "pcap-251": lambda records: pcap([(time, pdu(data)) for time, data in records], 251),
    "pcap-254": lambda records: pcap([(time, b"\0\0\0\3" + event(data)[1:]) for time, data in records], 254),
    "pcapng-187": lambda records: pcapng([(time, event(data)) for time, data in records], 187),
    "pcapng-201": lambda records: pcapng([(time, b"\0\0\0\1" + event(data)) for time, data in records], 201),
    "pcapng-251": lambda records: pcapng([(time, pdu(data)) for time, data in records], 251),
    "pcapng-254": lambda records: pcapng([(time, b"\0\0\0\3" + event(data)[1:]) for time, data in records], 254),
}
REFUSED: dict[str, tuple[bytes, str]] = {
    "btsnoop-1003": (btsnoop([(1, event(IBEACON))], 1003, 3), "link type 1003, HCI with BCSP, which is not read; "),
    "btsnoop-1004": (btsnoop([(1, event(IBEACON))], 1004, 3), "link type 1004, HCI with H5, which is not read; "),
    "pcap-256": (pcap([(1, b"\0" * 10 + pdu(IBEACON))], 256), "editcap -F pcap -C 10 -T bluetooth-le-ll FILE NEW"),
    "pcap-272": (pcap([(1, b"\0" * 17 + pdu(IBEACON))], 272), "link type 272, Nordic sniffer, which is not read; "),
    "pcapng-256": (pcapng([(1, b"\0" * 10 + pdu(IBEACON))], 256), "editcap -F pcap -C 10 -T bluetooth-le-ll FILE NEW"),
    "pcapng-272": (pcapng([(1, b"\0" * 17 + pdu(IBEACON))], 272), "link type 272, Nordic sniffer, which is not read; "),
    "pcap-1": (pcap([(1, b"ethernet")], 1), "link type 1, which is not of Bluetooth"),
    "pklg": (struct.pack(">IIIB", 8 + len(event(IBEACON)), 1, 0, 1) + event(IBEACON)[1:], "a file of PacketLogger (pklg)"),
    "hcidump": (b"HCI sniffer - Bluetooth packet analyzer ver 5.66\n> 04 3E 2A\n", "the text of hcidump"),
    "btmon": (b"Bluetooth monitor ver 5.66\n= Note: Linux version 6.1\n", "the text of btmon"),
}


def decode(beaconry: Beaconry, path: Path) -> subprocess.CompletedProcess[str]:
    return beaconry.call("decode", str(path), "--json")


def clone(beaconry: Beaconry, path: Path) -> subprocess.CompletedProcess[str]:
    return beaconry.call("clone", str(path), f"{path}.yaml", "--json")


def plot(beaconry: Beaconry, path: Path) -> subprocess.CompletedProcess[str]:
    return beaconry.call("plot", str(path), "-o", f"{path}.svg", "--json")


def replay(beaconry: Beaconry, path: Path) -> subprocess.CompletedProcess[str]:
    """What a host receives of a replay."""
    return beaconry.call(
        "expect", "--replay", str(path), "--uuid", UUID, "--within", "20s", "--radio", "virtual", "--json", timeout=300
    )


READERS = {each.__name__: each for each in (decode, clone, plot, replay)}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("link", READ)
def test_link_type_is_read(beaconry: Beaconry, tmp_path: Path, link: str, reader: str) -> None:
    path = tmp_path / "capture"
    path.write_bytes(READ[link](frames(IBEACON)))
    result = READERS[reader](beaconry, path)
    if link.endswith("251") and reader == "plot":
        # The link layer has no RSSI.
        assert result.returncode == 65, result
        return
    assert result.returncode == 0, result
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    if reader == "decode":
        assert len(lines) == 40 and all(each["frames"][0]["minor"] == 8 for each in lines)
        assert lines[0]["address"] == "C0:FF:EE:00:D0:01" and lines[0]["time"].startswith("1970-01-01T00:00:01")
    if reader == "clone":
        assert [each["id"] for each in lines if each["event"] == "cloned"] == ["ibeacon-1"]
        assert "minor: 8" in Path(f"{path}.yaml").read_text()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", REFUSED)
def test_other_kind_is_refused_by_its_name(beaconry: Beaconry, tmp_path: Path, kind: str, reader: str) -> None:
    data, words = REFUSED[kind]
    path = tmp_path / "capture"
    path.write_bytes(data)
    result = READERS[reader](beaconry, path)
    assert result.returncode == 65 and words in result.stderr, result


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("link", READ)
def test_cut_file_is_used_as_far_as_it_goes(beaconry: Beaconry, tmp_path: Path, link: str, reader: str) -> None:
    path = tmp_path / "capture"
    data = READ[link](frames(IBEACON))
    path.write_bytes(data[:-10])
    result = READERS[reader](beaconry, path)
    if link.endswith("251") and reader == "plot":
        return
    assert result.returncode == 0, result
    warning = next(json.loads(line) for line in (result.stdout + result.stderr).splitlines() if '"file-cut"' in line)
    record = len(READ[link](frames(IBEACON, count=39)))
    assert f"within the record at byte {record}; the 39 advertising reports before it are used" in warning["message"]


def test_recording_that_is_cut_is_used_as_far_as_it_goes(beaconry: Beaconry, tmp_path: Path) -> None:
    line = {"v": 1, "microseconds": 0, "address": "C0:FF:EE:00:D0:01", "addressType": "random", "rssi": -60, "data": IBEACON.hex()}
    whole = "".join(json.dumps(line | {"microseconds": index * 100_000}) + "\n" for index in range(5))
    path = tmp_path / "recording.jsonl"
    path.write_text(whole + whole[:40])
    for reader in (clone, plot, replay):
        result = reader(beaconry, path)
        assert result.returncode == 0, result
        assert f"within line 6, at byte {len(whole)}; the lines before it are used" in result.stdout + result.stderr


def test_parts_of_an_advertisement_are_joined(beaconry: Beaconry, tmp_path: Path) -> None:
    """In decode and in a replay; profiles have legacy advertising only, which clone says."""

    def part(status: int, data: bytes) -> bytes:
        one = struct.pack("<HB", status << 5, 1) + ADDRESS[::-1] + bytes([1, 2, 5, 127]) + struct.pack("b", -61)
        one += b"\0" * 9 + bytes([len(data)]) + data
        return bytes([4, 0x3E, len(one) + 2, 0x0D, 1]) + one

    data = IBEACON + bytes([30, 9]) + b"A name of twenty nine bytes!!"
    records = [(1 + index * 0.1, part(*each)) for index in range(20) for each in ((1, data[:40]), (0, data[40:]))]
    path = tmp_path / "chain.btsnoop"
    path.write_bytes(btsnoop(records, 1002, 3))
    reports = [json.loads(line) for line in decode(beaconry, path).stdout.splitlines()]
    assert len(reports) == 20
    assert all([each["format"] for each in report["frames"]] == ["ibeacon"] and "malformed" not in report for report in reports)
    assert replay(beaconry, path).returncode == 0
    result = clone(beaconry, path)
    assert result.returncode == 65 and "1 use extended or directed advertising" in result.stderr


@pytest.mark.parametrize(
    "payloads, expected",
    [
        ((IBEACON, UID), ["ibeacon", "beacon"]),
        ((IBEACON, UID, URL), ["ibeacon", "beacon", "beacon"]),
        ((UID, UID, UID, TLM), ["beacon"]),
        ((IBEACON, TLM), ["ibeacon", "beacon"]),
    ],
)
def test_slots_of_a_device_are_cloned(beaconry: Beaconry, tmp_path: Path, payloads: tuple[bytes, ...], expected: list[str]) -> None:
    """An entry for each format, with one address, which `check` accepts; telemetry is part of an Eddystone beacon."""
    path = tmp_path / "slots"
    path.write_bytes(READ["btsnoop-1002"](frames(*payloads, count=80)))
    result = clone(beaconry, path)
    cloned = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["device"] for each in cloned] == expected, result
    assert {each["address"] for each in cloned} == {"C0:FF:EE:00:D0:01"}
    text = Path(f"{path}.yaml").read_text()
    assert ("telemetry: { every: 4, battery: 3000, temperature: 22 }" in text) == (payloads[0] == UID)
    checked = beaconry.call("check", f"{path}.yaml", "--json")
    assert "duplicate-address" not in checked.stdout, checked


def test_payloads_that_are_left_out_are_named(beaconry: Beaconry, tmp_path: Path) -> None:
    other = IBEACON[:-1] + b"\xc6"
    path = tmp_path / "variants"
    path.write_bytes(READ["btsnoop-1002"](frames(IBEACON, IBEACON, other)))
    result = clone(beaconry, path)
    warnings = [json.loads(line) for line in (result.stdout + result.stderr).splitlines() if '"payloads-left-out"' in line]
    assert len(warnings) == 1 and "ibeacon-1: 1 other payload of C0:FF:EE:00:D0:01" in warnings[0]["message"], result


@pytest.mark.parametrize(
    "digits, words",
    [
        (event(IBEACON)[:-1].hex(), "has 1 byte too few"),
        ((event(IBEACON) + b"\0").hex(), "has 1 byte too many"),
        ("043e", "1 byte too few"),
        ("043e0401010040", "has no advertising reports"),
        (event(IBEACON).hex()[:26] + "ff" + event(IBEACON).hex()[28:], "malformed"),
    ],
)
def test_bytes_that_begin_as_an_event_are_judged_as_one(beaconry: Beaconry, digits: str, words: str) -> None:
    result = beaconry.call("decode", digits)
    assert result.returncode == 65 and words in result.stderr, result


@pytest.mark.parametrize(
    "text",
    [
        IBEACON.hex("-"), IBEACON.hex("."), IBEACON.hex(","), IBEACON.hex(":"), ", ".join(f"0x{each:02X}" for each in IBEACON),
        ",".join(f"0x{each:x}" for each in IBEACON), "> " + event(IBEACON).hex(" ").upper(),
        "> " + event(IBEACON)[:20].hex(" ") + " \n  " + event(IBEACON)[20:].hex(" "),
        "01 08 20 20 1e " + IBEACON.hex(" ") + " 00", "0x08 0x20 0x20 0x1e " + IBEACON.hex(" ") + " 00",
    ],
)  # fmt: skip
def test_notations_of_the_field_are_decoded(beaconry: Beaconry, text: str) -> None:
    result = beaconry.call("decode", text, "--json")
    assert result.returncode == 0, result
    assert json.loads(result.stdout)["frames"][0]["minor"] == 8
