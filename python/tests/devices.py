# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Devices of tests."""

from __future__ import annotations

from typing import Any

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
DOOR = (UUID, 1, 7)
LOCK: dict[str, Any] = {
    "device": "gatt",
    "name": "Lock",
    "services": [
        {
            "uuid": "FFF0",
            "characteristics": [
                {"name": "echo", "uuid": "FFF1", "properties": ["read", "write", "notify"], "type": "text", "value": "x", "echo": True},
                {"name": "count", "uuid": "FFF2", "properties": ["notify"], "type": "uint32 be", "counter": {"every": "200ms", "max": 99999}},
                {"name": "refusing", "uuid": "FFF3", "properties": ["read"], "type": "uint8", "read-error": 0x86},
            ],
        }
    ],
}
"""A device with a value that it notifies when it is written, one that it counts, and one that it does not give."""
ABSENT = "C0:FF:EE:00:00:01"
"""The address of no device."""
