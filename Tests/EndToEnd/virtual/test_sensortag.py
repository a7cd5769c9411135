# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The SensorTag on the virtual air, compared with known facts about real ones, and as the tutorial's app uses it."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import PROFILES, Beaconry, Run
from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt_client import CharacteristicProxy
from bumble.hci import Address
from phone import connected, phone, receive_reports
from raw_host import ATTRIBUTES, RawHost, frame
from raw_host import data as packet
from sensortag import (
    ADDRESS,
    ROOM,
    SENSORS,
    VERSION_15_DESCRIPTIONS,
    VERSION_15_HANDLES,
    acceleration,
    check_acceleration,
    check_barometer,
    table,
    uuid,
)

VirtualAir = Callable[..., tuple[Run, str]]
RANDOM_ADDRESS = "C0:FF:EE:00:00:0A"
NAMES = {"SensorTag", "TI BLE Sensor Tag"}


def profile(firmware: str = "1.4", address: str = RANDOM_ADDRESS, more: str = ROOM) -> str:
    """A profile with one tag."""
    return (
        f"profile: tags\nbeacons:\n  - id: tag\n    device: sensortag\n    firmware: {firmware}\n"
        f"    address: {address}\n{more}"
    )


class Notifications:
    """The notifications of characteristics, in order."""

    def __init__(self) -> None:
        self._queues: dict[str, asyncio.Queue[bytes]] = {}

    async def subscribe(self, peer: Peer, name: str) -> None:
        """Subscribes to a characteristic."""
        queue = self._queues.setdefault(name, asyncio.Queue())
        await characteristic(peer, name).subscribe(lambda value: queue.put_nowait(bytes(value)))

    async def next(self, name: str, seconds: float = 60) -> bytes:
        """The next value of a characteristic."""
        return await asyncio.wait_for(self._queues[name].get(), seconds)

    async def wait_for(self, name: str, wanted: bytes) -> None:
        """Waits for a value; earlier values are dropped."""
        while await self.next(name) != wanted:
            pass

    def is_silent(self, name: str) -> bool:
        """Whether no value is in the queue."""
        return self._queues[name].empty()


def characteristic(peer: Peer, name: str) -> CharacteristicProxy[Any]:
    """The only characteristic of a type."""
    (found,) = peer.get_characteristics_by_uuid(uuid(name))
    return found


async def read(peer: Peer, name: str) -> bytes:
    return bytes(await characteristic(peer, name).read_value())


async def write(peer: Peer, name: str, *octets: int, with_response: bool = True) -> None:
    await characteristic(peer, name).write_value(bytes(octets), with_response=with_response)


async def refusal(action: Any) -> int:
    """The error response to a request."""
    with pytest.raises(ATT_Error) as caught:
        await action
    return caught.value.error_code


async def find(device: Device, seconds: float = 60) -> Address:
    """Scans until a device has one of the names, as the tutorial's app does; returns the address."""
    found: asyncio.Future[Address] = asyncio.get_running_loop().create_future()

    def note(advertisement: Any) -> None:
        name = advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME)
        if name in NAMES and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", note)
    await device.start_scanning(active=True)
    address = await asyncio.wait_for(found, seconds)
    await device.stop_scanning()
    return address


# Advertising and attributes -------------------------------------------------------------------------------------


def test_advertising_data_is_that_of_the_hardware(air: VirtualAir, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(profile()))
    (started,) = [event for event in run.events if event["event"] == "advertising-started"]
    assert started["pdu"] == "ADV_IND" and started["intervalTicks"] == 160

    async def scenario() -> None:
        async with phone(transport) as device:
            received = await receive_reports(
                device, 0.5, until=lambda reports: {each.pdu for each in reports} >= {"ADV_IND", "SCAN_RSP"}
            )
            assert {each.data.hex() for each in received if each.pdu == "ADV_IND"} == {"020105"}
            assert {each.data.hex() for each in received if each.pdu == "SCAN_RSP"} == {
                "0a0953656e736f72546167" "051250002003" "020a00"
            }

    asyncio.run(scenario())


