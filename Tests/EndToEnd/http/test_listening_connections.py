# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Receivers that scan within a run connect to devices: what apps in simulators do over HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from beaconry import PATIENCE, Beaconry
from http_client import PATCH, Answer, Server, wait_until

Served = Callable[..., Server]
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
NUMBERS = "2173E519-9155-4862-AB64-7953AB146158"
"""Major and minor of IoT Design Shop beacons."""
SHOP = f"""
profile: shop
beacons:
  - {{ id: door, device: iot-design-shop, address: C0:FF:EE:00:00:01, ibeacon: {{ uuid: {UUID}, major: 1, minor: 7 }} }}
  - {{ id: sign, device: ibeacon, address: C0:FF:EE:00:00:02, ibeacon: {{ uuid: {UUID}, major: 1, minor: 8 }} }}
  - id: lamp
    device: gatt
    address: C0:FF:EE:00:00:03
    advertise: {{ services: [FFF0] }}
    pairing: {{ io: none }}
    services:
      - uuid: FFF0
        characteristics:
          - {{ name: colour, uuid: FFF1, properties: [write, write-without-response, notify], type: hex, echo: true }}
          - {{ name: level, uuid: FFF2, properties: [read, write, indicate], type: uint8, value: 7, range: [0, 100] }}
          - {{ name: broken, uuid: FFF3, properties: [read], value: "00", read-error: {{ code: 0x85 }} }}
          - {{ name: left, uuid: FFF4, properties: [read], value: "0a" }}
          - {{ name: right, uuid: FFF4, properties: [read], value: "0b", description: On the right }}
          - {{ name: secret, uuid: FFF5, properties: [read], value: "2a", permissions: encrypted }}
receivers:
  - {{ id: phone, phone: exact }}
"""
OWN = f"""
profile: own
beacons: [{{ id: own, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 2, minor: 1 }} }}]
receivers: [{{ id: phone, phone: exact }}]
"""
PHONE = "/v1/receivers/phone/connections"
LAMP = f"{PHONE}/lamp"


class Followed:
    """A stream of server-sent events, which is there from the beginning."""

    def __init__(self, server: Server, path: str) -> None:
        self._connection = server.open()
        self._connection.request("GET", path)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        assert self._answer.headers["content-type"] == "text/event-stream"
        # The end of a stream that follows its head at once is not mistaken for a failure.
        assert self._answer.readline() == b": connected\n"

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line in self._answer:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])

    def __next__(self) -> dict[str, Any]:
        return next(iter(self))

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


def path_of(characteristic: str | int, connection: str = LAMP) -> str:
    return f"{connection}/characteristics/{characteristic}"


def wait_for(server: Server, count: int = 1, **event: Any) -> None:
    """Waits for events of the run."""
    answer = server.request("POST", "/v1/journal/wait", {"conditions": [{"match": event, "atLeast": count}], "within": "300s"})
    assert answer.json["verdicts"][0]["ok"], answer.json


@pytest.fixture
def shop(served: Served, beaconry: Beaconry) -> Server:
    return served(profile=beaconry.profile(SHOP))


@pytest.fixture
def lamp(shop: Server) -> Server:
    """A run whose receiver is connected to the lamp."""
    assert shop.request("PUT", LAMP, {}).status == 201
    return shop


def test_receiver_connects_once_and_disconnects(shop: Server) -> None:
    assert shop.get(PHONE) == {"connections": []}
    first = shop.request("PUT", f"{PHONE}/door", {"timeout": "60s"})
    assert first.status == 201
    record = first.json
    assert (record["address"], record["addressType"], record["device"]) == ("C0:FF:EE:00:00:01", "random", "door")
    assert record["mtu"] >= 23 and record["since"].endswith("Z")
    assert shop.request("PUT", f"{PHONE}/c0:ff:ee:00:00:01").json == record
    assert shop.request("PUT", f"{PHONE}/door").status == 200
    assert shop.request("PUT", f"{PHONE}/C0:FF:EE:00:00:03", {"addressType": "random"}).json["device"] == "lamp"
    assert [each["device"] for each in shop.get(PHONE)["connections"]] == ["door", "lamp"]
    wait_for(shop, event="connected", device="door")
    assert shop.request("DELETE", f"{PHONE}/door").status == 204
    assert [each["device"] for each in shop.get(PHONE)["connections"]] == ["lamp"]
    wait_for(shop, event="disconnected", device="door")
    gone = shop.request("DELETE", f"{PHONE}/door")
    assert gone.status == 404 and gone.json["code"] == "unknown-peer" and "PUT" in gone.json["hint"]
    assert shop.request("PUT", f"{PHONE}/door").status == 201


