# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What is in the way of beacons on a good adapter, from before the start or during the run: none of it ends the run, which names
it, has on the air what can be, and everything when it has ended. What is on the air is what a raw host there receives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
import vhci
from air import Receiver, Visitor
from beaconry import CONFIG_SERVICE, PATIENCE, Beaconry, Event, Run, ibeacon
from test_advertising import E2C5, plain
from vhci import ADDRESSES, MAKER, RECEIVERS, Management, ManagementError, World, dbus_call, eventually, set_adapter_property

pytestmark = [pytest.mark.places, pytest.mark.depends_on("controllers")]

SHOP = "  - { id: shop, device: iot-design-shop }\n"
FRAMES = {"b0": ibeacon(E2C5, 1, 0), "b1": ibeacon(E2C5, 1, 1), "shop": ibeacon(CONFIG_SERVICE, 1, 1)}
"""The beacons of a run: two that are not connectable, and a connectable one with services."""
PDUS = {"b0": "ADV_NONCONN_IND", "b1": "ADV_NONCONN_IND", "shop": "ADV_IND"}
PLAIN = frozenset({"b0", "b1"})
ALL = frozenset(FRAMES)
NONE: frozenset[str] = frozenset()
FOREIGN = bytes.fromhex("02010606ffffff0f0e0d")
"""The data of another program."""
ABSENT = "C0:DE:CA:FE:00:01"
"""The address of a device that is away."""


@dataclass
class Place:
    """What a condition needs."""

    beaconry: Beaconry
    world: World
    extended: bool


Condition = Callable[[Place], AbstractContextManager[None]]


BOTH = frozenset({"before", "during"})


@dataclass(frozen=True)
class Row:
    """A condition, and what holds during it. Moments are when it begins: before the start of the run, or during it."""

    name: str
    make: Condition
    visible: frozenset[str] = ALL
    """What stays on the air, or begins to be."""
    visible_before: frozenset[str] | None = None
    """The same if it begins before the run; None if there is no difference."""
    hides: frozenset[str] = NONE
    """What goes off the air, at least for some time, and is reported so by an event."""
    codes: frozenset[str] = frozenset()
    """The codes of the events of which one names it."""
    words: str = ""
    """Words in a message or a reason that name it, where codes are common to several conditions."""
    moments: frozenset[str] = BOTH
    """When it can begin."""
    moments_with_sets: frozenset[str] = BOTH
    """When it begins to be in the way of a controller with advertising sets, each of which has an address of its own."""

    has_own_sets: bool = False
    """Whether it needs a controller without advertising sets of earlier tests, and spoils it for later ones."""

    @property
    def has_name(self) -> bool:
        return bool(self.codes or self.words)


NAMING = ("warning", "advertising-refused", "advertising-stopped", "radio-lost")
"""The events that name conditions."""


def names(row: Row, event: Event) -> bool:
    """Whether an event names the condition."""
    text = " ".join(str(event.get(key, "")) for key in ("message", "reason", "hint"))
    return event.get("code") in row.codes or bool(row.words) and row.words in text


# The conditions ----------------------------------------------------------------------------------------------------

ADAPTER = "/org/bluez/hci0"


@contextmanager
def scan_by_a_bus_client(place: Place) -> Iterator[None]:
    """As Home Assistant scans: bluetoothd goes on with it until the client stops it."""
    from dbus_fast import Variant

    low_energy = {"Transport": Variant("s", "le")}
    assert dbus_call(ADAPTER, "org.bluez.Adapter1.SetDiscoveryFilter", "a{sv}", low_energy) is not None
    assert dbus_call(ADAPTER, "org.bluez.Adapter1.StartDiscovery") is not None
    try:
        yield
    finally:
        dbus_call(ADAPTER, "org.bluez.Adapter1.StopDiscovery")


