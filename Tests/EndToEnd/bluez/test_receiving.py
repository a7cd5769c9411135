# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The receiving side on hci0, through bluetoothd and on the user channel, with a third-party peripheral on hci1."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import faulty_peripheral as bumble
import peripheral as rig
import pytest
from air import AirStarter
from beaconry import BINARY, Event, Run
from forked import ForkedProgram
from vhci import ADDRESSES, BLUEZ, Bluetoothd, Controllers, Management, Phone, Witness, as_ordinary_user, eventually

HARNESS = Path(os.environ.get("BEACONRY_CENTRAL_HARNESS") or BINARY.parent / "central-harness")
BEACON = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
SCAN_RESPONSE = bytes.fromhex("0303aafe") + b"\x05\x09Rig1"
CONNECTABLE, TICKS = 1, 160
PEER = f"{ADDRESSES[1]} (public)"
USER_CHANNEL = pytest.mark.depends_on()
"""The radio of our own host on the kernel's user channel, which bluetoothd does not use."""
RADIOS = pytest.mark.parametrize("radio", ["bluez:hci0", pytest.param("hci-socket:0", marks=USER_CHANNEL)])

CONFIGURATION, BATTERY, TESTS = (
    uuid.upper() for uuid in (rig.CONFIG_SERVICE, rig.BATTERY_SERVICE, rig.TEST_SERVICE)
)  # fmt: skip
MAJOR_MINOR, LONG, REFUSING, SLOW, COMMANDED, INDICATED = (
    uuid.upper() for uuid in (rig.MAJOR_MINOR, rig.LONG, rig.REFUSING, rig.SLOW, rig.COMMANDED, rig.INDICATED)
)  # fmt: skip


class Central(Run):
    """Our central, as a program that accepts commands."""

    def do(self, *words: object, timeout: float = 120) -> Event:
        """Sends a command and returns its outcome: an `answer` or a `failed` event."""
        self.send(*words)
        return self.outcome(str(words[0]), timeout)

    def outcome(self, command: str, timeout: float = 120) -> Event:
        """Waits for the outcome of a command that was sent."""
        deadline = time.monotonic() + timeout
        while (event := self.wait_any(deadline)).get("command") != command:
            pass
        return event

    def wait_any(self, deadline: float) -> Event:
        """The next event."""
        taken = self.take_one(deadline - time.monotonic())
        assert taken is not None, f"no further event; the last were {self.events[-8:]}\n{self.errors}"
        return taken

    def must(self, *words: object) -> Event:
        """Sends a command that must succeed."""
        outcome = self.do(*words)
        assert outcome["event"] == "answer", outcome
        return outcome

    def refusal(self, *words: object) -> Event:
        """Sends a command that must fail."""
        outcome = self.do(*words)
        assert outcome["event"] == "failed", outcome
        return outcome

    def finish(self) -> None:
        """Ends the connections and the program."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.exit_code()
        finally:
            self.kill()

    def connect(self) -> None:
        """Connects to the peripheral, and discovers its services."""
        self.must("connect", ADDRESSES[1], "public", 40)
        self.must("services")

    def sight(self) -> None:
        """Scans until the device on hci1 is received."""
        self.must("scan", 600)
        self.wait("heard", device=PEER)
        self.must("stop")


@pytest.fixture
def central(fresh_controllers: Controllers, phone: Phone) -> Iterator[Callable[..., Central]]:
    """Starts our central on a radio, optionally as an ordinary user; ends it and its connections after the test."""
    controllers = fresh_controllers
    Phone(0).forget()
    started: list[Central] = []

    def start(radio: str = "bluez:hci0", ordinary: bool = False) -> Central:
        if radio.startswith("hci-socket"):
            controllers.power(0, False)
        command = [str(HARNESS), radio]
        run = Central(as_ordinary_user(command) if ordinary else command, dict(os.environ), takes_commands=True)
        started.append(run)
        return run

    yield start
    for run in started:
        run.finish()
    Phone(0).forget()


@pytest.fixture
def peripheral(world) -> Iterator[Callable[[], Run]]:
    """Starts the peripheral on hci1; ends it after the test."""
    started: list[Run] = []

    def start() -> Run:
        run = Run(ForkedProgram(lambda: asyncio.run(rig.main("hci1"))))
        started.append(run)
        run.wait("ready")
        return run

    yield start
    for run in started:
        run.kill()


@pytest.fixture
def faulty(world, controllers: Controllers) -> Iterator[Callable[[], Run]]:
    """Starts Bumble's peripheral, which has hci1 for itself; ends it after the test."""
    started: list[Run] = []

    def start() -> Run:
        controllers.power(1, False)
        run = Run(ForkedProgram(lambda: asyncio.run(bumble.main("hci-socket:1"))))
        started.append(run)
        run.wait("ready")
        return run

    yield start
    for run in started:
        run.end()


