# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A program in a terminal, with commands that are typed and output that is waited for."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from types import TracebackType

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x01\x02\r]")


class Terminal:
    """Runs a command in a pseudoterminal; ends it at the end of the `with` statement."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            command, env={**environment, "TERM": "dumb"}, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._text = ""
        self._place = 0
        """The end of what was waited for."""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, line: str, answer: str, seconds: float = 60) -> str:
        """Types a line and waits for output that matches this pattern; returns it."""
        os.write(self._master, line.encode() + b"\n")
        return self.wait(answer, seconds)

    def wait(self, pattern: str, seconds: float = 60) -> str:
        """Waits for output that matches this pattern, after what was waited for before."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self._text[self._place :])):
            left = deadline - time.monotonic()
            assert left > 0, f"no {pattern!r} after:\n{self._text[self._place :]}"
            if select.select([self._master], [], [], left)[0]:
                self._text = ESCAPES.sub("", self._text + os.read(self._master, 65536).decode(errors="replace"))
        self._place += found.end()
        return found[0]
