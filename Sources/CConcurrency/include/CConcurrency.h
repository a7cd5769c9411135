// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BEACONRY_CCONCURRENCY_H
#define BEACONRY_CCONCURRENCY_H

/// Takes a job of the Swift runtime, from any thread. It must be run once.
typedef void (*beaconry_job_handler)(void *job);

/// Passes all jobs of the global executor from now on to a handler, for the rest of the process. Jobs of actors without an
/// executor of their own are not among them.
void beaconry_redirect_global_jobs(beaconry_job_handler handler);

#endif
