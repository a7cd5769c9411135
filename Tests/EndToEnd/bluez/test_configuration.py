# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The configuration service, as the manufacturer's app uses it, and the settings that a run restores."""

from __future__ import annotations

import asyncio
import json
import signal
import time

import pytest
from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, PROFILES, TRANSMIT_SETTINGS, Beaconry, Run, ibeacon
from bleak.exc import BleakError
from vhci import ADDRESSES, Management, Phone, Witness

NEW_UUID = "0B0B0B0B-1111-2222-3333-444455556666"


async def find(phone: Phone):
    return await phone.find(lambda _, seen: CONFIG_SERVICE in seen.service_uuids, service_uuids=[CONFIG_SERVICE])


async def configure(phone: Phone, *writes: tuple[str, bytes]) -> dict[str, bytes]:
    """Connects, reads all values, writes with response, reads all values again, and returns them."""
    async with phone.connect(await find(phone)) as client:
        for characteristic, value in writes:
            await client.write_gatt_char(characteristic, value, response=True)
        return {each: bytes(await client.read_gatt_char(each)) for each in (BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS)}


def started(beaconry: Beaconry, *options: str) -> Run:
    run = beaconry.run(PROFILES / "iot-design-shop.yaml", *options)
    run.wait("ready")
    return run


@pytest.mark.depends_on("combination")
def test_app_configures_the_beacon(beaconry: Beaconry, witness: Witness, phone: Phone, extended: bool) -> None:
    run = started(beaconry)

    async def app() -> None:
        async with phone.connect(await find(phone)) as client:
            service = client.services.get_service(CONFIG_SERVICE)
            characteristics = sorted(service.characteristics, key=lambda each: each.handle)
            assert [each.uuid for each in characteristics] == [BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS]
            for each in characteristics:
                assert set(each.properties) == {"read", "write"}
            values = [bytes(await client.read_gatt_char(each)) for each in characteristics]
            assert values == [bytes.fromhex(CONFIG_SERVICE.replace("-", "")), b"\x01\x00\x01\x00", b"\x02\x00\xa0\x00"]
            await client.write_gatt_char(BEACON_UUID, bytes.fromhex(NEW_UUID.replace("-", "")), response=True)
            await client.write_gatt_char(MAJOR_MINOR, bytes.fromhex("409c0700"), response=True)
            await client.write_gatt_char(TRANSMIT_SETTINGS, bytes.fromhex("01004001"), response=True)
            assert bytes(await client.read_gatt_char(MAJOR_MINOR)) == bytes.fromhex("409c0700")

    asyncio.run(app())
    central = run.wait("connected")["central"]
    assert central == ADDRESSES[1]
    run.wait("advertising-stopped")
    for characteristic, value in ((MAJOR_MINOR, "409c0700"), (TRANSMIT_SETTINGS, "01004001")):
        run.wait("settings-saved")
        run.wait("written", characteristic=characteristic.upper(), value=value)
    run.wait("disconnected", central=central)
    again = run.wait("advertising-started")
    data = ibeacon(NEW_UUID, 40000, 7)
    assert again["advertisingData"] == data.hex() and again["intervalTicks"] == 320
    air = witness.wait_for(lambda air: air.on_air and air.on_air[0].advertising_data == data)
    assert (air.on_air[0].min_ticks, air.on_air[0].max_ticks) == (320, 320)
    if extended:
        assert air.on_air[0].tx_power == -6

    # A power cut, without a disconnection.
    run.kill()
    second = beaconry.run(PROFILES / "iot-design-shop.yaml")
    second.wait("settings-restored")
    assert second.wait("advertising-started")["advertisingData"] == data.hex()
    second.wait("ready")
    values = asyncio.run(configure(phone))
    assert values[MAJOR_MINOR] == bytes.fromhex("409c0700") and values[TRANSMIT_SETTINGS] == bytes.fromhex("01004001")
    assert second.end() == 0

    file = beaconry.state / "beaconry" / "iot-design-shop" / "beacon.json"
    assert json.loads(file.read_text())["settings"]["major"] == 40000
    assert beaconry.call("reset", "iot-design-shop/beacon").returncode == 0
    assert started(beaconry).events[-2]["advertisingData"] == ibeacon(CONFIG_SERVICE, 1, 1).hex()


