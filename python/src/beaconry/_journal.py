# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The events of a run, in order, and expectations of them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from . import _events
from ._errors import UnmetExpectation
from ._values import Duration, seconds

Event = dict[str, Any]
"""An event as `beaconry run --json` prints it: `event`, `time`, of beacons `device`, and the fields of the event."""

LAST = 15
"""The number of events in the message of an unmet expectation."""


class Pause(NamedTuple):
    """A wait for events."""

    limit: float
    """Seconds of real time."""
    events: int | None = None
    """The number of events since the start of the run with which the wait is over; without it, only its limit counts."""


class Named(Protocol):
    """A beacon or a receiver."""

    @property
    def name(self) -> str: ...


def name_of(thing: str | Named) -> str:
    """The name of a beacon or a receiver, or the given one."""
    return thing if isinstance(thing, str) else thing.name


def line(event: Event) -> str:
    """An event in a line of text."""
    rest = {key: value for key, value in event.items() if key not in ("v", "time", "event", "requested")}
    fields = " ".join(f"{key}={json.dumps(value)}" for key, value in rest.items())
    return f"{event.get('time', '')} {event.get('event', '?')} {fields}".strip()


class Journal:
    """The events of an air since its start.

    A thread adds the events; all methods may be called from any thread.
    """

    def __init__(self, steps: Callable[[float], Iterator[Pause]]) -> None:
        self._steps = steps
        self._events: list[Event] = []
        self._count = 0
        self._changed = threading.Condition()
        self._ended = False

    def add(self, event: Event) -> None:
        with self._changed:
            self._events.append(event)
            self._count += int(event.get("count", 1)) if event.get("event") == "events-lost" else 1
            self._changed.notify_all()

    def end(self) -> None:
        """No event follows."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        with self._changed:
            return list(self._events)

    @property
    def mark(self) -> int:
        """The number of events so far, for `since`."""
        with self._changed:
            return len(self._events)

    def lines(self, last: int | None = None) -> list[str]:
        """The events as text, all or the last ones."""
        events = self.events
        return [line(each) for each in (events if last is None else events[-last:])]

    def find(
        self, event: str, *, beacon: str | Named | None = None, since: int = 0,
        where: Callable[[Event], object] | None = None, **fields: Any,
    ) -> list[Event]:  # fmt: skip
        """The events so far with this name, of this beacon, with these fields, for which `where` is true.

        Raises `ValueError` for the name of no event.
        """
        _events.check(event)
        if beacon is not None:
            fields["device"] = name_of(beacon)
        return [
            each for each in self.events[since:]
            if each.get("event") == event and all(each.get(key) == value for key, value in fields.items())
            and (where is None or where(each))
        ]  # fmt: skip

    def expect(
        self, event: str, *, beacon: str | Named | None = None, within: Duration = "5s", since: int = 0,
        where: Callable[[Event], object] | None = None, **fields: Any,
    ) -> Event:  # fmt: skip
        """The first such event (see `find`), which may have happened already; else waits for it.

        `within` is in the time of the run: in virtual time, the clock advances until the event or the time limit.
        Raises `UnmetExpectation` when the time is over or the run has ended, `ValueError` for the name of no event.
        """
        _events.check(event)

        def first() -> Event | None:
            found = self.find(event, beacon=beacon, since=since, where=where, **fields)
            return found[0] if found else None

        for pause in self._steps(seconds(within)):
            if (found := self._wait(first, pause)) is not None:
                return found
            if self._has_ended:
                break
        conditions = {**({"beacon": name_of(beacon)} if beacon is not None else {}), **fields}
        wanted = " ".join([event, *(f"{key}={value!r}" for key, value in conditions.items())])
        reason = "the run has ended" if self._has_ended else f"within {within if isinstance(within, str) else f'{within} s'}"
        last = "\n".join(f"  {each}" for each in self.lines(LAST)) or "  none"
        raise UnmetExpectation(f"no {wanted}: {reason}; the last events are\n{last}")

    def arrival(self, event: str, *, beacon: Named, since: int, patience: float) -> Event | None:
        """The first such event after `since`, for which it waits in real time only: the clock of the run stands still."""

        def first() -> Event | None:
            found = self.find(event, beacon=beacon, since=since)
            return found[0] if found else None

        return self._wait(first, Pause(patience))

    @property
    def _has_ended(self) -> bool:
        with self._changed:
            return self._ended

    def _wait(self, first: Callable[[], Event | None], pause: Pause) -> Event | None:
        deadline = time.monotonic() + pause.limit
        while True:
            with self._changed:
                known = len(self._events)
                is_over = self._ended or (pause.events is not None and self._count >= pause.events)
            if (found := first()) is not None or is_over:
                return found
            with self._changed:
                if len(self._events) == known and not self._ended:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return None
                    self._changed.wait(left)
