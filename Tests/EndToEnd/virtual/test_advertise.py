# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`advertise FORMAT` on a virtual air, received by Bumble."""

from __future__ import annotations

import asyncio
import json

from beaconry import Beaconry
from phone import Report, phone, receive_reports

UUID = "2173E519-9155-4862-AB64-7953AB146156"
EXAMPLES = [
    ["ibeacon", "--uuid", UUID, "--major", "1"],
    ["altbeacon", "--id1", UUID, "--id2", "3"],
    ["eddystone-uid", "--namespace", "8b0ca750e7a7f6e3b0c2", "--instance", "0123456789ab", "--power-at-0m", "-20"],
    ["eddystone-url", "--url", "https://example.com/a", "--flags", "none"],
    ["eddystone-tlm", "--battery-millivolts", "2900", "--temperature", "-4.5"],
    ["bthome", "--temperature", "21.5"],
]  # fmt: skip
AIR = ["--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--json", "--interval", "20ms"]


async def receive(transport: str, count: int) -> list[Report]:
    async with phone(transport) as device:
        return await receive_reports(device, 0, until=lambda reports: len(reports) >= count)


def reports(beaconry: Beaconry, *arguments: str, count: int = 10) -> list[Report]:
    """What a phone receives of a beacon: a number of reports."""
    run = beaconry.start("advertise", *arguments, *AIR)
    transport = run.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    run.wait("ready")
    received = asyncio.run(receive(transport, count))
    assert run.end() == 0
    return received


def test_advertise_sends_what_encode_prints(beaconry: Beaconry) -> None:
    for example in EXAMPLES:
        encoded = json.loads(beaconry.call("encode", *example, "--json").stdout)
        received = reports(beaconry, *example)
        assert {report.data.hex() for report in received} == {encoded["advertisingData"]}, example
        assert {report.pdu for report in received} == {"ADV_NONCONN_IND"}


def test_telemetry_is_between_the_frames(beaconry: Beaconry) -> None:
    telemetry = ["--telemetry-every", "2", "--telemetry-battery", "3000", "--telemetry-temperature", "21.5"]
    received = reports(beaconry, *EXAMPLES[3], *telemetry, "--name", "Sign", "--address", "C0:FF:EE:00:00:07", count=150)
    assert {report.address for report in received} == {"C0:FF:EE:00:00:07"}
    assert any(report.pdu == "SCAN_RSP" and report.data == b"\x05\x09Sign" for report in received)
    payloads = {report.data.hex() for report in received if report.pdu == "ADV_SCAN_IND"}
    frames = [json.loads(beaconry.call("decode", each, "--json").stdout)["frames"][0] for each in payloads]
    assert {frame["format"] for frame in frames} == {"eddystone-url", "eddystone-tlm"}
    live = [frame for frame in frames if frame["format"] == "eddystone-tlm"]
    assert {(frame["batteryMillivolts"], frame["temperature"]) for frame in live} == {(3000, 21.5)}
    assert len({frame["advertisements"] for frame in live}) >= 5