def test_services_are_discovered(lamp: Server) -> None:
    services = {each["uuid"]: each for each in lamp.get(f"{LAMP}/services")["services"]}
    assert {"1800", "1801", "FFF0"} <= services.keys()
    own = services["FFF0"]
    found = {each["name"]: each for each in own["characteristics"]}
    assert list(found) == ["colour", "level", "broken", "left", "right", "secret"]
    assert found["colour"]["properties"] == ["write-without-response", "write", "notify"]
    assert [each["uuid"] for each in found["colour"]["descriptors"]] == ["2902"]
    assert [each["uuid"] for each in found["right"]["descriptors"]] == ["2901"]
    handles = [each["handle"] for each in own["characteristics"]]
    assert handles == sorted(handles) and own["handle"] < handles[0] and handles[-1] <= own["end"]
    # The names are those of the profile.
    assert all("name" not in each for each in services["1800"]["characteristics"])


def test_values_are_read_and_written(lamp: Server) -> None:
    value = lamp.get(path_of("FFF2"))
    assert (value["uuid"], value["value"], value["v"]) == ("FFF2", "07", 1)
    handle = value["handle"]
    assert lamp.request("PUT", path_of(handle), {"value": "2A"}).status == 204
    assert [lamp.get(path_of(name))["value"] for name in (handle, hex(handle), "0000fff2-0000-1000-8000-00805f9b34fb")] == ["2a"] * 3
    assert lamp.get("/v1/beacons/lamp")["settings"]["level"] == "42"
    right = {each["name"]: each["handle"] for each in lamp.get(f"{LAMP}/services")["services"][-1]["characteristics"]}["right"]
    assert lamp.get(path_of(right))["value"] == "0b"
    assert lamp.request("PUT", path_of("FFF1"), {"value": "", "response": True}).status == 204
    wait_for(lamp, event="written", device="lamp", value="")


def test_configuration_is_written_as_by_an_app(shop: Server) -> None:
    assert shop.request("PUT", f"{PHONE}/door").status == 201
    numbers = path_of(NUMBERS, f"{PHONE}/door")
    assert shop.get(numbers)["value"] == "01000700"
    assert shop.request("PUT", numbers, {"value": "02000900"}).status == 204
    assert shop.request("DELETE", f"{PHONE}/door").status == 204
    assert {key: shop.get("/v1/beacons/door")["settings"][key] for key in ("major", "minor")} == {"major": 2, "minor": 9}


def test_value_that_requires_encryption_is_read_after_pairing(lamp: Server) -> None:
    assert lamp.request("PUT", LAMP, {"pair": True}).status == 200
    assert lamp.get(path_of("FFF5"))["value"] == "2a"
    wait_for(lamp, event="paired", device="lamp")


@pytest.mark.parametrize("response", [True, False])
def test_subscriber_gets_notifications(lamp: Server, response: bool) -> None:
    values = Followed(lamp, f"{LAMP}/notifications?characteristic=FFF1")
    everything = Followed(lamp, f"{LAMP}/notifications")
    wait_for(lamp, event="subscribed", device="lamp", characteristicName="colour")
    for value in ("ff8000", "01"):
        assert lamp.request("PUT", path_of("FFF1"), {"value": value, "response": response}).status == 204
        for stream in (values, everything):
            record = next(stream)
            assert (record["uuid"], record["value"]) == ("FFF1", value) and record["time"].endswith("Z")
    assert lamp.request("DELETE", f"{LAMP}/notifications?characteristic=FFF1").status == 204
    assert list(values) == []
    wait_for(lamp, event="unsubscribed", device="lamp", characteristicName="colour")
    again = Followed(lamp, f"{LAMP}/notifications?characteristic={record['handle']}")
    assert lamp.request("PUT", path_of("FFF1"), {"value": "02"}).status == 204
    assert next(again)["value"] == next(everything)["value"] == "02"


def test_subscription_ends_with_its_last_client(lamp: Server) -> None:
    streams = [Followed(lamp, f"{LAMP}/notifications?characteristic=FFF1") for _ in range(2)]
    for stream in streams:
        stream.close()
    wait_for(lamp, event="unsubscribed", device="lamp", characteristicName="colour")


def test_indications_are_received(lamp: Server) -> None:
    values = Followed(lamp, f"{LAMP}/notifications?characteristic=FFF2")
    lamp.request("PATCH", "/v1/beacons/lamp", {"settings": {"level": 99}}, **PATCH)
    assert next(values)["value"] == "63"


