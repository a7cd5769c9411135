# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Packages that depend on a Swift library as the documents write it: they are built, with the tests, or the first example, of the document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from swift_packages import DOCUMENTS, LIMIT, blocks, swift, write_package

NOT_BUILT = {"ArgumentParser", "CLibYAML", "HTTPTypes", "HummingbirdCore", "Logging", "Metrics", "NIOHTTP2", "Netsim", "RunServer",
             "ServiceLifecycle"}
"""Modules of the program that `BeaconryCentral` does not need."""
READS_PROFILES = {"CLibYAML"}
"""Those that `BeaconryTesting` needs: its airs have profiles."""


@pytest.mark.parametrize("product", DOCUMENTS)
def test_package_is_built(tmp_path: Path, product: str) -> None:
    write_package(tmp_path, product)
    testing = ["--build-tests", "-Xswiftc", "-enable-testing"] if product == "BeaconryTesting" else []
    output = swift(tmp_path, "build", "-c", "release", *testing, timeout=1800)
    built = {path.stem for path in (tmp_path / ".build" / "release" / "Modules").glob("*.swiftmodule")}
    assert product in built
    assert not built & NOT_BUILT - READS_PROFILES
    steps = max(int(total) for total in re.findall(r"\[\d+/(\d+)\]", output))
    if product == "BeaconryCentral":
        assert steps <= LIMIT, steps
    if testing:
        passed = swift(tmp_path, "test", "-c", "release", "--skip-build", *testing[1:], timeout=600)
        count = sum(block.count("@Test") for block in blocks(DOCUMENTS[product]))
        assert re.search(rf"\b{count} tests? (in 0 suites )?passed", passed), passed
