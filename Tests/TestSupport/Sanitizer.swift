// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sanitizers that a build may include.
public enum Sanitizer {
    /// Whether a sanitizer watches this process: it needs additional memory, so that measured sizes mean little.
    public static let isWatching: Bool = {
        let functions = ["__tsan_init", "__asan_init"]
        return functions.contains { name in dlsym(nil, name) != nil }
    }()
}
