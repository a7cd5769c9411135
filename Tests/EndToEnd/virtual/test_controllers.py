# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Our host on third-party controllers: Bumble's (legacy advertising) and rootcanal's (advertising sets)."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from beaconry import BEACON_UUID, CONFIG_SERVICE, MAJOR_MINOR, TRANSMIT_SETTINGS, Beaconry, Run, ibeacon
from peers import BumbleControllers
from phone import Report, connected, phone, read, receive_reports, write
from test_hosts import ENTRANCE, PLAIN, TWO

ENTRANCE_FRAME = ibeacon(CONFIG_SERVICE, 2, 3)
PLAIN_FRAME = ibeacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 2, -65)


async def configure(transport: str, run: Run) -> None:
    """Configures the beacon as the app does, and expects it to advertise the new values."""
    async with phone(transport) as device:
        async with connected(device, ENTRANCE) as (_, peer):
            assert await read(peer, BEACON_UUID) == bytes.fromhex(CONFIG_SERVICE.replace("-", ""))
            assert await read(peer, MAJOR_MINOR) == bytes.fromhex("02000300")
            await write(peer, MAJOR_MINOR, bytes.fromhex("07002a00"))
            assert await read(peer, MAJOR_MINOR) == bytes.fromhex("07002a00")
            assert len(await read(peer, TRANSMIT_SETTINGS)) == 4
        run.wait("disconnected", device="entrance")
        run.wait("advertising-started", device="entrance")
        configured = ibeacon(CONFIG_SERVICE, 7, 42)
        await receive_reports(
            device, 0, until=lambda reports: any((each.address, each.data) == (ENTRANCE, configured) for each in reports)
        )


def frames(reports: list[Report]) -> Counter[tuple[str, bytes]]:
    return Counter((each.address, each.data) for each in reports)


async def receive_both(transport: str, count: int) -> None:
    """Waits until each beacon's frame was received so often."""

    def is_complete(reports: list[Report]) -> bool:
        received = frames(reports)
        return min(received[ENTRANCE, ENTRANCE_FRAME], received[PLAIN, PLAIN_FRAME]) >= count

    async with phone(transport) as device:
        await receive_reports(device, 0, until=is_complete)


async def listen(transport: str, seconds: float) -> Counter[tuple[str, bytes]]:
    async with phone(transport) as device:
        return frames(await receive_reports(device, seconds, until=None))


def intervals(run: Run, device: str) -> list[int]:
    """The advertising intervals of a beacon that were reported, in ticks of 0.625 ms."""
    return [event["intervalTicks"] for event in run.events if "intervalTicks" in event and event["device"] == device]


def test_works_on_rootcanal(beaconry: Beaconry, rootcanal: int) -> None:
    """A set for each beacon, each with its own address."""
    transport = f"tcp-client:127.0.0.1:{rootcanal}"
    run = beaconry.run(beaconry.profile(TWO), radio=transport)
    assert run.wait("radio-ready")["extended"] is True
    run.wait("ready")
    asyncio.run(receive_both(transport, 20))
    # 100 ms and 50 ms.
    assert (intervals(run, "entrance"), intervals(run, "plain")) == ([160], [80])
    asyncio.run(configure(transport, run))
    assert run.end() == 0
    assert not asyncio.run(listen(transport, 1)), "one of our beacons is still on the air"


def test_beacons_take_turns_on_bumble(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    """The beacons take turns on the only advertiser of a legacy controller, each with its own address."""
    ours, theirs = bumble_controllers.transports
    # Bumble's legacy advertiser sends only ADV_IND.
    run = beaconry.run(beaconry.profile(TWO + "    pdu: ADV_IND\n"), radio=ours)
    assert run.wait("radio-ready")["extended"] is False
    run.wait("ready")
    asyncio.run(receive_both(theirs, 20))
    assert run.end() == 0


def test_beacon_is_configured_on_bumble(beaconry: Beaconry, bumble_controllers: BumbleControllers) -> None:
    """Bumble's controller sends from its current random address, also on a connection, so that the turns of another beacon
    would interrupt the connection. Hence one beacon."""
    ours, theirs = bumble_controllers.transports
    run = beaconry.run(beaconry.profile(TWO[: TWO.index("  - id: plain")]), radio=ours)
    run.wait("ready")
    asyncio.run(configure(theirs, run))
    assert run.end() == 0


def test_run_continues_when_a_lost_controller_returns(
    beaconry: Beaconry, bumble_controllers: BumbleControllers
) -> None:
    """The program outlives its controller, reports the loss, and is on the air again when the controller is back."""
    run = beaconry.run(beaconry.profile(TWO), radio=bumble_controllers.transports[0])
    run.wait("ready")
    bumble_controllers.kill()
    assert run.wait("radio-lost")["code"] == "no-adapter"
    bumble_controllers.start()
    run.wait("radio-ready", timeout=300)
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
def test_missing_radio_is_reported(beaconry: Beaconry, radio: str, words: str) -> None:
    result = beaconry.call("run", str(beaconry.profile(TWO)), "--radio", radio, "--ephemeral")
    assert result.returncode == 69, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1 and words in result.stderr, result.stderr
