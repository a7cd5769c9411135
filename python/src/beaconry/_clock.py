# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The clock of a run, and calls that wait for it."""

from __future__ import annotations

import contextvars
import inspect
import sys
import threading
import time as real_time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar
from urllib.parse import unquote

from ._client import Client
from ._connection import Connection
from ._errors import BeaconryError, CallTimeout
from ._journal import Pause
from ._values import Duration, duration_text, seconds
from ._waits import Kind, Wait, Waits, calls, driven, is_readable

Value = TypeVar("Value")

DELIVERY = 60.0
"""Time limit for events of a run in virtual time to arrive, in seconds of real time."""
STEP = 0.1
"""The shortest step of an expectation or a call in virtual time, in seconds."""
LIMIT = "5m"
"""Time limit of a call, in real time."""
LONG_REST = 0.25
"""The real time for which a call may do something else than wait for the clock, before that advances a step, in seconds."""
REST = 0.05
"""The real time from each such step to the next, in seconds."""
PROBES = 2
"""The number of requests that are answered before the clock advances."""
ARRIVAL = 0.001
"""The real time in which an answer that the run has sent arrives, in seconds."""
LIBRARY, PACKAGE = str(Path(threading.__file__).parent), str(Path(__file__).parent)
ENDING = 10.0
"""Time limit for the end of a call whose run has ended, in seconds of real time."""


class Clock:
    """The clock of a run."""

    def __init__(self, client: Client, connection: Connection, is_virtual: bool, rate: float) -> None:
        self._client = client
        self._connection = connection
        self.is_virtual = is_virtual
        """Whether the clock stands still between calls of `advance`."""
        self.rate = rate
        """Seconds of the run in a second of real time; 1 in virtual time."""
        self._waits = connection.waits
        self._last = 0

    @property
    def elapsed(self) -> float:
        """Seconds of the run since its start."""
        return float(self._client.show_clock()["elapsed"])

    def advance(self, duration: Duration) -> None:
        """Lets time pass: in virtual time at once, else by waiting."""
        if self.is_virtual:
            self._advance(seconds(duration))
            self._waits.touch()
        else:
            real_time.sleep(seconds(duration) / self.rate)

    def steps(self, whole: float) -> Iterator[Pause]:
        """Lets time pass in steps; yields the wait for events that follows each."""
        if not self.is_virtual:
            yield Pause(whole / self.rate)
            return
        # Events that have arrived need no request: the run may have ended. Others may be on their way.
        yield Pause(0)
        yield self._delivery
        for step in steps_of(whole):
            self.advance(step)
            yield self._delivery

    @property
    def _delivery(self) -> Pause:
        """Until all events of the run so far have arrived. The clock stands still, so their number does not change."""
        self._last = max(self._last, int(self._client.journal(since=self._last)["last"]))
        return Pause(DELIVERY, self._last)

    def run(self, function: Callable[..., Value], *arguments: Any, limit: Duration = LIMIT) -> Value:
        """Calls a function while time passes (see `Air.run`)."""
        # The clock advances already.
        if self._waits in driven.get():
            return function(*arguments)
        call = Call(lambda: function(*arguments), self._waits)
        context = contextvars.copy_context()
        context.run(driven.set, (*driven.get(), self._waits))
        context.run(calls.set, (*calls.get(), call))
        thread = threading.Thread(target=context.run, args=(call.perform,), daemon=True, name="beaconry call")
        thread.start()
        try:
            if not self.drive(call, limit):
                raise timeout(limit, self._waits, sys._current_frames().get(thread.ident or 0))
        finally:
            # Its requests fail, so that nothing is left behind a time limit or Ctrl-C.
            if not call.is_over:
                self._waits.abort(call)
        return call.result

    def drive(self, call: Call[Any], limit: Duration) -> bool:
        """Lets time pass until a call is over. Whether it is, within a limit of real time."""
        end = real_time.monotonic() + seconds(limit)
        if not self.is_virtual:
            return call.wait(None, end - real_time.monotonic())
        known, waited = -1, 0.0
        while not call.is_over and real_time.monotonic() < end:
            with self._waits.changed:
                version, present = self._waits.version, self._waits.present
            waits = [each for each in present if each.kind is Kind.CLOCK or (each.kind is Kind.STREAM and each.is_driven)]
            is_new, known = version != known, version
            waited = 0.0 if is_new else waited
            try:
                # What the call does between two waits takes no time of the run, unless it takes long.
                if not waits and call.wait(version, LONG_REST if is_new else REST):
                    continue
                if waits and self._has_answer(waits):
                    call.wait(version, REST)
                    continue
                step = max(STEP, waited / 50) if any(each.kind is Kind.CLOCK for each in waits) else STEP
                self._advance(step)
            except BeaconryError:
                # The run has ended, and so does the call.
                if call.wait(None, ENDING):
                    break
                raise
            waited += step
        return call.is_over

    def _has_answer(self, waits: list[Wait]) -> bool:
        """Whether one of the waits needs no time of the run any more."""
        for _ in range(PROBES):
            # Requests are answered in their order, by a few threads: what has no answer behind this one needs time.
            self._connection.perform("GET", "/v1/version", is_probe=True)
            if is_readable([each.socket for each in waits], ARRIVAL):
                return True
        return False

    def _advance(self, step: float) -> None:
        with self._waits.step:
            self._connection.perform("POST", "/v1/clock/advance", body={"by": duration_text(step)}, is_probe=True)


