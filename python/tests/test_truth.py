# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Where a phone of an air really is, beside what it receives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from devices import DOOR

from beaconry import Air, RequestError, aio

FLAT: dict[str, Any] = {
    "profile": "flat",
    "floors": [{"id": "ground", "from": "0m"}, {"id": "upper", "from": "2.6m"}],
    "rooms": [
        {"id": "west", "floor": "ground", "outline": [[0, 0], [4, 0], [4, 3], [0, 3]]},
        {"id": "east", "floor": "ground", "outline": [[4, 0], [8, 0], [8, 3], [4, 3]]},
    ],
    "beacons": [],
}


def test_truth_has_place_room_and_distances() -> None:
    with Air(FLAT, time="virtual", seed=7) as air:
        air.beacon("door", ibeacon=DOOR, at=(1, 1))
        phone = air.phone("phone", at=(1, 1, 1))
        truth = air.truth(phone)
        assert (truth.position, truth.room) == ((1, 1, 1), "west")
        assert truth.distances == {"door": 1} and truth.rooms == {"door": "west"}
        air.walk(phone, [(1, 1, 1), (7, 1, 1)], over="6s")
        air.clock.advance("4s")
        assert air.truth("phone").room == "east"
        assert air.truth("phone").position == pytest.approx((5, 1, 1), abs=0.01)
        left = air.journal.expect("room-left", receiver="phone", room="west")
        assert left["position"] == pytest.approx([4, 1, 1], abs=0.01)
        phone.move((1, 1, 4))
        truth = air.truth(phone)
        assert truth.room is None and truth.distances["door"] == 4
        air.journal.expect("room-left", receiver="phone", room="east")
        with pytest.raises(RequestError, match='there is no receiver "nobody"'):
            air.truth("nobody")


def test_truth_of_a_phone_without_a_position() -> None:
    with Air(time="virtual", seed=7) as air:
        air.beacon("door", ibeacon=DOOR, at=(1, 1))
        truth = air.truth(air.phone("phone"))
        assert (truth.position, truth.room, dict(truth.distances)) == (None, None, {})


def test_truth_with_asyncio() -> None:
    async def look() -> None:
        async with aio.Air(FLAT, time="virtual", seed=7) as air:
            await air.phone("phone", at=(5, 1))
            truth = await air.truth("phone")
            assert (truth.position, truth.room) == ((5, 1, 0), "east")

    asyncio.run(look())
