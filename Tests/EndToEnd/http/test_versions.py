# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What runs: the version of the program, the hash of the files, and that of the profile in effect, in each place that has them."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import PATIENCE, Beaconry
from http_client import PATCH, Server, wait_until

UUID = "8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90"
SHOP = f"""
profile: shop
beacons:
  - {{ id: "door-${{ROOM}}", device: iot-design-shop, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
  - {{ id: till, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 2 }} }}
"""
YAML = {"Content_Type": "application/yaml"}


def start(beaconry: Beaconry, profile: Path, *options: str, **variables: str) -> Server:
    words = ["--radio", "virtual", "--json", "--http", "127.0.0.1:0", "--hci-server", "none", "--control", "none", *options]
    if "--state" not in words:
        words.append("--ephemeral")
    prefix = ("env", *(f"{name}={value}" for name, value in {"ROOM": "1", **variables}.items()))
    run = beaconry.start("run", str(profile), *words, prefix=prefix)
    url = run.wait("http-ready")["url"]
    run.wait("ready")
    host, _, port = url.removeprefix("http://").rpartition(":")
    return Server(run, host, int(port), 0, "")


def version(server: Server) -> dict[str, str]:
    (profile,) = server.get("/v1/version")["profiles"]
    return profile


def test_all_places_have_the_same(beaconry: Beaconry, tmp_path: Path) -> None:
    path = beaconry.profile(SHOP, "shop.yaml")
    server = start(beaconry, path)
    (profile,) = (versions := server.get("/v1/version"))["profiles"]
    assert versions["version"] == beaconry.call("--version").stdout.split()[1] and profile["profile"] == "shop"
    assert profile["files"] == hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    health = server.get("/v1/health")
    assert (health["version"], health["profiles"]) == (versions["version"], [profile])
    metrics = server.request("GET", "/metrics").body.decode()
    assert f'beaconry_profile_info{{effective="{profile["effective"]}",files="{profile["files"]}",profile="shop"}} 1' in metrics
    assert server.request("GET", "/v1/profile").headers["etag"] == f'"{profile["effective"]}"'
    url = f"http://{server.host}:{server.port}"
    shown = beaconry.call("ctl", "version", "--url", url).stdout
    assert re.search(rf"beaconry {versions['version']}\n.*\nshop +{profile['files']} +{profile['effective']}\n", shown), shown
    assert json.loads(beaconry.call("ctl", "version", "--url", url, "--json").stdout)["profiles"] == [profile]


def test_status_of_the_service_ends_with_them(beaconry: Beaconry, tmp_path: Path) -> None:
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        manager.settimeout(PATIENCE)
        server = start(beaconry, beaconry.profile(SHOP, "shop.yaml"), NOTIFY_SOCKET=str(address))
        end = "; beaconry {}; shop: files {files}, in effect {effective}"
        wanted = end.format(server.get("/v1/version")["version"], **version(server))
        message = ""
        while not message.endswith(f"STATUS=2 beacons on the air{wanted}"):
            message = manager.recv(65536).decode()
        # Another hash in effect, and a reload, are in the status as well.
        server.request("DELETE", "/v1/beacons/till")
        wanted = end.format(server.get("/v1/version")["version"], **version(server))
        while not message.endswith(f"STATUS=1 beacon on the air{wanted}"):
            message = manager.recv(65536).decode()


def test_files_are_those_of_all_machines(beaconry: Beaconry, tmp_path: Path) -> None:
    """With other variables, in another folder: equal. With another included file or picture: different."""
    found = []
    for folder, room, minor, pixel in (("one", "1", 1, 0), ("two", "2", 1, 0), ("three", "1", 2, 0), ("four", "1", 1, 1)):
        place = tmp_path / folder
        place.mkdir()
        (place / "hall.yaml").write_text(f"beacons:\n  - {{ id: hall, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 9, minor: {minor} }} }}\n")
        (place / "plan.png").write_bytes(picture(pixel))
        (place / "shop.yaml").write_text(SHOP + "include: hall.yaml\nmap: { image: plan.png, width: 10m }\n")
        server = start(beaconry, place / "shop.yaml", ROOM=room)
        found.append(version(server))
        server.run.end()
    one, two, three, four = found
    assert one["files"] == two["files"] and one["effective"] != two["effective"]
    assert len({each["files"] for each in (one, three, four)}) == 3
    assert len({each["effective"] for each in (one, three, four)}) == 3


