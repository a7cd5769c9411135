# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""HTTP over the control socket of a run."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from ._errors import ProgramError, RequestError
from ._stream import LONGEST_EVENT, EventStream
from ._waits import Kind, Waits

ANSWER = 120.0
"""Time limit for the answer to a request, in seconds of real time; an advance of the clock may compute for long."""
LONGEST_TEXT = 1 << 26
"""The longest accepted answer with a value or a text, in bytes: a list has about a kilobyte for each beacon."""
LONGEST_FILE = 1 << 28
"""The longest accepted answer with bytes, such as a capture."""
MOST_IDLE = 8
"""The number of connections that are kept for later requests."""
NEEDS_CLOCK = re.compile(r"/(connections/.+|disconnect|pair|pair/answer|wait)$")
"""The requests whose answers may need time of the run: those that wait for a device, a central or an event."""


def part(value: object) -> str:
    """A value as a part of a path."""
    return quote(str(value), safe="")


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        # It waits while many others connect: with a time limit, Python's connections do not.
        self.sock.connect(self._path)
        self.sock.settimeout(self.timeout)


class Connection:
    """The way to a run: each request has an HTTP connection of its own until its answer, so that one that waits delays no other."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._idle: list[_SocketConnection] = []
        self._is_closed = False
        # The place in a file that the caller has not written says nothing.
        self._own_place = re.compile(re.escape(str(Path(path).with_name("air.yaml"))) + r":\d+:\d+: ")
        self.waits = Waits()
        """The requests that have no answer yet."""
        self.is_ending = False
        """Whether the run is being ended: it refuses the requests that wait."""
        self.hint = ""
        """What to do if there is no answer in time, as a clause."""

    def perform(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None, text: str | None = None, kind: str = "application/json", patience: float | None = None,
        is_probe: bool = False,
    ) -> Any:  # fmt: skip
        """Sends a request, and returns what its answer contains: the value of JSON, a text, bytes, or None.

        With `patience`, the answer must be complete within this time in seconds; without it, a run that shows that it is
        alive may take any time. `None` in `query`, `fields` and `body` leaves a value out. Raises `RequestError` if the run refuses
        the request, `ProgramError` if it does not answer. A probe is none of the waits.
        """
        target = _target(path, query)
        headers = _headers(fields)
        data = None
        if text is not None:
            data, headers["Content-Type"] = text.encode(), "application/yaml"
        elif body is not None:
            data, headers["Content-Type"] = json.dumps(_given(body)).encode(), kind
        status, content, answer = self._exchange(method, target, data, headers, patience, is_probe)
        if status >= 400:
            if self.is_ending:
                raise ProgramError(f"the run has ended before it answered {method} {target}")
            raise self._refusal(answer)
        if status == 204:
            return None
        if not answer:
            raise ProgramError(f"the run does not answer {method} {target}: the answer is empty")
        if content == "application/json":
            return _value(answer)
        if content.startswith("text/") or content == "application/yaml":
            return _text(answer)
        return answer

    def _exchange(
        self, method: str, target: str, data: bytes | None, headers: Mapping[str, str], patience: float | None, is_probe: bool
    ) -> tuple[int, str, bytes]:
        end = None if patience is None else time.monotonic() + patience
        with self._connected(f"{method} {target}") as http_connection:
            connection = http_connection.sock
            connection.settimeout(_left(end))
            http_connection.request(method, target, data, headers)
            with contextlib.nullcontext() if is_probe else self._waiting(f"{method} {target}", connection):
                response = http_connection.getresponse()
                parts = []
                size, limit = 0, _limit(response)
                while part := response.read1(1 << 16):
                    parts.append(part)
                    size += len(part)
                    if size > limit:
                        raise _TooLong(f"its answer has more than {limit} bytes")
                    connection.settimeout(_left(end))
                if response.length:
                    raise http.client.IncompleteRead(b"".join(parts), response.length)
                # Some versions of Python end a response of a known length by this call only.
                response.read()
            self._give_back(http_connection)
            return response.status, response.headers.get_content_type(), b"".join(parts)

    @contextlib.contextmanager
    def _connected(self, what: str) -> Iterator[_SocketConnection]:
        """A connection for a request, which is closed if the request fails."""
        with self._lock:
            http_connection = self._idle.pop() if self._idle else _SocketConnection(self._path, ANSWER)
        try:
            if http_connection.sock is None:
                http_connection.connect()
            yield http_connection
        except BaseException as error:
            http_connection.close()
            if isinstance(error, http.client.RemoteDisconnected) or (self._is_closed and isinstance(error, OSError)):
                raise ProgramError(f"the run has ended before it answered {what}") from error
            if isinstance(error, TimeoutError) and self.hint:
                raise ProgramError(f"the run does not answer {what}: {error}; {self.hint}") from error
            if isinstance(error, (OSError, http.client.HTTPException)):
                raise ProgramError(f"the run does not answer {what}: {error}") from error
            raise

    def _waiting(self, what: str, connection: socket.socket) -> contextlib.AbstractContextManager[None]:
        return self.waits.of(what, connection, Kind.CLOCK if NEEDS_CLOCK.search(what) else Kind.ANSWER)

    def _give_back(self, http_connection: _SocketConnection) -> None:
        with self._lock:
            if http_connection.sock is not None and not self._is_closed and len(self._idle) < MOST_IDLE:
                self._idle.append(http_connection)
                return
        http_connection.close()

    def _refusal(self, answer: bytes) -> RequestError:
        try:
            problem = json.loads(answer)
            sentence = "; ".join(filter(None, [problem["detail"], problem.get("hint")]))
            code, att_error = problem.get("code"), problem.get("attError")
            return RequestError(self._own_place.sub("", sentence), int(problem["exitCode"]), code=code, att_error=att_error)
        except (ValueError, KeyError, TypeError, RecursionError):
            return RequestError(answer.decode(errors="replace"), 70)

    def stream(
        self, path: str, *, query: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None, patience: float = ANSWER
    ) -> EventStream:
        """Server-sent events, over a connection of their own. Returns when the answer has begun."""
        what = f"GET {_target(path, query)}"
        own = _SocketConnection(self._path, patience)
        try:
            own.connect()
            connection = own.sock
            own.request("GET", _target(path, query), None, _headers(fields))
            with self._waiting(what, connection):
                response = own.getresponse()
                if response.status >= 400:
                    raise self._refusal(response.read(LONGEST_EVENT))
            return EventStream(connection, response, what)
        except BaseException as error:
            own.close()
            if isinstance(error, (OSError, http.client.HTTPException)):
                raise ProgramError(f"the run does not answer {what}: {error}") from error
            raise

    def events(self, path: str, *, query: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None) -> Events:
        """The data of server-sent events until the run ends, beginning with this call."""
        return Events(self.stream(path, query=query, fields=fields), self.waits)

    def close(self) -> None:
        """Closes all connections; requests without an answer fail."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for each in idle:
            each.close()
        self.waits.abort()


