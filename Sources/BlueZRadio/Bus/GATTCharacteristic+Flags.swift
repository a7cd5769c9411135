// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

extension GATTCharacteristic {
    /// The flags that say to bluetoothd what can be done with the value, and what a link must offer for it.
    ///
    /// Where a link must be encrypted, a flag says so, with the plain one where that has a meaning of its own.
    var daemonFlags: [String] {
        var flags: [String] = []
        if properties.contains(.read) { flags.append(permissions.read.daemonPrefix + "read") }
        if properties.contains(.writeWithoutResponse) { flags.append("write-without-response") }
        if properties.contains(.write) { flags.append("write") }
        if !permissions.write.daemonPrefix.isEmpty, !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            flags.append(permissions.write.daemonPrefix + "write")
        }
        let subscribing = permissions.subscribe.daemonPrefix
        for (property, name) in [(CharacteristicProperties.notify, "notify"), (.indicate, "indicate")]
        where properties.contains(property) {
            flags += subscribing.isEmpty ? [name] : [name, subscribing + name]
        }
        if permissions.read.union(permissions.write).contains(.authorization) { flags.append("authorize") }
        return flags
    }
}

extension AttributeSecurity {
    /// What stands before the name of an operation that needs it.
    var daemonPrefix: String {
        if contains(.authentication) { return "encrypt-authenticated-" }
        return contains(.encryption) ? "encrypt-" : ""
    }
}
