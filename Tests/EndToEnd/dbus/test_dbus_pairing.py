# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pairing with the agents of programs."""

import asyncio
from typing import Any

import pytest
from beaconry import Beaconry
from dbus_fast import DBusError, PropertyAccess, Variant
from dbus_fast.service import ServiceInterface, dbus_property, method
from rig import DEVICE, HCI0, Bus, Client, client

LOCK = f"{HCI0}/dev_C0_FF_EE_00_00_03"
MANAGER = "org.bluez.AgentManager1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
PROPERTIES = "org.freedesktop.DBus.Properties"

PROFILE = """
profile: pair
beacons:
  - id: lock
    device: gatt
    name: Lock
    address: C0:FF:EE:00:00:03
    advertise: {{ services: [FFF0] }}
    pairing: {{ {pairing} }}
    services:
      - uuid: FFF0
        characteristics:
          - {{ name: secret, uuid: FFF1, properties: [read], value: "2a", permissions: encrypted }}
"""


class Agent(ServiceInterface):
    """An agent that answers as it is made to."""

    def __init__(self, passkey: int | None = None, confirms: bool = True) -> None:
        super().__init__("org.bluez.Agent1")
        self.passkey = passkey
        self.confirms = confirms
        self.asked: list[str] = []

    @method()
    def RequestPasskey(self, device: "o") -> "u":  # type: ignore[name-defined]  # noqa: F821, N802
        self.asked.append("passkey")
        if self.passkey is None:
            raise DBusError("org.bluez.Error.Canceled", "no")
        return self.passkey

    @method()
    def RequestConfirmation(self, device: "o", number: "u"):  # type: ignore[name-defined]  # noqa: F821, N802
        self.asked.append("confirmation")
        if not self.confirms:
            raise DBusError("org.bluez.Error.Rejected", "no")

    @method()
    def DisplayPasskey(self, device: "o", passkey: "u", entered: "q"):  # type: ignore[name-defined]  # noqa: F821, N802
        self.asked.append(f"display {passkey:06}")

    @method()
    def RequestAuthorization(self, device: "o"):  # type: ignore[name-defined]  # noqa: F821, N802
        self.asked.append("authorization")
        if not self.confirms:
            raise DBusError("org.bluez.Error.Rejected", "no")

    @method()
    def Cancel(self):  # noqa: N802
        self.asked.append("cancel")


async def find(recorder: Client) -> None:
    await recorder.call(HCI0, "org.bluez.Adapter1", "StartDiscovery")
    await recorder.until(lambda line: line == f"added {LOCK} {DEVICE}")


async def secret(recorder: Client) -> Any:
    await recorder.until(lambda line: "ServicesResolved=True" in line)
    path = next(
        path
        for path, interfaces in recorder.objects.items()
        if CHARACTERISTIC in interfaces and interfaces[CHARACTERISTIC]["UUID"].value.startswith("0000fff1")
    )
    return await recorder.call(path, CHARACTERISTIC, "ReadValue", "a{sv}", {})


async def register(recorder: Client, agent: Agent, capability: str) -> None:
    recorder.bus.export("/agent", agent)
    assert (await recorder.call("/org/bluez", MANAGER, "RegisterAgent", "os", "/agent", capability)).error_name is None


@pytest.mark.parametrize(
    ("pairing", "capability", "agent", "asked"),
    [
        ("io: none", "NoInputNoOutput", Agent(), []),
        ("io: display, passkey: 123456, mitm: true", "KeyboardDisplay", Agent(123456), ["passkey"]),
        ("io: display-yes-no, comparison: accept, mitm: true", "DisplayYesNo", Agent(), ["confirmation"]),
    ],
    ids=["none", "passkey", "comparison"],
)
def test_pairing(bus: Bus, pairing: str, capability: str, agent: Agent, asked: list[str]) -> None:
    bus(PROFILE.format(pairing=pairing))

    async def body() -> None:
        async with client() as recorder:
            await register(recorder, agent, capability)
            await find(recorder)
            reply = await recorder.call(LOCK, DEVICE, "Pair")
            assert reply.error_name is None, reply.body
            await recorder.ordered(f"{LOCK} Connected=True", f"{LOCK} Bonded=True", "reply Pair")
            assert agent.asked == asked
            assert (await secret(recorder)).body == [b"\x2a"]
            assert (await recorder.call(LOCK, DEVICE, "Pair")).error_name == "org.bluez.Error.AlreadyExists"

    asyncio.run(body())


