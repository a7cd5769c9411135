// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// Something that a device asks of a central connected to it, as the client of the central's own attributes.
package enum ClientRequest: Hashable, Sendable {
    /// To have the connection encrypted, by pairing where there is no key yet.
    case secure
    /// The characteristics of the first primary service of this type.
    case discover(BluetoothUUID)
    /// To be told the value with this handle from now on, or no more.
    case subscribe(AttributeHandle, Bool)
    /// The value with this handle.
    case read(AttributeHandle)
    /// To take this for the value with this handle, and to say so.
    case write(AttributeHandle, [UInt8])
}

/// What came of a request.
package enum ClientResult: Hashable, Sendable {
    /// The characteristics, in the order of their handles; `nil` when there is no such service.
    case found([RemoteCharacteristic]?)
    /// The value read.
    case value([UInt8])
    /// It is done.
    case done
    /// The central refused it.
    case refused(ATTError)
    /// It could not be asked, or got no answer; a clause for people.
    case failed(String)
}
