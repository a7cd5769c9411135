# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What the report of a failed test has of the runs that were made for it."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ._folder import Folder
from ._record import Record, Session

SHOWN = 60
"""The number of events in the report of a failed test."""

SEED = pytest.StashKey[int]()
"""The seed of one of the runs of a test with several."""
REPORTS = pytest.StashKey["Reports"]()
_records = pytest.StashKey[list[Record]]()
_failed = pytest.StashKey[bool]()


class Reports:
    """The runs of the present test, and those of the fixtures that tests share.

    The files of a run that ends before the report are kept until the end of the test.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._item: pytest.Item | None = None
        self._fixture: str | None = None
        self._shared: dict[str, list[Record]] = {}
        self._kept: Folder | None = None
        self._numbers = itertools.count(1)
        Session.program = config.getoption("--beaconry-program")

    # The present test -----------------------------------------------------------------------------------------------

    def begin(self, item: pytest.Item) -> None:
        """A test begins: what starts now is its own."""
        self._item = item
        item.stash[_records] = []
        Session.started = self._add
        Session.seed = item.stash.get(SEED, self._seed(item.nodeid))

    def end(self, item: pytest.Item) -> None:
        """A test is over."""
        for record in item.stash.get(_records, []):
            record.forget()
        self._item = None
        Session.started, Session.seed = None, None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.begin(item)
        try:
            return (yield)
        finally:
            self.end(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        # What a fixture starts that tests share is its own, with a seed from its name.
        if fixturedef.scope == "function":
            return (yield)
        before = (self._fixture, Session.seed)
        self._fixture, Session.seed = fixturedef.argname, self._seed(fixturedef.argname)
        try:
            return (yield)
        finally:
            self._fixture, Session.seed = before

    def _seed(self, name: str) -> int:
        chosen = self._config.getoption("--beaconry-seed")
        return zlib.crc32(name.encode()) if chosen is None else int(chosen)

    def _add(self, record: Record) -> None:
        if self._kept is None:
            self._kept = Folder()
        record.keep(self._kept.path / str(next(self._numbers)))
        if self._fixture is not None:
            self._shared.setdefault(self._fixture, []).append(record)
        elif self._item is not None:
            self._item.stash[_records].append(record)

    def pytest_unconfigure(self) -> None:
        Session.started, Session.seed, Session.program = None, None, None
        if self._kept is not None:
            self._kept.remove()

    # A failed test --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report: Any = yield
        if report.failed:
            item.stash[_failed] = True
            for name, record in self._named(item):
                self._attach(item, report, name, record)
        if report.when == "teardown" and item.stash.get(_failed, False):
            for name, record in self._named(item):
                record.save(self.folder(item) / name)
        return report  # type: ignore[no-any-return]

    def _named(self, item: pytest.Item) -> Iterator[tuple[str, Record]]:
        """The runs of a test with different names."""
        names: dict[str, int] = {}
        shared = [(name, record) for name in getattr(item, "fixturenames", ()) for record in self._shared.get(name, [])]
        for name, record in [*shared, *((record.kind, record) for record in item.stash.get(_records, []))]:
            name = name.removeprefix("_beaconry_")
            names[name] = names.get(name, 0) + 1
            yield (name if names[name] == 1 else f"{name}-{names[name]}"), record

    def folder(self, item: pytest.Item) -> Path:
        """Where the files of a failed test are saved."""
        test = re.sub(r"[^A-Za-z0-9._-]+", "-", item.nodeid).strip("-.")
        if len(test) > 150:
            test = f"{test[:140]}-{zlib.crc32(item.nodeid.encode()):08x}"
        folder = Path(item.config.rootpath, item.config.getoption("--beaconry-artifacts"), test)
        return folder / f"seed-{item.stash[SEED]}" if SEED in item.stash else folder

    def _attach(self, item: pytest.Item, report: Any, name: str, record: Record) -> None:
        events = record.journal.lines()
        left_out = [f"… {len(events) - SHOWN} earlier events"] if len(events) > SHOWN else []
        report.sections.append((f"beaconry events ({name})", "\n".join(left_out + events[-SHOWN:])))
        capture = self.folder(item) / name / "capture.btsnoop"
        report.sections.append(
            (f"beaconry capture ({name})", f"{capture} (beaconry decode, Wireshark); all events: events.jsonl; {record.repetition}")
        )
