# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Labels of beacons and receivers: where they are shown, who changes them, and that they are not on the air."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry
from http_client import PATCH, Server

UUID = "8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90"
LABEL = 'Stele #4: "Löwe" \\ 獅子 🦁'
PROFILE = f"""
profile: museum
beacons:
  - {{ id: stele, label: {json.dumps(LABEL, ensure_ascii=False)}, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 4 }} }}
  - {{ id: "case-{{n}}", label: "Case {{n}}", count: 2, device: iot-design-shop, ibeacon: {{ uuid: {UUID}, major: 2, minor: "{{n}}" }} }}
  - {{ id: plain, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 3, minor: 1 }} }}
receivers:
  - {{ id: visitor, label: Anna, phone: exact }}
  - {{ id: guard, label: "Night watch" }}
"""


@pytest.fixture
def server(beaconry: Beaconry, served: Callable[..., Server]) -> Server:
    return served(profile=beaconry.profile(PROFILE, "museum.yaml"))


def labels(server: Server, kind: str, key: str) -> dict[str, str | None]:
    return {each[key]: each.get("label") for each in server.get(f"/v1/{kind}")[kind]}


def control(beaconry: Beaconry, server: Server, *words: str) -> tuple[int, str, str]:
    done = beaconry.call("ctl", *words, "--url", f"http://{server.host}:{server.port}")
    return done.returncode, done.stdout, done.stderr


def events(server: Server, **match: Any) -> list[dict[str, Any]]:
    journal = server.get("/v1/journal")["events"]
    return [each for each in journal if all(each.get(key) == value for key, value in match.items())]


def test_labels_are_in_records_lists_events_and_metrics(beaconry: Beaconry, server: Server) -> None:
    assert labels(server, "beacons", "id") == {"stele": LABEL, "case-1": "Case 1", "case-2": "Case 2", "plain": None}
    assert labels(server, "receivers", "name") == {"visitor": "Anna", "guard": "Night watch"}
    assert server.get("/v1/receivers/visitor")["label"] == "Anna"
    _, listed, _ = control(beaconry, server, "list")
    assert "LABEL" in listed and LABEL[:20] in listed and "Case 2" in listed
    assert f"label               {LABEL}" in control(beaconry, server, "show", "stele")[1]
    started = {each["device"]: each.get("label") for each in events(server, event="advertising-started")}
    assert started == labels(server, "beacons", "id")
    assert events(server, event="receiver-added", receiver="visitor")[0]["label"] == "Anna"
    metrics = server.request("GET", "/metrics").body.decode()
    escaped = LABEL.replace("\\", "\\\\").replace('"', '\\"')
    assert f'beaconry_beacon_info{{device="stele",identity="ibeacon:{UUID}/1/4",label="{escaped}",profile="museum"}} 1' in metrics
    # Quoted, so that it is read again as it is.
    assert server.request("GET", "/v1/profile").body.decode().count("label: ") == 5


def test_label_is_not_on_the_air(server: Server) -> None:
    for event in events(server, event="advertising-started"):
        data = bytes.fromhex(event["advertisingData"] + event.get("scanResponse", ""))
        assert b"Stele" not in data and b"Case" not in data


