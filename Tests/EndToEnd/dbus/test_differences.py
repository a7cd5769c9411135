# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What differs from BlueZ: each row of the table in docs/bluez-apps.md, as a program sees it."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest
from beaconry import CHECKOUT, Beaconry, Run
from dbus_fast import Variant
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, method
from rig import ADAPTER, CHARACTERISTIC, DEVICE, HCI0, ODD, Bus, Client, client, discover

ADDRESSES = ("00:AA:01:00:00:00", "00:AA:01:01:00:01")
HCI1 = "/org/bluez/hci1"
CENTRAL, SERVER = f"{HCI0}/dev_00_AA_01_01_00_01", f"{HCI1}/dev_00_AA_01_00_00_00"
MANAGER, PROPERTIES = "org.bluez.LEAdvertisingManager1", "org.freedesktop.DBus.Properties"
WIRE = "programs/test_wire.py::test_session_is_that_of_bluetoothd"
"""Compares with recordings of bluetoothd, apart from the lines of meant-differences.txt."""

TESTS = {
    "other transports": "dbus/test_differences.py::test_other_transports_are_absent",
    "saved data": "dbus/test_differences.py::test_nothing_is_saved",
    "advertisements": "dbus/test_differences.py::test_advertisements_are_legacy_and_take_no_turns",
    "attributes for devices": "dbus/test_differences.py::test_application_is_not_for_the_other_direction",
    "`Confirm`": "dbus/test_differences.py::test_application_is_neither_asked_nor_confirmed",
    "`authorize`": "dbus/test_differences.py::test_application_is_neither_asked_nor_confirmed",
    "monitors": "programs/test_wire.py::test_experimental_monitors_are_those_of_bluetoothd",
    "services of a device": "dbus/test_differences.py::test_all_services_are_exported",
    "end of a link": "dbus/test_order.py::test_connect_and_disconnect",
    "subscriptions without a link": WIRE,
    "adapters": WIRE,
    "`UUIDs` of an adapter": WIRE,
}


def test_each_difference_has_a_test() -> None:
    section = (CHECKOUT / "docs" / "bluez-apps.md").read_text().partition("## What differs from BlueZ")[2]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", section, re.MULTILINE)
    assert [row for row in rows if row != "what"] == list(TESTS)
    for row, test in TESTS.items():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (CHECKOUT / "Tests" / "EndToEnd" / file).read_text(), row


