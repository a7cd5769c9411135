# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Third-party programs, as processes."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


class ReservedPorts:
    """Ports for programs that cannot choose one themselves and report it.

    Each is bound until the end of the test by a socket that does not listen, with SO_REUSEADDR: Linux lets another program
    with SO_REUSEADDR bind and listen there, but does not assign the port to programs that request any free port.
    """

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def reserve(self) -> int:
        """A port that stays reserved."""
        holder = socket.socket()
        self._sockets.append(holder)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        return holder.getsockname()[1]

    def release(self) -> None:
        """Releases all of them."""
        for each in self._sockets:
            each.close()


def wait_until_served(port: int, seconds: float = 60) -> None:
    """Returns when a program listens, from /proc: a connection would be a controller's only one."""
    end, wanted = time.monotonic() + seconds, f":{port:04X} "
    while not any(
        wanted in line and " 0A " in line for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").open()
    ):
        assert time.monotonic() < end, f"no program listens on port {port}"
        time.sleep(0.05)


class Program:
    """A third-party program, whose output goes to a file: a full pipe would block it."""

    def __init__(self, output: Path, *command: str | Path) -> None:
        self._output = output
        with output.open("w") as file:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

    @property
    def output(self) -> str:
        """The output so far, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self._output.read_text(errors="replace"))

    def kill(self) -> None:
        """Kills the program, and the processes that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(300)


class BumbleControllers:
    """Two Bumble controllers on a common link, each for one connection to its port."""

    def __init__(self, spawn: Callable[..., Program], ports: ReservedPorts) -> None:
        self.ports = ports.reserve(), ports.reserve()
        self._spawn = spawn
        self.start()

    def start(self) -> None:
        """Starts the controllers, for the first time or again."""
        names = (f"tcp-server:127.0.0.1:{port}" for port in self.ports)
        self._program = self._spawn(sys.executable, "-m", "bumble.apps.controllers", *names)
        for port in self.ports:
            wait_until_served(port)

    def kill(self) -> None:
        """Kills the controllers."""
        self._program.kill()

    @property
    def transports(self) -> tuple[str, str]:
        """Their transport names, the same for Bumble and for Beaconry."""
        return f"tcp-client:127.0.0.1:{self.ports[0]}", f"tcp-client:127.0.0.1:{self.ports[1]}"
