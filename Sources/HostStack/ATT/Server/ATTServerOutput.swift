// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// What an attribute server wants done.
package enum ATTServerOutput: Hashable, Sendable {
    /// Send this PDU on the attribute channel.
    case send([UInt8])
    /// A characteristic's value is read from this offset on: answer with `respond`, the value from there to its end.
    case read(ATTToken, handle: AttributeHandle, uuid: BluetoothUUID, offset: Int)
    /// A characteristic's value is written from this offset on: answer with `respond`, in every case; the client is
    /// told only when `needsResponse`.
    case write(
        ATTToken, handle: AttributeHandle, uuid: BluetoothUUID, offset: Int, value: [UInt8], needsResponse: Bool)
    /// The server itself refused a request or a command to read an attribute, or to write it with the value, for its
    /// permissions, the security of the link, or the length.
    case refused(AttributeHandle, write: [UInt8]?, ATTError)
    /// The client wants to be told other things of the characteristic whose value this handle has.
    case subscriptionChanged(AttributeHandle, uuid: BluetoothUUID, ClientCharacteristicConfiguration)
    /// The characteristic whose value this handle has is to be broadcast, or not any more.
    case broadcastChanged(AttributeHandle, uuid: BluetoothUUID, isOn: Bool)
    /// An indication has been confirmed, or never will be.
    case indicationEnded(AttributeHandle, isConfirmed: Bool)
    /// Both ends agreed on PDUs of so many octets.
    case mtuChanged(Int)
    /// The client did not confirm an indication in time: nothing more can be sent, the link should go.
    case failed
}
