# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A plugin of pytest for the suite of bluez_peripheral, which waits a tenth of a second for signals between its own connections:
on a busy machine they take longer."""

from __future__ import annotations

import asyncio
from typing import Any

FACTOR = 30
_wait_for = asyncio.wait_for


async def wait_for(future: Any, timeout: float | None) -> Any:
    """Waits as asyncio does, with a longer time limit."""
    return await _wait_for(future, timeout and FACTOR * timeout)


asyncio.wait_for = wait_for
