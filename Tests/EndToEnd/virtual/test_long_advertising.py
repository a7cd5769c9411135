# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A host that advertises more data than one PDU has, and receivers of ours that report it in one piece."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from beaconry import Beaconry
from raw_host import RawHost, wire

PROFILE = """
profile: room
beacons:
  - id: door
    device: ibeacon
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
"""
ADDRESS = "C0:FF:EE:00:16:50"
FIRST, INTERMEDIATE, LAST, COMPLETE = 1, 0, 2, 3
NOT_CONNECTABLE, SCANNABLE = 0x00, 0x02


def advertise(host: RawHost, properties: int, data: bytes) -> None:
    """Advertises every 100 ms, with data in parts of 251 bytes: of a scannable set, these are its scan response."""
    host.start()
    command = 0x2038 if properties == SCANNABLE else 0x2037
    parameters = struct.pack("<BH3s3sBBB6sBbBBBBB", 0, properties, b"\xa0\0\0", b"\xa0\0\0", 7, 1, 0, bytes(6), 0, 0, 1, 0, 1, 5, 0)
    assert host.command(0x2036, parameters)[0] == 0
    assert host.command(0x2035, b"\x00" + wire(ADDRESS)) == b"\x00"
    parts = [data[start : start + 251] for start in range(0, len(data), 251)]
    for number, part in enumerate(parts):
        operation = COMPLETE if len(parts) == 1 else FIRST if number == 0 else LAST if part is parts[-1] else INTERMEDIATE
        assert host.command(command, bytes([0, operation, 1, len(part)]) + part) == b"\x00"
    assert host.command(0x2039, b"\x01\x01\x00\x00\x00\x00") == b"\x00"


@pytest.mark.parametrize("properties", [NOT_CONNECTABLE, SCANNABLE])
@pytest.mark.parametrize("length", [245, 246, 1650])
def test_our_receiver_records_all_of_it(beaconry: Beaconry, tmp_path: Path, properties: int, length: int) -> None:
    servers = ("--hci-server", "tcp:127.0.0.1:0") * 2
    run = beaconry.run(beaconry.profile(PROFILE), *servers, radio="virtual")
    first, second = (int(name.rsplit(":", 1)[1]) for name in run.wait("radio-ready")["servers"])
    data = b"".join(bytes([251, 0xFF, 0xFF, 0xFF]) + bytes([number] * 248) for number in range(7))[:length]
    host = RawHost(first)
    assert host.command(0x203A)[1:] == struct.pack("<H", 1650)
    advertise(host, properties, data)
    recording = tmp_path / "air.jsonl"
    done = beaconry.call("record", str(recording), "--radio", f"tcp-client:127.0.0.1:{second}", "--duration", "2s")
    assert done.returncode == 0, done
    records = [json.loads(line) for line in recording.read_text().splitlines()]
    found = {record["data"] for record in records if record.get("address") == ADDRESS and record.get("data")}
    assert found == {data.hex()}
