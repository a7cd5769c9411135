# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pairing between our own host and bluetoothd with the kernel, both as central and as peripheral: beacons on hci1, the
phone on hci0.

On the side of bluetoothd, our program is its pairing agent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from beaconry import MAJOR_MINOR, Beaconry, Event, Run
from test_receiving import Central, central  # noqa: F401: a fixture
from vhci import ADDRESSES, Bluetoothd, Controllers, Phone

# The kernel pairs; tests that involve the agent of bluetoothd are marked.
pytestmark = pytest.mark.depends_on()

OWN = "C0:FF:EE:00:00:01"
PROFILE = f"""\
profile: shop
beacons:
  - id: lock
    device: iot-design-shop
    address: {OWN}
    pairing: PAIRING
"""


@dataclass
class Pair:
    """A beacon and a phone, one of them on bluetoothd."""

    beacon: Run
    phone: Central
    beaconry: Beaconry
    radio: str

    @property
    def address(self) -> tuple[str, str]:
        """The beacon's address and its type: its own, or under bluetoothd the adapter's."""
        return (ADDRESSES[1], "public") if self.radio.startswith("bluez") else (OWN, "random")

    def connect(self) -> None:
        self.phone.must("connect", *self.address, 40)

    def answer(self, *words: str) -> None:
        """Answers as the beacon's user."""
        outcome = self.beaconry.call("ctl", "pair", "lock", *words)
        assert outcome.returncode == 0, outcome.stderr

    def question(self, kind: str) -> Event:
        """Waits for a question to the phone's user."""
        return self.phone.wait("question", kind=kind)


ROLES = pytest.mark.parametrize(
    ("beacon_radio", "phone_radio"), [("bluez:hci1", "hci-socket:0"), ("hci-socket:1", "bluez:hci0")],
    ids=["bluetoothd-is-the-beacon", "bluetoothd-is-the-phone"],
)  # fmt: skip


@pytest.fixture
def pair(
    beaconry: Beaconry, central: Callable[..., Central], controllers: Controllers, bluetoothd: Bluetoothd,  # noqa: F811
    beacon_radio: str, phone_radio: str, phone: Phone,
) -> Callable[[str], Pair]:  # fmt: skip
    """Starts both sides, with this pairing section for the beacon."""

    def start(pairing: str) -> Pair:
        if beacon_radio.startswith("hci-socket"):
            controllers.power(1, False)
        beacon = beaconry.run(beaconry.profile(PROFILE.replace("PAIRING", pairing)), radio=beacon_radio)
        beacon.wait("ready")
        side = central(phone_radio)
        side.must("open")
        return Pair(beacon, side, beaconry, beacon_radio)

    return start


def expect_paired(pair: Pair) -> None:
    """Expects both sides to report the pairing."""
    outcome = pair.phone.outcome("pair")
    assert outcome["event"] == "answer", outcome
    assert pair.beacon.wait("paired")["bonded"]
    pair.phone.must("services")
    assert pair.phone.must("read", MAJOR_MINOR.upper())["value"]


@ROLES
@pytest.mark.depends_on("bluez")
def test_just_works_pairs_and_bonds(pair: Callable[[str], Pair]) -> None:
    both = pair("{ io: none }")
    both.connect()
    both.phone.send("pair", "none")
    expect_paired(both)
    both.phone.must("disconnect")
    both.beacon.wait("disconnected")
    both.beacon.wait("advertising-started")
    both.connect()
    both.phone.must("pair", "none")
    both.phone.must("services")
    assert both.phone.must("read", MAJOR_MINOR.upper())["value"]
    assert not any(event["event"] == "paired" for event in both.beacon.take(1)), "the keys are saved"


@ROLES
@pytest.mark.parametrize("legacy", [False, True], ids=["secure-connections", "legacy"])
def test_passkey_shown_by_the_beacon_pairs(pair: Callable[[str], Pair], legacy: bool) -> None:
    wish = ", secure-connections: off" if legacy else ""
    both = pair("{ io: display, mitm: true" + wish + " }")
    both.connect()
    both.phone.send("pair", "keyboard", *(["legacy"] if legacy else []))
    passkey = both.beacon.wait("passkey-shown")["passkey"]
    both.question("passkey")
    both.phone.send("reply", passkey)
    expect_paired(both)


@ROLES
def test_passkey_shown_by_the_phone_pairs(pair: Callable[[str], Pair]) -> None:
    both = pair("{ io: keyboard, mitm: true }")
    both.connect()
    both.phone.send("pair", "display")
    passkey = both.question("show")["count"]
    both.beacon.wait("passkey-wanted")
    both.answer(f"{passkey:06d}")
    expect_paired(both)


@ROLES
def test_numeric_comparison_pairs(pair: Callable[[str], Pair]) -> None:
    both = pair("{ io: display-yes-no, mitm: true, secure-connections: required }")
    both.connect()
    both.phone.send("pair", "display-yes-no")
    number = both.beacon.wait("comparison-wanted")["passkey"]
    assert f"{both.question('comparison')['count']:06d}" == number
    both.answer("accept")
    both.phone.send("reply", "accept")
    expect_paired(both)


@ROLES
def test_wrong_passkey_fails(pair: Callable[[str], Pair]) -> None:
    both = pair("{ io: display, mitm: true }")
    both.connect()
    both.phone.send("pair", "keyboard")
    passkey = int(both.beacon.wait("passkey-shown")["passkey"])
    both.question("passkey")
    both.phone.send("reply", f"{(passkey + 1) % 1_000_000:06d}")
    outcome = both.phone.outcome("pair")
    assert outcome["event"] == "failed" and outcome["kind"] in ("wrong-passkey", "unspecified"), outcome
    assert both.beacon.wait("pairing-failed")["code"] in ("wrong-passkey", "unspecified")
