// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HostStack

/// Where the characteristics of an attribute table are found, by the names that devices have for them.
struct CharacteristicHandles {
    private var handles: [CharacteristicIdentifier: AttributeHandle] = [:]
    private var characteristics: [AttributeHandle: CharacteristicIdentifier] = [:]

    init(_ database: AttributeDatabase) {
        for (identifier, handle) in database.valueHandles {
            handles[identifier] = handle
            characteristics[handle] = identifier
        }
    }

    /// The handle of a characteristic's value; `nil` when the table does not have it.
    func handle(of characteristic: CharacteristicIdentifier) -> AttributeHandle? { handles[characteristic] }

    /// The characteristic whose value has a handle; `nil` when there is none.
    func characteristic(at handle: AttributeHandle) -> CharacteristicIdentifier? { characteristics[handle] }
}
