// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

internal import BluetoothCore

extension RSSI? {
    /// The RSSI, if a receiver can have measured it: -127 to 20 dBm. Not 127, "not available" (Core
    /// 5.4, Vol 4, Part E, 7.7.65.2).
    var known: RSSI? {
        guard let self, -127...20 ~= self.decibelMilliwatts else { return nil }
        return self
    }
}
