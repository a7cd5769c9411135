# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Every key of a profile is a parameter of `beacon`."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from devices import LOCK

from beaconry import Air, aio
from beaconry._values import definition

SCHEMA = Path(__file__).resolve().parents[2] / "packaging" / "schemas" / "profile.schema.json"
ELSEWHERE = {
    "id": "its first argument",
    "count": "an entry for several beacons",
    "grid": "the places of an entry for several beacons",
}
"""Keys that are refused, and why."""


def keys() -> list[str]:
    """The keys of all kinds of devices and formats."""
    found: set[str] = set()

    def collect(schema: Any) -> None:
        if isinstance(schema, dict):
            found.update(schema.get("properties", {}))
            for name in ("allOf", "anyOf", "then", "else"):
                collect(schema.get(name))
        for each in schema if isinstance(schema, list) else []:
            collect(each)

    collect(json.loads(SCHEMA.read_text())["properties"]["beacons"]["items"])
    return sorted(found)


def test_there_are_keys() -> None:
    assert {"name", "device", "ibeacon", "interval", "tx-power", "temperature", "services"} < set(keys()) and len(keys()) > 150


@pytest.mark.parametrize("key", keys())
def test_a_key_collides_with_no_parameter(key: str) -> None:
    argument = {key.replace("-", "_"): {"uuid": "u"} if key == "ibeacon" else "value"}
    for method in (Air.beacon, aio.Air.beacon):
        bound = inspect.signature(method).bind(None, "lock", **argument)
        assert bound.arguments["name"] == "lock"
    parameters = {"ibeacon": None, "at": None, "device": None, **bound.kwargs}
    ibeacon, at, device = (parameters.pop(name) for name in ("ibeacon", "at", "device"))
    if key in ELSEWHERE:
        with pytest.raises(ValueError, match="beacon"):
            definition("lock", ibeacon, at, device, parameters)
    else:
        assert definition("lock", ibeacon, at, device, parameters)[key] == ({"uuid": "u"} if key == "ibeacon" else "value")


def test_a_beacon_has_its_advertised_name(air: Air) -> None:
    air.beacon("lock", **{**LOCK, "name": "Front door"}, position=[3, 0])
    assert air.client.show_beacon("lock")["name"] == "Front door"
    assert air.client.show_beacon("lock")["position"][:2] == [3, 0]


def test_a_position_is_given_once() -> None:
    with pytest.raises(ValueError, match="the position of a beacon is given twice; leave out at= or position="):
        definition("lock", None, (1, 2), None, {"position": [1, 2]})
