# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A phone's notifications: our display and our phone, with each other and with Bumble's."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from ancs import APPS_AND_NOTIFICATIONS, CALL, SOLICITATION, WANTED, of, shown
from beaconry import PROFILES, Beaconry, Run
from bumble import gatt
from bumble.att import ATT_Error
from bumble.device import Connection, Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.profiles.ancs import ActionId, AncsClient, AppAttributeId, CommandError, NotificationAttributeId
from bumble.transport import open_transport

Air = Callable[..., tuple[Run, str]]
ACCESSORY = "C0:FF:EE:00:00:0B"
DISPLAY = f"""
profile: display
beacons:
  - id: bob
    device: ancs-accessory
    address: {ACCESSORY}
    interval: 20ms
    {WANTED}
"""
PHONE = f"""
phone: iphone
mtu: MTU
pairing: off
{APPS_AND_NOTIFICATIONS}  - id: missed
    at: 1s
    category: missed-call
    title: Davidson Robert
  - id: appointment
    at: 1s
    until: 2s
    category: schedule
    title: Davidson Robert
  - id: voicemail
    at: 2s
    category: voicemail
    title: Davidson Robert
"""


@pytest.mark.parametrize("mtu", [23, 185])
def test_our_display_uses_our_phone(air: Air, beaconry: Beaconry, mtu: int) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral", "--control", str(beaconry.runtime / "bob.sock"))
    profile = beaconry.profile(PHONE.replace("MTU", str(mtu)), "phone.yaml")
    phone = beaconry.start("phone", str(profile), "--radio", transport, "--json")
    assert run.wait("notifications-available")["device"] == "bob"
    assert "pre-existing" in run.wait("notification-added", where=of("SOCIAL"))["notification"]["flags"]
    call = run.wait("notification-added", where=of("CALL"))["notification"]
    assert call["flags"] == ["positive-action", "negative-action"] and call["category"] == "incoming-call"
    content = shown(run, "CALL", app="com.apple.mobilephone", appName="Phone", title="Davidson Ro")
    assert content["message"] == "Incoming Call" and content["date"] == "20140512T093015"
    assert (content["positiveAction"], content["negativeAction"]) == ("Answer", "Decline")
    shown(run, "MISSED", title="Davidson Ro", message="")
    shown(run, "VMAIL", title="Davidson Ro")
    # A busy machine may ask for its attributes when it is gone.
    wait_until_removed(run, "SCHEDULE")
    added = [event["notification"]["display"] for event in run.events if event["event"] == "notification-added"]
    assert added.count("SCHEDULE") == 1

    acted = beaconry.call("ctl", "act", "bob", "negative", str(call["uid"]), "--control", str(beaconry.runtime / "bob.sock"))
    assert acted.returncode == 0, acted.stderr
    assert phone.wait("action-performed")["name"] == "call"
    # The phone acknowledges the action and notifies the changes, in either order.
    run.wait("action-performed", action="negative")
    wait_until_removed(run, "CALL")
    again = beaconry.call("ctl", "act", "bob", "negative", str(call["uid"]), "--control", str(beaconry.runtime / "bob.sock"))
    assert again.returncode == 65 and "there is no notification" in again.stderr

    assert phone.end() == 0
    run.wait("disconnected")
    run.wait("advertising-started")
    assert run.end() == 0


def wait_until_removed(run: Run, display: str) -> None:
    """Waits for the removal of a notification that may have been reported already."""
    if not any(event["event"] == "notification-removed" and of(display)(event) for event in run.events):
        run.wait("notification-removed", where=of(display))


PAIRED = DISPLAY + "    pairing: { io: none }\n"


