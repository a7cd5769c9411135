// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Why services cannot be put into one table.
package enum AttributeDatabaseError: Error, Hashable, Sendable {
    /// They need so many attributes; 65,535 handles there are.
    case tooManyAttributes(Int)
    /// A service includes one that is not there.
    case includedServiceMissing(BluetoothUUID)
}

extension AttributeDatabaseError: CustomStringConvertible {
    /// One clause for people.
    package var description: String {
        switch self {
        case .tooManyAttributes(let count): "the services need \(count) attributes, and there are 65535 handles"
        case .includedServiceMissing(let uuid): "service \(uuid) is included and not declared"
        }
    }
}
