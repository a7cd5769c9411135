# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone's notifications, as displays and phones of all radios have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beaconry import Event, Run

SOLICITATION = bytes.fromhex("0201020409424f421115d0002d121e4b0fa4994eceb531f40579")
"""The advertising data of a display that is named BOB."""

WANTED = "ask: [app, title 11, message 64, date, positive-action, negative-action]"
"""What a display wants to know."""

CALL = """
    category: incoming-call
    app: com.apple.mobilephone
    title: Davidson Robert
    message: Incoming Call
    date: 20140512T093015
    positive-action: Answer
    negative-action: Decline
"""
"""What a phone has of a notification."""

APPS_AND_NOTIFICATIONS = f"""apps: {{ com.apple.mobilephone: Phone }}
notifications:
  - id: text
    category: social
    title: Robert
    message: Are you coming?
  - id: call
    at: 100ms{CALL}"""
"""A phone that has a text from the start and is called soon."""


def of(display: str) -> Callable[[Event], bool]:
    """Whether an event is of a notification that the display has under this name."""
    return lambda event: event["notification"].get("display") == display


def shown(run: Run, display: str, **fields: Any) -> Event:
    """Waits until the display shows what there is to know of a notification."""
    notification = run.wait("notification-shown", 60, where=of(display))["notification"]
    assert fields.items() <= notification.items(), notification
    return notification
