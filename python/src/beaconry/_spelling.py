# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Hints for names that do not exist, in the form of the program's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST = 10
"""The greatest number of names that a hint lists."""


def closest(text: str, names: Iterable[str]) -> str | None:
    """The name that is closest to a text, in upper or lower case; None if more than a third of the characters differ."""
    typed = text.lower()
    distances = [(_distance(typed, name.lower()), name) for name in names]
    if not distances:
        return None
    distance, best = min(distances)
    return best if distance <= max(1, min(len(typed), len(best)) // 3) and distance < len(typed) else None


def hint(text: str, kind: str, names: Sequence[str]) -> str:
    """`did you mean "door"? beacons are door, gate`, of at most ten names; `there are no beacons` without one."""
    if not names:
        return f"there are no {kind}"
    guess = closest(text, names)
    listed = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    return (f'did you mean "{guess}"? ' if guess else "") + f"{kind} are {listed}"


def _distance(first: str, second: str) -> int:
    """The number of characters that are added, removed or replaced (Levenshtein)."""
    row = list(range(len(second) + 1))
    for place, character in enumerate(first):
        previous, row = row, [place + 1]
        for index, other in enumerate(second):
            row.append(min(previous[index + 1] + 1, row[index] + 1, previous[index] + (character != other)))
    return row[-1]
