# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our host on controllers that others wrote: Bumble's (legacy advertising) and rootcanal's (advertising sets)."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS, Beaconry, Run, ibeacon
from peers import BumbleControllers
from phone import connected, hear, phone, read, write
from test_hosts import ENTRANCE, PLAIN, TWO

ENTRANCE_FRAME = ibeacon(CONFIG_SERVICE, 2, 3)
PLAIN_FRAME = ibeacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 2, -65)


async def configure(transport: str, run: Run) -> None:
    """The configuration app's way, and the beacon is back with what was written."""
    async with phone(transport) as device:
        async with connected(device, ENTRANCE) as (_, peer):
            assert await read(peer, BEACON_UUID) == bytes.fromhex(CONFIG_SERVICE.replace("-", ""))
            assert await read(peer, MAJOR_MINOR) == bytes.fromhex("02000300")
            await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
            assert await read(peer, MAJOR_MINOR) == bytes.fromhex("07002a00")
            assert len(await read(peer, TRANSMIT_SETTINGS)) == 4
        run.wait("disconnected", device="entrance")
        run.wait("advertising-started", device="entrance")
        heard = {each.data for each in await hear(device, 3) if each.address == ENTRANCE}
        assert ibeacon(CONFIG_SERVICE, 7, 42) in heard


async def listen(transport: str, seconds: float) -> Counter[tuple[str, bytes]]:
    async with phone(transport) as device:
        return Counter((each.address, each.data) for each in await hear(device, seconds))


def test_on_rootcanal(beaconry: Beaconry, rootcanal: int) -> None:
    """A set for each beacon, with an address of its own each."""
    transport = f"tcp-client:127.0.0.1:{rootcanal}"
    run = beaconry.run(beaconry.profile(TWO), radio=transport)
    assert run.wait("radio-ready")["extended"] is True
    run.wait("ready")
    heard = asyncio.run(listen(transport, 5))
    # rootcanal adds no random delay, and 100 ms and 50 ms are what was asked.
    assert 40 <= heard[ENTRANCE, ENTRANCE_FRAME] <= 55, heard
    assert 80 <= heard[PLAIN, PLAIN_FRAME] <= 110, heard
    asyncio.run(configure(transport, run))
    assert run.end() == 0
    assert not asyncio.run(listen(transport, 1)), "something of ours is still on the air"


def test_in_turns_on_bumble(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    """A legacy controller's only advertiser, in turns, each from the beacon's own address."""
    ours, theirs = bumble_controllers.transports
    # Bumble's legacy advertiser sends nothing but ADV_IND.
    run = beaconry.run(beaconry.profile(TWO + "    pdu: ADV_IND\n"), radio=ours)
    assert run.wait("radio-ready")["extended"] is False
    run.wait("ready")
    heard = asyncio.run(listen(theirs, 10))
    # On a busy machine each turn takes longer. A changed interval is reported every 10 s at most, so the report that covers
    # the time of the scan may come that much later.
    run.take(10.5)
    told = {
        device: [event["intervalTicks"] for event in run.events if "intervalTicks" in event and event["device"] == device]
        for device in ("entrance", "plain")
    }
    frames = {address: heard[address, frame] for address, frame in ((ENTRANCE, ENTRANCE_FRAME), (PLAIN, PLAIN_FRAME))}
    # Bumble reports each advertisement twice to an active scanner: once it pretends that it is a scan response.
    for device, address in (("entrance", ENTRANCE), ("plain", PLAIN)):
        most, least = (10_000 / (bound(told[device]) * 0.625 + 5) for bound in (min, max))
        assert 0.7 * least < frames[address] / 2 < 1.2 * most, (device, frames, told)
    assert run.end() == 0


def test_configured_on_bumble(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    """One beacon: Bumble's controller sends from its random address of the moment, also on a connection, so that the
    turns of another beacon would cut it off."""
    ours, theirs = bumble_controllers.transports
    run = beaconry.run(beaconry.profile(TWO[: TWO.index("  - id: plain")]), radio=ours)
    run.wait("ready")
    asyncio.run(configure(theirs, run))
    assert run.end() == 0


def test_a_lost_controller_is_found_again(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    """The program outlives its controller, says so, and is on the air again when it is back."""
    run = beaconry.run(beaconry.profile(TWO), radio=bumble_controllers.transports[0])
    run.wait("ready")
    bumble_controllers.kill()
    assert run.wait("radio-lost")["code"] == "no-adapter"
    bumble_controllers.start()
    run.wait("radio-ready", timeout=20)
    run.wait("advertising-started", device="entrance")
    assert run.end() == 0


@pytest.mark.parametrize(
    "radio,words",
    [
        ("tcp-client:127.0.0.1:1", "nothing listens there, Connection refused (ECONNREFUSED); start"),
        ("tcp-client:nowhere.invalid:1", "there is no host nowhere.invalid; check"),
        ("unix:/nowhere/at/all", "there is no socket, No such file or directory (ENOENT); start"),
        ("serial:/dev/nowhere", "there is no /dev/nowhere; check"),
        ("hci-socket:7", "; "),
    ],
)
def test_a_radio_that_is_not_there(beaconry: Beaconry, radio: str, words: str) -> None:
    result = beaconry.call("run", str(beaconry.profile(TWO)), "--radio", radio, "--ephemeral")
    assert result.returncode == 69, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1 and words in result.stderr, result.stderr
