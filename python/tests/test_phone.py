# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Phones of an air, in wall and in virtual time, and with asyncio."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from devices import DOOR, LOCK, UUID
from test_air import eventually

from beaconry import Air, Phone, Ranged, RequestError, UnmetExpectation, aio


@pytest.fixture(params=["wall", "virtual"])
def shop(request: pytest.FixtureRequest) -> Iterator[Air]:
    with Air(time=request.param, seed=7) as air:
        yield air


def ranged(air: Air, phone: Phone, condition: Callable[[list[Ranged]], bool]) -> list[Ranged]:
    """The reports until a condition: the next one in virtual time, any number in wall time, where a machine may be busy."""
    air.clock.advance("1.1s")
    if not air.clock.is_virtual:
        assert eventually(lambda: condition(phone.ranged()))
    assert condition(phone.ranged())
    return sorted(phone.ranged(), key=lambda each: each.format)


def test_a_phone_ranges_by_its_place(shop: Air) -> None:
    shop.beacon("sign", device="beacon", format="eddystone-url", url="https://example.com", at=(0, 0))
    shop.beacon("door", ibeacon=DOOR, at=(0, 0), interval="50ms")
    phone = shop.phone("phone", at=(3, 0))
    assert not shop.clock.is_virtual or phone.ranged() == []
    sign, door = ranged(shop, phone, lambda found: [each.rssi for each in found] == [-69, -69])
    assert (door.format, door.uuid, door.major, door.minor) == ("ibeacon", UUID, 1, 7)
    assert door.packets > 0 and door.proximity == "near" and 1 < door.accuracy < 5
    assert (sign.format, sign.identity, sign.uuid, sign.major) == ("eddystone-url", "https://example.com", "", 0)
    phone.move((0.3, 0))
    # Once of the time before, and once of the time after the move.
    shop.clock.advance("1s")
    ranged(shop, phone, lambda found: "immediate" in {each.proximity for each in found})
    phone.set_listening(False)
    assert phone.status["listening"] is False
    phone.set_screen(False)
    phone.set_model("iphone-locked")
    assert (phone.status["screen"], phone.status["phone"]) == ("off", "iphone-locked")
    phone.set_bluetooth(False)
    phone.set_permission(False)
    assert (phone.status["bluetooth"], phone.status["permission"]) == ("off", "denied")
    phone.set_model("android-9-balanced", handset="galaxy-s9")
    phone.set_hardware(fast=1.5, antenna="isotropic", carried="hand", heading=-90, sensitivity=-88)
    hardware = {"rssiOffset": -8, "fast": 1.5, "antenna": "isotropic", "carried": "hand", "heading": -90, "sensitivity": -88}
    assert {key: phone.status[key] for key in hardware} == hardware
    assert phone.status["phone"] == {"preset": "android-9-balanced", "handset": "galaxy-s9"}
    phone.set_hardware(rssi_offset=3, carried="none")
    assert phone.status["rssiOffset"] == 3 and "carried" not in phone.status
    phone.remove()
    with pytest.raises(RequestError, match="phone"):
        phone.ranged()


def test_phones_differ_in_their_hardware(shop: Air) -> None:
    shop.beacon("door", ibeacon=DOOR, at=(0, 0), interval="50ms")
    exact = shop.phone("exact", at=(3, 0))
    weak = shop.phone("weak", model="android-low-latency", handset="galaxy-s9", at=(3, 0), antenna="isotropic")
    own = shop.phone("own", at=(3, 0), rssi_offset=-20)
    ranged(shop, exact, lambda found: [each.rssi for each in found] == [-69])
    ranged(shop, weak, lambda found: [each.rssi for each in found] == [-77])
    ranged(shop, own, lambda found: [each.rssi for each in found] == [-89])
    for arguments, words in (
        ({"rssi_offset": 41.0}, "-40dB to 40dB"), ({"handset": "pixel-6"}, 'did you mean "pixel-3"'), ({"carried": "pockt"}, '"pocket"'),
        ({"handset": "iphone-5", "model": "altbeacon"}, "iphone-5 is not a handset of altbeacon"),
    ):  # fmt: skip
        with pytest.raises(RequestError, match=re.escape(words)):
            shop.phone("wrong", **arguments)


def test_a_phone_monitors_regions() -> None:
    with Air(time="virtual", seed=7) as air:
        door = air.beacon("door", ibeacon=DOOR, at=(0, 0))
        phone = air.phone("phone", model="android-13-balanced", at=(3, 0))
        phone.monitor("shop", uuid=UUID, major=1, exit_after="10s")
        phone.monitor("street", namespace="00112233445566778899")
        assert phone.regions == {"shop": "unknown", "street": "unknown"}
        air.clock.advance("2s")
        assert phone.state("shop") == "inside"
        door.mute()
        air.clock.advance("15s")
        assert phone.state(of="shop") == "outside"
        with pytest.raises(ValueError, match='the phone phone has no region "shp"; did you mean "shop"\\? regions are shop, street'):
            phone.state("shp")
        phone.unmonitor("shop")
        assert list(phone.regions) == ["street"]


