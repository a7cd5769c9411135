// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import JSON

extension Schema {
    /// The three numbers of a position.
    static let metres = Schema.array(.number, 3...3)
    static let texts = Schema.array(.text)
}

extension Schema.Member {
    /// The version of a record's format, which all records of `ctl --json` have.
    static let version = required("v", .integer, "the version of the format")
}
