# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The doors of the HTTP server: origins, hosts, tokens, and what requests of web pages may do."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import lock
import pytest
from beaconry import Beaconry
from http_client import Server
from lock import CONNECTION, NOTIFICATIONS, VALUE

Served = Callable[..., Server]


@pytest.fixture
def home(served: Served, beaconry: Beaconry) -> Server:
    """A lock whose value needs encryption, and a receiver that is not connected to it."""
    server = served(profile=beaconry.profile(lock.PROFILE))
    assert server.request("PUT", "/v1/receivers/app", {}).status == 201
    return server


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_request_for_another_origin_is_refused(home: Server, site: str) -> None:
    assert home.request("PUT", CONNECTION, {"pair": True}).status == 201
    for path in (VALUE, NOTIFICATIONS, "/v1/events", "/v1/beacons"):
        answer = home.request("GET", path, Sec_Fetch_Site=site)
        assert answer.status == 403 and answer.json["code"] == "foreign-origin", answer
    assert home.get("/v1/bonds") == {"bonds": []}
    assert home.request("GET", "/", Sec_Fetch_Site=site).status == 200
    for own in ("same-origin", "none"):
        assert home.request("GET", "/v1/beacons", Sec_Fetch_Site=own).status == 200


def test_get_pairs_only_if_the_connection_may(home: Server) -> None:
    assert home.request("PUT", CONNECTION, {}).status == 201
    refused = home.request("GET", VALUE)
    assert refused.status == 409 and refused.json["code"] == "conflict", refused
    assert "requires encryption" in refused.json["detail"] and '"pair": true' in refused.json["hint"]
    assert home.request("GET", NOTIFICATIONS).status == 409
    assert home.get("/v1/bonds") == {"bonds": []}
    # It is connected already, and may pair from now on.
    assert home.request("PUT", CONNECTION, {"pair": True}).status == 200
    assert home.get(VALUE)["value"] == "0040"
    assert len(home.get("/v1/bonds")["bonds"]) == 1


def test_get_encrypts_with_a_bond(home: Server) -> None:
    assert home.request("PUT", CONNECTION, {"pair": True}).status == 201
    assert home.get(VALUE)["value"] == "0040"
    assert home.request("DELETE", CONNECTION).status == 204
    assert home.request("PUT", CONNECTION, {}).status == 201
    assert home.get(VALUE)["value"] == "0040"


def test_ctl_connects_with_pairing(home: Server, beaconry: Beaconry) -> None:
    assert beaconry.call("ctl", "receiver", "connect", "app", "lock").returncode == 0
    refused = beaconry.call("ctl", "receiver", "read", "app", "lock", "2A37")
    assert refused.returncode == 65 and "--pair" in refused.stderr, refused
    assert beaconry.call("ctl", "receiver", "connect", "app", "lock", "--pair").returncode == 0
    assert beaconry.call("ctl", "receiver", "read", "app", "lock", "2A37").stdout == "0040\n"


@pytest.mark.parametrize(
    "target,host,status",
    [
        ("http://evil.example/v1/version", "localhost", 421), ("http://localhost/v1/version", "evil.example", 200),
        ("http://localhost:80/v1/version?a=http://evil.example", "localhost", 422), ("/v1/version", "localhost", 200),
        ("http://localhost@evil.example/v1/version", "localhost", 421), ("http://evil.example", "localhost", 421),
        ("HTTP://EVIL.example/v1/version", "localhost", 421),
    ],
)  # fmt: skip
def test_host_of_a_whole_target_counts(home: Server, target: str, host: str, status: int) -> None:
    """RFC 9112, 3.2.2."""
    client = socket.create_connection((home.host, home.port))
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    client.settimeout(300)
    assert client.recv(12) == f"HTTP/1.1 {status}".encode()
    client.close()


@pytest.mark.parametrize("mode,warns", [(0o600, False), (0o640, False), (0o644, True)])
def test_token_that_others_can_read_is_a_warning(served: Served, tmp_path: Path, mode: int, warns: bool) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef")
    token.chmod(mode)
    server = served("--http-token-file", str(token))
    warnings = [each for each in server.run.events if each.get("code") == "token-readable"]
    assert bool(warnings) == warns
    assert all("its mode is 644" in each["message"] for each in warnings)
    assert "0123456789abcdef" not in json.dumps(server.run.events)


def test_token_in_a_file_of_another_user_is_a_warning(served: Served, tmp_path: Path) -> None:
    assert os.geteuid() == 0, "this test makes a file of another user, as root"
    token = tmp_path / "token"
    token.write_text("0123456789abcdef")
    token.chmod(0o600)
    os.chown(token, 12345, 12345)
    server = served("--http-token-file", str(token))
    [warning] = [each for each in server.run.events if each.get("code") == "token-readable"]
    assert "it belongs to user 12345" in warning["message"] and "umask 077" in warning["hint"], warning


def test_value_has_at_most_512_bytes(home: Server) -> None:
    assert home.request("PUT", CONNECTION, {"pair": True}).status == 201
    answer = home.request("PUT", VALUE, {"value": "00" * 600})
    assert answer.status == 422 and "at most 512 bytes" in answer.json["detail"], answer