def expect_active_filtered_scans(witness: Witness, extended: bool) -> None:
    """The kernel scans as the reported limits state: actively, restarted every second, with duplicates filtered."""
    commands = witness.commands(0)
    enabled = [parameters for opcode, parameters in commands if opcode == (0x2042 if extended else 0x200C) and parameters[0] == 1]
    kinds = {parameters[3] if extended else parameters[0] for opcode, parameters in commands if opcode == (0x2041 if extended else 0x200B)}
    assert len(enabled) >= 3 and {parameters[1] for parameters in enabled} == {1}
    assert 1 in kinds


def scans(commands: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The commands that start or stop scans."""
    return [(opcode, parameters) for opcode, parameters in commands if opcode in (0x200C, 0x2042)]


def expect_passive_complete_scans(commands: list[tuple[int, bytes]]) -> None:
    """The kernel scans passively, and lets the controller report each advertisement."""
    # LE Set Scan Parameters begins with the type; LE Set Extended Scan Parameters has it after address, policy and PHYs.
    kinds = [parameters[0] if opcode == 0x200B else parameters[3] for opcode, parameters in commands if opcode in (0x200B, 0x2041)]
    enabled = [parameters[:2] for _, parameters in scans(commands) if parameters[0] == 1]
    assert kinds and set(kinds) == {0}, commands
    assert enabled and enabled[-1] == b"\x01\x00", commands


# Scanning --------------------------------------------------------------------------------------------------------


@RADIOS
def test_every_byte_is_received(
    radio: str, central: Callable[..., Central], mgmt: Management, witness: Witness, extended: bool
) -> None:
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)
    run = central(radio)
    opened = run.must("open")
    assert opened["device"] == ADDRESSES[0]
    advertisement, response = ("ADV_IND", BEACON.hex(), None), ("SCAN_RSP", SCAN_RESPONSE.hex(), None)

    def received() -> Counter[tuple[str, str, int | None]]:
        heard = [each for each in run.events if each["event"] == "heard" and each["device"] == PEER]
        return Counter((each["pdu"], each["data"], each.get("rssi")) for each in heard)

    run.must("scan", 600)
    # btvirt reports an advertiser once in each scan.
    scans = 3 if radio.startswith("bluez") else 1
    while received()[advertisement] < scans or not received()[response]:
        run.wait("heard", device=PEER)
    run.must("stop")
    assert set(received()) == {advertisement, response}
    if radio.startswith("bluez"):
        assert (opened["way"], opened["limits"]) == ("monitor channel", ["duplicates", "passive-scanning"])
        expect_active_filtered_scans(witness, extended)
    else:
        assert (opened["way"], opened["limits"]) == ("our own host stack", [])


def test_ordinary_user_receives_what_bluetoothd_reports(
    central: Callable[..., Central], mgmt: Management, witness: Witness, extended: bool
) -> None:
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)
    run = central(ordinary=True)
    opened = run.must("open")
    assert opened["way"] == "D-Bus"
    assert opened["limits"] == ["pdu", "exact-data", "duplicates", "passive-scanning"]
    # Flags are experimental in the older version.
    flags = BEACON[:3] if BLUEZ != "5.66" else b""
    whole = flags + SCAN_RESPONSE + BEACON[3:]
    run.must("scan", 120)
    # btvirt's only report of a scan may arrive before the kernel passes reports on.
    for _ in range(3):
        run.wait("heard", device=PEER, data=whole.hex())
    assert {each.get("pdu") for each in run.events if each["event"] == "heard"} == {None}
    run.must("stop")
    expect_active_filtered_scans(witness, extended)


def test_known_device_is_reported_again(central: Callable[..., Central], mgmt: Management) -> None:
    """bluetoothd reports only changes of known devices: a second scan must report the rest too."""
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)
    run = central(ordinary=True)
    run.must("open")
    for _ in range(2):
        run.must("scan", 60)
        run.wait("heard", where=lambda event: BEACON[3:].hex() in event["data"])
        run.must("stop")


@pytest.mark.parametrize("ordinary", [False, True])
@pytest.mark.depends_on()
def test_passive_scans_are_refused(ordinary: bool, central: Callable[..., Central]) -> None:
    run = central(ordinary=ordinary)
    run.must("open")
    refused = run.refusal("scan", 1, "passive")
    assert refused["kind"] == "unsupported", refused
    assert all(words in refused["error"] for words in ("Experimental = true", "bluetoothd with -E", "hci-socket:N")), refused


PASSIVE = """
profile: passive
beacons:
  - { id: plain, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 2 },
      address: "C0:FF:EE:00:00:01", interval: 100ms }
  - { id: url, device: raw, pdu: ADV_NONCONN_IND, advertising-data: 0303aafe0e16aafe10f5036578616d706c6507,
      address: "C0:FF:EE:00:00:02", interval: 100ms }
  - { id: answering, device: raw, pdu: ADV_SCAN_IND, advertising-data: 020106, scan-response: 0509414243, interval: 100ms,
      address: "C0:FF:EE:00:00:03" }
