// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension Central {
    /// What hardware does that takes one central at a time, and has one.
    var declined: [DeviceOutput] {
        let warning = Warning(
            code: "second-central",
            message: "\(name) connected while another central is; the hardware takes one at a time, so it was "
                + "disconnected",
            hint: "let the first central disconnect before the next one connects")
        return [.disconnect(self), .warn(warning)]
    }
}