class Steps:
    """The steps in which expectations let time pass.

    The journal has these and not the run, which would live as long as the threads that add events.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        """It is there when the run is ready."""

    def __call__(self, whole: float) -> Iterator[Pause]:
        return self.clock.steps(whole) if self.clock else iter((Pause(whole),))


class Call(Generic[Value]):
    """A call of a function, and its outcome."""

    def __init__(self, function: Callable[[], Value], waits: Waits) -> None:
        self._function = function
        self._waits = waits
        self._values: list[Value] = []
        self._error: BaseException | None = None
        self.is_over = False

    def perform(self) -> None:
        """Calls the function."""
        try:
            value = self._function()
            if inspect.iscoroutine(value):
                value.close()
                raise TypeError("run calls a function, and this one is a coroutine function; use run of beaconry.aio.Air")
            self._values.append(value)
        except BaseException as error:
            self._error = error
        finally:
            self.end()

    def end(self) -> None:
        """Notes that it is over."""
        with self._waits.changed:
            self.is_over = True
            self._waits.touch()

    def wait(self, version: int | None, patience: float) -> bool:
        """Waits until it is over, or the waits of the run have another version. Whether one is so, within seconds of real time."""
        with self._waits.changed:
            return self._waits.changed.wait_for(
                lambda: self.is_over or version not in (None, self._waits.version), max(0.0, patience)
            )

    @property
    def result(self) -> Value:
        """What the function has returned; raises what it has raised."""
        if self._error is not None:
            raise self._error
        return self._values[0]


def steps_of(whole: float) -> Iterator[float]:
    """The steps in which a time in seconds passes in virtual time: at most 100, of 0.1 s or more."""
    step, left = max(STEP, whole / 100), whole
    while left > 0:
        yield min(step, left)
        left -= step


def timeout(limit: Duration, waits: Waits, frame: FrameType | None) -> CallTimeout:
    """The error of a call that has exceeded its limit, and is at this frame."""
    time = limit if isinstance(limit, str) else f"{limit:g} s"
    if present := waits.present:
        what = "still without an answer: " + ", ".join(unquote(each.what) for each in present)
    else:
        # The innermost code that is neither Python's nor ours.
        while frame and frame.f_code.co_filename.startswith((LIBRARY, PACKAGE)):
            frame = frame.f_back
        what = "it waits for no answer of the run" + (f", and is at {frame.f_code.co_filename}:{frame.f_lineno}" if frame else "")
    return CallTimeout(f"the call did not end within {time} of real time; {what}")
