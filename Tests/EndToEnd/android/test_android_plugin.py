# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The plug-in for the Android Beacon Library, with a stand-in for the server and with the program."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from urllib.request import Request, urlopen

import pytest
from beaconry import PATIENCE, Beaconry
from event_server import UUID, EventServer, Framing, packet, wait_until
from plugin_check import CLIENT, PluginCheck, Report

Install = Callable[..., PluginCheck]
Serve = Callable[..., EventServer]

ANDROID = "{http://schemas.android.com/apk/res/android}"


@pytest.fixture
def url(port: int) -> str:
    """The meta-data for the server at the port."""
    return f"beaconry.url=http://127.0.0.1:{port}"


def counts(*reports: Report) -> Counter[int]:
    """The packets of each beacon, by its minor."""
    total: Counter[int] = Counter()
    for report in reports:
        total += Counter({beacon["minor"]: beacon["packets"] for beacon in report["beacons"]})
    return total


# Packets


@pytest.mark.parametrize("framing", ["chunk per write", "chunks of 7 bytes", "end of connection"])
def test_each_packet_is_in_one_cycle_with_its_rssi(serve: Serve, install: Install, url: str, framing: Framing) -> None:
    server, app = serve("phone", framing=framing), install(url)
    near, far = [-58, -60, -59, -63], [-79, -80]
    server.send(*(packet(1, rssi) for rssi in near), *(packet(2, rssi) for rssi in far))
    first = app.packets(6)
    assert (first["size"], first["packets"], first["problem"], first["lost"]) == (6, 6, None, 0)
    assert [(each["minor"], each["packets"]) for each in first["beacons"]] == [(1, 4), (2, 2)]
    assert [each["rssi"] for each in first["beacons"]] == pytest.approx([mean(near), mean(far)])
    server.send(packet(2, -90))
    second = app.packets(1)
    assert [(each["minor"], each["packets"], each["rssi"]) for each in second["beacons"]] == [(2, 1, -90)]
    assert app.request("cycle")["packets"] == 0


def test_no_packet_is_twice_or_not_at_all_in_cycles_of_their_own_pace(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url, cycle=5)
    total: Counter[int] = Counter()
    for start in range(0, 1000, 10):
        server.send(*(packet(minor) for minor in range(start, start + 10)))
        total += counts(app.next())
    while len(total) < 1000:
        total += counts(app.next())
    total += counts(app.next(), app.next())
    assert set(total.values()) == {1}


