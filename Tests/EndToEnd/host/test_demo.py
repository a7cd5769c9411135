# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The museum of `beaconry demo`."""

from __future__ import annotations

import json
import os
import re
import urllib.request
from pathlib import Path

import pytest
from beaconry import Beaconry


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        assert answer.status == 200
        return bytes(answer.read())


def browser(folder: Path, lines: str) -> Path:
    """A command that stands in for a browser."""
    command = folder / "browser"
    command.write_text(f"#!/bin/sh\n{lines}\n")
    command.chmod(0o755)
    return command


def test_page_is_opened_and_shows_a_visitor_who_walks(beaconry: Beaconry, tmp_path: Path) -> None:
    pipe = tmp_path / "opened"
    os.mkfifo(pipe)
    beaconry.environment["BROWSER"] = str(browser(tmp_path, f'echo "$1" >{pipe}'))
    run = beaconry.start("demo", "--json")
    url = run.wait("http-ready")["url"]
    with pipe.open() as opened:
        assert opened.read() == f"{url}\n"
    run.wait("ready")
    assert b"<html" in read(url)
    beacons = json.loads(read(f"{url}/v1/beacons"))["beacons"]
    assert len(beacons) == 13 and all(beacon["onAir"] for beacon in beacons)
    places = {tuple(json.loads(read(f"{url}/v1/receivers"))["receivers"][0]["position"]) for _ in range(3)}
    assert len(places) == 3, "it walks"
    assert "entrance" in beaconry.call("ctl", "list", "--profile", "demo").stdout
    assert run.end() == 0


@pytest.mark.parametrize("given", [{}, {"DISPLAY": ":0"}])
def test_page_is_not_opened_where_that_is_not_wanted(beaconry: Beaconry, tmp_path: Path, given: dict[str, str]) -> None:
    command = browser(tmp_path, f"touch {tmp_path}/opened")
    command.rename(tmp_path / "xdg-open")
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        beaconry.environment.pop(name, None)
    beaconry.environment |= {"PATH": f"{tmp_path}:{os.environ['PATH']}", **given}
    run = beaconry.start("demo", *(["--no-browser"] if given else []), "--json")
    run.wait("ready")
    assert run.end() == 0
    assert not (tmp_path / "opened").exists()


def test_second_demo_has_a_name_of_its_own(beaconry: Beaconry) -> None:
    first = beaconry.start("demo", "--no-browser", "--json")
    first.wait("ready")
    second = beaconry.start("demo", "--no-browser", "--json")
    second.wait("ready")
    for name in ("demo", "demo-2"):
        assert json.loads(beaconry.call("ctl", "version", "--profile", name, "--json").stdout)["profiles"][0]["profile"] == name
    assert (first.end(), second.end()) == (0, 0)


def test_terminal_has_the_address_only(beaconry: Beaconry) -> None:
    done = beaconry.call("demo", "--no-browser", "--duration", "1s")
    assert done.returncode == 0 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    # Nothing sticks to the address, which people and scripts take up to the next space.
    assert re.match(r"beaconry: the museum is at http://127\.0\.0\.1:\d+/? ", line), line


def test_browser_that_fails_is_reported(beaconry: Beaconry, tmp_path: Path) -> None:
    beaconry.environment["BROWSER"] = str(browser(tmp_path, "exit 3"))
    run = beaconry.start("demo", "--json")
    url = run.wait("http-ready")["url"]
    run.wait_for_text("was not opened")
    assert f"the page was not opened ({tmp_path}/browser ended with exited(3)); open {url}" in run.errors
    assert run.end() == 0
