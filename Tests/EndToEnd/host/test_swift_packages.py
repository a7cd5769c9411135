# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What a package resolves that depends on a Swift library as the documents write it. `make test-all` builds such packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from beaconry import CHECKOUT
from swift_packages import DOCUMENTS, swift, write_package

NEEDED = {
    "swift-asn1", "swift-atomics", "swift-collections", "swift-crypto", "swift-nio", "swift-system",
}  # fmt: skip
"""What the libraries need: no HTTP server, no metrics, no lifecycle, no reader of command lines."""


@pytest.mark.slow
@pytest.mark.parametrize("product", DOCUMENTS)
def test_library_resolves_what_it_needs(tmp_path: Path, product: str) -> None:
    write_package(tmp_path, product)
    swift(tmp_path, "package", "resolve", timeout=300)
    pins = json.loads((tmp_path / "Package.resolved").read_text())["pins"]
    assert {pin["identity"] for pin in pins} == NEEDED


def test_each_library_has_a_document() -> None:
    products = json.loads(swift(CHECKOUT, "package", "dump-package", timeout=120))["products"]
    libraries = {product["name"] for product in products if "library" in product["type"]}
    assert libraries == set(DOCUMENTS)
