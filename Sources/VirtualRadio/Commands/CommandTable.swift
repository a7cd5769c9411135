// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// All commands that the emulated controllers have.
enum CommandTable {
    static let handlers: [HCIOpcode: CommandHandler] = Dictionary(
        uniqueKeysWithValues: [
            controllerCommands, flowControlCommands, informationCommands, lowEnergyCommands, acceptListCommands,
            legacyAdvertisingCommands, extendedAdvertisingCommands, scanningCommands, connectingCommands,
            connectionCommands, dataLengthCommands, encryptionCommands, keyAgreementCommands,
            directTestCommands, vendorCommands,
        ].joined().map { ($0.opcode, $0) })

    /// What Read Local Supported Commands returns: the keys of the table, so that it cannot claim anything else. A vendor's
    /// commands have no bits there.
    static let supported = SupportedCommands(handlers.keys)
}
