# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Adapters answer devices that request encryption and answer nothing else before; pairings without bonds; secondary services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from beaconry import Beaconry
from bumble.gatt import Characteristic, Service
from dbus_fast import Variant
from demanding_peer import ADDRESS, Demands, demanding
from rig import ADAPTER, DEVICE, HCI0, Bus, Client, client, server
from test_dbus_pairing import ADDRESSES, CENTRAL, PERIPHERAL, PROPERTIES, Advertised, Agent, register, secret

PEER = f"{HCI0}/dev_{ADDRESS.replace(':', '_')}"
PROFILE = """
profile: elsewhere
beacons:
  - { id: other, device: raw, advertising-data: 020106 }
"""


def protected(uuid: str, *, primary: bool = True) -> Service:
    value = Characteristic(
        "FFF1", Characteristic.Properties.READ, Characteristic.READABLE | Characteristic.READ_REQUIRES_ENCRYPTION, b"\x2a"
    )
    return Service(uuid, [value], primary=primary)


def with_device(
    bus: Bus, body: Callable[[Client, Demands], Coroutine[Any, Any, None]], *services: Service, bonding: bool = True
) -> None:
    """Runs a program beside such a device, which hci0 has discovered."""
    run = bus(PROFILE, "--hci-server", "tcp:127.0.0.1:0")

    async def main() -> None:
        async with demanding(server(run), *services, bonding=bonding) as device, client() as recorder:
            await register(recorder, Agent(), "NoInputNoOutput")
            await recorder.call(HCI0, ADAPTER, "StartDiscovery")
            await recorder.until(lambda line: line == f"added {PEER} {DEVICE}")
            await body(recorder, device)

    asyncio.run(main())


@pytest.mark.parametrize("call", ["Connect", "Pair"])
def test_device_that_requests_encryption_is_paired(bus: Bus, call: str) -> None:
    async def body(recorder: Client, device: Demands) -> None:
        assert (await recorder.call(PEER, DEVICE, call)).error_name is None
        assert (await secret(recorder)).body == [b"\x2a"]
        await recorder.until(lambda line: line == f"{PEER} Paired=True")
        await recorder.until(lambda line: line == f"{PEER} Bonded=True")
        assert device.ends == [None]

    with_device(bus, body, protected("FFF0"))


def test_adapter_that_is_not_pairable_refuses(bus: Bus) -> None:
    async def body(recorder: Client, device: Demands) -> None:
        await recorder.call(HCI0, PROPERTIES, "Set", "ssv", ADAPTER, "Pairable", Variant("b", False))
        assert (await recorder.call(PEER, DEVICE, "Connect")).error_name is None
        await recorder.until(lambda line: line == f"{PEER} ServicesResolved=True")
        assert device.ends == [0x05]
        assert not any("Paired=True" in line for line in recorder.log)

    with_device(bus, body, protected("FFF0"))


def test_pairing_without_a_bond_ends_with_the_connection(bus: Bus) -> None:
    async def body(recorder: Client, device: Demands) -> None:
        assert (await recorder.call(PEER, DEVICE, "Pair")).error_name is None
        await recorder.until(lambda line: line == f"{PEER} Paired=True")
        await recorder.until(lambda line: line == f"{PEER} ServicesResolved=True")
        assert (await recorder.call(PEER, DEVICE, "Disconnect")).error_name is None
        await recorder.ordered(f"{PEER} Connected=False", f"{PEER} Paired=False")
        assert not any("Bonded=True" in line for line in recorder.log)

    with_device(bus, body, protected("FFF0"), bonding=False)


def test_secondary_service_that_none_includes_is_found(bus: Bus) -> None:
    async def body(recorder: Client, device: Demands) -> None:
        assert (await recorder.call(PEER, DEVICE, "Connect")).error_name is None
        assert (await secret(recorder)).body == [b"\x2a"]
        services = [
            interfaces["org.bluez.GattService1"]["Primary"].value
            for interfaces in recorder.objects.values()
            if interfaces.get("org.bluez.GattService1", {}).get("UUID", Variant("s", "")).value.startswith("0000fff0")
        ]
        assert services == [False]

    with_device(bus, body, protected("FFF0", primary=False))


def test_adapter_serves_its_name_as_a_central(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter finds the services of the one that connects to it, without a warning."""
    options = [word for address in ADDRESSES for word in ("--adapter-address", address)]
    run = beaconry.start("dbus", "--json", *options)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", run.wait("bus-ready")["address"])

    async def body() -> None:
        async with client() as recorder:
            recorder.bus.export("/advertised", Advertised())
            await recorder.call(HCI0, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", "/advertised", {})
            await recorder.call("/org/bluez/hci1", ADAPTER, "StartDiscovery")
            await recorder.until(lambda line: line == f"added {PERIPHERAL} {DEVICE}")
            assert (await recorder.call(PERIPHERAL, DEVICE, "Connect")).error_name is None
            await recorder.until(lambda line: line == f"{CENTRAL} ServicesResolved=True")
            await recorder.until(lambda line: line.startswith(f"{CENTRAL} Name="))
            assert "were not found" not in run.errors

    asyncio.run(body())