def test_a_beacon_has_the_properties_of_its_frame(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    frame = f"BEAC{UUID.replace('-', '')}0003FFFFBD7F"
    altbeacon = {"format": "altbeacon", "company": 0x118, "measuredPower": -67, "manufacturerData": {"0118": frame}}
    server.send(packet(7, -67, name="Café"), packet(65535, -70, major=3, **altbeacon))
    assert app.packets(2)["beacons"] == [
        {
            "uuid": UUID, "major": 1, "minor": 7, "packets": 1, "rssi": -67, "txPower": -59, "typeCode": 0x0215,
            "manufacturer": 0x4C, "address": "C0:FF:EE:00:00:01", "name": "Café", "dataFields": [],
        },
        {
            "uuid": UUID, "major": 3, "minor": 65535, "packets": 1, "rssi": -70, "txPower": -67, "typeCode": 0xBEAC,
            "manufacturer": 0x118, "address": "C0:FF:EE:00:00:01", "dataFields": [0x7F],
        },
    ]  # fmt: skip
    (request,) = server.requests
    assert (request.path, request.query) == ("/v1/receivers/phone/advertisements", {"format": ["ibeacon,altbeacon"]})


def test_packets_without_rssi_and_other_formats_are_ignored(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    url_frame = {"v": 1, "rssi": -60, "format": "eddystone-url", "address": "C0:FF:EE:00:00:02"}
    server.send(packet(1, None), url_frame, {"v": 1, "rssi": -60, "address": "C0:FF:EE:00:00:03"}, packet(2))
    report = app.packets(1)
    assert (counts(report), report["problem"]) == (Counter({2: 1}), None)


@pytest.mark.parametrize(
    "line",
    [
        "data:", "data: {", "data: null", "data: [1]", "data: {} x", 'data: {"lost": "many"}', "data: \x00\ufffd", "data",
        "data: " + '{"a":' * 20000, "data: " + "x" * 200_000,
        *("data: " + json.dumps(packet(1) | wrong) for wrong in (
            {"uuid": "E2C56DB5"}, {"uuid": None}, {"major": 65536}, {"minor": -1}, {"minor": "x"}, {"rssi": "loud"},
            {"rssi": 500}, {"measuredPower": None}, {"company": 65536}, {"company": None},
        )),
        "data: " + json.dumps(packet(1) | {"format": "altbeacon", "manufacturerData": {"004C": "zz" * 24}}),
    ],
    ids=lambda line: re.sub(r"[^\w{}\":,-]+", " ", line)[-40:],
)  # fmt: skip
def test_a_malformed_line_is_ignored(serve: Serve, install: Install, url: str, line: str) -> None:
    server, app = serve("phone"), install(url)
    server.send(line, line, packet(2))
    report = app.packets(1)
    assert counts(report) == Counter({2: 1})
    is_data = line.startswith("data:") and line != "data: {} x"
    assert len([each for each in app.warnings if "is not a packet" in each]) == is_data
    assert bool(report["problem"]) == is_data
    assert len(server.requests) == 1


def test_comments_and_other_fields_are_ignored(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    data = json.dumps(packet(1)).encode()
    server.stream().write(b":\r\n\r\nid: 7\r\nevent: packet\r\nretry: 1\r\ndata:" + data + b"\r\n\r\n")
    report = app.packets(1)
    assert (counts(report), report["problem"]) == (Counter({1: 1}), None)


def test_lost_packets_are_counted(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.send({"v": 1, "lost": 12}, packet(1), {"v": 1, "lost": 3})
    status = app.status_when(lambda status: status["lost"] == 15)
    assert (status["waiting"], status["problem"]) == (1, None)
    # No sum overflows, and no number makes it smaller.
    most = 2**63 - 1
    server.send({"v": 1, "lost": -7}, {"v": 1, "lost": most}, {"v": 1, "lost": most}, packet(2))
    status = app.status_when(lambda status: status["waiting"] == 2)
    assert (status["lost"], status["problem"]) == (most, None)


def test_memory_is_bounded_without_cycles(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.send(*(packet(minor) for minor in range(5000)))
    app.status_when(lambda status: status["lost"] == 5000 - 4096)
    assert counts(app.request("cycle")) == Counter(range(5000 - 4096, 5000))


@pytest.mark.parametrize(("maximum_age", "expected"), [(500, 0), (3_600_000, 1)])
def test_old_packets_are_dropped(serve: Serve, install: Install, url: str, maximum_age: int, expected: int) -> None:
    """Between two connections of the plug-in is a second."""
    server, app = serve("phone"), install(url, maximum_age=maximum_age)
    server.send(packet(1))
    server.stream().end()
    server.stream(1)
    assert app.request("cycle")["packets"] == expected


def test_only_the_iterator_takes_packets(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.send(*(packet(minor) for minor in range(5)))
    app.status_when(lambda status: status["waiting"] == 5)
    assert app.request("look") == {"size": 5, "isList": True, "taken": 5, "takenAgain": 0}


# The connection


def test_a_missing_receiver_is_created(serve: Serve, install: Install, url: str) -> None:
    server, app = serve(), install(url, "beaconry.receiver=visitor-2")
    server.send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})
    assert [(each.method, each.path) for each in server.requests] == [
        ("GET", "/v1/receivers/visitor-2/advertisements"),
        ("PUT", "/v1/receivers/visitor-2"),
        ("GET", "/v1/receivers/visitor-2/advertisements"),
    ]
    assert (server.requests[1].body, server.requests[1].fields["content-type"]) == (b"{}", "application/json")


def test_a_receiver_that_exists_is_not_reset(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.send(packet(1))
    server.stream().end()
    server.send(packet(2), stream=1)
    assert counts(app.packets(2)) == Counter([1, 2])
    assert server.methods == ["GET", "GET"]


def test_a_removed_receiver_is_created_again(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.stream()
    server.receivers.clear()
    server.stream().end()
    server.send(packet(1), stream=1)
    assert counts(app.packets(1)) == Counter({1: 1})
    assert server.methods == ["GET", "GET", "PUT", "GET"]


def test_reception_continues_after_a_restart_of_the_server(serve: Serve, install: Install, url: str) -> None:
    killed, app = serve("phone"), install(url)
    killed.send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})
    killed.kill()
    assert "adb reverse" in app.status_when(lambda status: "no connection" in (status["problem"] or ""))["problem"]
    restarted = serve()
    restarted.send(packet(2))
    report = app.packets(1)
    assert (counts(report), report["problem"]) == (Counter({2: 1}), None)
    assert restarted.methods == ["GET", "PUT", "GET"]


def test_the_server_may_start_after_the_app(serve: Serve, install: Install, url: str) -> None:
    app = install(url)
    app.status_when(lambda status: "no connection" in status["problem"])
    serve().send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})


def test_a_problem_is_logged_once_however_often_it_occurs(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone", refusals=3), install(url)
    server.send(packet(1))
    assert app.packets(1)["problem"] is None
    assert server.methods == ["GET"] * 4
    (warning,) = app.warnings
    assert warning.endswith("HTTP status 503: there are too many connections")
    assert app.log.count("packets are received") == 1


def test_the_token_is_sent_with_each_request(serve: Serve, install: Install, url: str) -> None:
    server, app = serve(token="a-word-of-16-bytes"), install(url, "beaconry.token=a-word-of-16-bytes")
    server.send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})
    assert [each.fields["authorization"] for each in server.requests] == ["Bearer a-word-of-16-bytes"] * 3


def test_a_missing_token_is_reported(serve: Serve, install: Install, url: str) -> None:
    server, app = serve(token="a-word-of-16-bytes"), install(url)
    status = app.status_when(lambda status: "401" in status["problem"])
    assert status["problem"].endswith("HTTP status 401: the token is missing or wrong; send the token of the run")
    assert "authorization" not in server.requests[0].fields


@pytest.fixture
def answer(port: int) -> Iterator[Callable[[bytes], None]]:
    """Answers each connection with the same bytes."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))

    def serve(data: bytes) -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall(data)

    def start(data: bytes) -> None:
        listener.listen()
        thread = threading.Thread(target=serve, args=(data,), daemon=True)
        thread.start()

    yield start
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "adb reverse"),
        (b"HTTP/1.1 200", "adb reverse"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/", "adb reverse"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", "its answer is text/html"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300, "too many header fields"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}", "HTTP status 503"),
        (b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n" + b"x" * 200_000, "HTTP status 302"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\ndata: {", "the stream has ended"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_other_answers_are_reported(
    answer: Callable[[bytes], None], install: Install, url: str, data: bytes, problem: str
) -> None:
    app = install(url)
    answer(data)
    app.status_when(lambda status: problem in (status["problem"] or ""))
    assert "is not a packet" not in app.log


def test_an_unknown_host_is_reported(install: Install) -> None:
    app = install("beaconry.url=http://beaconry.invalid:8080")
    assert app.status_when(lambda status: "not connected yet" not in status["problem"])["problem"] == (
        "http://beaconry.invalid:8080: no host has this name"
    )


# The end


def test_close_ends_the_connection_and_the_thread(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.send(packet(1))
    app.status_when(lambda status: status["waiting"] == 1)
    assert app.request("close") == {"closed": True}
    wait_until(server.stream().ended.is_set, "the end of the connection")
    assert app.request("status") == {"installed": False, "problem": None, "lost": 0, "waiting": 0}
    assert server.methods == ["GET"]


def test_close_ends_the_wait_for_an_answer(port: int, install: Install, url: str) -> None:
    with socket.create_server(("127.0.0.1", port)) as listener:
        app = install(url)
        connection = listener.accept()[0]
        with connection:
            assert connection.recv(4096).startswith(b"GET /v1/receivers/phone/advertisements?")
            assert app.request("close") == {"closed": True}


def test_close_ends_the_wait_for_the_next_attempt(install: Install, url: str) -> None:
    app = install(url)
    app.status_when(lambda status: "no connection" in status["problem"])
    assert app.request("close") == {"closed": True}


# The app


def test_the_simulator_is_installed_again_after_a_change_of_settings(serve: Serve, install: Install, url: str) -> None:
    server, app = serve("phone"), install(url)
    server.stream()
    assert app.request("status")["installed"]
    app.send("settings")
    assert not app.request("status")["installed"]
    server.send(":")
    app.status_when(lambda status: status["installed"])
    server.send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})


def test_an_app_that_is_not_debuggable_does_not_connect(install: Install, url: str) -> None:
    app = install(url, "release")
    assert app.request("status") == {"installed": False}
    assert app.exit_code() == 0


def test_a_receiver_may_have_a_number_as_its_name(serve: Serve, install: Install, url: str) -> None:
    """The build of an app makes it an integer."""
    server, app = serve("7"), install(url, "beaconry.receiver=7")
    server.send(packet(1))
    assert counts(app.packets(1)) == Counter({1: 1})


@pytest.mark.parametrize(
    ("meta_data", "reason"),
    [
        ("beaconry.url=https://localhost:8080", "https://localhost:8080 is not the URL"),
        ("beaconry.url=localhost:8080", "localhost:8080 is not the URL"),
        ("beaconry.url=http://", "http://"),
        ("beaconry.receiver=two words", "two words is not the name of a receiver"),
        ("beaconry.receiver=../beacons", "../beacons is not the name of a receiver"),
        ("beaconry.token=two words", "the token is not a word"),
    ],
)
def test_an_invalid_value_ends_the_app_with_a_reason(install: Install, meta_data: str, reason: str) -> None:
    app = install(meta_data)
    assert app.exit_code() == 1
    assert "IllegalArgumentException" in app.log and reason in app.log


def test_the_manifest_has_the_names_and_defaults_of_the_provider() -> None:
    application = ElementTree.parse(CLIENT / "AndroidManifest.xml").getroot().find("application")
    provider = (CLIENT / "BeaconryProvider.java").read_text()
    assert application is not None and (element := application.find("provider")) is not None
    assert element.get(f"{ANDROID}name") == "beaconry.BeaconryProvider"
    assert "package beaconry;" in provider and "class BeaconryProvider " in provider
    values = {each.get(f"{ANDROID}name"): each.get(f"{ANDROID}value") for each in application.iter("meta-data")}
    assert values == dict(re.findall(r'value\(application\.metaData, "([^"]+)", "([^"]+)"\)', provider))
    assert values == {"beaconry.url": "http://localhost:8080", "beaconry.receiver": "phone"}


# The program

HALL = f"""
profile: hall
physics: {{ sensitivity: -95dBm }}
beacons:
  - id: near
    device: ibeacon
    position: [1, 0]
    interval: 100ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: -59 }}
  - id: far
    device: ibeacon
    position: [10, 0]
    interval: 100ms
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 2, measured-power: -59 }}
"""


def send(base: str, method: str, path: str, body: object = None, **fields: str) -> None:
    """Sends a request, which must succeed."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | fields
    with urlopen(Request(base + path, data, headers, method=method), timeout=PATIENCE) as response:
        assert response.status in (200, 201)


