# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Peripherals that are declared in profiles, used by Bumble's client over the virtual air."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry, Run
from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import Connection, Device, Peer
from bumble.profiles.heart_rate_service import HeartRateService
from phone import connected, phone, receive_reports

VirtualAir = Callable[..., tuple[Run, str]]

ODD = """
profile: odd
beacons:
  - id: odd
    device: gatt
    name: Odd
    advertise: { services: [FFF0] }
    centrals: 2
    services:
      - uuid: FFF0
        characteristics:
          - { name: echo, uuid: FFF1, properties: [write, write-without-response, notify], type: text, echo: true }
          - { name: slow, uuid: FFF2, properties: [read], value: "01", read-delay: 700ms }
          - { name: third, uuid: FFF3, properties: [read], value: "02", read-error: { code: 0x85, time: 3 } }
          - { name: locked, uuid: FFF4, properties: [read, write], type: uint8, read-error: { code: 0x86, until-written: true } }
          - { name: kept, uuid: FFF5, properties: [read, write], type: text, value: first, length: { min: 2, max: 40 }, stored: true }
          - { name: count, uuid: FFF6, properties: [read, indicate], type: uint32 be, counter: { every: 200ms, max: 99999 } }
          - { name: twin, uuid: FFF7, properties: [read], value: "0a" }
          - { name: other-twin, uuid: FFF7, properties: [read], value: "0b", description: The other one }
"""


@asynccontextmanager
async def client(transport: str, name: str, address: str | None = None) -> AsyncIterator[tuple[Device, Connection, Peer]]:
    """A phone that has found a device by its name, and is connected to it."""
    async with phone(transport, *([address] if address else [])) as device:
        async with connected(device, await found(device, name)) as (connection, peer):
            yield device, connection, peer


async def found(device: Device, name: str, services: set[str] | None = None) -> str:
    """The address of a device with this name, and one of these services, as a filtered scan finds it."""
    arrived: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def note(advertisement: Any) -> None:
        data = advertisement.data
        named = data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == name
        advertised = {
            uuid.to_hex_str()
            for uuid in data.get(AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS) or []
        }
        if named and (services is None or advertised & services) and not arrived.done():
            arrived.set_result(str(advertisement.address).split("/")[0])

    device.on("advertisement", note)
    await device.start_scanning(active=True)
    try:
        return await asyncio.wait_for(arrived, 300)
    finally:
        await device.stop_scanning()
        device.remove_listener("advertisement", note)


async def subscribed(peer: Peer, uuid: str, prefer_notify: bool = True) -> asyncio.Queue[bytes]:
    """Subscribes to a characteristic; its values arrive in the queue."""
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    characteristic = peer.get_characteristics_by_uuid(UUID(uuid))[0]
    await characteristic.subscribe(lambda value: queue.put_nowait(bytes(value)), prefer_notify)
    return queue


async def read(peer: Peer, uuid: str, which: int = 0) -> bytes:
    """A characteristic's value."""
    return bytes(await peer.get_characteristics_by_uuid(UUID(uuid))[which].read_value())


async def write(peer: Peer, uuid: str, value: bytes, with_response: bool = True) -> None:
    """Writes a characteristic."""
    await peer.get_characteristics_by_uuid(UUID(uuid))[0].write_value(value, with_response=with_response)


async def error_of(action: Any) -> int:
    """The ATT error of a failed action."""
    with pytest.raises(ATT_Error) as error:
        await action
    return int(error.value.error_code)


async def next_of(queue: asyncio.Queue[bytes]) -> bytes:
    """The next value of a queue."""
    return await asyncio.wait_for(queue.get(), 300)