def test_errors_of_the_device_have_their_code(lamp: Server) -> None:
    refused = lamp.request("GET", path_of("FFF3"))
    assert refused.status == 409 and refused.headers["content-type"] == "application/problem+json"
    assert (refused.json["code"], refused.json["attError"]) == ("attribute-refused", 0x85)
    named = lamp.request("PUT", path_of("FFF2"), {"value": "65"})
    assert (named.status, named.json["attError"]) == (409, 0x13) and "0x13 (value not allowed)" in named.json["detail"]
    written = lamp.request("PUT", path_of("FFF4"), {"value": "00"})
    assert written.status == 422 and "handle" in written.json["hint"]
    assert lamp.request("GET", path_of("FFF1")).json["attError"] == 0x02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", path_of("FFF9"), None, 404, "unknown-characteristic"),
        ("GET", path_of("FFF4"), None, 422, "invalid"),
        ("GET", path_of("level"), None, 422, "invalid"),
        ("GET", path_of("0"), None, 422, "invalid"),
        ("PUT", path_of("FFF1"), {}, 422, "invalid"),
        ("PUT", path_of("FFF1"), {"value": "0"}, 422, "invalid"),
        ("PUT", path_of("FFF1"), {"value": "00" * 513}, 422, "invalid"),
        ("PUT", path_of("FFF1"), {"value": "00", "respond": False}, 422, "invalid"),
        ("GET", f"{LAMP}/notifications?characteristic=FFF4", None, 422, "invalid"),
        ("GET", f"{LAMP}/notifications?characteristic=x", None, 422, "invalid"),
        ("GET", f"{LAMP}/notifications?characteristic=FFF9", None, 404, "unknown-characteristic"),
        ("DELETE", f"{LAMP}/notifications?characteristic=FFF9", None, 404, "unknown-characteristic"),
        ("DELETE", f"{LAMP}/notifications", None, 422, "invalid"),
        ("GET", f"{PHONE}/door/services", None, 404, "unknown-peer"),
        ("GET", f"{PHONE}/nothing/services", None, 404, "unknown-peer"),
        ("GET", "/v1/receivers/missing/connections", None, 404, "unknown-beacon"),
        ("PUT", "/v1/receivers/missing/connections/lamp", {}, 404, "unknown-beacon"),
        ("PUT", f"{PHONE}/nothing", {}, 404, "unknown-beacon"),
        ("PUT", f"{PHONE}/door", {"timeout": "61s"}, 422, "invalid"),
        ("PUT", f"{PHONE}/door", {"timeout": "0s"}, 422, "invalid"),
        ("PUT", f"{PHONE}/door", {"addressType": "static"}, 422, "invalid"),
        ("PUT", f"{PHONE}/sign", {"timeout": "500ms"}, 409, "conflict"),
        ("PUT", f"{PHONE}/C0:FF:EE:00:00:99", {"timeout": "500ms"}, 409, "conflict"),
    ],
)
def test_bad_requests_are_refused(lamp: Server, method: str, path: str, body: Any, status: int, code: str) -> None:
    refused = lamp.request(method, path, body)
    assert (refused.status, refused.json["code"]) == (status, code), refused
    assert [each["device"] for each in lamp.get(PHONE)["connections"]] == ["lamp"]


def test_attempt_is_ended_by_a_disconnection(shop: Server) -> None:
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(shop.request("PUT", f"{PHONE}/sign", {"timeout": "60s"})))
    thread.start()
    # Until the attempt has begun, there is nothing to end.
    wait_until(lambda: shop.request("DELETE", f"{PHONE}/sign").status == 204)
    thread.join(PATIENCE)
    assert answers[0].status == 409 and "ended by another request" in answers[0].json["detail"]


@pytest.mark.parametrize("how", ["disconnection", "removed device", "disabled device", "removed receiver"])
def test_end_of_the_connection_is_visible(shop: Server, how: str) -> None:
    assert shop.request("PUT", "/v1/receivers/ipad", {}).status == 201
    connection = "/v1/receivers/ipad/connections/lamp"
    assert shop.request("PUT", connection).status == 201
    streams = [Followed(shop, f"{connection}/notifications{query}") for query in ("", "?characteristic=FFF1")]
    if how == "disconnection":
        assert shop.request("POST", "/v1/air/lamp/disconnect", {}).status == 200
    elif how == "removed device":
        assert shop.request("DELETE", "/v1/beacons/lamp").status == 200
    elif how == "disabled device":
        assert shop.request("PATCH", "/v1/beacons/lamp", {"enabled": False}, **PATCH).status == 200
    else:
        assert shop.request("DELETE", "/v1/receivers/ipad").status == 200
    for stream in streams:
        assert list(stream) == []
    listed = shop.request("GET", "/v1/receivers/ipad/connections")
    assert listed.status == 404 if how == "removed receiver" else listed.json == {"connections": []}
    assert shop.request("GET", path_of("FFF2", connection)).status == 404


