# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Airs side by side: each has its own ports, and its host receives the beacon of this air only."""

from __future__ import annotations

import os

import pytest
from hosts import ScanningHost

from beaconry import Air

COUNT = int(os.environ.get("BEACONRY_PARALLEL_AIRS", "40"))


@pytest.mark.parametrize("number", range(COUNT))
def test_airs_do_not_meet(air: Air, number: int) -> None:
    air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, number), at=(0, 0), interval="20ms")
    host = ScanningHost(air.receiver("phone", at=(10, 0)).h4)
    for data, rssi in host.reports(5):
        assert (int.from_bytes(data[27:29], "big"), rssi) == (number, -79)
    host.close()
    air.journal.expect("host-left", host="phone", within="300s")
