# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""HTTP over the control socket of a run."""

from __future__ import annotations

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

ANSWER = 120.0
"""Time limit for the answer to a request, in seconds of real time; an advance of the clock may compute for long."""
LONGEST_TEXT = 1 << 26
"""The longest accepted answer with a value or a text, in bytes: a list has about a kilobyte for each beacon."""
LONGEST_FILE = 1 << 28
"""The longest accepted answer with bytes, such as a capture."""
LONGEST_EVENT = 1 << 20
"""The longest accepted event, and the longest problem, in bytes."""


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
    """A connection to a run: a request and its answer at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        # The place in a file that the caller has not written says nothing.
        self._own_place = re.compile(re.escape(str(Path(path).with_name("air.yaml"))) + r":\d+:\d+: ")
        self._http = _SocketConnection(path, ANSWER)

    def perform(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None, text: str | None = None, kind: str = "application/json", patience: float | None = None,
    ) -> Any:  # fmt: skip
        """Sends a request, and returns what its answer contains: the value of JSON, a text, bytes, or None.

        With `patience`, the answer must be complete within this time in seconds; without it, a run that shows that it is
        alive may take any time. `None` in `query`, `fields` and `body` leaves a value out. Raises `RequestError` if the run refuses
        the request, `ProgramError` if it does not answer.
        """
        target = _target(path, query)
        headers = _headers(fields)
        data = None
        if text is not None:
            data, headers["Content-Type"] = text.encode(), "application/yaml"
        elif body is not None:
            data, headers["Content-Type"] = json.dumps(_given(body)).encode(), kind
        status, content, answer = self._exchange(method, target, data, headers, patience)
        if status >= 400:
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
        self, method: str, target: str, data: bytes | None, headers: Mapping[str, str], patience: float | None
    ) -> tuple[int, str, bytes]:
        what = f"{method} {target}"
        end = None if patience is None else time.monotonic() + patience
        if not self._lock.acquire(timeout=ANSWER if patience is None else patience):
            raise ProgramError(f"the run does not answer {what}: an earlier request has no answer yet")
        try:
            if self._http.sock is None:
                self._http.connect()
            connection = self._http.sock
            connection.settimeout(_left(end))
            self._http.request(method, target, data, headers)
            response = self._http.getresponse()
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
            return response.status, response.headers.get_content_type(), b"".join(parts)
        except http.client.RemoteDisconnected as error:
            self._http.close()
            raise ProgramError(f"the run has ended before it answered {what}") from error
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise ProgramError(f"the run does not answer {what}: {error}") from error
        finally:
            self._lock.release()

    def _refusal(self, answer: bytes) -> RequestError:
        try:
            problem = json.loads(answer)
            sentence = "; ".join(filter(None, [problem["detail"], problem.get("hint")]))
            return RequestError(self._own_place.sub("", sentence), int(problem["exitCode"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            return RequestError(answer.decode(errors="replace"), 70)

    def events(self, path: str, *, query: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Yields the data of server-sent events until the run ends, over a connection of its own."""
        own = _SocketConnection(self._path, ANSWER)
        try:
            own.request("GET", _target(path, query), None, _headers(fields))
            response = own.getresponse()
            if response.status >= 400:
                raise self._refusal(response.read(LONGEST_EVENT))
            while line := response.readline(LONGEST_EVENT + 1):
                if len(line) > LONGEST_EVENT:
                    raise _TooLong(f"its event has more than {LONGEST_EVENT} bytes")
                if line.startswith(b"data:"):
                    data = line[5:].strip()
                    yield _value(data) if data.startswith(b"{") else _text(data)
        except (OSError, http.client.HTTPException) as error:
            raise ProgramError(f"the run does not answer GET {path}: {error}") from error
        finally:
            own.close()

    def close(self) -> None:
        """Closes the connection; another request opens it again."""
        self._http.close()


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
