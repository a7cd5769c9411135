# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Several attempts to connect at a time: a silent device delays no other."""

from __future__ import annotations

import asyncio

from rig import ADAPTER, DEVICE, HCI0, Bus, Client, client

DOORS = [f"{HCI0}/dev_C0_FF_EE_00_00_1{number}" for number in range(4)]
SILENT = [f"{HCI0}/dev_C0_FF_EE_00_00_2{number}" for number in range(3)]

PROFILE = "profile: doors\nbeacons:\n" + "".join(
    f"""
  - id: door{number}
    device: gatt
    name: Door
    address: C0:FF:EE:00:00:1{number}
    advertise: {{ services: [FFF0] }}
    services: [{{ uuid: FFF0, characteristics: [{{ name: open, uuid: FFF1, properties: [read], value: "01" }}] }}]
""" for number in range(len(DOORS))
) + "".join(
    f"""
  - id: silent{number}
    device: ibeacon
    address: C0:FF:EE:00:00:2{number}
    ibeacon: {{ uuid: 2173E519-9155-4862-AB64-7953AB146157, major: 1, minor: {number} }}
""" for number in range(len(SILENT))
)  # fmt: skip
"""Devices to connect to, and beacons that cannot be connected to."""


async def find(recorder: Client) -> None:
    await recorder.call(HCI0, ADAPTER, "StartDiscovery")
    for path in DOORS + SILENT:
        await recorder.until(lambda line, path=path: line == f"added {path} {DEVICE}")


def test_silent_device_delays_no_other(bus: Bus) -> None:
    bus(PROFILE)

    async def body() -> None:
        async with client() as recorder:
            await find(recorder)
            recorder.log.clear()
            pending = [asyncio.create_task(recorder.call(path, DEVICE, "Connect")) for path in SILENT]
            replies = await asyncio.gather(*(recorder.call(path, DEVICE, "Connect") for path in DOORS))
            assert [reply.error_name for reply in replies] == [None] * len(DOORS)
            resolved = [
                await recorder.until(lambda line, path=path: line == f"{path} ServicesResolved=True") for path in DOORS
            ]
            # The order on the bus: the service gives up after 20 s, and this test may look later.
            assert not any(line.startswith("error Connect") for line in recorder.log[: max(resolved)])
            for path in SILENT:
                await recorder.call(path, DEVICE, "Disconnect")
            await asyncio.gather(*pending)

            # One that is cancelled leaves the others.
            await recorder.call(DOORS[0], DEVICE, "Disconnect")
            pending = [asyncio.create_task(recorder.call(path, DEVICE, "Connect")) for path in SILENT]
            cancelled, again = await asyncio.gather(
                recorder.call(SILENT[1], DEVICE, "Disconnect"), recorder.call(SILENT[0], DEVICE, "Connect")
            )
            assert cancelled.error_name is None
            reply = await pending[1]
            assert (reply.error_name, reply.body) == ("org.bluez.Error.Failed", ["br-connection-canceled"])
            recorder.log.clear()
            reply = await recorder.call(DOORS[0], DEVICE, "Connect")
            assert reply.error_name is None
            before = recorder.log[: recorder.log.index("reply Connect")]
            assert not any(line.startswith("error Connect") for line in before)
            assert again.error_name == "org.bluez.Error.InProgress"

    asyncio.run(body())
