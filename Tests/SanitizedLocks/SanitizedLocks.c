// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Lets the thread sanitizer see Synchronization.Mutex.
//
// Our own code, which the sanitizer instruments, locks a free mutex. The wait for a locked mutex is in the standard
// library, which was built without the sanitizer: the sanitizer reports races on the data of such a mutex. Under the
// sanitizer this function replaces the library's: the same result, with atomic operations that the sanitizer sees. As no
// thread waits in the kernel then, the library's function that wakes waiting threads is never called.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32): the word has the number of the thread that holds the mutex, or 0.
__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *word) {
    uint32_t unlocked = 0;
    while (!atomic_compare_exchange_weak_explicit(
        word, &unlocked, thread, memory_order_acquire, memory_order_relaxed)) {
        unlocked = 0;
        sched_yield();
    }
}

#endif
#endif
