# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A wheel with the program, if Scripts/wheel has copied it into the package, has the platform of the program; else it is
for every platform, and finds the program in PATH."""

import os
from pathlib import Path

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

PLATFORM = os.environ.get("BEACONRY_WHEEL_PLATFORM")
HAS_PROGRAM = (Path(__file__).parent / "src" / "beaconry" / "bin" / "beaconry").exists()


class Package(Distribution):
    """The package; a program is installed where extension modules are."""

    def has_ext_modules(self) -> bool:
        return HAS_PROGRAM


class Wheel(bdist_wheel):  # type: ignore[misc]
    """A wheel for all versions of Python 3, with or without a program."""

    def get_tag(self) -> tuple[str, str, str]:
        if not HAS_PROGRAM:
            return "py3", "none", "any"
        if not PLATFORM:
            raise SystemExit("a wheel with the program needs BEACONRY_WHEEL_PLATFORM; use Scripts/wheel")
        return "py3", "none", PLATFORM


setup(distclass=Package, cmdclass={"bdist_wheel": Wheel})
