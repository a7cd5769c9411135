# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Receivers that scan within a run: what apps in simulators read over HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from beaconry import PATIENCE, Beaconry
from http_client import PATCH, Server, wait_until

Served = Callable[..., Server]
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
SHOP = f"""
profile: shop
beacons:
  - {{ id: near, device: ibeacon, interval: 100ms, position: [1, 0], address: C0:FF:EE:00:00:01,
       ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }} }}
  - {{ id: far, device: ibeacon, interval: 100ms, position: [10, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 2, measured-power: -59 }} }}
  - {{ id: tag, device: beacon, format: altbeacon, id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6, id2: 3, id3: 4, position: [2, 0] }}
receivers:
  - {{ id: phone, position: [0, 0], phone: exact }}
"""
WALK = f"""
profile: walk
beacons:
  - {{ id: door, device: ibeacon, position: [0, 0], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
receivers:
  - id: phone
    path: {{ through: [[0, 0], [200, 0]], speed: 2m/s }}
    phone: altbeacon
    regions: [{{ id: shop, uuid: {UUID} }}]
physics: {{ exponent: 2, sensitivity: -85dBm }}
"""


def stream(server: Server, path: str, **headers: str) -> Iterator[dict[str, Any]]:
    """The records of a stream of server-sent events."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    assert answer.headers["content-type"] == "text/event-stream"
    try:
        for line in answer:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])
    finally:
        connection.close()


@pytest.fixture
def shop(served: Served, beaconry: Beaconry) -> Server:
    return served(profile=beaconry.profile(SHOP))


def test_receiver_of_the_profile_listens(shop: Server) -> None:
    receiver = shop.get("/v1/receivers/phone")
    assert receiver["listening"] and receiver["phone"] == "exact" and receiver["screen"] == "on"
    assert receiver["scan"] == {"active": True, "window": "100ms", "interval": "100ms"}
    assert receiver["position"] == [0, 0, 0] and receiver["joined"] and "server" not in receiver
    assert receiver in shop.get("/v1/receivers")["receivers"]


def test_each_packet_is_a_record(shop: Server) -> None:
    records = stream(shop, "/v1/receivers/phone/advertisements?format=ibeacon&minor=1")
    first = next(records)
    assert first["v"] == 1 and first["receiver"] == "phone" and first["device"] == "near"
    assert (first["address"], first["addressType"]) == ("C0:FF:EE:00:00:01", "random")
    assert (first["pdu"], first["connectable"]) == ("ADV_NONCONN_IND", False)
    assert (first["format"], first["company"], first["uuid"]) == ("ibeacon", 76, UUID)
    assert (first["major"], first["minor"], first["measuredPower"], first["rssi"]) == (1, 1, -59, -59)
    assert first["data"] == "02010" + first["data"][5:] and first["manufacturerData"]["004C"] == first["data"][14:]
    assert first["truth"]["receiver"] == {"name": "phone", "position": [0, 0, 0]} and first["truth"]["beacon"]["name"] == "near"
    assert all(next(records)["device"] == "near" for _ in range(20))


def test_altbeacons_have_the_same_keys(shop: Server) -> None:
    record = next(stream(shop, "/v1/receivers/phone/advertisements?format=altbeacon"))
    assert (record["format"], record["company"], record["uuid"]) == ("altbeacon", 280, "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6")
    assert (record["major"], record["minor"], record["device"]) == (3, 4, "tag")


def test_ranging_reports_distances_and_losses(shop: Server) -> None:
    reports = stream(shop, f"/v1/receivers/phone/ranging?uuid={UUID}")
    report = next(each for each in reports if len(each["beacons"]) == 2)
    near, far = report["beacons"]
    assert (near["minor"], near["rssi"], near["proximity"]) == (1, -59, "near")
    assert (far["minor"], far["rssi"], far["proximity"]) == (2, -79, "near")
    assert near["accuracy"] == pytest.approx(0.97085, abs=0.0001) and far["accuracy"] == pytest.approx(3.7513, abs=0.01)
    assert near["packets"] > 0
    assert report["truth"] == {"receiver": {"name": "phone", "position": [0, 0, 0]}}
    assert far["truth"] == {"beacon": {"name": "far", "position": [10, 0, 0]}, "distance": 10}
    assert shop.get("/v1/receivers/phone/beacons")["beacons"][0]["minor"] == 1
    shop.request("PATCH", "/v1/beacons/far", {"enabled": False}, **PATCH)
    lost = next(each for each in reports if len(each["beacons"]) == 2 and each["beacons"][1]["packets"] == 0)
    assert lost["beacons"][1] | {"measuredPower": -59} == {
        "format": "ibeacon", "uuid": UUID, "major": 1, "minor": 2, "rssi": 0, "measuredPower": -59, "packets": 0, "proximity": "unknown", "accuracy": -1,
        "truth": far["truth"],
    }  # fmt: skip
    assert len(next(reports)["beacons"]) == 1


def test_ranging_is_that_of_the_command_on_the_same_run(served: Served, beaconry: Beaconry) -> None:
    """`range` is a host of its own at the place of the receiver."""
    profile = SHOP.replace("receivers:", 'receivers:\n  - { id: host, position: [0, 0], hci-server: "tcp:127.0.0.1:0" }')
    shop = served(profile=beaconry.profile(profile))
    server = next(each for each in shop.get("/v1/receivers")["receivers"] if each["name"] == "host")["server"]
    command = beaconry.start("range", "--uuid", UUID, "--radio", server.replace("tcp:", "tcp-client:", 1), "--json")
    reports = stream(shop, f"/v1/receivers/phone/ranging?uuid={UUID}")

    def ranged(report: dict[str, Any], far: bool) -> dict[int, tuple[Any, ...]] | None:
        """The beacons of a report by their minor numbers, if it has both, and of the far one packets or none."""
        beacons = {each["minor"]: each for each in report["beacons"]}
        if len(beacons) < 2 or beacons[1]["packets"] == 0 or (beacons[2]["packets"] > 0) != far:
            return None
        return {
            minor: tuple(each[key] for key in ("rssi", "measuredPower", "proximity", "accuracy")) for minor, each in beacons.items()
        }  # fmt: skip

    def first(far: bool) -> tuple[Any, Any]:
        ours = next(found for report in reports if (found := ranged(report, far)))
        while not (theirs := ranged(command.wait("ranged"), far)):
            pass
        return ours, theirs

    ours, theirs = first(far=True)
    assert ours == theirs and ours[1][0] == -59 and ours[2][0] == -79
    shop.request("PATCH", "/v1/beacons/far", {"enabled": False}, **PATCH)
    ours, theirs = first(far=False)
    assert ours == theirs and ours[2] == (0, -59, "unknown", -1)
    assert command.end() == 0


def test_regions_stay_when_the_client_ends(shop: Server) -> None:
    changes = stream(shop, "/v1/receivers/phone/monitoring")
    added = shop.request("PUT", "/v1/receivers/phone/regions/my%20shop%2F1", {"uuid": UUID, "major": 1, "exit-after": "1s"})
    assert added.status == 201 and added.json["identifier"] == "my shop/1"
    first = next(changes)
    assert (first["event"], first["identifier"]) == ("state", "my shop/1")
    entered = first if first["state"] == "inside" else next(changes)
    assert entered["state"] == "inside" and entered["major"] == 1 and "minor" not in entered
    again = stream(shop, "/v1/receivers/phone/monitoring")
    assert next(again) | {"time": ""} == entered | {"time": "", "event": "state"}
    assert shop.request("PUT", "/v1/receivers/phone/regions/my%20shop%2F1", {"uuid": UUID, "major": 1, "exit-after": "1s"}).status == 200
    shop.request("PATCH", "/v1/beacons?match=*", {"enabled": False}, **PATCH)
    exited = next(again)
    assert (exited["event"], exited["state"]) == ("exited", "outside")
    assert shop.get("/v1/receivers/phone/regions")["regions"][0]["state"] == "outside"
    assert shop.request("DELETE", "/v1/receivers/phone/regions/my%20shop%2F1").status == 204
    assert shop.get("/v1/receivers/phone/regions") == {"regions": []}
    for number in range(20):
        assert shop.request("PUT", f"/v1/receivers/phone/regions/{number}", {"uuid": UUID}).status == 201
    refused = shop.request("PUT", "/v1/receivers/phone/regions/one-more", {"uuid": UUID})
    assert refused.status == 409
    assert refused.json["detail"] == "region one-more cannot be monitored: there are 20 already, which is the limit of an app"
    # The limit cannot be raised.
    assert refused.json["hint"] == "remove one"
    missing = shop.request("DELETE", "/v1/receivers/phone/regions/199")
    assert missing.status == 404
    assert missing.json["detail"] == 'the receiver phone has no region "199"'
    assert missing.json["hint"].startswith('did you mean "19"? regions are ')


def test_last_report_of_a_locked_phone_is_empty(shop: Server) -> None:
    assert shop.request("PUT", "/v1/receivers/pocket", {"phone": "iphone-locked"}).status == 201
    assert shop.request("PUT", "/v1/receivers/pocket/regions/shop", {"uuid": UUID}).status == 201
    reports = stream(shop, "/v1/receivers/pocket/ranging")
    # It ranges for ten seconds after its region was entered.
    assert next(each for each in reports if each["beacons"])
    wait_until(lambda: shop.get("/v1/receivers/pocket/beacons")["beacons"] == [])


def test_state_comes_again_when_the_screen_comes_on_inside(shop: Server) -> None:
    for name, wanted in (("quiet", False), ("shop", True)):
        added = shop.request("PUT", f"/v1/receivers/phone/regions/{name}", {"uuid": UUID, "notify-on-display": wanted})
        assert added.json.get("notify-on-display", False) is wanted
    changes = stream(shop, "/v1/receivers/phone/monitoring")
    states: dict[str, str] = {}
    while set(states.values()) != {"inside"} or len(states) < 2:
        change = next(changes)
        states[change["identifier"]] = change["state"]
    for screen in ("off", "on", "on"):
        assert shop.request("PATCH", "/v1/receivers/phone", {"screen": screen}, **PATCH).status == 200
    shown = next(changes)
    assert (shown["identifier"], shown["event"], shown["state"]) == ("shop", "state", "inside")
    # Neither the other region nor a screen that was on already: the next change is another one.
    shop.request("DELETE", "/v1/receivers/phone/regions/quiet")
    shop.request("PATCH", "/v1/beacons?match=*", {"enabled": False}, **PATCH)
    assert next(changes)["event"] == "exited"
    # Outside, it does not come.
    for screen in ("off", "on"):
        shop.request("PATCH", "/v1/receivers/phone", {"screen": screen}, **PATCH)
    shop.request("PATCH", "/v1/beacons?match=*", {"enabled": True}, **PATCH)
    assert next(changes)["event"] == "entered"


@pytest.mark.parametrize(("change", "obstacle"), [({"bluetooth": "off"}, "bluetooth-off"), ({"permission": "denied"}, "permission-denied")])
def test_app_is_told_that_nothing_can_be_received(shop: Server, change: dict[str, str], obstacle: str) -> None:
    assert shop.request("PUT", "/v1/receivers/phone/regions/shop", {"uuid": UUID}).status == 201
    reports = stream(shop, "/v1/receivers/phone/ranging")
    states = stream(shop, "/v1/receivers/phone/monitoring")
    assert next(each for each in reports if each["beacons"]).get("obstacle") is None
    assert next(each for each in states if each["state"] == "inside").get("obstacle") is None
    assert shop.request("PATCH", "/v1/receivers/phone", change, **PATCH).status == 200
    assert next(each for each in reports if not each["beacons"])["obstacle"] == obstacle
    unknown = next(states)
    assert (unknown["event"], unknown["state"], unknown["obstacle"]) == ("state", "unknown", obstacle)
    (region,) = shop.request("GET", "/v1/receivers/phone/regions").json["regions"]
    assert region["state"] == "unknown"
    back = {key: {"off": "on", "denied": "granted"}[value] for key, value in change.items()}
    assert shop.request("PATCH", "/v1/receivers/phone", back, **PATCH).status == 200
    known = next(states)
    assert (known["event"], known["state"]) == ("state", "inside") and "obstacle" not in known
    assert next(each for each in reports if each["beacons"])["beacons"][0]["major"] == 1


def test_app_of_an_android_goes_on_without_bluetooth(served: Served, beaconry: Beaconry) -> None:
    run = served("--rate", "manual", "--hci-server", "none", profile=beaconry.profile(WALK.replace("[200, 0]]", "[1, 0]]")))
    states = stream(run, "/v1/receivers/phone/monitoring")
    assert run.request("POST", "/v1/clock/advance", {"by": "5s"}).status == 200
    assert next(each for each in states if each["state"] == "inside")["event"] in ("state", "entered")
    assert run.request("PATCH", "/v1/receivers/phone", {"bluetooth": "off"}, **PATCH).status == 200
    assert run.request("POST", "/v1/clock/advance", {"by": "12s"}).status == 200
    left = next(each for each in states if each["state"] != "inside")
    assert (left["event"], left["state"]) == ("exited", "outside")


def test_phone_with_a_handset_is_an_object(shop: Server) -> None:
    phone = {"preset": "android-9-balanced", "handset": "pixel-4"}
    answer = shop.request("PUT", "/v1/receivers/tablet", {"phone": phone, "heading": 90, "antenna": "isotropic"})
    assert answer.status == 201
    assert {key: answer.json[key] for key in ("phone", "rssiOffset", "heading", "antenna")} == {
        "phone": phone, "rssiOffset": -8, "heading": 90, "antenna": "isotropic",
    }  # fmt: skip
    answer = shop.request("PATCH", "/v1/receivers/tablet", {"phone": "altbeacon", "heading": "180"}, **PATCH)
    assert (answer.json["phone"], answer.json["heading"]) == ("altbeacon", 180) and "rssiOffset" not in answer.json


def test_client_adds_a_receiver(shop: Server) -> None:
    assert shop.request("GET", "/v1/receivers/ipad/ranging").status == 404
    assert shop.request("PUT", "/v1/receivers/ipad", {}).status == 201
    assert next(stream(shop, "/v1/receivers/ipad/advertisements?minor=2"))["rssi"] == -59
    changed = shop.request("PATCH", "/v1/receivers/ipad", {"position": [0, 0], "phone": "android-9-balanced", "scan": {"active": False}}, **PATCH)
    assert changed.json["phone"] == "android-9-balanced" and changed.json["position"] == [0, 0, 0]
    assert changed.json["scan"] == {"active": False, "window": "1638ticks", "interval": "6553ticks"}
    # Packets from before the move may be first.
    assert any(record["rssi"] == -79 for record in stream(shop, "/v1/receivers/ipad/advertisements?minor=2"))
    assert shop.request("PUT", "/v1/receivers/ipad", {}).json["phone"] == "exact"
    followers = stream(shop, "/v1/receivers/ipad/ranging")
    next(followers)
    assert shop.request("DELETE", "/v1/receivers/ipad").json["name"] == "ipad"
    # The stream ends with its receiver.
    for _ in followers:
        pass
    assert shop.request("GET", "/v1/receivers/ipad").status == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/v1/receivers/near", {}, 409),
        ("PUT", "/v1/receivers/a%20b", {}, 422),
        ("PUT", "/v1/receivers/x", {"phone": "nokia"}, 422),
        ("PUT", "/v1/receivers/x", {"scan": {"window": "100ms", "interval": "50ms"}}, 422),
        ("PUT", "/v1/receivers/x", {"scan": {"windw": "100ms"}}, 422),
        ("PUT", "/v1/receivers/x", {"position": [1, 2, 3, 4]}, 422),
        ("PATCH", "/v1/receivers/x", {"listening": False}, 404),
        ("DELETE", "/v1/receivers/phone", None, 409),
        ("GET", "/v1/receivers/phone/advertisements?format=ibecon", None, 422),
        ("GET", "/v1/receivers/phone/ranging?format=ibeacon", None, 422),
        ("GET", "/v1/receivers/phone/advertisers?format=", None, 422),
        ("PATCH", "/v1/receivers/phone", {}, 422),
        ("PUT", "/v1/receivers/phone/regions/x", {"uuid": UUID, "major": 1, "minor": 2.6e-42}, 422),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {}}], "since": 2.6e-42}, 422),
        ("PUT", "/v1/receivers/phone/regions/x", {"uuid": UUID, "minor": 1}, 422),
        ("PUT", "/v1/receivers/phone/regions/x", {"uuid": "x"}, 422),
        ("PUT", "/v1/receivers/phone/regions/" + "x" * 256, {"uuid": UUID}, 422),
        ("DELETE", "/v1/receivers/phone/regions/x", None, 404),
    ],
)
def test_bad_requests_are_refused(shop: Server, method: str, path: str, body: Any, status: int) -> None:
    refused = shop.request(method, path, body, **(PATCH if method == "PATCH" else {}))
    assert refused.status == status, refused
    assert refused.headers["content-type"] == "application/problem+json"


def test_phone_permits_five_starts(served: Served, beaconry: Beaconry) -> None:
    shop = served("--rate", "manual", "--hci-server", "none", profile=beaconry.profile(SHOP))
    shop.request("PUT", "/v1/receivers/pixel", {"phone": "android-13-balanced"})
    for number in range(4):
        for listening in (False, True):
            assert shop.request("PATCH", "/v1/receivers/pixel", {"listening": listening}, **PATCH).status == 200, number
    shop.request("PATCH", "/v1/receivers/pixel", {"listening": False}, **PATCH)
    refused = shop.request("PATCH", "/v1/receivers/pixel", {"listening": True}, **PATCH)
    assert refused.status == 409 and "5 starts" in refused.json["detail"]
    shown = shop.get("/v1/receivers/pixel")
    assert shown["listening"] is False and "scan" not in shown
    shop.request("POST", "/v1/clock/advance", {"by": "30s"})
    assert shop.request("PATCH", "/v1/receivers/pixel", {"listening": True}, **PATCH).status == 200


def test_changes_at_once_are_all_made(shop: Server) -> None:
    changes = [{"screen": "off"}, {"scan": {"active": False}}, {"position": [5, 5]}, {"listening": False}]
    threads = [
        threading.Thread(target=shop.request, args=("PATCH", "/v1/receivers/phone", change), kwargs=PATCH) for change in changes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    shown = shop.get("/v1/receivers/phone")
    assert (shown["screen"], shown["position"], shown["listening"]) == ("off", [5, 5, 0], False)
    assert shop.request("PATCH", "/v1/receivers/phone", {"listening": True}, **PATCH).json["scan"]["active"] is False


def test_reload_replaces_the_receivers_of_the_profile(shop: Server, beaconry: Beaconry) -> None:
    shop.request("PUT", "/v1/receivers/added", {})
    shop.request("PUT", "/v1/air/phone/position", {"position": [7, 0]})
    regions = f"regions: [{{ id: shop, uuid: {UUID} }}]"
    beaconry.profile(SHOP.replace("phone: exact }", "phone: altbeacon, " + regions + " }\n  - { id: second, phone: iphone }"))
    shop.request("POST", "/v1/reload")
    receivers = {each["name"]: each for each in shop.get("/v1/receivers")["receivers"]}
    assert set(receivers) == {"phone", "second", "added"}
    # A place that the profile has not changed stays.
    assert (receivers["phone"]["phone"], receivers["phone"]["position"]) == ("altbeacon", [7, 0, 0])
    assert [each["identifier"] for each in shop.get("/v1/receivers/phone/regions")["regions"]] == ["shop"]
    beaconry.profile(SHOP)
    shop.request("POST", "/v1/reload")
    assert shop.request("GET", "/v1/receivers/second").status == 404
    assert shop.get("/v1/receivers/phone/regions") == {"regions": []}
    shop.request("POST", "/v1/reset")
    assert {each["name"] for each in shop.get("/v1/receivers")["receivers"]} == {"phone"}


def test_android_emulators_and_web_views_may_read(served: Served, beaconry: Beaconry) -> None:
    server = served("--http-allow-origin", "capacitor://localhost", profile=beaconry.profile(SHOP))
    for host in ("10.0.2.2", "10.0.3.2"):
        assert server.request("GET", "/v1/receivers/phone", None, Host=f"{host}:{server.port}").status == 200
    assert server.request("GET", "/v1/receivers/phone", None, Host=f"10.0.4.2:{server.port}").status == 421
    read = server.request("GET", "/v1/receivers/phone/beacons", None, Origin="capacitor://localhost")
    assert read.status == 200 and read.headers["access-control-allow-origin"] == "capacitor://localhost"
    assert read.headers["vary"] == "Origin"
    preflight = server.request("OPTIONS", "/v1/receivers/phone/ranging", None, **{"Origin": "capacitor://localhost", "Access-Control-Request-Method": "GET"})
    assert preflight.status == 204 and "Authorization" in preflight.headers["access-control-allow-headers"]
    for method, path in (("GET", "/v1/beacons"), ("PUT", "/v1/receivers/x"), ("DELETE", "/v1/receivers/phone")):
        refused = server.request(method, path, None, Origin="capacitor://localhost")
        assert refused.status == 403 and "access-control-allow-origin" not in refused.headers, (method, path)
    assert server.request("GET", "/v1/receivers/phone", None, Origin="http://localhost:1").status == 403


def test_walk_enters_and_exits_in_virtual_time(served: Served, beaconry: Beaconry) -> None:
    server = served("--rate", "manual", "--seed", "7", "--hci-server", "none", profile=beaconry.profile(WALK))
    changes = stream(server, "/v1/receivers/phone/monitoring")
    assert next(changes)["event"] == "state"
    server.request("POST", "/v1/clock/advance", {"by": "5s"})
    assert server.get("/v1/receivers/phone/regions")["regions"][0]["state"] == "inside"
    server.request("POST", "/v1/clock/advance", {"by": "60s"})
    # 85 dB are lost at 20 m: ten seconds of the walk, then ten seconds without a packet.
    assert server.get("/v1/receivers/phone/regions")["regions"][0]["state"] == "outside"
    assert [next(changes)["event"] for _ in range(2)] == ["entered", "exited"]


@pytest.mark.slow
def test_client_that_does_not_read_delays_no_other(shop: Server) -> None:
    stalled = socket.socket()
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    stalled.connect(("127.0.0.1", shop.port))
    stalled.sendall(b"GET /v1/receivers/phone/advertisements HTTP/1.1\r\nHost: localhost\r\n\r\n")
    counts = [0] * 20
    done = threading.Event()

    def follow(number: int) -> None:
        for _ in stream(shop, "/v1/receivers/phone/advertisements"):
            counts[number] += 1
            if done.is_set():
                return

    threads = [threading.Thread(target=follow, args=(number,), daemon=True) for number in range(len(counts))]
    for thread in threads:
        thread.start()
    end = time.monotonic() + PATIENCE
    while min(counts) < 200:
        assert time.monotonic() < end, counts
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join(PATIENCE)
    stalled.close()
