# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What requests cost, whatever their clients do meanwhile."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Callable

import pytest
from beaconry import BINARY, Beaconry
from http_client import PATCH, Server

MEBI = 1 << 20
RECEIVERS = 100
"""The receivers that clients may add, of each kind."""
EVENTS = 2000
"""The events in the journal, whose text is more than the buffers of a connection."""
PROFILE = """
profile: shop
beacons: [{ id: "door{n}", count: 200, device: ibeacon, interval: 10s, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }]
"""


def resident(server: Server) -> int:
    """The memory of the run, in bytes."""
    with open(f"/proc/{server.run.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def request(method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.fixture
def shop(served: Callable[..., Server], beaconry: Beaconry) -> Server:
    """A run with many beacons."""
    return served(profile=beaconry.profile(PROFILE))


CROWD = """
profile: crowd
beacons: [{ id: "b{n}", count: 1500, device: ibeacon, interval: 10s, position: [1, 1], ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: "{n}" } }]
receivers: [{ id: phone, phone: exact, position: [0, 0] }]
"""
READERS = 400
"""The most clients that do not read."""
NAMES = {"beacon": "b1", "receiver": "phone", "capture": "1", "device": "b1", "characteristic": "2A00", "file": "commute.yaml"}


def fill_journal(server: Server) -> None:
    """By requests that change all beacons at once."""
    number = 7
    while server.get("/v1/journal?types=ready")["last"] < EVENTS:
        number += 1
        answer = server.request("PATCH", "/v1/beacons?match=*", {"settings": {"minor": str(number)}}, **PATCH)
        assert answer.status == 200, answer


def test_replies_that_are_not_read_take_no_memory(shop: Server) -> None:
    server = shop
    fill_journal(server)
    whole = server.request("GET", "/v1/journal")
    assert whole.status == 200 and len(whole.json["events"]) >= EVENTS
    assert "content-length" not in whole.headers
    before = resident(server)
    clients = []
    for _ in range(100):
        client = socket.create_connection((server.host, server.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request("GET", "/v1/journal"))
        # Its reply has begun.
        assert client.recv(12) == b"HTTP/1.1 200"
        clients.append(client)
    assert server.get("/v1/version")
    grown = resident(server) - before
    assert grown < 100 * 256 * 1024, grown
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def paths() -> list[str]:
    """The paths of all answers that a client may not read."""
    description = subprocess.run([BINARY, "schema", "openapi"], capture_output=True, text=True, timeout=300, check=True)
    found = [path for path, methods in json.loads(description.stdout)["paths"].items() if "get" in methods]
    return [re.sub("{([^}]*)}", lambda part: NAMES[part[1]], path) for path in found]


@pytest.mark.statistics
def test_no_answer_takes_memory_without_limit(served: Callable[..., Server], beaconry: Beaconry, paths: list[str]) -> None:
    """Each GET, by many clients that do not read; a run with many beacons, a full journal, and a capture."""
    server = served("--metrics-detail", "beacon", profile=beaconry.profile(CROWD))
    assert server.request("POST", "/v1/captures").status == 201
    fill_journal(server)
    assert len(paths) > 20
    for path in paths:
        # What the first answer of a kind makes the run keep.
        readers = readers_of(answer(server, path))
        before = resident(server)
        clients = []
        for _ in range(readers):
            client = socket.create_connection((server.host, server.port))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(request("GET", path))
            clients.append(client)
        for client in clients:
            # Its reply has begun, or it was cut in favour of later ones.
            client.settimeout(300)
            try:
                client.recv(12)
            except ConnectionResetError:
                pass
        assert server.get("/v1/version")
        grown = resident(server) - before
        assert grown < 64 * MEBI + readers * 192 * 1024, (path, grown)
        for client in clients:
            client.close()


def answer(server: Server, path: str) -> int | None:
    """The bytes of an answer; None for one that does not end by itself."""
    client = socket.create_connection((server.host, server.port))
    client.settimeout(300)
    client.sendall(request("GET", path).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    received = b""
    while piece := client.recv(1 << 20):
        received += piece
        if b"event-stream" in received.split(b"\r\n\r\n")[0]:
            return None
    client.close()
    assert received
    return len(received)


def readers_of(length: int | None) -> int:
    """So many clients that their answers would be more than the limit, in memory; a few for answers that cannot be."""
    if length is None:
        return READERS
    return 20 if length * READERS < 64 * MEBI else min(READERS, 160 * MEBI // length)


def test_run_ends_whatever_is_asked(shop: Server) -> None:
    """Comparisons of many conditions, and profiles of many copies, whose clients have left."""
    server = shop
    fill_journal(server)
    conditions = [{"match": {"event": "warning", "code": f"none-{number}"}} for number in range(620)]
    wait = request("POST", "/v1/journal/wait", json.dumps({"conditions": conditions}).encode())
    text = "x" * 3000
    copies = f'profile: s\nbeacons:\n  - {{id: "d{{n}}", count: 10000, device: ibeacon, ibeacon: {{uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0}}, description: "{text}"}}\n'
    for body in [wait, request("PUT", "/v1/profile", copies.encode(), "application/yaml")] * 4:
        client = socket.create_connection((server.host, server.port))
        client.sendall(body)
        client.close()
    server.run.process.terminate()
    assert server.run.process.wait(timeout=300) == 0


def test_text_of_all_copies_is_limited(shop: Server) -> None:
    server = shop
    text = "x" * 60_000
    body = f'profile: s\nbeacons:\n  - {{id: "d{{n}}", count: 10000, device: ibeacon, ibeacon: {{uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0}}, description: "{text}"}}\n'
    answer = server.request("PUT", "/v1/profile", body.encode(), Content_Type="application/yaml")
    assert answer.status == 422 and "bytes of text in all; a profile has at most 33,554,432" in answer.json["detail"]


def test_receivers_of_clients_are_limited(shop: Server) -> None:
    server = shop
    for number in range(RECEIVERS):
        assert server.request("PUT", f"/v1/receivers/phone-{number}", {}).status == 201
    refused = server.request("PUT", "/v1/receivers/other", {})
    assert refused.status == 409 and refused.json["code"] == "too-many"
    assert "100 receivers that scan were added to this run already" in refused.json["detail"]
    assert server.request("DELETE", "/v1/receivers/phone-7").status == 200
    assert server.request("PUT", "/v1/receivers/other", {}).status == 201
