# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone's notifications over bluetoothd: our display or our phone on hci0 through it, the other one on hci1 with our own
host stack."""

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
    """Where displays and phones are started."""

    beaconry: Beaconry
    controllers: Controllers
    bluetoothd: Bluetoothd

    def take(self, radio: str) -> None:
        """The user channel takes what is down, and bluetoothd powers on what comes back from there."""
        if radio == OWN:
            eventually("hci1 is the kernel's", lambda: 1 in self.controllers.indexes().values())
            self.bluetoothd.wait()
            self.controllers.power(1, False)

    @property
    def control(self) -> tuple[str, str]:
        return "--control", str(self.beaconry.runtime / "bob.sock")

    def display(self, radio: str, is_paired: bool = False) -> Run:
        """A display, which is on the air."""
        text = DISPLAY + ("    pairing: { io: none }\n" if is_paired else "")
        self.take(radio)
        run = self.beaconry.run(self.beaconry.profile(text), *self.control, radio=radio)
        run.wait("ready", 60)
        return run

    def phone(self, radio: str, is_paired: bool = False, more: str = "") -> Run:
        """A phone, which looks for a display."""
        text = PHONE.replace("PAIRING", "required" if is_paired else "off") + more
        profile = self.beaconry.profile(text, "phone.yaml")
        self.take(radio)
        return self.beaconry.start("phone", str(profile), "--radio", radio, "--json")

    def as_visitor(self, *arguments: str) -> Run:
        """Anything on bluetoothd's adapter, as a user who has D-Bus alone."""
        shutil.rmtree("/tmp/visitor", ignore_errors=True)
        prefix = as_ordinary_user(["XDG_STATE_HOME=/tmp/visitor/state", "XDG_RUNTIME_DIR=/tmp/visitor"])
        subprocess.run(["install", "-d", "-o", "visitor", "-m", "700", "/tmp/visitor"], check=True)
        return self.beaconry.start(*arguments, "--radio", DAEMON, "--json", prefix=prefix)

    def ctl(self, *words: object) -> None:
        """What the display's user does."""
        done = self.beaconry.call("ctl", *map(str, words), *self.control)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def rig(beaconry: Beaconry, fresh_controllers: Controllers, bluetoothd: Bluetoothd) -> Iterator[Rig]:
    """Controllers that were reset, one of them our own, and a bluetoothd that has met nobody."""
    controllers = fresh_controllers
    Phone(0).forget()
    yield Rig(beaconry, controllers, bluetoothd)
    beaconry.close()
    Phone(0).forget()
    for index in controllers.indexes().values():
        controllers.power(index, True)


def expect_session(rig: Rig, display: Run, phone: Run, is_paired: bool) -> None:
    """All that a display and a phone have to tell each other."""
    phone.wait("connected", 60)
    if is_paired:
        phone.wait("encrypted", 60)
    display.wait("notifications-available", 60)
    assert "pre-existing" in display.wait("notification-added", 60, where=of("SOCIAL"))["notification"]["flags"]
    shown(display, "SOCIAL", title="Robert", message="Are you coming?")
    call = shown(
        display, "CALL", app="com.apple.mobilephone", appName="Phone", title="Davidson Ro", message="Incoming Call",
        date="20140512T093015", positiveAction="Answer", negativeAction="Decline",
    )  # fmt: skip
    rig.ctl("act", "bob", "negative", call["uid"])
    assert phone.wait("action-performed", 60)["name"] == "call"
    display.wait_until_told("action-performed", 60, action="negative")
    if not any(event["event"] == "notification-removed" for event in display.events):
        display.wait("notification-removed", 60, where=of("CALL"))
    if is_paired:
        display.wait_until_told("paired", 60)
    assert ("not-encrypted" in display.warnings()) != is_paired


# The display -----------------------------------------------------------------------------------------------------


@PAIRINGS
def test_our_display_through_bluetoothd(rig: Rig, is_paired: bool) -> None:
    display = rig.display(DAEMON, is_paired)
    started = next(event for event in display.events if event["event"] == "advertising-started")
    assert started["advertisingData"] == SOLICITATION.hex()
    phone = rig.phone(OWN, is_paired)
    expect_session(rig, display, phone, is_paired)
    assert phone.end() == 0
    display.wait("disconnected", 60)
    display.wait("advertising-started", 60)
    assert display.end() == 0


@pytest.mark.depends_on()
def test_services_that_come_and_go(rig: Rig) -> None:
    """bluetoothd follows what the phone says of its services, and the display what bluetoothd finds."""
    display = rig.display(DAEMON)
    phone = rig.phone(OWN, more="changes:\n  - { at: 5s, service: away }\n  - { at: 15s, service: back }\n")
    first = shown(display, "SOCIAL")["uid"]
    phone.wait("service-away", 60)
    assert display.wait("notifications-unavailable", 60)["reason"] == "the phone's services have changed"
    display.wait("notifications-unavailable", 60, reason="the phone has no notification service")
    phone.wait("service-back", 60)
    display.wait("notifications-available", 60)
    again = display.wait("notification-added", 60, where=of("SOCIAL"))["notification"]
    assert again["uid"] != first and "pre-existing" in again["flags"]
    shown(display, "SOCIAL", title="Robert")
    assert phone.end() == 0
    assert display.end() == 0


def test_a_display_with_nothing_but_the_bus(rig: Rig) -> None:
    """bluetoothd composes the solicitation, and tells who connects."""
    display = rig.as_visitor("run", str(PROFILES / "ancs.yaml"))
    assert display.wait("radio-ready", 60)["way"] == "D-Bus"
    display.wait("ready", 60)
    phone = rig.phone(OWN, is_paired=True)
    phone.wait("encrypted", 60)
    display.wait("notifications-available", 60)
    shown(display, "CALL", title="Davidson Ro", appName="Phone")
    assert "not-encrypted" not in display.warnings()
    assert phone.end() == 0
    display.wait("disconnected", 60)
    assert display.end() == 0


# The phone -------------------------------------------------------------------------------------------------------


@PAIRINGS
def test_our_phone_through_bluetoothd(rig: Rig, is_paired: bool) -> None:
    """Twice: a display that comes back, and is remembered where it has paired, hears it all again."""
    phone = None
    for _ in range(2):
        display = rig.display(OWN, is_paired)
        phone = phone or rig.phone(DAEMON, is_paired)
        phone.wait("connected", 60)
        if is_paired:
            phone.wait("encrypted", 60)
        display.wait("notifications-available", 60)
        assert "pre-existing" in display.wait("notification-added", 60, where=of("SOCIAL"))["notification"]["flags"]
        shown(display, "SOCIAL", title="Robert")
        # To the end of what it asks: bluetoothd 5.82 has crashed when a peer went that was asking.
        shown(display, "CALL", title="Davidson Ro", appName="Phone")
        # A controller that is reset just when the phone connects anew leaves it connected to nobody.
        rig.ctl("disable", "bob")
        assert display.end() == 0
        phone.wait("disconnected", 60)
    assert phone and phone.end() == 0


def test_a_phone_with_nothing_but_the_bus(rig: Rig) -> None:
    """bluetoothd does not tell what devices solicit, and the phone tells that."""
    phone = rig.as_visitor("phone", str(PROFILES / "phones" / "iphone.yaml"))
    phone.wait("warning", 60, code="exact-data")
    phone.wait("looking", 60)
    assert phone.end() == 0
