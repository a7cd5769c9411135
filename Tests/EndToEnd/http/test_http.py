# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The control requests over HTTP, as programs, browsers and Prometheus use them."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import resource
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from beaconry import BINARY, CHECKOUT, PATIENCE, PROFILES, Beaconry
from http_client import PATCH, Server

Served = Callable[..., Server]
PAGE = CHECKOUT / "Sources" / "RunServer" / "Resources"
PROMTOOL = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "promtool"


def test_beacons_are_listed_and_shown_as_by_ctl(served: Served, beaconry: Beaconry) -> None:
    server = served()
    listed = server.get("/v1/beacons")["beacons"]
    assert [each["id"] for each in listed][:2] == ["entrance", "lobby-welcome"] and len(listed) == 13
    assert server.get("/v1/beacons/entrance") == listed[0]
    assert listed[0]["onAir"] and listed[0]["settings"]["major"] == 1


def test_each_file_of_the_page_is_part_of_the_program(served: Served) -> None:
    server = served()
    types = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for file in PAGE.iterdir():
        answer = server.request("GET", "/" if file.name == "index.html" else f"/{file.name}")
        assert (answer.status, answer.body) == (200, file.read_bytes()), file.name
        assert answer.headers["content-type"].split(";")[0] == types[file.suffix], file.name


def test_patch_changes_settings_position_and_switch(served: Served) -> None:
    server = served()
    changed = server.request("PATCH", "/v1/beacons/entrance", {"settings": {"major": 7, "interval": "200ms"}, "position": [3, 4]}, **PATCH)
    assert changed.status == 200
    assert (changed.json["settings"]["major"], changed.json["settings"]["interval"]) == (7, "200ms")
    assert changed.json["position"] == [3, 4, 0]
    server.run.wait("advertising-changed", device="entrance")
    assert server.request("PATCH", "/v1/beacons/entrance", {"enabled": False, "muted": "10s"}, **PATCH).json["enabled"] is False
    server.run.wait("muted", device="entrance", seconds=10)
    server.run.wait("advertising-stopped", device="entrance")
    assert server.get("/v1/beacons/entrance")["onAir"] is False


def test_bad_setting_changes_nothing(served: Served) -> None:
    server = served()
    before = server.get("/v1/beacons/entrance")
    refused = server.request("PATCH", "/v1/beacons/entrance", {"settings": {"minor": 8, "major": 70000}, "position": [9, 9]}, **PATCH)
    assert (refused.status, refused.headers["content-type"]) == (422, "application/problem+json")
    assert refused.json["code"] == "invalid" and "major" in refused.json["detail"]
    assert server.get("/v1/beacons/entrance") == before


