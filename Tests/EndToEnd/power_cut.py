# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A power cut, in three parts: `host` starts the machine and kills it; `write` and `check` run inside it.

Each acknowledged value is sent out of the machine at once, unbuffered: what the host has read was acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "bluez"))

CHECKOUT = Path(__file__).resolve().parents[2]
WRITES = 40
MOUNT = Path("/mnt/flash")


def host(image: str, folder: str) -> int:
    """Boots the machine, counts acknowledgements, and kills QEMU after some of them, during the next write."""
    script = [str(CHECKOUT / ".build/venv/bin/python"), __file__, "write"]
    command = [str(CHECKOUT / "Scripts/bluez-vm"), "--disk", image, "--results", folder, *script]
    machine = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert machine.stdout
    acknowledged = 0
    for line in machine.stdout:
        if match := re.match(r"acknowledged (\d+)", line):
            acknowledged = int(match[1])
            if acknowledged == WRITES:
                break
        else:
            print(line, end="")
    if acknowledged != WRITES:
        print(f"the machine ended after {acknowledged} acknowledged writes", file=sys.stderr)
        return 1
    for pid in qemu_processes(machine.pid):
        os.kill(pid, 9)
    for line in machine.stdout:  # acknowledgements before the power cut count, too
        if match := re.match(r"acknowledged (\d+)", line):
            acknowledged = int(match[1])
    machine.wait(60)
    (Path(folder) / "acknowledged").write_text(str(acknowledged))
    print(f"killed QEMU after {acknowledged} acknowledged writes")
    return 0


def qemu_processes(parent: int) -> list[int]:
    """The QEMU processes that Scripts/bluez-vm started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name = (entry / "comm").read_text().strip()
                if name.startswith("qemu") and f"PPid:\t{parent}\n" in (entry / "status").read_text():
                    found.append(int(entry.name))
            except (OSError, ProcessLookupError):
                continue
    return found


def mount() -> None:
    subprocess.run(["modprobe", "-a", "virtio_blk", "ext4"], check=True)
    MOUNT.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "ext4", "/dev/vda", str(MOUNT)], check=True)


def started():
    from beaconry import PROFILES, Beaconry

    beaconry = Beaconry(Path(tempfile.mkdtemp()))
    return beaconry.run(PROFILES / "iot-design-shop.yaml", "--state", str(MOUNT / "state"))


def write() -> int:
    """Writes increasing numbers to Major/Minor, with response, until the power cut."""
    from beaconry import MAJOR_MINOR
    from test_configuration import find
    from vhci import Phone

    mount()
    started().wait("ready")

    async def client() -> None:
        phone = Phone()
        async with phone.connect(await find(phone)) as connection:
            for number in range(1, 60000):
                value = number.to_bytes(2, "little") + b"\x00\x00"
                await connection.write_gatt_char(MAJOR_MINOR, value, response=True)
                os.write(1, f"acknowledged {number}\n".encode())

    asyncio.run(client())
    return 1


def check() -> int:
    """After the power cut: the file is whole, the beacon starts with it, and no acknowledged value is lost."""
    acknowledged = int(Path("/results/acknowledged").read_text())
    mount()
    run = started()
    restored = run.wait("settings-restored")
    major = json.loads(Path(restored["file"]).read_text())["settings"]["major"]
    started_event = run.wait("advertising-started")
    on_air = int(started_event["advertisingData"][50:54], 16)
    damaged = [path.name for path in (MOUNT / "state").rglob("*.damaged*")]
    run.end()
    print(f"acknowledged {acknowledged}, in the file {major}, on the air {on_air}, damaged files {damaged}")
    return 0 if major >= acknowledged and on_air == major and not damaged else 1


if __name__ == "__main__":
    sys.exit(host(*sys.argv[2:]) if sys.argv[1] == "host" else {"write": write, "check": check}[sys.argv[1]]())
