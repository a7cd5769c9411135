// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BuildInformation

/// The version of the program.
enum Version {
    static let number = "0.1.0"

    /// `beaconry 0.1.0 (commit 0123456789ab, Swift 6.3)`
    static var text: String { "beaconry \(number) (commit \(String(cString: beaconry_commit)), Swift \(compiler))" }

    private static var compiler: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
