# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Profiles, beacons and scenarios that are changed over HTTP and by ctl while a run continues."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import PATIENCE, PROFILES, Beaconry
from http_client import PATCH, Server

Served = Callable[..., Server]
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
ENTRY = {"device": "ibeacon", "ibeacon": {"uuid": UUID, "major": 4, "minor": 2}, "position": [1, 2]}
YAML = {"Content-Type": "application/yaml"}


@pytest.fixture
def shop(beaconry: Beaconry) -> Path:
    return beaconry.profile(
        f"profile: shop\nreceivers: [{{ id: phone, position: [3, 0] }}]\n"
        f"defaults: {{ device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1 }} }}\n"
        "beacons: [{ id: door, ibeacon: { minor: 1 } }, { id: shelf, count: 2, ibeacon: { minor: 11..12 } }]\n"
    )


@pytest.fixture
def virtual(beaconry: Beaconry, shop: Path) -> Path:
    """The profile without receivers, whose hosts would have clocks of their own."""
    return beaconry.profile("\n".join(line for line in shop.read_text().splitlines() if "receivers" not in line))


def names(server: Server) -> list[str]:
    return [beacon["id"] for beacon in server.get("/v1/beacons")["beacons"]]


@pytest.mark.slow
@pytest.mark.parametrize("profile", sorted(PROFILES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_settings_of_a_beacon_are_a_change_that_changes_nothing(served: Served, profile: Path) -> None:
    server = served("--ephemeral", profile=profile)
    beacons = server.get("/v1/beacons")["beacons"]
    assert beacons
    for beacon in beacons:
        answer = server.request("PATCH", f"/v1/beacons/{beacon['id']}", {"settings": beacon["settings"]}, **PATCH)
        assert (answer.status, answer.json.get("changed"), answer.json.get("settings")) == (200, False, beacon["settings"]), answer


def test_beacons_are_added_replaced_and_removed(served: Served, shop: Path) -> None:
    server = served(profile=shop)
    added = server.request("PUT", "/v1/beacons/sign", ENTRY)
    assert (added.status, added.json["settings"]["major"], added.json["position"]) == (201, 4, [1, 2, 0])
    server.run.wait("advertising-started", device="sign")
    replaced = server.request("PUT", "/v1/beacons/sign", ENTRY | {"interval": "200ms"})
    assert (replaced.status, replaced.json["settings"]["interval"]) == (200, "200ms")
    assert server.request("PUT", "/v1/beacons/sign", ENTRY | {"interval": "200ms"}).status == 200
    assert names(server) == ["door", "shelf-1", "shelf-2", "sign"]
    removed = server.request("DELETE", "/v1/beacons/shelf-1")
    assert (removed.status, removed.json["removed"]) == (200, ["shelf-1"])
    assert server.request("DELETE", "/v1/beacons/shelf-1").status == 404
    assert names(server) == ["door", "shelf-2", "sign"]
    # A reload is that of the file.
    result = server.request("POST", "/v1/reload").json
    assert (result["added"], result["removed"], result["kept"]) == (["shelf-1"], ["sign"], ["door", "shelf-2"])


def test_beacons_that_match_are_changed_and_removed_at_once(served: Served, shop: Path) -> None:
    server = served(profile=shop)
    changed = server.request("PATCH", "/v1/beacons?match=shelf-*", {"settings": {"major": 9}, "position": [1, 2]}, **PATCH)
    assert [(each["id"], each["settings"]["major"], each["changed"], each["position"]) for each in changed.json["beacons"]] == [
        ("shelf-1", 9, True, [1, 2, 0]),
        ("shelf-2", 9, True, [1, 2, 0]),
    ]
    assert [each["id"] for each in server.get("/v1/beacons?match=shop/*-1")["beacons"]] == ["shelf-1"]
    # One of them refuses: its battery is flat.
    server.request("PATCH", "/v1/beacons/shelf-2", {"battery": "flat"}, **PATCH)
    moved = server.request("PATCH", "/v1/beacons/shelf-2", {"position": [5, 6]}, **PATCH)
    assert (moved.status, moved.json["position"]) == (200, [5, 6, 0])
    refused = server.request("PATCH", "/v1/beacons?match=*", {"settings": {"major": 3}, "enabled": True}, **PATCH)
    assert (refused.status, refused.json["code"]) == (409, "conflict") and "shelf-2" in refused.json["detail"]
    assert [each["settings"]["major"] for each in server.get("/v1/beacons")["beacons"]] == [1, 9, 9]
    for method in ("GET", "PATCH", "DELETE"):
        unknown = server.request(method, "/v1/beacons?match=x*", {"enabled": True} if method == "PATCH" else None, **PATCH)
        assert (unknown.status, unknown.json["code"]) == (404, "unknown-beacon")
    assert server.request("DELETE", "/v1/beacons").status == 422
    assert server.request("DELETE", "/v1/beacons?match=shelf-*").json["removed"] == ["shelf-1", "shelf-2"]
    assert names(server) == ["door"]


@pytest.mark.parametrize(
    ("name", "entry", "status", "text"),
    [
        ("sign", ENTRY | {"colour": "red"}, 422, 'there is no key "colour" here'),
        ("sign", ENTRY | {"id": "other"}, 422, 'the id is "sign"'),
        ("sign", ENTRY | {"count": 2}, 422, 'there is no key "count" here'),
        ("sign", {"device": "ibeacon", "ibeacon": {"uuid": "${HOME}"}}, 422, "environment variables are not available here"),
        ("sign", ENTRY | {"include": "/etc/passwd"}, 422, 'there is no key "include" here'),
        ("sign", {}, 422, '"device" is missing'),
        ("phone", ENTRY, 409, 'a receiver is named "phone" already'),
        ("my sign", ENTRY, 422, "is not a name"),
        ("museum/sign", ENTRY, 404, 'there is no profile "museum"'),
    ],
)  # fmt: skip
def test_wrong_entry_changes_nothing(
    served: Served, shop: Path, name: str, entry: dict[str, Any], status: int, text: str
) -> None:
    server = served(profile=shop)
    before = server.get("/v1/beacons")
    refused = server.request("PUT", "/v1/beacons/" + name.replace(" ", "%20").replace("/", "%2F"), entry)
    assert refused.status == status and text in refused.json["detail"], refused
    assert server.get("/v1/beacons") == before


def test_faults_of_a_profile_are_sentences(served: Served, shop: Path) -> None:
    server = served(profile=shop)
    tag = server.request("GET", "/v1/profile").headers["etag"]
    wrong = b"profile: shop\nbeacons:\n  - { id: a, device: nope }\n  - { id: b, device: raw, interval: 1s }\n"
    refused = server.request("PUT", "/v1/profile", wrong, **YAML, If_Match=tag)
    assert refused.status == 422 and len(refused.json["faults"]) == 2
    assert re.fullmatch(r"\S+:3:22: .*accessory\. \S+:4:5: .* is missing.*", refused.json["detail"]), refused.json["detail"]
    characteristics = ", ".join(f"{{ uuid: {0x3000 + number:04X}, properties: [read] }}" for number in range(500))
    large = f"profile: shop\nbeacons:\n  - {{ id: a, count: 10000, device: gatt, services: [{{ uuid: 180F, characteristics: [{characteristics}] }}] }}\n"
    refused = server.request("PUT", "/v1/profile", large.encode(), **YAML, If_Match=tag)
    assert refused.status == 422 and "5,000,000 of them in characteristics; a profile has at most 2,000,000" in refused.json["detail"]
    assert server.request("GET", "/v1/profile").headers["etag"] == tag


def test_profile_is_replaced_if_it_has_the_tag(served: Served, shop: Path) -> None:
    server = served(profile=shop)
    shown = server.request("GET", "/v1/profile")
    tag, text = shown.headers["etag"], shown.body.decode()
    assert shown.headers["content-type"] == "application/yaml" and "id: shelf-2" in text
    changed = text.replace("minor: 12", "minor: 13").encode()
    result = server.request("PUT", "/v1/profile", changed, **YAML, If_Match=tag)
    assert (result.status, result.json["changed"], result.json["kept"]) == (200, ["shelf-2"], ["door", "shelf-1"])
    stale = server.request("PUT", "/v1/profile", changed, **YAML, If_Match=tag)
    assert (stale.status, stale.json["code"]) == (412, "profile-changed")
    assert server.get("/v1/beacons/shelf-2")["settings"]["minor"] == 13
    whole = {"profile": "shop", "beacons": [{"id": "only", **ENTRY}]}
    assert server.request("PUT", "/v1/profile", whole).json["added"] == ["only"]
    assert server.request("GET", "/v1/profile").headers["etag"] not in (tag, None)
    wrong = server.request("PUT", "/v1/profile?profile=museum", whole)
    assert wrong.status == 404
    faults = server.request("PUT", "/v1/profile", b"profile: shop\nbeacons: [{ id: a }]\n", **YAML).json["faults"]
    assert (faults[0]["line"], faults[0]["field"]) == (2, "beacons[0]")
    assert names(server) == ["only"]
    assert server.request("PUT", "/v1/beacons/only", b"device: ibeacon", **YAML).json["faults"][0]["message"]


def test_reset_starts_all_over(served: Served, shop: Path, beaconry: Beaconry) -> None:
    server = served(profile=shop)
    server.request("PATCH", "/v1/beacons/door", {"settings": {"major": 9}, "enabled": False, "position": [5, 5]}, **PATCH)
    server.request("PATCH", "/v1/beacons/shelf-1", {"battery": "flat"}, **PATCH)
    server.request("PATCH", "/v1/beacons/shelf-2", {"muted": True}, **PATCH)
    server.request("PUT", "/v1/beacons/sign", ENTRY)
    server.request("PUT", "/v1/radio", {"power": "off"})
    assert beaconry.call("ctl", "receiver", "add", "tablet").returncode == 0
    result = server.request("POST", "/v1/reset")
    assert (result.status, result.json["added"]) == (200, ["door", "shelf-1", "shelf-2"])
    deadline = time.monotonic() + PATIENCE
    while server.request("GET", "/v1/health").status != 200:
        assert time.monotonic() < deadline, server.get("/v1/beacons")
        time.sleep(0.05)
    beacons = {beacon["id"]: beacon for beacon in server.get("/v1/beacons")["beacons"]}
    assert set(beacons) == {"door", "shelf-1", "shelf-2"}
    assert all(beacon["onAir"] and beacon["enabled"] for beacon in beacons.values())
    assert not any(each["muted"] or each["battery"] == "flat" or "position" in each for each in beacons.values())
    assert beacons["door"]["settings"]["major"] == 1
    assert "tablet" not in beaconry.call("ctl", "receiver", "list").stdout
    assert server.get("/v1/journal?types=muted,battery-flat")["events"] == []


def test_scenario_is_performed_on_the_run(served: Served, virtual: Path) -> None:
    server = served("--rate", "manual", profile=virtual)
    assert server.request("GET", "/v1/scenario").status == 404
    text = (
        b"scenario: evening\nduration: 60s\ntimeline:\n"
        b"  - { at: 10s, do: [off door, set shelf-1 minor=5] }\n  - { every: 20s, until: 40s, do: radio on }\n"
        b"  - { at: 50s, do: move shelf-2 1 2 3 }\nexpect: [{ on-air: door, at: 5s }]\n"
    )
    started = server.request("PUT", "/v1/scenario", text, **YAML)
    assert (started.status, started.json["state"], started.json["changes"]) == (201, "running", 5)
    assert (started.json["next"], started.json["ignored"]) == ({"at": 10, "change": "off door"}, ["expect"])
    server.request("POST", "/v1/clock/advance", {"by": "10s"})
    assert server.get("/v1/beacons/door")["enabled"] is False
    assert server.get("/v1/beacons/shelf-1")["settings"]["minor"] == 5
    assert server.get("/v1/scenario")["done"] == 2
    server.request("POST", "/v1/clock/advance", {"by": "45s"})
    server.run.wait("scenario-changed", where=lambda event: event["scenario"]["done"] == 5)
    assert server.get("/v1/beacons/shelf-2")["position"] == [1, 2, 3]
    server.request("POST", "/v1/clock/advance", {"by": "5s"})
    ended = server.run.wait("scenario-ended")["scenario"]
    assert (ended["done"], ended["elapsed"], ended["refused"]) == (5, 60, [])


def test_scenario_that_is_stopped_does_no_more(served: Served, virtual: Path, beaconry: Beaconry) -> None:
    server = served("--rate", "manual", profile=virtual)
    file = beaconry.profile("scenario: one\ntimeline: [{ at: 1s, do: battery door flat }, { at: 9s, do: off shelf-1 }]\n", "one.yaml")
    shown = json.loads(beaconry.call("ctl", "scenario", "start", str(file), "--json").stdout)
    assert (shown["scenario"], shown["duration"]) == ("one", 9)
    wrong = beaconry.profile("scenario: one\ntimeline:\n  - { at: 1s, do: of door }\n", "wrong.yaml")
    refused = beaconry.call("ctl", "scenario", "start", str(wrong))
    assert refused.returncode == 65 and refused.stderr.startswith(f"{wrong}:3:19: error: timeline[0].do: there is no change \"of\""), refused.stderr
    server.request("POST", "/v1/clock/advance", {"by": "2s"})
    server.request("PUT", "/v1/scenario", b"scenario: two\ntimeline: [{ at: 1s, do: on door }]\n", **YAML)
    server.request("POST", "/v1/clock/advance", {"by": "8s"})
    ended = server.run.wait("scenario-ended")["scenario"]
    assert ended["scenario"] == "two" and "the battery of door is flat" in ended["refused"][0]["message"]
    assert server.get("/v1/beacons/shelf-1")["enabled"] is True
    assert "scenario two ended: 1 of 1 changes, 1 refused" in beaconry.call("ctl", "scenario").stdout
    server.request("PUT", "/v1/scenario", b"scenario: three\ntimeline: [{ at: 5s, do: off shelf-2 }]\n", **YAML)
    assert server.request("DELETE", "/v1/scenario").json["state"] == "stopped"
    server.request("POST", "/v1/clock/advance", {"by": "9s"})
    assert server.get("/v1/beacons/shelf-2")["enabled"] is True


@pytest.mark.parametrize(
    ("timeline", "message"),
    [
        ("[{ at: 1s, do: off lift }]", 'there is no beacon \\"lift\\"'),
        ("[{ at: 1s, do: connect phone door }]", "is for the receivers of beaconry test"),
        ("[{ do: off door }]", '\\"at\\" is missing'),
    ],
)
def test_wrong_scenario_is_refused(served: Served, shop: Path, timeline: str, message: str) -> None:
    server = served(profile=shop)
    text = f"scenario: wrong\ntimeline: {timeline}\n".encode()
    refused = server.request("PUT", "/v1/scenario", text, **YAML)
    assert refused.status == 422 and message in refused.body.decode(), refused
    named = server.request("PUT", "/v1/scenario?file=my%20evening.yaml", text, **YAML)
    assert [(fault["file"], fault["line"]) for fault in named.json["faults"]] == [("my evening.yaml", 2)]
    assert server.request("GET", "/v1/scenario").status == 404


def test_ctl_changes_beacons_and_prints_the_profile(served: Served, shop: Path, beaconry: Beaconry) -> None:
    served(profile=shop)
    entry = "{ device: beacon, format: eddystone-url, url: https://example.com }"
    assert "sign" in beaconry.call("ctl", "put", "sign", entry).stdout
    refused = beaconry.call("ctl", "put", "sign", "{ device: beacon, format: eddystone-url, url: https://example.com, uuid: 1 }")
    assert refused.returncode == 65 and 'beacon:1:' in refused.stderr
    assert beaconry.call("ctl", "remove", "shelf-*").stdout.strip() == "reloaded: removed shelf-1, shelf-2; unchanged door, sign"
    copy = beaconry.profile(beaconry.call("ctl", "profile").stdout, "copy.yaml")
    assert "2 beacons: no problems found" in beaconry.call("check", str(copy)).stdout
    assert "added shelf-1, shelf-2" in beaconry.call("ctl", "reload").stdout
    assert "reloaded: added door, shelf-1, shelf-2" in beaconry.call("ctl", "reset").stdout
