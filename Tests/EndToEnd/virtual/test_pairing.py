# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our beacons pair with Bumble's phone, by each method of legacy pairing and LE Secure Connections, and use the bond."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from beaconry import MAJOR_MINOR, Beaconry, Run
from bumble.att import ATT_Error
from bumble.core import UUID, ProtocolError
from bumble.device import Connection, Device, Peer
from bumble.hci import Address, HCI_Error
from bumble.smp import Session
from bumble.transport import open_transport
from pairing_peer import PHONE, BumblePeer, Io, event_of

BEACON = "C0:FF:EE:00:00:01"
PROFILE = f"""\
profile: shop
beacons:
  - id: lock
    device: iot-design-shop
    address: {BEACON}
"""

@asynccontextmanager
async def connected(device: Device) -> AsyncIterator[Connection]:
    """A connection to the beacon."""
    connection = await asyncio.wait_for(device.connect(Address(BEACON)), 300)
    yield connection
    # The connection may have ended, which some tests intend.
    with contextlib.suppress(Exception):
        await connection.disconnect()


def pairing_profile(beaconry: Beaconry, pairing: str) -> Any:
    return beaconry.profile(PROFILE + (f"    pairing: {pairing}\n" if pairing else ""))


Start = Callable[..., tuple[Run, str]]


async def expect_pairing(run: Run, *, authenticated: bool, secure_connections: bool) -> None:
    """Expects the events of a successful pairing."""
    encrypted = await event_of(run, "encrypted")
    assert encrypted["authenticated"] == authenticated and encrypted["keySize"] == 16
    paired = await event_of(run, "paired")
    assert paired["bonded"] and paired["peer"] == PHONE and paired["peerType"] == "random"
    assert paired["authenticated"] == authenticated and paired["secureConnections"] == secure_connections
    assert any(event["event"] == "bonds-saved" for event in run.events), "the bond is saved before it is reported"


async def read_major_minor(connection: Connection) -> bytes:
    peer = Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    return bytes(await peer.get_characteristics_by_uuid(MAJOR_MINOR)[0].read_value())


GENERATIONS = pytest.mark.parametrize("secure_connections", [True, False], ids=["secure-connections", "legacy"])


@GENERATIONS
def test_just_works_pairs(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: none }"))
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, secure_connections=secure_connections, mitm=False)
        async with phone.on(transport) as device, connected(device) as connection:
            await asyncio.wait_for(connection.pair(), 300)
            await expect_pairing(run, authenticated=False, secure_connections=secure_connections)
            assert connection.is_encrypted
            assert await read_major_minor(connection)

    asyncio.run(run_it())


@GENERATIONS
def test_passkey_shown_by_the_beacon_pairs(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: display, mitm: true }"))
        phone = BumblePeer()
        phone.set(Io.KEYBOARD_INPUT_ONLY, secure_connections=secure_connections)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            assert (await event_of(run, "pairing-began"))["central"].startswith(PHONE)
            phone.user.entered.put_nowait(int((await event_of(run, "passkey-shown"))["passkey"]))
            await asyncio.wait_for(pairing, 300)
            await expect_pairing(run, authenticated=True, secure_connections=secure_connections)
            assert (await phone.key()).ltk or (await phone.key()).ltk_central

    asyncio.run(run_it())


