# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry doctor` on the bus of `beaconry dbus`: what it reads from org.bluez."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from beaconry import Beaconry
from dbus_fast import Variant
from rig import ADAPTER, HCI0, Bus, client

PROPERTIES = "org.freedesktop.DBus.Properties"


def doctor(beaconry: Beaconry) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and the findings by check; nothing can be advertised without a kernel that has Bluetooth."""
    beaconry.environment["DBUS_SYSTEM_BUS_ADDRESS"] = os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
    result = beaconry.call("doctor", "--radio", "bluez:hci0", "--for", "1s", "--json")
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert findings[-1]["event"] == "diagnosis", result
    return result.returncode, {each["check"]: each for each in findings if each["event"] == "check"}


def test_adapter_of_the_bus_is_checked(beaconry: Beaconry, bus: Bus) -> None:
    bus()
    code, found = doctor(beaconry)
    assert code == 0, found
    assert found["adapter"]["finding"] == "hci0: legacy advertising, 16 advertising instances"
    assert found["bluetoothd"]["finding"].startswith("bluetoothd 5.66 is running")
    for check in ("adapter", "rfkill", "power", "address", "duplicate-address", "discoverable", "instances"):
        assert found[check]["result"] == "ok", found[check]


def test_changes_of_other_programs_are_found(beaconry: Beaconry, bus: Bus) -> None:
    bus()

    async def change() -> tuple[int, dict[str, dict[str, Any]]]:
        async with client() as other:
            for name in ("Discoverable", "Powered"):
                value = Variant("b", name == "Discoverable")
                await other.call(HCI0, PROPERTIES, "Set", "ssv", ADAPTER, name, value)
                if name == "Discoverable":
                    discoverable = await asyncio.to_thread(doctor, beaconry)
                    assert discoverable[1]["discoverable"]["result"] == "problem", discoverable
                    assert discoverable[1]["discoverable"]["command"].endswith("discoverable off")
                    assert discoverable[0] == 1
            return await asyncio.to_thread(doctor, beaconry)

    code, found = asyncio.run(change())
    assert (code, found["power"]["result"], found["power"]["command"]) == (1, "problem", "bluetoothctl power on")
    assert found["advertising"]["result"] == "unknown"
