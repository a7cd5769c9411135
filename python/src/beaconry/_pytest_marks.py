# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The markers of tests, and what is wrong with them: found when tests are collected, one sentence each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from ._spelling import hint

PROFILE = "beaconry_profile"
SEEDS = "beaconry_seeds"
SETTINGS = ("profile", "time", "rate", "seed", "physics", "options", "adapters")
"""What the marker of a profile has."""
MOST_SEEDS = 10_000
MARKERS = (
    f"{PROFILE}(profile=None, *, time=None, rate=1, seed=None, physics=None, options=(), adapters=1): the profile of the run of "
    "air, bluez or hci, by its path beside the test or its content, and its settings; adapters are those of bluez",
    f'{SEEDS}(seeds, require="100%"): runs the test with each of these seeds, such as range(1, 51); it passes if the required part passes',
)


class Seeds(NamedTuple):
    """The seeds of a test, and the part of the runs that must pass, from 0 to 1."""

    seeds: list[int]
    required: float


def settings(item: pytest.Item) -> dict[str, Any]:
    """The settings of the marker of a profile."""
    marker = item.get_closest_marker(PROFILE)
    if marker is None:
        return {}
    found = dict(marker.kwargs)
    if marker.args:
        found["profile"] = marker.args[0]
    profile = found.get("profile")
    if profile is not None and not isinstance(profile, Mapping):
        found["profile"] = item.path.parent / profile
    return found


def seeds(item: pytest.Item) -> Seeds | None:
    """The seeds of a test; None without a marker. Raises `ValueError` for other values."""
    marker = item.get_closest_marker(SEEDS)
    if marker is None:
        return None
    if len(marker.args) > 1 or set(marker.kwargs) - {"seeds", "require"} or not (marker.args or "seeds" in marker.kwargs):
        raise ValueError(f'{SEEDS} has seeds and require; write {SEEDS}(range(1, 51), require="95%")')
    given = marker.args[0] if marker.args else marker.kwargs["seeds"]
    return Seeds(_seeds(given), _part(marker.kwargs.get("require", "100%")))


def _seeds(given: Any) -> list[int]:
    if isinstance(given, (str, int, Mapping)):
        raise ValueError(f"{given!r} is no list of seeds; write range(1, 51) or [1, 5, 9]")
    try:
        found = list(given)
    except TypeError:
        raise ValueError(f"{given!r} is no list of seeds; write range(1, 51) or [1, 5, 9]") from None
    for seed in found:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 64:
            raise ValueError(f"{seed!r} is no seed; write whole numbers from 0")
    if not found:
        raise ValueError("there are no seeds; write range(1, 51) or [1, 5, 9]")
    if len(found) > MOST_SEEDS:
        raise ValueError(f"at most {MOST_SEEDS} seeds are possible; write fewer, such as range(1, 51)")
    if len(set(found)) < len(found):
        twice = next(seed for place, seed in enumerate(found) if seed in found[:place])
        raise ValueError(f"the seed {twice} is given twice; leave one out")
    return found


def _part(required: Any) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", required) if isinstance(required, str) else None
    if not found:
        raise ValueError(f'require={required!r} is no per cent; write a text such as "95%"')
    if float(found[1]) > 100:
        raise ValueError(f'require="{required}" is more than 100 %; write "0%" to "100%"')
    return float(found[1]) / 100


def faults(item: pytest.Item) -> Iterator[str]:
    """What is wrong with the markers of a test and the fixtures that they are for."""
    fixtures = set(getattr(item, "fixturenames", ()))
    yield from _faults_of_profile(item, fixtures)
    yield from _faults_of_seeds(item, fixtures)


def _faults_of_profile(item: pytest.Item, fixtures: set[str]) -> Iterator[str]:
    marker = item.get_closest_marker(PROFILE)
    if marker is None:
        return
    if len(marker.args) > 1:
        yield f"{PROFILE} has one profile; write several beacons into it"
    for name in marker.kwargs:
        if name not in SETTINGS:
            yield f'{PROFILE} has no "{name}"; {hint(name, "its settings", SETTINGS)}'
    users = fixtures & {"air", "bluez", "hci"}
    if "air_session" in fixtures and not users:
        yield f"{PROFILE} has no effect on air_session, which all tests share; use air"
    if len(users) > 1:
        first, second = sorted(users)[:2]
        yield f"{PROFILE} is for one air, and {first} and {second} are two, whose hosts do not receive each other; use one of them"
    if marker.kwargs.get("time") == "virtual":
        for name in sorted(users - {"air"}):
            yield f'{name} has wall time, since programs have clocks of their own; leave out time="virtual", or use air'
    if "adapters" in marker.kwargs and users and "bluez" not in users:
        yield f"adapters= is for bluez, and {sorted(users)[0]} has none; leave it out, or use bluez"


def _faults_of_seeds(item: pytest.Item, fixtures: set[str]) -> Iterator[str]:
    try:
        if seeds(item) is None:
            return
    except ValueError as error:
        yield str(error)
    if "air_session" in fixtures:
        yield f"{SEEDS} has no effect on air_session, which all tests share; use air"
    if settings(item).get("seed") is not None:
        yield f"{SEEDS} and {PROFILE} give different seeds; leave out seed="
    if item.get_closest_marker("xfail"):
        yield f"{SEEDS} and xfail exclude each other; give the part that passes as require="
    if not isinstance(item, pytest.Function) or isinstance(getattr(item, "cls", None), type) and _is_unittest(item.cls):
        yield f"{SEEDS} is for test functions; write the test without unittest"


def _is_unittest(kind: Any) -> bool:
    from unittest import TestCase

    return issubclass(kind, TestCase)
