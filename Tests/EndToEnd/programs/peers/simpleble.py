# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A program with SimpleBLE's Python binding, which is a C++ library on libdbus."""

from __future__ import annotations

import threading

import simplepyble

POT = "C0:FF:EE:00:00:03"
LABEL, PUMP = (f"5a1e000{number}-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in (3, 4))
OWN = "5a1e0001-8c1d-4e8b-9c55-0d0e8f6a1b01"

adapter = next(each for each in simplepyble.Adapter.get_adapters() if each.identifier() == "hci0")
pots: list = []
while not pots:
    adapter.scan_for(1500)
    pots = [each for each in adapter.scan_get_results() if each.address().upper() == POT]
pot = pots[0]
assert pot.identifier() == "Plant" and pot.is_connectable() and pot.rssi() == -59
pot.connect()
assert pot.mtu() > 20
services = {service.uuid(): {each.uuid() for each in service.characteristics()} for service in pot.services()}
assert {LABEL, PUMP} <= services[OWN], services
pot.write_request(OWN, LABEL, b"Mint")
assert bytes(pot.read(OWN, LABEL)) == b"Mint"
arrived = threading.Event()
values: list[bytes] = []
pot.notify(OWN, PUMP, lambda value: (values.append(bytes(value)), arrived.set()))
pot.write_request(OWN, PUMP, b"one")
assert arrived.wait(60) and values == [b"one"], values
pot.unsubscribe(OWN, PUMP)
pot.disconnect()
assert not pot.is_connected()
print("ok", simplepyble.__version__ if hasattr(simplepyble, "__version__") else "")
