# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Where the program is, how it is started, and how it ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ._errors import ProgramError

BUNDLED = Path(__file__).parent / "bin" / "beaconry"
"""The program in the wheel."""

# The shell is the parent of the program and reads a pipe whose other end is in this process: the program ends with this
# process, however that ends. The end of the pipe without a line before it means that this process was killed: then the shell
# removes the folder as well.
GUARD = """
folder=$1
shift
exec 3<&0
"$@" 3<&- </dev/null &
program=$!
(
    if read -r _ <&3; then kill -KILL $program; exit 0; fi
    trap '' TERM
    kill -KILL $program
    exit 9
) 2>/dev/null >/dev/null &
guard=$!
exec 3<&- >/dev/null 2>&1
wait $program
status=$?
kill $guard
wait $guard
if [ $? = 9 ]; then rm -rf -- "$folder"; fi
exit $status
"""


def find_program(path: str | os.PathLike[str] | None = None) -> Path:
    """The program: the given one, else `BEACONRY_BINARY`, else that of the wheel, else `beaconry` in `PATH`.

    Raises `ProgramError` if there is none.
    """
    chosen = path or os.environ.get("BEACONRY_BINARY")
    if chosen:
        if not os.access(chosen, os.X_OK) or os.path.isdir(chosen):
            raise ProgramError(f"{os.fspath(chosen)} is not a program; give the path of beaconry (BEACONRY_BINARY)")
        return Path(chosen)
    if BUNDLED.exists():
        return BUNDLED
    if found := shutil.which("beaconry"):
        return Path(found)
    raise ProgramError("beaconry was not found; install a wheel with the program, or set BEACONRY_BINARY to its path")


def start(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes]:
    """Starts a program that ends when the pipe to its standard input is closed, at the latest with this process.

    If this process is killed, the folder is removed.
    """
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, "beaconry", str(folder), *command], env=dict(environment), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a started program at once, and waits for its end."""
    if process.stdin and not process.stdin.closed:
        # It may have ended.
        with contextlib.suppress(OSError), process.stdin:
            process.stdin.write(b"end\n")
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        # The session has the program as well.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def leave(process: subprocess.Popen[bytes]) -> None:
    """Leaves a started program to another process: the parent of this one."""
    if process.stdin and not process.stdin.closed:
        process.stdin.close()


def main() -> int:
    """The command `beaconry` of the wheel."""
    chosen = os.environ.get("BEACONRY_BINARY") or (str(BUNDLED) if BUNDLED.exists() else None)
    if chosen is None:
        print("error: this package was installed without the program; install a wheel, or set BEACONRY_BINARY", file=sys.stderr)
        return 69
    os.execv(chosen, ["beaconry", *sys.argv[1:]])
