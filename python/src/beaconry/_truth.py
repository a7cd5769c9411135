# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Where a receiver really is, beside what it received."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Tuple

Place = Tuple[float, float, float]


@dataclass(frozen=True)
class Truth:
    """Where a receiver really is on the virtual air, at one time of the run."""

    position: Optional[Place]
    """x, y, z in metres; None for one without a position, 1 m from every beacon."""
    room: str | None
    """The id of its room; None outside of all rooms of the profile."""
    distances: Mapping[str, float]
    """The distance to each beacon with a position in metres, by its name; empty for a receiver without a position."""
    rooms: Mapping[str, str | None]
    """The id of the room of each beacon by its name; None outside of all rooms."""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Truth:
        """From what the run answers."""
        place = record.get("position")
        beacons = record["beacons"]
        return cls(
            None if place is None else (place[0], place[1], place[2]), record.get("room"),
            {each["id"]: each["distance"] for each in beacons if "distance" in each},
            {each["id"]: each.get("room") for each in beacons},
        )  # fmt: skip
