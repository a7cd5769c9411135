# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The bonds of a display and a phone, each in a separate process that may be killed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import Beaconry, Event, Run
from test_ancs import ACCESSORY, CALL, PAIRED, shown

Air = Callable[..., tuple[Run, str]]
PHONE = f"phone: iphone\napps: {{ com.apple.mobilephone: Phone }}\nnotifications:\n  - id: call{CALL}"


class Pair:
    """The display and the phone, with their state folders."""

    def __init__(self, air: Air, beaconry: Beaconry) -> None:
        self.air = air
        self.beaconry = beaconry
        self.display_profile = beaconry.profile(PAIRED)
        self.phone_profile = beaconry.profile(PHONE, "phone.yaml")
        self.bonds = beaconry.state / "beaconry" / ".phones" / "iphone.bonds"
        self.start_display()

    def start_display(self) -> None:
        self.display, self.transport = self.air(self.display_profile)

    def start_phone(self, *options: str) -> Run:
        self.phone = self.beaconry.start("phone", str(self.phone_profile), "--radio", self.transport, "--json", *options)
        return self.phone

    def ctl(self, *arguments: str) -> str:
        done = self.beaconry.call("ctl", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def expect_notifications(self, *, paired: bool) -> None:
        """Expects the phone's notifications, over an encrypted link if the two have paired."""
        before = len(self.display.events)
        self.phone.wait("encrypted")
        shown(self.display, "CALL", title="Davidson Ro", appName="Phone")
        pairings = [event for event in self.display.events[before:] if event["event"] in ("pairing-began", "paired")]
        assert bool(pairings) == paired, pairings

    def crash_phone(self) -> None:
        self.phone.kill()
        self.display.wait("disconnected")

    def known(self) -> list[Event]:
        """The bonds of the display."""
        return [json.loads(line) for line in self.ctl("bonds", "bob", "--json").splitlines()]


@pytest.fixture
def pair(air: Air, beaconry: Beaconry) -> Pair:
    """A display and a phone that have paired."""
    pair = Pair(air, beaconry)
    pair.start_phone()
    pair.expect_notifications(paired=True)
    return pair


def test_killed_phone_uses_its_bond(pair: Pair) -> None:
    assert any(event["event"] == "bonds-saved" and event["file"] == str(pair.bonds) for event in pair.phone.events)
    assert pair.bonds.stat().st_mode & 0o777 == 0o600, "only the owner can read the keys"
    known = pair.known()
    assert len(known) == 1 and known[0]["peerType"] == "random"
    for _ in range(2):
        pair.crash_phone()
        pair.start_phone()
        pair.expect_notifications(paired=False)
    assert pair.known() == known
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


def test_bond_is_used_after_both_sides_are_killed(pair: Pair) -> None:
    pair.phone.kill()
    pair.display.kill()
    pair.start_display()
    pair.start_phone()
    pair.expect_notifications(paired=False)
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


def test_display_without_the_bond_pairs_again(pair: Pair) -> None:
    """Both sides report the missing key with a hint; after that the two pair again."""
    pair.crash_phone()
    assert pair.ctl("forget", "bob").strip() == "1 bond forgotten"
    pair.start_phone()
    failed = pair.phone.wait("pairing-failed")
    assert failed["code"] == "key-missing" and "--factory-reset" in failed["hint"], failed
    assert pair.display.wait("pairing-failed")["code"] == "key-missing"
    assert pair.phone.end() == 0
    reset = pair.beaconry.call("reset", "--phone", "iphone")
    assert (reset.returncode, reset.stdout.strip()) == (0, "iphone: bonds erased"), reset.stderr
    pair.start_phone()
    pair.expect_notifications(paired=True)
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


def test_phone_without_the_bond_pairs_again(pair: Pair) -> None:
    """The display identifies the phone as before, and replaces the old keys by the new ones."""
    known = pair.known()
    assert pair.phone.end() == 0
    pair.display.wait("disconnected")
    pair.start_phone("--factory-reset")
    assert pair.phone.wait("bonds-reset")["file"] == str(pair.bonds)
    pair.expect_notifications(paired=True)
    assert pair.known() == known
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


def test_bonds_are_used_by_one_phone_at_a_time(pair: Pair) -> None:
    for arguments in (("phone", str(pair.phone_profile), "--radio", pair.transport), ("reset", "--phone", "iphone")):
        refused = pair.beaconry.call(*arguments)
        assert refused.returncode == 73 and "the bonds of the phone iphone are in use" in refused.stderr, refused
    assert pair.phone.end() == 0
    again = pair.beaconry.call("reset", "--phone", "iphone", "--json")
    assert json.loads(again.stdout) == {"v": 1, "device": "iphone", "erased": True}
    assert pair.beaconry.call("reset", "--phone", "iphone").stdout.strip() == "iphone: nothing was saved"
    assert pair.display.end() == 0


def test_ephemeral_phone_saves_no_bonds(air: Air, beaconry: Beaconry) -> None:
    pair = Pair(air, beaconry)
    for _ in range(2):
        pair.start_phone("--ephemeral")
        pair.expect_notifications(paired=True)
        pair.crash_phone()
    assert not pair.bonds.parent.exists()
    assert len(pair.known()) == 1, "it is the same phone, by its address"
    both = beaconry.call("phone", str(pair.phone_profile), "--ephemeral", "--state", str(beaconry.folder))
    assert both.returncode == 64 and "exclude each other" in both.stderr
    assert pair.display.end() == 0


def test_phones_state_folder_can_be_chosen(air: Air, beaconry: Beaconry, tmp_path: Path) -> None:
    pair = Pair(air, beaconry)
    folder = tmp_path / "elsewhere"
    pair.start_phone("--state", str(folder))
    pair.expect_notifications(paired=True)
    assert pair.phone.end() == 0
    assert (folder / ".phones" / "iphone.bonds").exists() and not pair.bonds.exists()
    assert pair.display.end() == 0


def test_pairing_fails_if_its_keys_cannot_be_saved(air: Air, beaconry: Beaconry) -> None:
    """A bond that could not be saved is not used."""
    pair = Pair(air, beaconry)
    pair.bonds.with_name("iphone.bonds.new").mkdir(parents=True)
    pair.start_phone()
    assert pair.phone.wait("warning", code="bond-not-kept")["device"] == "iphone"
    assert pair.phone.wait("pairing-failed")["code"] == "not-kept"
    pair.display.wait("disconnected")
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


def test_damaged_bonds_are_renamed_and_reported(air: Air, beaconry: Beaconry) -> None:
    pair = Pair(air, beaconry)
    pair.bonds.parent.mkdir(parents=True)
    pair.bonds.write_text("garbage")
    pair.start_phone()
    warning = pair.phone.wait("warning", code="bonds-damaged")
    assert "iphone has no bonds" in warning["message"], warning
    assert pair.bonds.with_name("iphone.bonds.damaged-1").read_text() == "garbage"
    pair.expect_notifications(paired=True)
    assert pair.phone.end() == 0
    assert pair.display.end() == 0


@pytest.mark.parametrize("controllers", ["rootcanal", "bumble_controllers"])
def test_bonds_are_used_on_third_party_controllers(
    request: pytest.FixtureRequest, beaconry: Beaconry, controllers: str
) -> None:
    """With and without advertising sets, the phone is identified by its identity address."""
    found = request.getfixturevalue(controllers)
    transports = (f"tcp-client:127.0.0.1:{found}",) * 2 if controllers == "rootcanal" else found.transports

    def start(profile: Path) -> tuple[Run, str]:
        run = beaconry.run(profile, radio=transports[0])
        run.wait("ready")
        return run, transports[1]

    pair = Pair(start, beaconry)
    for is_first in (True, False):
        pair.start_phone()
        pair.expect_notifications(paired=is_first)
        assert len(known := pair.known()) == 1 and known[0]["peerType"] == "random"
        assert pair.phone.end() == 0
        pair.display.wait("disconnected")
    assert pair.display.end() == 0


def test_phone_has_its_own_address(pair: Pair) -> None:
    """The phone does not use the controller's address, which changes with each connection to the air."""
    addresses = {event["central"] for event in pair.display.events if event["event"] == "connected"}
    pair.crash_phone()
    pair.start_phone()
    addresses.add(pair.display.wait("connected")["central"])
    assert addresses == {pair.known()[0]["peer"]} and int(next(iter(addresses))[:2], 16) >= 0xC0
    assert pair.phone.wait("accessory-found")["address"] == ACCESSORY
    assert pair.phone.end() == 0
    assert pair.display.end() == 0
