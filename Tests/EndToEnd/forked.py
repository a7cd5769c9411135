# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A Python program of the tests as a process, without starting another Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable


class ForkedProgram:
    """A function in a separate process, with pipes for standard input, output and errors, like subprocess.Popen.

    It inherits the modules that are imported here: in the emulated machine Bumble alone takes ten seconds to import.
    """

    def __init__(self, main: Callable[[], None]) -> None:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            self._become(main, stdin[0], stdout[1], stderr[1])
        for theirs in (stdin[0], stdout[1], stderr[1]):
            os.close(theirs)
        self.stdin, self.stdout, self.stderr = os.fdopen(stdin[1], "w"), os.fdopen(stdout[0]), os.fdopen(stderr[0])

    @staticmethod
    def _become(main: Callable[[], None], *streams: int) -> None:
        status = 1
        try:
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, signal.SIG_DFL)
            main()
            status = 0
        except BaseException:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(status)

    def poll(self) -> int | None:
        """The exit code, or minus the signal that ended it; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Waits for its end."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked program", timeout)
            time.sleep(0.02)
        return code

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)
