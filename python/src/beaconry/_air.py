# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A virtual air."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence

from ._errors import BeaconryError, ProgramError
from ._run import START, ProfileSource, Run, Time


class Air(Run):
    """A virtual air: a run of `beaconry` in a process of its own, with free ports, which ends with `close()`, at the
    latest with the last reference to the air or with this process.

    `profile` is the path or the content of a profile whose beacons are there from the start. In `wall` time, `rate` is
    the number of seconds of the run in a second of real time. In `virtual` time the clock stands still; `clock.advance`, `run`,
    expectations and phones let it run, and there are no receivers, because hosts have clocks of their own. The same `seed`
    repeats the random numbers of the air. `physics` is `free`, `hall`, `office`, `home` or `obstructed`. With
    `kernel_adapter`, the kernel has a controller of the air as `adapter`, which needs /dev/vhci and the rights to it. With
    `emulators`, Android emulators join at `netsim`.
    `options` are further options of `beaconry run`. Raises `ProgramError` if the program does not start.
    """

    KIND = "air"

    def __init__(
        self, profile: ProfileSource | None = None, *, time: Time = "wall", rate: float = 1, seed: int | None = None,
        physics: str | None = None, kernel_adapter: bool = False, emulators: bool = False,
        program: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        if time not in ("wall", "virtual"):
            raise ValueError(f'"{time}" is not a time; write wall or virtual')
        if time == "virtual" and (rate != 1 or kernel_adapter or emulators):
            raise ValueError("virtual time has no rate, and no controllers for the kernel and for emulators; use time=\"wall\"")
        servers = ["--rate", "manual", "--hci-server", "none"] if time == "virtual" else ["--hci-server", "tcp:127.0.0.1:0"]
        if kernel_adapter:
            servers += ["--hci-server", "vhci"]
        if emulators:
            servers += ["--netsim", "127.0.0.1:0"]
        super().__init__(
            profile, time=time, rate=rate, seed=seed, physics=physics, program=program, options=[*servers, *options]
        )

    def _wait_until_ready(self) -> None:
        journal = self.journal

        def take(line: bytes) -> None:
            with contextlib.suppress(ValueError):
                journal.add(json.loads(line))

        self._read(self._process.stdout, take, journal.end)
        try:
            journal.expect("ready", within=START)
        except AssertionError:
            self._end_process()
            raise ProgramError(f"beaconry did not start: {self._last_error}") from None

    @property
    def h4(self) -> str:
        """`127.0.0.1:PORT` of a server without a position: its hosts are 1 m from every beacon. In wall time only."""
        return self._server("tcp:", "an air in virtual time has no server for hosts; use time=\"wall\"")

    @property
    def netsim(self) -> str:
        """`127.0.0.1:PORT` of the server of `emulators`: `emulator @NAME -packet-streamer-endpoint 127.0.0.1:PORT`."""
        return self._server("netsim:", "this air has no server for emulators; use emulators=True")

    @property
    def adapter(self) -> str:
        """The kernel's name of the controller of `kernel_adapter`, such as `hci1`."""
        return self._server("vhci:", "this air has no controller for the kernel; use kernel_adapter=True")

    def _server(self, kind: str, missing: str) -> str:
        """The address of the first server of a kind."""
        for server in self._ready.get("servers", []):
            if server.startswith(kind):
                return str(server.removeprefix(kind))
        raise BeaconryError(missing)
