# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Faults on purpose: lost connections, muted beacons, flat batteries and a radio that is unplugged."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import Beaconry, Run
from bumble.device import Connection, ConnectionParametersPreferences, Device
from bumble.hci import Address
from phone import ADDRESS, Report, phone, receive_reports

BEACON = "C0:FF:EE:00:00:01"
PROFILE = f"""
profile: shop
beacons:
  - id: door
    device: gatt
    address: {BEACON}
    name: Door
    interval: 30ms
    services:
      - uuid: 180F
        characteristics:
          - {{ name: level, uuid: 2A19, properties: [read], type: uint8, value: 80 }}
  - id: shelf
    device: ibeacon
    address: C0:FF:EE:00:00:02
    interval: 30ms
    ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7 }}
"""

Start = Callable[..., tuple[Run, str]]
TIMEOUT = 1.0
"""The supervision timeout of `connect`, in seconds."""


async def ctl(beaconry: Beaconry, *arguments: str) -> Any:
    """The object that a successful `ctl` prints."""
    done = await asyncio.to_thread(beaconry.call, "ctl", *arguments, "--json")
    assert done.returncode == 0, done
    return json.loads(done.stdout)


async def connect(device: Device) -> tuple[Connection, asyncio.Future[int]]:
    """A connection to the door, and the reason of its end."""
    preferences = ConnectionParametersPreferences(supervision_timeout=round(TIMEOUT * 1000))
    connection = await asyncio.wait_for(
        device.connect(Address(BEACON), connection_parameters_preferences={1: preferences}), 300
    )
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: ended.done() or ended.set_result(reason))
    return connection, ended


async def received(device: Device, *wanted: str) -> set[str]:
    """The last bytes of the addresses that are received, until the wanted ones are among them, and for half a second."""
    return senders(await receive_reports(device, 0.5, until=lambda reports: senders(reports) >= set(wanted)))


def senders(reports: list[Report]) -> set[str]:
    """The last bytes of the addresses."""
    return {each.address[-2:] for each in reports}


@pytest.mark.parametrize(
    ("reason", "code"),
    [("supervision-timeout", 0x08), ("remote-user", 0x13), ("low-resources", 0x14), ("mic-failure", 0x3D)],
)
def test_disconnected_central_gets_the_reason(air: Start, beaconry: Beaconry, reason: str, code: int) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def lose() -> int:
        async with phone(transport) as device:
            _, ended = await connect(device)
            await asyncio.to_thread(run.wait, "connected", device="door")
            answer = await ctl(beaconry, "disconnect", "door", "--reason", reason)
            assert answer == {"v": 1, "name": "door", "peers": [ADDRESS], "reason": reason}
            return await asyncio.wait_for(ended, 300)

    assert asyncio.run(lose()) == code
    run.wait("disconnected", device="door", central=ADDRESS)
    run.wait("advertising-started", device="door")


def test_connections_of_a_host_are_ended_by_their_names(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile(PROFILE), "--hci-server", "tcp:127.0.0.1:0?name=visitor", radio="virtual")
    transport = run.wait("radio-ready")["servers"][0].replace("tcp:", "tcp-client:")
    run.wait("ready")

    async def lose() -> tuple[str, int]:
        async with phone(transport) as device:
            await connect(device)
            done = await asyncio.to_thread(beaconry.call, "ctl", "disconnect", "visitor", "door")
            _, ended = await connect(device)
            await ctl(beaconry, "disconnect", "door", "visitor", "--reason", "power-off")
            return done.stdout, await asyncio.wait_for(ended, 300)

    assert asyncio.run(lose()) == (f"visitor disconnected from {BEACON} (remote-user)\n", 0x15)


