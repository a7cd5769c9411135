# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The comparison of events with conditions, as `beaconry ctl wait` and HTTP do it (docs/http.md, "Expectations")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _events
from ._spelling import hint


def matches(value: Any, pattern: Any) -> bool:
    """Whether a value of an event is as a condition has it.

    An object has at least the members of the pattern; a `*` at the end of a text stands for any text; a number, `true` and
    `false` equal their texts.
    """
    if isinstance(value, Mapping) and isinstance(pattern, Mapping):
        return all(key in value and matches(value[key], wanted) for key, wanted in pattern.items())
    if isinstance(value, str) and isinstance(pattern, str) and pattern.endswith("*"):
        return value.startswith(pattern[:-1])
    text = setting(value)
    return _equals(value, pattern) or (text is not None and text == setting(pattern))


def setting(value: Any) -> str | None:
    """A text, a truth value or a number as settings have it; None for others. Numbers have no exponent, and six decimals at most."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6f}".rstrip("0").rstrip(".")
    return None


def _equals(value: Any, pattern: Any) -> bool:
    """Whether two values of JSON are equal: for Python, 1 and True are."""
    if isinstance(value, bool) or isinstance(pattern, bool):
        return value is pattern
    if isinstance(value, Sequence) and isinstance(pattern, Sequence) and not isinstance(value, str) and not isinstance(pattern, str):
        return len(value) == len(pattern) and all(map(_equals, value, pattern))
    return bool(value == pattern)


def check(event: str, fields: Mapping[str, Any]) -> None:
    """Raises `ValueError` for the name of no event, and for a field that the event does not have: neither is ever found."""
    names = _events.matching(event)
    known = sorted({field for name in names for field in (*_events.COMMON, *_events.FIELDS[name])})
    for field, value in sorted(fields.items()):
        if field not in known:
            everywhere = sorted({*_events.COMMON, *(each for fields in _events.FIELDS.values() for each in fields)})
            if field in everywhere:
                raise ValueError(f'the event "{event}" has no "{field}"; {hint(field, "its fields", known)}')
            raise ValueError(f'events have no "{field}"; {hint(field, "its fields" if len(names) == 1 else "fields", known)}')
        if value is None:
            raise ValueError(f"{field}=None matches no event; leave it out, or compare with where=")
        if isinstance(value, Mapping):
            _check_members(field, value)


def _check_members(field: str, value: Mapping[str, Any]) -> None:
    if field not in _events.MEMBERS:
        raise ValueError(f'"{field}" of events is not an object')
    known = _events.MEMBERS[field]
    for member in value:
        if known and member not in known:
            raise ValueError(f'"{field}" of events has no "{member}"; {hint(member, "keys", known)}')