@pytest.mark.parametrize("firmware", ["1.3", "1.4"])
def test_table_is_that_of_a_real_tag(air: VirtualAir, beaconry: Beaconry, firmware: str) -> None:
    """Attribute by attribute: handle, type, properties and value, as Bumble reads them."""
    _, transport = air(beaconry.profile(profile(firmware, ADDRESS)))

    async def scenario() -> None:
        async with phone(transport) as device:
            address = Address(ADDRESS, Address.PUBLIC_DEVICE_ADDRESS)
            connection = await asyncio.wait_for(device.connect(address), 300)
            peer = Peer(connection)
            found = await peer.discover_attributes()
            wanted = table(firmware)
            assert len(found) == len(wanted)
            for ours, real in zip(found, wanted):
                assert ours.handle == real.handle
                assert ours.type.to_hex_str("-").lower() == real.type.lower(), hex(real.handle)
                if real.value is None:
                    assert await refusal(ours.read_value()) == 0x02, hex(real.handle)
                elif real.is_constant:
                    assert bytes(await ours.read_value()) == real.value, hex(real.handle)
            assert (await peer.read_value(0x18))[:5] == firmware.encode() + b" ("
            await connection.disconnect()

    asyncio.run(scenario())


def test_table_of_a_real_tag_in_raw_requests(air: VirtualAir, beaconry: Beaconry) -> None:
    """The same, without a stack between the test and the bytes; the system identifier derives from the address."""
    _, transport = air(beaconry.profile(profile()))
    host = RawHost(int(transport.rsplit(":", 1)[1]))
    host.start()
    host.connect(RANDOM_ADDRESS)
    found: list[tuple[int, bytes]] = []
    while (answer := host.request(struct.pack("<BHH", 0x04, len(found) + 1, 0xFFFF)))[0] == 0x05:
        size = 4 if answer[1] == 1 else 18
        found += [
            (int.from_bytes(answer[place : place + 2], "little"), answer[place + 2 : place + size])
            for place in range(2, len(answer), size)
        ]
    assert answer == struct.pack("<BBHB", 0x01, 0x04, len(found) + 1, 0x0A)
    wanted = table("1.4")
    assert [(each.handle, bytes.fromhex(each.type.replace("-", ""))[::-1]) for each in wanted] == found
    for each in wanted:
        answer = host.request(struct.pack("<BH", 0x0A, each.handle))
        if each.value is None:
            assert answer == struct.pack("<BBHB", 0x01, 0x0A, each.handle, 0x02)
        elif each.handle == 0x12:
            assert answer == bytes.fromhex("0b 0a0000 0000 eeffc0")
        elif each.is_constant:
            assert answer == b"\x0b" + each.value, hex(each.handle)
    # Write commands are accepted where only requests are declared, and invalid ones are ignored.
    assert host.handle is not None
    for pdu in (struct.pack("<BHB", 0x52, 0x31, 7), struct.pack("<BHH", 0x52, 0x31, 7)):
        host.send(packet(host.handle, frame(ATTRIBUTES, pdu)))
    assert host.read(0x31) == b"\x07"
    assert host.request(struct.pack("<BHH", 0x12, 0x31, 7)) == struct.pack("<BBHB", 0x01, 0x12, 0x31, 0x0D)
    assert host.request(struct.pack("<BHH", 0x0C, 0x25, 1)) == struct.pack("<BBHB", 0x01, 0x0C, 0x25, 0x0B)
    assert host.request(struct.pack("<BHHB", 0x16, 0x31, 1, 0))[0] == 0x17
    assert host.request(b"\x18\x01") == struct.pack("<BBHB", 0x01, 0x18, 0x31, 0x0B)


def test_table_of_version_15_is_that_of_a_real_tag(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(profile("1.5")))

    async def scenario() -> None:
        async with phone(transport) as device, connected(device, RANDOM_ADDRESS) as (_, peer):
            for name, handle in VERSION_15_HANDLES.items():
                assert characteristic(peer, name + "*").handle == handle
            for name, description in VERSION_15_DESCRIPTIONS.items():
                descriptors = await characteristic(peer, name + "*").discover_descriptors()
                (found,) = [each for each in descriptors if each.type.to_hex_str() == "2901"]
                assert bytes(await found.read_value()) == description
            assert await read(peer, "2A26") == b"1.5 (Oct 23 2013)\0"
            assert await read(peer, "AA03*") == b"\x64"
            assert await refusal(write(peer, "AA03*", 29)) == 0x80
            assert await refusal(write(peer, "AA44*", 9)) == 0x80
            assert await read(peer, "AA44*") == b"\x64"
            await write(peer, "AA12*", 1)
            notifications = Notifications()
            await notifications.subscribe(peer, "AA11*")
            check_acceleration(await notifications.next("AA11*"), 16)

    asyncio.run(scenario())