def counts(server: Server) -> dict[str, Any]:
    """Without what runs (test_versions.py)."""
    answer = server.get("/v1/health")
    assert answer.pop("version") and answer.pop("profiles")
    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/v1/beacons/nothing", None, 404, "unknown-beacon"),
        ("GET", "/v2", None, 404, "unknown-resource"),
        ("PATCH", "/v1/beacons/entrance", b"{", 400, "not-json"),
        ("PATCH", "/v1/beacons/entrance", [], 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"position": [1]}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"position": [1e300, 0]}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"settings": {"major": None}}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"battery": "half"}, 422, "invalid"),
        ("PUT", "/v1/links/entrance/unknown", {"rssi": -70}, 404, "unknown-beacon"),
        ("POST", "/v1/clock/advance", {"by": "10s"}, 409, "real-time"),
        ("DELETE", "/v1/links/entrance/entrance", None, 404, "unknown-beacon"),
        ("POST", "/v1/clock/advance", {"to": "10s"}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": []}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": 1}]}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {}, "count": -1}]}, 422, "invalid"),
        ("GET", "/v1/beacons/%ff", None, 400, "bad-encoding"),
        ("GET", "/v1/events?after=x", None, 422, "invalid"),
        ("GET", "/v1/events?types=conected", None, 422, "invalid"),
        ("GET", "/v1/events?device=nothing", None, 404, "unknown-beacon"),
        ("GET", "/v1/journal?types=", None, 422, "invalid"),
        ("GET", "/v1/journal?type=connected", None, 422, "invalid"),
        ("GET", "/v1/journal?since=1&since=2", None, 400, "bad-query"),
        ("GET", "/v1/journal?device=nothing", None, 404, "unknown-beacon"),
        ("GET", "/v1/health?now=1", None, 422, "invalid"),
        ("DELETE", "/v1/bonds?beacon=entrance&per=C0:FF:EE:00:00:02", None, 422, "invalid"),
        ("DELETE", "/v1/bonds", None, 422, "invalid"),
        ("GET", "/v1/bonds?beacon=nothing", None, 404, "unknown-beacon"),
        ("POST", "/v1/air/entrance/disconnect", {"peer": 5}, 422, "invalid"),
        ("POST", "/v1/air/entrance/disconnect", {"peer": None}, 422, "invalid"),
        ("POST", "/v1/air/entrance/disconnect", {"reason": ["power-off"]}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"enabeld": False}, 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", {"major": 7}, 422, "invalid"),
        ("PUT", "/v1/radio", {"power": 1}, 422, "invalid"),
        ("POST", "/v1/captures", {"limit": "2048"}, 422, "invalid"),
        ("POST", "/v1/reset", {"hard": True}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {"event": "conected"}, "count": 0}]}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {"devise": "entrance"}, "count": 0}]}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {"device": "nothing"}, "count": 0}]}, 404, "unknown-beacon"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {"event": "ready"}, "cuont": 0}]}, 422, "invalid"),
        ("POST", "/v1/journal/wait", {"conditions": [{"match": {"event": "ready"}}], "within": 5}, 422, "invalid"),
        # Deep and wide JSON costs no more than its length.
        ("POST", "/v1/journal/wait", b'{"conditions":[{"match":{"x":' + b"[" * 500 + b"]" * 500 + b"}}]}", 422, "invalid"),
        ("POST", "/v1/journal/wait", b"[" * 60_000, 422, "invalid"),
        ("POST", "/v1/journal/wait", b"[" + b"1," * 30_000 + b"1]", 422, "invalid"),
        ("PATCH", "/v1/beacons/entrance", b'{"major":1,"major":2}', 400, "not-json"),
        ("PATCH", "/v1/beacons/entrance", b" " * 70_000, 413, "too-large"),
    ],
)
def test_bad_requests_are_problems(served: Served, method: str, path: str, body: Any, status: int, code: str | None) -> None:
    server = served()
    answer = server.request(method, path, body)
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json"), answer
    problem = answer.json
    assert problem["status"] == status and problem["title"] and problem["detail"]
    assert code is None or problem["code"] == code, problem
    assert counts(server) == {"status": "ok", "beacons": 13, "expected": 13, "onAir": 13}


def test_health_readiness_and_lists_follow_the_air(served: Served, beaconry: Beaconry) -> None:
    ready = beaconry.folder / "ready"
    server = served("--ready-file", str(ready))

    def metrics() -> str:
        return server.request("GET", "/metrics").body.decode()

    assert server.get("/v1/health")["onAir"] == 13 and ready.exists()
    assert beaconry.call("ctl", "radio", "off").returncode == 0
    health = server.request("GET", "/v1/health")
    assert (health.status, health.json["code"]) == (503, "not-ready")
    assert health.json["detail"].startswith("0 of 13 beacons on the air; not: entrance (the radio is off or lost)")
    assert not ready.exists()
    assert "beaconry_ready 0\n" in metrics() and 'beaconry_beacons{state="radio-off"} 13\n' in metrics()
    assert "not on the air (radio off)" in beaconry.call("ctl", "list").stdout
    beacon = server.get("/v1/beacons/entrance")
    assert (beacon["state"], beacon["shouldBeOnAir"], beacon["onAir"]) == ("radio-off", True, False)
    server.run.wait("degraded", onAir=0, expected=13)

    assert beaconry.call("ctl", "radio", "on").returncode == 0
    server.run.wait("recovered", onAir=13)
    assert ready.exists() and server.get("/v1/health")["status"] == "ok" and "beaconry_ready 1\n" in metrics()

    # A beacon that is switched off or muted should not be on the air; one with a flat battery should be.
    assert beaconry.call("ctl", "mute", "entrance").returncode == 0
    assert beaconry.call("ctl", "disable", "lobby-welcome").returncode == 0
    assert counts(server) == {"status": "ok", "beacons": 13, "expected": 11, "onAir": 11}
    assert beaconry.call("ctl", "unmute", "entrance").returncode == 0
    assert beaconry.call("ctl", "battery", "entrance", "flat").returncode == 0
    health = server.request("GET", "/v1/health")
    assert (health.status, health.json["detail"]) == (503, "11 of 12 beacons on the air; not: entrance (flat battery)")
    assert not ready.exists() and 'beaconry_beacons{state="flat-battery"} 1\n' in metrics()
    assert beaconry.call("ctl", "battery", "entrance", "full").returncode == 0
    server.run.wait("recovered", onAir=12)
    assert ready.exists()
    server.run.end()
    assert not ready.exists()


