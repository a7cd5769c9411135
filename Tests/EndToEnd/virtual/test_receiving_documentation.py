# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The examples of docs/receiving.md work unchanged."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from beaconry import CHECKOUT, PROFILES, Beaconry, Run

TEXT = (CHECKOUT / "docs" / "receiving.md").read_text()


def example(name: str) -> str:
    """The YAML block whose first line is a comment with this name."""
    (text,) = re.findall(rf"```yaml\n# {name}\n(.*?)```", TEXT, re.DOTALL)
    return text


def test_files_of_the_page_are_valid(air: Callable[..., tuple[Run, str]], beaconry: Beaconry) -> None:
    _, transport = air(PROFILES / "iot-design-shop.yaml", "--ephemeral")
    regions, plan = (str(beaconry.profile(example(name), name)) for name in ("regions.yaml", "plan.yaml"))
    done = beaconry.call("monitor", regions, "--radio", transport, "--duration", "300ms")
    assert done.returncode == 0, done.stderr
    done = beaconry.call("manage", "apply", plan, "--radio", transport, "--timeout", "300ms", "--retry", "0")
    assert done.returncode == 1 and done.stdout.endswith("0 changed, 0 unchanged, 2 failed\n"), done


def test_commands_of_the_page_are_valid(beaconry: Beaconry) -> None:
    """Every command line of the page is valid: it fails only because of the missing radio or file."""
    lines = [shlex.split(line, comments=True)[1:] for line in TEXT.splitlines() if line.startswith("    beaconry ")]
    assert len(lines) > 20
    nowhere = ["--radio", "tcp-client:127.0.0.1:1"]
    for line in lines:
        local = line[0] in ("clone", "plot", "run") or line[:2] in (["monitor", "add"], ["monitor", "remove"], ["monitor", "list"])
        done = beaconry.call(*line, *([] if local else nowhere))
        lacks_run = "--event" in line and done.returncode == 74 and "no running beaconry was found" in done.stderr
        assert done.returncode in (0, 65, 69) or line[:2] == ["monitor", "remove"] or lacks_run, (line, done)
        assert done.returncode != 65 or "no such file" in done.stderr.lower(), (line, done)
