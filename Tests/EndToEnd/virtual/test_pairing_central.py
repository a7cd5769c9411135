# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our central pairs with Bumble's device, by each method of legacy pairing and LE Secure Connections."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from beaconry import BINARY, Event, Run
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from pairing_peer import PHONE, BumblePeer, Io

HARNESS = Path(os.environ.get("BEACONRY_CENTRAL_HARNESS") or BINARY.parent / "central-harness")
SERVICE = "50DB505C-8AC4-4738-8448-3B1D9CC09CC5"
ENCRYPTED, AUTHENTICATED = (f"486F64C6-4B5F-4B3B-8AFF-EDE134A8446{number}" for number in (1, 2))
Start = Callable[..., tuple[Run, str]]
GENERATIONS = pytest.mark.parametrize("legacy", [False, True], ids=["secure-connections", "legacy"])
PROFILE = """\
profile: elsewhere
beacons:
  - { id: other, device: raw, advertising-data: 020106 }
"""


def secured_service() -> Service:
    """A service whose values require pairing."""

    def value(uuid: str, permission: int) -> Characteristic:
        return Characteristic(
            uuid, Characteristic.Properties.READ, Characteristic.READABLE | permission, uuid.encode()
        )  # fmt: skip

    return Service(
        SERVICE,
        [
            value(ENCRYPTED, Characteristic.READ_REQUIRES_ENCRYPTION),
            value(AUTHENTICATED, Characteristic.READ_REQUIRES_AUTHENTICATION),
        ],
    )


class Central:
    """Our central, as a program that accepts commands."""

    def __init__(self, transport: str) -> None:
        self.run = Run([str(HARNESS), transport], dict(os.environ), takes_commands=True)

    def send(self, *words: object) -> None:
        self.run.send(*words)

    async def outcome(self, command: str) -> Event:
        """Waits for the outcome of a command that was sent."""

        def ended(event: Event) -> bool:
            return event.get("command") == command

        def wait() -> Event:
            while (event := self.run.take_one(60)) is not None:
                if event["event"] in ("answer", "failed") and ended(event):
                    return event
            raise AssertionError(f"{command} did not end: {self.run.events[-8:]}")

        return await asyncio.to_thread(wait)

    async def do(self, *words: object) -> Event:
        self.send(*words)
        return await self.outcome(str(words[0]))

    async def must(self, *words: object) -> Event:
        outcome = await self.do(*words)
        assert outcome["event"] == "answer", outcome
        return outcome

    async def question(self, kind: str) -> Event:
        """Waits for a question to the central's user."""
        return await asyncio.to_thread(lambda: self.run.wait("question", 60, kind=kind))

    async def is_asked(self) -> bool:
        """Waits until a command asks the central's user, or fails."""

        def wait() -> bool:
            while (event := self.run.take_one(60)) is not None:
                if event["event"] in ("question", "failed"):
                    return event["event"] == "question"
            raise AssertionError(f"no question, and no failure: {self.run.events[-8:]}")

        return await asyncio.to_thread(wait)

    async def connect(self) -> None:
        await self.must("connect", PHONE, "random", 30)
        await self.must("services", SERVICE)


@asynccontextmanager
async def meeting(air: Start, beaconry, io: Io, *, legacy: bool = False) -> AsyncIterator[tuple[Central, BumblePeer]]:
    """Bumble's device and our central on one air, connected."""
    _, transport = air(beaconry.profile(PROFILE))
    peer = BumblePeer()
    peer.set(io, secure_connections=not legacy, mitm=io != Io.NO_OUTPUT_NO_INPUT)
    async with peer.on(transport, secured_service()) as device:
        await advertise(device)
        central = Central(transport)
        try:
            await central.must("open")
            await central.connect()
            yield central, peer
        finally:
            await asyncio.to_thread(central.run.kill)


async def advertise(device: Device) -> None:
    flags = bytes(AdvertisingData([(AdvertisingData.FLAGS, bytes([6]))]))
    await device.start_advertising(advertising_data=flags, auto_restart=True)


async def expect_paired(central: Central, authenticated: bool) -> None:
    """Expects a successful pairing, and access to the values that it permits."""
    outcome = await central.outcome("pair")
    assert outcome["event"] == "answer", outcome
    assert outcome["authenticated"] == authenticated and outcome["count"] == 16
    assert bytes.fromhex((await central.must("read", ENCRYPTED))["value"]).decode() == ENCRYPTED
    # Bumble counts every pairing as authenticated, so the authenticated value is not read after Just Works.
    if authenticated:
        assert bytes.fromhex((await central.must("read", AUTHENTICATED))["value"]).decode() == AUTHENTICATED


