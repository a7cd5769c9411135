// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A request of a device to a connected central, as a GATT client of the central's own attributes.
package enum ClientRequest: Hashable, Sendable {
    /// Encrypt the connection; pair first if there is no key.
    case secure
    /// Discover the characteristics of the first primary service of this type.
    case discover(BluetoothUUID)
    /// Subscribe to the value with this handle, or unsubscribe.
    case subscribe(AttributeHandle, Bool)
    /// Read the value with this handle.
    case read(AttributeHandle)
    /// Write the value with this handle, with response.
    case write(AttributeHandle, [UInt8])
}

/// The result of a request.
package enum ClientResult: Hashable, Sendable {
    /// The characteristics in the order of their handles; `nil` when the central has no such service.
    case found([RemoteCharacteristic]?)
    /// The value that was read.
    case value([UInt8])
    /// The request was carried out.
    case done
    /// The central answered with an error.
    case refused(ATTError)
    /// The request could not be sent, or got no answer; a clause for people with the reason.
    case failed(String)
}