def test_heart_rate_is_notified_and_controlled(air: VirtualAir, beaconry: Beaconry) -> None:
    """Measurements as Bumble's own profile reads them, the body sensor location, and the control point."""
    run, transport = air(PROFILES / "heart-rate.yaml")

    async def use() -> None:
        async with client(transport, "Heart Strap") as (_, _, peer):
            assert {service.uuid.to_hex_str() for service in peer.services} >= {"180D", "180F", "180A"}
            assert await read(peer, "2A38") == b"\x01"
            assert await read(peer, "2A29") == b"Beaconry"
            measurements = await subscribed(peer, "2A37")
            energy = []
            for _ in range(3):
                measured = HeartRateService.HeartRateMeasurement.from_bytes(await next_of(measurements))
                assert 62 <= measured.heart_rate <= 118 and measured.sensor_contact_detected
                energy.append(measured.energy_expended)
            assert energy == sorted(energy)
            assert await error_of(write(peer, "2A39", b"\x02")) == 0x80
            assert await error_of(write(peer, "2A39", b"")) == 0x0D
            await write(peer, "2A39", b"\x01")
            # The owner sets a higher rate, which later measurements have.
            set_ = await asyncio.to_thread(beaconry.call, "ctl", "set", "strap", "measurement.rate=199", "--json")
            assert set_.returncode == 0, set_.stderr
            assert json.loads(set_.stdout)["settings"]["measurement.rate"] == "199"
            async with asyncio.timeout(300):
                while (measured := HeartRateService.HeartRateMeasurement.from_bytes(await measurements.get())).heart_rate != 199:
                    pass
            assert measured.energy_expended < 100

    asyncio.run(use())
    refused = beaconry.call("ctl", "set", "strap", "measurement.rate=256")
    assert refused.returncode != 0 and "from 0 to 255" in refused.stderr
    unknown = beaconry.call("ctl", "set", "strap", "pulse=1")
    assert unknown.returncode == 65 and "measurement.rate" in unknown.stderr
    assert run.end() == 0


def test_thermometer_indicates_to_two_phones(air: VirtualAir) -> None:
    """Indications of a medical float and the time; two phones at once; the range of the interval."""
    _, transport = air(PROFILES / "thermometer.yaml")

    async def use() -> None:
        async with client(transport, "Thermometer") as (_, _, peer):
            async with client(transport, "Thermometer", "F0:F1:F2:F3:F4:F6") as (_, _, second):
                both = [await subscribed(each, "2A1C", prefer_notify=False) for each in (peer, second)]
                for queue in both:
                    value = await next_of(queue)
                    assert len(value) == 13 and value[0] == 0x06 and value[12] == 3
                    mantissa, exponent = int.from_bytes(value[1:4], "little", signed=True), value[4] - 256
                    assert exponent == -1 and 362 <= mantissa <= 374
                    year, month, day, *clock = int.from_bytes(value[5:7], "little"), *value[7:12]
                    when = datetime(year, month, day, *clock, tzinfo=timezone.utc)
                    assert abs(datetime.now(timezone.utc) - when) < timedelta(minutes=2)
                assert await error_of(write(second, "2A21", b"\x00\x00")) == 0x80
                await write(second, "2A21", b"\x05\x00")
                assert await read(peer, "2A21") == b"\x05\x00"
            seconds = await subscribed(peer, "2A2B")
            first, then = await next_of(seconds), await next_of(seconds)
            assert len(first) == 10 and first[6] != then[6]

    asyncio.run(use())


def test_battery_is_found_by_the_books_filter_and_notifies_changes_only(air: VirtualAir, beaconry: Beaconry) -> None:
    profile = beaconry.profile(
        (PROFILES / "battery.yaml").read_text().replace("level: { waveform", "level: 55 # { waveform")
    )
    _, transport = air(profile)

    def turn(level: str) -> None:
        assert beaconry.call("ctl", "set", "battery", f"level={level}").returncode == 0

    async def use() -> None:
        async with phone(transport) as device:
            address = await found(device, "BLE112 Battery", {"180F", "180A"})
            async with connected(device, address) as (_, peer):
                assert await read(peer, "2A29") == b"Bluegiga"
                assert [await read(peer, uuid) for uuid in ("2A24", "2A26", "2A28")] == [b"BLE112", b"25", b"1.0"]
                assert await read(peer, "2A19") == b"\x37"
                level = peer.get_characteristics_by_uuid(UUID("2A19"))[0]
                await level.discover_descriptors()
                assert bytes(await level.get_descriptor(UUID("2904")).read_value()).hex() == "0400ad27010000"
                levels = await subscribed(peer, "2A19")
                for value in ("42", "42", "41", "41", "42"):
                    await asyncio.to_thread(turn, value)
                # Values are notified in order, so a wrong one would arrive before the last.
                assert [await next_of(levels) for _ in range(3)] == [b"\x2a", b"\x29", b"\x2a"]
                assert levels.empty()

    asyncio.run(use())


