# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Bumble's controllers on one link, one at each of these TCP ports: FIRST COUNT."""

import asyncio
import logging
import sys

from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport import open_transport


async def main(first: int, count: int) -> None:
    link = LocalLink()
    kept = []
    for number in range(count):
        transport = await open_transport(f"tcp-server:127.0.0.1:{first + number}")
        address = "C0:BE:" + ":".join(f"{octet:02X}" for octet in number.to_bytes(4, "big"))
        kept.append((transport, Controller(
            f"C{number}", host_source=transport.source, host_sink=transport.sink, link=link, public_address=address)))
    print("ready", flush=True)
    await asyncio.Future()


logging.disable(logging.CRITICAL)
asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
