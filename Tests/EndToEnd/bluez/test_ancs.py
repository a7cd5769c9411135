# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone's notifications over bluetoothd: our display or our phone on hci0 through bluetoothd, the other one on hci1
with our own host stack."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from ancs import APPS_AND_NOTIFICATIONS, SOLICITATION, WANTED, of, shown
from beaconry import PROFILES, Beaconry, Run
from vhci import Bluetoothd, Controllers, Phone, as_ordinary_user, eventually

# bluetoothd is the central and the attribute client.
pytestmark = pytest.mark.depends_on("bluez")

OWN, DAEMON = "hci-socket:1", "bluez:hci0"
DISPLAY = f"""
profile: display
beacons:
  - id: bob
    device: ancs-accessory
    interval: 100ms
    {WANTED}
"""
PHONE = f"""
phone: iphone
pairing: PAIRING
{APPS_AND_NOTIFICATIONS}"""
PAIRINGS = pytest.mark.parametrize(
    "is_paired", [pytest.param(False, id="unpaired", marks=pytest.mark.depends_on()), pytest.param(True, id="paired")]
)


@dataclass
class Rig:
    """Starts displays and phones."""

    beaconry: Beaconry
    controllers: Controllers
    bluetoothd: Bluetoothd

    def take(self, radio: str) -> None:
        """Powers a controller off for the user channel; bluetoothd powers it on when it returns from there."""
        if radio == OWN:
            eventually("hci1 is the kernel's", lambda: 1 in self.controllers.indexes().values())
            self.bluetoothd.wait()
            self.controllers.power(1, False)

    @property
    def control(self) -> tuple[str, str]:
        return "--control", str(self.beaconry.runtime / "bob.sock")

    def display(self, radio: str, is_paired: bool = False) -> Run:
        """A display that is on the air."""
        text = DISPLAY + ("    pairing: { io: none }\n" if is_paired else "")
        self.take(radio)
        run = self.beaconry.run(self.beaconry.profile(text), *self.control, radio=radio)
        run.wait("ready")
        return run

    def phone(self, radio: str, is_paired: bool = False, more: str = "") -> Run:
        """A phone that scans for a display."""
        text = PHONE.replace("PAIRING", "required" if is_paired else "off") + more
        profile = self.beaconry.profile(text, "phone.yaml")
        self.take(radio)
        return self.beaconry.start("phone", str(profile), "--radio", radio, "--json")

    def as_visitor(self, *arguments: str) -> Run:
        """Any command on bluetoothd's adapter, as a user who has only D-Bus."""
        shutil.rmtree("/tmp/visitor", ignore_errors=True)
        prefix = as_ordinary_user(["XDG_STATE_HOME=/tmp/visitor/state", "XDG_RUNTIME_DIR=/tmp/visitor"])
        subprocess.run(["install", "-d", "-o", "visitor", "-m", "700", "/tmp/visitor"], check=True)
        return self.beaconry.start(*arguments, "--radio", DAEMON, "--json", prefix=prefix)

    def ctl(self, *words: object) -> None:
        """An action of the display's user."""
        done = self.beaconry.call("ctl", *map(str, words), *self.control)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def rig(beaconry: Beaconry, fresh_controllers: Controllers, bluetoothd: Bluetoothd) -> Iterator[Rig]:
    """Controllers after a reset, one of them ours, and a bluetoothd that knows no devices."""
    controllers = fresh_controllers
    Phone(0).forget()
    yield Rig(beaconry, controllers, bluetoothd)
    beaconry.close()
    Phone(0).forget()
    for index in controllers.indexes().values():
        controllers.power(index, True)


def expect_session(rig: Rig, display: Run, phone: Run, is_paired: bool) -> None:
    """Expects all notifications and actions of a session between a display and a phone."""
    phone.wait("connected")
    if is_paired:
        phone.wait("encrypted")
    display.wait("notifications-available")
    assert "pre-existing" in display.wait("notification-added", where=of("SOCIAL"))["notification"]["flags"]
    shown(display, "SOCIAL", title="Robert", message="Are you coming?")
    call = shown(
        display, "CALL", app="com.apple.mobilephone", appName="Phone", title="Davidson Ro", message="Incoming Call",
        date="20140512T093015", positiveAction="Answer", negativeAction="Decline",
    )  # fmt: skip
    rig.ctl("act", "bob", "negative", call["uid"])
    assert phone.wait("action-performed")["name"] == "call"
    display.wait_until_reported("action-performed", action="negative")
    if not any(event["event"] == "notification-removed" for event in display.events):
        display.wait("notification-removed", where=of("CALL"))
    if is_paired:
        display.wait_until_reported("paired")
    assert ("not-encrypted" in display.warnings()) != is_paired