@pytest.mark.parametrize(
    ("pairing", "capability", "agent", "error"),
    [
        ("io: display, passkey: 123456, mitm: true", "KeyboardDisplay", Agent(654321), "AuthenticationFailed"),
        ("io: display, passkey: 123456, mitm: true", "KeyboardDisplay", Agent(None), "AuthenticationFailed"),
        ("io: display-yes-no, comparison: accept, mitm: true", "DisplayYesNo", Agent(confirms=False), "AuthenticationFailed"),
    ],
    ids=["wrong", "cancelled", "rejected"],
)
def test_refused_pairing(bus: Bus, pairing: str, capability: str, agent: Agent, error: str) -> None:
    bus(PROFILE.format(pairing=pairing))

    async def body() -> None:
        async with client() as recorder:
            await register(recorder, agent, capability)
            await find(recorder)
            assert (await recorder.call(LOCK, DEVICE, "Pair")).error_name == f"org.bluez.Error.{error}"
            assert not any("Bonded=True" in line for line in recorder.log)

    asyncio.run(body())


@pytest.mark.parametrize(
    ("pairing", "permissions", "agent", "asked"),
    [
        ("io: none", "encrypted", Agent(), ["authorization"]),
        ("io: display, passkey: 123456, mitm: true", "encrypted", Agent(123456), ["passkey"]),
        ("io: display-yes-no, comparison: accept", "authenticated", Agent(), ["confirmation"]),
    ],
    ids=["just works", "passkey", "comparison"],
)
def test_value_that_requires_security_is_paired_for(
    bus: Bus, pairing: str, permissions: str, agent: Agent, asked: list[str]
) -> None:
    bus(PROFILE.format(pairing=pairing).replace("encrypted", permissions))

    async def body() -> None:
        async with client() as recorder:
            await register(recorder, agent, "KeyboardDisplay")
            await find(recorder)
            await recorder.call(LOCK, DEVICE, "Connect")
            assert (await secret(recorder)).body == [b"\x2a"]
            await recorder.ordered(f"{LOCK} Bonded=True", "reply ReadValue")
            assert agent.asked == asked
            assert (await recorder.call(LOCK, DEVICE, "Pair")).error_name == "org.bluez.Error.AlreadyExists"

    asyncio.run(body())


@pytest.mark.parametrize(
    ("pairing", "agent", "asked"),
    [
        ("io: display, passkey: 123456, mitm: true", Agent(None), ["passkey"]),
        ("io: none", Agent(confirms=False), ["authorization"]),
        ("io: none", None, []),
        ("io: none, secure-connections: off", None, []),
    ],
    ids=["cancelled", "rejected", "without an agent", "legacy without an agent"],
)
def test_value_is_not_read_after_a_refused_pairing(bus: Bus, pairing: str, agent: Agent | None, asked: list[str]) -> None:
    bus(PROFILE.format(pairing=pairing))

    async def body() -> None:
        async with client() as recorder:
            if agent:
                await register(recorder, agent, "KeyboardDisplay")
            await find(recorder)
            await recorder.call(LOCK, DEVICE, "Connect")
            reply = await secret(recorder)
            assert (reply.error_name, reply.body) == ("org.bluez.Error.NotPermitted", ["Not paired"])
            assert (agent.asked if agent else []) == asked
            assert not any("Paired=True" in line for line in recorder.log)

    asyncio.run(body())


@pytest.mark.parametrize("generation", ["required", "off"])
def test_nothing_is_paired_without_an_agent(bus: Bus, generation: str) -> None:
    """As with Linux, which has each pairing confirmed by bluetoothd, and that by an agent."""
    bus(PROFILE.format(pairing=f"io: none, secure-connections: {generation}"))

    async def body() -> None:
        async with client() as recorder:
            await find(recorder)
            assert (await recorder.call(LOCK, DEVICE, "Pair")).error_name == "org.bluez.Error.AuthenticationFailed"
            await register(recorder, Agent(), "NoInputNoOutput")
            # A device may refuse another pairing so soon.
            while (await recorder.call(LOCK, DEVICE, "Pair")).error_name is not None:
                await asyncio.sleep(0.1)

    asyncio.run(asyncio.wait_for(body(), 250))


ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")
PERIPHERAL, CENTRAL = (f"/org/bluez/hci{1 - number}/dev_{address.replace(':', '_')}" for number, address in enumerate(ADDRESSES))
"""The adapter hci0 as a device of hci1, and hci1 as a device of hci0."""


class Advertised(ServiceInterface):
    """A connectable advertisement."""

    def __init__(self) -> None:
        super().__init__("org.bluez.LEAdvertisement1")

    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s":  # type: ignore[name-defined]  # noqa: F821, N802
        return "peripheral"

    @dbus_property(access=PropertyAccess.READ)
    def ServiceUUIDs(self) -> "as":  # type: ignore[name-defined]  # noqa: F821, F722, N802
        return ["FFF0"]