@GENERATIONS
def test_just_works_pairs(air: Start, beaconry, legacy: bool) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.NO_OUTPUT_NO_INPUT, legacy=legacy) as (central, _):
            refusal = await central.do("read", ENCRYPTED)
            assert refusal["kind"] == "refused" and refusal["code"] in (0x05, 0x0F)
            central.send("pair", "none")
            await expect_paired(central, authenticated=False)

    asyncio.run(run_it())


@GENERATIONS
def test_passkey_shown_by_the_device_pairs(air: Start, beaconry, legacy: bool) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.DISPLAY_OUTPUT_ONLY, legacy=legacy) as (central, peer):
            central.send("pair", "keyboard-display", "mitm")
            await central.question("passkey")
            central.send("reply", f"{await asyncio.wait_for(peer.user.shown.get(), 300):06d}")
            await expect_paired(central, authenticated=True)

    asyncio.run(run_it())


@GENERATIONS
def test_passkey_shown_by_us_pairs(air: Start, beaconry, legacy: bool) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.KEYBOARD_INPUT_ONLY, legacy=legacy) as (central, peer):
            central.send("pair", "keyboard-display", "mitm")
            peer.user.entered.put_nowait((await central.question("show"))["count"])
            await expect_paired(central, authenticated=True)

    asyncio.run(run_it())


def test_numeric_comparison_pairs(air: Start, beaconry) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.DISPLAY_OUTPUT_AND_YES_NO_INPUT) as (central, peer):
            central.send("pair", "display-yes-no", "mitm", "required")
            number = (await central.question("comparison"))["count"]
            assert await asyncio.wait_for(peer.user.shown.get(), 300) == number
            peer.user.is_same.put_nowait(True)
            central.send("reply", "accept")
            await expect_paired(central, authenticated=True)

    asyncio.run(run_it())


@pytest.mark.parametrize(("reply", "kind"), [("cancel", ("cancelled",)), ("reject", ("comparison-failed",))])
def test_pairing_fails_when_our_user_declines(air: Start, beaconry, reply: str, kind: tuple[str, ...]) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.DISPLAY_OUTPUT_AND_YES_NO_INPUT) as (central, peer):
            central.send("pair", "display-yes-no")
            await central.question("comparison")
            peer.user.is_same.put_nowait(True)
            central.send("reply", reply)
            outcome = await central.outcome("pair")
            assert outcome["event"] == "failed" and outcome["kind"] in kind, outcome

    asyncio.run(run_it())


@GENERATIONS
def test_wrong_passkey_fails(air: Start, beaconry, legacy: bool) -> None:
    async def run_it() -> None:
        async with meeting(air, beaconry, Io.DISPLAY_OUTPUT_ONLY, legacy=legacy) as (central, peer):
            kinds: list[str] = []
            # The waiting time doubles, so that even a slow machine attempts once during it.
            while "repeated-attempts" not in kinds:
                central.send("pair", "keyboard")
                if await central.is_asked():
                    shown = await asyncio.wait_for(peer.user.shown.get(), 300)
                    central.send("reply", f"{(shown + 1) % 1_000_000:06d}")
                    outcome = await central.outcome("pair")
                    assert outcome["event"] == "failed" and outcome["kind"] == "wrong-passkey", outcome
                kinds.append(central.run.events[-1]["kind"])
                assert len(kinds) < 8
            assert kinds[0] == "wrong-passkey", "the next attempt must wait"

    asyncio.run(run_it())


@GENERATIONS
def test_bond_is_used_and_its_loss_is_reported(air: Start, beaconry, legacy: bool) -> None:
    """After a reconnection the keys are used; if the device has lost them, both sides must forget the bond."""

    async def run_it() -> None:
        async with meeting(air, beaconry, Io.NO_OUTPUT_NO_INPUT, legacy=legacy) as (central, peer):
            central.send("pair", "none")
            await expect_paired(central, authenticated=False)
            await central.must("disconnect")
            if legacy:
                # Bumble 0.0.236 exchanges the names of the keys of a legacy pairing that it did not start.
                key = await peer.key()
                key.ltk_central, key.ltk_peripheral = key.ltk_peripheral, key.ltk_central
            await central.connect()
            starts = len(peer.sessions)
            central.send("pair", "none")
            await expect_paired(central, authenticated=False)
            assert len(peer.sessions) == starts, "there was no second pairing"
            await central.must("disconnect")
            for name, _ in await peer.keys.get_all():
                await peer.keys.delete(name)
            await central.connect()
            missing = await central.do("pair", "none")
            assert missing["event"] == "failed" and missing["kind"] == "key-missing", missing
            await central.must("forget", PHONE, "random")
            central.send("pair", "none")
            await expect_paired(central, authenticated=False)

    asyncio.run(run_it())