# As apps use it -------------------------------------------------------------------------------------------------


def test_app_of_the_tutorial_reads_all_sensors(air: VirtualAir, beaconry: Beaconry) -> None:
    """Scans by name, connects, discovers, and uses each sensor: configuration, calibration, notifications, keys."""
    run, transport = air(beaconry.profile(profile()))

    def press(keys: str) -> None:
        result = beaconry.call("ctl", "set", "tag", f"keys={keys}", "--json")
        assert result.returncode == 0, result.stderr

    async def app() -> None:
        async with phone(transport) as device:
            connection = await asyncio.wait_for(device.connect(await find(device)), 300)
            peer = Peer(connection)
            await peer.discover_services()
            await peer.discover_characteristics()
            for service in peer.services:
                for each in service.characteristics:
                    await each.discover_descriptors()
            assert await read(peer, "2A00") == b"TI BLE Sensor Tag"
            assert await read(peer, "2A24") == b"N.A.\0"
            assert len(await read(peer, "2A23")) == 8
            notifications = Notifications()

            # The simple keys are subscribed first.
            await notifications.subscribe(peer, "FFE1")
            for keys, octet in (("left", 1), ("left+right", 3), ("right", 2), ("none", 0)):
                await asyncio.to_thread(press, keys)
                assert await notifications.next("FFE1") == bytes([octet])

            # The barometer is calibrated before it is switched on.
            await write(peer, "AA42*", 2)
            assert await read(peer, "AA42*") == b"\x02"
            calibration = await read(peer, "AA43*")
            assert any(calibration)
            await write(peer, "AA42*", 1)
            await notifications.subscribe(peer, "AA41*")

            await write(peer, "AA13*", 10)
            assert await read(peer, "AA13*") == b"\x0a"
            await write(peer, "AA33*", 20)
            for data, (configuration, value, _) in SENSORS.items():
                await write(peer, configuration, value)
                await notifications.subscribe(peer, data)
            for data, (_, _, check) in SENSORS.items():
                for _ in range(2):
                    check(await notifications.next(data))
                check(await read(peer, data))
            while (pressure := await notifications.next("AA41*"))[2:] == b"\0\0":
                pass
            check_barometer(pressure, calibration)

            # A change of the tag's environment is measured.
            result = await asyncio.to_thread(beaconry.call, "ctl", "set", "tag", "acceleration.z=-1")
            assert result.returncode == 0, result.stderr
            while acceleration(await notifications.next("AA11*"))[2] != -1:
                pass

            for data, (configuration, _, _) in {**SENSORS, "AA41*": ("AA42*", 1, None)}.items():
                zeros = bytes(len(await read(peer, data)))
                await write(peer, configuration, 0)
                await notifications.wait_for(data, zeros)
                assert await read(peer, data) == zeros and await read(peer, configuration) == b"\0"
                assert notifications.is_silent(data)
            assert await read(peer, "AA13*") == b"\x64" and await read(peer, "AA33*") == b"\xc8"
            assert await read(peer, "AA43*") == bytes(16)
            await connection.disconnect()

    asyncio.run(app())
    run.wait("disconnected")
    run.wait("advertising-started")
    assert run.end() == 0


def test_calibration_is_notified_although_undeclared(air: VirtualAir, beaconry: Beaconry) -> None:
    _, transport = air(beaconry.profile(profile()))

    async def scenario() -> None:
        async with phone(transport) as device, connected(device, RANDOM_ADDRESS) as (connection, peer):
            notifications: asyncio.Queue[bytes] = asyncio.Queue()
            peer.gatt_client.notification_subscribers[0x52] = {notifications.put_nowait}
            await peer.write_value(0x53, b"\x01\x00", with_response=True)
            await write(peer, "AA42*", 2)
            assert await asyncio.wait_for(notifications.get(), 300) == await read(peer, "AA43*") != bytes(16)

    asyncio.run(scenario())