def test_other_methods_are_refused_with_those_that_are_there(served: Served) -> None:
    server = served()
    answer = server.request("POST", "/v1/beacons/entrance")
    assert (answer.status, answer.headers["allow"]) == (405, "DELETE, GET, HEAD, PATCH, PUT")
    head = server.request("HEAD", "/v1/beacons")
    assert (head.status, head.body) == (200, b"") and int(head.headers["content-length"]) > 1000


def test_foreign_hosts_origins_and_content_types_are_refused(served: Served) -> None:
    server = served("--http-host", "beacons.example")
    own = f"{server.host}:{server.port}"
    assert server.request("GET", "/v1/health", Host="evil.example").status == 421
    assert server.request("GET", "/v1/health", Host=f"Beacons.example:{server.port}").status == 200
    assert server.request("GET", "/v1/health", Origin="http://evil.example").status == 403
    assert server.request("POST", "/v1/reload", Origin="null").status == 403
    assert server.request("GET", "/v1/health", Host=own, Origin=f"http://{own}").status == 200
    plain = {"Content-Type": "text/plain"}
    assert server.request("PATCH", "/v1/beacons/entrance", {"settings": {"major": 9}}, **plain).status == 415
    answer = server.request("GET", "/v1/health")
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


def test_token_is_needed(served: Served, beaconry: Beaconry, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123\n")
    server = served("--http-token-file", token)
    refused = server.request("GET", "/v1/beacons")
    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert server.request("GET", "/v1/beacons", Authorization="Bearer 0123456789abcdef0124").status == 401
    assert server.request("GET", "/v1/beacons", Authorization="Bearer 0123456789abcdef0123").status == 200
    assert server.request("GET", "/v1/beacons", Authorization="bearer 0123456789abcdef0123").status == 200
    assert server.request("GET", "/v1/beacons?token=0123456789abcdef0123").status == 401
    with_query = server.open()
    with_query.request("GET", "/v1/events?token=0123456789abcdef0123")
    assert with_query.getresponse().status == 200
    with_query.close()


def exchange(server: Server, request: bytes) -> bytes:
    """The reply to the bytes of a request, until the server closes the connection."""
    with socket.create_connection((server.host, server.port), timeout=300) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        reply = b""
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(65536):
                reply += part
        return reply


def test_heads_and_bodies_that_are_too_large_end_the_connection(served: Served) -> None:
    server = served()
    head = f"Host: {server.host}\r\n".encode()
    for fields in (b"a: b\r\n" * 120, b"a: " + b"b" * 20_000 + b"\r\n"):
        assert exchange(server, b"GET /v1/version HTTP/1.1\r\n" + head + fields + b"\r\n").startswith(b"HTTP/1.1 400 ")
    # The rest of the body, and the request after it, are not read.
    body = b"Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n" + b" " * 70_000
    stop = b"POST /v1/reload HTTP/1.1\r\n" + head + b"\r\n"
    reply = exchange(server, b"PATCH /v1/beacons/entrance HTTP/1.1\r\n" + head + body + stop)
    assert reply.startswith(b"HTTP/1.1 413 ") and reply.count(b"HTTP/1.1 ") == 1 and b"Connection: close" in reply
    assert not [event for event in server.get("/v1/journal")["events"] if event["event"] == "reloaded"]


def test_request_with_two_hosts_is_refused(served: Served) -> None:
    server = served()
    hosts = f"Host: {server.host}\r\nHost: example.com\r\n".encode()
    reply = exchange(server, b"GET /v1/version HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 400 ") and b"several Host fields" in reply


def test_names_of_the_machine_are_in_the_variable(beaconry: Beaconry, served: Served) -> None:
    beaconry.environment["BEACONRY_HTTP_HOST"] = "pi3.local museum"
    server = served()
    for host in ("pi3.local", "museum:80", "localhost"):
        assert server.request("GET", "/v1/version", Host=host).status == 200, host
    assert server.request("GET", "/v1/version", Host="example.com").status == 421


def test_connections_leave_descriptors_for_the_rest(served: Served, beaconry: Beaconry) -> None:
    server = served()
    process = server.run.process.pid
    limit = len(os.listdir(f"/proc/{process}/fd")) + 40
    resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, limit))
    connections = [socket.create_connection((server.host, server.port)) for _ in range(100)]
    deadline = time.monotonic() + 300
    while len(os.listdir(f"/proc/{process}/fd")) < limit - 14:
        assert time.monotonic() < deadline, "no connections are accepted"
        time.sleep(0.01)
    began, before = time.monotonic(), processor_seconds(process)
    time.sleep(1)
    # A busy loop would use all of the time.
    assert (processor_seconds(process) - before) / (time.monotonic() - began) < 0.5
    assert beaconry.call("ctl", "set", "entrance", "minor=77").returncode == 0
    for connection in connections:
        connection.close()
    assert server.get("/v1/beacons/entrance")["settings"]["minor"] == 77