def test_clients_change_labels_until_the_next_reload(beaconry: Beaconry, server: Server) -> None:
    tag = server.request("GET", "/v1/profile").headers["etag"]
    before = events(server, event="advertising-started")
    assert control(beaconry, server, "set", "stele", "label=South door")[0] == 0
    assert control(beaconry, server, "set", "case-*", "label=Case", "major=7")[0] == 0
    assert control(beaconry, server, "set", "visitor", "label=Berta")[:2] == (0, "visitor: label Berta\n")
    assert control(beaconry, server, "set", "guard", "label=")[:2] == (0, "guard: no label\n")
    assert labels(server, "beacons", "id") == {"stele": "South door", "case-1": "Case", "case-2": "Case", "plain": None}
    assert labels(server, "receivers", "name") == {"visitor": "Berta", "guard": None}
    assert [each.get("label") for each in events(server, event="label-changed")] == ["South door", "Case", "Case", "Berta", None]
    assert server.get("/v1/beacons/case-1")["settings"]["major"] == 7
    # The profile in effect has changed, and no beacon has started again.
    assert server.request("GET", "/v1/profile").headers["etag"] != tag
    assert events(server, event="advertising-started") == before
    result = server.request("POST", "/v1/reload").json
    assert result["changed"] == ["stele", "case-1", "case-2"] and result["kept"] == ["plain"]
    assert labels(server, "beacons", "id")["stele"] == LABEL
    assert labels(server, "receivers", "name") == {"visitor": "Anna", "guard": "Night watch"}
    assert events(server, event="advertising-started") == before


def test_unchanged_beacons_stay_when_another_is_removed(server: Server) -> None:
    server.request("PATCH", "/v1/beacons/stele", {"settings": {"label": "Here"}}, **PATCH)
    result = server.request("DELETE", "/v1/beacons/plain").json
    assert result["kept"] == ["stele", "case-1", "case-2"] and not result["changed"]
    assert server.get("/v1/beacons/stele")["label"] == "Here"


def test_receivers_of_clients_have_labels(server: Server) -> None:
    assert server.request("PUT", "/v1/receivers/phone", {"label": "Carl"}).json["label"] == "Carl"
    assert server.request("POST", "/v1/receivers", {"name": "host-1", "label": "Desk"}).json["label"] == "Desk"
    assert server.request("PATCH", "/v1/receivers/host-1", {"label": "Lab"}, **PATCH).json["label"] == "Lab"
    assert events(server, event="receiver-added", receiver="phone")[0]["label"] == "Carl"
    server.request("POST", "/v1/reload")
    assert labels(server, "receivers", "name") == {"visitor": "Anna", "guard": "Night watch", "phone": "Carl", "host-1": "Lab"}
    server.request("DELETE", "/v1/receivers/phone")
    assert "label" not in server.request("PUT", "/v1/receivers/phone", {}).json


@pytest.mark.parametrize("text", ["x" * 101, "two\nlines", "a\x07bell"])
def test_text_that_is_no_label_is_refused(server: Server, beaconry: Beaconry, text: str) -> None:
    refused = server.request("PATCH", "/v1/beacons/stele", {"settings": {"label": text, "major": 9}}, **PATCH)
    assert refused.status == 422 and "1 to 100 characters" in refused.json["detail"]
    assert server.get("/v1/beacons/stele")["settings"]["major"] == 1
    refused = server.request("PATCH", "/v1/receivers/visitor", {"label": text}, **PATCH)
    assert refused.status == 422 and labels(server, "receivers", "name")["visitor"] == "Anna"


@pytest.mark.parametrize("entry", [f"beacons: [{{ id: a, device: ibeacon, ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }}, label: LABEL }}]", "beacons: []\nreceivers: [{ id: a, label: LABEL }]"])
def test_label_of_a_profile_is_checked(beaconry: Beaconry, entry: str) -> None:
    for text, code in (("'" + "é" * 100 + "'", 0), ("'" + "é" * 101 + "'", 65), ('""', 65), ('"a\\tb"', 65), ("[a]", 65)):
        path = beaconry.profile("profile: museum\n" + entry.replace("LABEL", text) + "\n")
        done = beaconry.call("check", str(path))
        assert done.returncode == code, (text, done)
        if code:
            assert re.search(r"test\.yaml:\d+:\d+: error: \S*label", done.stderr), done.stderr


def test_label_of_no_beacon_is_an_error(beaconry: Beaconry, server: Server) -> None:
    code, _, error = control(beaconry, server, "set", "nobody", "label=x")
    assert code and 'there is no beacon "nobody"' in error