"""
"""An iBeacon, an Eddystone frame without flags, and a beacon with a scan response."""


@pytest.mark.parametrize("switch", ["-E", "Experimental"])
@pytest.mark.depends_on("bluez")
@pytest.mark.parametrize("ordinary", [False, True])
def test_passive_scans_use_advertisement_monitors(
    switch: str, ordinary: bool, central: Callable[..., Central], air: AirStarter, bluetoothd: Bluetoothd, witness: Witness
) -> None:
    if switch == "-E":
        bluetoothd.restart("-E")
    else:
        bluetoothd.restart(settings={"General": {"Experimental": "true"}})
    room = air("", profile=PASSIVE)
    [index] = room.indexes
    run = central(room.radio, ordinary)
    opened = run.must("open")
    passive = ["pdu", "exact-data", "duplicates", "patterns", "rssi"] if ordinary else ["duplicates"]
    assert opened["limits"] == passive, opened
    before = len(witness.commands(index))
    run.must("scan", 600, "passive")
    count: Counter[str] = Counter()
    while min(count[f"C0:FF:EE:00:00:0{number} (random)"] for number in (1, 2, 3)) < 8:
        count[run.wait("heard")["device"]] += 1
    heard = [each for each in run.events if each["event"] == "heard"]
    expect_passive_complete_scans(witness.commands(index)[before:])
    assert not any("0509414243" in each["data"] for each in heard), "no scan response"
    assert any("4c000215e2c56db5dffb48d2b060d0f5a71096e000010002" in each["data"] for each in heard)
    assert any("16aafe10f5036578616d706c6507" in each["data"] for each in heard)
    run.must("stop")
    stopped = (0x200C, b"\x00\x00"), (0x2042, bytes(6))
    eventually("the controller scans no more", lambda: scans(witness.commands(index))[-1] in stopped)
    assert not [each for each in run.take(1) if each["event"] == "heard"]


@pytest.mark.depends_on()
def test_passive_scans_work_on_the_user_channel(central: Callable[..., Central], mgmt: Management) -> None:
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)
    run = central("hci-socket:0")
    run.must("open")
    run.must("scan", 600, "passive")
    run.wait_until_reported("heard", device=PEER)
    run.take(3)
    run.must("stop")
    received = {(each["pdu"], each["data"]) for each in run.events if each["event"] == "heard" and each["device"] == PEER}
    assert received == {("ADV_IND", BEACON.hex())}


# Attributes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("radio", "ordinary"), [("bluez:hci0", False), ("bluez:hci0", True), pytest.param("hci-socket:0", False, marks=USER_CHANNEL)]
)  # fmt: skip
def test_all_operations_on_a_device_succeed(
    radio: str, ordinary: bool, central: Callable[..., Central], peripheral: Callable[[], Run]
) -> None:
    device = peripheral()
    run = central(radio, ordinary)
    run.must("open")
    # The device is unknown, so the central scans for it first.
    run.connect()
    found = {(each["service"], each["characteristic"]): each for each in run.events if each["event"] == "characteristic"}
    assert {(CONFIGURATION, uuid.upper()) for uuid in rig.LENGTHS} | {(BATTERY, rig.BATTERY_LEVEL)} <= set(found)
    assert found[BATTERY, rig.BATTERY_LEVEL]["descriptor"] == "2902"
    assert {uuid: found[TESTS, uuid]["properties"] for uuid in (LONG, COMMANDED, INDICATED)} == {
        LONG: 0x0A, COMMANDED: 0x04, INDICATED: 0x20,
    }  # fmt: skip
    assert run.must("mtu")["count"] == 517
    for uuid, length in rig.LENGTHS.items():
        assert len(run.must("read", uuid)["value"]) == 2 * length
    run.must("write", MAJOR_MINOR, "05000600")
    device.wait("written", characteristic=rig.MAJOR_MINOR, value="05000600")
    assert run.must("read", MAJOR_MINOR)["value"] == "05000600"
    assert run.refusal("write", MAJOR_MINOR, "0500")["code"] == 0x0D
    assert bytes.fromhex(run.must("read-descriptor", MAJOR_MINOR, rig.DESCRIPTION)["value"]) == rig.DESCRIBED
    assert run.must("read", LONG)["value"] == rig.LONG_VALUE.hex()
    run.must("command", COMMANDED, "c0ffee")
    device.wait("written", characteristic=rig.COMMANDED, value="c0ffee")
    run.must("disconnect")
    run.wait_until_reported("ended")
    assert run.refusal("read", LONG)["kind"] == "disconnected"


@pytest.mark.depends_on()
@RADIOS
def test_long_values_are_read_and_written(
    radio: str, central: Callable[..., Central], peripheral: Callable[[], Run]
) -> None:
    device = peripheral()
    run = central(radio)
    run.must("open")
    run.connect()
    value = bytes(reversed(rig.LONG_VALUE)) + bytes(100)
    run.must("write", LONG, value.hex())
    device.wait("written", characteristic=rig.LONG, value=value.hex())
    assert run.must("read", LONG)["value"] == value.hex()


@RADIOS
def test_notifications_and_indications_arrive(
    radio: str, central: Callable[..., Central], peripheral: Callable[[], Run]
) -> None:
    device = peripheral()
    run = central(radio)
    run.must("open")
    run.connect()
    run.must("notify", rig.BATTERY_LEVEL)
    run.must("notify", INDICATED)
    device.send("subscribed")
    device.wait("done", command="subscribed")
    for percent in (99, 98, 97):
        device.send("battery", percent)
        run.wait("notified", characteristic=rig.BATTERY_LEVEL, value=f"{percent:02x}")
    device.send("indicate", "0102030405")
    run.wait("notified", characteristic=INDICATED, value="0102030405")
    run.must("unnotify", rig.BATTERY_LEVEL)
    device.send("battery", 50)
    device.wait("done", command="battery 50")
    # Values that are read are not notified, and neither are values without a subscription.
    assert run.must("read", rig.BATTERY_LEVEL)["value"] == "32"
    assert not [each for each in run.take(2) if each["event"] == "notified"]
    run.must("notify", rig.BATTERY_LEVEL)
    device.send("subscribed")
    device.wait("done", command="subscribed")
    device.send("battery", 49)
    run.wait("notified", characteristic=rig.BATTERY_LEVEL, value="31")


REFUSALS = [
    ("NotPermitted", "no", 0x02, 0x03), ("NotAuthorized", "no", 0x08, 0x08), ("NotSupported", "no", 0x06, 0x06),
    ("InvalidOffset", "no", 0x07, 0x07), ("InvalidValueLength", "no", 0x0D, 0x0D), ("Failed", "0x80", 0x80, 0x80),
    ("Failed", "0x9f", 0x9F, 0x9F), ("InProgress", "no", 0xFE, 0xFE), ("Unheard", "no", 0x0E, 0x0E),
]  # fmt: skip
"""bluetoothd's names of the errors of a peripheral, and the ATT errors that it maps them to for reads and writes."""


