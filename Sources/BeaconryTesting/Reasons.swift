// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

extension VirtualAirError {
    /// A choice by its name, as for the commands of `beaconry ctl`.
    /// - Throws: `VirtualAirError` for another name.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) throws -> Choice {
        try parsing { try ValueText.choice(name, of: type) }
    }
}
