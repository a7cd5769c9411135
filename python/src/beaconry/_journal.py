# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The events of a run, in order, and expectations of them."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from ._errors import RequestError, UnmetExpectation
from ._matching import check, matches
from ._spelling import hint
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
    """A beacon, a receiver or a phone."""

    @property
    def name(self) -> str: ...


def name_of(thing: str | Named) -> str:
    """The name of a beacon, a receiver or a phone, or the given one."""
    return thing if isinstance(thing, str) else thing.name


def line(event: Event) -> str:
    """An event in a line of text: its fields, or its sentence if it has one."""
    hidden = {"v", "time", "event", "requested", "sequence"}
    sentence = ""
    if isinstance(event.get("message"), str):
        hidden |= {"message", "hint", "faults"}
        sentence = " " + "; ".join(filter(None, [event["message"], event.get("hint")]))
        # Faults beside the first one, which the message has.
        for fault in (event.get("faults") or [])[1:]:
            sentence += f"\n    {fault.get('file', '')}:{fault.get('line', '')}:{fault.get('column', '')}: {fault.get('message', '')}"
    fields = "".join(f" {key}={json.dumps(value)}" for key, value in event.items() if key not in hidden)
    return f"{event.get('time', '')} {event.get('event', '?')}{fields}{sentence}".strip()


class Names:
    """The names of beacons, hosts and receivers in a run, which expectations may have.

    Those of events are known. For another name the run is asked, since its absence would be no news if it were misspelt.
    """

    UNNAMED_HOST = "host"
    KINDS: Mapping[str, str] = {"device": "beacon", "host": "host", "receiver": "receiver"}
    """What the fields with names name."""

    def __init__(self) -> None:
        self.ask: Callable[[str, str], None] | None = None
        """Raises `RequestError` if the run has no such name of a field; None before the run is ready, and after its end."""
        self.known: dict[str, set[str]] = {field: {self.UNNAMED_HOST} if field == "host" else set() for field in self.KINDS}
        self.is_complete = True
        """Whether `known` has all names of a run that has ended."""

    def add(self, event: Event) -> None:
        """Adds the names of an event."""
        for field, names in self.known.items():
            if isinstance(name := event.get(field), str):
                names.add(name)

    def check(self, field: str, name: object) -> None:
        """Raises `ValueError` if the run does not have a name and did not have it."""
        text = str(name)
        # Hosts that share a name have a number after it.
        spellings = {text, re.sub(r"-[0-9]+$", "", text)} if field == "host" else {text}
        known = sorted(self.known[field])
        if any(matches(each, spelling) for each in known for spelling in spellings):
            return
        if self.ask is None:
            if not self.is_complete:
                return
            kind = self.KINDS[field]
            raise ValueError(f'there is no {kind} "{text}"; {hint(text, f"{kind}s", known)}')
        try:
            self.ask(field, text)
        except RequestError as error:
            raise ValueError(str(error)) from None


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
        self.names = Names()

    def add(self, event: Event) -> None:
        with self._changed:
            self._count += int(event.get("count", 1)) if event.get("event") == "events-lost" else 1
            if event.get("event") != "events-lost":
                event["sequence"] = self._count
            self._events.append(event)
            self.names.add(event)
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
        where: Callable[[Event], object] | None = None, may_appear: bool = False, **fields: Any,
    ) -> list[Event]:  # fmt: skip
        """The events so far with this name, of this beacon, with these fields, for which the function `where` is true.

        A `*` at the end of a text stands for any text, a number equals its text, and an object such as `decoded` has at least the
        given members. Raises `ValueError` for the name of no event, a field that the event does not have, and, unless it
        `may_appear`, a beacon or a host that the run does not have and did not have.
        """
        return self._found(self._pattern(event, beacon, where, may_appear, fields), since, where)

    def expect(
        self, event: str, *, beacon: str | Named | None = None, within: Duration = "5s", since: int = 0,
        where: Callable[[Event], object] | None = None, may_appear: bool = False, **fields: Any,
    ) -> Event:  # fmt: skip
        """The first such event (see `find`), which may have happened already; else waits for it.

        `within` is in the time of the run: in virtual time, the clock advances until the event or the time limit.
        Raises `UnmetExpectation` when the time is over or the run has ended, `ValueError` and `TypeError` as `find`.
        """
        pattern = self._pattern(event, beacon, where, may_appear, fields)

        def first() -> Event | None:
            found = self._found(pattern, since, where)
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

    def _pattern(
        self, event: str, beacon: str | Named | None, where: object, may_appear: bool, fields: dict[str, Any]
    ) -> dict[str, Any]:
        """The members that an event must have, after a check of their names."""
        if where is not None and not callable(where):
            raise TypeError(
                f"where is a function of an event, and this is {where!r}; write where=lambda event: …, or compare fields: "
                f'find("{event}", characteristic="2A06")'
            )
        named = {"device": beacon, **fields} if beacon is not None else fields
        pattern = {key: getattr(value, "name", value) if key in Names.KINDS else value for key, value in named.items()}
        check(event, pattern)
        if not may_appear:
            for field in pattern.keys() & self.names.known.keys():
                self.names.check(field, pattern[field])
        return {"event": event, **pattern}

    def _found(self, pattern: dict[str, Any], since: int, where: Callable[[Event], object] | None) -> list[Event]:
        return [each for each in self.events[since:] if matches(each, pattern) and (where is None or where(each))]

    def arrival(self, events: tuple[str, ...], *, beacon: Named, since: int, patience: float) -> Event | None:
        """The first of such events after `since`, for which it waits in real time only: the clock of the run stands still."""

        def first() -> Event | None:
            found = (each for each in self.events[since:] if each.get("event") in events and each.get("device") == beacon.name)
            return next(found, None)

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
