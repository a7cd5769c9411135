# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The profile of docs/first-steps.md and the recipe of docs/ci.md work unchanged; README.md begins with what a new user looks for."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import textwrap
from pathlib import Path

from beaconry import BINARY, CHECKOUT

README = (CHECKOUT / "README.md").read_text()
FIRST_STEPS = (CHECKOUT / "docs" / "first-steps.md").read_text()
CI = (CHECKOUT / "docs" / "ci.md").read_text()


def profile() -> str:
    """The profile in the section "A beacon of your own"."""
    found = re.search(r"```yaml\n(# shop\.yaml\n.*?)```", FIRST_STEPS, re.DOTALL)
    assert found
    return found[1]


def recipe() -> str:
    """The commands in "On the virtual air" of docs/ci.md, with a short test instead of a scan of several seconds."""
    found = re.search(r"(?:^    .*\n)+", CI, re.MULTILINE)
    assert found
    commands, replaced = re.subn(
        r"bumble-scan tcp-client:(\S+) & .*", r"beaconry expect --minor 7 --major 1 --within 200s --radio tcp-client:\1"
        " --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", textwrap.dedent(found[0]),
    )  # fmt: skip
    assert replaced == 1
    return commands


def test_recipe_for_ci_runs_twice_on_one_machine(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "beaconry").symlink_to(BINARY)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path)}
    jobs = []
    try:
        for name in ("a", "b"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "shop.yaml").write_text(profile())
            # The socket that a killed run leaves.
            (folder / "ready").touch()
            job = subprocess.Popen(
                ["bash", "-ec", recipe()], cwd=folder, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            jobs.append(job)
        for job in jobs:
            output, _ = job.communicate(timeout=300)
            assert job.returncode == 0, output
            assert "door    iot-design-shop  on" in output
        assert not list(tmp_path.rglob("ready"))
    finally:
        for job in jobs:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)


def test_readme_begins_with_what_a_new_user_looks_for() -> None:
    """What it is, one command, a picture, what it is for and not for, and how to install it, in 500 words at most."""
    beginning, _ = README.split("## Documents")
    words = ["    beaconry demo", "](docs/page-1280.png)", "| You want | With Beaconry | Instead of |", "**Not for**", "## Install"]
    places = [beginning.find(each) for each in words]
    assert places == sorted(places) and places[0] > 0, places
    assert len(beginning.split()) <= 500
