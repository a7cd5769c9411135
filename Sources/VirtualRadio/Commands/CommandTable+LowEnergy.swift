// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// What a controller is and can, and its addresses (Core 5.4, Vol 4, Part E, 7.8).
    static var lowEnergyCommands: [CommandHandler] {
        [
            .completing(LESetEventMask.self) { air, controller, command in
                air.controllers[controller].host.masks.lowEnergyEvents = command.eventMask
            },
            .returning(LEReadBufferSize.self) { _, _, _ in
                .init(
                    aclDataPacketLength: UInt16(Controller.bufferLength),
                    totalACLDataPackets: UInt8(Controller.bufferCount))
            },
            .returning(LEReadLocalSupportedFeatures.self) { _, _, _ in .init(features: Controller.features) },
            .returning(LEReadSupportedStates.self) { _, _, _ in .init(states: .all) },
            .returning(LERand.self) { air, _, _ in .init(randomNumber: air.numbers.next()) },
            .returning(LEEncrypt.self) { _, _, command throws(HCIStatus) in
                guard let block = BlockCipher.encrypt(command.plaintextData.bytes, key: command.key.bytes) else {
                    throw .unspecifiedError
                }
                return .init(encryptedData: Octets(padding: block))
            },
            .returning(LEReadTransmitPower.self) { _, _, _ in
                .init(
                    minimumTransmitPower: TransmitPower(Controller.transmitPowers.lowerBound),
                    maximumTransmitPower: TransmitPower(Controller.transmitPowers.upperBound))
            },
            .completing(LESetRandomAddress.self) { air, controller, command throws(HCIStatus) in
                let legacy = air.findSet(handle: nil, controller: controller)
                let isBusy = legacy.map { air.sets[$0].isEnabled } ?? false
                guard !isBusy, !air.isScanning(controller), !air.isInitiating(controller) else {
                    throw .commandDisallowed
                }
                air.controllers[controller].host.randomAddress = PackedAddress(command.randomAddress, type: 1)
            },
            .completing(LESetHostChannelClassification.self) { air, controller, command throws(HCIStatus) in
                let map = command.channelMap.bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                guard map != 0, map >> 37 == 0 else { throw .invalidCommandParameters }
                air.controllers[controller].host.channelMap = map
            },
        ]
    }

    /// The filter accept list (Core 5.4, Vol 4, Part E, 7.8.14 to 7.8.17).
    static var acceptListCommands: [CommandHandler] {
        [
            .returning(LEReadFilterAcceptListSize.self) { _, _, _ in
                .init(filterAcceptListSize: UInt8(Controller.acceptListLimit))
            },
            .completing(LEClearFilterAcceptList.self) { air, controller, _ throws(HCIStatus) in
                try air.checkAcceptListIsIdle(controller)
                air.controllers[controller].host.acceptList = []
            },
            .completing(LEAddDeviceToFilterAcceptList.self) { air, controller, command throws(HCIStatus) in
                try air.checkAcceptListIsIdle(controller)
                let entry = try acceptListEntry(command.addressType, command.address)
                guard !air.accepts(entry, controller: controller) else { return }
                guard air.controllers[controller].host.acceptList.count < Controller.acceptListLimit else {
                    throw .memoryCapacityExceeded
                }
                air.controllers[controller].host.acceptList.append(entry)
            },
            .completing(LERemoveDeviceFromFilterAcceptList.self) { air, controller, command throws(HCIStatus) in
                try air.checkAcceptListIsIdle(controller)
                let entry = try acceptListEntry(command.addressType, command.address)
                air.controllers[controller].host.acceptList.removeAll { $0 == entry }
            },
        ]
    }

    private static func acceptListEntry(
        _ type: AddressType, _ address: BluetoothAddress
    ) throws(HCIStatus) -> PackedAddress {
        switch type {
        case .public, .random: return PackedAddress(onAir: address, type: type)
        case .anonymous: return .anonymous
        default: throw .invalidCommandParameters
        }
    }
}

extension Air {
    /// The list must not change while something decides by it.
    fileprivate func checkAcceptListIsIdle(_ controller: Int) throws(HCIStatus) {
        let advertises = controllers[controller].host.sets.contains {
            sets[Int($0)].isEnabled && !sets[Int($0)].filterPolicy.isEmpty
        }
        let scans = scanners.contains {
            $0.controller == controller && $0.parameters.filterPolicy.usesFilterAcceptList
        }
        let initiates = initiators.contains { $0.controller == controller && $0.peer == nil }
        guard !advertises, !scans, !initiates else { throw .commandDisallowed }
    }
}
