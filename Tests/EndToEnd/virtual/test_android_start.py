# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Controllers for BR/EDR and LE (`as=dual-mode`) over TCP, as Android's Bluetooth stack and Bumble use them. Which commands
each version of Android asserts is tested in Tests/VirtualRadioTests/DualMode."""

from __future__ import annotations

import asyncio
import struct

import pytest
from beaconry import Beaconry
from bumble.core import BaseBumbleError, PhysicalTransport
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.transport import open_transport
from raw_host import RawHost, command

PROFILE = """
profile: room
beacons:
  - id: door
    device: ibeacon
    interval: 100ms
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
"""
BEACON = bytes.fromhex("e2c56db5dffb48d2b060d0f5a71096e0")
OTHER = "C0:FF:EE:00:00:07"

# Commands of the start of Android's stack whose failure restarts Bluetooth for ever, and of its classic settings.
START = [
    (0x0C03, b""), (0x0C01, b"\xff" * 7 + b"\x3d"), (0x0C6D, b"\x01\x00"), (0x0C14, b""), (0x1001, b""), (0x1002, b""),
    (0x2003, b""), (0x201C, b""), (0x1004, b"\x00"), (0x1004, b"\x01"), (0x2001, b"\xff" * 8), (0x1005, b""),
    (0x2060, b""), (0x100B, b""), (0x200F, b""), (0x202F, b""), (0x0C56, b"\x01"), (0x2023, b""), (0x203A, b""),
    (0x203B, b""), (0x1009, b""), (0x0C18, b"\x00\x20"), (0x0C24, b"\x0c\x02\x5a"), (0x0C45, b"\x02"),
    (0x0C52, bytes(241)), (0x0C1A, b"\x03"),
]  # fmt: skip


def server(beaconry: Beaconry, query: str, *options: str) -> int:
    """The port of a server with this query, of a run that is ready."""
    run = beaconry.run(
        beaconry.profile(PROFILE), "--hci-server", f"tcp:127.0.0.1:0?{query}", *options, radio="virtual"
    )
    name = run.wait("radio-ready")["servers"][0]
    run.wait("ready")
    return int(name.rsplit(":", 1)[1])


@pytest.mark.parametrize("character", ["dual-mode", "dual-mode+slow:5"])
def test_each_command_of_the_start_completes(beaconry: Beaconry, character: str) -> None:
    host = RawHost(server(beaconry, f"as={character}"))
    for opcode, parameters in START:
        host.send(command(opcode, parameters))
        # A Command Status event without an opcode only updates the number of commands.
        event = host.wait(lambda packet: packet[1] == 0x0E or packet[1] == 0x0F and packet[5:7] != b"\x00\x00")
        assert event[1] == 0x0E and event[4:6] == struct.pack("<H", opcode), f"{opcode:04X}: {event.hex()}"
        assert event[6] == 0, f"{opcode:04X}: {event.hex()}"
    # A command that it does not have completes, too, with a status alone.
    host.send(command(0xFD53))
    event = host.wait(lambda packet: packet[1] in (0x0E, 0x0F) and b"\x53\xfd" in packet)
    assert event[:3] == b"\x04\x0e\x04" and event[4:] == b"\x53\xfd\x01", event.hex()


def test_bumble_uses_both_radios(beaconry: Beaconry) -> None:
    """Classic and LE are enabled: the beacon is received; an inquiry finds nothing, a page has no answer."""
    port = server(beaconry, "as=dual-mode", "--rate", "10")
    asyncio.run(use_both_radios(f"tcp-client:127.0.0.1:{port}"))


async def use_both_radios(transport: str) -> None:
    async with asyncio.timeout(300), await open_transport(transport) as (source, sink):
        configuration = DeviceConfiguration(name="Pixel", classic_enabled=True, connectable=True, discoverable=True)
        device = Device.from_config_with_hci(configuration, source, sink)
        frames: asyncio.Queue[bytes] = asyncio.Queue()
        found: list[Address] = []
        ended = asyncio.Event()
        device.on("advertisement", lambda advertisement: frames.put_nowait(advertisement.data_bytes))
        device.on("inquiry_result", lambda address, *_: found.append(address))
        device.on("inquiry_complete", ended.set)
        await device.power_on()
        await device.start_scanning()
        while BEACON not in await frames.get():
            pass
        await device.start_discovery(auto_restart=False)
        await ended.wait()
        assert found == []
        address = Address(OTHER, Address.PUBLIC_DEVICE_ADDRESS)
        with pytest.raises(BaseBumbleError) as failure:
            await device.connect(address, transport=PhysicalTransport.BR_EDR, timeout=200)
        assert "PAGE_TIMEOUT" in str(failure.value), failure.value
        with pytest.raises(BaseBumbleError) as failure:
            await device.request_remote_name(address)
        assert "PAGE_TIMEOUT" in str(failure.value), failure.value
        # LE continues.
        while not frames.empty():
            frames.get_nowait()
        while BEACON not in await frames.get():
            pass
        await device.stop_scanning()
        await device.power_off()
