// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

extension CommandTable {
    /// Commands about connections (Core 5.4, Vol 4, Part E, 7.1.6, 7.1.23, 7.3.35, 7.5.4 and 7.8).
    static var connectionCommands: [CommandHandler] {
        [
            .starting(Disconnect.self) { air, controller, command throws(HCIStatus) in
                let now = air.now
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    guard disconnectReasons.contains(command.reason) else { throw .invalidCommandParameters }
                    try link.terminate(by: side, command.reason, at: now)
                }
            },
            .starting(ReadRemoteVersionInformation.self) { air, controller, command throws(HCIStatus) in
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    try link.request(.version(side))
                }
            },
            .starting(LEReadRemoteFeatures.self) { air, controller, command throws(HCIStatus) in
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    try link.request(.features(side))
                }
            },
            .returning(ReadTransmitPowerLevel.self) { air, controller, command throws(HCIStatus) in
                _ = try air.links.find(command, controller)
                guard command.type <= 1 else { throw .invalidCommandParameters }
                let power = air.context.controllers.defaultTransmitPower(of: controller)
                return .init(connectionHandle: command.connectionHandle, transmitPowerLevel: TransmitPower(power))
            },
            .returning(ReadRSSI.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.links.find(command, controller)
                let peer = air.links[index][side.other].controller
                let power = air.context.controllers.defaultTransmitPower(of: peer)
                let packet = Packet(transmitter: peer, power: power, channel: 0, bits: nil)
                let rssi = air.medium.rssi(of: packet, at: controller, now: air.now)
                return .init(connectionHandle: command.connectionHandle, rssi: rssi.map(RSSI.init) ?? .unavailable)
            },
            .returning(LEReadChannelMap.self) { air, controller, command throws(HCIStatus) in
                let (index, _) = try air.links.find(command, controller)
                let map = air.context.controllers.usedChannels(of: air.links[index][.central].controller)
                let octets = (0..<5).map { UInt8(truncatingIfNeeded: map >> UInt64(8 * $0)) }
                return .init(connectionHandle: command.connectionHandle, channelMap: Octets(padding: octets))
            },
            .starting(LEConnectionUpdate.self) { air, controller, command throws(HCIStatus) in
                let parameters = LinkParameters(
                    command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
                    command.supervisionTimeout, command.maximumEventLength)
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    try link.requestUpdate(by: side, parameters)
                }
            },
            .returning(
                LERemoteConnectionParameterRequestReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.links.find(command, controller)
                    try air.links[index].checkUpdateIsAsked(of: side)
                    guard LinkParameters(command).isValid else { throw .invalidCommandParameters }
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    air.links.settle(command, controller, &air.context) { link, side, context in
                        link.acceptUpdate(by: side, LinkParameters(command), &context)
                        return nil
                    }
                }),
            .returning(
                LERemoteConnectionParameterRequestNegativeReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.links.find(command, controller)
                    try air.links[index].checkUpdateIsAsked(of: side)
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    air.links.settle(command, controller, &air.context) { link, side, context in
                        link.refuseUpdate(by: side, &context)
                        return nil
                    }
                }),
        ]
    }

    /// The reasons of a disconnection that a host may give (Core 5.4, Vol 4, Part E, 7.1.6).
    private static let disconnectReasons: Set<HCIStatus> = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedLowResources,
        .remoteDeviceTerminatedPowerOff, .unsupportedRemoteFeature, HCIStatus(rawValue: 0x29),
        .unacceptableConnectionParameters,
    ]

    /// Data length and PHYs of connections (Core 5.4, Vol 4, Part E, 7.8.33, 7.8.47 and 7.8.49).
    static var linkParameterCommands: [CommandHandler] {
        [
            .returning(LESetDataLength.self) { air, controller, command throws(HCIStatus) in
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    let length = try DataLength(checking: command.transmitOctets, command.transmitTime)
                    link.requestDataLength(length, by: side)
                }
                return .init(connectionHandle: command.connectionHandle)
            },
            .returning(LEReadPHY.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.links.find(command, controller)
                return .init(
                    connectionHandle: command.connectionHandle,
                    transmitPHY: PHY(rawValue: air.links[index][side].transmitPHY),
                    receivePHY: PHY(rawValue: air.links[index][side.other].transmitPHY))
            },
            .starting(LESetPHY.self) { air, controller, command throws(HCIStatus) in
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    let preferred = try PreferredPHYs(
                        command.allPHYs, transmit: command.transmitPHYs, receive: command.receivePHYs)
                    try link.request(.physical(side, preferred))
                }
            },
        ]
    }

    /// Flow control by the host (Core 5.4, Vol 4, Part E, 4.2).
    static var flowControlCommands: [CommandHandler] {
        [
            .completing(SetControllerToHostFlowControl.self) { air, controller, command throws(HCIStatus) in
                guard command.flowControlEnable <= 3 else { throw .invalidCommandParameters }
                // Bit 0 is for ACL data, bit 1 for synchronous data, which these controllers do not have.
                try air.links.setFlowControl(command.flowControlEnable & 1 == 1, controller)
            },
            .completing(HostBufferSize.self) { air, controller, command throws(HCIStatus) in
                guard command.aclDataPacketLength > 0, command.totalACLDataPackets > 0 else {
                    throw .invalidCommandParameters
                }
                air.links.setHostBuffers(command.totalACLDataPackets, controller)
            },
            .silent(HostNumberOfCompletedPackets.self) { air, controller, command throws(HCIStatus) in
                for packets in command.completedPackets { try air.links.release(packets, controller, &air.context) }
            },
        ]
    }

    /// Encryption (Core 5.4, Vol 4, Part E, 7.8.24 to 7.8.26).
    static var encryptionCommands: [CommandHandler] {
        [
            .starting(LEEnableEncryption.self) { air, controller, command throws(HCIStatus) in
                try air.links.change(command, controller, &air.context) { link, side throws(HCIStatus) in
                    guard side == .central else { throw .commandDisallowed }
                    try link.requestEncryption(
                        random: command.randomNumber, diversifier: command.encryptedDiversifier,
                        key: command.longTermKey.bytes)
                }
            },
            .returning(
                LELongTermKeyRequestReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.links.find(command, controller)
                    try air.links[index].checkKeyIsAsked(of: side)
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    air.links.settle(command, controller, &air.context) { link, _, _ in
                        link.answerKey(command.longTermKey.bytes)
                        return nil
                    }
                }),
            .returning(
                LELongTermKeyRequestNegativeReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.links.find(command, controller)
                    try air.links[index].checkKeyIsAsked(of: side)
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    air.links.settle(command, controller, &air.context) { link, _, context in
                        link.refuseKey(&context)
                    }
                }),
        ]
    }
}

extension LinkParameters {
    fileprivate init(_ command: LERemoteConnectionParameterRequestReply) {
        self.init(
            command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
            command.supervisionTimeout, command.maximumEventLength)
    }
}