@pytest.mark.parametrize(
    ("capability", "agent", "asked", "error"),
    [
        (None, Agent(), [], None),
        ("DisplayYesNo", Agent(), ["confirmation"], None),
        ("DisplayYesNo", Agent(confirms=False), ["confirmation"], "AuthenticationFailed"),
        ("DisplayOnly", Agent(), ["display"], "AuthenticationFailed"),
        ("KeyboardOnly", Agent(None), ["passkey"], "AuthenticationFailed"),
    ],
    ids=["without", "confirmed", "refused", "shown", "cancelled"],
)
def test_central_pairs_with_the_default_agent(
    beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch, capability: str | None, agent: Agent, asked: list[str], error: str | None
) -> None:
    """The program of hci1 pairs with hci0, whose program has the default agent."""
    options = [word for address in ADDRESSES for word in ("--adapter-address", address)]
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", beaconry.start("dbus", "--json", *options).wait("bus-ready")["address"])

    async def body() -> None:
        async with client() as peripheral, client() as central:
            if capability:
                await register(peripheral, agent, capability)
                reply = await peripheral.call("/org/bluez", MANAGER, "RequestDefaultAgent", "o", "/agent")
                assert reply.error_name is None
            peripheral.bus.export("/advertised", Advertised())
            reply = await peripheral.call(HCI0, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", "/advertised", {})
            assert reply.error_name is None, reply.body
            own = Agent(654321)
            await register(central, own, "KeyboardDisplay")
            await central.call("/org/bluez/hci1", "org.bluez.Adapter1", "StartDiscovery")
            await central.until(lambda line: line == f"added {PERIPHERAL} {DEVICE}")
            reply = await central.call(PERIPHERAL, DEVICE, "Pair")
            assert reply.error_name == (error and f"org.bluez.Error.{error}")
            assert [line.split()[0] for line in agent.asked if line != "cancel"] == asked
            if error is None:
                await central.until(lambda line: line == f"{PERIPHERAL} Paired=True")
                await central.until(lambda line: line == f"{CENTRAL} Paired=True")

    asyncio.run(body())


def test_adapter_that_is_not_pairable_refuses_centrals(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    options = [word for address in ADDRESSES for word in ("--adapter-address", address)]
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", beaconry.start("dbus", "--json", *options).wait("bus-ready")["address"])

    async def body() -> None:
        async with client() as recorder:
            await register(recorder, Agent(), "NoInputNoOutput")
            recorder.bus.export("/advertised", Advertised())
            await recorder.call(HCI0, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", "/advertised", {})
            await recorder.call(HCI0, PROPERTIES, "Set", "ssv", "org.bluez.Adapter1", "PairableTimeout", Variant("u", 1))
            await recorder.until(lambda line: line == f"{HCI0} Pairable=False")
            await recorder.call("/org/bluez/hci1", "org.bluez.Adapter1", "StartDiscovery")
            await recorder.until(lambda line: line == f"added {PERIPHERAL} {DEVICE}")
            assert (await recorder.call(PERIPHERAL, DEVICE, "Pair")).error_name == "org.bluez.Error.AuthenticationFailed"
            await recorder.call(HCI0, PROPERTIES, "Set", "ssv", "org.bluez.Adapter1", "PairableTimeout", Variant("u", 0))
            await recorder.call(HCI0, PROPERTIES, "Set", "ssv", "org.bluez.Adapter1", "Pairable", Variant("b", True))
            assert (await recorder.call(PERIPHERAL, DEVICE, "Pair")).error_name is None

    asyncio.run(body())


def test_agents_are_registered_once(bus: Bus) -> None:
    bus(PROFILE.format(pairing="io: none"))

    async def body() -> None:
        async with client() as recorder:
            for arguments, error in [
                (("/agent", "Mouse"), "InvalidArguments"), (("/agent", ""), None), (("/agent", ""), "AlreadyExists"),
            ]:  # fmt: skip
                reply = await recorder.call("/org/bluez", MANAGER, "RegisterAgent", "os", *arguments)
                assert reply.error_name == (error and f"org.bluez.Error.{error}")
            reply = await recorder.call("/org/bluez", MANAGER, "RequestDefaultAgent", "o", "/other")
            assert reply.error_name == "org.bluez.Error.DoesNotExist"
            assert (await recorder.call("/org/bluez", MANAGER, "RequestDefaultAgent", "o", "/agent")).error_name is None
            assert (await recorder.call("/org/bluez", MANAGER, "UnregisterAgent", "o", "/agent")).error_name is None

    asyncio.run(body())
