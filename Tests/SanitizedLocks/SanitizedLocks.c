// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Lets the thread sanitizer see Synchronization.Mutex.
//
// A mutex that is free is taken by code of ours, which the sanitizer knows. One that is held is waited for in the
// standard library, which was built without the sanitizer: it takes what such a mutex guards for a race. Under the
// sanitizer this stands in for the library's function: the same outcome, by atomic operations that the sanitizer sees.
// As nobody waits in the kernel then, the other half, which wakes those who do, is never called.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32): the word has the number of the thread that holds the mutex, or 0.
__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word) {
    uint32_t nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(
        word, &nobody, thread, memory_order_acquire, memory_order_relaxed)) {
        nobody = 0;
        sched_yield();
    }
}

#endif
#endif
