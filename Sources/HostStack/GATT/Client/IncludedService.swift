// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A service that another one includes, as a client found it.
package struct IncludedService: Hashable, Sendable {
    /// The handle of the declaration that says so.
    package let handle: AttributeHandle
    /// The included service.
    package let service: RemoteService

    /// An inclusion of this service.
    package init(handle: AttributeHandle, service: RemoteService) {
        self.handle = handle
        self.service = service
    }
}

/// A value and whose it is.
package struct AttributeValue: Hashable, Sendable {
    /// The attribute.
    package let handle: AttributeHandle
    /// Its value.
    package let value: [UInt8]

    /// The value of an attribute.
    package init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
