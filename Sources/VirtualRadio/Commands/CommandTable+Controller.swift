// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Controller and baseband commands (Core 5.4, Vol 4, Part E, 7.3).
    static var controllerCommands: [CommandHandler] {
        [
            .completing(HCIReset.self) { air, controller, _ in air.silence(controller) },
            .completing(SetEventMask.self) { air, controller, command in
                air.controllers[controller].host.masks.events = command.eventMask
            },
            // None of the events of the second page comes from these controllers.
            .completing(SetEventMaskPage2.self) { _, _, _ in },
            .completing(WriteLocalName.self) { air, controller, command in
                let end = command.localName.bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
                air.controllers[controller].host.localName = Array(command.localName.bytes[..<end])
            },
            .returning(ReadLocalName.self) { air, controller, _ in
                .init(localName: Octets(padding: air.controllers[controller].host.localName))
            },
            .completing(WriteLEHostSupport.self) { air, controller, command throws(HCIStatus) in
                guard command.supportedHost <= 1 else { throw .invalidCommandParameters }
                air.controllers[controller].host.supportsLowEnergy = command.supportedHost == 1
            },
            .returning(ReadLEHostSupport.self) { air, controller, _ in
                .init(supportedHost: air.controllers[controller].host.supportsLowEnergy ? 1 : 0)
            },
            .returning(ReadTransmitPowerLevel.self) { air, controller, command throws(HCIStatus) in
                _ = try air.link(of: command, controller)
                guard command.type <= 1 else { throw .invalidCommandParameters }
                return .init(
                    connectionHandle: command.connectionHandle,
                    transmitPowerLevel: TransmitPower(air.controllers[controller].defaultTransmitPower))
            },
        ]
    }

    /// What a host says of its own buffers (Core 5.4, Vol 4, Part E, 4.2).
    static var flowControlCommands: [CommandHandler] {
        [
            .completing(SetControllerToHostFlowControl.self) { air, controller, command throws(HCIStatus) in
                guard command.flowControlEnable <= 3 else { throw .invalidCommandParameters }
                guard air.controllers[controller].host.links.isEmpty else { throw .commandDisallowed }
                // Bit 0 is of ACL data, bit 1 of voice, which there is none of.
                air.controllers[controller].host.flow.isOn = command.flowControlEnable & 1 == 1
                air.controllers[controller].host.flow.used = 0
            },
            .completing(HostBufferSize.self) { air, controller, command throws(HCIStatus) in
                guard command.aclDataPacketLength > 0, command.totalACLDataPackets > 0 else {
                    throw .invalidCommandParameters
                }
                air.controllers[controller].host.flow.total = command.totalACLDataPackets
            },
            .silent(HostNumberOfCompletedPackets.self) { air, controller, command throws(HCIStatus) in
                for packets in command.completedPackets {
                    guard let (index, side) = air.findLink(packets.connectionHandle, of: controller) else {
                        throw .unknownConnectionIdentifier
                    }
                    air.giveBack(packets.count, link: index, side: side)
                }
            },
        ]
    }

    /// Informational and status parameters (Core 5.4, Vol 4, Part E, 7.4 and 7.5).
    static var informationCommands: [CommandHandler] {
        [
            .returning(ReadLocalVersionInformation.self) { _, _, _ in
                .init(
                    hciVersion: Controller.version, hciSubversion: Controller.subversion,
                    lmpVersion: Controller.version, companyIdentifier: Controller.company,
                    lmpSubversion: Controller.subversion)
            },
            .returning(ReadLocalSupportedCommands.self) { _, _, _ in .init(supportedCommands: CommandTable.supported) },
            .returning(ReadLocalSupportedFeatures.self) { _, _, _ in .init(lmpFeatures: Controller.classicFeatures) },
            .returning(ReadLocalExtendedFeatures.self) { air, controller, command throws(HCIStatus) in
                guard command.pageNumber <= 1 else { throw .invalidCommandParameters }
                // Bit 1 of page 1: the host supports LE (Core 5.4, Vol 2, Part C, 3.3).
                let hostFeatures: UInt64 = air.controllers[controller].host.supportsLowEnergy ? 0x02 : 0
                return .init(
                    pageNumber: command.pageNumber, maximumPageNumber: 1,
                    extendedLMPFeatures: command.pageNumber == 0 ? Controller.classicFeatures.rawValue : hostFeatures)
            },
            .returning(ReadBufferSize.self) { _, _, _ in
                .init(
                    aclDataPacketLength: UInt16(Controller.bufferLength), synchronousDataPacketLength: 0,
                    totalACLDataPackets: UInt16(Controller.bufferCount), totalSynchronousDataPackets: 0)
            },
            .returning(ReadBDADDR.self) { air, controller, _ in
                .init(address: air.controllers[controller].publicAddress.address)
            },
            .returning(ReadRSSI.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                let peer = air.links[index][side.other].controller
                let power = air.controllers[peer].defaultTransmitPower
                return .init(
                    connectionHandle: command.connectionHandle,
                    rssi: RSSI(air.strength(of: peer, transmitting: power, at: controller)))
            },
        ]
    }
}

extension Air {
    /// A host is done with packets of a link.
    mutating func giveBack(_ count: UInt16, link index: Int, side: LinkSide) {
        let controller = links[index][side].controller
        let returned = min(count, links[index][side].heldByHost, controllers[controller].host.flow.used)
        links[index][side].heldByHost -= returned
        controllers[controller].host.flow.used -= returned
        for link in controllers[controller].host.links { scheduleLink(Int(link)) }
    }
}