def test_disconnection_resets_the_tag(air: VirtualAir, beaconry: Beaconry) -> None:
    """The tag ends the connection on request."""
    run, transport = air(beaconry.profile(profile()))

    async def scenario() -> None:
        async with phone(transport) as device:
            connection = await asyncio.wait_for(device.connect(Address(RANDOM_ADDRESS)), 300)
            peer = Peer(connection)
            await peer.discover_services()
            await peer.discover_characteristics()
            gone: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            connection.on("disconnection", gone.set_result)
            await write(peer, "AA02*", 1, with_response=False)
            await write(peer, "AA13*", 20)
            await write(peer, "AA62*", 0x81)
            await write(peer, "AA42*", 2)
            assert await read(peer, "AA02*") == b"\x01" and await read(peer, "AA62*") == b"\x81"
            await write(peer, "CCC3*", 1)
            await asyncio.wait_for(gone, 300)
            await asyncio.to_thread(run.wait, "advertising-started")
            async with connected(device, RANDOM_ADDRESS) as (_, peer):
                wanted = {"AA02*": "00", "AA13*": "64", "AA62*": "00", "AA42*": "00", "AA43*": "00" * 16}
                assert {name: (await read(peer, name)).hex() for name in wanted} == wanted

    asyncio.run(scenario())


def test_connection_parameters_are_read_and_requested(air: VirtualAir, beaconry: Beaconry) -> None:
    """The parameters in use can be read; the tag requests those that are written to it, and notifies the result."""
    _, transport = air(beaconry.profile(profile()))

    async def scenario() -> None:
        async with phone(transport) as device, connected(device, RANDOM_ADDRESS) as (_, peer):
            notifications = Notifications()
            await notifications.subscribe(peer, "CCC1*")
            first = struct.unpack("<HHH", await read(peer, "CCC1*"))
            assert first[0] >= 6 and first[2] >= 10 and first != (0x28, 0, 1000)
            assert await refusal(write(peer, "CCC2*", *bytes(7))) == 0x0D
            await write(peer, "CCC2*", *struct.pack("<HHHH", 0x28, 0x28, 0, 1000))
            await notifications.wait_for("CCC1*", struct.pack("<HHH", 0x28, 0, 1000))
            assert struct.unpack("<HHH", await read(peer, "CCC1*")) == (0x28, 0, 1000)

    asyncio.run(scenario())


def test_tag_advertises_after_its_side_key_is_pressed(beaconry: Beaconry) -> None:
    """As the hardware, if the profile requests that."""
    run = beaconry.run(
        beaconry.profile(profile(more=ROOM + "    advertising: side-key\n")), "--hci-server", "none", radio="virtual"
    )
    run.wait("radio-ready")
    waiting = run.wait("waiting", device="tag")
    assert "silent until its side key is pressed" in waiting["message"]
    assert waiting["hint"] == "press it with beaconry ctl set tag keys=side, then beaconry ctl set tag keys=none"
    assert not any(event["event"] in ("ready", "advertising-started") for event in run.take(2))
    assert beaconry.call("ctl", "set", "tag", "keys=side").returncode == 0
    run.wait("advertising-started", scanResponse="0a0953656e736f72546167051250002003020a00")
    run.wait("ready")
    for keys in ("none", "side"):
        assert beaconry.call("ctl", "set", "tag", f"keys={keys}").returncode == 0
    run.wait("advertising-stopped")


# Settings and profiles --------------------------------------------------------------------------------------------


def test_invalid_settings_are_refused(air: VirtualAir, beaconry: Beaconry) -> None:
    air(beaconry.profile(profile()))
    for setting, words in (
        ("humidity=101", 'humidity: "101" is not a number from 0 to 100 (%)'),
        ("keys=middle", '"middle" is not none, left, right or side'),
        ("major=1", "major: a SensorTag has no such setting; it has temperature.object"),
        ("colour=red", 'there is no setting "colour"; settings are '),
        ("humidty=50", 'there is no setting "humidty"; did you mean "humidity"? settings are '),
    ):
        result = beaconry.call("ctl", "set", "tag", setting)
        assert result.returncode == 65 and words in result.stderr, result.stderr


def test_example_profile_is_valid(air: VirtualAir, beaconry: Beaconry) -> None:
    result = beaconry.call("check", str(PROFILES / "sensortag.yaml"))
    assert result.returncode == 0, result.stdout + result.stderr
    air(PROFILES / "sensortag.yaml")
