# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Valid hosts in a separate process, beside misbehaving ones: one connection that reads a characteristic now and then, and
one scan."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection

from beaconry import MAJOR_MINOR
from raw_host import READ_ADDRESS, RawHost, wire

PERIOD = 0.05


@dataclass
class Witness:
    """The observations of the healthy hosts."""

    seconds: float = 0
    reads: int = 0
    slowest_read: float = 0
    reports: int = 0
    longest_silence: float = 0

    def __str__(self) -> str:
        return (
            f"{self.reads} reads, the slowest in {self.slowest_read * 1000:.0f} ms; "
            f"{self.reports} reports in {self.seconds:.1f} s, {self.longest_silence * 1000:.0f} ms apart at most"
        )


class HealthyHosts:
    """The process of the healthy hosts; call `check()` now and then, and `end()` at the end."""

    def __init__(self, port: int, *, beacon: str, value: bytes, advertiser: str) -> None:
        """Reads MAJOR_MINOR of `beacon`, which must be `value`, and counts reports of `advertiser`."""
        context = multiprocessing.get_context("fork")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_watch, args=(theirs, port, beacon, value, advertiser), daemon=True)
        self._process.start()
        theirs.close()
        self._take(300)
        self._began = time.monotonic()

    def _take(self, timeout: float) -> Witness:
        assert self._ours.poll(timeout), "the healthy hosts do not report"
        observations = self._ours.recv()
        assert isinstance(observations, Witness), f"a healthy host was harmed:\n{observations}"
        return observations

    def check(self) -> None:
        """Asserts that no host was disturbed so far."""
        if self._ours.poll():
            self._take(0)

    def end(self, *, patience: float = 30, rate: float = 0) -> Witness:
        """Asserts that no read and no gap between reports took longer than `patience` seconds, and that `rate` reports a second
        were received, for at least three seconds."""
        time.sleep(max(0, self._began + 3 - time.monotonic()))
        self._ours.send("end")
        witness = self._take(300)
        self._process.join(300)
        assert witness.reads > 0 and witness.slowest_read < patience, f"{witness}"
        assert witness.longest_silence < patience, f"{witness}"
        assert witness.reports >= rate * witness.seconds, f"{witness}"
        return witness

    def kill(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join(300)


def _watch(pipe: Connection, port: int, beacon: str, value: bytes, advertiser: str) -> None:
    try:
        reader, scanner = RawHost(port), RawHost(port)
        reader.start()
        reader.connect(beacon)
        attribute = reader.characteristics()[MAJOR_MINOR]
        scanner.start()
        scanner.scan()
        pipe.send(Witness())
        witness = Witness()
        address, began = wire(advertiser), time.monotonic()
        last = began
        is_last = False
        while not is_last:
            is_last = pipe.poll()
            before = time.monotonic()
            # The time that counts ends before the last read: what was sent until then arrives, however late.
            witness.seconds = before - began
            assert reader.read(attribute) == value
            witness.reads += 1
            witness.slowest_read = max(witness.slowest_read, time.monotonic() - before)
            scanner.listen(PERIOD)
            if is_last:
                # The answer follows the reports that wait.
                scanner.command(READ_ADDRESS)
            witness.longest_silence = max(witness.longest_silence, time.monotonic() - last)
            if scanner.reports.get(address, 0) > witness.reports:
                witness.reports, last = scanner.reports[address], time.monotonic()
        pipe.send(witness)
    except BaseException:  # pylint: disable=broad-exception-caught
        pipe.send(traceback.format_exc())
