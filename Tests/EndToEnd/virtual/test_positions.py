# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Hosts with a place on the virtual air: what they receive depends on it, and it can be changed."""

from __future__ import annotations

import asyncio
import json
from statistics import mean
from typing import Any

import pytest
from beaconry import Beaconry, Run
from peers import BumbleControllers
from phone import phone, receive_reports
from raw_host import RawHost
from unix_http import UnixConnection

PROFILE = """
profile: room
beacons:
  - id: door
    device: ibeacon
    position: [0, 0]
    interval: 20ms
    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7, measured-power: -59 }
"""


def started(beaconry: Beaconry, *places: str, options: tuple[str, ...] = ()) -> tuple[Run, list[str]]:
    """A run with a server for each place, and Bumble's names of the servers."""
    servers = [argument for place in places for argument in ("--hci-server", f"tcp:127.0.0.1:0{place}")]
    run = beaconry.run(beaconry.profile(PROFILE), *servers, *options, radio="virtual")
    names = run.wait("radio-ready")["servers"]
    run.wait("ready")
    return run, [name.replace("tcp:", "tcp-client:") for name in names]


async def rssi(transport: str) -> set[int]:
    """The RSSI of the door's advertisements."""
    async with phone(transport) as device:
        return {each.rssi for each in await receive_reports(device, 0.3)}


def test_a_host_ten_times_as_far_receives_20_db_less(beaconry: Beaconry) -> None:
    run, (near, far) = started(beaconry, "?name=near&at=1,0", "?name=far&at=0,10")
    assert asyncio.run(rssi(near)) == {-59}
    assert asyncio.run(rssi(far)) == {-79}
    for name in ("near", "far"):
        run.wait("host-joined", host=name)


def test_a_host_is_moved_while_it_scans(beaconry: Beaconry) -> None:
    _, (transport,) = started(beaconry, "?name=phone&at=1,0")

    async def walk() -> list[set[int]]:
        received: list[set[int]] = []
        async with phone(transport) as device:
            for place in (("2", "0"), ("-3", "4"), ("0", "0", "100")):
                moved = await asyncio.to_thread(beaconry.call, "ctl", "move", "phone", *place, "--json")
                assert json.loads(moved.stdout)["name"] == "phone", moved
                received.append({each.rssi for each in await receive_reports(device, 0.5)})
        return received

    assert asyncio.run(walk()) == [{-65}, {-73}, {-99}]


def test_a_beacon_is_moved_and_keeps_its_place_in_a_reload(beaconry: Beaconry) -> None:
    run, (transport,) = started(beaconry, "?at=10,0")
    assert beaconry.call("ctl", "move", "door", "9", "0").stdout == "door is at 9, 0, 0 (m)\n"
    assert asyncio.run(rssi(transport)) == {-59}
    assert beaconry.call("ctl", "reload").returncode == 0
    assert json.loads(beaconry.call("ctl", "show", "door", "--json").stdout)["position"] == [9, 0, 0]
    assert asyncio.run(rssi(transport)) == {-59}
    beaconry.profile(PROFILE.replace("[0, 0]", "[0, 0, 0]").replace("interval: 20ms", "interval: 30ms"))
    assert beaconry.call("ctl", "reload").returncode == 0
    assert asyncio.run(rssi(transport)) == {-79}


@pytest.mark.parametrize(
    ("off", "on"), [(("battery", "door", "flat"), ("battery", "door", "full")), (("radio", "off"), ("radio", "on"))]
)
def test_a_beacon_without_power_is_moved(beaconry: Beaconry, off: tuple[str, ...], on: tuple[str, ...]) -> None:
    run, (transport,) = started(beaconry, "?at=10,0")
    assert beaconry.call("ctl", *off).returncode == 0
    assert beaconry.call("ctl", "move", "door", "9", "0").stdout == "door is at 9, 0, 0 (m)\n"
    assert json.loads(beaconry.call("ctl", "show", "door", "--json").stdout)["position"] == [9, 0, 0]
    assert beaconry.call("ctl", *on).returncode == 0
    assert asyncio.run(rssi(transport)) == {-59}
    assert beaconry.call("ctl", "move", "lift", "9", "0").returncode == 64
    assert run.end() == 0


