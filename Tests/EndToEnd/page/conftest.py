# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The page of a run in Debian's Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from beaconry import Beaconry
from playwright.sync_api import Browser, expect, sync_playwright
from viewer import Viewer

DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a worker; each test has a profile of its own in it."""
    expect.set_options(timeout=300_000)
    with sync_playwright() as playwright:
        # CI runs as root, where Chromium has no sandbox, in a container, whose shared memory is too small for it. Without a GPU it
        # emulates one, which costs more processor time than to do without.
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-software-rasterizer"],
        )
        yield browser
        browser.close()


@pytest.fixture
def show(beaconry: Beaconry, browser: Browser) -> Iterator[Callable[..., Viewer]]:
    """Runs a profile with `--http`, and opens its page."""
    with ExitStack() as stack:

        def start(
            profile: Path | str, *options: str, fragment: str = "", viewport: dict[str, int] = DESK, **context: Any
        ) -> Viewer:
            if "--hci-server" not in options:
                options += ("--hci-server", "none")
            run = beaconry.run(profile, "--ephemeral", "--http", "127.0.0.1:0", *options, radio="virtual")
            url = run.wait("http-ready")["url"].rstrip("/")
            run.wait_until_reported("radio-ready")
            run.wait_until_reported("ready")
            ready = next(each for each in run.events if each["event"] == "radio-ready")
            opened = browser.new_context(viewport=viewport, **context)
            opened.set_default_timeout(300_000)
            stack.callback(opened.close)
            page, problems = opened.new_page(), []
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda message: message.type == "error" and problems.append(message.text))
            page.goto(f"{url}/{fragment}")
            phones = {name: server.replace("tcp:", "tcp-client:") for name, server in ready.get("receivers", {}).items()}
            return Viewer(run, url, page, problems, phones)

        yield start
