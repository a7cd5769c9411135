// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Legacy advertising commands (Core 5.4, Vol 4, Part E, 7.8.5 to 7.8.9).
    static var legacyAdvertisingCommands: [CommandHandler] {
        let handlers: [CommandHandler] = [
            .completing(LESetAdvertisingParameters.self) { air, controller, command throws(HCIStatus) in
                let set = air.legacySet(controller)
                guard !air.sets[set].isEnabled else { throw .commandDisallowed }
                try check(command)
                apply(command, to: &air.sets[set])
            },
            .returning(LEReadAdvertisingPhysicalChannelTransmitPower.self) { air, controller, _ in
                .init(transmitPowerLevel: TransmitPower(air.controllers[controller].defaultTransmitPower))
            },
            .completing(LESetAdvertisingData.self) { air, controller, command in
                air.sets[air.legacySet(controller)].data = command.data
            },
            .completing(LESetScanResponseData.self) { air, controller, command in
                air.sets[air.legacySet(controller)].scanResponse = command.data
            },
            .completing(LESetAdvertisingEnable.self) { air, controller, command throws(HCIStatus) in
                guard command.enable <= 1 else { throw .invalidCommandParameters }
                let set = air.legacySet(controller)
                guard command.enable == 1 else { return air.stopAdvertising(set) }
                guard !air.sets[set].isEnabled else { return }
                try air.checkRandomAddress(ofSet: set)
                air.startAdvertising(set, duration: 0, maximumEvents: 0)
            },
        ]
        return handlers.map { $0.of(.legacy) }
    }

    private static func check(_ command: LESetAdvertisingParameters) throws(HCIStatus) {
        let types = AdvertisingEventProperties.ofLegacyTypes
        guard Int(command.advertisingType.rawValue) < types.count, command.ownAddressType.rawValue <= 3,
            command.peerAddressType.rawValue <= 1, command.filterPolicy.rawValue <= 3,
            !command.channelMap.isEmpty, command.channelMap.rawValue <= 7
        else { throw .invalidCommandParameters }
        // At high duty cycle the intervals are ignored.
        guard command.advertisingType != .connectableDirectedHighDutyCycle else { return }
        guard AdvertisingInterval.legacyRange.contains(command.minimumInterval),
            AdvertisingInterval.legacyRange.contains(command.maximumInterval),
            command.minimumInterval <= command.maximumInterval
        else { throw .invalidCommandParameters }
    }

    private static func apply(_ command: LESetAdvertisingParameters, to set: inout AdvertisingSet) {
        set.properties = AdvertisingEventProperties.ofLegacyTypes[Int(command.advertisingType.rawValue)]
        set.setInterval(command.minimumInterval)
        set.channels = command.channelMap.rawValue
        set.filterPolicy = command.filterPolicy
        set.usesRandomAddress = command.ownAddressType.isRandom
        set.target = PackedAddress(onAir: command.peerAddress, type: command.peerAddressType)
    }
}

extension Air {
    /// The set of a controller's legacy commands, which is there once it is needed.
    fileprivate mutating func legacySet(_ controller: Int) -> Int {
        findSet(handle: nil, controller: controller) ?? addSet(handle: nil, controller: controller)
    }

    /// Advertising with a random address needs one.
    func checkRandomAddress(ofSet index: Int) throws(HCIStatus) {
        let set = sets[index]
        guard set.usesRandomAddress, !set.properties.contains(.anonymous) else { return }
        let address = set.handle == nil ? controllers[set.controller].host.randomAddress : set.randomAddress
        guard address != nil else { throw .invalidCommandParameters }
    }
}

extension AdvertisingSet {
    /// The shortest interval that the host allows, or that of high duty cycle.
    mutating func setInterval(_ minimum: AdvertisingInterval) {
        interval = properties.contains(.highDutyCycle) ? Self.highDutyInterval : Int64(minimum.count) * 625
    }
}
