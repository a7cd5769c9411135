# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Devices with private addresses: one object with the identity address, once they are bonded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from beaconry import Beaconry, Run
from private_peer import IDENTITY, PrivatePeer, private, private_peer
from rig import ADAPTER, DEVICE, HCI0, Bus, Client, client, server
from test_dbus_pairing import Agent, register, secret

PROFILE = """
profile: veiled
beacons:
  - id: veil
    device: gatt
    name: Veil
    pairing: { io: none, private-address: true }
    services:
      - uuid: FFF0
        characteristics:
          - { name: secret, uuid: FFF1, properties: [read], value: "2a", permissions: encrypted }
"""
ELSEWHERE = """
profile: elsewhere
beacons:
  - { id: other, device: raw, advertising-data: 020106 }
"""


def path_of(address: str) -> str:
    return f"{HCI0}/dev_{address.replace(':', '_')}"


def veils(recorder: Client) -> list[str]:
    """The objects of the beacon, by its name."""
    return [
        path for path, interfaces in recorder.objects.items()
        if "Name" in interfaces.get(DEVICE, {}) and interfaces[DEVICE]["Name"].value == "Veil"
    ]  # fmt: skip


def test_beacon_keeps_its_object_when_its_address_changes(bus: Bus, beaconry: Beaconry) -> None:
    bus(PROFILE, "--rssi-threshold", "0")

    def renew() -> None:
        """Gives the beacon another private address."""
        for command in ("disable", "enable"):
            done = beaconry.call("ctl", command, "veil")
            assert done.returncode == 0, done.stderr

    async def body() -> None:
        async with client() as recorder:
            agent = Agent()
            await register(recorder, agent, "NoInputNoOutput")
            await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            await recorder.until(lambda _: bool(veils(recorder)))
            [veil] = veils(recorder)
            assert (await recorder.call(veil, DEVICE, "Pair")).error_name is None
            await recorder.ordered(f"{veil} Address=", f"{veil} Bonded=True", "reply Pair")
            identity = next(line for line in recorder.log if line.startswith(f"{veil} Address=")).rpartition("=")[2]
            assert path_of(identity) != veil
            for _ in range(2):
                await recorder.call(veil, DEVICE, "Disconnect")
                await asyncio.to_thread(renew)
                recorder.log.clear()
                await recorder.until(lambda line: line.startswith(f"{veil} RSSI="))
                assert (await recorder.call(veil, DEVICE, "Connect")).error_name is None
                assert (await secret(recorder)).body == [b"\x2a"]
                assert not any("Paired=" in line or "Address=" in line for line in recorder.log)
            assert veils(recorder) == [veil] and agent.asked == []

    asyncio.run(body())


def with_peer(bus: Bus, body: Callable[[Client, PrivatePeer, Run], Coroutine[Any, Any, None]]) -> None:
    """Runs a program beside a device of another stack."""
    run = bus(ELSEWHERE, "--hci-server", "tcp:127.0.0.1:0")

    async def main() -> None:
        async with private_peer(server(run)) as peer, client() as recorder:
            await register(recorder, Agent(), "NoInputNoOutput")
            await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            await body(recorder, peer, run)

    asyncio.run(main())


async def found(recorder: Client, peer: PrivatePeer, number: int | None) -> str:
    """The object of the device with the address of this number."""
    await peer.advertise(number)
    path = path_of(private(number) if number else IDENTITY)
    await recorder.until(lambda line: line == f"added {path} {DEVICE}")
    return path


async def objects(recorder: Client) -> list[str]:
    reply = await recorder.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    paths = [path_of(address) for address in (IDENTITY, private(1), private(2))]
    return [path for path in paths if path in reply.body[0]]


def test_objects_of_one_device_become_one(bus: Bus) -> None:
    """The device was received with its identity address before; the other private address is that of a device of its own, until
    it is not received any more."""

    async def body(recorder: Client, peer: PrivatePeer, run: Run) -> None:
        other = await found(recorder, peer, 2)
        await found(recorder, peer, None)
        veil = await found(recorder, peer, 1)
        assert (await recorder.call(veil, DEVICE, "Pair")).error_name is None
        await recorder.until(lambda line: line == f"{veil} Address={IDENTITY}")
        assert await objects(recorder) == [veil, other]

    with_peer(bus, body)


def test_bonded_device_is_reached_with_its_identity_address(bus: Bus) -> None:
    async def body(recorder: Client, peer: PrivatePeer, run: Run) -> None:
        veil = await found(recorder, peer, 1)
        assert (await recorder.call(veil, DEVICE, "Pair")).error_name is None
        await recorder.call(veil, DEVICE, "Disconnect")
        encryptions = peer.encryptions
        await peer.advertise(None)
        assert (await recorder.call(veil, DEVICE, "Connect")).error_name is None
        await recorder.until(lambda _: peer.encryptions > encryptions)
        assert await objects(recorder) == [veil] and len(peer.pairings) == 1

    with_peer(bus, body)


def test_device_that_has_lost_its_key_is_disconnected(bus: Bus) -> None:
    """With the reason of an authentication failure; the bond stays, and ends with `RemoveDevice`."""

    async def body(recorder: Client, peer: PrivatePeer, run: Run) -> None:
        veil = await found(recorder, peer, 1)
        assert (await recorder.call(veil, DEVICE, "Pair")).error_name is None
        await recorder.call(veil, DEVICE, "Disconnect")
        # It comes after the reply.
        await recorder.until(lambda line: line == f"{veil} Connected=False")
        peer.forget()
        recorder.log.clear()
        ends: asyncio.Queue[int] = asyncio.Queue()
        peer.device.on("connection", lambda each: each.on("disconnection", ends.put_nowait))
        await recorder.call(veil, DEVICE, "Connect")
        await recorder.ordered(f"{veil} Connected=True", "reply Connect", f"{veil} Disconnected", f"{veil} Connected=False")
        assert await ends.get() == 0x05
        assert not any("Paired=" in line or "Bonded=" in line for line in recorder.log)
        assert (await recorder.call(veil, DEVICE, "Pair")).error_name == "org.bluez.Error.AlreadyExists"
        assert (await recorder.call(HCI0, ADAPTER, "RemoveDevice", "o", veil)).error_name is None
        recorder.log.clear()
        veil = await found(recorder, peer, 2)
        assert (await recorder.call(veil, DEVICE, "Pair")).error_name is None

    with_peer(bus, body)
