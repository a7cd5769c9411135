# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Centrals of ours answer the Security Request of a device, which answers nothing else before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest
from ancs import CALL, SOLICITATION
from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS, Beaconry, Run
from bumble.gatt import Characteristic, Service
from demanding_peer import ADDRESS, demanding
from pairing_peer import event_of
from test_pairing_central import ENCRYPTED, PROFILE, SERVICE, Central, secured_service

Air = Callable[..., tuple[Run, str]]
PHONE = f"phone: iphone\npairing: PAIRING\napps: {{ com.apple.mobilephone: Phone }}\nnotifications:\n  - id: call{CALL}"
NAMED = bytes.fromhex("020106") + bytes([8, 9]) + b"Thermos"


def readable(uuid: str, value: bytes, permissions: int = 0) -> Characteristic:
    return Characteristic(uuid, Characteristic.Properties.READ, Characteristic.READABLE | permissions, value)


async def call(beaconry: Beaconry, *arguments: str) -> CompletedProcess[str]:
    return await asyncio.to_thread(lambda: beaconry.call(*arguments))


@pytest.mark.parametrize(("pairing", "end"), [("required", None), ("off", 0x05)])
def test_phone_pairs_or_refuses(air: Air, beaconry: Beaconry, pairing: str, end: int | None) -> None:
    async def body() -> None:
        _, transport = air(beaconry.profile(PROFILE))
        profile = beaconry.profile(PHONE.replace("PAIRING", pairing), "phone.yaml")
        async with demanding(transport, data=SOLICITATION) as device:
            phone = beaconry.start("phone", str(profile), "--radio", transport, "--ephemeral", "--json")
            await event_of(phone, "connected")
            if end is None:
                await event_of(phone, "encrypted")
            while not device.ends:
                await asyncio.sleep(0.05)
            assert device.ends == [end]

    asyncio.run(body())


@pytest.mark.parametrize("characteristic", ["2A00", "FFF1"])
def test_expect_reads_open_and_protected_values(air: Air, beaconry: Beaconry, characteristic: str) -> None:
    async def body() -> None:
        _, transport = air(beaconry.profile(PROFILE))
        service = Service("FFF0", [readable("FFF1", b"\x2a", Characteristic.READ_REQUIRES_ENCRYPTION)])
        value = {"2A00": b"demanding".hex(), "FFF1": "2a"}[characteristic]
        async with demanding(transport, service, data=NAMED):
            done = await call(
                beaconry, "expect", "--radio", transport, "--name", "Thermos", "--characteristic", characteristic,
                "--value", value, "--within", "300s",
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr

    asyncio.run(body())


def test_manage_reads_the_settings(air: Air, beaconry: Beaconry) -> None:
    async def body() -> None:
        _, transport = air(beaconry.profile(PROFILE))
        service = Service(
            CONFIG_SERVICE,
            [
                readable(BEACON_UUID, bytes.fromhex(CONFIG_SERVICE.replace("-", ""))),
                readable(MAJOR_MINOR, bytes.fromhex("07000900")),
                readable(TRANSMIT_SETTINGS, bytes.fromhex("0200a000")),
            ],
        )
        async with demanding(transport, service):
            done = await call(beaconry, "manage", "show", ADDRESS, "--radio", transport, "--json")
            assert done.returncode == 0, done.stderr
            shown = [json.loads(line) for line in done.stdout.splitlines()][-1]["settings"]
            assert (shown["major"], shown["minor"]) == (7, 9)

    asyncio.run(body())


def test_central_of_the_api_pairs(air: Air, beaconry: Beaconry) -> None:
    async def body() -> None:
        _, transport = air(beaconry.profile(PROFILE))
        async with demanding(transport, secured_service()) as device:
            central = Central(transport)
            try:
                await central.must("open")
                await central.must("connect", ADDRESS, "random", 30)
                await central.must("services", SERVICE)
                assert bytes.fromhex((await central.must("read", ENCRYPTED))["value"]).decode() == ENCRYPTED
                assert device.ends == [None]
                # The next connection is encrypted with the keys of the bond.
                await central.must("disconnect")
                await central.must("connect", ADDRESS, "random", 30)
                await central.must("services", SERVICE)
                assert bytes.fromhex((await central.must("read", ENCRYPTED))["value"]).decode() == ENCRYPTED
                assert device.ends == [None, None]
            finally:
                await asyncio.to_thread(central.run.kill)

    asyncio.run(body())


def test_value_that_needs_more_than_just_works_has_a_hint(air: Air, beaconry: Beaconry) -> None:
    """Another attempt would not help, so the verdict does not wait for the time limit."""
    profile = """
profile: PROFILE
beacons:
  - id: lock
    device: gatt
    name: Lock
    pairing: { io: PAIRING }
    services:
      - uuid: FFF0
        characteristics:
          - { name: secret, uuid: FFF1, properties: [read], value: "2a", permissions: authenticated }
"""
    words = ["--name", "Lock", "--characteristic", "FFF1", "--value", "2a", "--within", "5m"]
    _, transport = air(beaconry.profile(profile.replace("PROFILE", "plain").replace("PAIRING", "none")), "--ephemeral")
    done = beaconry.call("expect", "--radio", transport, *words)
    assert done.returncode == 1
    assert "it was refused: " in done.stdout and "although they have paired (Just Works)" in done.stdout, done.stdout
    _, transport = air(beaconry.profile(profile.replace("PROFILE", "strict").replace("PAIRING", "display, mitm: true")), "--ephemeral")
    done = beaconry.call("expect", "--radio", transport, *words)
    assert done.returncode == 1
    assert "it was refused: " in done.stdout and "pairing failed: " in done.stdout, done.stdout