def test_sensortag_shows_zeros(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        text = f"profile: shop\nbeacons:\n  - {{ id: tag, device: sensortag, address: {BEACON} }}\n"
        run, transport = air(beaconry.profile(text))
        phone = BumblePeer()
        phone.set(Io.KEYBOARD_INPUT_ONLY, secure_connections=True)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            assert (await event_of(run, "passkey-shown"))["passkey"] == "000000"
            phone.user.entered.put_nowait(0)
            await asyncio.wait_for(pairing, 300)
            await expect_pairing(run, authenticated=True, secure_connections=False)

    asyncio.run(run_it())


@GENERATIONS
def test_passkey_shown_by_the_phone_pairs(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: keyboard }"))
        phone = BumblePeer()
        phone.set(Io.DISPLAY_OUTPUT_ONLY, secure_connections=secure_connections)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            await event_of(run, "passkey-wanted")
            passkey = f"{await asyncio.wait_for(phone.user.shown.get(), 300):06d}"
            answer = await asyncio.to_thread(beaconry.call, "ctl", "pair", "lock", passkey)
            assert answer.returncode == 0, answer.stderr
            await asyncio.wait_for(pairing, 300)
            await expect_pairing(run, authenticated=True, secure_connections=secure_connections)

    asyncio.run(run_it())


@GENERATIONS
def test_same_passkey_on_both_sides_pairs(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: keyboard, passkey: 000042 }"))
        phone = BumblePeer()
        phone.set(Io.KEYBOARD_INPUT_ONLY, secure_connections=secure_connections)
        async with phone.on(transport) as device, connected(device) as connection:
            phone.user.entered.put_nowait(42)
            await asyncio.wait_for(connection.pair(), 300)
            await expect_pairing(run, authenticated=True, secure_connections=secure_connections)

    asyncio.run(run_it())


def test_numeric_comparison_pairs(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: display-yes-no, secure-connections: required }"))
        phone = BumblePeer()
        phone.set(Io.DISPLAY_OUTPUT_AND_YES_NO_INPUT)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            number = (await event_of(run, "comparison-wanted"))["passkey"]
            assert f"{await asyncio.wait_for(phone.user.shown.get(), 300):06d}" == number
            answer = await asyncio.to_thread(beaconry.call, "ctl", "pair", "lock", "accept")
            assert answer.returncode == 0, answer.stderr
            phone.user.is_same.put_nowait(True)
            await asyncio.wait_for(pairing, 300)
            await expect_pairing(run, authenticated=True, secure_connections=True)

    asyncio.run(run_it())


def test_protected_values_are_readable_after_pairing(air: Start, beaconry: Beaconry) -> None:
    profile = f"""\
profile: shop
beacons:
  - id: lock
    device: gatt
    address: {BEACON}
    pairing: {{ io: none }}
    services:
      - uuid: 1809
        characteristics:
          - {{ name: open, uuid: 2A1D, properties: [read], value: "01" }}
          - {{ name: secret, uuid: 2A1E, properties: [read], permissions: encrypted, value: "02" }}
          - {{ name: guarded, uuid: 2A21, properties: [read], permissions: authenticated, value: "03" }}
"""

    async def run_it() -> None:
        _, transport = air(beaconry.profile(profile))
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, mitm=False)
        async with phone.on(transport) as device, connected(device) as connection:
            peer = Peer(connection)
            await peer.discover_services()
            await peer.discover_characteristics()

            async def read(uuid: str) -> bytes | int:
                try:
                    return bytes(await peer.get_characteristics_by_uuid(UUID(uuid))[0].read_value())
                except ATT_Error as error:
                    return error.error_code

            assert [await read(uuid) for uuid in ("2A1D", "2A1E", "2A21")] == [b"\x01", 0x05, 0x05]
            await asyncio.wait_for(connection.pair(), 300)
            assert [await read(uuid) for uuid in ("2A1D", "2A1E", "2A21")] == [b"\x01", b"\x02", 0x05]

    asyncio.run(run_it())


# Failures


async def expect_failure(
    air: Start, beaconry: Beaconry, pairing: str, io: Io, code: str, reason: int, answer: int | None = None,
    **wishes: bool,
) -> None:  # fmt: skip
    """Expects a pairing to fail, for the reason that both sides report."""
    run, transport = air(pairing_profile(beaconry, pairing))
    phone = BumblePeer()
    phone.set(io, **wishes)
    phone.user.entered.put_nowait(answer)
    phone.user.is_same.put_nowait(bool(answer))
    async with phone.on(transport) as device, connected(device) as connection:
        with pytest.raises(ProtocolError) as failure:
            await asyncio.wait_for(connection.pair(), 300)
        assert failure.value.error_code == reason
        if code:
            event = await event_of(run, "pairing-failed")
            assert event["code"] == code and event["message"] and event["hint"]
        assert not await phone.keys.get_all()
        bonds = await asyncio.to_thread(beaconry.call, "ctl", "bonds", "--json")
        assert bonds.returncode == 0 and not bonds.stdout, "no bond is saved"


