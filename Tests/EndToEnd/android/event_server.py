# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A stand-in for the HTTP server of a run: receivers, and streams whose events a test sends."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from beaconry import PATIENCE

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

Framing = Literal["chunk per write", "chunks of 7 bytes", "end of connection"]


def packet(minor: int, rssi: int | None = -67, **members: Any) -> dict[str, Any]:
    """The object of an iBeacon's packet."""
    data = f"0215{UUID.replace('-', '')}0001{minor:04X}C5"
    made = {
        "v": 1, "time": "2026-01-31T12:00:00.000Z", "receiver": "phone", "address": "C0:FF:EE:00:00:01",
        "addressType": "random", "pdu": "ADV_IND", "connectable": True, "rssi": rssi, "data": f"0201061AFF4C00{data}",
        "manufacturerData": {"004C": data}, "format": "ibeacon", "company": 76, "uuid": UUID, "major": 1, "minor": minor,
        "measuredPower": -59, "device": f"beacon-{minor}",
    }  # fmt: skip
    return {key: value for key, value in (made | members).items() if value is not None}


@dataclass
class Request:
    """A request that was received."""

    method: str
    path: str
    query: dict[str, list[str]]
    fields: dict[str, str]
    body: bytes


class Stream:
    """A response that has not ended."""

    def __init__(self, connection: socket.socket, framing: Framing) -> None:
        self._connection = connection
        self._framing = framing
        self.ended = threading.Event()
        """Set when the client or the server has closed the connection."""

    def write(self, data: bytes) -> None:
        size = {"chunk per write": len(data), "chunks of 7 bytes": 7, "end of connection": 0}[self._framing]
        if size:
            parts = (data[start : start + size] for start in range(0, len(data), size))
            data = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts)
        self._connection.sendall(data)

    def end(self) -> None:
        """Ends the response, as at the end of a run."""
        if self._framing != "end of connection":
            self._connection.sendall(b"0\r\n\r\n")
        self._connection.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """Resets the connection, as the kernel does for a program that was killed."""
        with contextlib.suppress(OSError):
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._connection.shutdown(socket.SHUT_RD)

    def wait_for_end(self) -> None:
        """Returns when the connection has ended; the client sends nothing before."""
        with contextlib.suppress(OSError):
            while self._connection.recv(1024):
                pass
        self.ended.set()


class EventServer:
    """A server on a port of 127.0.0.1.

    - Parameters:
      - receivers: the receivers that exist; others must be created.
      - token: the token that requests need; empty for none.
      - refusals: how many requests are answered with 503 first.
    """

    def __init__(
        self, port: int, *receivers: str, token: str = "", framing: Framing = "chunk per write", refusals: int = 0
    ) -> None:
        self.receivers = set(receivers)
        self.token = token
        self.framing = framing
        self.refusals = refusals
        self.requests: list[Request] = []
        self.streams: list[Stream] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.answer(self)

            def do_PUT(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def methods(self) -> list[str]:
        """The methods of the requests so far."""
        return [each.method for each in self.requests]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        target = urlsplit(handler.path)
        fields = {key.lower(): value for key, value in handler.headers.items()}
        number = len(self.requests)
        self.requests.append(Request(handler.command, target.path, parse_qs(target.query), fields, body))
        if stream := self._reply(handler, self.requests[number], number):
            self.streams.append(stream)
            stream.wait_for_end()

    def _reply(self, handler: BaseHTTPRequestHandler, request: Request, number: int) -> Stream | None:
        _, _, kind, name, *rest = [*request.path.split("/"), ""]
        if problem := self._problem(request, number, kind, name):
            self._send(handler, problem["status"], "application/problem+json", problem)
            return None
        if request.method == "PUT":
            self.receivers.add(name)
            self._send(handler, 201, "application/json", {"name": name})
            return None
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Cache-Control", "no-store")
        if self.framing != "end of connection":
            handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.flush()
        handler.close_connection = True
        return Stream(handler.connection, self.framing)

    def _problem(self, request: Request, number: int, kind: str, name: str) -> Any:
        """The details of a refusal, if there is one."""
        problem: dict[str, Any] = {}
        if number < self.refusals:
            problem = {"status": 503, "code": "too-many", "detail": "there are too many connections"}
        elif self.token and request.fields.get("authorization") != f"Bearer {self.token}":
            hint = "send the token of the run"
            problem = {"status": 401, "code": "unauthorized", "detail": "the token is missing or wrong", "hint": hint}
        elif kind != "receivers":
            problem = {"status": 404, "code": "unknown-resource", "detail": "there is no such resource"}
        elif request.method == "GET" and name not in self.receivers:
            problem = {"status": 404, "code": "unknown-receiver", "detail": f"there is no receiver {name}", "hint": "PUT"}
        return problem and {"title": "Refused"} | problem

    def _send(self, handler: BaseHTTPRequestHandler, status: int, type: str, value: object) -> None:
        body = json.dumps(value).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", type)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def stream(self, number: int = 0) -> Stream:
        """A stream, as soon as it is open."""
        wait_until(lambda: len(self.streams) > number, f"stream {number}")
        return self.streams[number]

    def send(self, *events: Any, stream: int = 0) -> None:
        """Sends events: objects, or lines as they are."""
        lines = (each if isinstance(each, str) else "data: " + json.dumps(each) for each in events)
        self.stream(stream).write("".join(line + "\n\n" for line in lines).encode())

    def kill(self) -> None:
        """Ends the server and its connections, as SIGKILL does."""
        self._server.shutdown()
        self._server.server_close()
        for stream in self.streams:
            stream.kill()
        self._thread.join(PATIENCE)


def wait_until(is_met: Callable[[], object], what: str) -> None:
    """Returns when a condition is met."""
    end = time.monotonic() + PATIENCE
    while not is_met():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        time.sleep(0.02)