@RADIOS
def test_refusals_of_the_peer_are_reported(
    radio: str, central: Callable[..., Central], peripheral: Callable[[], Run]
) -> None:
    device = peripheral()
    run = central(radio)
    run.must("open")
    run.connect()
    for name, words, reading, writing in REFUSALS:
        device.send("refuse", f"org.bluez.Error.{name}", words)
        device.wait("done", command=f"refuse org.bluez.Error.{name} {words}")
        outcomes = run.refusal("read", REFUSING), run.refusal("write", REFUSING, "01")
        codes = [(each["kind"], each["code"]) for each in outcomes]
        assert codes == [("refused", reading), ("refused", writing)], name
    # A failed request does not affect the connection.
    assert run.must("read", MAJOR_MINOR)["value"] == "01000100"


ATT_ERRORS = [code for code in range(1, 256) if code not in (0x05, 0x0C, 0x0F)]
"""All errors except those after which bluetoothd pairs by itself."""


@RADIOS
def test_each_att_error_is_reported(
    radio: str, central: Callable[..., Central], faulty: Callable[[], Run]
) -> None:
    faulty()
    run = central(radio)
    run.must("open")
    run.must("connect", bumble.ADDRESS, "random", 40)
    run.must("services")
    for code in ATT_ERRORS:
        run.must("write", bumble.REFUSING, f"{code:02x}")
        outcome = run.refusal("read", bumble.REFUSING)
        assert (outcome["kind"], outcome["code"]) == ("refused", code), outcome


