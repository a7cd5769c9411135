# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone's notifications, as displays and phones on all radios have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beaconry import Event, Run

SOLICITATION = bytes.fromhex("0201020409424f421115d0002d121e4b0fa4994eceb531f40579")
"""The advertising data of a display with the name BOB."""

WANTED = "ask: [app, title 11, message 64, date, positive-action, negative-action]"
"""The attributes that a display requests."""

CALL = """
    category: incoming-call
    app: com.apple.mobilephone
    title: Davidson Robert
    message: Incoming Call
    date: 20140512T093015
    positive-action: Answer
    negative-action: Decline
"""
"""The attributes of a notification on the phone."""

APPS_AND_NOTIFICATIONS = f"""apps: {{ com.apple.mobilephone: Phone }}
notifications:
  - id: text
    category: social
    title: Robert
    message: Are you coming?
  - id: call
    at: 100ms{CALL}"""
"""A phone that has a text message from the start, and receives a call soon."""


def of(display: str) -> Callable[[Event], bool]:
    """A condition: an event is about the notification with this name on a display."""
    return lambda event: event["notification"].get("display") == display


def shown(run: Run, display: str, **fields: Any) -> Event:
    """Waits until the display shows the attributes of a notification."""
    notification = run.wait("notification-shown", where=of(display))["notification"]
    assert fields.items() <= notification.items(), notification
    return notification
