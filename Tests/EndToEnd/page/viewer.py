# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What tests of the page look at: the page of a run, and a phone on the air that is not the page's."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from beaconry import Run
from playwright.sync_api import Locator, Page

sys.path.append(str(Path(__file__).parents[1] / "virtual"))
from phone import phone  # noqa: E402


def looks(*widths: int) -> pytest.MarkDecorator:
    """Parameters `width` and `scheme`: a narrow page in dark colours and one of 1,280 pixels in light ones; the others are variants."""
    usual = {(widths[0], "dark"), (1280, "light")}
    return pytest.mark.parametrize(
        ("width", "scheme"),
        [
            pytest.param(width, scheme, marks=[] if (width, scheme) in usual else [pytest.mark.variants])
            for width in widths for scheme in ("light", "dark")
        ],
    )  # fmt: skip


class Phone:
    """A Bumble host that scans all the time, on a thread of its own: it receives what the page says it does."""

    def __init__(self, transport: str) -> None:
        self._transport = transport
        self._reports: list[tuple[str, int]] = []
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._scans = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Phone:
        self._thread.start()
        assert self._scans.wait(300), self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(300)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._scan())
        except BaseException as failure:
            self._failure = failure

    async def _scan(self) -> None:
        async with phone(self._transport) as device:
            device.host.on("advertising_report", lambda report: self._reports.append((str(report.address), report.rssi)))
            await device.start_scanning(filter_duplicates=False)
            self._scans.set()
            await self._end.wait()

    def clear(self) -> None:
        """Forgets what was received so far."""
        self._reports.clear()

    def rssi(self, address: str) -> list[int]:
        """The RSSI of the reports of an advertiser, oldest first."""
        return [rssi for received, rssi in self._reports if received.split("/")[0] == address]


@dataclass
class Viewer:
    """A page in a browser, with the run that it shows."""

    run: Run
    url: str
    page: Page
    problems: list[str]
    """What the browser reported: exceptions, violations of the content security policy, failed requests."""
    phones: dict[str, str]
    """The names of servers, with Bumble's names of their addresses."""

    def mark(self, name: str) -> Locator:
        """A beacon or receiver on the map."""
        return self.page.locator("#map").get_by_role("button", name=re.compile(rf"^(Beacon|Receiver) {re.escape(name)},"))

    def place(self, name: str) -> list[float]:
        """The position of a mark, as its label has it."""
        label = self.mark(name).get_attribute("aria-label") or ""
        return [float(number.replace("\u2212", "-")) for number in label.removesuffix(" m").split(" at ")[1].split(", ")]

    def row(self, name: str) -> Locator:
        """A beacon's row of the table."""
        return self.page.locator("#beacon-table tbody tr").filter(has=self.page.get_by_role("button", name=name, exact=True))

    def beacon(self, name: str) -> dict[str, Any]:
        """A beacon as the API has it."""
        with urlopen(f"{self.url}/v1/beacons/{name}", timeout=300) as answer:
            return json.load(answer)