def picture(grey: int) -> bytes:
    """A PNG of one pixel."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes([0, grey]))) + chunk(b"IEND", b"")


def test_profile_in_effect_follows_variables_selection_and_clients(beaconry: Beaconry) -> None:
    path = beaconry.profile(SHOP, "shop.yaml")
    other, selected, again, server = (
        start(beaconry, path, *options, ROOM=room)
        for room, options in (("2", ()), ("1", ("--only", "till")), ("1", ()), ("1", ()))
    )
    assert version(again) == version(server)
    kinds = {version(each)["effective"] for each in (other, selected, server)}
    assert len(kinds) == 3
    for each in (other, selected, again):
        each.run.end()
    beginning = version(server)
    server.request("PUT", "/v1/beacons/till", {"device": "ibeacon", "ibeacon": {"uuid": UUID, "major": 1, "minor": 3}})
    changed = version(server)
    assert changed["files"] == beginning["files"] and changed["effective"] not in kinds
    # Back as it was: the same contents have the same hash.
    server.request("PUT", "/v1/beacons/till", {"device": "ibeacon", "ibeacon": {"uuid": UUID, "major": 1, "minor": 2}})
    assert version(server) == beginning


def test_key_that_is_not_shown_counts(beaconry: Beaconry) -> None:
    keys = []
    for digit in "12":
        profile = (
            "profile: shop\nbeacons:\n  - { id: meter, device: beacon, format: bthome, temperature: 21.5, address: C0:FF:EE:00:00:01, "
            f"bind-key: '{digit * 32}' }}\n"
        )
        server = start(beaconry, beaconry.profile(profile, "shop.yaml"))
        keys.append((server.request("GET", "/v1/profile").body, version(server)["effective"]))
        server.run.end()
    assert keys[0][0] == keys[1][0] and b"..." in keys[0][0] and keys[0][1] != keys[1][1]


def test_tag_of_another_run_is_refused(beaconry: Beaconry) -> None:
    """A tag that is a counter would be valid again after a restart with another profile."""
    first = start(beaconry, beaconry.profile(SHOP, "shop.yaml"))
    answer = first.request("GET", "/v1/profile")
    first.run.end()
    second = start(beaconry, beaconry.profile(SHOP.replace("minor: 2", "minor: 7"), "shop.yaml"))
    refused = second.request("PUT", "/v1/profile", answer.body, **YAML, If_Match=answer.headers["etag"])
    assert (refused.status, refused.json["code"]) == (412, "profile-changed")
    accepted = second.request("PUT", "/v1/profile", answer.body, **YAML, If_Match=second.request("GET", "/v1/profile").headers["etag"])
    assert accepted.status == 200 and second.request("GET", "/v1/profile").headers["etag"] == answer.headers["etag"]


def test_reload_says_what_saved_settings_keep_back(beaconry: Beaconry, tmp_path: Path) -> None:
    path = beaconry.profile(SHOP, "shop.yaml")
    server = start(beaconry, path, "--state", str(tmp_path / "state"))
    url = f"http://{server.host}:{server.port}"
    server.request("PATCH", "/v1/beacons/door-1", {"settings": {"major": 4711}}, **PATCH)
    path.write_text(SHOP.replace("major: 1, minor: 1", "major: 2, minor: 1"))
    result = server.request("POST", "/v1/reload").json
    assert result["keptSettings"] == [{"device": "door-1", "settings": {"major": {"profile": "2", "present": "4711"}}}]
    warning = server.run.wait("warning", code="settings-kept")
    assert "door-1: major is 4711, and 2 in the profile" in warning["message"]
    shown = beaconry.call("ctl", "reload", "--url", url).stdout
    command = re.search(r"door-1: major is 4711, and 2 in the profile; (beaconry ctl reset \S+) restores", shown)
    assert command, shown
    # The command by which the file wins.
    done = beaconry.call(*command[1].split()[1:], "--url", url)
    assert done.returncode == 0 and "changed door-1" in done.stdout
    assert server.get("/v1/beacons/door-1")["settings"]["major"] == 2
    assert server.request("POST", "/v1/reload").json["keptSettings"] == []
    # Also after the next start, and with a pattern.
    server.request("PATCH", "/v1/beacons/door-1", {"settings": {"minor": 5}}, **PATCH)
    assert beaconry.call("ctl", "reset", "d*", "--url", url).returncode == 0
    server.run.end()
    again = start(beaconry, path, "--state", str(tmp_path / "state"))
    assert (again.get("/v1/beacons/door-1")["settings"]["major"], again.get("/v1/beacons/door-1")["settings"]["minor"]) == (2, 1)
    unknown = beaconry.call("ctl", "reset", "dor-1", "--url", f"http://{again.host}:{again.port}")
    assert unknown.returncode and 'did you mean "door-1"' in unknown.stderr


def test_settings_that_a_schedule_changes_are_not_kept_back(beaconry: Beaconry) -> None:
    profile = f"""