@GENERATIONS
def test_wrong_passkey_fails(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    asyncio.run(
        expect_failure(
            air, beaconry, "{ io: display, passkey: 123456 }", Io.KEYBOARD_INPUT_ONLY, "wrong-passkey", 0x04, 123457,
            secure_connections=secure_connections,
        )
    )  # fmt: skip


def test_pairing_fails_without_a_passkey(air: Start, beaconry: Beaconry) -> None:
    asyncio.run(
        expect_failure(
            air, beaconry, "{ io: display }", Io.KEYBOARD_INPUT_ONLY, "passkey-entry-failed", 0x01, None
        )
    )  # fmt: skip


def test_pairing_fails_when_the_numbers_differ(air: Start, beaconry: Beaconry) -> None:
    asyncio.run(
        expect_failure(
            air, beaconry, "{ io: display-yes-no, comparison: reject }", Io.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
            "comparison-failed", 0x0C, 1,
        )
    )  # fmt: skip


def test_pairing_fails_without_the_required_protection(air: Start, beaconry: Beaconry) -> None:
    asyncio.run(
        expect_failure(
            air, beaconry, "{ io: display, mitm: true }", Io.NO_OUTPUT_NO_INPUT, "authentication-requirements", 0x03
        )
    )  # fmt: skip


def test_phone_without_secure_connections_is_refused(air: Start, beaconry: Beaconry) -> None:
    asyncio.run(
        expect_failure(
            air, beaconry, "{ secure-connections: required }", Io.NO_OUTPUT_NO_INPUT, "authentication-requirements",
            0x03, secure_connections=False, mitm=False,
        )
    )  # fmt: skip


def test_beacon_without_pairing_refuses(air: Start, beaconry: Beaconry) -> None:
    asyncio.run(expect_failure(air, beaconry, "", Io.NO_OUTPUT_NO_INPUT, "", 0x05))


def test_our_user_cancels_the_pairing(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: keyboard }"))
        phone = BumblePeer()
        phone.set(Io.DISPLAY_OUTPUT_ONLY)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            await event_of(run, "passkey-wanted")
            answer = await asyncio.to_thread(beaconry.call, "ctl", "pair", "lock", "cancel")
            assert answer.returncode == 0, answer.stderr
            with pytest.raises(ProtocolError) as failure:
                await asyncio.wait_for(pairing, 300)
            assert failure.value.error_code == 0x01
            assert (await event_of(run, "pairing-failed"))["code"] == "cancelled"

    asyncio.run(run_it())


@pytest.mark.starts_first
def test_unanswered_pairing_times_out(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: display }"))
        phone = BumblePeer()
        phone.set(Io.KEYBOARD_INPUT_ONLY)
        async with phone.on(transport) as device, connected(device) as connection:
            pairing = asyncio.create_task(connection.pair())
            await event_of(run, "passkey-shown")
            assert (await event_of(run, "pairing-failed"))["code"] == "timed-out"
            pairing.cancel()

    asyncio.run(run_it())


def test_second_pairing_attempt_must_wait(air: Start, beaconry: Beaconry) -> None:
    """After a failure the next attempt is refused during a waiting time, and accepted afterwards."""

    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: display, passkey: 123456 }"))
        phone = BumblePeer()
        phone.set(Io.KEYBOARD_INPUT_ONLY)
        reasons: list[int] = []
        async with phone.on(transport) as device, connected(device) as connection:
            # The waiting time doubles, so that even a slow machine attempts once during it.
            while 0x09 not in reasons:
                phone.user.entered.put_nowait(654321)
                with pytest.raises(ProtocolError) as failure:
                    await asyncio.wait_for(connection.pair(), 300)
                reasons.append(failure.value.error_code)
                assert len(reasons) < 8 and set(reasons) <= {0x04, 0x09}
            while not phone.user.entered.empty():
                phone.user.entered.get_nowait()
            while True:
                phone.user.entered.put_nowait(123456)
                try:
                    await asyncio.wait_for(connection.pair(), 300)
                    break
                except ProtocolError as error:
                    assert error.error_code == 0x09
                    phone.user.entered.get_nowait()
                    await asyncio.sleep(0.5)
            assert (await event_of(run, "paired"))["authenticated"]

    asyncio.run(run_it())


