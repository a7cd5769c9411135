# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What comes and goes in a run: each operation that adds or removes something, the event that follows, and what the page shows
then. A test requires that each operation which is not a GET is here, or among those that add and remove nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
ROOM = f"""
profile: room
beacons:
  - id: door
    device: gatt
    name: Door
    position: [0, 0]
    address: C0:FF:EE:00:00:01
    services:
      - uuid: 2173E519-9155-4862-AB64-7953AB146156
        characteristics: [ {{ uuid: 2173E519-9155-4862-AB64-7953AB146157, properties: [read, write], value: "00" }} ]
  - {{ id: shelf, device: ibeacon, position: [4, 3], ibeacon: {{ uuid: {UUID}, major: 1, minor: 8 }} }}
receivers:
  - {{ id: visitor, position: [1, 0], phone: exact }}
"""
SCENARIO = "scenario: evening\ntimeline:\n  - { at: 1h, do: disable shelf }\n"
LAMP = {"device": "ibeacon", "position": [2, 2], "ibeacon": {"uuid": UUID, "major": 1, "minor": 9}}


@dataclass(frozen=True)
class Coming:
    """An operation that adds or removes something."""

    operation: str
    method: str
    path: str
    event: str
    """The kind of the event that follows."""
    shown: str
    """A JavaScript expression that holds when the page shows it; `mark(name)` and `text(id)` are functions of the test."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of the event."""
    body: Any = None
    """JSON, or YAML as a text."""
    selects: str = ""
    """What must be selected on the page to see it."""