def processor_seconds(process: int) -> float:
    """The processor time of a process, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--http", "0.0.0.0:0"], 64, "needs a token"),
        (["--http", "8080"], 64, "not an address"),
        (["--http", "192.0.2.1:0", "--http-token-file", "TOKEN"], 73, "cannot listen on 192.0.2.1:0 for HTTP: Cannot assign"),
        (["--http", "nope"], 64, 'beaconry: --http: "nope" is not an address; write HOST:PORT'),
        (["--http", "127.0.0.1:99999"], 64, 'beaconry: --http: "127.0.0.1:99999" is not an address; write'),
        (["--http", "127.0.0.1:0", "--http-token-file", "SHORT"], 74, "no token"),
        (["--http", "127.0.0.1:0", "--http-token-file", "MISSING"], 74, "MISSING"),
    ],
)
def test_unsafe_and_wrong_addresses_are_refused(tmp_path: Path, options: list[str], status: int, words: str) -> None:
    (tmp_path / "TOKEN").write_text("0123456789abcdef0123")
    (tmp_path / "SHORT").write_text("0123")
    command = [BINARY, "run", PROFILES / "museum.yaml", "--radio", "virtual", "--ephemeral", "--control", "none", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status and words in done.stderr, done


def test_unix_socket_is_for_its_user_and_is_removed(beaconry: Beaconry, tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    options = ["--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral", "--json", "--control", str(path)]
    run = beaconry.start("run", str(PROFILES / "museum.yaml"), *options)
    run.wait("ready")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    done = subprocess.run(
        ["curl", "-s", "--unix-socket", path, "http://any.host/v1/health"], capture_output=True, text=True, timeout=300, check=True
    )
    assert json.loads(done.stdout)["status"] == "ok"
    if os.geteuid() == 0:
        os.chmod(tmp_path, 0o755)
        other = subprocess.run(
            ["setpriv", "--reuid=65534", "--clear-groups", "curl", "-s", "--unix-socket", path, "http://localhost/v1/health"],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert other.returncode != 0 and other.stdout == ""
    assert run.end() == 0
    assert not path.exists()


class Stream:
    """A client of /v1/events that reads messages."""

    def __init__(self, server: Server, query: str = "", **fields: str) -> None:
        self.connection = server.open()
        self.connection.request("GET", f"/v1/events{query}", headers={key.replace("_", "-"): value for key, value in fields.items()})
        self.response = self.connection.getresponse()
        assert (self.response.status, self.response.headers["content-type"]) == (200, "text/event-stream")

    def message(self) -> dict[str, str]:
        """The next message, without comments."""
        fields: dict[str, str] = {}
        while True:
            line = self.response.readline().decode()
            if not line:
                raise EOFError
            if line == "\n" and fields:
                return fields
            name, _, value = line.rstrip("\n").partition(":")
            if name:
                fields[name] = value.removeprefix(" ")

    def event(self) -> tuple[int, dict[str, Any]]:
        message = self.message()
        return int(message["id"]), json.loads(message["data"])


def test_events_are_streamed_and_resumed(served: Served) -> None:
    server = served()
    stream = Stream(server, "?types=advertising-changed,muted&device=entrance")
    server.request("PATCH", "/v1/beacons/lobby-shop", {"settings": {"major": 5}}, **PATCH)
    server.request("PATCH", "/v1/beacons/entrance", {"settings": {"major": 5}}, **PATCH)
    number, event = stream.event()
    assert (event["event"], event["device"]) == ("advertising-changed", "entrance")
    stream.connection.close()
    server.request("PATCH", "/v1/beacons/entrance", {"muted": True}, **PATCH)
    again = Stream(server, "?device=entrance", Last_Event_ID=str(number))
    later, event = again.event()
    assert event["event"] == "muted" and later > number
    oldest = Stream(server, "?after=0")
    assert [oldest.event()[0] for _ in range(5)] == [1, 2, 3, 4, 5]


def test_open_stream_ends_with_the_run(served: Served) -> None:
    server = served()
    stream = Stream(server, "?types=stopping")
    assert server.run.end() == 0
    assert stream.event()[1]["event"] == "stopping"
    with pytest.raises((EOFError, http.client.HTTPException, ConnectionError)):
        stream.message()


@pytest.mark.slow
def test_stream_that_is_not_read_overflows_and_delays_no_other(served: Served, tmp_path: Path) -> None:
    """Of 40 streams one is not read: it is notified of its overflow when it reads, and the others get every event."""
    profile = tmp_path / "crowd.yaml"
    profile.write_text("profile: crowd\nbeacons:\n" + "".join(
        f"  - {{ id: b{number}, device: ibeacon, ibeacon: {{ uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: {number} }} }}\n"
        for number in range(300)
    ))  # fmt: skip
    server = served(profile=profile)
    stopped = socket.socket()
    stopped.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stopped.connect((server.host, server.port))
    stopped.sendall(f"GET /v1/events HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    # More than a stream and the sockets keep of it: 600 events a round.
    rounds = 12
    selected = [Stream(server, "?types=radio-lost") for _ in range(38)]
    seen: list[int] = []

    def read(stream: Stream) -> None:
        while seen.count(0) < rounds:
            message = stream.message()
            seen.append(int(message["id"]))
            if '"radio-lost"' in message["data"]:
                seen.append(0)

    reader = threading.Thread(target=read, args=(Stream(server),), daemon=True)
    reader.start()
    for finished in range(rounds):
        for power in ("on", "off"):
            assert server.request("PUT", "/v1/radio", {"power": power}).status == 200
        # Python reads slower than the server sends: the stream that is read must not overflow.
        deadline = time.monotonic() + 300
        while seen.count(0) <= finished and time.monotonic() < deadline:
            time.sleep(0.01)
    reader.join(300)
    events = [number for number in seen if number]
    assert len(events) > 300 * rounds and events == list(range(events[0], events[0] + len(events)))
    for stream in selected:
        assert [stream.event()[1]["event"] for _ in range(rounds)] == ["radio-lost"] * rounds
    # A small window was enough to stop the stream, and would make reading slow.
    stopped.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    stopped.settimeout(300)
    with stopped.makefile("rb") as lines:
        assert any(b'"event":"events-lost"' in line for line in lines)
    stopped.close()


def verify(server: Server, condition: dict[str, Any], within: str | None = None) -> Any:
    """The verdict of a condition."""
    body = {"conditions": [condition]} | ({"within": within} if within else {})
    (verdict,) = server.request("POST", "/v1/journal/wait", body).json["verdicts"]
    return verdict


def test_journal_is_verified(served: Served) -> None:
    server = served()
    match = {"event": "advertising-changed", "device": "entrance"}
    verdict = verify(server, {"match": match})
    assert not verdict["ok"] and verdict["count"] == 0
    assert verdict["near"][0]["device"] == "entrance" and verdict["near"][0]["event"] == "advertising-started"
    timer = threading.Timer(0.5, lambda: server.request("PATCH", "/v1/beacons/entrance", {"settings": {"major": 5}}, **PATCH))
    timer.start()
    verdict = verify(server, {"match": match, "count": 1}, "200s")
    assert verdict["ok"] and verdict["events"][0]["device"] == "entrance"
    last = verdict["events"][0]["sequence"]
    assert server.get(f"/v1/journal?since={last - 1}")["events"][0] == verdict["events"][0]
    assert server.request("DELETE", "/v1/journal").status == 204
    assert server.get("/v1/journal")["events"] == []
    assert not verify(server, {"match": match}, "100ms")["ok"]


def test_receivers_and_links(served: Served) -> None:
    server = served("--hci-server", "tcp:127.0.0.1:0?name=phone&at=3,0")
    (phone,) = server.get("/v1/receivers")["receivers"]
    assert (phone["name"], phone["joined"]) == ("phone", False)
    assert server.request("PUT", "/v1/air/visitor/position", {"position": [5, 0]}).status == 404
    _, host, port = phone["server"].split(":")
    with socket.create_connection((host, int(port))) as h4:
        h4.sendall(bytes.fromhex("01030c00"))
        server.run.wait("host-joined", host="phone")
        assert server.get("/v1/receivers")["receivers"][0]["joined"] is True
        assert server.request("PUT", "/v1/air/phone/position", {"position": [5, 0]}).json["position"] == [5, 0, 0]
        assert server.get("/v1/links") == {"links": []}
        overridden = server.request("PUT", "/v1/links/entrance/phone", {"rssi": -80, "for": "1m"})
        assert overridden.json["override"]["rssi"] == -80, overridden
        assert server.request("DELETE", "/v1/links/entrance/phone").status == 204


def test_receivers_that_were_added_are_listed_before_a_host_joins(served: Served, beaconry: Beaconry) -> None:
    server = served()
    assert server.get("/v1/receivers")["receivers"] == []
    added = json.loads(beaconry.call("ctl", "receiver", "add", "phone", "3", "0", "--json").stdout)
    place = {"server": added["server"], "port": added["port"], "position": [3, 0, 0]}
    listed = {"v": 1, "name": "phone", **place, "joined": False, "hosts": []}
    assert server.get("/v1/receivers")["receivers"] == [listed]
    with socket.create_connection(("127.0.0.1", added["port"])) as h4:
        h4.sendall(bytes.fromhex("01030c00"))
        server.run.wait("host-joined", host="phone")
        assert server.get("/v1/receivers")["receivers"] == [{**listed, "joined": True, "hosts": ["phone"]}]
    server.run.wait("host-left", host="phone")
    # Neither a new beacon nor one of a changed profile has its name.
    entry = {"device": "ibeacon", "ibeacon": {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1, "minor": 1}}
    refused = server.request("PUT", "/v1/beacons/phone", entry)
    assert (refused.status, refused.json["detail"]) == (409, 'a receiver is named "phone" already'), refused
    profile = {"profile": "museum", "beacons": [{"id": "phone", **entry}]}
    assert server.request("PUT", "/v1/profile", profile).json["detail"] == 'a receiver is named "phone" already'
    assert beaconry.call("ctl", "receiver", "remove", "phone").returncode == 0
    assert server.get("/v1/receivers")["receivers"] == []
    assert server.request("PUT", "/v1/beacons/phone", entry).status == 201


def test_expectation_may_name_what_is_not_there_yet(served: Served) -> None:
    server = served()
    absent = {"match": {"event": "connected", "device": "lift"}, "count": 0, "mayAppear": True}
    assert verify(server, absent)["ok"] is True
    started = {"match": {"event": "advertising-started", "device": "entrance"}, "except": {"radio": "virtual"}}
    assert verify(server, started)["count"] == 0


def test_rates_out_of_range_are_refused(served: Served) -> None:
    server = served("--rate", "manual")
    for rate in ("1e-300", "5e-324", "0.0009", 1e-30, 10_001, "0"):
        refused = server.request("PUT", "/v1/clock", {"rate": rate})
        assert (refused.status, refused.json["detail"]) == (422, "rate: write max, manual, or a number from 0.001 to 10000"), rate
    assert server.request("PUT", "/v1/clock", {"rate": 0.001}).json["rate"] == "0.001"
    assert server.request("PUT", "/v1/clock", {"rate": "manual"}).status == 200


def test_settings_may_have_names_of_other_members(served: Served, tmp_path: Path) -> None:
    """A characteristic may be named `battery`, which is a member of the change, too."""
    profile = tmp_path / "lamp.yaml"
    profile.write_text("""
