# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Hosts that others wrote, on controllers of our virtual air."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import (
    BEACON_UUID,
    CONFIG_SERVICE,
    MAJOR_MINOR,
    PROFILES,
    TRANSMIT_SETTINGS,
    Beaconry,
    Run,
    ibeacon,
    service_list,
)
from phone import connected, hear, phone, read, write

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
def test_bumble_scan(air: VirtualAir, beaconry: Beaconry, spawn: Spawn, passive: bool) -> None:
    _, transport = air(beaconry.profile(TWO))
    scanner = spawn(BIN / "bumble-scan", *(["--passive"] if passive else []), transport)
    wanted = [ENTRANCE, PLAIN] + ([] if passive else ["Entrance"])
    deadline = time.monotonic() + 30
    while not all(word in scanner.output for word in wanted) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(2)
    said = scanner.output
    assert ENTRANCE in said and PLAIN in said, said
    # The name is in the scan response only, which a passive scanner never asks for.
    assert ("Entrance" in said) == (not passive), said


def test_bumble_gatt_dump(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(TWO))
    dumped = subprocess.run(
        [BIN / "bumble-gatt-dump", transport, ENTRANCE], capture_output=True, text=True, timeout=60, check=False
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", dumped.stdout)
    for uuid in (CONFIG_SERVICE, BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS):
        assert uuid.upper() in said.upper(), said + dumped.stderr


def test_bumble_controller_info(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(TWO))
    told = subprocess.run(
        [BIN / "bumble-controller-info", "--latency-probes", "200", transport],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    assert "Traceback" not in told.stdout + told.stderr


def test_the_air_is_true(air: VirtualAir, beaconry: Beaconry) -> None:
    """Exact bytes, PDU types, strengths and rates; scan responses when they are asked for, and only then."""
    _, transport = air(beaconry.profile(TWO))

    async def listen() -> None:
        async with phone(transport) as device:
            for is_active in (True, False):
                heard = await hear(device, 5, active=is_active)
                responses = [each for each in heard if each.pdu == "SCAN_RSP"]
                frames = [each for each in heard if each.address == ENTRANCE and each not in responses]
                plain = [each for each in heard if each.address == PLAIN]
                assert {each.address for each in responses} == ({ENTRANCE} if is_active else set())
                assert all(each.data.startswith(service_list(CONFIG_SERVICE)) for each in responses)
                assert {(each.pdu, each.data) for each in frames} == {("ADV_IND", ibeacon(CONFIG_SERVICE, 2, 3))}
                assert {(each.pdu, each.data) for each in plain} == {
                    ("ADV_NONCONN_IND", ibeacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 2, -65))
                }
                # Nobody has a place, so all are 1 m apart, where the strength is what the frame says.
                assert {each.rssi for each in frames} == {-59}
                assert {each.rssi for each in plain} == {-65}
                # 100 ms and 50 ms, and 5 ms of random delay on average.
                assert 40 <= len(frames) <= 50, len(frames)
                assert 80 <= len(plain) <= 100, len(plain)

    asyncio.run(listen())


def test_the_apps_sequence(air: VirtualAir, beaconry: Beaconry) -> None:
    """The configuration app's way, then a restart of the program: the values are kept and on the air."""
    profile = beaconry.profile(TWO)
    run, transport = air(profile)
    uuid = "0f0e0d0c0b0a09080706050403020100"

    async def configure() -> None:
        async with phone(transport) as device:
            async with connected(device, ENTRANCE) as (_, peer):
                assert await read(peer, MAJOR_MINOR) == bytes.fromhex("02000300")
                await write(peer, BEACON_UUID, bytes.fromhex(uuid))
                await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
                await write(peer, TRANSMIT_SETTINGS, bytes.fromhex("01004001"))
                assert await read(peer, TRANSMIT_SETTINGS) == bytes.fromhex("01004001")
                assert ENTRANCE not in {each.address for each in await hear(device, 1)}
            again = [each for each in await hear(device, 4) if each.address == ENTRANCE and each.pdu == "ADV_IND"]
            # 200 ms now, and not before the beacon has noticed that the phone is gone.
            assert 14 <= len(again) <= 20

    async def look(transport: str) -> None:
        async with phone(transport) as device:
            heard = [each for each in await hear(device, 2) if each.address == ENTRANCE and each.pdu == "ADV_IND"]
            assert {each.data[9:25].hex() for each in heard} == {uuid}
            async with connected(device, ENTRANCE) as (_, peer):
                assert await read(peer, BEACON_UUID) == bytes.fromhex(uuid)
                assert await read(peer, MAJOR_MINOR) == bytes.fromhex("07002a00")
                assert await read(peer, TRANSMIT_SETTINGS) == bytes.fromhex("01004001")

    asyncio.run(configure())
    run.wait("disconnected", device="entrance")
    assert run.end() == 0
    again, transport = air(profile)
    asyncio.run(look(transport))
    assert again.end() == 0


def test_two_phones_and_a_vanishing_one(air: VirtualAir, beaconry: Beaconry) -> None:
    """A host that is gone without a word is missed after the supervision timeout, and the beacon is back."""
    run, transport = air(beaconry.profile(TWO))

    async def vanish() -> None:
        async with phone(transport) as device:
            await asyncio.wait_for(device.connect(ENTRANCE), 10)
            run.wait("connected", device="entrance")
            device.host.hci_sink.transport.abort()  # type: ignore[attr-defined]

    try:
        asyncio.run(vanish())
    except Exception:
        pass  # Bumble's host minds losing its controller
    run.wait("disconnected", device="entrance", timeout=15)
    run.wait("advertising-started", device="entrance", timeout=5)


def test_the_museum_without_any_adapter(beaconry: Beaconry) -> None:
    """`auto` is the virtual air where the machine has no adapter, and says so."""
    if list(Path("/sys/class/bluetooth").glob("hci*")) if Path("/sys/class/bluetooth").exists() else []:
        pytest.fail("this machine has an adapter; these tests are for machines without")
    run = beaconry.run(PROFILES / "museum.yaml", "--hci-server", "none", radio="auto")
    ready = run.wait("radio-ready")
    assert ready["radio"] == "virtual" and "no Bluetooth adapter" in ready["reason"]
    assert run.wait("ready")["beacons"] == 13
    assert run.end() == 0
