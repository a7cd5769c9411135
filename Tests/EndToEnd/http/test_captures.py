# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Captures in memory, over HTTP and by ctl; tshark reads them."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from beaconry import BINARY, PROFILES, Beaconry
from http_client import PATCH, Server

Served = Callable[..., Server]
PROFILE = PROFILES / "airlocate.yaml"


def commands(file: Path) -> list[str]:
    """The opcodes of the commands in a capture, by tshark."""
    words = ["tshark", "-r", str(file), "-Y", "bthci_cmd", "-T", "fields", "-e", "bthci_cmd.opcode"]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=True).stdout.split()


def test_a_capture_has_what_happens_between_its_start_and_its_end(served: Served, tmp_path: Path) -> None:
    server = served(profile=PROFILE)
    beacon = server.get("/v1/beacons")["beacons"][0]["id"]
    started = server.request("POST", "/v1/captures")
    assert (started.status, started.json["state"], started.json["records"]) == (201, "running", 0)
    number = started.json["id"]
    server.request("PATCH", f"/v1/beacons/{beacon}", {"settings": {"minor": 77}}, **PATCH)
    server.run.wait("advertising-changed", device=beacon)
    stopped = server.request("POST", f"/v1/captures/{number}/stop").json
    assert stopped["state"] == "stopped" and stopped["records"] > 0
    server.request("PATCH", f"/v1/beacons/{beacon}", {"settings": {"minor": 78}}, **PATCH)
    answer = server.request("GET", f"/v1/captures/{number}/packets")
    assert answer.headers["content-type"] == "application/octet-stream" and len(answer.body) == stopped["bytes"]
    assert server.get(f"/v1/captures/{number}") == stopped and server.get("/v1/captures") == {"captures": [stopped]}
    file = tmp_path / "change.btsnoop"
    file.write_bytes(answer.body)
    # LE Set Extended Advertising Data, or of the legacy commands, once.
    assert [opcode for opcode in commands(file) if opcode in ("0x2037", "0x2008")] in (["0x2037"], ["0x2008"])
    assert server.request("DELETE", f"/v1/captures/{number}").json == stopped
    assert server.request("GET", f"/v1/captures/{number}/packets").status == 404
    assert server.get("/v1/captures") == {"captures": []}


def test_captures_have_limits(served: Served) -> None:
    server = served(profile=PROFILE)
    beacon = server.get("/v1/beacons")["beacons"][0]["id"]
    small = server.request("POST", "/v1/captures", {"limit": 1024}).json
    for minor in range(100):
        server.request("PATCH", f"/v1/beacons/{beacon}", {"settings": {"minor": minor}}, **PATCH)
    full = server.get(f"/v1/captures/{small['id']}")
    assert full["state"] == "full" and 512 < full["bytes"] <= 1024 == full["limit"]
    for body in ({"limit": 1023}, {"limit": 1 << 28}, {"limit": "much"}, {"size": 1}, [], {"limit": 1.5}):
        assert server.request("POST", "/v1/captures", body).status == 422, body
    for _ in range(15):
        assert server.request("POST", "/v1/captures").status == 201
    refused = server.request("POST", "/v1/captures")
    assert refused.status == 409 and "16 captures already" in refused.json["detail"]
    assert server.request("GET", "/v1/captures/99").json["code"] == "unknown-capture"
    assert server.request("POST", "/v1/captures/x/stop").json["detail"] == "capture: write the number of a capture, from 1"


def test_sizes_of_captures_have_a_limit_in_all(served: Served) -> None:
    server = served(profile=PROFILE)
    first = server.request("POST", "/v1/captures", {"limit": 1 << 27}).json["id"]
    assert server.request("POST", "/v1/captures", {"limit": 1 << 27}).status == 201
    refused = server.request("POST", "/v1/captures", {"limit": 1024})
    assert refused.status == 409 and "268436480 bytes in all, and 268435456 is the limit" in refused.json["detail"]
    assert server.request("DELETE", f"/v1/captures/{first}").status == 200
    assert server.request("POST", "/v1/captures", {"limit": 1024}).status == 201


def test_captures_that_start_at_once_have_the_limit(served: Served) -> None:
    server = served(profile=PROFILE)
    with ThreadPoolExecutor(40) as clients:
        answers = list(clients.map(lambda _: server.request("POST", "/v1/captures").status, range(40)))
    assert sorted(answers) == [201] * 16 + [409] * 24
    assert len(server.get("/v1/captures")["captures"]) == 16