def with_client(body: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        async with client() as recorder:
            await body(recorder)

    asyncio.run(main())


@pytest.fixture
def adapters(bus: Bus) -> Run:
    """A run with two adapters and one peripheral."""
    return bus("profile: none\nbeacons: []", *[word for address in ADDRESSES for word in ("--adapter-address", address)])


def test_other_transports_are_absent(bus: Bus) -> None:
    bus()

    async def body(recorder: Client) -> None:
        address = {"Address": Variant("s", "C0:FF:EE:00:00:09")}
        reply = await recorder.call(HCI0, ADAPTER, "ConnectDevice", "a{sv}", address)
        assert reply.error_name == "org.bluez.Error.NotSupported"
        reply = await recorder.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        served = {name.removeprefix("org.bluez.") for interfaces in reply.body[0].values() for name in interfaces}
        absent = {"Media1", "NetworkServer1", "HealthManager1", "ProfileManager1", "BatteryProviderManager1", "AdminPolicySet1", "DeviceSet1"}
        assert not served & absent and {"Adapter1", "AgentManager1", "GattManager1", "LEAdvertisingManager1"} <= served

    with_client(body)


def test_nothing_is_saved(bus: Bus) -> None:
    aliases = []

    async def body(recorder: Client) -> None:
        aliases.append((await recorder.call(HCI0, PROPERTIES, "Get", "ss", ADAPTER, "Alias")).body[0].value)
        await recorder.call(HCI0, PROPERTIES, "Set", "ssv", ADAPTER, "Alias", Variant("s", "Desk"))
        aliases.append((await recorder.call(HCI0, PROPERTIES, "Get", "ss", ADAPTER, "Alias")).body[0].value)

    for _ in range(2):
        run = bus()
        with_client(body)
        run.end()
    assert aliases[1] == "Desk" and aliases[2] == aliases[0] != "Desk"


class Advertisement(ServiceInterface):
    """An advertisement that names a long turn."""

    def __init__(self, name: str) -> None:
        super().__init__("org.bluez.LEAdvertisement1")
        self.local_name = name

    @dbus_property(PropertyAccess.READ)
    def Type(self) -> "s":  # type: ignore[name-defined]  # noqa: F821, N802
        return "peripheral"

    @dbus_property(PropertyAccess.READ)
    def LocalName(self) -> "s":  # type: ignore[name-defined]  # noqa: F821, N802
        return self.local_name

    @dbus_property(PropertyAccess.READ)
    def Duration(self) -> "q":  # type: ignore[name-defined]  # noqa: F821, N802
        return 3600


async def advertise(recorder: Client, name: str) -> None:
    recorder.bus.export(f"/{name}", Advertisement(name))
    reply = await recorder.call(HCI0, MANAGER, "RegisterAdvertisement", "oa{sv}", f"/{name}", {})
    assert reply.error_name is None, reply.body


def test_advertisements_are_legacy_and_take_no_turns(adapters: Run) -> None:
    async def body(recorder: Client) -> None:
        properties = (await recorder.call(HCI0, PROPERTIES, "GetAll", "s", MANAGER)).body[0]
        assert properties["SupportedInstances"].value == 16 and "SupportedSecondaryChannels" not in properties
        assert properties["SupportedCapabilities"].value["MaxAdvLen"].value == 31
        for name in ("One", "Two"):
            await advertise(recorder, name)
        await recorder.call(HCI1, ADAPTER, "StartDiscovery")
        for name in ("One", "Two"):
            await recorder.until(lambda line, name=name: line == f"{SERVER} Name={name}" or _is_named(recorder, name))

    with_client(body)


def _is_named(recorder: Client, name: str) -> bool:
    named = recorder.objects.get(SERVER, {}).get(DEVICE, {}).get("Name")
    return named is not None and named.value == name


class Service(ServiceInterface):
    """The service of an application."""

    def __init__(self) -> None:
        super().__init__("org.bluez.GattService1")

    @dbus_property(PropertyAccess.READ)
    def UUID(self) -> "s":  # type: ignore[name-defined]  # noqa: F821, N802
        return "fff0"

    @dbus_property(PropertyAccess.READ)
    def Primary(self) -> "b":  # type: ignore[name-defined]  # noqa: F821, N802
        return True


class Value(ServiceInterface):
    """Its characteristic, which is read and indicated."""

    def __init__(self) -> None:
        super().__init__(CHARACTERISTIC)
        self.calls: list[str] = []

    @dbus_property(PropertyAccess.READ)
    def UUID(self) -> "s":  # type: ignore[name-defined]  # noqa: F821, N802
        return "fff1"

    @dbus_property(PropertyAccess.READ)
    def Service(self) -> "o":  # type: ignore[name-defined]  # noqa: F821, N802
        return "/app/service"

    @dbus_property(PropertyAccess.READ)
    def Flags(self) -> "as":  # type: ignore[name-defined]  # noqa: F821, F722, N802
        return ["read", "indicate", "authorize"]

    @dbus_property(PropertyAccess.READ)
    def Value(self) -> "ay":  # type: ignore[name-defined]  # noqa: F821, N802
        return b"\x2b"

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":  # type: ignore[name-defined]  # noqa: F722, F821, N802
        self.calls.append("ReadValue")
        return b"\x2a"

    @method()
    def StartNotify(self):  # type: ignore[no-untyped-def]  # noqa: N802
        self.calls.append("StartNotify")
        self.emit_properties_changed({"Value": b"\x2b"})

    @method()
    def Confirm(self):  # type: ignore[no-untyped-def]  # noqa: N802
        self.calls.append("Confirm")


async def serve(recorder: Client, adapter: str) -> Value:
    """Registers an application with an adapter."""
    value = Value()
    recorder.bus.export("/app/service", Service())
    recorder.bus.export("/app/service/value", value)
    reply = await recorder.call(adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", "/app", {})
    assert reply.error_name is None, reply.body
    return value


async def connect(recorder: Client) -> None:
    """Connects hci1 to hci0."""
    await advertise(recorder, "One")
    await recorder.call(HCI1, ADAPTER, "StartDiscovery")
    await recorder.until(lambda line: line == f"added {SERVER} {DEVICE}")
    assert (await recorder.call(SERVER, DEVICE, "Connect")).error_name is None
    await recorder.until(lambda line: line == f"{SERVER} ServicesResolved=True")


def path_of(recorder: Client, uuid: str, device: str, interface: str) -> str | None:
    found = (path for path, interfaces in recorder.objects.items() if path.startswith(device + "/") and interface in interfaces)
    return next((path for path in found if recorder.objects[path][interface]["UUID"].value.startswith(f"0000{uuid}")), None)


def test_application_is_neither_asked_nor_confirmed(adapters: Run) -> None:
    async def body(recorder: Client) -> None:
        value = await serve(recorder, HCI0)
        await connect(recorder)
        path = path_of(recorder, "fff1", SERVER, CHARACTERISTIC)
        assert path
        assert (await recorder.call(path, CHARACTERISTIC, "ReadValue", "a{sv}", {})).body == [b"\x2a"]
        assert (await recorder.call(path, CHARACTERISTIC, "StartNotify")).error_name is None
        await recorder.until(lambda line: line.startswith(f"{path} Value="))
        # The device has confirmed the indication before it answers this.
        await recorder.call(path, CHARACTERISTIC, "ReadValue", "a{sv}", {})
        assert value.calls == ["ReadValue", "StartNotify", "ReadValue"]
        adapters.wait_for_text("authorize has no effect")

    with_client(body)


def test_application_is_not_for_the_other_direction(adapters: Run) -> None:
    """hci1 has an application, too; hci0, to which it connects, does not find it."""

    async def body(recorder: Client) -> None:
        await serve(recorder, HCI1)
        await connect(recorder)
        await recorder.until(lambda line: line == f"{CENTRAL} ServicesResolved=True")
        uuids = (await recorder.call(CENTRAL, PROPERTIES, "Get", "ss", DEVICE, "UUIDs")).body[0].value
        assert uuids and not any(uuid.startswith("0000fff0") for uuid in uuids)

    with_client(body)


def test_all_services_are_exported(bus: Bus) -> None:
    bus()

    async def body(recorder: Client) -> None:
        await discover(recorder)
        await recorder.call(ODD, DEVICE, "Connect")
        await recorder.until(lambda line: line == f"{ODD} ServicesResolved=True")
        for uuid in ("1800", "1801", "fff0"):
            assert path_of(recorder, uuid, ODD, "org.bluez.GattService1"), uuid

    with_client(body)