profile: shop
beacons:
  - id: badge
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}
    schedule: {{ rotate: {{ every: 1s, minor: [5, 6] }} }}
"""
    server = start(beaconry, beaconry.profile(profile, "shop.yaml"))
    wait_until(lambda: server.get("/v1/beacons/badge")["settings"]["minor"] in (5, 6))
    assert server.request("POST", "/v1/reload").json["keptSettings"] == []


def test_variable_selects_beacons(beaconry: Beaconry) -> None:
    beacons = "".join(
        f"\n  - {{ id: room-{room}-{door}, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: {room}, minor: {door} }} }}"
        for room in (1, 10, 2) for door in (1, 2)
    )  # fmt: skip
    path = beaconry.profile(f"profile: shop\nbeacons:{beacons}\n", "shop.yaml")

    def names(*options: str, **variables: str) -> list[str]:
        server = start(beaconry, path, *options, **variables)
        found = [each["id"] for each in server.get("/v1/beacons")["beacons"]]
        server.run.end()
        return found

    assert names(BEACONRY_ONLY="room-1-*") == ["room-1-1", "room-1-2"]
    assert names(BEACONRY_ONLY="room-1-* room-2-1") == names(BEACONRY_ONLY="room-1-*,room-2-1") == ["room-1-1", "room-1-2", "room-2-1"]
    # The option has precedence.
    assert names("--only", "room-2-*", BEACONRY_ONLY="room-1-*") == ["room-2-1", "room-2-2"]


@pytest.mark.parametrize("command", ["run", "check"])
def test_variable_that_selects_nothing_is_an_error(beaconry: Beaconry, command: str) -> None:
    path = beaconry.profile(SHOP.replace("-${ROOM}", ""), "shop.yaml")
    beaconry.environment["BEACONRY_ONLY"] = "hall-*"
    done = beaconry.call(command, str(path))
    assert done.returncode == 64 and '--only (BEACONRY_ONLY): no beacon matches "hall-*"; beacons are door, till' in done.stderr


@pytest.mark.parametrize(("severity", "codes"), [(None, [0, 0]), ("error", [0, 0]), ("warning", [0, 1]), ("advice", [1, 1])])
def test_check_fails_on_a_severity(beaconry: Beaconry, severity: str | None, codes: list[int]) -> None:
    """A profile with an advice, and one with a warning."""
    numbers = f"ibeacon: {{ uuid: {UUID}, major: 1, minor: 1, measured-power: 0 }}"
    found = []
    for entry in ("{ id: a, device: sensortag }", f"{{ id: a, device: ibeacon, {numbers} }}"):
        path = beaconry.profile(f"profile: shop\nbeacons:\n  - {entry}\n", "shop.yaml")
        done = beaconry.call("check", str(path), *(["--fail-on", severity] if severity else []))
        assert done.stdout
        found.append(done.returncode)
    assert found == codes


def test_severity_that_does_not_exist_is_an_error(beaconry: Beaconry) -> None:
    done = beaconry.call("check", str(beaconry.profile(SHOP)), "--fail-on", "warnings")
    assert done.returncode == 64 and "error, warning" in done.stderr