def test_notifications_need_an_encrypted_link(air: Air, beaconry: Beaconry) -> None:
    """Like a real phone, the phone sends its notifications only over an encrypted connection."""
    run, transport = air(beaconry.profile(PAIRED), "--ephemeral")
    profile = beaconry.profile(PHONE.replace("MTU", "185").replace("pairing: off", "pairing: required"), "phone.yaml")
    phone = beaconry.start("phone", str(profile), "--radio", transport, "--json")
    phone.wait("encrypted")
    run.wait("notifications-available")
    shown(run, "CALL", title="Davidson Ro", appName="Phone")
    assert any(event["event"] == "paired" for event in run.events), run.events
    assert "not-encrypted" not in run.warnings()
    assert phone.end() == 0
    assert run.end() == 0


def test_display_without_pairing_gets_no_notifications(air: Air, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral")
    profile = beaconry.profile(PHONE.replace("MTU", "185").replace("pairing: off", "pairing: required"), "phone.yaml")
    phone = beaconry.start("phone", str(profile), "--radio", transport, "--json")
    assert phone.wait("pairing-failed")["code"] == "not-supported"
    phone.wait("disconnected")
    run.wait("disconnected")
    assert not any(event["event"] == "notifications-available" for event in run.events)
    assert phone.end() == 0
    assert run.end() == 0


@pytest.mark.starts_first
def test_display_continues_without_encryption(air: Air, beaconry: Beaconry) -> None:
    """A display requests encryption; if that fails, it continues without."""
    run, transport = air(beaconry.profile(PAIRED), "--ephemeral")
    phone = beaconry.start("phone", str(beaconry.profile(PHONE.replace("MTU", "185"), "phone.yaml")), "--radio", transport, "--json")
    run.wait("warning", timeout=300, code="not-encrypted")
    run.wait("notifications-available")
    assert phone.end() == 0
    assert run.end() == 0


def test_display_serves_one_session_after_another(air: Air, beaconry: Beaconry) -> None:
    """After a session the display advertises again, and a second phone sends it its notifications."""
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral")
    profile = beaconry.profile(PHONE.replace("MTU", "517"), "phone.yaml")
    for _ in range(2):
        phone = beaconry.start("phone", str(profile), "--radio", transport, "--json")
        run.wait("notifications-available")
        shown(run, "SOCIAL", title="Robert")
        assert phone.end() == 0
        run.wait("disconnected")
    assert run.end() == 0


def test_removed_service_is_used_again_when_it_returns(air: Air, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral")
    text = PHONE.replace("MTU", "185") + "changes:\n  - { at: 6s, service: away }\n  - { at: 6500ms, service: back }\n"
    phone = beaconry.start("phone", str(beaconry.profile(text, "phone.yaml")), "--radio", transport, "--json")
    first = run.wait("notification-added", where=of("SOCIAL"))["notification"]["uid"]
    assert run.wait("notifications-unavailable")["reason"] == "the phone's services have changed"
    run.wait("notifications-available")
    again = run.wait("notification-added", where=of("SOCIAL"))["notification"]
    assert again["uid"] != first and "pre-existing" in again["flags"]
    shown(run, "SOCIAL", title="Robert")
    assert phone.end() == 0
    assert run.end() == 0


def test_missing_notification_service_is_reported(air: Air, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral")
    text = PHONE.replace("MTU", "185") + "changes: [{ at: 4s, service: away }]\n"
    phone = beaconry.start("phone", str(beaconry.profile(text, "phone.yaml")), "--radio", transport, "--json")
    run.wait("notifications-available")
    run.wait("notifications-unavailable", reason="the phone has no notification service")
    phone.wait("service-away")
    assert phone.end() == 0
    assert run.end() == 0


def test_display_prints_the_lines_of_the_book(air: Air, beaconry: Beaconry) -> None:
    """Without --json, each field is printed on one line: CALL, and the caller."""
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral", "--control", str(beaconry.runtime / "bob.sock"))
    profile = beaconry.profile(PHONE.replace("MTU", "185"), "phone.yaml")
    phone = subprocess.Popen(
        [str(beaconry.binary), "phone", str(profile), "--radio", transport], env=beaconry.environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    text = ""
    while not ("iphone: CALL" in text and "iphone: VMAIL" in text):
        assert phone.stdout
        line = phone.stdout.readline()
        assert line, text
        text += line
    phone.terminate()
    assert phone.wait(300) == 0
    shown(run, "CALL")
    assert run.end() == 0


# Bumble's phone


@dataclass
class BumblePhone:
    """Bumble's provider: sends the notifications and the answers that a test specifies."""

    answers: dict[bytes, list[bytes] | int]
    written: list[bytes] = field(default_factory=list)
    subscribed: asyncio.Event = field(default_factory=asyncio.Event)
    device: Device | None = None

    def __post_init__(self) -> None:
        self.source = Characteristic(gatt.GATT_ANCS_NOTIFICATION_SOURCE_CHARACTERISTIC, Characteristic.Properties.NOTIFY, 0)
        self.data = Characteristic(gatt.GATT_ANCS_DATA_SOURCE_CHARACTERISTIC, Characteristic.Properties.NOTIFY, 0)
        self.control = Characteristic(
            gatt.GATT_ANCS_CONTROL_POINT_CHARACTERISTIC, Characteristic.Properties.WRITE, Characteristic.WRITEABLE,
            CharacteristicValue(write=self._write),
        )  # fmt: skip
        self.source.on("subscription", lambda _, notifies, __: notifies and self.subscribed.set())

    def _write(self, connection: Connection, value: bytes) -> None:
        self.written.append(bytes(value))
        answer = self.answers.get(bytes(value), 0xA2)
        if isinstance(answer, int):
            raise ATT_Error(answer)
        asyncio.get_running_loop().create_task(self._answer(connection, answer))

    async def _answer(self, connection: Connection, pieces: list[bytes]) -> None:
        assert self.device
        for piece in pieces:
            await self.device.notify_subscriber(connection, self.data, piece)

    async def notify(self, connection: Connection, event: str) -> None:
        assert self.device
        await self.device.notify_subscriber(connection, self.source, bytes.fromhex(event))


@asynccontextmanager
async def bumble_phone(transport: str, answers: dict[bytes, list[bytes] | int]) -> AsyncIterator[tuple[BumblePhone, Connection]]:
    phone = BumblePhone(answers)
    async with await open_transport(transport) as (source, sink):
        phone.device = Device.with_hci("phone", Address("F0:F1:F2:F3:F4:F5"), source, sink)
        phone.device.add_service(Service(gatt.GATT_ANCS_SERVICE, [phone.source, phone.control, phone.data]))
        await phone.device.power_on()
        connection = await asyncio.wait_for(phone.device.connect(Address(ACCESSORY)), 300)
        await asyncio.wait_for(phone.subscribed.wait(), 300)
        yield phone, connection
        await connection.disconnect()
        await phone.device.power_off()


ASK = bytes.fromhex("000100000000010b0003400005") + b"\x06\x07"
CONTENT = (
    bytes.fromhex("0001000000") + b"\x00\x15\x00com.apple.mobilephone" + b"\x01\x0b\x00Davidson Ro"
    + b"\x03\x0d\x00Incoming Call" + b"\x05\x0f\x0020140512T093015" + b"\x06\x00\x00" + b"\x07\x00\x00"
)  # fmt: skip


def cut(value: bytes, length: int) -> list[bytes]:
    return [value[start : start + length] for start in range(0, len(value), length)]


@pytest.mark.parametrize("length", [1, 20, 182])
def test_our_display_uses_bumbles_phone(air: Air, beaconry: Beaconry, length: int) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral", "--control", str(beaconry.runtime / "bob.sock"))
    name = b"\x01com.apple.mobilephone\x00\x00"
    answers: dict[bytes, list[bytes] | int] = {
        ASK: cut(CONTENT, min(length, 20)), name: cut(name + b"\x05\x00Phone", min(length, 20)),
        bytes.fromhex("020100000000"): [], bytes.fromhex("020100000001"): 0xA3,
    }  # fmt: skip

    async def talk() -> None:
        async with bumble_phone(transport, answers) as (phone, connection):
            await phone.notify(connection, "0018010101000000")
            await asyncio.to_thread(shown, run, "CALL", title="Davidson Ro", appName="Phone", message="Incoming Call")
            control = str(beaconry.runtime / "bob.sock")
            for action in ("positive", "negative"):
                done = await asyncio.to_thread(beaconry.call, "ctl", "act", "bob", action, "1", "--control", control)
                assert done.returncode == 0, done.stderr
            await asyncio.to_thread(run.wait, "action-performed", action="positive")
            failed = await asyncio.to_thread(run.wait, "action-failed", action="negative")
            assert failed["reason"] == "ATT error 0xA3"
            assert phone.written == [ASK, name, bytes.fromhex("020100000000"), bytes.fromhex("020100000001")]

    asyncio.run(talk())
    assert run.end() == 0


@pytest.mark.parametrize("code", [0xA0, 0xA1, 0xA2, 0xA3])
def test_error_of_a_phone_is_reported(air: Air, beaconry: Beaconry, code: int) -> None:
    run, transport = air(beaconry.profile(DISPLAY), "--ephemeral")

    async def talk() -> None:
        async with bumble_phone(transport, {ASK: code}) as (phone, connection):
            await phone.notify(connection, "0018010101000000")
            missing = await asyncio.to_thread(run.wait, "notification-not-shown")
            assert missing["reason"] == f"ATT error 0x{code:X}" and missing["notification"]["uid"] == 1

    asyncio.run(talk())
    assert run.end() == 0


# Bumble's display


@asynccontextmanager
async def bumble_display(transport: str) -> AsyncIterator[tuple[AncsClient, Connection]]:
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci("display", Address(ACCESSORY), source, sink)
        await device.power_on()
        connected: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        device.on("connection", lambda connection: connected.done() or connected.set_result(connection))
        await device.start_advertising(advertising_data=SOLICITATION)
        connection = await asyncio.wait_for(connected, 300)
        client = await asyncio.wait_for(AncsClient.for_peer(Peer(connection)), 300)
        assert client
        yield client, connection
        await connection.disconnect()
        await device.power_off()


async def until_encrypted(connection: Connection) -> None:
    changed = asyncio.Event()
    connection.on(connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, changed.set)
    if not connection.is_encrypted:
        await asyncio.wait_for(changed.wait(), 300)


QUIET = "profile: air\nbeacons: [{ id: other, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }]\n"


@dataclass
class ReceivedNotifications:
    """The notifications that a client of Bumble receives."""

    queue: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)

    async def next(self) -> Any:
        return await asyncio.wait_for(self.queue.get(), 300)


@pytest.mark.parametrize(("mtu", "pairing"), [(23, "off"), (185, "required")])
def test_our_phone_serves_bumbles_display(air: Air, beaconry: Beaconry, mtu: int, pairing: str) -> None:
    _, transport = air(beaconry.profile(QUIET))
    text = f"phone: iphone\nmtu: {mtu}\npairing: {pairing}\napps: {{ com.apple.mobilephone: Phone }}\nnotifications:\n  - id: call{CALL}"
    text += f"  - id: failing\n    actions-fail: true{CALL}"
    phone = beaconry.start("phone", str(beaconry.profile(text, "phone.yaml")), "--radio", transport, "--json")

    async def refused(code: int, attempt: Any) -> None:
        with pytest.raises(CommandError) as error:
            await attempt
        assert error.value.error_code == code

    async def talk() -> None:
        async with bumble_display(transport) as (client, connection):
            if pairing == "required":
                await until_encrypted(connection)
            received = ReceivedNotifications()
            client.on("notification", received.queue.put_nowait)
            await client.start()
            call, failing = await received.next(), await received.next()
            assert (call.event_flags, call.category_id, call.category_count) == (0x1C, 1, 2)
            asked = [NotificationAttributeId.APP_IDENTIFIER, (NotificationAttributeId.TITLE, 11), NotificationAttributeId.MESSAGE]
            asked += [NotificationAttributeId.MESSAGE_SIZE, NotificationAttributeId.SUBTITLE]
            content = await client.get_notification_attributes(call.notification_uid, asked)
            assert [each.value for each in content] == ["com.apple.mobilephone", "Davidson Ro", "Incoming Call", 13, ""]
            apps = await client.get_app_attributes("com.apple.mobilephone", [AppAttributeId.DISPLAY_NAME])
            assert [each.value for each in apps] == ["Phone"]
            assert connection.att_mtu == mtu
            assert connection.is_encrypted == (pairing == "required")

            await refused(0xA0, client._send_command(b"\x09"))
            await refused(0xA1, client._send_command(b"\x00\x00"))
            await refused(0xA2, client.get_notification_attributes(999, asked))
            await refused(0xA2, client.get_app_attributes("com.example.none", [AppAttributeId.DISPLAY_NAME]))
            await refused(0xA3, client.perform_positive_action(failing.notification_uid))
            await client.perform_action(call.notification_uid, ActionId.POSITIVE)
            removed = await received.next()
            assert (removed.event_id, removed.notification_uid) == (2, call.notification_uid)

            await client.stop()
            await client.start()
            again = await received.next()
            assert again.notification_uid not in (call.notification_uid, failing.notification_uid)
            await refused(0xA2, client.get_notification_attributes(failing.notification_uid, asked))
            await refused(0xA2, client.perform_negative_action(failing.notification_uid))
            assert await client.get_notification_attributes(again.notification_uid, asked)

    asyncio.run(talk())
    phone.wait("disconnected")
    codes = [event["code"] for event in phone.events if event["event"] == "refused"]
    assert codes == ["0xA0", "0xA1", "0xA2", "0xA2", "0xA3", "0xA2", "0xA2"]
    assert phone.end() == 0


# The command


def test_shipped_profiles_run(air: Air, beaconry: Beaconry) -> None:
    run, transport = air(PROFILES / "ancs.yaml", "--ephemeral")
    phone = beaconry.start("phone", str(PROFILES / "phones" / "iphone.yaml"), "--radio", transport, "--json")
    shown(run, "CALL", title="Davidson Ro", appName="Phone")
    assert phone.end() == 0
    assert run.end() == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("phone: a\nnotifications: []\n", "2:16: error: notifications: a list of at least one notification"),
        ("phone: a\nnotifications:\n  - { id: x, category: bell }\n", '3:24: error: notifications[0].category: there is no category "bell"'),
        ("phone: a\nmtu: 22\nnotifications: [{ id: x, category: other }]\n", "2:6: error: mtu: "),
        ("phone: a\nnotifications: [{ id: x, category: other, at: 2s, until: 1s }]\n", "until: a notification cannot be removed before"),
        ("phone: a\nnotifications: [{ id: x, category: other }, { id: x, category: other }]\n", "notifications[1].id: "),
        ("phone: a\nnotifications: [{ id: x, category: other }]\nchanges: [{ at: 1s, id: y }]\n", "changes[0].id: "),
        ("phone: a\nnotifications: [{ id: x, category: other, date: today }]\n", "notifications[0].date: "),
        ("phone: a\nnotifications: [{ id: x, category: other, colour: red }]\n", 'there is no key "colour"'),
    ],
)
def test_mistakes_of_a_phone_are_reported(beaconry: Beaconry, text: str, fault: str) -> None:
    result = beaconry.call("phone", str(beaconry.profile(text)), "--radio", "virtual")
    assert result.returncode == 65 and fault in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr


def test_duration_ends_the_search(air: Air, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(QUIET))
    phone = beaconry.start("phone", str(PROFILES / "phones" / "iphone.yaml"), "--radio", transport, "--json", "--duration", "500ms")
    phone.wait("looking")
    assert phone.exit_code() == 0
