// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import GATT

extension GATTCharacteristic {
    /// The flags that say to bluetoothd what can be done with the value, and what a link must offer for it.
    ///
    /// Where a link must be encrypted, the flag that says so stands for the plain one.
    var daemonFlags: [String] {
        var flags: [String] = []
        if properties.contains(.read) { flags.append(Self.protection(permissions.read) + "read") }
        if properties.contains(.writeWithoutResponse) { flags.append("write-without-response") }
        if properties.contains(.write) { flags.append("write") }
        if !permissions.write.isEmpty, !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            flags.append(Self.protection(permissions.write) + "write")
        }
        if properties.contains(.notify) { flags.append(Self.protection(permissions.subscribe) + "notify") }
        if properties.contains(.indicate) { flags.append(Self.protection(permissions.subscribe) + "indicate") }
        if permissions.read.union(permissions.write).contains(.authorization) { flags.append("authorize") }
        return flags
    }

    private static func protection(_ security: AttributeSecurity) -> String {
        if security.contains(.authentication) { return "encrypt-authenticated-" }
        return security.contains(.encryption) ? "encrypt-" : ""
    }
}
