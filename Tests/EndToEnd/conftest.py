# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What all end-to-end tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from beaconry import Beaconry


@pytest.fixture
def beaconry(tmp_path: Path) -> Iterator[Beaconry]:
    """The program under test, with folders of its own; what still runs at the end is killed."""
    beaconry = Beaconry(tmp_path)
    yield beaconry
    beaconry.close()