# Faults ----------------------------------------------------------------------------------------------------------


@RADIOS
def test_disappearance_of_the_peer_is_reported(
    radio: str, central: Callable[..., Central], peripheral: Callable[[], Run], controllers: Controllers
) -> None:
    device = peripheral()
    run = central(radio)
    run.must("open")
    run.connect()
    run.must("notify", rig.BATTERY_LEVEL)
    # Not during a read: the peripheral's bluetoothd, which is also ours, crashes then (5.66).
    controllers.power(1, False)
    run.wait_until_reported("ended")
    for command in (("read", MAJOR_MINOR), ("write", MAJOR_MINOR, "00000000"), ("notify", INDICATED), ("mtu",)):
        outcome = run.refusal(*command)
        assert outcome["kind"] == "disconnected" and outcome["seconds"] < 60, outcome
    controllers.power(1, True)
    # The kernel removes the advertisement of an extended controller that is powered off.
    device.kill()
    peripheral()
    run.connect()
    assert run.must("read", MAJOR_MINOR)["value"] == "01000100"


@pytest.mark.depends_on()
@RADIOS
def test_disconnection_during_a_read_is_reported(
    radio: str, central: Callable[..., Central], faulty: Callable[[], Run]
) -> None:
    faulty()
    run = central(radio)
    run.must("open")
    for _ in range(2):
        run.must("connect", bumble.ADDRESS, "random", 40)
        run.must("services")
        outcome = run.refusal("read", bumble.LEAVING)
        assert outcome["kind"] == "disconnected" and outcome["seconds"] < 60, outcome
        assert run.refusal("read", bumble.REFUSING)["kind"] == "disconnected"