def test_ctl_saves_a_capture(served: Served, beaconry: Beaconry, tmp_path: Path) -> None:
    server = served(profile=PROFILE)
    started = beaconry.call("ctl", "capture", "start", "--json")
    number = str(json.loads(started.stdout)["id"])
    beacon = server.get("/v1/beacons")["beacons"][0]["id"]
    assert beaconry.call("ctl", "set", beacon, "minor=9").returncode == 0
    file = tmp_path / "set.btsnoop"
    saved = beaconry.call("ctl", "capture", "save", number, str(file))
    assert saved.stdout.startswith(f"saved {file} (") and commands(file), saved
    assert beaconry.call("ctl", "capture", "save", number, str(file)).returncode == 73
    assert "running" in beaconry.call("ctl", "capture").stdout
    assert "stopped" in beaconry.call("ctl", "capture", "stop", number).stdout
    assert beaconry.call("ctl", "capture", "remove", number).returncode == 0
    missing = beaconry.call("ctl", "capture", "stop", number)
    assert missing.returncode == 64 and f"there is no capture {number}" in missing.stderr
    assert beaconry.call("ctl", "capture", "list").stdout == "no captures\n"


# MARK: ctl over HTTP


def test_ctl_uses_either_door(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=PROFILE)
    url = ("--url", f"http://{server.host}:{server.port}")
    over_http, over_socket = beaconry.call("ctl", "list", *url, "--json"), beaconry.call("ctl", "list", "--json")
    assert over_http.stdout == over_socket.stdout and over_http.returncode == 0
    beacon = json.loads(over_http.stdout.splitlines()[0])["id"]
    assert beaconry.call("ctl", "set", beacon, "minor=8", *url).returncode == 0
    assert server.get(f"/v1/beacons/{beacon}")["settings"]["minor"] == 8
    refused, other = beaconry.call("ctl", "set", beacon, "minor=x", *url), beaconry.call("ctl", "set", beacon, "minor=x")
    assert (refused.returncode, refused.stderr) == (other.returncode, other.stderr) and refused.returncode == 65
    assert beaconry.call("ctl", "wait", f"advertising-changed,device={beacon}", "--within", "300s", *url).returncode == 0
    with_variable = subprocess.run(
        [BINARY, "ctl", "show", beacon], env={**beaconry.environment, "BEACONRY_URL": url[1]}, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert with_variable.returncode == 0 and beacon in with_variable.stdout
    events = beaconry.start("ctl", "events", "--json", *url)
    while True:
        beaconry.call("ctl", "disable", beacon, *url)
        beaconry.call("ctl", "enable", beacon, *url)
        if events.take_one(0.1):
            break
    events.wait_until_reported("advertising-started", device=beacon)
    stopped = beaconry.call("ctl", "stop", *url)
    assert (stopped.returncode, stopped.stdout) == (0, "stopped\n")
    assert server.run.process.wait(300) == 0 and events.process.wait(300) == 0


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--url", "https://127.0.0.1:1"], 65, "is not the URL of a run"),
        (["--url", "http://127.0.0.1:1"], 74, "no beaconry listens at http://127.0.0.1:1"),
        (["--url", "unix:/nowhere/socket"], 74, "no beaconry listens at unix:/nowhere/socket"),
        (["--url", "http://127.0.0.1:1", "--control", "/tmp/x"], 64, "exclude each other"),
    ],
)
def test_urls_that_lead_nowhere(beaconry: Beaconry, options: list[str], code: int, text: str) -> None:
    done = beaconry.call("ctl", "list", *options)
    assert done.returncode == code and text in done.stderr, done


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "is not a run of beaconry: it does not answer as HTTP servers do"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "is not a run of beaconry: it answered with no content type"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "is not a run of beaconry: it answered 404"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n\n", "the answer cannot be read"),
        (b"", "before it answered"),
    ],
)
def test_other_servers_are_recognised(beaconry: Beaconry, reply: bytes, text: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    request += connection.recv(65536)
                connection.sendall(reply)

        threading.Thread(target=answer, daemon=True).start()
        done = beaconry.call("ctl", "list", "--url", f"http://127.0.0.1:{server.getsockname()[1]}")
    assert (done.returncode, done.stdout) == (74, "") and text in done.stderr, done


def test_ctl_sends_the_token(served: Served, beaconry: Beaconry, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123\n")
    server = served("--http-token-file", token, profile=PROFILE)
    url = ("--url", f"http://{server.host}:{server.port}")
    without = beaconry.call("ctl", "list", *url)
    assert without.returncode == 74 and "this server needs a token; give the file of the token (--http-token-file FILE)" in without.stderr
    assert beaconry.call("ctl", "list", *url, "--http-token-file", str(token)).returncode == 0
    other = tmp_path / "other"
    other.write_text("0123456789abcdef0124\n")
    wrong = beaconry.call("ctl", "list", *url, "--http-token-file", str(other))
    assert wrong.returncode == 74 and "the token is not the one of this server; give a file with the same token" in wrong.stderr


def test_ctl_over_a_unix_socket(beaconry: Beaconry, tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    run = beaconry.start("run", str(PROFILE), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--json", "--control", str(path))
    run.wait("ready")
    assert beaconry.call("ctl", "list", "--url", f"unix:{path}").returncode == 0
