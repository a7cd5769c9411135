# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Third-party hosts on controllers of our virtual air."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from beaconry import (
    BEACON_UUID,
    CONFIG_SERVICE,
    MAJOR_MINOR,
    PATIENCE,
    PROFILES,
    TRANSMIT_SETTINGS,
    Beaconry,
    Run,
    ibeacon,
    service_list,
)
from phone import Report, connected, phone, read, receive_reports, write

BIN = Path(sys.executable).parent
VirtualAir = Callable[..., tuple[Run, str]]
Spawn = Callable[..., Any]

TWO = """
profile: two
beacons:
  - id: entrance
    device: iot-design-shop
    address: C0:FF:EE:00:00:01
    ibeacon: { uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 2, minor: 3, measured-power: -59 }
    interval: 100ms
    name: Entrance
  - id: plain
    device: ibeacon
    address: C0:FF:EE:00:00:02
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2, measured-power: -65 }
    interval: 50ms
    tx-power: -4dBm
"""
ENTRANCE, PLAIN = "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"


@pytest.mark.parametrize("passive", [False, True])
def test_bumble_scan_finds_the_beacons(air: VirtualAir, beaconry: Beaconry, spawn: Spawn, passive: bool) -> None:
    _, transport = air(beaconry.profile(TWO))
    # Bumble 0.0.236 waits for a scan response, also in a passive scan, if the first report comes in one read with the completion of
    # the command that enables the scan: it sets `scanning_is_passive` later. The next report shows the beacon.
    scanner = spawn(BIN / "bumble-scan", *(["--passive", "--filter-duplicates", "no"] if passive else []), transport)
    wanted = [ENTRANCE, PLAIN] + ([] if passive else ["Entrance"])
    deadline = time.monotonic() + PATIENCE
    while not all(word in scanner.output for word in wanted) and time.monotonic() < deadline:
        time.sleep(0.1)
    if passive:
        time.sleep(1)
    said = scanner.output
    assert ENTRANCE in said and PLAIN in said, said
    # The name is only in the scan response, which a passive scanner does not request.
    assert ("Entrance" in said) == (not passive), said


