# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our receiving commands with a third-party peripheral: Bumble's configuration service and battery."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beaconry import BEACON_UUID, BINARY, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS, Beaconry, Run, ibeacon, service_list
from bumble.att import ATT_Error
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.transport import open_transport

HARNESS = Path(os.environ.get("BEACONRY_CENTRAL_HARNESS") or BINARY.parent / "central-harness")
ADDRESS = "F5:F4:F3:F2:F1:F0"
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
READ_WRITE = Characteristic.Properties.READ | Characteristic.Properties.WRITE
READ_NOTIFY = Characteristic.Properties.READ | Characteristic.Properties.NOTIFY
PROFILE = f"profile: air\nbeacons: [{{ id: other, device: ibeacon, ibeacon: {{ uuid: {UUID} }} }}]\n"


@dataclass
class Peripheral:
    """Bumble's peripheral, with its values."""

    device: Device
    battery: Characteristic
    values: dict[str, bytes]
    refusals: dict[str, int] = field(default_factory=dict)
    writes: int = 0

    def characteristic(self, uuid: str) -> Characteristic:
        """A characteristic that can be read and written, unless the test lets it refuse."""

        def read(_: Any) -> bytes:
            return self.values[uuid]

        def write(_: Any, value: bytes) -> None:
            if uuid in self.refusals:
                raise ATT_Error(self.refusals[uuid])
            self.values[uuid] = bytes(value)
            self.writes += 1

        permissions = Characteristic.READABLE | Characteristic.WRITEABLE
        return Characteristic(uuid, READ_WRITE, permissions, CharacteristicValue(read=read, write=write))


@asynccontextmanager
async def peripheral(transport: str) -> AsyncIterator[Peripheral]:
    """A configurable beacon with a battery, advertising on one of our controllers."""
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("peripheral", Address(ADDRESS), source, sink)
        battery = Characteristic("2A19", READ_NOTIFY, Characteristic.READABLE, bytes([90]))
        values = {
            BEACON_UUID: bytes.fromhex(CONFIG_SERVICE.replace("-", "")), MAJOR_MINOR: bytes.fromhex("01000100"),
            TRANSMIT_SETTINGS: bytes.fromhex("0200a000"),
        }  # fmt: skip
        made = Peripheral(device, battery, values)
        device.add_service(Service(CONFIG_SERVICE, [made.characteristic(uuid) for uuid in values]))
        device.add_service(Service("180F", [battery]))
        await device.power_on()
        await device.start_advertising(
            advertising_data=ibeacon(CONFIG_SERVICE, 1, 1), scan_response_data=service_list(CONFIG_SERVICE), auto_restart=True
        )
        yield made
        await device.power_off()


async def manage(beaconry: Beaconry, transport: str, *arguments: str, code: int = 0) -> tuple[dict[str, Any], str]:
    """Runs a command beside Bumble; returns its last object and its text."""
    done = await asyncio.to_thread(beaconry.call, "manage", *arguments, "--radio", transport, "--json")
    assert done.returncode == code, done
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_manage_configures_bumbles_peripheral(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE))

    async def walk() -> None:
        async with peripheral(transport) as made:
            shown, _ = await manage(beaconry, transport, "show", ADDRESS)
            assert (shown["settings"]["uuid"], shown["settings"]["txPower"]) == (CONFIG_SERVICE.upper(), 0)
            await manage(
                beaconry, transport, "set", ADDRESS, "--uuid", UUID, "--major", "40000", "--minor", "513", "--tx-power", "-23",
                "--interval", "500ms",
            )  # fmt: skip
            assert made.values == {
                BEACON_UUID: bytes.fromhex(UUID.replace("-", "")), MAJOR_MINOR: bytes.fromhex("409c0102"),
                TRANSMIT_SETTINGS: bytes.fromhex("00002003"),
            }  # fmt: skip
            written = made.writes
            await manage(beaconry, transport, "set", ADDRESS, "--major", "40000")
            assert made.writes == written, "values that already match are not written"
            made.refusals[MAJOR_MINOR] = 0x80
            _, refusal = await manage(beaconry, transport, "set", ADDRESS, "--major", "7", code=74)
            assert "0x80" in refusal
            made.refusals.clear()
            await manage(beaconry, transport, "set", ADDRESS, "--major", "7")
            assert made.values[MAJOR_MINOR] == bytes.fromhex("07000102")

    asyncio.run(walk())


def test_battery_is_read_and_notified(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(PROFILE))

    async def walk() -> None:
        async with peripheral(transport) as made:
            process = await asyncio.create_subprocess_exec(
                HARNESS, transport, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            assert process.stdin and process.stdout
            output = process.stdout

            async def until(name: str, **fields: Any) -> dict[str, Any]:
                while True:
                    line = await asyncio.wait_for(output.readline(), 300)
                    assert line, f"it ended before {name} {fields}"
                    event = json.loads(line)
                    assert event["event"] != "failed", event
                    if event["event"] == name and all(event.get(key) == value for key, value in fields.items()):
                        return event

            async def do(*words: str) -> dict[str, Any]:
                process.stdin.write((" ".join(words) + "\n").encode())
                return await until("answer", command=words[0])

            await do("open")
            await do("connect", ADDRESS, "random", "300")
            await do("services")
            assert (await do("read", "2A19"))["value"] == "5a"
            await do("notify", "2A19")
            for level in (89, 88, 87):
                made.battery.value = bytes([level])
                await made.device.notify_subscribers(made.battery)
                assert (await until("notified"))["value"] == f"{level:02x}"
            await do("unnotify", "2A19")
            await made.device.notify_subscribers(made.battery)
            assert (await do("read", "2A19"))["value"] == "57", "no other value was notified in between"
            assert (await do("mtu"))["count"] > 23
            await do("disconnect")
            process.stdin.close()
            assert await asyncio.wait_for(process.wait(), 300) == 0

    asyncio.run(walk())
