#!/usr/bin/env python3
# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Compares a recording of wire_session.py with recordings of bluetoothd, and lists the differences.

A difference is what no version of bluetoothd does. Those that are meant are in a file with lines of STEP, LINE and
reason, separated by tabs; in STEP and LINE, `*` stands for any text. LINE is as printed here.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from pathlib import Path

from recording import Event, Step, read

FOLDER = Path(__file__).resolve().parent
RECORDINGS = sorted((FOLDER / "recordings").glob("bluez-*.txt"))
MEANT = FOLDER / "recordings" / "meant-differences.txt"


@dataclass(frozen=True)
class Difference:
    """A line that is in one recording only: `-` in that of bluetoothd, `+` in the other. A detail has the header of its
    event before it."""

    step: str
    line: str


def differences(theirs: list[Step], ours: list[Step]) -> Counter[Difference]:
    """The differences between two recordings, with their number."""
    found: Counter[Difference] = Counter()
    our_steps = {step.name: step for step in ours}
    for step in theirs:
        other = our_steps.pop(step.name, Step(step.name))
        found.update(Difference(step.name, line) for line in _lines(step.events, other.events))
    for step in our_steps.values():
        found.update(Difference(step.name, line) for line in _lines([], step.events))
    return found


def _lines(theirs: list[Event], ours: list[Event]) -> Iterator[str]:
    """The lines that differ, of events that are aligned by their headers."""
    headers = [event.header for event in theirs], [event.header for event in ours]
    for kind, a, b, c, d in SequenceMatcher(None, *headers, autojunk=False).get_opcodes():
        if kind == "equal":
            for left, right in zip(theirs[a:b], ours[c:d]):
                for sign, more, fewer in (("-", left, right), ("+", right, left)):
                    for detail in (Counter(more.details) - Counter(fewer.details)).elements():
                        yield f"{sign} {left.header} | {detail}"
            continue
        yield from (f"- {event.header}" for event in theirs[a:b])
        yield from (f"+ {event.header}" for event in ours[c:d])


def common_differences(recordings: Iterable[list[Step]], ours: list[Step]) -> list[Difference]:
    """The differences from every one of several recordings: what at least one of them has is none."""
    counters = [differences(each, ours) for each in recordings]
    first, *others = counters
    for other in others:
        first = first & other
    return list(first)


@dataclass
class Meant:
    """Differences that are meant."""

    step: str
    line: str
    reason: str

    def covers(self, difference: Difference) -> bool:
        return fnmatchcase(difference.step, self.step) and fnmatchcase(difference.line, self.line)


def meant_differences(path: Path) -> list[Meant]:
    """The lines of a file of meant differences, without comments. The brackets of a value stand for themselves."""
    lines = path.read_text().splitlines() if path.exists() else []
    parts = (line.replace("[", "[[]").split("\t") for line in lines if line and not line.startswith("#"))
    return [Meant(*part) for part in parts]


def verdict(ours: list[Step], recordings: Iterable[Path] = RECORDINGS, meant: Path = MEANT) -> list[str]:
    """The differences that are not meant."""
    listed = meant_differences(meant)
    found = common_differences(map(read, recordings), ours)
    return [f"{each.step}: {each.line}" for each in found if not any(one.covers(each) for one in listed)]


def unused(ours: list[Step], recordings: Iterable[Path] = RECORDINGS, meant: Path = MEANT) -> list[str]:
    """The lines of the file of meant differences that cover none."""
    found = common_differences(map(read, recordings), ours)
    lines = [one for one in meant_differences(meant) if not any(one.covers(each) for each in found)]
    return [f"{meant.name}: no such difference: {one.step}: {one.line}" for one in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path, help="the recording to compare")
    parser.add_argument("against", type=Path, nargs="*", help=f"recordings of bluetoothd (default: those of {FOLDER.name}/recordings)")
    parser.add_argument("--all", action="store_true", help="list meant differences, too")
    options = parser.parse_args()
    against = options.against or RECORDINGS
    if options.all:
        lines = [f"{each.step}: {each.line}" for each in common_differences(map(read, against), read(options.recording))]
    else:
        lines = verdict(read(options.recording), against)
        print(*unused(read(options.recording), against), sep="\n", file=sys.stderr)
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