@pytest.mark.depends_on()
def test_missing_device_is_reported(central: Callable[..., Central], peripheral: Callable[[], Run]) -> None:
    peripheral()
    run = central()
    run.must("open")
    outcome = run.refusal("connect", "C0:FF:EE:00:00:01", "random", 3)
    assert outcome["kind"] == "refused" and 3 <= outcome["seconds"] < 60, outcome
    run.send("connect", "C0:FF:EE:00:00:01", "random", 600)
    run.take(2)
    run.send("cancel")
    outcome = run.outcome("connect")
    assert outcome["kind"] == "refused" and outcome["seconds"] < 60, outcome
    run.connect()


@pytest.mark.depends_on()
def test_scan_continues_beside_connections(central: Callable[..., Central], peripheral: Callable[[], Run]) -> None:
    peripheral()
    run = central()
    run.must("open")
    run.must("scan", 60)
    run.wait("heard", device=PEER)
    run.connect()
    assert run.must("read", MAJOR_MINOR)["value"] == "01000100"
    run.must("disconnect")
    run.wait("heard", device=PEER)
    run.must("stop")
    run.wait_until_reported("scan-ended")


@pytest.mark.parametrize("crash", [pytest.param(False, marks=pytest.mark.depends_on()), True])
def test_restart_of_bluetoothd_is_survived(
    crash: bool, central: Callable[..., Central], peripheral: Callable[[], Run], bluetoothd: Bluetoothd
) -> None:
    peripheral()
    run = central()
    run.must("open")
    run.must("scan", 120)
    run.connect()
    run.must("notify", rig.BATTERY_LEVEL)
    run.send("read", SLOW)
    run.take(1)
    bluetoothd.stop(crash=crash)
    outcome = run.outcome("read")
    # bluetoothd refuses what is unanswered while it ends.
    assert outcome["event"] == "failed" and outcome["kind"] in ("disconnected", "refused"), outcome
    run.wait_until_reported("state", state="unavailable")
    for event in ("scan-ended", "ended", "notifications-ended"):
        run.wait_until_reported(event)
    assert run.refusal("scan", 1)["kind"] in ("no-daemon", "powered-off")
    assert run.refusal("connect", ADDRESSES[1], "public", 5)["kind"] in ("no-daemon", "powered-off")
    bluetoothd.start()
    run.wait("state", state="ready")
    peripheral()
    run.connect()
    assert run.must("read", MAJOR_MINOR)["value"] == "01000100"
    run.must("disconnect")
    run.sight()


def test_central_continues_when_the_adapter_is_powered_on(
    central: Callable[..., Central], controllers: Controllers, mgmt: Management
) -> None:
    mgmt.add_extended_advertising(1, 1, CONNECTABLE, TICKS, BEACON, SCAN_RESPONSE)
    run = central()
    run.must("open")
    run.must("scan", 120)
    controllers.power(0, False)
    run.wait_until_reported("state", state="unavailable", kind="powered-off")
    run.wait_until_reported("scan-ended")
    controllers.power(0, True)
    run.wait("state", state="ready")
    run.sight()


@pytest.mark.depends_on()
def test_unusable_radios_are_reported(
    central: Callable[..., Central], controllers: Controllers, bluetoothd: Bluetoothd
) -> None:
    assert central("bluez:hci7").refusal("open")["kind"] == "no-adapter"
    controllers.power(0, False)
    assert central().refusal("open")["kind"] == "powered-off"
    controllers.block(0)
    assert central().refusal("open")["kind"] == "blocked"
    controllers.unblock(0)
    bluetoothd.stop()
    assert central().refusal("open")["kind"] == "no-daemon"
