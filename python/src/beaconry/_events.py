# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The events and their fields (docs/events.md): `FIELDS` of each event beside those of all, in which `error` is printed by a program
that does not start; `MEMBERS` of the fields that are objects, empty where any is possible; and `FORMER`, the present names by names
that events had."""

from __future__ import annotations

from ._spelling import hint

COMMON = ("v", "time", "event", "sequence")
"""The fields of all events."""
NUMBERED = "notification-event-"
"""The beginning of the names of events with a number, which `FIELDS` has as N."""

# the names: written by Scripts/api
FIELDS: dict[str, tuple[str, ...]] = {
    "accessory-found": ("device", "central", "address", "advertisingData"),
    "action-failed": ("device", "central", "notification", "action", "reason"),
    "action-performed": ("device", "central", "notification", "action", "name"),
    "advertising-changed": (
        "device", "radio", "requested", "unknown", "different", "address", "pdu", "advertisingData", "scanResponse",
        "intervalTicks", "intervalTicksRange", "txPower",
    ),
    "advertising-refused": ("device", "code", "message", "hint"),
    "advertising-started": (
        "device", "radio", "requested", "unknown", "different", "address", "pdu", "advertisingData", "scanResponse",
        "intervalTicks", "intervalTicksRange", "txPower",
    ),
    "advertising-stopped": ("device", "reason"),
    "asked": ("device", "central", "value", "notification", "app"),
    "battery-flat": ("device",),
    "battery-full": ("device",),
    "bond-forgotten": ("device", "central", "peer", "peerType"),
    "bonds-reset": ("device", "file"),
    "bonds-saved": ("device", "file"),
    "comparison-wanted": ("device", "central", "passkey"),
    "connected": ("device", "central"),
    "connection-failed": ("device", "central", "address", "message", "hint"),
    "connections-failing": ("device", "connections", "phase", "reason"),
    "degraded": ("expected", "onAir", "missing", "message"),
    "disconnected": ("device", "central", "reason"),
    "encrypted": ("device", "central", "authenticated", "keySize"),
    "error": ("severity", "code", "exitCode", "file", "line", "column", "field", "message", "hint"),
    "events-lost": ("count", "message"),
    "host-joined": ("host", "transport", "peer", "address"),
    "host-left": ("host", "transport", "peer", "address"),
    "host-refused": ("host", "transport", "peer", "address", "reason"),
    "http-ready": ("url",),
    "link-overridden": ("from", "to", "override"),
    "link-reset": ("from", "to"),
    "looking": ("device", "central"),
    "muted": ("device", "seconds"),
    "not-notified": ("device", "central", "characteristic", "value", "reason"),
    "notification-added": ("device", "central", "notification"),
    "notification-event-N": ("device", "central", "notification"),
    "notification-modified": ("device", "central", "notification"),
    "notification-not-shown": ("device", "central", "notification", "reason"),
    "notification-removed": ("device", "central", "notification"),
    "notification-shown": ("device", "central", "notification"),
    "notifications-available": ("device", "central", "reason"),
    "notifications-unavailable": ("device", "central", "reason"),
    "paired": ("device", "central", "peer", "peerType", "bonded", "authenticated", "secureConnections", "keySize"),
    "pairing-began": ("device", "central"),
    "pairing-failed": ("device", "central", "code", "message", "hint"),
    "passkey-shown": ("device", "central", "passkey"),
    "passkey-wanted": ("device", "central"),
    "physics-changed": ("physics", "walls"),
    "radio-lost": ("code", "message", "hint"),
    "radio-ready": (
        "radio", "way", "reason", "address", "extended", "instances", "freeInstances", "servers", "receivers", "seed",
    ),
    "ready": ("beacons", "onAir"),
    "receiver-added": ("receiver", "server", "position", "phone", "listening", "screen"),
    "receiver-changed": ("receiver", "phone", "listening", "screen"),
    "receiver-connected": ("receiver", "device", "address"),
    "receiver-disconnected": ("receiver", "device", "address"),
    "receiver-removed": ("receiver",),
    "recovered": ("expected", "onAir", "missing", "message"),
    "refused": ("device", "central", "characteristic", "characteristicName", "operation", "attError", "code", "reason", "value"),
    "region-ended": ("receiver", "region"),
    "region-monitored": ("receiver", "region", "identifiers"),
    "reload-failed": ("message", "hint", "faults"),
    "reloaded": ("beacons",),
    "replay-ended": ("packets",),
    "scan-started": ("host", "transport", "peer", "address", "scan"),
    "scan-stopped": ("host", "transport", "peer", "address"),
    "scenario-changed": ("scenario",),
    "scenario-ended": ("scenario",),
    "scenario-running": ("scenario",),
    "scenario-stopped": ("scenario",),
    "service-away": ("device", "central"),
    "service-back": ("device", "central"),
    "session-began": ("device", "central"),
    "session-ended": ("device", "central"),
    "settings-reset": ("device", "file"),
    "settings-restored": ("device", "file", "message", "hint"),
    "settings-saved": ("device", "file"),
    "stopping": (),
    "subscribed": ("device", "central", "characteristic", "characteristicName"),
    "unmuted": ("device",),
    "unsubscribed": ("device", "central", "characteristic", "characteristicName"),
    "waiting": ("device", "message", "hint"),
    "warning": ("device", "central", "code", "message", "hint"),
    "written": ("device", "central", "characteristic", "characteristicName", "value", "decoded"),
}
MEMBERS: dict[str, tuple[str, ...]] = {
    "decoded": (),
    "identifiers": ("uuid", "major", "minor", "namespace", "instance"),
    "notification": (
        "uid", "category", "categoryCount", "display", "flags", "name", "app", "appName", "title", "subtitle", "message",
        "messageSize", "date", "positiveAction", "negativeAction",
    ),
    "override": ("rssi", "loss", "packet-loss", "for"),
    "physics": ("preset", "exponent", "shadowing", "fading", "fast", "sensitivity", "capture", "body"),
    "receivers": (),
    "requested": ("address", "pdu", "advertisingData", "scanResponse", "intervalTicks", "txPower"),
    "scenario": ("v", "scenario", "state", "elapsed", "duration", "changes", "done", "next", "refused", "ignored"),
}
FORMER = {
    "bonds-persisted": "bonds-saved",
    "not-told": "not-notified",
    "persisted": "settings-saved",
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
    if pattern in FORMER:
        raise ValueError(f'there is no event "{pattern}"; it is "{FORMER[pattern]}" now')
    raise ValueError(f'there is no event "{pattern}"; {hint(pattern, "events", sorted(FIELDS))}')