@contextmanager
def program(*command: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Another program, and those that it starts; they end with the condition."""
    settings: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, text=True, **(settings | options))
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


@contextmanager
def scans_of_btmgmt(place: Place) -> Iterator[None]:
    """One scan of 10 s after the other."""
    try:
        with program("bash", "-c", "while :; do btmgmt --index 0 find -l </dev/null; done"):
            yield
    finally:
        with suppress(ManagementError):  # none is running
            place.world.management.command(0x0024, 0, b"\x06")


@contextmanager
def bluetoothctl(*commands: str) -> Iterator[None]:
    """bluetoothctl with commands, until it ends."""
    with program("bluetoothctl", stdin=subprocess.PIPE) as process:
        assert process.stdin
        for each in ("select " + ADDRESSES[0], *commands):
            process.stdin.write(each + "\n")
            process.stdin.flush()
            time.sleep(1)  # it has no prompt without a terminal, and begins a command while the one before is performed
        yield


@contextmanager
def scan_of_bluetoothctl(place: Place) -> Iterator[None]:
    with bluetoothctl("scan le"):
        eventually("bluetoothctl scans", lambda: vhci.adapter_property(0, "Discovering"))
        yield
    eventually("bluetoothctl has ended its scan", lambda: vhci.adapter_property(0, "Discovering") is False)


@contextmanager
def connection_of_a_central(place: Place) -> Iterator[None]:
    """A central that connects to an advertisement of another program, and stays."""
    place.world.management.add_advertising(0, 1, flags=1, data=FOREIGN)
    visitor = Visitor(RECEIVERS)
    visitor.connect_to(ADDRESSES[0])
    try:
        yield
    finally:
        visitor.leave()
        visitor.close()
        place.world.management.remove_advertising(0, 1)


@contextmanager
def pending_connection(place: Place) -> Iterator[None]:
    """A program that connects to a device that has gone away, again and again."""
    device = f"{ADAPTER}/dev_{ADDRESSES[1].replace(':', '_')}"
    place.world.management.add_advertising(1, 1, flags=1, data=FOREIGN)

    def is_found() -> bool:
        dbus_call(ADAPTER, "org.bluez.Adapter1.StartDiscovery")
        return device in vhci.devices("hci0")

    eventually("the device found", is_found, interval=1)
    dbus_call(ADAPTER, "org.bluez.Adapter1.StopDiscovery")
    place.world.management.remove_advertising(1, 1)
    ends = threading.Event()

    def connect() -> None:
        while not ends.is_set():
            dbus_call(device, "org.bluez.Device1.Connect")

    thread = threading.Thread(target=connect)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        dbus_call(device, "org.bluez.Device1.Disconnect")
        thread.join(PATIENCE)
        dbus_call(ADAPTER, "org.bluez.Adapter1.RemoveDevice", "o", device)


@contextmanager
def absent_paired_device(place: Place) -> Iterator[None]:
    """A device to which the kernel connects when it appears: Add Device, with the action 2."""
    device = bytes.fromhex(ABSENT.replace(":", ""))[::-1] + b"\x02"
    place.world.management.command(0x0033, 0, device + b"\x02")
    try:
        yield
    finally:
        place.world.management.command(0x0034, 0, device)


@contextmanager
def discoverable(place: Place) -> Iterator[None]:
    set_adapter_property(0, "Discoverable", "b", True)
    try:
        yield
    finally:
        set_adapter_property(0, "Discoverable", "b", False)


@contextmanager
def own_advertising(place: Place) -> Iterator[None]:
    """As `btmgmt advertising on` has it."""
    is_on = place.world.management.set_advertising(0, True)
    assert is_on or place.extended and place.beaconry.runs
    try:
        yield
    finally:
        place.world.management.set_advertising(0, False)


@contextmanager
def hung_bluetoothd(place: Place) -> Iterator[None]:
    pid = place.world.bluetoothd.pid
    assert pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def instances_of_bluetoothd() -> int | None:
    """The number of advertisements of its clients."""
    return vhci.bluez_property(ADAPTER, "LEAdvertisingManager1", "ActiveInstances")


@contextmanager
def advertisement_of_bluetoothctl(place: Place) -> Iterator[None]:
    with bluetoothctl("advertise.manufacturer 0xffff 0x0f 0x0e 0x0d", "advertise on"):
        eventually("bluetoothctl advertises", lambda: instances_of_bluetoothd() == 1)
        yield
    # bluetoothd removes its instance by its number, which another program may have by then.
    eventually("bluetoothd has removed the advertisement", lambda: instances_of_bluetoothd() == 0)


@contextmanager
def advertisement_of_btmgmt(place: Place) -> Iterator[None]:
    command = ["btmgmt", "--index", "0", "add-adv", "-d", FOREIGN.hex(), "1"]
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    assert 1 in place.world.management.advertising_features(0).instances
    try:
        yield
    finally:
        place.world.management.remove_advertising(0, 1)


@contextmanager
def full_adapter(place: Place) -> Iterator[None]:
    """All instances that a run has left are those of other programs; it takes the highest numbers."""
    management: Management = place.world.management
    count = management.advertising_features(0).max_instances - (len(FRAMES) if place.beaconry.runs else 0)
    added = 0
    try:
        for number in range(1, count + 1):
            management.add_advertising(0, number, flags=1, data=FOREIGN + bytes([2, 0xFF, number]))
            added = number
    except ManagementError as error:
        # No resources: the kernel has a set of its own in the controller since the adapter was discoverable.
        assert error.status == 7 and added == count - 1
    try:
        yield
    finally:
        for number in range(1, added + 1):
            management.remove_advertising(0, number)


KILLED = {ibeacon(E2C5, 9, number) for number in range(2)}
"""The frames of a run that is killed."""


@contextmanager
def leftovers_of_a_killed_run(place: Place) -> Iterator[None]:
    text = plain(2).replace("profile: plain", "profile: killed").replace("major: 1", "major: 9")
    killed = place.beaconry.run(place.beaconry.profile(text, "killed.yaml"))
    killed.wait("ready")
    killed.kill()
    place.beaconry.runs.remove(killed)
    yield
    result = place.beaconry.call("radios", "--clean")
    assert result.returncode == 0, result.stderr


SHOP_ONLY = frozenset({"shop"})
SCAN: dict[str, Any] = {"visible": SHOP_ONLY, "hides": PLAIN, "moments_with_sets": frozenset()}
SCAN_OF_A_PROGRAM = SCAN | {"codes": frozenset({"scan-in-the-way"}), "words": "is not on the air: another program scans"}
"""Named by a warning, or by the reason of a refusal: the kernel refuses an advertisement whose turn is at once."""
ROWS = [
    Row("scan by a bus client", scan_by_a_bus_client, **SCAN_OF_A_PROGRAM),
    Row("scan of bluetoothctl", scan_of_bluetoothctl, **SCAN_OF_A_PROGRAM),
    Row("scans of btmgmt", scans_of_btmgmt, **SCAN_OF_A_PROGRAM),
    Row("absent paired device", absent_paired_device, codes=frozenset({"background-scan-in-the-way"}), **SCAN),
    Row("pending connection", pending_connection,
        codes=frozenset({"background-scan-in-the-way", "connection-in-the-way"}), **SCAN),
    Row("connection of a central", connection_of_a_central, visible=PLAIN),
    # Linux 6.12 takes note wrongly whether set 0 exists: when an adapter was discoverable or had its own advertising on, and its
    # sets were cleared since, it does neither any more.
    Row("discoverable adapter", discoverable, codes=frozenset({"pdu-changed"}), moments_with_sets=frozenset({"before"}),
        has_own_sets=True),
    Row("own advertising", own_advertising, visible=NONE, hides=ALL, words="own advertising of hci0",
        moments_with_sets=frozenset({"before"}), has_own_sets=True),
    Row("hung bluetoothd", hung_bluetoothd, visible=PLAIN, visible_before=NONE, hides=SHOP_ONLY,
        codes=frozenset({"daemon-hangs", "no-daemon"})),
    Row("advertisement of bluetoothctl", advertisement_of_bluetoothctl),
    Row("advertisement of btmgmt", advertisement_of_btmgmt),
    Row("full adapter", full_adapter, visible=NONE, words="programs", moments=frozenset({"before"})),
    Row("instances of others", full_adapter, moments=frozenset({"during"})),
    Row("leftovers of a killed run", leftovers_of_a_killed_run),
]  # fmt: skip


@pytest.fixture
def place(beaconry: Beaconry, world: World, extended: bool, row: Row) -> Iterator[Place]:
    if is_exchanged := extended and row.has_own_sets:
        world.controllers.unplug()
        world.restore()
    yield Place(beaconry, world, extended)
    if is_exchanged:
        world.controllers.unplug()


def start(place: Place) -> Run:
    return place.beaconry.run(place.beaconry.profile(plain(2) + SHOP))


def states(place: Place) -> dict[str, str]:
    """The states of the beacons, as `ctl list` has them; empty if the run does not answer."""
    lines = place.beaconry.call("ctl", "list", "--json").stdout.splitlines()
    return {each["id"]: each["state"] for each in map(json.loads, lines)}


def expect_on_air(receiver: Receiver, beacons: frozenset[str], since: float, as_requested: bool = False) -> None:
    """Expects packets of these beacons, with the PDU types that the profile requests if so."""
    wanted = {(FRAMES[each], PDUS[each] if as_requested else "") for each in beacons}
    receiver.wait_for(
        lambda reports: wanted <= {(each.data, each.pdu if as_requested else "") for each in reports if each.pdu != "SCAN_RSP"}, since
    )


def wait_until(run: Run, what: str, condition: Callable[[], Any]) -> None:
    """Waits for a condition of the events of a run, which may not end."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        run.take_one(1)
        assert run.process.poll() is None, f"the run has ended: {run.errors}"
        assert time.monotonic() < deadline, f"{what}: not reported"


OF_RELEASES = {"scan of bluetoothctl", "scans of btmgmt", "advertisement of btmgmt", "connection of a central"}
"""Rows that are much like others: the full plan has them."""
CRASHES = {"connection of a central"}
"""Rows that end bluetoothd with Linux 6.1, since a central leaves at once (docs/troubleshooting.md, kernel-crash)."""


def is_of_releases(row: Row, moment: str) -> bool:
    """Whether the full plan alone has a case: in the reduced one, rows that can begin before the run and during it have one moment on
    the controllers of rootcanal, and the other on ours."""
    if row.name in OF_RELEASES:
        return True
    is_first = (ROWS.index(row) % 2 == 0) == (MAKER == "rootcanal")
    return len(row.moments) > 1 and (moment == "before") != is_first


CASES = [
    pytest.param(
        row, moment, id=f"{row.name.replace(' ', '-')}-{moment}",
        marks=(pytest.mark.depends_on("release", *(["newest only"] if row.name in CRASHES else [])),)
        if is_of_releases(row, moment) else (),
    )
    for row in ROWS
    for moment in ("before", "during")
    if moment in row.moments
]  # fmt: skip


@pytest.mark.parametrize("row, moment", CASES)
def test_condition_is_named_and_waited_for(place: Place, receiver: Receiver, row: Row, moment: str) -> None:
    is_in_the_way = not place.extended or moment in row.moments_with_sets
    visible = row.visible
    if moment == "before" and row.visible_before is not None:
        visible = row.visible_before
    if moment == "during":
        run = start(place)
        run.wait("ready")
        expect_on_air(receiver, ALL, run.began)
        earlier = len(run.events)
    with row.make(place):
        if moment == "before":
            run, earlier = start(place), 0

        def events(*names: str) -> list[Event]:
            return [each for each in run.events[earlier:] if each["event"] in names]

        if is_in_the_way and row.has_name:
            wait_until(run, row.name, lambda: any(names(row, each) for each in events(*NAMING)))
        expect_on_air(receiver, visible if is_in_the_way else ALL, time.time())
        if is_in_the_way and moment == "during":
            off = ("advertising-stopped", "advertising-refused")
            wait_until(run, "what is off the air", lambda: row.hides <= {each.get("device") for each in events(*off)})
        assert run.process.poll() is None, run.errors
    ended = time.time()
    expect_on_air(receiver, ALL, ended, as_requested=True)
    eventually("all are on the air", lambda: states(place) == dict.fromkeys(FRAMES, "on-air"))
    assert not KILLED & {each.data for each in receiver.since(time.time() - 1)}
    assert run.end() == 0, run.errors