class Events(Iterator[Any]):
    """An iterator over the events of a stream, which waits for each. Ends with the run, or with `close()`."""

    def __init__(self, stream: EventStream, waits: Waits) -> None:
        self._stream = stream
        self._waits = waits
        self._pending: list[Any] = []

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Any:
        try:
            while not self._pending:
                self._pending = self._stream.take()
                if not self._pending:
                    self._wait()
        except EOFError:
            self.close()
            raise StopIteration from None
        except ProgramError:
            self.close()
            raise
        return self._pending.pop(0)

    def _wait(self) -> None:
        with self._waits.of(self._stream.what, self._stream.socket, Kind.STREAM):
            if not self._stream.wait(ANSWER):
                raise ProgramError(f"the run does not answer {self._stream.what}: timed out")

    def close(self) -> None:
        """Ends the stream."""
        self._stream.close()


class _TooLong(OSError):
    """An answer without end."""


def _limit(response: http.client.HTTPResponse) -> int:
    """The longest answer with this head, in bytes."""
    if response.status >= 400:
        return LONGEST_EVENT
    return LONGEST_FILE if response.headers.get_content_type() == "application/octet-stream" else LONGEST_TEXT


def _value(answer: bytes) -> Any:
    """The value of JSON; raises `ProgramError` for what no run sends."""
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"the answer of the run is not JSON that this client reads: {error}") from error


def _text(answer: bytes) -> str:
    """A text; raises `ProgramError` for what no run sends."""
    try:
        return answer.decode()
    except UnicodeDecodeError as error:
        raise ProgramError(f"the answer of the run is not text: {error}") from error


def _left(end: float | None) -> float:
    """The time until an end, in seconds; raises `TimeoutError` after it."""
    if end is None:
        return ANSWER
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


def _given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Those values that are there."""
    return {name: value for name, value in (values or {}).items() if value is not None}


def _headers(fields: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: str(value) for name, value in _given(fields).items()}


def _target(path: str, query: Mapping[str, Any] | None) -> str:
    """The path with those parameters that have values."""
    values = {name: _word(value) for name, value in _given(query).items()}
    return f"{path}?{urlencode(values)}" if values else path


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
