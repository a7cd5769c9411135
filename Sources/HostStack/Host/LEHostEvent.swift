// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore
package import HCI

/// Something that an owner of a host should know.
package enum LEHostEvent: Hashable, Sendable {
    /// The controller is ready.
    case ready(LEHostCapabilities)
    /// The controller is of no use, until `LEHost.start(at:)` is called again.
    case failed(LEHostFailure)
    /// A command failed. Where somebody waited for what it was to do, another event says what that means.
    case commandFailed(LEHostFailure)

    /// A beacon is on the air, newly or with other values.
    case advertising(AdvertisingSetIdentifier, EffectiveAdvertising)
    /// A beacon is off the air.
    case advertisingStopped(AdvertisingSetIdentifier, AdvertisingEnd)
    /// A beacon cannot be as it should be; the next `setAdvertising` tries again.
    case advertisingFailed(AdvertisingSetIdentifier, LEHostFailure)

    /// The scan has begun, or goes on with other parameters; `nil` when it has ended.
    case scanning(ScanParameters?)
    /// The scan that was asked for cannot be.
    case scanFailed(LEHostFailure)
    /// The scan heard something.
    case scanReport(ScanReport)

    /// There is a connection.
    case connected(LEConnection)
    /// A connection that was asked for did not come about.
    case connectionFailed(PeerAddress, LEHostFailure)
    /// A connection has other parameters.
    case connectionUpdated(LEConnection)
    /// The parameters that were asked for a connection are refused.
    case connectionUpdateFailed(ConnectionIdentifier, LEHostFailure)
    /// A connection is gone, for this reason. What was asked of its peer has ended before.
    case disconnected(LEConnection, HCIStatus)
    /// How strongly a connection's peer is heard, or why that cannot be told.
    case signalStrength(ConnectionIdentifier, Result<RSSI, LEHostFailure>)
    /// A connection's attribute protocol takes PDUs of so many octets.
    case maximumTransmissionUnitChanged(ConnectionIdentifier, Int)

    /// A central reads or writes a beacon's characteristic: answer with `LEHost.respond`.
    case attributeRequest(AttributeServerRequest)
    /// The host refused a central's request to read an attribute, or to write it with this value, itself.
    case attributeRefused(ConnectionIdentifier, AttributeHandle, write: [UInt8]?, ATTError)
    /// A central wants to be told other things of the characteristic whose value this handle has.
    case subscriptionChanged(
        ConnectionIdentifier, AdvertisingSetIdentifier?, AttributeHandle, uuid: BluetoothUUID,
        ClientCharacteristicConfiguration)
    /// An indication has been confirmed, or never will be.
    case indicationEnded(ConnectionIdentifier, AttributeHandle, isConfirmed: Bool)

    /// A peer wants to pair, where the policy says to ask: answer with `LEHost.replyPairing`.
    case pairingRequested(ConnectionIdentifier)
    /// Show these six digits, leading zeros too, to be entered at the peer.
    case displayPasskey(ConnectionIdentifier, UInt32)
    /// Six digits are to be entered: answer with `LEHost.replyPasskey`.
    case passkeyWanted(ConnectionIdentifier)
    /// Is this number, of six digits, shown by the peer too? Answer with `LEHost.replyComparison`.
    case comparisonWanted(ConnectionIdentifier, UInt32)
    /// A pairing has come about. Where it is bonded, keep the bond before the outputs behind this one are carried out.
    case paired(ConnectionIdentifier, Bond, isBonded: Bool)
    /// A pairing that was under way, or wanted, did not come about.
    case pairingFailed(ConnectionIdentifier, PairingError)
    /// A link offers something else than before: it is encrypted, or is not any more.
    case securityChanged(ConnectionIdentifier, LinkSecurity)
    /// A link could not be encrypted with a key that was made before.
    case encryptionFailed(ConnectionIdentifier, EncryptionFailure)
    /// A bond of this beacon, or of this host as central, is different, or that of a pairing under way, on which the peer
    /// can rely from now on: keep `LEHost.bonds(of:)` before the outputs behind this one are carried out.
    case bondChanged(AdvertisingSetIdentifier?, Bond)
    /// A bond with this peer is none, since its pairing did not come about: keep what there is without it.
    case bondWithdrawn(AdvertisingSetIdentifier?, PeerAddress)
    /// A bond of this beacon, or of this host as central, had to give way to newer ones.
    case bondForgotten(AdvertisingSetIdentifier?, PeerAddress)

    /// A procedure of a peer's attributes has ended.
    case completed(ConnectionIdentifier, ATTToken, Result<GATTResult, ATTClientError>)
    /// A peer notified a value.
    case notification(ConnectionIdentifier, AttributeHandle, [UInt8])
    /// A peer indicated a value; it has been confirmed.
    case indication(ConnectionIdentifier, AttributeHandle, [UInt8])
}

/// What a central asks of a beacon's characteristic.
package struct AttributeServerRequest: Hashable, Sendable {
    /// What it wants.
    package enum Operation: Hashable, Sendable {
        /// The value from this offset to its end.
        case read(offset: Int)
        /// To replace the value from this offset on. The answer is wanted in every case; the central is told of it only
        /// if `needsResponse`.
        case write(offset: Int, value: [UInt8], needsResponse: Bool)
    }

    /// Whose request it is.
    package let connection: ConnectionIdentifier
    /// The beacon that was connected to.
    package let advertisingSet: AdvertisingSetIdentifier?
    /// What the answer is given by.
    package let token: ATTToken
    /// The characteristic's value.
    package let handle: AttributeHandle
    /// The characteristic's type.
    package let uuid: BluetoothUUID
    /// What is wanted.
    package let operation: Operation
}
