# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A sweep on Dask: dask_sweep.py SCHEDULER SPEC OUTPUT BATCH."""

import sys

import beaconry
from distributed import Client

scheduler, spec, output, batch = sys.argv[1:]
with Client(scheduler) as client:
    client.wait_for_workers(2)
    print(beaconry.sweep(spec, client.get_executor(), output=output, batch=int(batch)), end="")
