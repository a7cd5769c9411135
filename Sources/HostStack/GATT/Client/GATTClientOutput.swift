// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// What a client of the attribute profile wants done.
package enum GATTClientOutput: Hashable, Sendable {
    /// Send this PDU on the attribute channel.
    case send([UInt8])
    /// A procedure has ended.
    case completed(ATTToken, Result<GATTResult, ATTClientError>)
    /// The server notified a value.
    case notification(AttributeHandle, [UInt8])
    /// The server indicated a value; it has been confirmed.
    case indication(AttributeHandle, [UInt8])
    /// Both ends agreed on PDUs of so many octets.
    case mtuChanged(Int)
    /// The server did not answer in time: no more can be asked, the link should go.
    case failed
}
