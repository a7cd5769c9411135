// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// A command about a connection: its parameters begin with the handle.
protocol ConnectionCommand: HCICommand {
    var connectionHandle: ConnectionHandle { get }
}

extension Disconnect: ConnectionCommand {}
extension ReadRemoteVersionInformation: ConnectionCommand {}
extension ReadRSSI: ConnectionCommand {}
extension ReadTransmitPowerLevel: ConnectionCommand {}
extension LEConnectionUpdate: ConnectionCommand {}
extension LEReadChannelMap: ConnectionCommand {}
extension LEReadRemoteFeatures: ConnectionCommand {}
extension LEEnableEncryption: ConnectionCommand {}
extension LELongTermKeyRequestReply: ConnectionCommand {}
extension LELongTermKeyRequestNegativeReply: ConnectionCommand {}
extension LERemoteConnectionParameterRequestReply: ConnectionCommand {}
extension LERemoteConnectionParameterRequestNegativeReply: ConnectionCommand {}
extension LESetDataLength: ConnectionCommand {}
extension LEReadPHY: ConnectionCommand {}
extension LESetPHY: ConnectionCommand {}

extension Air {
    /// The link of a command.
    func link(
        of command: some ConnectionCommand, _ controller: Int
    ) throws(HCIStatus) -> (index: Int, side: LinkSide) {
        guard let found = findLink(command.connectionHandle, of: controller) else { throw .unknownConnectionIdentifier }
        return found
    }
}
