# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A plugin of pytest for the suite of bluez_peripheral, of which two things depend on how busy the machine is.

It waits a tenth of a second for signals between its own connections. And it sends signals on a connection whose loop
runs in another thread, although dbus_fast's connections are for one thread: a reply and a signal at the same time then
end the connection, with a TypeError in `write_callback`.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from dbus_fast.aio.message_bus import _MessageWriter

FACTOR = 30
_wait_for = asyncio.wait_for
_schedule_write = _MessageWriter.schedule_write


async def wait_for(future: Any, timeout: float | None) -> Any:
    """Waits as asyncio does, with a longer time limit."""
    return await _wait_for(future, timeout and FACTOR * timeout)


def schedule_write(self: Any, *arguments: Any) -> None:
    """Writes in the thread of the connection's loop."""
    # `_thread_id` is that of the thread which runs the loop; `None` while it does not run.
    if self.loop._thread_id in (None, threading.get_ident()):
        _schedule_write(self, *arguments)
    else:
        self.loop.call_soon_threadsafe(_schedule_write, self, *arguments)


asyncio.wait_for = wait_for
_MessageWriter.schedule_write = schedule_write
