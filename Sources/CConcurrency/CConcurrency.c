// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#include "CConcurrency.h"

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*enqueue_function)(void *job);

// Of the Swift runtime: called instead of its own function, which it gets, too.
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_function original);

static beaconry_job_handler redirected;

static SWIFT_CALL void enqueue(void *job, enqueue_function original) {
    if (!redirected(job)) original(job);
}

void beaconry_redirect_global_jobs(beaconry_job_handler handler) {
    redirected = handler;
    __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueue, __ATOMIC_RELEASE);
}

static _Thread_local void *thread_simulation;

void *beaconry_thread_simulation(void) { return thread_simulation; }

void beaconry_set_thread_simulation(void *simulation) { thread_simulation = simulation; }