def test_nothing_is_advertised_while_connected(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    run = started(beaconry)

    async def stay() -> None:
        async with phone.connect(await find(phone)) as client:
            await client.read_gatt_char(MAJOR_MINOR)
            await asyncio.to_thread(run.wait, "advertising-stopped")
            await asyncio.sleep(5)  # the kernel would advertise again after 1.8 s by itself
            assert witness.air().on_air == []

    asyncio.run(stay())
    run.wait("disconnected")
    run.wait("advertising-started")
    witness.wait_for(lambda air: air.on_air)


@pytest.mark.depends_on()
def test_wrong_lengths_are_refused_and_bad_values_are_corrected(
    beaconry: Beaconry, witness: Witness, phone: Phone
) -> None:
    run = started(beaconry)

    async def app() -> None:
        async with phone.connect(await find(phone)) as client:
            for characteristic in (BEACON_UUID, MAJOR_MINOR, TRANSMIT_SETTINGS):
                right = len(await client.read_gatt_char(characteristic))
                for length in (0, right - 1, right + 1):
                    with pytest.raises(BleakError, match="(?i)invalid.*length|0x0d"):
                        await client.write_gatt_char(characteristic, bytes(length), response=True)
            await client.write_gatt_char(TRANSMIT_SETTINGS, bytes.fromhex("09000500"), response=True)
            assert bytes(await client.read_gatt_char(TRANSMIT_SETTINGS)) == bytes.fromhex("09000500")

    asyncio.run(app())
    run.wait("disconnected")
    assert run.wait("advertising-started")["intervalTicks"] == 32
    assert {"interval-clamped", "power-code-unknown"} <= run.warnings()
    assert asyncio.run(configure(phone))[TRANSMIT_SETTINGS] == bytes.fromhex("09000500")


@pytest.mark.depends_on()
def test_beacon_with_a_bad_interval_can_be_corrected(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    profile = beaconry.profile(
        "profile: fragile\nbeacons:\n  - {id: a, device: iot-design-shop, on-bad-interval: fail, name: Fragile}\n"
    )
    run = beaconry.run(profile)
    run.wait("ready")
    asyncio.run(configure(phone, (TRANSMIT_SETTINGS, bytes.fromhex("0200FFFF"))))
    run.wait("disconnected")
    repair = run.wait("advertising-started")
    assert repair["intervalTicks"] == 1600 and repair["pdu"] == "ADV_IND"
    assert repair["advertisingData"] == "020106" + "1107566114ab537964ab6248559119e57321"
    assert "interval-failed" in run.warnings()
    asyncio.run(configure(phone, (TRANSMIT_SETTINGS, bytes.fromhex("0200A000"))))
    run.wait("disconnected")
    assert run.wait("advertising-started")["advertisingData"] == ibeacon(CONFIG_SERVICE, 1, 1).hex()


@pytest.mark.depends_on()
def test_next_run_cleans_up_after_a_crash(beaconry: Beaconry, witness: Witness, mgmt: Management) -> None:
    first = started(beaconry)
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert witness.air().on_air, "the kernel keeps the instance of a dead process"
    second = beaconry.run(PROFILES / "hot-and-cold.yaml")
    second.wait("ready")
    hidden = ibeacon("D9EED498-BFDB-43C0-8B55-D06BB74C430B", 0, 0)
    witness.wait_for(lambda air: [each.advertising_data for each in air.on_air] == [hidden])
    # After 2 s the kernel would advertise an instance that still exists.
    alone = time.time()
    second.take(5)
    assert {each.advertising_data for each in witness.air().since(alone)} == {hidden}
    assert second.end() == 0
    witness.wait_for(lambda air: not air.on_air)


@pytest.mark.depends_on()
def test_termination_leaves_nothing_on_the_air(beaconry: Beaconry, witness: Witness, phone: Phone) -> None:
    for how in (signal.SIGINT, signal.SIGTERM):
        run = started(beaconry)
        assert list(beaconry.runtime.rglob("*.sock"))
        assert run.end(how) == 0
        witness.wait_for(lambda air: not air.on_air)
        left = [path for place in (beaconry.runtime, beaconry.state) for path in place.rglob("*") if path.is_file()]
        assert [path.name for path in left if path.suffix != ".json"] == []
    assert "stopping" in {event["event"] for event in run.take(1) + run.events}


@pytest.mark.depends_on()
def test_settings_have_one_owner(beaconry: Beaconry) -> None:
    started(beaconry)
    control = beaconry.folder / "other.sock"
    result = beaconry.call(
        "run", str(PROFILES / "iot-design-shop.yaml"), "--radio", "bluez:hci1", "--control", str(control)
    )
    assert result.returncode == 73
    assert "are in use by process" in result.stderr
