# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A receiver within a run, on the adapter of the run: it receives what another adapter sends."""

from __future__ import annotations

import json

import pytest
from beaconry import Beaconry, ibeacon
from vhci import ADDRESSES, Witness, eventually

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""
profile: shop
beacons:
  - {{ id: door, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
receivers:
  - {{ id: phone, phone: exact, regions: [{{ id: shop, uuid: {UUID} }}] }}
"""

pytestmark = pytest.mark.depends_on("bluez", "controllers")


def test_receiver_beside_the_beacons_receives_others(beaconry: Beaconry, witness: Witness, extended: bool) -> None:
    run = beaconry.run(beaconry.profile(SHOP))
    run.wait("ready")
    if not extended:
        # The kernel refuses advertisements while a controller without sets of them scans.
        assert "not-listening" in run.warnings()
        assert run.end() == 0
        return
    other = beaconry.start(
        "advertise", "--uuid", UUID, "--major", "2", "--minor", "7", "--radio", "bluez:hci1", "--json", "--control", "none"
    )
    other.wait("ready")

    def ctl(*words: str) -> list[dict]:
        done = beaconry.call("ctl", "receiver", *words, "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    found = eventually("the other beacon is ranged", lambda: ctl("beacons", "phone")[0]["beacons"])
    assert [(each["uuid"], each["major"], each["minor"]) for each in found] == [(UUID, 2, 7)]
    [region] = ctl("regions", "phone")
    assert (region["identifier"], region["state"]) == ("shop", "inside")
    # The beacon of the run is on the air meanwhile.
    witness.wait_for(lambda air: ibeacon(UUID, 1, 1) in [each.advertising_data for each in air.on_air])
    assert "not-listening" not in run.warnings()

    refused = beaconry.call("ctl", "receiver", "listen", "second")
    assert refused.returncode != 0 and "is the receiver phone already" in refused.stderr
    refused = beaconry.call("ctl", "receiver", "connect", "phone", ADDRESSES[1])
    assert refused.returncode != 0 and "does not connect on bluez:hci0" in refused.stderr

    assert other.end() == 0
    eventually("the beacon is lost", lambda: not ctl("beacons", "phone")[0]["beacons"])
    assert run.end() == 0
    witness.wait_for(lambda air: not air.on_air)
