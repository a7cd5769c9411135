# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Packages of users of the Swift libraries, as the documents write them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from beaconry import CHECKOUT

CHECKOUT_PATH = '"../beaconry"'
"""How the documents write the path of a checkout."""
DOCUMENTS = {"BeaconryCentral": "central.md", "BeaconryTesting": "swift-testing.md"}
"""The library products, each with the document that has the manifest of a package that depends on it."""
LIMIT = 500
"""The most build steps of a release build of `BeaconryCentral` and what it needs."""


def blocks(document: str) -> list[str]:
    """The blocks of Swift of a document."""
    return re.findall(r"```swift\n(.*?)```", (CHECKOUT / "docs" / document).read_text(), re.DOTALL)


def manifest(product: str) -> str:
    """The manifest for users of a product, with the path of this checkout."""
    [found] = [block for block in blocks(DOCUMENTS[product]) if block.startswith("// swift-tools-version")]
    assert CHECKOUT_PATH in found and f'.product(name: "{product}", package: "Beaconry")' in found
    return found.replace(CHECKOUT_PATH, f'"{CHECKOUT}"')


def write_package(folder: Path, product: str) -> None:
    """Writes a package as the document of a product has it, with its tests, or with its first example."""
    (folder / "Package.swift").write_text(manifest(product))
    examples = [block for block in blocks(DOCUMENTS[product]) if block.startswith("import ")]
    tests = [example for example in examples if "@Test" in example]
    sources = {f"Tests/AppTests/App{number}Tests.swift": test for number, test in enumerate(tests, 1)}
    for name, text in (sources or {"Sources/app/main.swift": examples[0]}).items():
        source = folder / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)


def swift(folder: Path, *arguments: str, timeout: float) -> str:
    """The output of SwiftPM in a package, which succeeds."""
    done = subprocess.run(
        ["swift", *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout + done.stderr
