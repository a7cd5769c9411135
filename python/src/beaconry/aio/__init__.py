# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The same as `beaconry`, for asyncio: each method that waits is a coroutine, and runs in a thread.

    async with Air() as air:
        door = await air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at=(0, 0))
        phone = await air.receiver("phone", at=(9, 0))
        await air.journal.expect("scan-started", host="phone")
"""

from __future__ import annotations

from .._errors import BeaconryError, CallTimeout, ProgramError, RequestError, UnmetExpectation
from .._phone import Ranged
from .._truth import Truth
from ._client import Client
from ._members import Beacon, Clock, Journal, Receiver
from ._phone import Phone, PhoneConnection, Subscription
from ._run import Air, BlueZ

__all__ = [
    "Air",
    "Beacon",
    "BeaconryError",
    "BlueZ",
    "CallTimeout",
    "Client",
    "Clock",
    "Journal",
    "Phone",
    "PhoneConnection",
    "ProgramError",
    "Ranged",
    "Receiver",
    "RequestError",
    "Subscription",
    "Truth",
    "UnmetExpectation",
]
