# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The files of docs/receiving.md work unchanged; Tests/EndToEnd/host/test_documents.py tries its commands."""

from __future__ import annotations

import re
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
