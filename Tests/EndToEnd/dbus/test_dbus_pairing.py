# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pairing with the agents of programs."""

import asyncio
from typing import Any

import pytest
from dbus_fast import DBusError
from dbus_fast.service import ServiceInterface, method
from rig import DEVICE, HCI0, Bus, Client, client

LOCK = f"{HCI0}/dev_C0_FF_EE_00_00_03"
MANAGER = "org.bluez.AgentManager1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"

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
        ("io: display, passkey: 123456, mitm: true", "KeyboardDisplay", Agent(None), "AuthenticationCanceled"),
        ("io: display-yes-no, comparison: accept, mitm: true", "DisplayYesNo", Agent(confirms=False), "AuthenticationRejected"),
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
        ("io: none", "encrypted", None, []),
        ("io: display, passkey: 123456, mitm: true", "encrypted", Agent(123456), ["passkey"]),
        ("io: display-yes-no, comparison: accept", "authenticated", Agent(), ["confirmation"]),
    ],
    ids=["no agent", "passkey", "comparison"],
)
def test_value_that_requires_security_is_paired_for(
    bus: Bus, pairing: str, permissions: str, agent: Agent | None, asked: list[str]
) -> None:
    bus(PROFILE.format(pairing=pairing).replace("encrypted", permissions))

    async def body() -> None:
        async with client() as recorder:
            if agent:
                await register(recorder, agent, "KeyboardDisplay")
            await find(recorder)
            await recorder.call(LOCK, DEVICE, "Connect")
            assert (await secret(recorder)).body == [b"\x2a"]
            await recorder.ordered(f"{LOCK} Bonded=True", "reply ReadValue")
            assert (agent.asked if agent else []) == asked
            assert (await recorder.call(LOCK, DEVICE, "Pair")).error_name == "org.bluez.Error.AlreadyExists"

    asyncio.run(body())


def test_value_is_not_read_after_a_refused_pairing(bus: Bus) -> None:
    bus(PROFILE.format(pairing="io: display, passkey: 123456, mitm: true"))

    async def body() -> None:
        async with client() as recorder:
            agent = Agent(None)
            await register(recorder, agent, "KeyboardDisplay")
            await find(recorder)
            await recorder.call(LOCK, DEVICE, "Connect")
            reply = await secret(recorder)
            assert (reply.error_name, reply.body) == ("org.bluez.Error.NotPermitted", ["Not paired"])
            assert agent.asked == ["passkey"]
            assert not any("Bonded=True" in line for line in recorder.log)

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