def test_muted_beacon_is_not_received_and_does_not_notice(air: Start, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def scan() -> list[set[str]]:
        async with phone(transport) as device:
            before = await received(device, "01", "02")
            assert (await ctl(beaconry, "mute", "shelf"))["muted"] is True
            muted = await received(device, "01")
            shown = await ctl(beaconry, "show", "shelf")
            assert shown["onAir"] and shown["muted"] and shown["enabled"]
            assert (await ctl(beaconry, "unmute", "shelf"))["muted"] is False
            after = await received(device, "01", "02")
            await ctl(beaconry, "mute", "shelf", "--for", "300ms")
            await asyncio.to_thread(run.wait, "muted", seconds=0.3)
            await asyncio.to_thread(run.wait, "unmuted", device="shelf")
            return [before, muted, after, await received(device, "01", "02")]

    assert asyncio.run(scan()) == [{"01", "02"}, {"01"}, {"01", "02"}, {"01", "02"}]
    names = [(each["event"], each.get("seconds")) for each in run.events if each["event"] in ("muted", "unmuted")]
    assert names == [("muted", None), ("unmuted", None), ("muted", 0.3), ("unmuted", None)]
    assert not any(each["event"] == "advertising-stopped" for each in run.events)


def test_connection_of_a_muted_beacon_runs_into_the_supervision_timeout(air: Start, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def lose() -> tuple[int, float]:
        async with phone(transport) as device:
            _, ended = await connect(device)
            start = time.monotonic()
            await ctl(beaconry, "mute", "door")
            return await asyncio.wait_for(ended, 300), time.monotonic() - start

    reason, elapsed = asyncio.run(lose())
    assert reason == 0x08 and TIMEOUT - 0.5 < elapsed
    # The device, which still receives until the central has given up, notices later.
    run.wait("disconnected", device="door", central=ADDRESS)
    run.wait("advertising-started", device="door")


def test_flat_battery_is_a_loss_without_notice(air: Start, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def lose() -> tuple[int, float, set[str], set[str]]:
        async with phone(transport) as device:
            _, ended = await connect(device)
            start = time.monotonic()
            flat = await ctl(beaconry, "battery", "door", "flat")
            assert flat["battery"] == "flat" and not flat["enabled"] and not flat["onAir"]
            reason, elapsed = await asyncio.wait_for(ended, 300), time.monotonic() - start
            off = await received(device, "02")
            assert (await ctl(beaconry, "battery", "door", "full"))["enabled"]
            await asyncio.to_thread(run.wait, "advertising-started", device="door")
            on = await received(device, "01", "02")
            await connect(device)
            return reason, elapsed, off, on

    reason, elapsed, off, on = asyncio.run(lose())
    assert (reason, off, on) == (0x08, {"02"}, {"01", "02"}) and elapsed > TIMEOUT - 0.5
    names = [each["event"] for each in run.events if each.get("device") == "door"]
    for name in ("battery-flat", "disconnected", "battery-full", "advertising-started"):
        assert name in names


def test_radio_disappears_and_comes_back(air: Start, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def lose() -> tuple[int, set[str], set[str]]:
        async with phone(transport) as device:
            _, ended = await connect(device)
            await asyncio.to_thread(run.wait, "connected", device="door")
            assert await ctl(beaconry, "mute", "shelf")
            assert await ctl(beaconry, "radio", "off") == {"v": 1, "radio": "off"}
            lost = await asyncio.to_thread(run.wait, "radio-lost")
            assert lost["code"] == "powered-off"
            reason = await asyncio.wait_for(ended, 300)
            off = await received(device)
            assert not (await ctl(beaconry, "show", "shelf"))["onAir"]
            assert (await ctl(beaconry, "set", "shelf", "minor=9"))["settings"]["minor"] == 9
            await ctl(beaconry, "radio", "off")
            await ctl(beaconry, "radio", "on")
            await asyncio.to_thread(run.wait, "radio-ready")
            for _ in range(2):
                await asyncio.to_thread(run.wait, "advertising-started")
            on = await received(device, "01")
            await ctl(beaconry, "unmute", "shelf")
            reports = await receive_reports(device, 0, until=lambda reports: "02" in senders(reports))
            shelf = [each for each in reports if each.address.endswith("02")]
            assert shelf and all(each.data.hex().endswith("0009c5") for each in shelf)
            return reason, off, on

    assert asyncio.run(lose()) == (0x08, set(), {"01"})
    names = [each["event"] for each in run.events]
    assert names.index("radio-lost") < names.index("disconnected")
    assert names.count("advertising-stopped") >= 1 and run.end() == 0


def test_reload_during_a_fault_counts_when_it_ends(air: Start, beaconry: Beaconry) -> None:
    run, transport = air(beaconry.profile(PROFILE))

    async def scan() -> list[set[str]]:
        async with phone(transport) as device:
            await ctl(beaconry, "battery", "shelf", "flat")
            await ctl(beaconry, "radio", "off")
            more = PROFILE.replace("minor: 7", "minor: 8") + PROFILE[PROFILE.index("  - id: shelf") :].replace(
                "shelf", "third"
            ).replace("00:00:02", "00:00:03")
            beaconry.profile(more)
            reloaded = await ctl(beaconry, "reload")
            assert (reloaded["added"], reloaded["changed"]) == (["third"], ["shelf"])
            off = await received(device)
            await ctl(beaconry, "radio", "on")
            await asyncio.to_thread(run.wait, "advertising-started", device="third")
            on = await received(device, "01", "03")
            assert (await ctl(beaconry, "show", "shelf"))["battery"] == "flat"
            refused = await asyncio.to_thread(beaconry.call, "ctl", "enable", "shelf")
            assert refused.returncode == 65 and "beaconry ctl battery shelf full" in refused.stderr, refused
            await ctl(beaconry, "battery", "shelf", "full")
            await asyncio.to_thread(run.wait, "advertising-started", device="shelf")
            reports = await receive_reports(device, 0.5, until=lambda reports: senders(reports) >= {"01", "02", "03"})
            assert any(each.data.hex().endswith("0008c5") for each in reports if each.address.endswith("02"))
            return [off, on, senders(reports)]

    assert asyncio.run(scan()) == [set(), {"01", "03"}, {"01", "02", "03"}]
    run.process.terminate()
    assert run.exit_code() == 0


def test_run_ends_while_the_radio_is_off(air: Start, beaconry: Beaconry) -> None:
    run, _ = air(beaconry.profile(PROFILE))
    assert beaconry.call("ctl", "radio", "off").stdout == "the radio is off\n"
    run.wait("radio-lost")
    moved = beaconry.call("ctl", "disconnect", "door")
    assert moved.returncode == 64 and "door has no connection" in moved.stderr, moved
    assert beaconry.call("ctl", "stop").returncode == 0
    assert run.exit_code() == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("disconnect", "door"), 64, "door has no connection; "),
        (("disconnect", "door", "C0:00:00:00:00:09"), 64, "door has no connection with C0:00:00:00:00:09"),
        (("disconnect", "nothing"), 64, 'nothing on the air is named "nothing"'),
        (("disconnect", "door", "--reason", "boredom"), 64, "supervision-timeout"),
        (("mute", "nothing"), 64, 'there is no beacon "nothing"'),
        (("mute", "door", "--for", "soon"), 64, '"soon" is not a duration'),
        (("battery", "door", "empty"), 64, "flat"),
        (("radio", "gone"), 64, "off"),
    ],
)
def test_wrong_faults_are_refused(
    air: Start, beaconry: Beaconry, arguments: tuple[str, ...], code: int, words: str
) -> None:
    air(beaconry.profile(PROFILE))
    refused = beaconry.call("ctl", *arguments)
    assert refused.returncode == code and words in refused.stderr, refused


def test_controllers_from_elsewhere_end_connections_only(
    bumble_controllers: Any, beaconry: Beaconry
) -> None:
    ours, theirs = bumble_controllers.transports
    run = beaconry.run(beaconry.profile(PROFILE.split("  - id: shelf")[0]), radio=ours)
    run.wait("ready")
    for arguments in (("mute", "door"), ("radio", "off")):
        refused = beaconry.call("ctl", *arguments)
        assert refused.returncode == 69 and "run on the virtual air" in refused.stderr, refused

    async def lose() -> int:
        async with phone(theirs) as device:
            _, ended = await connect(device)
            await asyncio.to_thread(run.wait, "connected", device="door")
            refused = await asyncio.to_thread(
                beaconry.call, "ctl", "disconnect", "door", "--reason", "supervision-timeout"
            )
            assert refused.returncode == 69 and "cannot lose connections on purpose" in refused.stderr, refused
            await ctl(beaconry, "disconnect", "door", ADDRESS, "--reason", "low-resources")
            return await asyncio.wait_for(ended, 300)

    assert asyncio.run(lose()) == 0x14