def test_receivers_have_connections_of_their_own(lamp: Server) -> None:
    for name in ("a", "b"):
        assert lamp.request("PUT", f"/v1/receivers/{name}", {}).status == 201
    assert lamp.request("PUT", "/v1/receivers/a/connections/door").status == 201
    assert lamp.get("/v1/receivers/b/connections") == {"connections": []}
    refused = lamp.request("PUT", "/v1/receivers/b/connections/lamp", {"timeout": "500ms"})
    # It has one central.
    assert refused.status == 409, refused
    lamp.request("POST", "/v1/reset")
    assert lamp.get(PHONE) == {"connections": []}


def test_adapter_connects_to_a_device_of_another_run(shop: Server, beaconry: Beaconry) -> None:
    run = beaconry.start("run", str(beaconry.profile(OWN, "own.yaml")), "--radio", shop.air, "--json", "--http", "127.0.0.1:0", "--ephemeral")
    host, _, port = run.wait("http-ready")["url"].removeprefix("http://").rpartition(":")
    run.wait("ready")
    adapter = Server(run, host, int(port), 0, "")
    path = f"{PHONE}/C0:FF:EE:00:00:03"
    connected = adapter.request("PUT", path, {"timeout": "60s"})
    assert connected.status == 201 and "device" not in connected.json
    assert adapter.get(path_of("FFF2", path))["value"] == "07"
    values = Followed(adapter, f"{path}/notifications?characteristic=FFF1")
    assert adapter.request("PUT", path_of("FFF1", path), {"value": "0102"}).status == 204
    assert next(values)["value"] == "0102"
    shop.request("PATCH", "/v1/beacons/lamp", {"enabled": False}, **PATCH)
    assert list(values) == [] and adapter.get(PHONE) == {"connections": []}
    # The connections end with the run, whose adapter stays.
    assert adapter.request("PUT", f"{PHONE}/C0:FF:EE:00:00:01", {"timeout": "60s"}).status == 201
    adapter.run.end()
    wait_for(shop, event="disconnected", device="door")


def test_connection_needs_the_clock_of_the_run(served: Served, beaconry: Beaconry) -> None:
    server = served("--rate", "manual", "--seed", "7", profile=beaconry.profile(SHOP))
    answers: list[Answer] = []

    def use() -> None:
        answers.append(server.request("PUT", LAMP, {"timeout": "5s"}))
        answers.append(server.request("GET", path_of("FFF2")))
        answers.append(server.request("PUT", f"{PHONE}/sign", {"timeout": "5s"}))
        answers.append(server.request("DELETE", LAMP))

    thread = threading.Thread(target=use)
    thread.start()
    while thread.is_alive():
        assert server.request("POST", "/v1/clock/advance", {"by": "100ms"}).status == 200
        thread.join(0.01)
    assert [each.status for each in answers] == [201, 200, 409, 204]
    assert answers[1].json["value"] == "07"
    # A run whose clock is paused ends, whatever waits for it.
    waiting = threading.Thread(target=lambda: _ignoring_the_end(server))
    waiting.start()
    wait_until(lambda: server.request("PUT", LAMP, {"timeout": "0s"}).status == 422)
    server.run.end()
    waiting.join(PATIENCE)
    assert not waiting.is_alive()


def _ignoring_the_end(server: Server) -> None:
    try:
        server.request("PUT", LAMP, {})
    except (http.client.HTTPException, OSError):
        pass


def test_commands_use_a_connection(lamp: Server, beaconry: Beaconry) -> None:
    def receiver(*words: str) -> str:
        done = beaconry.call("ctl", "receiver", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert receiver("connections", "phone").splitlines()[1].split()[:3] == ["C0:FF:EE:00:00:03", "random", "lamp"]
    assert json.loads(receiver("connect", "phone", "door", "--timeout", "60s", "--json"))["device"] == "door"
    assert any(line.split()[1:3] == ["FFF2", "level"] for line in receiver("services", "phone", "lamp").splitlines())
    assert receiver("read", "phone", "lamp", "FFF2") == "07\n"
    assert receiver("write", "phone", "lamp", "FFF2", "08") == ""
    assert json.loads(receiver("read", "phone", "lamp", "FFF2", "--json"))["value"] == "08"
    follower = beaconry.start("ctl", "receiver", "notifications", "phone", "lamp", "FFF1")
    wait_for(lamp, event="subscribed", device="lamp")
    assert receiver("write", "phone", "lamp", "FFF1", "0a0b", "--no-response") == ""
    received = follower.take_one(PATIENCE)
    assert received and received["value"] == "0a0b"
    assert receiver("unsubscribe", "phone", "lamp", "FFF1") == ""
    assert follower.exit_code() == 0
    assert receiver("disconnect", "phone", "lamp") == ""
    refused = beaconry.call("ctl", "receiver", "read", "phone", "lamp", "FFF2")
    assert refused.returncode == 64 and "is not connected" in refused.stderr