def test_bumble_gatt_dump_finds_the_service(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(TWO))
    dumped = subprocess.run(
        [BIN / "bumble-gatt-dump", transport, ENTRANCE], capture_output=True, text=True, timeout=300, check=False
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", dumped.stdout)
    for uuid in (CONFIG_SERVICE, BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS):
        assert uuid.upper() in said.upper(), said + dumped.stderr


def test_bumble_controller_info_succeeds(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(TWO))
    done = subprocess.run(
        [BIN / "bumble-controller-info", "--latency-probes", "200", transport],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_bytes_rssi_and_rates_on_the_air_are_right(air: VirtualAir, beaconry: Beaconry, tmp_path: Path) -> None:
    """Exact bytes, PDU types, RSSI and rates; scan responses only for active scanners. The times are those on the air, which the
    capture has."""
    capture = tmp_path / "air.btsnoop"
    run, transport = air(beaconry.profile(TWO), "--capture", str(capture))

    def is_complete(reports: list[Report]) -> bool:
        return sum(each.address == ENTRANCE for each in reports) >= 30

    async def listen() -> None:
        async with phone(transport) as device:
            for is_active in (True, False):
                received = await receive_reports(device, 0, active=is_active, until=is_complete)
                responses = [each for each in received if each.pdu == "SCAN_RSP"]
                frames = [each for each in received if each.address == ENTRANCE and each not in responses]
                plain = [each for each in received if each.address == PLAIN]
                assert {each.address for each in responses} == ({ENTRANCE} if is_active else set())
                assert all(each.data.startswith(service_list(CONFIG_SERVICE)) for each in responses)
                assert {(each.pdu, each.data) for each in frames} == {("ADV_IND", ibeacon(CONFIG_SERVICE, 2, 3))}
                assert {(each.pdu, each.data) for each in plain} == {
                    ("ADV_NONCONN_IND", ibeacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 2, -65))
                }
                # No controller has a position, so all are 1 m apart, where the RSSI is the measured power of the frame.
                assert {each.rssi for each in frames} == {-59}
                assert {each.rssi for each in plain} == {-65}

    asyncio.run(listen())
    assert run.end() == 0
    decoded = [json.loads(line) for line in beaconry.call("decode", str(capture), "--json").stdout.splitlines()]
    # 100 ms and 50 ms, plus 5 ms of random delay on average.
    for address, interval in ((ENTRANCE, 100), (PLAIN, 50)):
        reports = [each["time"] for each in decoded if each["address"] == address and each["pdu"] != "SCAN_RSP"]
        times = [datetime.fromisoformat(each.replace("Z", "+00:00")).timestamp() * 1000 for each in reports]
        assert interval + 2 <= median(later - earlier for earlier, later in zip(times, times[1:])) <= interval + 8


def test_app_configures_the_beacon(air: VirtualAir, beaconry: Beaconry) -> None:
    """The app configures the beacon; after a restart of the program the values are saved and on the air."""
    profile = beaconry.profile(TWO)
    run, transport = air(profile)
    uuid = "0f0e0d0c0b0a09080706050403020100"

    def is_received(reports: list[Report]) -> bool:
        return any(each.address == ENTRANCE and each.pdu == "ADV_IND" for each in reports)

    async def configure() -> None:
        async with phone(transport) as device:
            async with connected(device, ENTRANCE) as (_, peer):
                assert await read(peer, MAJOR_MINOR) == bytes.fromhex("02000300")
                await write(peer, BEACON_UUID, bytes.fromhex(uuid))
                await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
                await write(peer, TRANSMIT_SETTINGS, bytes.fromhex("01004001"))
                assert await read(peer, TRANSMIT_SETTINGS) == bytes.fromhex("01004001")
                assert ENTRANCE not in {each.address for each in await receive_reports(device, 1)}
            # The beacon advertises after it has noticed the disconnection.
            await receive_reports(device, 0, until=is_received)

    async def look(transport: str) -> None:
        async with phone(transport) as device:
            received = [each for each in await receive_reports(device, 0, until=is_received) if each.address == ENTRANCE]
            assert {each.data[9:25].hex() for each in received if each.pdu == "ADV_IND"} == {uuid}
            async with connected(device, ENTRANCE) as (_, peer):
                assert await read(peer, BEACON_UUID) == bytes.fromhex(uuid)
                assert await read(peer, MAJOR_MINOR) == bytes.fromhex("07002a00")
                assert await read(peer, TRANSMIT_SETTINGS) == bytes.fromhex("01004001")

    asyncio.run(configure())
    run.wait("disconnected", device="entrance")
    assert run.wait("advertising-started", device="entrance")["intervalTicks"] == 320
    assert run.end() == 0
    again, transport = air(profile)
    asyncio.run(look(transport))
    assert again.end() == 0


def test_vanished_phone_is_noticed(air: VirtualAir, beaconry: Beaconry) -> None:
    """A host that vanishes without a disconnection is lost after the supervision timeout, and the beacon advertises again."""
    run, transport = air(beaconry.profile(TWO))

    async def vanish() -> None:
        async with phone(transport) as device:
            await asyncio.wait_for(device.connect(ENTRANCE), 300)
            run.wait("connected", device="entrance")
            device.host.hci_sink.transport.abort()  # type: ignore[attr-defined]

    try:
        asyncio.run(vanish())
    except Exception:
        pass  # Bumble's host fails without its controller
    run.wait("disconnected", device="entrance", timeout=300)
    run.wait("advertising-started", device="entrance", timeout=300)


def test_run_without_an_adapter_uses_the_virtual_air(beaconry: Beaconry) -> None:
    """`auto` is the virtual air on a machine without an adapter, and reports that."""
    if list(Path("/sys/class/bluetooth").glob("hci*")) if Path("/sys/class/bluetooth").exists() else []:
        pytest.fail("this machine has an adapter; this test is for machines without one")
    run = beaconry.run(PROFILES / "museum.yaml", "--hci-server", "none", radio="auto")
    ready = run.wait("radio-ready")
    assert ready["radio"] == "virtual" and "no Bluetooth adapter" in ready["reason"]
    assert run.wait("ready")["beacons"] == 13
    assert run.end() == 0
