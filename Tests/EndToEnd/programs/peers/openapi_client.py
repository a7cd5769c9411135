# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""URL: uses a client that openapi-python-client has generated from the description. All values are typed; an answer that is not
as described has none."""

from __future__ import annotations

import sys

from beaconry_control_client import Client
from beaconry_control_client.api.default import change_beacon, list_beacons, move, show_beacon, wait
from beaconry_control_client.models.beacon import Beacon
from beaconry_control_client.models.beacon_battery import BeaconBattery
from beaconry_control_client.models.beacon_state import BeaconState
from beaconry_control_client.models.change_beacon_body import ChangeBeaconBody
from beaconry_control_client.models.change_beacon_body_settings import ChangeBeaconBodySettings
from beaconry_control_client.models.condition import Condition
from beaconry_control_client.models.condition_match import ConditionMatch
from beaconry_control_client.models.effective import Effective
from beaconry_control_client.models.effective_pdu import EffectivePdu
from beaconry_control_client.models.list_beacons_response_200 import ListBeaconsResponse200
from beaconry_control_client.models.move_body import MoveBody
from beaconry_control_client.models.place import Place
from beaconry_control_client.models.problem import Problem
from beaconry_control_client.models.verdicts import Verdicts
from beaconry_control_client.models.wait_body import WaitBody

client = Client(sys.argv[1], timeout=300, raise_on_unexpected_status=True)

listed = list_beacons.sync(client=client)
assert isinstance(listed, ListBeaconsResponse200)
entrance = listed.beacons[0]
assert (entrance.id, entrance.state, entrance.battery, entrance.muted) == (
    "entrance", BeaconState.ON_AIR, BeaconBattery.FULL, False
)  # fmt: skip
assert isinstance(entrance.settings.major, int) and entrance.settings.interval == "100ms"
assert isinstance(entrance.effective, Effective)
assert (entrance.effective.interval_ticks, entrance.effective.pdu) == (160, EffectivePdu.ADV_IND)

# What was listed is a change.
settings = ChangeBeaconBodySettings.from_dict(entrance.settings.to_dict() | {"major": 77})
changed = change_beacon.sync("entrance", client=client, body=ChangeBeaconBody(settings=settings))
assert isinstance(changed, Beacon) and changed.settings.major == 77 and changed.changed is True

place = move.sync("entrance", client=client, body=MoveBody(position=[3.0, 4.0]))
assert isinstance(place, Place) and place.position == [3, 4, 0]
shown = show_beacon.sync("entrance", client=client)
assert isinstance(shown, Beacon) and shown.position == [3, 4, 0]

match = ConditionMatch.from_dict({"event": "advertising-changed", "device": "entrance"})
waited = wait.sync(client=client, body=WaitBody(conditions=[Condition(match=match, count=1)], within="200s"))
assert isinstance(waited, Verdicts)
[verdict] = waited.verdicts
assert verdict.ok and verdict.count == 1 and verdict.events[0].event == "advertising-changed"

refused = change_beacon.sync("entrance", client=client, body=ChangeBeaconBody(enabled=True, position=[1e9, 0.0]))
assert isinstance(refused, Problem) and refused.status == 422 and refused.exit_code == 65
print("listed, changed, moved, verified")