profile: lamp
beacons:
  - id: lamp
    device: gatt
    services:
      - uuid: 180F
        characteristics: [{ name: battery, uuid: 2A19, properties: [read], type: uint8, value: 90 }]
""")
    server = served(profile=profile)
    changed = server.request("PATCH", "/v1/beacons/lamp", {"settings": {"battery": 80}}, **PATCH)
    assert (changed.status, changed.json["settings"]["battery"]) == (200, "80"), changed
    assert server.request("PATCH", "/v1/beacons/lamp", {"battery": "flat"}, **PATCH).json["battery"] == "flat"


def test_clock_of_virtual_time(served: Served) -> None:
    server = served("--rate", "manual")
    before = server.get("/v1/clock")
    assert before["rate"] == "manual"
    after = server.request("POST", "/v1/clock/advance", {"by": "30s"}).json
    assert after["elapsed"] == pytest.approx(before["elapsed"] + 30)
    assert server.request("PUT", "/v1/clock", {"rate": 10}).json["rate"] == "10"


def test_reload_and_radio(served: Served, beaconry: Beaconry, tmp_path: Path) -> None:
    profile = tmp_path / "one.yaml"
    text = "profile: one\nbeacons:\n  - { id: a, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1 } }\n"
    profile.write_text(text)
    server = served(profile=profile)
    profile.write_text(text.replace("minor: 1", "minor: 2"))
    assert server.request("POST", "/v1/reload").json["changed"] == ["a"]
    profile.write_text("profile: [")
    refused = server.request("POST", "/v1/reload")
    assert refused.status == 422 and refused.json["faults"][0]["file"] == str(profile), refused.json
    assert server.get("/v1/beacons/a")["settings"]["minor"] == 2
    assert server.request("PUT", "/v1/radio", {"power": "off"}).json == {"power": "off"}
    server.run.wait("radio-lost")
    assert server.request("PUT", "/v1/radio", {"power": "on"}).status == 200


def test_metrics_are_clean(served: Served) -> None:
    server = served()
    server.request("PATCH", "/v1/beacons/entrance", {"enabled": False}, **PATCH)
    server.run.wait("advertising-stopped", device="entrance")
    answer = server.request("GET", "/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = answer.body.decode()
    assert 'beaconry_beacons{state="disabled"} 1\n' in text and 'beaconry_beacons{state="on-air"} 12\n' in text
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=300, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    bounds = re.findall(r'beaconry_flash_writes_seconds_bucket\{le="(.*)"\}', text)
    assert bounds == ["0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.1", "1", "+Inf"]


def samples(text: str) -> dict[str, float]:
    """The samples of a text of metrics, by name and labels."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