def test_a_phone_connects_and_uses_a_device(shop: Air) -> None:
    lock = shop.beacon("lock", **LOCK)
    phone = shop.phone("phone")
    with phone.connect(lock, timeout="60s") as connection:
        assert [each["device"] for each in phone.connections] == ["lock"]
        assert connection.address == lock.address and connection.mtu > 23
        assert [each["uuid"] for each in connection.services() if each["uuid"] == "FFF0"]
        connection.write("FFF1", b"open")
        connection.write("FFF1", "6f70656e", response=False)
        assert connection.read("FFF1") == b"open"
        assert shop.journal.expect("written", beacon=lock, decoded={"echo": "open"}, within="300s")
        with pytest.raises(RequestError, match="refused it: 0x86") as refused:
            connection.read("FFF3")
        assert (refused.value.code, refused.value.att_error) == ("attribute-refused", 0x86)
    assert phone.connections == []
    assert shop.journal.expect("disconnected", beacon=lock, within="300s")


def test_no_notification_after_the_subscription_is_missed(shop: Air) -> None:
    lock = shop.beacon("lock", **LOCK)
    with shop.phone("phone").connect(lock, timeout="60s") as connection:
        with connection.subscribe("FFF1") as subscription:
            for text in (b"a", b"b", b"c"):
                connection.write("FFF1", text)
            assert [subscription.next(within="300s") for _ in range(3)] == [b"a", b"b", b"c"]
            assert subscription.arrived() == []
            with pytest.raises(UnmetExpectation, match="lock has sent no value of FFF1 within 100ms"):
                subscription.next(within="100ms")
        shop.journal.expect("unsubscribed", beacon=lock, characteristicName="echo", within="300s")
        counts = connection.subscribe("FFF2")
        first = int.from_bytes(next(counts), "big")
        assert [int.from_bytes(counts.next(within="300s"), "big") for _ in range(5)] == list(range(first + 1, first + 6))
        lock.disconnect()
        assert all(int.from_bytes(value, "big") > first for value in counts), "it ends with the connection"
        with pytest.raises(UnmetExpectation, match="the subscription has ended"):
            counts.next()


def test_a_connection_that_fails_has_the_reason(shop: Air) -> None:
    phone = shop.phone("phone")
    lock = shop.beacon("lock", **LOCK)
    lock.mute()
    with pytest.raises(RequestError, match="the peer did not answer in time; check that it advertises") as refused:
        phone.connect(lock, timeout="300ms")
    assert refused.value.code == "conflict"
    with pytest.raises(RequestError, match='there is no beacon "lok"; did you mean "lock"?'):
        phone.connect("lok")


def test_connections_fail_while_the_beacon_advertises(shop: Air) -> None:
    lock = shop.beacon("lock", **LOCK)
    phone = shop.phone("phone")
    lock.fail_connections(2, phase="request", reason="low-resources")
    shop.journal.expect("connections-failing", beacon=lock, connections=2, reason="low-resources")
    failures = 0
    while True:
        try:
            with phone.connect(lock, timeout="60s") as connection:
                assert connection.read("FFF1") == b"x"
            break
        except RequestError:
            failures += 1
            assert lock.status["onAir"] and failures <= 2
    assert failures == 2 and len(shop.journal.find("connected", beacon=lock)) == 3
    with pytest.raises(RequestError, match="0 to 1000"):
        lock.fail_connections(1001)
    with pytest.raises(RequestError, match="establishment, connected, request"):
        lock.fail_connections(1, phase="pairing")


def test_models_and_names_are_those_of_the_program(shop: Air) -> None:
    with pytest.raises(RequestError, match='there is no phone "iphone-15"; .*phones are exact, .* iphone, iphone-locked'):
        shop.phone("phone", model="iphone-15")
    shop.phone("phone", model="iphone")
    with pytest.raises(RequestError, match='there is a receiver "phone" already'):
        shop.phone("phone")


def test_a_phone_of_the_profile() -> None:
    receivers = [{"id": "visitor", "phone": "android-13-balanced", "regions": [{"id": "shop", "uuid": UUID}]}]
    with Air({"beacons": [], "receivers": receivers}, time="virtual") as air:
        air.beacon("door", ibeacon=DOOR)
        air.clock.advance("3s")
        assert Phone(air, "visitor").state("shop") == "inside"


def test_the_same_with_asyncio() -> None:
    async def scenario(kind: Any) -> None:
        async with aio.Air(time=kind, seed=7) as air:
            lock = await air.beacon("lock", **LOCK)
            await air.beacon("door", ibeacon=DOOR)
            phone = await air.phone("phone")
            await phone.monitor("shop", uuid=UUID)
            async with await phone.connect(lock, timeout="60s") as connection:
                assert await connection.read("FFF1") == b"x"
                async with await connection.subscribe("FFF1") as subscription:
                    await asyncio.gather(*(connection.write("FFF1", b"a") for _ in range(3)))
                    assert [await subscription.next(within="300s") for _ in range(2)] == [b"a", b"a"]
                    async for value in subscription:
                        assert value == b"a"
                        break
            assert await phone.connections() == []
            if kind == "wall":
                return
            await air.clock.advance("1.1s")
            assert await phone.state("shop") == "inside" and (await phone.ranged())[0].major == 1

    for kind in ("wall", "virtual"):
        asyncio.run(scenario(kind))
