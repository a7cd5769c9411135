# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Durations, positions and profiles as the program reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

Duration = Union[str, int, float]
"""A time: a number of seconds, or a text such as `20s`, `500ms`, `2m` or `1h`."""
Position = Sequence[float]
"""Two or three numbers of metres; without the third, the height is 0."""
IBeacon = Union[tuple[str, int, int], Mapping[str, Any]]
"""UUID, major and minor; or a mapping with the keys of a profile (`uuid`, `major`, `minor`, `measured-power`)."""

SEVERAL = ("count", "grid")
"""Keys of an entry that stands for several beacons."""
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(duration: Duration) -> float:
    """The seconds of a duration; raises `ValueError` for another text, a negative or an infinite number."""
    if isinstance(duration, str):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", duration)
        if not found:
            raise ValueError(f'"{duration}" is not a duration; write 10s, 500ms or 2m')
        return float(found[1]) * UNITS[found[2]]
    if not 0 <= duration < float("inf"):
        raise ValueError(f"{duration} is not a duration in seconds; write a number of 0 or more")
    return float(duration)


def duration_text(duration: Duration) -> str:
    """A duration as a run takes it, to the microsecond."""
    return f"{seconds(duration) * 1000:.3f}ms"


def metres(position: Position) -> list[float]:
    """A position as a run takes it; raises `ValueError` unless it has two or three numbers."""
    numbers = [float(each) for each in position]
    if len(numbers) not in (2, 3):
        raise ValueError(f"{tuple(position)} is not a position; write two or three numbers of metres, such as (2.5, 4)")
    return numbers


def metres_of_path(path: Iterable[Position]) -> list[list[float]]:
    """The positions of a path; raises `ValueError` unless there are at least two."""
    positions = [metres(each) for each in path]
    if len(positions) < 2:
        raise ValueError("a walk needs two positions or more")
    return positions


def setting(value: object) -> str:
    """A setting as `beaconry ctl set` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def definition(
    name: str, ibeacon: IBeacon | None, at: Position | None, device: str | None, keys: Mapping[str, Any]
) -> dict[str, Any]:
    """A beacon as in a profile; underscores in keys are hyphens there.

    Raises `ValueError` for keys that have another place: its id is its name, and several beacons need a profile.
    """
    texts = {key.replace("_", "-"): value for key, value in keys.items() if value is not None}
    if "id" in texts:
        raise ValueError(f'the id of a beacon is its first argument; write beacon("{texts["id"]}", …)')
    if "position" in texts and at is not None:
        raise ValueError("the position of a beacon is given twice; leave out at= or position=")
    for key in SEVERAL:
        if key in texts:
            raise ValueError(f"{key} makes several beacons; write them into the profile of the run, or add each with beacon(…)")
    beacon: dict[str, Any] = {"id": name, "device": device or ("ibeacon" if ibeacon is not None else "beacon")}
    if isinstance(ibeacon, Mapping):
        beacon["ibeacon"] = dict(ibeacon)
    elif ibeacon is not None:
        uuid, major, minor = ibeacon
        beacon["ibeacon"] = {"uuid": uuid, "major": major, "minor": minor}
    if at is not None:
        beacon["position"] = metres(at)
    beacon.update(texts)
    return beacon
