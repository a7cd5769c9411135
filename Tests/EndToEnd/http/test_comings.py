# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Everything that comes and goes in a run is an event."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from beaconry import Beaconry
from comings import OTHERS, ROOM, ROWS
from http_client import PATCH, Server, wait_until

Served = Callable[..., Server]


def send(server: Server, method: str, path: str, body: Any = None) -> Any:
    """Performs an operation, which must succeed."""
    fields = PATCH if method == "PATCH" else {"Content-Type": "application/yaml" if isinstance(body, str) else "application/json"}
    answer = server.request(method, path, body.encode() if isinstance(body, str) else body, **fields)
    assert answer.status in (200, 201, 204), (method, path, answer)
    return json.loads(answer.body) if answer.body else None


def is_met(server: Server, match: dict[str, Any], **members: Any) -> bool:
    """Whether the journal has an event."""
    answer = server.request("POST", "/v1/journal/wait", {"conditions": [{"match": match}], **members})
    assert answer.status == 200, answer
    return bool(answer.json["verdicts"][0]["ok"])


def test_each_operation_is_in_the_table(beaconry: Beaconry) -> None:
    description = json.loads(beaconry.call("schema", "openapi").stdout)
    operations = {
        each["operationId"] for path in description["paths"].values() for method, each in path.items() if method != "get"
    }
    rows = {row.operation for row in ROWS}
    assert rows | set(OTHERS) == operations and not rows & set(OTHERS)


def test_each_coming_and_going_is_an_event(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=beaconry.profile(ROOM))
    for row in ROWS:
        since = max((each["sequence"] for each in server.get("/v1/journal")["events"]), default=0)
        send(server, row.method, row.path, row.body)
        is_reported = is_met(server, {"event": row.event, **row.fields}, since=str(since), within="60s")
        assert is_reported, (row, server.get(f"/v1/journal?since={since}"))


def test_receivers_of_the_profile_are_events_too(served: Served, beaconry: Beaconry) -> None:
    regions = "\n    regions: [{ id: shop, uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }]"
    text = ROOM.replace("  - { id: visitor, position: [1, 0], phone: exact }", "  - id: visitor\n    phone: exact" + regions)
    server = served(profile=beaconry.profile(text))
    assert server.run.wait_until_reported("receiver-added", receiver="visitor")["phone"] == "exact"
    server.run.wait_until_reported("region-monitored", receiver="visitor", region="shop")
    beaconry.profile(text.replace(regions, ""))
    send(server, "POST", "/v1/reload")
    server.run.wait_until_reported("region-ended", receiver="visitor", region="shop")
    beaconry.profile(text[: text.index("receivers:")])
    send(server, "POST", "/v1/reload")
    server.run.wait_until_reported("receiver-removed", receiver="visitor")


def test_reset_reports_what_it_removes(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=beaconry.profile(ROOM))
    send(server, "PUT", "/v1/receivers/phone", {})
    send(server, "POST", "/v1/receivers", {"name": "desk"})
    send(server, "POST", "/v1/reset")
    for name in ("phone", "desk"):
        server.run.wait_until_reported("receiver-removed", receiver=name)


def test_connections_end_with_an_event_whichever_side_ends_them(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=beaconry.profile(ROOM))
    for end in (("POST", "/v1/air/door/disconnect", {}), ("DELETE", "/v1/receivers/phone", None)):
        send(server, "PUT", "/v1/receivers/phone", {})
        send(server, "PUT", "/v1/receivers/phone/connections/door", {})
        server.run.wait_until_reported("receiver-connected", receiver="phone", device="door", address="C0:FF:EE:00:00:01")
        send(server, *end)
        server.run.wait_until_reported("receiver-disconnected", receiver="phone", device="door")
    server.run.wait_until_reported("receiver-removed", receiver="phone")


def test_override_ends_with_an_event_at_its_time(served: Served, beaconry: Beaconry) -> None:
    server = served("--rate", "manual", profile=beaconry.profile(ROOM))
    send(server, "PUT", "/v1/links/shelf/visitor", {"loss": 6, "for": "10s"})
    event = server.run.wait_until_reported("link-overridden", **{"from": "shelf", "to": "visitor"})
    assert event["override"] == {"loss": 6, "for": "10s"}
    send(server, "POST", "/v1/clock/advance", {"by": "9s"})
    reset = {"event": "link-reset", "from": "shelf", "to": "visitor"}
    assert not is_met(server, reset)
    send(server, "POST", "/v1/clock/advance", {"by": "2s"})
    assert is_met(server, reset)


def test_end_of_a_run_is_the_last_event(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=beaconry.profile(ROOM))
    send(server, "PUT", "/v1/receivers/phone", {})
    send(server, "PUT", "/v1/receivers/phone/connections/door", {})
    server.run.end()
    server.run.take(0)
    names = [each["event"] for each in server.run.events]
    assert not {"receiver-removed", "receiver-disconnected"} & set(names[names.index("stopping") :])


@pytest.mark.parametrize("listens", [True, False])
def test_history_follows_a_receiver_that_is_added(served: Served, beaconry: Beaconry, listens: bool) -> None:
    """The first receiver of the run, after the run has had no path for a while; also one that listens later."""
    server = served("--rate", "manual", profile=beaconry.profile(ROOM[: ROOM.index("receivers:")]))
    send(server, "POST", "/v1/clock/advance", {"by": "30s"})
    assert server.get("/v1/links/history")["links"] == []
    send(server, "PUT", "/v1/receivers/phone", {"position": [1, 0], "listening": listens})
    if not listens:
        send(server, "POST", "/v1/clock/advance", {"by": "30s"})
        send(server, "PATCH", "/v1/receivers/phone", {"listening": True})

    def values() -> dict[str, int]:
        send(server, "POST", "/v1/clock/advance", {"by": "10s"})
        return {
            each["from"]: len([value for value in each["rssi"] if value is not None])
            for each in server.get("/v1/links/history?name=phone")["links"]
        }

    wait_until(lambda: {name for name, count in values().items() if count >= 5} == {"door", "shelf"}, values)


def test_names_of_receivers_are_checked(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=beaconry.profile(ROOM))
    expect = {"conditions": [{"match": {"event": "receiver-connected", "receiver": "visitr"}}]}
    answer = server.request("POST", "/v1/journal/wait", expect)
    assert answer.status == 404 and 'there is no receiver "visitr"' in answer.json["detail"] and "visitor" in answer.json["hint"]