def test_metrics_count_what_happens_on_the_air(served: Served, beaconry: Beaconry) -> None:
    server = served("--state", beaconry.state)
    phone = ("--name", "Entrance", "--within", "300s", "--radio", server.air)
    named = beaconry.call("expect", *phone, "--characteristic", "2A00", "--value", b"Entrance".hex())
    assert named.returncode == 0, named
    address = named.stdout.split(" of ")[2].split(" within")[0]
    assert beaconry.call("manage", "set", address, "--minor", "99", "--radio", server.air).returncode == 0
    server.run.wait("advertising-started", device="entrance", where=lambda event: event["advertisingData"].endswith("00010063c5"))
    text = server.request("GET", "/metrics").body.decode()
    metrics = samples(text)
    events = metrics["beaconry_advertising_events_total"]
    of_beacons = [value for name, value in metrics.items() if name.startswith("beaconry_beacon_advertising_events_total{")]
    assert len(of_beacons) == 13 and events == sum(of_beacons) > 13
    assert metrics["beaconry_interval_error_seconds_count"] == events == metrics['beaconry_interval_error_seconds_bucket{le="+Inf"}']
    assert metrics["beaconry_interval_error_seconds_sum"] > 0
    assert metrics["beaconry_reports_sent_total"] > 0 == metrics['beaconry_reports_dropped_total{reason="host-not-reading"}']
    assert metrics['beaconry_att_requests_total{error="none",op="read"}'] > 0
    assert metrics['beaconry_att_requests_total{error="none",op="write"}'] > 0
    assert metrics["beaconry_flash_writes_seconds_count"] >= 1
    assert metrics['beaconry_beacon_on_air{device="entrance",profile="museum"}'] == 1
    assert metrics['beaconry_beacon_connections{device="entrance",profile="museum"}'] == 0
    without = served("--metrics-detail", "none", profile=PROFILES / "airlocate.yaml").request("GET", "/metrics").body.decode()
    assert "beaconry_beacon_" not in without and "beaconry_advertising_events_total" in without


