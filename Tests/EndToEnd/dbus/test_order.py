# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The order of replies and signals, which programs rely on: as bluetoothd has it, seen by a client that reads raw messages."""

from __future__ import annotations

import asyncio

import pytest
from dbus_fast import Variant
from rig import ADAPTER, CHARACTERISTIC, DEVICE, HCI0, ODD, PERIPHERAL, PLAIN, Bus, client, discover


def test_scan(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with client() as recorder:
            await discover(recorder)
            await recorder.ordered("reply StartDiscovery", f"{HCI0} Discovering=True", f"added {ODD} {DEVICE}")
            recorder.log.clear()
            await recorder.call(HCI0, ADAPTER, "StopDiscovery")
            await recorder.ordered("reply StopDiscovery", f"{ODD} -RSSI", f"{HCI0} Discovering=False")

    asyncio.run(body())


def test_connect_and_disconnect(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with client() as recorder:
            await discover(recorder)
            recorder.log.clear()
            await recorder.call(ODD, DEVICE, "Connect")
            await recorder.ordered(
                f"{ODD} Connected=True", "reply Connect", f"added {ODD}/service", "/char", "ServicesResolved=True"
            )
            resolved = await recorder.until(lambda line: "ServicesResolved=True" in line)
            assert not [line for line in recorder.log[resolved:] if line.startswith("added")]
            # In one signal: programs read the services when they are resolved.
            uuids = await recorder.until(lambda line: line.startswith(f"{ODD} UUIDs="))
            assert abs(uuids - resolved) == 1
            recorder.log.clear()
            await recorder.call(ODD, DEVICE, "Disconnect")
            await recorder.ordered(
                f"{ODD} ServicesResolved=False", f"{ODD} Disconnected", "reply Disconnect", f"{ODD} Connected=False"
            )

    asyncio.run(body())


def test_notify(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with client() as recorder:
            await discover(recorder)
            await recorder.call(ODD, DEVICE, "Connect")
            await recorder.until(lambda line: "ServicesResolved=True" in line)
            path = next(
                path
                for path, interfaces in recorder.objects.items()
                if CHARACTERISTIC in interfaces and interfaces[CHARACTERISTIC]["UUID"].value.startswith("0000fff1")
            )
            recorder.log.clear()
            await recorder.call(path, CHARACTERISTIC, "StartNotify")
            await recorder.ordered(f"{path} Notifying=True", "reply StartNotify")
            for _ in range(3):
                await recorder.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", b"same", {})
            while sum(f"{path} Value=" in line for line in recorder.log) < 3:
                recorder._changed.clear()
                await asyncio.wait_for(recorder._changed.wait(), 300)

    asyncio.run(body())


def test_write_beside_start_notify(bus: Bus) -> None:
    """A write that is sent before StartNotify has returned reaches the device after the subscription."""
    bus()

    async def body() -> None:
        async with client() as recorder:
            await discover(recorder)
            await recorder.call(ODD, DEVICE, "Connect")
            await recorder.until(lambda line: "ServicesResolved=True" in line)
            path = next(
                path
                for path, interfaces in recorder.objects.items()
                if CHARACTERISTIC in interfaces and interfaces[CHARACTERISTIC]["UUID"].value.startswith("0000fff1")
            )
            for _ in range(5):
                recorder.log.clear()
                await asyncio.gather(
                    recorder.call(path, CHARACTERISTIC, "StartNotify"),
                    recorder.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", b"echo", {}),
                )
                await recorder.until(lambda line: f"{path} Value=" in line)
                await recorder.call(path, CHARACTERISTIC, "StopNotify")

    asyncio.run(body())


def test_errors_of_calls(bus: Bus) -> None:
    bus()

    async def body() -> None:
        async with client() as recorder:
            reply = await recorder.call(HCI0, ADAPTER, "StopDiscovery")
            assert (reply.error_name, reply.body) == ("org.bluez.Error.Failed", ["No discovery started"])
            reply = await recorder.call(HCI0, ADAPTER, "SetDiscoveryFilter")
            assert reply.error_name == "org.freedesktop.DBus.Error.UnknownMethod"
            await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            reply = await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            assert reply.error_name == "org.bluez.Error.InProgress"
            reply = await recorder.call(f"{HCI0}/dev_00_00_00_00_00_00", DEVICE, "Connect")
            assert reply.error_name == "org.freedesktop.DBus.Error.UnknownObject"

    asyncio.run(body())


@pytest.mark.parametrize(
    ("options", "filters", "each"),
    [((), {}, False), ((), {"Transport": Variant("s", "le")}, True), (("--rssi-threshold", "8"), {"Transport": Variant("s", "le")}, False)],
    ids=["without a filter", "with a filter", "with a threshold"],
)  # fmt: skip
def test_each_rssi_is_signalled_with_a_filter(bus: Bus, options: tuple[str, ...], filters: dict[str, Variant], each: bool) -> None:
    """A beacon with one RSSI that is received ten times a second."""
    bus(PERIPHERAL, *options)

    async def body() -> None:
        async with client() as recorder:
            await recorder.call(HCI0, ADAPTER, "SetDiscoveryFilter", "a{sv}", filters)
            await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            await recorder.until(lambda line: line == f"added {PLAIN} {DEVICE}")
            is_rssi = lambda line: line.startswith(f"{PLAIN} RSSI=")  # noqa: E731
            if each:
                async with asyncio.timeout(300):
                    while sum(map(is_rssi, recorder.log)) < 4:
                        await asyncio.sleep(0.05)
            else:
                await asyncio.sleep(1)
                assert not any(map(is_rssi, recorder.log))

    asyncio.run(body())
