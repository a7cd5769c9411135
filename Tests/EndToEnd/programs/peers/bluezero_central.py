# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A program with bluezero: a central on dbus-python and GLib."""

from __future__ import annotations

from bluezero import adapter, central

POT = "C0:FF:EE:00:00:03"
LABEL, PUMP = (f"5a1e000{number}-8c1d-4e8b-9c55-0d0e8f6a1b01" for number in (3, 4))
OWN = "5a1e0001-8c1d-4e8b-9c55-0d0e8f6a1b01"

dongle = next(each for each in adapter.Adapter.available() if each.path == "/org/bluez/hci0")
while not any(each.address == POT for each in central.Central.available(dongle.address)):
    dongle.nearby_discovery(timeout=2)
pot = central.Central(POT, dongle.address)
pot.add_characteristic(OWN, LABEL)
pot.add_characteristic(OWN, PUMP)
pot.connect(timeout=300)
assert pot.connected and pot.rmt_device.name == "Plant"
pot.load_gatt()
label, pump = pot._characteristics
label.value = list(b"Mint")
assert bytes(label.value) == b"Mint", label.value
values: list[bytes] = []


def changed(interface: str, what: dict, _: list) -> None:
    if "Value" in what:
        values.append(bytes(what["Value"]))
        pot.quit()


pump.add_characteristic_cb(changed)
pump.start_notify()
pump.write_value(list(b"one"), flags={})
pot.run()
assert values == [b"one"], values
pump.stop_notify()
pot.disconnect()
print("ok")