# The display -----------------------------------------------------------------------------------------------------


@PAIRINGS
def test_our_display_uses_a_phone_through_bluetoothd(rig: Rig, is_paired: bool) -> None:
    display = rig.display(DAEMON, is_paired)
    started = next(event for event in display.events if event["event"] == "advertising-started")
    assert started["advertisingData"] == SOLICITATION.hex()
    phone = rig.phone(OWN, is_paired)
    expect_session(rig, display, phone, is_paired)
    assert phone.end() == 0
    display.wait("disconnected")
    display.wait("advertising-started")
    assert display.end() == 0


@pytest.mark.depends_on()
def test_removed_service_is_used_again_when_it_returns(rig: Rig) -> None:
    """bluetoothd follows the changes of the phone's services, and the display follows bluetoothd."""
    display = rig.display(DAEMON)
    phone = rig.phone(OWN, more="changes:\n  - { at: 5s, service: away }\n  - { at: 15s, service: back }\n")
    first = shown(display, "SOCIAL")["uid"]
    phone.wait("service-away")
    assert display.wait("notifications-unavailable")["reason"] == "the phone's services have changed"
    display.wait("notifications-unavailable", reason="the phone has no notification service")
    phone.wait("service-back")
    display.wait("notifications-available")
    again = display.wait("notification-added", where=of("SOCIAL"))["notification"]
    assert again["uid"] != first and "pre-existing" in again["flags"]
    shown(display, "SOCIAL", title="Robert")
    assert phone.end() == 0
    assert display.end() == 0


def test_display_needs_only_the_bus(rig: Rig) -> None:
    """bluetoothd composes the solicitation, and reports who connects."""
    display = rig.as_visitor("run", str(PROFILES / "ancs.yaml"))
    assert display.wait("radio-ready")["way"] == "D-Bus"
    display.wait("ready")
    phone = rig.phone(OWN, is_paired=True)
    phone.wait("encrypted")
    display.wait("notifications-available")
    shown(display, "CALL", title="Davidson Ro", appName="Phone")
    assert "not-encrypted" not in display.warnings()
    assert phone.end() == 0
    display.wait("disconnected")
    assert display.end() == 0


# The phone -------------------------------------------------------------------------------------------------------


@PAIRINGS
def test_our_phone_serves_a_display_through_bluetoothd(rig: Rig, is_paired: bool) -> None:
    """A display that connects twice, as a bonded device if it has paired, receives all notifications again."""
    phone = None
    for _ in range(2):
        display = rig.display(OWN, is_paired)
        phone = phone or rig.phone(DAEMON, is_paired)
        phone.wait("connected")
        if is_paired:
            phone.wait("encrypted")
        display.wait("notifications-available")
        assert "pre-existing" in display.wait("notification-added", where=of("SOCIAL"))["notification"]["flags"]
        shown(display, "SOCIAL", title="Robert")
        # The phone answers all requests first: bluetoothd 5.82 has crashed when a requesting peer disconnected.
        shown(display, "CALL", title="Davidson Ro", appName="Phone")
        # If a controller is reset while the phone reconnects, the phone stays connected to no device.
        rig.ctl("disable", "bob")
        assert display.end() == 0
        phone.wait("disconnected")
    assert phone and phone.end() == 0


def test_phone_with_only_the_bus_reports_its_limit(rig: Rig) -> None:
    """bluetoothd does not report solicited services, and the phone reports that limit."""
    phone = rig.as_visitor("phone", str(PROFILES / "phones" / "iphone.yaml"))
    phone.wait("warning", code="exact-data")
    phone.wait("looking")
    assert phone.end() == 0
