// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Who waits for a command's answer, and for what.
enum CommandContinuation: Hashable, Sendable {
    /// The start of the controller.
    case initialisation(InitialisationStep)
    /// A beacon on a set of its own.
    case advertisingSet(AdvertisingSetIdentifier, AdvertiserStep)
    /// The one advertiser of a legacy controller, for this beacon.
    case legacyAdvertising(AdvertisingSetIdentifier?, AdvertiserStep)
    /// The scanner.
    case scanning(ScannerStep)
    /// The initiator.
    case connecting(InitiatorStep)
    /// Another private address of the central.
    case centralAddress(BluetoothAddress)
    /// A connection.
    case connection(ConnectionIdentifier, ConnectionStep)
    /// Nobody.
    case unattended
}

/// What was asked for a connection.
enum ConnectionStep: Hashable, Sendable {
    /// Longer link layer packets.
    case dataLength
    /// Other parameters.
    case update
    /// How strongly its peer is heard.
    case signalStrength
    /// Its encryption.
    case encryption
    /// The key of its encryption, or word that there is none.
    case longTermKey
    /// Its end.
    case disconnect
}

/// A controller's answer to a command.
struct CommandReply {
    /// The command.
    let opcode: HCIOpcode
    /// What it returned, the status first; empty when the command only began.
    let returned: [UInt8]
    /// Why it failed; `nil` when it did not.
    let failure: LEHostFailure?

    /// The status of a command that the controller refused.
    var status: HCIStatus? {
        if case .command(_, let status) = failure { status } else { nil }
    }

    /// What a command returned; `nil` when it failed or cannot be read.
    ///
    /// More than is known may follow, as later versions of the specification may add it.
    func value<Command: HCIReturningCommand>(of _: Command.Type) -> Command.Returned? {
        guard failure == nil else { return nil }
        var reader = ByteReader(returned)
        return try? Command.Returned(parsing: &reader)
    }
}
