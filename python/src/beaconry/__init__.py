# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Beacons on a virtual air, for tests in Python.

    with Air() as air:
        door = air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7), at=(0, 0))
        phone = air.receiver("phone", at=(9, 0))
        ...                                            # a host stack joins at phone.h4

`beaconry.aio` has the same for asyncio, `beaconry.pytest_plugin` fixtures, which pytest finds by itself.
"""

from ._air import Air
from ._bluez import BlueZ
from ._clock import Clock
from ._errors import BeaconryError, CallTimeout, ProgramError, RequestError, UnmetExpectation
from ._journal import Event, Journal
from ._members import Beacon, Receiver
from ._phone import Phone, PhoneConnection, Ranged, Subscription
from ._sweep import SweepReport, sweep
from ._truth import Truth

__all__ = [
    "Air",
    "Beacon",
    "BeaconryError",
    "BlueZ",
    "CallTimeout",
    "Clock",
    "Event",
    "Journal",
    "Phone",
    "PhoneConnection",
    "ProgramError",
    "Ranged",
    "Receiver",
    "RequestError",
    "Subscription",
    "SweepReport",
    "Truth",
    "UnmetExpectation",
    "sweep",
]