def test_hosts_are_listed_with_position_path_and_scan(beaconry: Beaconry) -> None:
    path = '  - { id: visitor, path: { through: [[0, 3], [0, 9]], speed: 1m/s, repeat: true }, hci-server: "tcp:127.0.0.1:0" }'
    run = beaconry.run(
        beaconry.profile(f"{PROFILE}receivers:\n{path}\n"), "--hci-server", "tcp:127.0.0.1:0?name=phone&at=3,4",
        radio="virtual",
    )  # fmt: skip
    (visitor,) = (ready := run.wait("radio-ready"))["receivers"].keys() - {"phone"}
    run.wait("ready")
    assert beaconry.call("ctl", "receivers").stdout == "no host is on the air\n"

    def listed() -> list[dict[str, Any]]:
        lines = beaconry.call("ctl", "receivers", "--json").stdout.splitlines()
        return [{key: value for key, value in json.loads(line).items() if key != "v"} for line in lines]

    async def join() -> tuple[list[dict[str, Any]], str]:
        server = ready["receivers"]["phone"].replace("tcp:", "tcp-client:")
        async with phone(server) as device:
            await device.start_scanning(active=False)
            host = RawHost(int(ready["receivers"][visitor].rsplit(":", 1)[1]))
            run.wait("host-joined", host=visitor)
            found = await asyncio.to_thread(listed)
            text = await asyncio.to_thread(beaconry.call, "ctl", "receivers")
            host.close()
            return found, text.stdout

    found, text = asyncio.run(join())
    (resting,) = [each for each in found if each["name"] == "phone"]
    server = resting.pop("server")
    assert server == ready["receivers"]["phone"] and resting.pop("port") == int(server.rsplit(":", 1)[1])
    assert resting == {"name": "phone", "position": [3, 4, 0], "scan": {"active": False}, "joined": True, "hosts": ["phone"]}
    (moving,) = [each for each in found if each["name"] == visitor]
    assert moving["path"][:2] == [[0, 3, 0], [0, 9, 0]] and 3 < moving["position"][1] < 9 and "scan" not in moving
    assert [line.split()[:2] for line in sorted(text.splitlines())] == [["HOST", "SCAN"], ["phone", "passive"], ["visitor", "no"]]


def test_links_have_distance_rssi_and_loss(beaconry: Beaconry) -> None:
    _, (transport,) = started(beaconry, "?name=phone&at=10,0", options=("--rssi-noise", "3", "--seed", "1"))
    assert beaconry.call("ctl", "links").stdout == "no host scans\n"

    async def scan() -> tuple[dict[str, object], str]:
        async with phone(transport) as device:
            received = await receive_reports(device, 0, until=lambda reports: len(reports) >= 40)
            await device.start_scanning(filter_duplicates=False)
            link: dict[str, object] = {}
            async with asyncio.timeout(300):
                while "lastRSSI" not in link:
                    link = json.loads((await asyncio.to_thread(beaconry.call, "ctl", "links", "--json")).stdout)
            text = await asyncio.to_thread(beaconry.call, "ctl", "links")
            assert abs(mean(each.rssi for each in received) + 79) < 2
            assert len({each.rssi for each in received}) > 3
            return link, text.stdout

    link, text = asyncio.run(scan())
    assert (link["from"], link["to"], link["distance"], link["meanRSSI"]) == ("door", "phone", 10, -79)
    assert -95 < link["lastRSSI"] < -60 and link["lost"] == 0
    assert text.splitlines()[1].split()[:6] == ["door", "phone", "10.00", "m", "-79", "dBm"]


