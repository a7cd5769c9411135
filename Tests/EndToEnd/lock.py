# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A lock whose only value needs encryption, for tests of what makes a receiver pair."""

from __future__ import annotations

PROFILE = """
profile: home
beacons:
  - id: lock
    device: gatt
    pairing: { io: none }
    services:
      - uuid: 180D
        characteristics: [{ name: rate, uuid: 2A37, value: "0040", type: hex, properties: [read, notify], permissions: encrypted }]
"""
CONNECTION = "/v1/receivers/app/connections/lock"
"""The connection of the receiver `app` to it."""
VALUE = f"{CONNECTION}/characteristics/2A37"
NOTIFICATIONS = f"{CONNECTION}/notifications?characteristic=2A37"
