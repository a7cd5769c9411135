# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What a packaged program needs besides Debian."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from beaconry import PATIENCE


def libraries_of(package: Path, folder: Path) -> list[Path]:
    """The libraries of this machine that a packaged program needs and Debian does not have: those of Swift, for one that is not
    linked statically, as that of the tests."""
    subprocess.run(["dpkg-deb", "--extract", str(package), str(folder)], check=True, timeout=PATIENCE)
    command = ["ldd", str(folder / "usr/bin/beaconry")]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    shutil.rmtree(folder)
    paths = [Path(line.split()[2]) for line in listed.splitlines() if "=> /" in line]
    return [path for path in paths if not path.is_relative_to("/lib") and not path.is_relative_to("/usr")]
