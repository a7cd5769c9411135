# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A demonstration inside Scripts/bluez-vm: a beacon on hci0, and a phone on hci1 that finds and configures it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
for place in ("EndToEnd", "EndToEnd/bluez"):
    sys.path.insert(0, str(CHECKOUT / "Tests" / place))

from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS  # noqa: E402
from vhci import Phone  # noqa: E402


def say(who: str, what: str) -> None:
    print(f"{who:>8} | {what}", flush=True)


def watch(process: subprocess.Popen[str], ready: threading.Event) -> None:
    assert process.stdout
    for line in process.stdout:
        say("beaconry", line.rstrip())
        if line.startswith("ready"):
            ready.set()


async def configure(phone: Phone) -> None:
    say("phone", f"scanning on {phone.adapter} for the configuration service {CONFIG_SERVICE.upper()}")
    device = await phone.find(lambda _, seen: CONFIG_SERVICE in seen.service_uuids, service_uuids=[CONFIG_SERVICE])
    say("phone", f"found {device.name} ({device.address}); connecting")
    async with phone.connect(device) as client:
        for name, characteristic in (("UUID", BEACON_UUID), ("major/minor", MAJOR_MINOR), ("transmit", TRANSMIT_SETTINGS)):
            say("phone", f"{name}: {bytes(await client.read_gatt_char(characteristic)).hex()}")
        say("phone", "writing major 7, minor 42, 200 ms")
        await client.write_gatt_char(MAJOR_MINOR, bytes.fromhex("07002a00"), response=True)
        await client.write_gatt_char(TRANSMIT_SETTINGS, bytes.fromhex("02004001"), response=True)
    say("phone", "disconnected")
    frames: list[bytes] = []

    def is_new(found, seen) -> bool:
        frame = seen.manufacturer_data.get(0x004C, b"")
        if found.address == device.address and frame[18:22] == bytes.fromhex("0007002a"):
            frames.append(frame)
        return bool(frames)

    device = await phone.find(is_new)
    say("phone", f"received iBeacon {frames[0][2:18].hex()} major {int.from_bytes(frames[0][18:20], 'big')} "
        f"minor {int.from_bytes(frames[0][20:22], 'big')} from {device.address}")  # fmt: skip


def main() -> int:
    profile = sys.argv[1]
    say("shell", f"$ beaconry run {profile}")
    command = [str(CHECKOUT / ".build" / "debug" / "beaconry"), "run", profile, "--radio", "bluez:hci0", "--ephemeral"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ready = threading.Event()
    watcher = threading.Thread(target=watch, args=(process, ready))
    watcher.start()
    if ready.wait(60) and "iot-design-shop" in Path(profile).read_text():
        asyncio.run(configure(Phone()))
    process.terminate()
    code = process.wait(20)
    watcher.join()
    say("shell", f"exit code {code}")
    return code


if __name__ == "__main__":
    sys.exit(main())
