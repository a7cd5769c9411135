# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The tests of the package: `PYTHONPATH=src pytest -p beaconry.pytest_plugin`, with the program in BEACONRY_BINARY."""

from __future__ import annotations

pytest_plugins = ["pytester"]
