# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Answers of a control socket that no run sends: each raises what the package documents."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from beaconry._connection import LONGEST_TEXT, Connection
from beaconry._errors import BeaconryError, ProgramError, RequestError
from beaconry._stream import LONGEST_EVENT

DEEP = b"[" * 100_000
DIGITS = b'{"a":' + b"1" * 100_000 + b"}"
ANSWERS = {
    "no HTTP": b"garbage\r\n\r\n",
    "no status": b"HTTP/1.1 x y\r\n\r\n",
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-",
    "no JSON": b"200 application/json {",
    "deep JSON": b"200 application/json " + DEEP,
    "digits": b"200 application/json " + DIGITS,
    "no text": b"200 application/json \xff\xfe",
    "no text as YAML": b"200 application/yaml \xff\xfe",
    "problem that is no JSON": b"409 application/problem+json {",
    "deep problem": b"409 application/problem+json " + DEEP,
    "problem with digits": b'409 application/problem+json {"detail":"x","exitCode":' + b"1" * 100_000 + b"}",
    "problem of another form": b'409 application/problem+json {"detail":1,"exitCode":[]}',
    "bad length": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{}",
    "bad chunk": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "long field": b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
}


def whole(answer: bytes) -> bytes:
    """The bytes of an answer, which may be written as its status, its type and its body."""
    if not answer[:3].isdigit():
        return answer
    status, kind, body = answer.split(b" ", 2)
    return b"HTTP/1.1 %s X\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (status, kind, len(body), body)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Callable[[socket.socket], None]], Connection]]:
    servers = []

    def begin(answer: Callable[[socket.socket], None]) -> Connection:
        path = str(tmp_path / "control.sock")
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        servers.append(server)

        def work() -> None:
            client, _ = server.accept()
            with client:
                try:
                    while b"\r\n\r\n" not in client.recv(65536):
                        pass
                    answer(client)
                except OSError:
                    pass

        threading.Thread(target=work, daemon=True).start()
        return Connection(path)

    yield begin
    for server in servers:
        server.close()


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_raises_what_is_documented(serve: Callable[..., Connection], name: str) -> None:
    connection = serve(lambda client: client.sendall(whole(ANSWERS[name])))
    with pytest.raises(BeaconryError) as raised:
        connection.perform("GET", "/v1/beacons")
    assert isinstance(raised.value, RequestError) == ("problem" in name)
    connection.close()


@pytest.mark.parametrize("data", [b"{", b'{"a":' + DEEP, DIGITS, b"\xff\xfe"], ids=["no JSON", "deep JSON", "digits", "no text"])
def test_event_raises_what_is_documented(serve: Callable[..., Connection], data: bytes) -> None:
    connection = serve(lambda client: client.sendall(whole(b"200 text/event-stream data: " + data + b"\n\n")))
    with pytest.raises(ProgramError):
        list(connection.events("/v1/events"))


@pytest.mark.parametrize("status,kind,limit", [(200, "application/json", LONGEST_TEXT), (409, "application/problem+json", LONGEST_EVENT)])
def test_body_without_end_is_not_read_to_the_end(serve: Callable[..., Connection], status: int, kind: str, limit: int) -> None:
    sent = []

    def answer(client: socket.socket) -> None:
        client.sendall(b"HTTP/1.1 %d X\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % (status, kind.encode()))
        while True:
            client.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            sent.append(65536)

    connection = serve(answer)
    with pytest.raises(ProgramError, match=f"its answer has more than {limit} bytes"):
        connection.perform("GET", "/v1/beacons")
    assert sum(sent) < limit + (4 << 20)


def test_event_without_end_is_not_read_to_the_end(serve: Callable[..., Connection]) -> None:
    def answer(client: socket.socket) -> None:
        client.sendall(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            client.sendall(b"10000\r\n" + b"data: " + b"x" * 65530 + b"\r\n")

    connection = serve(answer)
    with pytest.raises(ProgramError, match=f"its event has more than {LONGEST_EVENT} bytes"):
        list(connection.events("/v1/events"))
