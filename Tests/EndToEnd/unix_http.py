# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""HTTP over the control socket of a run."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any


class UnixConnection(http.client.HTTPConnection):
    """A connection to a Unix socket, which stays open between requests."""

    def __init__(self, path: Path | str, timeout: float = 300) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        # It waits while many others connect: with a time limit, Python's connections do not.
        self.sock.connect(self._path)
        self.sock.settimeout(self.timeout)

    def exchange(self, method: str, path: str, body: Any = None) -> Any:
        """The value of the answer, whatever its status."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body).encode()
        self.request(method, path, data, {"Content-Type": kind})
        content = self.getresponse().read()
        return json.loads(content) if content else None
