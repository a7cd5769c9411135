# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""beaconry.aio has what beaconry has."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import beaconry
from beaconry import aio
from beaconry._client import Client

INTERNAL = "of the package itself"
EXCEPTIONS: dict[str, dict[str, str]] = {
    "Journal": {"add": INTERNAL, "end": INTERNAL, "arrival": INTERNAL, "names": INTERNAL},
    "Clock": {"steps": INTERNAL, "drive": INTERNAL, "run": "Air.run"},
    "Air": {"KIND": INTERNAL, "COMMAND": INTERNAL},
    "BlueZ": {"KIND": INTERNAL, "COMMAND": INTERNAL},
}
"""What has no counterpart, and why."""
SHARED = ("BeaconryError", "CallTimeout", "ProgramError", "RequestError", "UnmetExpectation", "Ranged", "Truth")
"""Errors and values, which are the same."""
BLOCKING = {"sweep": "asyncio.to_thread(beaconry.sweep, …) runs it beside others", "SweepReport": "of sweep", "Event": "of Journal"}
"""What is not in beaconry.aio, and why."""
PAIRS: list[tuple[Any, Any]] = [
    *((getattr(beaconry, name), getattr(aio, name)) for name in beaconry.__all__ if name not in SHARED and name not in BLOCKING),
    (Client, aio.Client),
]  # fmt: skip


def members(kind: Any) -> dict[str, Any]:
    """The public methods and properties of a class."""
    return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}


@pytest.mark.parametrize(("kind", "other"), PAIRS, ids=[kind.__name__ for kind, _ in PAIRS])
def test_each_public_member_has_a_counterpart(kind: Any, other: Any) -> None:
    exceptions = EXCEPTIONS.get(kind.__name__, {})
    assert exceptions.keys() <= members(kind).keys() | {"names"}, "an exception that is none any more"
    for name, value in members(kind).items():
        if name in exceptions:
            continue
        assert name in members(other), f"{kind.__name__}.{name}"
        if inspect.isfunction(value):
            parameters = list(inspect.signature(value).parameters.values())
            others = list(inspect.signature(members(other)[name]).parameters.values())
            if name == "run":
                continue
            assert [(each.name, each.kind, each.default) for each in parameters] == [(each.name, each.kind, each.default) for each in others], name


@pytest.mark.parametrize("name", ["Air", "BlueZ"])
def test_the_parameters_are_the_same(name: str) -> None:
    first, second = (inspect.signature(getattr(module, name).__init__) for module in (beaconry, aio))
    assert list(first.parameters) == list(second.parameters)
    assert [each.default for each in first.parameters.values()] == [each.default for each in second.parameters.values()]


def test_the_exceptions_are_the_same() -> None:
    for name in SHARED:
        assert getattr(aio, name) is getattr(beaconry, name)