def test_a_receiver_is_added_walks_and_is_removed(beaconry: Beaconry) -> None:
    run, _ = started(beaconry, "?name=desk")
    added = json.loads(beaconry.call("ctl", "receiver", "add", "phone", "-6", "8", "--json").stdout)
    assert (added["name"], added["hosts"], added["position"]) == ("phone", [], [-6, 8, 0])
    assert added["server"] == f"tcp:127.0.0.1:{added['port']}"

    async def walk() -> list[set[int]]:
        async with phone(f"tcp-client:127.0.0.1:{added['port']}") as device:
            first = {each.rssi for each in await receive_reports(device, 0.5)}
            walk = ("walk", "phone", "-6,8", "-1,0", "--over", "1s")
            walking = asyncio.create_task(asyncio.to_thread(beaconry.call, "ctl", *walk))
            has_arrived = lambda reports: reports and reports[-1].rssi == -59  # noqa: E731
            during = {each.rssi for each in await receive_reports(device, 0, until=has_arrived)}
            answer = await walking
            assert answer.stdout == "phone walks for 1 s: -6, 8, 0; -1, 0, 0 (m)\n", answer
            listed = await asyncio.to_thread(beaconry.call, "ctl", "receiver", "list")
            rows = [line.split() for line in listed.stdout.splitlines()]
            assert rows[0] == ["RECEIVER", "SERVER", "POSITION", "HOSTS"]
            assert [row[0] for row in rows[1:]] == ["desk", "phone"] and rows[2][-1] == "phone"
            return [first, during, {each.rssi for each in await receive_reports(device, 0.5)}]

    first, during, last = asyncio.run(walk())
    assert (first, last) == ({-79}, {-59})
    assert len(during) > 3, during
    run.wait("host-joined", host="phone")
    assert asyncio.run(rssi(f"tcp-client:127.0.0.1:{added['port']}")) == {-59}, "the next host is where the walk has ended"

    host = RawHost(added["port"])
    run.wait("host-joined", host="phone")
    removed = json.loads(beaconry.call("ctl", "receiver", "remove", "phone", "--json").stdout)
    assert removed["hosts"] == ["phone"]
    run.wait("host-left", host="phone")
    host.close()
    with pytest.raises(OSError):
        RawHost(added["port"])
    assert json.loads(beaconry.call("ctl", "receiver", "list", "--json").stdout)["name"] == "desk"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("receiver", "add", "desk"), 65, 'something on the air is named "desk" already; give the receiver another name'),
        (("receiver", "add", "door"), 65, 'a beacon is named "door" already'),
        (("receiver", "add", "a/b"), 65, '"a/b" is not a name: write 1 to 64 letters'),
        (("receiver", "add", "phone", "far"), 64, "is not a number of metres"),
        (("receiver", "remove", "desk"), 65, "only receivers that were added during the run can be removed"),
        (("receiver", "remove", "phone"), 64, 'there is no receiver "phone"; beaconry ctl receiver list shows'),
        (("walk", "door", "1,0", "--over", "1s"), 64, "a walk needs two positions or more"),
        (("walk", "door", "1,0", "2,0", "--over", "soon"), 64, '"soon" is not a duration'),
        (("walk", "cat", "1,0", "2,0", "--over", "1s"), 64, 'nothing on the air is named "cat"'),
    ],
)  # fmt: skip
def test_bad_receivers_and_walks_are_refused(
    beaconry: Beaconry, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    started(beaconry, "?name=desk")
    refused = beaconry.call("ctl", *arguments)
    assert (refused.returncode, sentence in refused.stderr) == (code, True), refused


def test_receivers_that_are_added_are_limited(beaconry: Beaconry) -> None:
    started(beaconry, "?name=desk")
    control = UnixConnection(next(beaconry.runtime.rglob("*.sock")))

    def added(name: str) -> dict[str, Any]:
        answer: dict[str, Any] = control.exchange("POST", "/v1/receivers", {"name": name})
        return answer

    assert all("server" in added(f"phone-{number}") for number in range(100))
    assert "100 receivers were added" in added("phone-100")["detail"]
    assert "server" in control.exchange("DELETE", "/v1/receivers/phone-0") and "server" in added("phone-100")
    control.close()


def test_virtual_time_has_no_receivers_for_other_processes(beaconry: Beaconry) -> None:
    beaconry.run(beaconry.profile(PROFILE), "--rate", "manual", radio="virtual").wait("ready")
    refused = beaconry.call("ctl", "receiver", "add", "phone")
    assert refused.returncode == 69 and "which virtual time does not control" in refused.stderr, refused
    assert beaconry.call("ctl", "walk", "door", "0,0", "10,0", "--over", "10s").returncode == 0
    assert beaconry.call("ctl", "clock", "advance", "5s").returncode == 0


def test_an_air_without_beacons_gets_some_in_a_reload(beaconry: Beaconry) -> None:
    run = beaconry.run(beaconry.profile("profile: room\nbeacons: []\n"), "--hci-server", "none", radio="virtual")
    assert run.wait("ready")["beacons"] == 0
    added = json.loads(beaconry.call("ctl", "receiver", "add", "phone", "1", "0", "--json").stdout)
    beaconry.profile(PROFILE)
    assert beaconry.call("ctl", "reload").returncode == 0
    run.wait("advertising-started", device="door")
    assert asyncio.run(rssi(f"tcp-client:127.0.0.1:{added['port']}")) == {-59}


def test_hosts_without_a_name_have_a_number(beaconry: Beaconry) -> None:
    run, (transport,) = started(beaconry, "")
    port = int(transport.rsplit(":", 1)[1])
    hosts = [RawHost(port), RawHost(port)]
    for name in ("host", "host-2"):
        run.wait("host-joined", host=name)
    for host in hosts:
        host.close()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nothing", "1", "2"), 64, 'nothing on the air is named "nothing"'),
        (("door", "1"), 64, "two or three numbers of metres"),
        (("door", "1", "2", "3", "4"), 64, "two or three numbers of metres"),
        (("door", "1", "far"), 64, '"far" is not a number of metres'),
    ],
)
def test_wrong_moves_are_refused(beaconry: Beaconry, arguments: tuple[str, ...], code: int, words: str) -> None:
    started(beaconry, "")
    refused = beaconry.call("ctl", "move", *arguments)
    assert refused.returncode == code and words in refused.stderr, refused


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?at=1", "two or three numbers of metres"),
        ("?at=1,x", '"x" is not a number of metres'),
        ("?name=a b", "is not a name"),
        ("?place=1,2", "is not name=NAME, at=X,Y, address=XX:XX:XX:XX:XX:XX, rssi-offset=-7.5, sensitivity=-90, fast=2, antenna=isotropic, "),
        ("?address=1", "is not the address of a device"),
    ],
)
def test_wrong_servers_are_refused(beaconry: Beaconry, query: str, words: str) -> None:
    refused = beaconry.call(
        "run", str(beaconry.profile(PROFILE)), "--radio", "virtual", "--hci-server", f"tcp:127.0.0.1:0{query}"
    )
    assert refused.returncode == 64 and words in refused.stderr, refused