# Bonds


@asynccontextmanager
async def paired(phone: BumblePeer, transport: str) -> AsyncIterator[None]:
    """A phone that has paired, with its keys. It is not powered off, because the beacon's program may have ended."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("phone", Address(PHONE), source, sink)
        device.keystore = phone.keys
        device.pairing_config_factory = lambda _: phone.config
        await device.power_on()
        connection = await asyncio.wait_for(device.connect(Address(BEACON)), 300)
        stored = asyncio.Event()
        device.on(device.EVENT_KEY_STORE_UPDATE, stored.set)
        await asyncio.wait_for(connection.pair(), 300)
        await asyncio.wait_for(stored.wait(), 300)
        yield


@GENERATIONS
def test_bond_survives_a_crash(air: Start, beaconry: Beaconry, secure_connections: bool) -> None:
    async def run_it() -> None:
        profile = pairing_profile(beaconry, "{ io: none }")
        run, transport = air(profile)
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, secure_connections=secure_connections, mitm=False)
        async with paired(phone, transport):
            # The phone relies on the bond, which was saved before it was reported.
            await event_of(run, "paired")
            run.kill()
        run, transport = air(profile)
        async with phone.on(transport) as device, connected(device) as connection:
            await asyncio.wait_for(connection.encrypt(), 300)
            assert connection.is_encrypted
            assert (await event_of(run, "encrypted"))["keySize"] == 16
            assert await read_major_minor(connection)
        bonds = await asyncio.to_thread(beaconry.call, "ctl", "bonds", "lock", "--json")
        record = json.loads(bonds.stdout)
        assert record["peer"] == PHONE and record["secureConnections"] == secure_connections

    asyncio.run(run_it())


@GENERATIONS
def test_bond_survives_a_crash_before_the_last_key_of_the_phone(
    air: Start, beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch, secure_connections: bool
) -> None:
    """A phone with all of the beacon's keys relies on them, even if the beacon never receives the phone's."""
    monkeypatch.setattr(Session, "distribute_keys", lambda _: None)

    async def run_it() -> None:
        profile = pairing_profile(beaconry, "{ io: none }")
        run, transport = air(profile)
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, secure_connections=secure_connections, mitm=False)
        async with paired(phone, transport):
            assert not any(event["event"] == "paired" for event in run.events + run.take(0)), "it waits for a key"
            run.kill()
        run, transport = air(profile)
        async with phone.on(transport) as device, connected(device) as connection:
            await asyncio.wait_for(connection.encrypt(), 300)
            assert (await event_of(run, "encrypted"))["keySize"] == 16
            assert await read_major_minor(connection)

    asyncio.run(run_it())


def test_pairing_that_fails_at_its_last_key_leaves_nothing(
    air: Start, beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "distribute_keys", lambda _: None)

    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: none }"))
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, mitm=False)
        async with phone.on(transport) as device, connected(device) as connection:
            await asyncio.wait_for(connection.pair(), 300)
            await event_of(run, "bonds-saved")
            cancelled = await asyncio.to_thread(beaconry.call, "ctl", "pair", "lock", "cancel")
            assert cancelled.returncode == 0, cancelled.stderr
            assert (await event_of(run, "pairing-failed"))["code"] == "cancelled"
            bonds = await asyncio.to_thread(beaconry.call, "ctl", "bonds", "--json")
            assert not bonds.stdout, bonds

    asyncio.run(run_it())


@asynccontextmanager
async def bonded(air: Start, beaconry: Beaconry) -> AsyncIterator[tuple[Run, BumblePeer, Device]]:
    """A phone that has paired with the beacon and disconnected."""
    run, transport = air(pairing_profile(beaconry, "{ io: none }"))
    phone = BumblePeer()
    phone.set(Io.NO_OUTPUT_NO_INPUT, mitm=False)
    async with phone.on(transport) as device:
        async with connected(device) as connection:
            await asyncio.wait_for(connection.pair(), 300)
            await event_of(run, "paired")
        await event_of(run, "disconnected")
        yield run, phone, device


def test_forgotten_phone_pairs_again(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        async with bonded(air, beaconry) as (run, phone, device):
            forget = await asyncio.to_thread(beaconry.call, "ctl", "forget", "lock", PHONE)
            assert forget.stdout.strip() == "1 bond forgotten", forget
            assert (await event_of(run, "bond-forgotten"))["peer"] == PHONE
            again = await asyncio.to_thread(beaconry.call, "ctl", "forget", "lock", PHONE)
            assert again.returncode == 64 and again.stdout == "", again
            assert again.stderr.startswith(f"beaconry: lock has no bond with {PHONE}, and no other bonds; see"), again
            async with connected(device) as connection:
                with pytest.raises(HCI_Error) as failure:
                    await asyncio.wait_for(connection.encrypt(), 300)
                assert failure.value.error_code == 0x06, "the key is missing"
                assert (await event_of(run, "pairing-failed"))["code"] == "key-missing"
                # Pairing again restores the bond.
                await asyncio.wait_for(connection.pair(), 300)
                await event_of(run, "paired")

    asyncio.run(run_it())


def test_phone_without_the_bond_replaces_it(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        async with bonded(air, beaconry) as (run, phone, device):
            for name, _ in await phone.keys.get_all():
                await phone.keys.delete(name)
            async with connected(device) as connection:
                await asyncio.wait_for(connection.pair(), 300)
                await event_of(run, "paired")
            bonds = await asyncio.to_thread(beaconry.call, "ctl", "bonds", "--json")
            assert len(bonds.stdout.splitlines()) == 1, "the new bond replaces the old one"

    asyncio.run(run_it())


def test_phone_with_another_key_is_disconnected(air: Start, beaconry: Beaconry) -> None:
    async def run_it() -> None:
        async with bonded(air, beaconry) as (run, phone, device):
            keys = await phone.key()
            assert keys.ltk
            keys.ltk.value = bytes(16)
            async with connected(device) as connection:
                ended: asyncio.Queue[int] = asyncio.Queue()
                connection.on(connection.EVENT_DISCONNECTION, ended.put_nowait)
                # Bumble waits forever if the link ends before its wait begins, which may happen on a busy machine.
                encryption = asyncio.create_task(connection.encrypt())
                assert await asyncio.wait_for(ended.get(), 300) == 0x3D, "the integrity of messages failed"
                encryption.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await encryption
                assert (await event_of(run, "pairing-failed"))["code"] == "key-mismatch"
                await event_of(run, "disconnected")

    asyncio.run(run_it())


def test_beacon_requests_encryption(air: Start, beaconry: Beaconry) -> None:
    """A beacon requests encryption from a phone as soon as it connects."""

    async def run_it() -> None:
        run, transport = air(pairing_profile(beaconry, "{ io: none, request: true }"))
        phone = BumblePeer()
        phone.set(Io.NO_OUTPUT_NO_INPUT, mitm=False)
        asked: asyncio.Queue[int] = asyncio.Queue()
        async with phone.on(transport) as device:
            device.on("connection", lambda connection: connection.on("security_request", asked.put_nowait))
            async with connected(device) as connection:
                assert await asyncio.wait_for(asked.get(), 300) & 0x01, "bonding is requested"
                await asyncio.wait_for(connection.pair(), 300)
                await event_of(run, "paired")

    asyncio.run(run_it())


def test_damaged_bonds_are_renamed_and_reported(air: Start, beaconry: Beaconry) -> None:
    profile = pairing_profile(beaconry, "{ io: none }")
    folder = beaconry.state / "beaconry" / "shop"
    folder.mkdir(parents=True)
    (folder / "lock.bonds").write_text("garbage")
    run, _ = air(profile)
    assert "bonds-damaged" in run.warnings()
    assert (folder / "lock.bonds.damaged-1").read_text() == "garbage"
