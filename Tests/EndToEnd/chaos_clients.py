# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The running program of `chaos.py`, and the ways to send it requests."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from beaconry import BINARY
from chaos_model import PROFILE, SCANNER, SCANNER_POSITION, Entry, Model
from unix_http import UnixConnection

PATIENCE = 300
"""The time limit for everything that must happen, in seconds."""
CENTRAL = "central"


class Lost(Exception):
    """The program is gone, or has closed the connection."""


class Refused(Exception):
    """A request was answered with an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class HTTPClient:
    """Sends requests over one HTTP connection to the server on TCP."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._connection: http.client.HTTPConnection | None = None

    def send(self, method: str, path: str, body: Any = None, kind: str = "application/json", **fields: str) -> http.client.HTTPResponse:
        """Sends a request; the body of the response is yet to be read."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {key.replace("_", "-"): value for key, value in fields.items()}
        if data is not None:
            headers["Content-Type"] = kind
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.request(method, path, data, headers)
            return self._connection.getresponse()
        except TimeoutError as error:
            raise AssertionError(f"no answer to {method} {path} within {PATIENCE} s") from error
        except (OSError, http.client.HTTPException) as error:
            raise Lost from error

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._program.http.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def exchange(self, method: str, path: str, body: Any = None, kind: str = "application/json", **fields: str) -> Any:
        """The value in the body of a response, if there is one."""
        response = self.send(method, path, body, kind, **fields)
        try:
            octets = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Lost from error
        value = json.loads(octets) if octets else None
        if response.status >= 400:
            raise Refused(value.get("code", str(response.status)), value.get("detail", ""))
        return value

    @property
    def servers(self) -> dict[str, dict[str, Any]]:
        """The receivers with a server of their own, by their names."""
        receivers = self.exchange("GET", "/v1/receivers")["receivers"]
        return {each["name"]: each for each in receivers if "server" in each}

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class ControlSocket(HTTPClient):
    """Sends requests over one HTTP connection to the control socket."""

    def _connect(self) -> http.client.HTTPConnection:
        connection = UnixConnection(self._program.control, PATIENCE)
        connection.connect()
        return connection


class Program:
    """`beaconry run` on one state folder, which is killed and started again."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.folder = folder
        self.model = model
        self.control = folder / "control"
        self.state = folder / "state"
        self.profile = folder / "chaos.yaml"
        self.http = ""
        self.is_ending = False
        """Whether it was killed, or is about to end: requests may get no answer."""
        self.warnings: Counter[str] = Counter()
        self.write_profile(model.file)
        self._changed = threading.Condition()
        self._events: dict[str, dict[str, Any]] = {}
        self._ports: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._errors = (folder / "errors").open("ab+")

    # The profile

    def text(self, entries: dict[str, Entry]) -> str:
        """A profile with these entries."""
        lines = [
            f"profile: {PROFILE}",
            f"receivers: [{{ id: {SCANNER}, position: {list(SCANNER_POSITION)} }}]",
            "beacons:" if entries else "beacons: []",
        ]
        for name, entry in entries.items():
            lines.append("  - " + json.dumps({"id": name, **self.model.beacons[name].document(entry)}))
        return "\n".join(lines) + "\n"

    def write_profile(self, entries: dict[str, Entry]) -> None:
        """Replaces the file, as editors do."""
        edited = self.profile.with_suffix(".new")
        edited.write_text(self.text(entries))
        os.replace(edited, self.profile)

    # The process

    def start(self) -> None:
        """Starts the program, and waits until its beacons are on the air."""
        self.is_ending = False
        self._events = {}
        self._process = subprocess.Popen(
            [
                BINARY, "run", self.profile, "--radio", "virtual", "--hci-server", f"tcp:127.0.0.1:0?name={CENTRAL}", "--watch",
                "--air-timing", "immediate", "--http", "127.0.0.1:0", "--control", self.control, "--state", self.state, "--json",
            ],
            env={**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self._errors,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        self._wait_for("ready")
        self.http = self._events["http-ready"]["url"].removeprefix("http://")
        radio = self._events["radio-ready"]
        self._ports = {CENTRAL: _port(radio["servers"][0]), SCANNER: _port(radio["receivers"][SCANNER])}

    def port(self, name: str) -> int:
        """The port of a receiver."""
        return self._ports[name]

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Reads the events, of which a few matter here: there are hundreds of thousands."""
        assert process.stdout
        for line in process.stdout:
            name = re.search(rb'"event":"([a-z-]+)"', line)
            match name and name[1]:
                case b"radio-ready" | b"http-ready" | b"ready":
                    event = json.loads(line)
                    with self._changed:
                        self._events[event["event"]] = event
                        self._changed.notify_all()
                case b"warning" | b"reload-failed" | b"error" | b"advertising-refused" | b"events-lost":
                    self._take_problem(json.loads(line))
        with self._changed:
            self._changed.notify_all()

    def _take_problem(self, event: dict[str, Any]) -> None:
        code = event.get("code", event["event"])
        self.warnings[code] += 1
        # A reload reports the settings of clients that differ from the profile.
        if code == "settings-kept":
            return
        device = event.get("device")
        self.model.differ(f"an event that must not come: {json.dumps(event)}", *([device] if device else []))

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _wait_for(self, event: str) -> None:
        deadline = time.monotonic() + PATIENCE
        with self._changed:
            while event not in self._events:
                if not self.is_alive:
                    raise Lost
                if time.monotonic() > deadline:
                    raise AssertionError(f"no {event}\n{self.last_errors()}")
                self._changed.wait(0.2)

    def hang_up(self) -> None:
        """Requests a reload by SIGHUP."""
        if self.is_alive and self._process:
            self._process.send_signal(signal.SIGHUP)

    def kill(self) -> None:
        """Kills the program."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends the program in order."""
        code = self._end(signal.SIGTERM)
        if code != 0:
            self.model.differ(f"the program ended with {code}\n{self.last_errors()}")

    def _end(self, how: signal.Signals) -> int:
        assert self._process
        self.is_ending = True
        self._process.send_signal(how)
        code = self._process.wait(PATIENCE)
        if self._reader:
            self._reader.join(PATIENCE)
        return code

    def last_errors(self) -> str:
        """The end of the text on standard error."""
        self._errors.seek(0)
        return self._errors.read()[-3000:].decode(errors="replace")

    def close(self) -> None:
        """Kills the program if it still runs."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def _port(server: str) -> int:
    return int(server.rsplit(":", 1)[1])
