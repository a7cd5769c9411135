# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The programs in examples/ work unchanged; python/tests has examples/pytest."""

from __future__ import annotations

import subprocess

from beaconry import BINARY, CHECKOUT, Beaconry

EXAMPLES = CHECKOUT / "examples"


def test_example_of_a_central_runs(beaconry: Beaconry) -> None:
    profile = str(EXAMPLES / "central" / "battery.yaml")
    run = beaconry.start("run", profile, "--json", "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0")
    port = run.wait("radio-ready")["servers"][0].rpartition(":")[2]
    run.wait("ready")
    done = subprocess.run(
        [BINARY.with_name("example-central"), port], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    level, *notified = done.stdout.splitlines()
    assert level.startswith("level ") and len(notified) == 2
    first, second, third = int(level.removeprefix("level ")), *(int(line.removeprefix("notified ")) for line in notified)
    assert 80 >= first >= second > third


def test_manifest_of_the_example_is_valid() -> None:
    """The sources are compiled as a target of the main package, so the manifest of the example need only be well-formed."""
    done = subprocess.run(
        ["swift", "package", "--package-path", EXAMPLES / "central", "--scratch-path", CHECKOUT / ".build" / "example", "dump-package"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0 and '"BeaconryCentral"' in done.stdout, done.stderr
