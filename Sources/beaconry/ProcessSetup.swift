// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CCapability
import CMalloc
import Glibc

/// The limit of open files.
enum DescriptorLimit {
    /// Raises the limit as far as the system allows this user.
    ///
    /// Every host on the virtual air is an open file. The usual limit of 1,024 protects programs that call `select`, which
    /// this one does not.
    static func raise() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If the system refuses, the old limit stays.
        _ = setrlimit(resource, &limit)
    }
}

/// The capabilities of the program's file (`setcap`).
enum FileCapabilities {
    /// Makes the permitted capabilities of the calling thread effective.
    ///
    /// The kernel refuses to execute a file with `cap_net_admin+ep` where the capability is unavailable, as in a container
    /// without `--cap-add`. A file with `+p` starts everywhere; its capabilities are permitted, but not effective yet.
    ///
    /// - Precondition: There is no other thread: capabilities belong to threads, and new threads inherit them.
    static func makeEffective() {
        var header = __user_cap_header_struct()
        header.version = UInt32(_LINUX_CAPABILITY_VERSION_3)
        // 32 capabilities each.
        var sets = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
        guard capget(&header, &sets) == 0, sets.contains(where: { $0.effective != $0.permitted }) else { return }
        for index in sets.indices { sets[index].effective = sets[index].permitted }
        // If a system call filter refuses, operations that need the rights report that they are missing.
        _ = capset(&header, &sets)
    }
}

/// The settings of the C library's heap.
enum Heap {
    /// Uses one heap for all threads: allocations are rare enough that threads do not wait for each other, and thousands of
    /// beacons take two thirds of the memory.
    static func useOneArena() {
        mallopt(M_ARENA_MAX, 1)
        // Large arrays have pages of their own, of which those beyond their last element take no memory. Unless it is set, the
        // C library raises this threshold with each large array that is freed.
        mallopt(M_MMAP_THRESHOLD, 128 << 10)
    }

    /// Returns free pages to the system: reading a profile takes more memory than its beacons do.
    static func giveBack() { malloc_trim(0) }
}
