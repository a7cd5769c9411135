# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A client of the control requests over HTTP."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from beaconry import PATIENCE, Run

PATCH = {"Content-Type": "application/merge-patch+json"}


def wait_until(condition: Callable[[], bool], state: Callable[[], Any] = lambda: None) -> None:
    """Waits for a condition; `state` is what there is instead, for the message."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, state()
        time.sleep(0.05)


@dataclass
class Answer:
    """A response whose body has been read."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """The server of a run."""

    run: Run
    host: str
    port: int
    seed: int
    air: str
    """The transport of hosts that join, `tcp-client:…`; empty without a server."""

    def open(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=300)

    def request(self, method: str, path: str, body: Any = None, **fields: str) -> Answer:
        """Sends a request; a body is encoded as JSON unless it is bytes. In names of fields, `_` is a hyphen."""
        headers = {key.replace("_", "-"): value for key, value in fields.items()}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None and "Content-Type" not in headers:
            headers["Content-Type"] = "application/json"
        connection = self.open()
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return Answer(response.status, {key.lower(): value for key, value in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        answer = self.request("GET", path)
        assert answer.status == 200, answer
        return answer.json
