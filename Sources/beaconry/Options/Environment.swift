// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process's environment.
enum Environment {
    /// The value of a variable that is set and not empty.
    static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether a variable is set to something that means yes.
    static func flag(_ name: String) -> Bool {
        ["1", "true", "yes"].contains(value(name) ?? "")
    }
}
