// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BEACONRY_CCONCURRENCY_H
#define BEACONRY_CCONCURRENCY_H

#include <stdbool.h>

/// Takes a job of the Swift runtime, from any thread, and runs it once; or returns false, and the runtime runs it.
typedef bool (*beaconry_job_handler)(void *job);

/// Passes all jobs of the global executor from now on to a handler, for the rest of the process.
void beaconry_redirect_global_jobs(beaconry_job_handler handler);

/// The simulation that this thread runs; null on all other threads.
void *beaconry_thread_simulation(void);

/// Sets it.
void beaconry_set_thread_simulation(void *simulation);

#endif
