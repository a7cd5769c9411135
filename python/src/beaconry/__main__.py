# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m beaconry`: the program, without a search in `PATH`."""

import sys

from beaconry._program import main

sys.exit(main())