def cycles_until(app: PluginCheck, is_met: Callable[[list[Report]], object]) -> list[Report]:
    """All cycles up to the one with which a condition is met."""
    cycles: list[Report] = []
    end = time.monotonic() + PATIENCE
    while not cycles or not is_met(cycles):
        assert time.monotonic() < end, f"the last cycles are {cycles[-5:]}; the log:\n{app.log}"
        cycles.append(app.next())
    return cycles


def rssi(*cycles: Report) -> set[tuple[int, float]]:
    """The minors of all beacons, each with its mean RSSI in a cycle."""
    return {(beacon["minor"], beacon["rssi"]) for cycle in cycles for beacon in cycle["beacons"]}


def test_a_walk_on_the_air_of_the_program_leaves_and_enters_the_ranges_of_beacons(
    beaconry: Beaconry, install: Install
) -> None:
    run = beaconry.run(beaconry.profile(HALL), "--ephemeral", "--hci-server", "none", "--http", "127.0.0.1:0", radio="virtual")
    base = run.wait("http-ready")["url"].rstrip("/")
    run.wait_until_reported("ready")
    send(base, "PUT", "/v1/receivers/phone", {"position": [0, 0]})
    app = install(f"beaconry.url={base}", cycle=200)

    inside = cycles_until(app, lambda cycles: counts(*cycles)[1] >= 20 and counts(*cycles)[2] >= 20)
    assert rssi(*inside) == {(1, -59), (2, -79)}
    beacons = [beacon for cycle in inside for beacon in cycle["beacons"]]
    assert {(each["txPower"], each["typeCode"], each["manufacturer"]) for each in beacons} == {(-59, 0x0215, 0x4C)}

    # At the sensitivity, an RSSI of -95 dBm, a beacon is 63 m away.
    send(base, "POST", "/v1/air/phone/walk", {"path": [[0, 0], [0, 3000]], "over": "2s"})
    leaving = cycles_until(app, lambda cycles: len(cycles) >= 5 and not rssi(*cycles[-5:]))
    assert all(value <= {1: -59, 2: -79}[minor] for minor, value in rssi(*leaving))

    send(base, "PATCH", "/v1/receivers/phone", {"position": [10, 2]})
    cycles_until(app, lambda cycles: rssi(cycles[-1]) == {(1, -78), (2, -65)})
    assert app.exit_code() == 0
    assert not app.warnings
    assert run.end() == 0


def test_the_program_keeps_a_receiver_that_the_app_has_created(beaconry: Beaconry, install: Install, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-word-of-18-bytes\n")
    run = beaconry.run(
        beaconry.profile(HALL), "--ephemeral", "--hci-server", "none", "--http", "127.0.0.1:0", "--http-token-file",
        str(token), radio="virtual",
    )  # fmt: skip
    base = run.wait("http-ready")["url"].rstrip("/")
    run.wait_until_reported("ready")
    app = install(f"beaconry.url={base}", "beaconry.token=a-word-of-18-bytes", cycle=200)
    # Without a position, each beacon is 1 m away.
    cycles = cycles_until(app, lambda cycles: counts(*cycles).keys() == {1, 2})
    assert rssi(*cycles) == {(1, -59), (2, -59)}
    assert app.exit_code() == 0
    send(base, "GET", "/v1/receivers/phone", Authorization="Bearer a-word-of-18-bytes")
    assert run.end() == 0