BEACON = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def test_our_commands_choose_their_place(beaconry: Beaconry) -> None:
    """Over TCP, by a vendor command: a server's place is replaced for this host only."""
    _, (transport,) = started(beaconry, "?name=phone&at=1,0")
    for place, expected in (("10,0", -79), ("-1,0", -59), ("0,0,100", -99)):
        done = beaconry.call("expect", "--uuid", BEACON, "--radio", transport, "--position", place, "--within", "300s", "--json")
        assert done.returncode == 0, done
        received = [json.loads(line) for line in done.stdout.splitlines()]
        assert received[-1]["rssi"] == expected, done.stdout
        assert not [each for each in received if each["event"] == "warning"]
    ranged = beaconry.call(
        "expect", "--uuid", BEACON, "--radio", transport, "--position", "0,5", "--within", "300s", "--model", "log-distance", "--json"
    )
    assert json.loads(ranged.stdout.splitlines()[-1])["distance"] == pytest.approx(5, abs=0.5)
    assert asyncio.run(rssi(transport)) == {-59}, "a later host has the place of the server"


def test_a_controller_without_positions_is_a_warning(bumble_controllers: BumbleControllers, beaconry: Beaconry) -> None:
    done = beaconry.call(
        "scan", "--position", "3,0", "--radio", bumble_controllers.transports[0], "--duration", "1s", "--json"
    )
    assert done.returncode == 0, done.stderr
    warnings = [each for each in map(json.loads, done.stdout.splitlines()) if each["event"] == "warning"]
    assert [each["code"] for each in warnings] == ["position-ignored"]


@pytest.mark.parametrize("place", ["3", "a,b", "1,2,3,4", "1e9,0"])
def test_an_invalid_place_is_a_usage_error(beaconry: Beaconry, place: str) -> None:
    done = beaconry.call("scan", "--position", place, "--radio", "virtual")
    assert done.returncode == 64 and "--position" in done.stderr
