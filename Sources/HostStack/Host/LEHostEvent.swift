// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// An action of a host for its owner to perform, in order.
package enum LEHostOutput: Equatable, Sendable {
    /// Send this packet to the controller.
    case send(HCIPacket)
    /// Something happened.
    case event(LEHostEvent)
}

/// A notification of the owner of a host.
package enum LEHostEvent: Equatable, Sendable {
    /// The controller is ready.
    case ready(LEHostCapabilities)
    /// The controller cannot be used until `LEHost.start(at:)` is called again.
    case failed(LEHostFailure)
    /// A command failed. If the owner waits for its effect, another event reports what that means.
    case commandFailed(LEHostFailure)

    /// A set is on the air, for the first time or with new values.
    case advertising(AdvertisingSetIdentifier, EffectiveAdvertising)
    /// A set is off the air.
    case advertisingStopped(AdvertisingSetIdentifier, AdvertisingEnd)
    /// A set cannot advertise as requested. The next `setAdvertising` tries again, and so does the end of a connection, or
    /// of another activity of the controller that is the reason (`LEHostFailure.activity`).
    case advertisingFailed(AdvertisingSetIdentifier, LEHostFailure)

    /// The scan has started, or continues with other parameters; `nil` if it has stopped.
    case scanning(ScanParameters?)
    /// The controller does not scan while it has a connection; `.scanning` follows when the scan continues after it.
    case scanHeld(LEHostFailure)
    /// The requested scan failed; the next `startScanning` tries again.
    case scanFailed(LEHostFailure)
    /// The scan received an advertisement; the identity is the peer of the central's bond whose key resolves the address.
    case scanReport(ScanReport, identity: PeerAddress?)

    /// A connection was made.
    case connected(LEConnection)
    /// A requested connection was not made.
    case connectionFailed(PeerAddress, LEHostFailure)
    /// A connection has other parameters.
    case connectionUpdated(LEConnection)
    /// The parameters that were requested for a connection are refused.
    case connectionUpdateFailed(ConnectionIdentifier, LEHostFailure)
    /// A connection has ended, for this reason. The events of its pending requests come before this one.
    case disconnected(LEConnection, HCIStatus)
    /// The RSSI of a connection's peer, or the reason why it cannot be read.
    case rssi(ConnectionIdentifier, Result<RSSI, LEHostFailure>)
    /// The ATT MTU of a connection, in bytes.
    case mtuChanged(ConnectionIdentifier, Int)

    /// A central reads or writes a characteristic of a set: answer with `LEHost.respond`.
    case attributeRequest(AttributeServerRequest)
    /// The host itself refused a central's request to read an attribute, or to write it with this value.
    case attributeRefused(ConnectionIdentifier, AttributeHandle, write: [UInt8]?, ATTError)
    /// A central changed its subscription to the characteristic whose value has this handle.
    case subscriptionChanged(
        ConnectionIdentifier, AdvertisingSetIdentifier?, AttributeHandle, uuid: BluetoothUUID,
        ClientCharacteristicConfiguration)
    /// An indication is confirmed, or never will be.
    case indicationEnded(ConnectionIdentifier, AttributeHandle, isConfirmed: Bool)

    /// A peer requests a pairing, and the acceptance is `.ask`: answer with `LEHost.replyPairing`.
    case pairingRequested(ConnectionIdentifier)
    /// Display these six digits, with leading zeros, to be entered on the peer.
    case displayPasskey(ConnectionIdentifier, UInt32)
    /// Ask for six digits: answer with `LEHost.replyPasskey`.
    case passkeyWanted(ConnectionIdentifier)
    /// Ask whether the peer shows this number of six digits too: answer with `LEHost.replyComparison`.
    case comparisonWanted(ConnectionIdentifier, UInt32)
    /// Ask whether to pair, although the pairing just works: answer with `LEHost.replyComparison`.
    case confirmationWanted(ConnectionIdentifier)
    /// A pairing succeeded. If it is bonded, save the bond before performing the outputs after this one.
    case paired(ConnectionIdentifier, Bond, isBonded: Bool)
    /// A pairing that was under way, or requested, failed.
    case pairingFailed(ConnectionIdentifier, PairingError)
    /// The security of a link changed: it is encrypted, or no longer encrypted.
    case securityChanged(ConnectionIdentifier, LinkSecurity)
    /// A link could not be encrypted with the key of a bond.
    case encryptionFailed(ConnectionIdentifier, EncryptionFailure)
    /// A bond of this set (`nil`: of the host as central) changed, or the peer may use the bond of an unfinished
    /// pairing from now on: save `LEHost.bonds(of:)` before performing the outputs after this one.
    case bondChanged(AdvertisingSetIdentifier?, Bond)
    /// The pairing with this peer failed, and its promised bond is void: save `LEHost.bonds(of:)`, which is now without
    /// it.
    case bondWithdrawn(AdvertisingSetIdentifier?, PeerAddress)
    /// A bond of this set (`nil`: of the host as central) was removed to make room for newer ones.
    case bondForgotten(AdvertisingSetIdentifier?, PeerAddress)

    /// A procedure on a peer's attributes has ended.
    case completed(ConnectionIdentifier, ATTToken, Result<GATTResult, ATTClientError>)
    /// A peer notified a value.
    case notification(ConnectionIdentifier, AttributeHandle, [UInt8])
    /// A peer indicated a value; the host has confirmed it.
    case indication(ConnectionIdentifier, AttributeHandle, [UInt8])
}

/// The reason why an advertising set is off the air.
package enum AdvertisingEnd: Hashable, Sendable {
    /// The owner stopped it.
    case requested
    /// A central connected; the set advertises again when the connection has ended.
    case connected
    /// The controller stopped it with this status; the host starts it again.
    case controller(HCIStatus)
}

/// A central's request for a characteristic.
package struct AttributeServerRequest: Hashable, Sendable {
    /// The operation that the central requests.
    package enum Operation: Hashable, Sendable {
        /// Read the value from this offset to its end.
        case read(offset: Int)
        /// Replace the value from this offset on. Every request is to be answered; the central gets the answer only if
        /// `needsResponse`.
        case write(offset: Int, value: [UInt8], needsResponse: Bool)
    }

    /// The connection of the central.
    package let connection: ConnectionIdentifier
    /// The set that the central connected to.
    package let advertisingSet: AdvertisingSetIdentifier?
    /// The token to answer with.
    package let token: ATTToken
    /// The handle of the characteristic's value.
    package let handle: AttributeHandle
    /// The type of the characteristic.
    package let uuid: BluetoothUUID
    /// The requested operation.
    package let operation: Operation
}

/// A subscription that ended because the attributes were replaced.
package struct EndedSubscription: Hashable, Sendable {
    /// The connection of the subscriber.
    package let connection: ConnectionIdentifier
    /// The handle of the characteristic's value, in the old attributes.
    package let handle: AttributeHandle
}