def test_metrics_are_in_a_file(beaconry: Beaconry, tmp_path: Path) -> None:
    file = tmp_path / "beaconry.prom"
    options = ("--radio", "virtual", "--hci-server", "none", "--ephemeral", "--json")
    run = beaconry.start("run", str(PROFILES / "museum.yaml"), *options, "--metrics-file", str(file))
    run.wait("ready")
    # It is there from the start, and written again every 10 s.
    assert re.search(r"^beaconry_ready [01]$", file.read_text(), re.MULTILINE)
    assert run.end() == 0
    assert 'beaconry_beacons{state="on-air"}' in file.read_text()
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=file.read_text(), capture_output=True, text=True, timeout=300)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    refused = beaconry.call("run", str(PROFILES / "museum.yaml"), *options, "--metrics-file", "/nowhere/file")
    assert refused.returncode == 73 and "there is no folder /nowhere; create the folder" in refused.stderr


def test_dashboard_queries_metrics_that_are_there() -> None:
    source = (CHECKOUT / "Sources" / "RunAPI" / "Observation" / "MetricsReport.swift").read_text()
    known = set(re.findall(r'"(beaconry_[a-z_]+)"', source))
    dashboard = json.loads((CHECKOUT / "packaging" / "grafana" / "beaconry.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queried = {name.removesuffix("_bucket") for query in queries for name in re.findall(r"beaconry_[a-z_]+", query)}
    assert queried == known
    documented = (CHECKOUT / "docs" / "http.md").read_text()
    assert all(f"`{name}" in documented for name in known)


def test_description_has_every_resource_and_method(served: Served) -> None:
    server = served()
    paths = server.get("/v1/openapi.json")["paths"]
    assert paths == json.loads((CHECKOUT / "docs" / "openapi.json").read_text())["paths"]
    for path, item in paths.items():
        real = "/".join("x" if part.startswith("{") else part for part in path.split("/"))
        allowed = server.request("OPTIONS", real)
        assert allowed.status == 405
        described = {method.upper() for method in item if method != "parameters"}
        assert set(allowed.headers["allow"].split(", ")) - {"HEAD"} == described, path


def test_integers_of_requests_have_limits(served: Served) -> None:
    document = served().get("/v1/openapi.json")

    def integers(schema: dict[str, Any], seen: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        if reference := schema.get("$ref"):
            if reference not in seen:
                yield from integers(document["components"]["schemas"][reference.rsplit("/", 1)[1]], (*seen, reference))
            return
        if schema.get("type") == "integer" and "enum" not in schema:
            yield schema
        for value in schema.values():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    yield from integers(each, seen)

    found = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            requests = [*operation.get("parameters", []), *operation.get("requestBody", {}).get("content", {}).values()]
            for integer in (each for request in requests for each in integers(request)):
                assert {"minimum", "maximum"} <= integer.keys(), (method, path, integer)
                found += 1
    assert found > 10


def test_air_and_history_of_links(served: Served, tmp_path: Path) -> None:
    profile = tmp_path / "room.yaml"
    profile.write_text(
        "profile: room\nphysics: office\nwalls:\n  - { from: [4, 0], to: [4, 6], loss: 6dB }\nbeacons:\n"
        "  - { id: a, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1, measured-power: -61 } }\n"
    )
    server = served("--hci-server", "tcp:127.0.0.1:0?name=phone&at=3,0", profile=profile)
    air = server.get("/v1/air")
    assert air["walls"] == [{"from": [4, 0], "to": [4, 6], "loss": 6}] and air["levels"] == {"a": -61}
    assert (air["physics"]["preset"], air["physics"]["exponent"], air["physics"]["fading"]) == ("office", 1.6, {"k": 4})
    assert server.get("/v1/receivers")["receivers"][0]["position"] == [3, 0, 0]
    history = server.get("/v1/links/history")
    assert history["links"] == [] and all(0 < time <= history["elapsed"] for time in history["times"])
    assert server.request("GET", "/v1/links/history?after=x").status == 422
    stream = Stream(server, "?types=muted&text=true")
    server.request("PATCH", "/v1/beacons/a", {"muted": True}, **PATCH)
    assert stream.event()[1]["text"] == "a: muted: nothing that it sends is received"


def test_client_that_goes_on_after_a_bad_head_is_disconnected(beaconry: Beaconry, tmp_path: Path) -> None:
    """The control socket has no time limits, but such a connection does not stay."""
    control = tmp_path / "s.sock"
    run = beaconry.run(PROFILES / "museum.yaml", "--ephemeral", "--hci-server", "none", "--control", str(control), radio="virtual")
    run.wait("ready")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(control))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(b"GET / HTTP/1.1\r\nHost: run\r\nX: " + b"a" * 100_000_000)
