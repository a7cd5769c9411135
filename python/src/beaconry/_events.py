# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The names of events (docs/events.md): `NAMES`, in which `error` is printed by a program that does not start, and `FORMER`, the
present names by names that events had."""

from __future__ import annotations

import difflib

# the names: written by Scripts/api
NAMES = frozenset(
    {
        "accessory-found",
        "action-failed",
        "action-performed",
        "advertising-changed",
        "advertising-refused",
        "advertising-started",
        "advertising-stopped",
        "asked",
        "battery-flat",
        "battery-full",
        "bond-forgotten",
        "bonds-reset",
        "bonds-saved",
        "comparison-wanted",
        "connected",
        "connection-failed",
        "degraded",
        "disconnected",
        "encrypted",
        "error",
        "events-lost",
        "host-joined",
        "host-left",
        "host-refused",
        "http-ready",
        "link-overridden",
        "link-reset",
        "looking",
        "muted",
        "not-notified",
        "notification-added",
        "notification-modified",
        "notification-not-shown",
        "notification-removed",
        "notification-shown",
        "notifications-available",
        "notifications-unavailable",
        "paired",
        "pairing-began",
        "pairing-failed",
        "passkey-shown",
        "passkey-wanted",
        "physics-changed",
        "radio-lost",
        "radio-ready",
        "ready",
        "receiver-added",
        "receiver-changed",
        "receiver-connected",
        "receiver-disconnected",
        "receiver-removed",
        "recovered",
        "refused",
        "region-ended",
        "region-monitored",
        "reload-failed",
        "reloaded",
        "replay-ended",
        "scan-started",
        "scan-stopped",
        "scenario-changed",
        "scenario-ended",
        "scenario-running",
        "scenario-stopped",
        "service-away",
        "service-back",
        "session-began",
        "session-ended",
        "settings-reset",
        "settings-restored",
        "settings-saved",
        "stopping",
        "subscribed",
        "unmuted",
        "unsubscribed",
        "waiting",
        "warning",
        "written",
    }
)
FORMER = {
    "bonds-persisted": "bonds-saved",
    "not-told": "not-notified",
    "persisted": "settings-saved",
}
# end of the names


def check(name: str) -> None:
    """Raises `ValueError` for the name of no event: it would never be found, and its absence would be no news."""
    if name in NAMES or name.startswith("notification-event-"):
        return
    if name in FORMER:
        raise ValueError(f'there is no event "{name}"; it is "{FORMER[name]}" now')
    close = difflib.get_close_matches(name, sorted(NAMES), 1)
    question = f' did you mean "{close[0]}"?' if close else ""
    raise ValueError(f'there is no event "{name}";{question} docs/events.md has all of them')
