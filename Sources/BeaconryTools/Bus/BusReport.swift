// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// The address of a bus with the service `org.bluez`, for shells and programs.
package struct BusReport: Encodable, Report {
    private let event = "bus-ready"
    private let time = Timestamp.now
    private let address: String

    package init(address: String) {
        self.address = address
    }

    package var lines: [String] {
        ["export DBUS_SYSTEM_BUS_ADDRESS='\(address.replacing("'", with: "'\\''"))'"]
    }
}
