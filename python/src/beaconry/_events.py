# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The events and their fields (docs/events.md): `FIELDS` of each event beside those of all, in which `error` is printed by a program
that does not start; `MEMBERS` of the fields that are objects, empty where any is possible; and `HINTS` for names that no event has,
but had once, or that people look for."""

from __future__ import annotations

from ._spelling import hint

COMMON = ("v", "time", "event", "sequence")
"""The fields of all events."""
NUMBERED = "notification-event-"
"""The beginning of the names of events with a number, which `FIELDS` has as N."""

# the names: written by Scripts/api
FIELDS: dict[str, tuple[str, ...]] = {
    "accessory-found": ("device", "label", "central", "address", "advertisingData"),
    "action-failed": ("device", "label", "central", "notification", "action", "reason"),
    "action-performed": ("device", "label", "central", "notification", "action", "name"),
    "advertising-changed": (
        "device", "label", "radio", "requested", "unknown", "different", "address", "pdu", "advertisingData", "scanResponse",
        "intervalTicks", "intervalTicksRange", "txPower",
    ),
    "advertising-refused": ("device", "label", "code", "message", "hint"),
    "advertising-started": (
        "device", "label", "radio", "requested", "unknown", "different", "address", "pdu", "advertisingData", "scanResponse",
        "intervalTicks", "intervalTicksRange", "txPower",
    ),
    "advertising-stopped": ("device", "label", "reason"),
    "asked": ("device", "label", "central", "value", "notification", "app"),
    "battery-flat": ("device", "label"),
    "battery-full": ("device", "label"),
    "bond-forgotten": ("device", "label", "central", "peer", "peerType"),
    "bonds-reset": ("device", "label", "file"),
    "bonds-saved": ("device", "label", "file"),
    "comparison-wanted": ("device", "label", "central", "passkey"),
    "connected": ("device", "label", "central"),
    "connection-failed": ("device", "label", "central", "address", "message", "hint"),
    "connections-failing": ("device", "label", "connections", "phase", "reason"),
    "degraded": ("expected", "onAir", "missing", "message"),
    "disconnected": ("device", "label", "central", "reason"),
    "encrypted": ("device", "label", "central", "authenticated", "keySize"),
    "error": ("severity", "code", "exitCode", "file", "line", "column", "field", "message", "hint"),
    "estimated": ("receiver", "label", "estimator", "room", "position"),
    "events-lost": ("count", "message"),
    "host-joined": ("host", "transport", "peer", "address", "hostKind"),
    "host-left": ("host", "transport", "peer", "address", "hostKind"),
    "host-refused": ("host", "transport", "peer", "address", "hostKind", "reason"),
    "http-ready": ("url",),
    "label-changed": ("device", "label", "receiver"),
    "link-overridden": ("from", "to", "override"),
    "link-reset": ("from", "to"),
    "looking": ("device", "label", "central"),
    "muted": ("device", "label", "seconds"),
    "not-notified": ("device", "label", "central", "characteristic", "value", "reason"),
    "notification-added": ("device", "label", "central", "notification"),
    "notification-event-N": ("device", "label", "central", "notification"),
    "notification-modified": ("device", "label", "central", "notification"),
    "notification-not-shown": ("device", "label", "central", "notification", "reason"),
    "notification-removed": ("device", "label", "central", "notification"),
    "notification-shown": ("device", "label", "central", "notification"),
    "notifications-available": ("device", "label", "central", "reason"),
    "notifications-unavailable": ("device", "label", "central", "reason"),
    "paired": ("device", "label", "central", "peer", "peerType", "bonded", "authenticated", "secureConnections", "keySize"),
    "pairing-began": ("device", "label", "central"),
    "pairing-failed": ("device", "label", "central", "code", "message", "hint"),
    "passkey-shown": ("device", "label", "central", "passkey"),
    "passkey-wanted": ("device", "label", "central"),
    "physics-changed": ("physics", "walls"),
    "radio-lost": ("code", "message", "hint"),
    "radio-ready": (
        "radio", "way", "reason", "address", "extended", "instances", "freeInstances", "servers", "receivers", "seed", "air",
    ),
    "ready": ("beacons", "onAir"),
    "receiver-added": ("receiver", "label", "server", "position", "phone", "handset", "listening", "screen", "obstacle"),
    "receiver-changed": ("receiver", "label", "phone", "handset", "listening", "screen", "obstacle"),
    "receiver-connected": ("receiver", "label", "device", "address"),
    "receiver-disconnected": ("receiver", "label", "device", "address"),
    "receiver-removed": ("receiver", "label"),
    "recovered": ("expected", "onAir", "missing", "message"),
    "refused": (
        "device", "label", "central", "characteristic", "characteristicName", "operation", "attError", "code", "reason", "value",
    ),
    "region-ended": ("receiver", "label", "region"),
    "region-monitored": ("receiver", "label", "region", "identifiers"),
    "reload-failed": ("message", "hint", "faults"),
    "reloaded": ("beacons",),
    "replay-ended": ("packets",),
    "room-entered": ("receiver", "label", "room", "position"),
    "room-left": ("receiver", "label", "room", "position"),
    "scan-started": ("host", "transport", "peer", "address", "hostKind", "scan"),
    "scan-stopped": ("host", "transport", "peer", "address", "hostKind"),
    "scenario-changed": ("scenario",),
    "scenario-ended": ("scenario",),
    "scenario-running": ("scenario",),
    "scenario-stopped": ("scenario",),
    "service-away": ("device", "label", "central"),
    "service-back": ("device", "label", "central"),
    "session-began": ("device", "label", "central"),
    "session-ended": ("device", "label", "central"),
    "settings-reset": ("device", "label", "file"),
    "settings-restored": ("device", "label", "file", "message", "hint"),
    "settings-saved": ("device", "label", "file"),
    "stopping": (),
    "subscribed": ("device", "label", "central", "characteristic", "characteristicName"),
    "unmuted": ("device", "label"),
    "unsubscribed": ("device", "label", "central", "characteristic", "characteristicName"),
    "waiting": ("device", "label", "message", "hint"),
    "warning": ("device", "label", "central", "code", "message", "hint"),
    "written": ("device", "label", "central", "characteristic", "characteristicName", "value", "decoded"),
}
MEMBERS: dict[str, tuple[str, ...]] = {
    "decoded": (),
    "identifiers": ("uuid", "major", "minor", "namespace", "instance"),
    "notification": (
        "uid", "category", "categoryCount", "display", "flags", "name", "app", "appName", "title", "subtitle", "message",
        "messageSize", "date", "positiveAction", "negativeAction",
    ),
    "override": ("rssi", "loss", "packet-loss", "for"),
    "physics": (
        "preset", "exponent", "clutter", "shadowing", "open-space", "fading", "fast", "antenna", "sensitivity", "capture",
        "interference", "body", "hand",
    ),
    "receivers": (),
    "requested": ("address", "pdu", "advertisingData", "scanResponse", "intervalTicks", "txPower"),
    "scenario": ("v", "scenario", "state", "elapsed", "duration", "changes", "done", "next", "refused", "ignored"),
}
HINTS = {
    "bonds-persisted": 'it is "bonds-saved" now',
    "not-told": 'it is "not-notified" now',
    "persisted": 'it is "settings-saved" now',
    "region-entered": 'a receiver has the states of its regions: ctl receiver regions, phone.state(region) in tests, and enters and exits in the expectations of scenarios',
    "region-exited": 'a receiver has the states of its regions: ctl receiver regions, phone.state(region) in tests, and enters and exits in the expectations of scenarios',
    "region-left": 'a receiver has the states of its regions: ctl receiver regions, phone.state(region) in tests, and enters and exits in the expectations of scenarios',
}
# end of the names


def matching(pattern: str) -> list[str]:
    """The events with a name, or a beginning before `*`.

    Raises `ValueError` for the name of no event: it would never be found, and its absence would be no news.
    """
    if pattern.endswith("*"):
        found = [name for name in FIELDS if name.startswith(pattern[:-1])]
    elif pattern.startswith(NUMBERED) and pattern.removeprefix(NUMBERED).isdigit():
        found = [f"{NUMBERED}N"]
    else:
        found = [pattern] if pattern in FIELDS else []
    if found:
        return found
    raise ValueError(f'there is no event "{pattern}"; {HINTS.get(pattern) or hint(pattern, "events", sorted(FIELDS))}')
