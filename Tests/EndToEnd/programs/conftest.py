# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Fixtures for programs that use `beaconry dbus` as they use BlueZ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import PROFILES, Beaconry
from private_bus import ADDRESSES, WIRE, PrivateBus


@pytest.fixture
def service(beaconry: Beaconry) -> Callable[..., PrivateBus]:
    """Starts the service with these profiles and options, on a bus of its own."""

    def start(*arguments: str | Path) -> PrivateBus:
        run = beaconry.start("dbus", *map(str, arguments), "--ephemeral", "--json")
        return PrivateBus(run, run.wait("bus-ready")["address"])

    return start


@pytest.fixture
def wire(service: Callable[..., PrivateBus]) -> PrivateBus:
    """The service with one adapter and the peers of wire.yaml."""
    return service(WIRE, "--adapter-address", ADDRESSES[0])


@pytest.fixture
def museum(service: Callable[..., PrivateBus]) -> PrivateBus:
    """The service with one adapter and the iBeacons of a museum."""
    return service(PROFILES / "museum.yaml")
