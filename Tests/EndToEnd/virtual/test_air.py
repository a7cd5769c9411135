# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The virtual air: its random seed, the addresses of its controllers, and attribute tables that change."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from beaconry import Beaconry, Run
from raw_host import READ_ADDRESS, RawHost, wire

VirtualAir = Callable[..., tuple[Run, str]]

ADDRESS = "C0:FF:EE:00:00:01"
BEACON = f"""
profile: one
beacons:
  - id: one
    device: ibeacon
    address: {ADDRESS}
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2, measured-power: -59 }}
    interval: 100ms
"""
SENSOR = """
profile: sensor
beacons:
  - id: sensor
    device: gatt
    address: {address}
    name: Sensor
    appearance: 833
    interval: 20ms
    services:
      - uuid: FFF0
        characteristics:
          - {{ name: {name}, uuid: {uuid}, properties: [read], permissions: {permissions}, type: text, value: {value} }}
"""
GREETING, SECRET = "2173e519-9155-4862-ab64-7953ab146157", "2173e519-9155-4862-ab64-7953ab146158"
# The handle after the declarations of the service, the device name and the appearance.
APPEARANCE = 5
WRITE_ADDRESS, LE_RAND = 0xFC06, 0x2018


def sensor(name: str, uuid: str, permissions: str, value: str) -> str:
    return SENSOR.format(address=ADDRESS, name=name, uuid=uuid, permissions=permissions, value=value)


def port(transport: str) -> int:
    return int(transport.rsplit(":", 1)[1])


def test_seed_is_reported_and_repeats_the_air(air: VirtualAir, beaconry: Beaconry) -> None:
    def rand(*options: str) -> tuple[int, bytes]:
        run, transport = air(beaconry.profile(BEACON), "--ephemeral", *options)
        seed = next(each["seed"] for each in run.events if each["event"] == "radio-ready")
        host = RawHost(port(transport))
        number = host.command(LE_RAND)
        host.close()
        assert run.end() == 0
        return seed, number

    (first, one), (second, other) = rand(), rand()
    assert first != second and one != other
    seeded, repeated = rand("--seed", "7"), rand("--seed", "7")
    assert seeded == repeated and seeded[0] == 7
    # A random seed that was reported repeats the air when it is given as --seed.
    assert rand("--seed", str(first))[0] == first


def test_hosts_choose_their_public_addresses(air: VirtualAir, beaconry: Beaconry) -> None:
    served = "tcp:127.0.0.1:0?address=00:1B:DC:07:31:42"
    run = beaconry.run(beaconry.profile(BEACON), "--hci-server", served, "--ephemeral", radio="virtual")
    number = int(run.wait("radio-ready")["servers"][0].rsplit(":", 1)[1])
    hosts = [RawHost(number), RawHost(number)]
    assert hosts[0].command(READ_ADDRESS)[-6:] == wire("00:1B:DC:07:31:42")
    assert hosts[1].command(READ_ADDRESS)[-6:] == wire("00:1B:DC:07:31:43")
    hosts[1].command(WRITE_ADDRESS, wire("00:1B:DC:07:31:99"))
    assert hosts[1].command(READ_ADDRESS)[-6:] == wire("00:1B:DC:07:31:99")
    for host in hosts:
        host.close()


@pytest.mark.parametrize("query", ["address=C0:FF:EE", "address=00:00:00:00:00:00", "address=", "place=x", ""])
@pytest.mark.parametrize("place", ["tcp:127.0.0.1:0", "vhci"])
def test_invalid_address_is_a_usage_error(beaconry: Beaconry, place: str, query: str) -> None:
    result = beaconry.call(
        "run", str(beaconry.profile(BEACON)), "--radio", "virtual", "--ephemeral", "--hci-server", f"{place}?{query}"
    )
    assert result.returncode == 64
    assert "--hci-server" in result.stderr and "address" in result.stderr


def test_appearance_is_the_value_of_its_characteristic(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(sensor("greeting", GREETING, "open", "hello")), "--ephemeral")
    host = RawHost(port(transport))
    host.start()
    host.connect(ADDRESS)
    assert host.read(APPEARANCE) == struct.pack("<H", 833)
    host.close()


def test_reload_with_other_services_keeps_handles_and_permissions_together(
    air: VirtualAir, beaconry: Beaconry
) -> None:
    path = beaconry.profile(sensor("greeting", GREETING, "open", "hello"))
    run, transport = air(path, "--ephemeral")
    host = RawHost(port(transport))
    host.start()
    host.connect(ADDRESS)
    value = host.characteristics()[GREETING]
    assert host.read(value) == b"hello"
    path.write_text(sensor("secret", SECRET, "encrypted", "SECRET"))
    assert beaconry.call("ctl", "reload").returncode == 0
    run.wait("reloaded")
    # Insufficient Authentication, by the permission of the new table.
    assert host.request(struct.pack("<BH", 0x0A, value)) == struct.pack("<BBHB", 0x01, 0x0A, value, 0x05)
    host.close()