def test_battery_drains_and_has_the_books_value(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(
        beaconry.profile(
            "profile: test\nbeacons:\n  - { id: b, device: battery, name: B, book-compatible: true,"
            " level: { drain: { from: 9, every: 400ms } } }\n"
        )
    )

    async def use() -> None:
        async with client(transport, "B") as (_, _, peer):
            levels = await subscribed(peer, "2A19")
            last = await read(peer, "2A19")
            seen = [last[1]]
            while seen[-1] > 0:
                value = await next_of(levels)
                assert len(value) == 2 and value[0] == 0
                seen.append(value[1])
            # Each value is less than the previous one, so none is repeated.
            assert all(later < earlier for earlier, later in zip(seen[1:], seen[2:]))
            assert await read(peer, "2A19") == b"\x00\x00"

    asyncio.run(use())


def test_declared_faults_occur(air: VirtualAir, beaconry: Beaconry) -> None:
    """Echo, delay, errors by count and until written, lengths, offsets, and two characteristics of one type."""
    run, transport = air(beaconry.profile(ODD))

    async def use() -> None:
        async with client(transport, "Odd") as (_, _, peer):
            echoes = await subscribed(peer, "FFF1")
            for text in (b"one", b"one", b"two"):
                await write(peer, "FFF1", text)
                assert await next_of(echoes) == text
            await write(peer, "FFF1", b"three", with_response=False)
            assert await next_of(echoes) == b"three"
            assert await error_of(write(peer, "FFF1", b"\xff")) == 0x13

            began = time.monotonic()
            assert await read(peer, "FFF2") == b"\x01"
            assert time.monotonic() - began >= 0.7

            assert [await read(peer, "FFF3") for _ in range(2)] == [b"\x02"] * 2
            assert await error_of(read(peer, "FFF3")) == 0x85
            assert await read(peer, "FFF3") == b"\x02"

            assert await error_of(read(peer, "FFF4")) == 0x86
            assert await error_of(write(peer, "FFF4", b"\x01\x02")) == 0x0D
            await write(peer, "FFF4", b"\x07")
            assert await read(peer, "FFF4") == b"\x07"

            assert await error_of(write(peer, "FFF5", b"x")) == 0x0D
            assert await error_of(write(peer, "FFF5", b"x" * 41)) == 0x0D
            assert await read(peer, "FFF5") == b"first"
            # Longer than a PDU with an MTU of 23: prepared writes, and reads from offsets.
            await write(peer, "FFF5", b"0123456789012345678901234567890123456789")
            assert await read(peer, "FFF5") == b"0123456789012345678901234567890123456789"

            counts = await subscribed(peer, "FFF6", prefer_notify=False)
            values = [int.from_bytes(await next_of(counts), "big") for _ in range(4)]
            assert all(later > earlier for earlier, later in zip(values, values[1:]))

            assert [await read(peer, "FFF7", which) for which in (0, 1)] == [b"\x0a", b"\x0b"]

    asyncio.run(use())
    run.wait_until_reported("written", characteristic="FFF5", characteristicName="kept")


def test_stored_values_survive_a_kill(air: VirtualAir, beaconry: Beaconry) -> None:
    profile = beaconry.profile(ODD)
    run, transport = air(profile)

    async def put(value: bytes) -> None:
        async with client(transport, "Odd") as (_, _, peer):
            await write(peer, "FFF5", value)
            await write(peer, "FFF4", b"\x09")

    async def values() -> list[bytes]:
        async with client(transport, "Odd") as (_, _, peer):
            await write(peer, "FFF4", b"\x01")
            return [await read(peer, "FFF5"), await read(peer, "FFF4")]

    asyncio.run(put(b"second"))
    run.kill()
    run, transport = air(profile)
    assert any(each["event"] == "settings-restored" for each in run.events)
    assert asyncio.run(values()) == [b"second", b"\x01"]
    # A value that its owner sets is saved as well.
    assert beaconry.call("ctl", "set", "odd", "kept=third").returncode == 0
    run.kill()
    run, transport = air(profile)
    assert asyncio.run(values())[0] == b"third"
    assert run.end() == 0
    assert beaconry.call("reset", "odd/odd").returncode == 0
    run, transport = air(profile)
    assert asyncio.run(values())[0] == b"first"


def test_plant_of_the_tutorial_is_advertised_and_read(air: VirtualAir, beaconry: Beaconry) -> None:
    """The device of the tutorial: its recorded moisture is in the advertisement and in the characteristic."""
    run, transport = air(PROFILES / "plant.yaml")

    async def use() -> None:
        async with phone(transport) as device:
            address = await found(device, "Plant", {"181A"})
            moisture = bytes.fromhex("05161a180618")
            await receive_reports(
                device, 0, until=lambda reports: any(each.address == address and moisture in each.data for each in reports)
            )
            async with connected(device, address) as (_, peer):
                assert await read(peer, "5A1E0002-8C1D-4E8B-9C55-0D0E8F6A1B01") == b"\x1e"
                # Reading is refused before pairing.
                assert await error_of(write(peer, "5A1E0003-8C1D-4E8B-9C55-0D0E8F6A1B01", b"Mint")) in (0x05, 0x0F)
                pump = "5A1E0004-8C1D-4E8B-9C55-0D0E8F6A1B01"
                echoes = await subscribed(peer, pump)
                for value in (b"\x01", b"\x00"):
                    await write(peer, pump, value)
                    assert await next_of(echoes) == value
                assert await error_of(write(peer, pump, b"\x01")) == 0x81
                moistures = await subscribed(peer, "2A6F")
                await asyncio.to_thread(beaconry.call, "ctl", "set", "pot", "moisture=12")
                async with asyncio.timeout(300):
                    while await moistures.get() != (1200).to_bytes(2, "little"):
                        pass

    asyncio.run(use())
    assert run.end() == 0


DEVIATING = """
profile: deviating
beacons:
  - id: odd
    device: gatt
    name: Odd
    services:
      - uuid: FFF0
        characteristics:
          - { uuid: FFF1, properties: [write, notify], type: text, echo: true, deviations: [notify-before-response] }
          - { uuid: FFF2, properties: [write, notify], type: text, echo: true }
          - { uuid: FFF3, properties: [notify], type: uint8, counter: { every: 100ms, max: 99 }, deviations: [no-client-configuration] }
          - { uuid: FFF4, properties: [indicate], type: uint8, counter: { every: 100ms, max: 99 }, description: "no", deviations: [no-client-configuration] }
"""


def test_characteristics_deviate_as_the_profile_says(air: VirtualAir, beaconry: Beaconry) -> None:
    """A notification before the response of its write, and notifications without a descriptor to subscribe with."""
    run, transport = air(beaconry.profile(DEVIATING))

    async def use() -> None:
        async with client(transport, "Odd") as (_, _, peer):
            arrived: list[tuple[str, int]] = []
            of_bumble = peer.gatt_client.on_gatt_pdu

            def note(pdu: Any) -> None:
                arrived.append((pdu.name, getattr(pdu, "attribute_handle", 0)))
                of_bumble(pdu)

            peer.gatt_client.on_gatt_pdu = note  # type: ignore[method-assign]
            for characteristic in [each for service in peer.services for each in service.characteristics]:
                await characteristic.discover_descriptors()
            found = {
                uuid: [str(each.type) for each in peer.get_characteristics_by_uuid(UUID(uuid))[0].descriptors]
                for uuid in ("FFF1", "FFF3", "FFF4")
            }
            assert [len(each) for each in found.values()] == [1, 0, 1] and "2902" in found["FFF1"][0] and "2901" in found["FFF4"][0]
            for uuid, order in (("FFF1", ["NOTIFICATION", "RESPONSE"]), ("FFF2", ["RESPONSE", "NOTIFICATION"])):
                handle = peer.get_characteristics_by_uuid(UUID(uuid))[0].handle
                queue = await subscribed(peer, uuid)
                arrived.clear()
                await write(peer, uuid, b"a")
                assert await next_of(queue) == b"a"
                names = [name for name, of in arrived if name == "ATT_WRITE_RESPONSE" or of == handle]
                assert [name.rsplit("_", 1)[1] for name in names] == order, arrived
            for uuid, name in (("FFF3", "ATT_HANDLE_VALUE_NOTIFICATION"), ("FFF4", "ATT_HANDLE_VALUE_INDICATION")):
                handle = peer.get_characteristics_by_uuid(UUID(uuid))[0].handle
                arrived.clear()
                while (name, handle) not in arrived:
                    await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(use(), 300))
