# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What remains of a run, and what the plugin of pytest has set for the runs that a test starts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ._journal import Journal

FILES = ("capture.btsnoop", "air.yaml", "given.yaml")
"""The files of a run that are saved."""


class Record:
    """The events, the messages and the files of a run, which may have ended. It does not keep the run alive."""

    def __init__(self, kind: str, journal: Journal, errors: list[bytes], folder: Path, has_own_seed: bool) -> None:
        self.kind = kind
        """`air`, `bluez`, or the name of a fixture."""
        self.journal = journal
        self.has_own_seed = has_own_seed
        """Whether the code that started the run has given its seed."""
        self._errors = errors
        self._folder = folder
        self._kept: Path | None = None

    @property
    def repetition(self) -> str:
        """How to repeat the run, as a sentence."""
        ready = self.journal.find("radio-ready")
        if not ready:
            return "it did not start"
        seed = ready[0]["seed"]
        return f"seed={seed} repeats it" if self.has_own_seed else f"--beaconry-seed {seed} repeats the air"

    def keep(self, folder: Path) -> None:
        """Has the files moved to a folder at the end of the run, so that they can be saved later."""
        self._kept = folder

    def leave(self) -> None:
        """Moves the files, at the end of the run."""
        if self._kept is None:
            return
        with contextlib.suppress(OSError):
            self._kept.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                if (self._folder / name).exists():
                    shutil.move(self._folder / name, self._kept / name)
            self._folder = self._kept

    def forget(self) -> None:
        """Removes the files that were kept."""
        if self._kept is not None:
            shutil.rmtree(self._kept, ignore_errors=True)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the events (`events.jsonl`), the HCI traffic (`capture.btsnoop`), the beacons (`air.yaml`) and the messages
        (`messages.txt`) into a folder, and returns it. The capture contains keys of pairings."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        (target / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in self.journal.events))
        (target / "messages.txt").write_bytes(b"".join(self._errors))
        for name in FILES:
            if (self._folder / name).exists():
                shutil.copyfile(self._folder / name, target / name)
        return target


class Session:
    """What the plugin of pytest has set."""

    seed: int | None = None
    """The seed of runs without one of their own."""
    program: str | None = None
    """The program of runs without one of their own."""
    started: Callable[[Record], None] | None = None
    """Called with each run that has started."""
