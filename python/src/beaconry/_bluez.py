# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A bus with BlueZ's service on a virtual air, for programs that use BlueZ."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence

from ._errors import ProgramError
from ._run import START, ProfileSource, Run
from ._stream import EventStream

VARIABLE = "DBUS_SYSTEM_BUS_ADDRESS"
"""The variable by which D-Bus libraries find the system bus."""


class _Bus:
    """What the program prints of its bus."""

    def __init__(self) -> None:
        self.address: str | None = None
        self.is_decided = threading.Event()

    def take(self, line: bytes) -> None:
        try:
            record = json.loads(line)
        except ValueError:
            return
        if isinstance(record, dict) and record.get("event") == "bus-ready":
            self.address = str(record["address"])
            self.is_decided.set()


class BlueZ(Run):
    """A private D-Bus bus with the service `org.bluez`, its adapters, and beacons: a run of `beaconry dbus` (docs/bluez-apps.md)
    in a process of its own, which ends with `close()`, at the latest with the last reference to it or with this process.

    Programs find it by `environment`. `adapters` is the number of adapters, `hci0`, `hci1` and so on, which are 1 m from every beacon
    until `move("hci0", (3, 0))`. The time is wall time. The other parameters are those of `Air`; `options` are further
    options of `beaconry dbus`, such as `["--rssi-threshold", "0"]`. Raises `ProgramError` if the program does not start.
    """

    KIND = "bluez"
    COMMAND = "dbus"

    def __init__(
        self, profile: ProfileSource | None = None, *, adapters: int = 1, rate: float = 1, seed: int | None = None,
        physics: str | None = None, program: str | os.PathLike[str] | None = None, options: Sequence[str] = (),
    ) -> None:  # fmt: skip
        if adapters < 1:
            raise ValueError(f"{adapters} is not a number of adapters; write 1 or more")
        self.adapters = [f"hci{number}" for number in range(adapters)]
        """The names of its adapters in BlueZ and on the air."""
        super().__init__(
            profile, time="wall", rate=rate, seed=seed, physics=physics, program=program,
            options=["--adapters", str(adapters), *options],
        )  # fmt: skip

    def _wait_until_ready(self) -> None:
        self._bus = bus = _Bus()
        self._read(self._process.stdout, bus.take, bus.is_decided.set)
        if not bus.is_decided.wait(START) or bus.address is None:
            self._end_process()
            raise ProgramError(f"beaconry dbus did not start: {self._last_error}")
        self._follow(self._connection.stream("/v1/events", query={"after": 0}))
        self.journal.expect("ready", within=START)

    def _follow(self, stream: EventStream) -> None:
        """Reads the events in a thread, which has no reference to the run."""
        journal = self.journal

        def follow() -> None:
            try:
                while True:
                    for event in stream.take():
                        journal.add(event)
                    stream.wait(START)
            except (EOFError, ProgramError):
                journal.end()
                stream.close()

        self._threads.append(threading.Thread(target=follow, daemon=True))
        self._threads[-1].start()

    @property
    def _last_error(self) -> str:
        lines = b"".join(self._errors).decode(errors="replace").splitlines()
        return "; ".join(line for line in lines if "error: " in line).removeprefix("error: ") or super()._last_error

    @property
    def address(self) -> str:
        """The address of the bus, such as `unix:path=/tmp/beaconry-dbus-…/bus`."""
        assert self._bus.address
        return self._bus.address

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which child processes find the bus: `env={**os.environ, **bluez.environment}`."""
        return {VARIABLE: self.address}

    @property
    def adapter(self) -> str:
        """The name of the first adapter: `hci0`."""
        return self.adapters[0]
