# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Server-sent events of a run, which are read without waiting for the next one."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any

from ._errors import ProgramError
from ._waits import is_readable

LONGEST_EVENT = 1 << 20
"""The longest accepted event, in bytes."""


class Chunks:
    """A decoder of the chunked coding (RFC 9112, 7.1).

    States: the line with the length of a chunk, its data, the line end behind it; the chunk of length 0 is the end.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._left = 0
        self._is_behind_data = False
        self.is_over = False

    def decode(self, data: bytes) -> bytes:
        """The content of the next bytes. Raises `ValueError` for another coding."""
        pending, content = self._pending + data, []
        while pending and not self.is_over:
            if self._left:
                content.append(pending[: self._left])
                self._left -= len(content[-1])
                pending = pending[len(content[-1]) :]
                self._is_behind_data = self._left == 0
                continue
            line, end, rest = pending.partition(b"\n")
            if not end:
                break
            pending = rest
            if self._is_behind_data:
                self._is_behind_data = False
                continue
            self._left = int(line.partition(b";")[0].strip(), 16)
            self.is_over = self._left == 0
        if len(pending) > 64 and not self.is_over:
            raise ValueError("the length of a chunk is missing")
        self._pending = pending
        return b"".join(content)


class EventStream:
    """The events of an answer that has begun. Not for several threads at once."""

    def __init__(self, connection: socket.socket, response: http.client.HTTPResponse, what: str) -> None:
        self._response = response
        self.socket = connection
        self.what = what
        """The request."""
        self._chunks = Chunks() if response.chunked else None
        self._length = response.length
        self._line = b""
        self._is_over = False
        self._error: Exception | None = None
        assert response.fp
        self.socket.setblocking(False)
        # What came together with the head; the events follow on the socket.
        self._head = response.fp.read1(1 << 16) or b""

    def take(self) -> list[Any]:
        """The events that have arrived since the last call, without waiting.

        Raises `EOFError` behind the last event, `ProgramError` for what no run sends.
        """
        found: list[Any] = []
        try:
            while not self._is_over and (data := self._received()) is not None:
                found += self._events(data)
        except (OSError, ValueError) as error:
            self._is_over, self._error = True, error
        if found or not self._is_over:
            return found
        if self._error:
            raise ProgramError(f"the run does not answer {self.what}: {self._error}") from self._error
        raise EOFError

    def _received(self) -> bytes | None:
        """What has arrived; None if nothing has, or if nothing will."""
        data, self._head = self._head, b""
        if data:
            return data
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return None
        self._is_over = not data
        return data or None

    def wait(self, patience: float) -> bool:
        """Waits for data, at most `patience` seconds of real time. Returns whether some has arrived."""
        return bool(self._head) or self._is_over or is_readable([self.socket], patience)

    def _events(self, data: bytes) -> list[Any]:
        if self._chunks:
            data = self._chunks.decode(data)
            self._is_over = self._chunks.is_over
        elif self._length is not None:
            data = data[: self._length]
            self._length -= len(data)
            self._is_over = self._length == 0
        *lines, self._line = (self._line + data).split(b"\n")
        if any(len(line) > LONGEST_EVENT for line in [*lines, self._line]):
            raise ValueError(f"its event has more than {LONGEST_EVENT} bytes")
        return [self._event(line[5:].strip()) for line in lines if line.startswith(b"data:")]

    def _event(self, data: bytes) -> Any:
        try:
            text = data.decode()
            return json.loads(text) if text.startswith("{") else text
        except (ValueError, RecursionError) as error:
            raise ValueError(f"its event is not text or JSON that this client reads: {error}") from error

    def close(self) -> None:
        """Ends the stream."""
        self._is_over = True
        self._response.close()
        self.socket.close()
