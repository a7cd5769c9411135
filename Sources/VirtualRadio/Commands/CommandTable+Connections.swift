// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Commands about connections (Core 5.4, Vol 4, Part E, 7.1.6, 7.1.23 and 7.8).
    static var connectionCommands: [CommandHandler] {
        [
            .starting(Disconnect.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                guard disconnectReasons.contains(command.reason) else { throw .invalidCommandParameters }
                if let termination = air.links[index].termination {
                    guard termination.side != side else { throw .commandDisallowed }
                    // The peer was first, which its reason will tell.
                    return
                }
                let deadline = air.now + air.links[index].timeoutMicroseconds
                air.links[index].termination = (side, command.reason, deadline)
                air.scheduleLink(index)
            },
            .starting(ReadRemoteVersionInformation.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                try air.request(.version(side), link: index)
            },
            .starting(LEReadRemoteFeatures.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                try air.request(.features(side), link: index)
            },
            .returning(LEReadChannelMap.self) { air, controller, command throws(HCIStatus) in
                let (index, _) = try air.link(of: command, controller)
                let central = air.links[index][.central].controller
                let map = air.usedChannels(central)
                let octets = (0..<5).map { UInt8(truncatingIfNeeded: map >> UInt64(8 * $0)) }
                return .init(connectionHandle: command.connectionHandle, channelMap: Octets(padding: octets))
            },
            .starting(LEConnectionUpdate.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                let parameters = ConnectionParameters(
                    command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
                    command.supervisionTimeout)
                guard parameters.isValid else { throw .invalidCommandParameters }
                guard air.links[index].update == nil else { throw .commandDisallowed }
                air.links[index].update = .requested(side, parameters)
                air.scheduleLink(index)
            },
            .returning(
                LERemoteConnectionParameterRequestReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.link(of: command, controller)
                    guard air.askedUpdate(index, of: side) != nil else { throw .commandDisallowed }
                    guard ConnectionParameters(command).isValid else { throw .invalidCommandParameters }
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    guard let (index, side) = air.findLink(command.connectionHandle, of: controller) else { return }
                    let next = air.links[index].nextEventNumber(at: air.now)
                    air.scheduleUpdate(index, by: side.other, ConnectionParameters(command), afterEvent: next)
                    air.scheduleLink(index)
                }),
            .returning(
                LERemoteConnectionParameterRequestNegativeReply.self,
                { air, controller, command throws(HCIStatus) in
                    let (index, side) = try air.link(of: command, controller)
                    guard air.askedUpdate(index, of: side) != nil else { throw .commandDisallowed }
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    guard let (index, side) = air.findLink(command.connectionHandle, of: controller) else { return }
                    // Whatever the host's reason is, the peer gets this one (Core 5.4, Vol 6, Part B, 5.1.7.2).
                    air.rejectUpdate(index, by: side.other, .unacceptableConnectionParameters)
                    air.scheduleLink(index)
                }),
        ]
    }

    /// What a host may give as the reason of its disconnecting (Core 5.4, Vol 4, Part E, 7.1.6).
    private static let disconnectReasons: Set<HCIStatus> = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedLowResources,
        .remoteDeviceTerminatedPowerOff, .unsupportedRemoteFeature, HCIStatus(rawValue: 0x29),
        .unacceptableConnectionParameters,
    ]

    /// Data length and PHYs (Core 5.4, Vol 4, Part E, 7.8.33 to 7.8.35 and 7.8.46 to 7.8.49).
    static var dataLengthCommands: [CommandHandler] {
        [
            .returning(LESetDataLength.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                air.links[index][side].wantedDataLength = try dataLength(command.transmitOctets, command.transmitTime)
                if !air.links[index].procedures.contains(.dataLength) {
                    air.links[index].procedures.append(.dataLength)
                }
                air.scheduleLink(index)
                return .init(connectionHandle: command.connectionHandle)
            },
            .returning(LEReadSuggestedDefaultDataLength.self) { air, controller, _ in
                let suggested = air.controllers[controller].host.suggestedDataLength
                return .init(
                    suggestedMaximumTransmitOctets: suggested.octets,
                    suggestedMaximumTransmitTime: Microseconds(UInt32(suggested.time)))
            },
            .completing(LEWriteSuggestedDefaultDataLength.self) { air, controller, command throws(HCIStatus) in
                air.controllers[controller].host.suggestedDataLength = try dataLength(
                    command.suggestedMaximumTransmitOctets, command.suggestedMaximumTransmitTime)
            },
            .returning(LEReadMaximumDataLength.self) { _, _, _ in
                let octets = DataLength.supported.octets
                let time = Microseconds(UInt32(DataLength.supported.time))
                return .init(
                    supportedMaximumTransmitOctets: octets, supportedMaximumTransmitTime: time,
                    supportedMaximumReceiveOctets: octets, supportedMaximumReceiveTime: time)
            },
            .returning(LEReadPHY.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                return .init(
                    connectionHandle: command.connectionHandle,
                    transmitPHY: PHY(rawValue: air.links[index][side].transmitPHY),
                    receivePHY: PHY(rawValue: air.links[index][side.other].transmitPHY))
            },
            .completing(LESetDefaultPHY.self) { air, controller, command throws(HCIStatus) in
                let (transmit, receive) = try physical(command.allPHYs, command.transmitPHYs, command.receivePHYs)
                air.controllers[controller].host.transmitPHYs = transmit
                air.controllers[controller].host.receivePHYs = receive
            },
            .starting(LESetPHY.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                let (transmit, receive) = try physical(command.allPHYs, command.transmitPHYs, command.receivePHYs)
                let isPending = air.links[index].procedures.contains { procedure in
                    if case .physical(side, _, _) = procedure { return true }
                    return false
                }
                guard !isPending else { throw .commandDisallowed }
                try air.request(.physical(side, transmit: transmit, receive: receive), link: index)
            },
        ]
    }

    private static func dataLength(_ octets: UInt16, _ time: Microseconds) throws(HCIStatus) -> DataLength {
        let length = DataLength(octets: octets, time: UInt16(truncatingIfNeeded: time.count))
        guard DataLength.octetRange.contains(octets), DataLength.timeRange.contains(length.time) else {
            throw .invalidCommandParameters
        }
        return length
    }

    /// Preferences as bits of the PHYs that are there, 1M and 2M.
    private static func physical(
        _ indifference: PHYIndifference, _ transmit: PHYSet, _ receive: PHYSet
    ) throws(HCIStatus) -> (transmit: UInt8, receive: UInt8) {
        let wanted = (
            transmit: indifference.contains(.transmit) ? 0x03 : transmit.rawValue,
            receive: indifference.contains(.receive) ? 0x03 : receive.rawValue
        )
        guard wanted.transmit != 0, wanted.receive != 0 else { throw .invalidCommandParameters }
        // Coded is not there, nor what is reserved.
        guard wanted.transmit <= 0x03, wanted.receive <= 0x03 else { throw .unsupportedFeatureOrParameterValue }
        return wanted
    }
}

extension ConnectionParameters {
    fileprivate init(_ command: LERemoteConnectionParameterRequestReply) {
        self.init(
            command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
            command.supervisionTimeout)
    }
}

extension Air {
    /// The channels of a central's connections: those that its host has not called bad, two at the least (Core 5.4,
    /// Vol 6, Part B, 4.5.8.1).
    fileprivate func usedChannels(_ central: Int) -> UInt64 {
        let map = controllers[central].host.channelMap
        guard map.nonzeroBitCount < 2 else { return map }
        return map | (map == 1 ? 2 : 1)
    }

    /// Has a procedure run at the next connection event; one of a kind at a time.
    fileprivate mutating func request(_ procedure: LinkProcedure, link index: Int) throws(HCIStatus) {
        guard !links[index].procedures.contains(procedure) else { throw .commandDisallowed }
        links[index].procedures.append(procedure)
        scheduleLink(index)
    }

    /// The parameters that a side's host has been asked about.
    fileprivate func askedUpdate(_ index: Int, of side: LinkSide) -> ConnectionParameters? {
        guard case .asked(let initiator, let parameters, _) = links[index].update, initiator == side.other else {
            return nil
        }
        return parameters
    }
}
