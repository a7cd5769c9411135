// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How many files this process may have open.
enum DescriptorLimit {
    /// Allows as many as the system lets this user have.
    ///
    /// Every host on the virtual air is an open file. The usual limit of 1,024 is there for programs that call
    /// `select`, which this one does not.
    static func raise() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // Where that is refused, the program does with what it has.
        _ = setrlimit(resource, &limit)
    }
}