ROWS = [
    Coming("putBeacon", "PUT", "/v1/beacons/lamp", "reloaded", "mark('lamp')", {"beacons": 3}, LAMP),
    Coming("removeBeacon", "DELETE", "/v1/beacons/lamp", "reloaded", "!mark('lamp')", {"beacons": 2}),
    Coming("putBeacon", "PUT", "/v1/beacons/lamp", "advertising-started", "mark('lamp')", {"device": "lamp"}, LAMP),
    Coming("removeBeacons", "DELETE", "/v1/beacons?match=lamp", "reloaded", "!mark('lamp')", {"beacons": 2}),
    Coming("putReceiver", "PUT", "/v1/receivers/phone", "receiver-added", "mark('phone')",
           {"receiver": "phone", "phone": "iphone", "position": [2, 1, 0]}, {"phone": "iphone", "position": [2, 1]}),
    Coming("changeReceiver", "PATCH", "/v1/receivers/phone", "receiver-changed", "text('detail').includes('screen off')",
           {"receiver": "phone", "screen": "off"}, {"screen": "off"}, selects="phone"),
    Coming("putReceiver", "PUT", "/v1/receivers/phone", "receiver-changed", "text('detail').includes('exact')",
           {"receiver": "phone", "phone": "exact", "screen": "on"}, {"phone": "exact"}, selects="phone"),
    Coming("changeReceiver", "PATCH", "/v1/receivers/phone", "receiver-changed", "text('detail').includes('RSSI -7 dB, carried in the hand')",
           {"receiver": "phone"}, {"rssiOffset": -7, "carried": "hand"}, selects="phone"),
    Coming("changeReceiver", "PATCH", "/v1/receivers/phone", "receiver-changed", "text('detail').includes('altbeacon (galaxy-s9)')",
           {"receiver": "phone", "phone": "altbeacon", "handset": "galaxy-s9"}, {"phone": {"preset": "altbeacon", "handset": "galaxy-s9"}},
           selects="phone"),
    Coming("changeReceiver", "PATCH", "/v1/receivers/phone", "receiver-changed", "text('detail').includes('permission denied')",
           {"receiver": "phone", "obstacle": "permission-denied"}, {"permission": "denied"}, selects="phone"),
    Coming("changeReceiver", "PATCH", "/v1/receivers/phone", "receiver-changed", "!text('detail').includes('permission denied')",
           {"receiver": "phone"}, {"permission": "granted"}, selects="phone"),
    Coming("putRegion", "PUT", "/v1/receivers/phone/regions/shop", "region-monitored", "text('detail').includes('shop')",
           {"receiver": "phone", "region": "shop"}, {"uuid": UUID}, selects="phone"),
    Coming("removeRegion", "DELETE", "/v1/receivers/phone/regions/shop", "region-ended", "!text('detail').includes('shop')",
           {"receiver": "phone", "region": "shop"}, selects="phone"),
    Coming("connectDevice", "PUT", "/v1/receivers/phone/connections/door", "receiver-connected",
           "text('detail').includes('Connected to door')", {"receiver": "phone", "device": "door"}, {}, selects="phone"),
    Coming("disconnectDevice", "DELETE", "/v1/receivers/phone/connections/door", "receiver-disconnected",
           "!text('detail').includes('Connected to')", {"receiver": "phone", "device": "door"}, selects="phone"),
    Coming("overrideLink", "PUT", "/v1/links/shelf/phone", "link-overridden", "text('signal').includes('blocked')",
           {"from": "shelf", "to": "phone", "override": {"packet-loss": 100}}, {"blocked": True}, selects="phone"),
    Coming("resetLink", "DELETE", "/v1/links/shelf/phone", "link-reset", "!text('signal').includes('blocked')",
           {"from": "shelf", "to": "phone"}, selects="phone"),
    Coming("changePhysics", "PUT", "/v1/air/physics", "physics-changed", "value('physics') === 'hall'",
           {"physics": {"preset": "hall"}, "walls": 0}, "hall"),
    Coming("removeReceiver", "DELETE", "/v1/receivers/phone", "receiver-removed", "!mark('phone')", {"receiver": "phone"}),
    Coming("addReceiver", "POST", "/v1/receivers", "receiver-added", "mark('host-1')",
           {"receiver": "host-1", "position": [3, 1, 0]}, {"name": "host-1", "position": [3, 1]}),
    Coming("removeReceiver", "DELETE", "/v1/receivers/host-1", "receiver-removed", "!mark('host-1')", {"receiver": "host-1"}),
    Coming("startScenario", "PUT", "/v1/scenario", "scenario-running", "text('scenario').includes('evening: running')", {},
           SCENARIO),
    Coming("stopScenario", "DELETE", "/v1/scenario", "scenario-stopped", "text('scenario').includes('evening: stopped')"),
]
"""In this order, on a run of `ROOM`."""

OTHERS = {
    "failConnections": "a fault of connections to come: the event `connections-failing`",
    "reload": "the event `reloaded`, and those of the receivers of the profile",
    "reset": "as a reload; what clients have added is removed with an event each",
    "replaceProfile": "as a reload",
    "stop": "the event `stopping`",
    "setRadio": "the events `radio-lost` and `radio-ready`",
    "setRate": "the clock is no part of what comes and goes",
    "advanceClock": "the clock is no part of what comes and goes",
    "resetBeacon": "the event `settings-reset` of each beacon",
    "resetBeacons": "the event `settings-reset` of each beacon",
    "changeBeacons": "changes only, which have events of their own",
    "changeBeacon": "changes only, which have events of their own",
    "performCommand": "a device acts, and reports it",
    "requestPairing": "the events of pairing",
    "answerPairing": "the events of pairing",
    "forgetBonds": "the event `bond-forgotten` of each bond",
    "move": "a place, which clients read from time to time: a drag would be hundreds of events",
    "walk": "a place, which clients read from time to time",
    "disconnect": "the events `disconnected` and `receiver-disconnected`",
    "writeCharacteristic": "the event `written`",
    "unsubscribe": "the event `unsubscribed`",
    "startCapture": "a capture belongs to the client that starts it",
    "stopCapture": "a capture belongs to the client that starts it",
    "removeCapture": "a capture belongs to the client that starts it",
    "clearJournal": "the journal itself",
    "wait": "only reads",
}
"""Operations without a row, and why."""
