// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Extended advertising commands (Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.60).
    static var extendedAdvertisingCommands: [CommandHandler] {
        let handlers: [CommandHandler] = [
            .completing(LESetAdvertisingSetRandomAddress.self) { air, controller, command throws(HCIStatus) in
                let set = try air.set(command.advertisingHandle, controller)
                guard !air.sets[set].isEnabled || !air.sets[set].isConnectable else { throw .commandDisallowed }
                air.sets[set].randomAddress = PackedAddress(command.randomAddress, type: 1)
                if air.sets[set].isEnabled { air.sets[set].address = air.ownAddress(ofSet: set) }
            },
            .returning(LESetExtendedAdvertisingParameters.self) { air, controller, command throws(HCIStatus) in
                let set = try air.setExtendedParameters(command, controller)
                return .init(selectedTransmitPower: TransmitPower(air.sets[set].transmitPower))
            },
            .completing(LESetExtendedAdvertisingData.self) { air, controller, command throws(HCIStatus) in
                let set = try air.set(command.advertisingHandle, controller)
                try air.sets[set].setData(command.operation, command.data)
            },
            .completing(LESetExtendedScanResponseData.self) { air, controller, command throws(HCIStatus) in
                let set = try air.set(command.advertisingHandle, controller)
                try air.sets[set].setScanResponse(command.operation, command.data)
            },
            .completing(LESetExtendedAdvertisingEnable.self) { air, controller, command throws(HCIStatus) in
                try air.enableSets(command, controller)
            },
            .returning(LEReadMaximumAdvertisingDataLength.self) { _, _, _ in
                .init(maximumAdvertisingDataLength: UInt16(AdvertisingSet.dataLimit))
            },
            .returning(LEReadNumberOfSupportedAdvertisingSets.self) { _, _, _ in
                .init(supportedAdvertisingSets: UInt8(Controller.setLimit))
            },
            .completing(LERemoveAdvertisingSet.self) { air, controller, command throws(HCIStatus) in
                let set = try air.set(command.advertisingHandle, controller)
                guard !air.sets[set].isEnabled else { throw .commandDisallowed }
                air.removeSet(set)
            },
            .completing(LEClearAdvertisingSets.self) { air, controller, _ throws(HCIStatus) in
                let sets = air.controllers[controller].host.sets.map(Int.init)
                guard sets.allSatisfy({ !air.sets[$0].isEnabled }) else { throw .commandDisallowed }
                for set in sets { air.removeSet(set) }
            },
        ]
        return handlers.map { $0.of(.extended) }
    }
}

// MARK: - Parameters

extension Air {
    fileprivate func set(_ handle: UInt8, _ controller: Int) throws(HCIStatus) -> Int {
        guard handle <= 0xEF else { throw .invalidCommandParameters }
        guard let set = findSet(handle: handle, controller: controller) else { throw .unknownAdvertisingIdentifier }
        return set
    }

    /// The set that the parameters are for; a new one when the handle is new.
    fileprivate mutating func setExtendedParameters(
        _ command: LESetExtendedAdvertisingParameters, _ controller: Int
    ) throws(HCIStatus) -> Int {
        try Self.check(command)
        let found = findSet(handle: command.advertisingHandle, controller: controller)
        if let found {
            guard !sets[found].isEnabled else { throw .commandDisallowed }
            guard sets[found].canBecome(command.properties) else { throw .invalidCommandParameters }
        } else if controllers[controller].host.sets.count >= Controller.setLimit {
            throw .memoryCapacityExceeded
        }
        let index = found ?? addSet(handle: command.advertisingHandle, controller: controller)
        sets[index].apply(command)
        sets[index].transmitPower =
            command.transmitPower == .unspecified
            ? controllers[controller].defaultTransmitPower : command.transmitPower.decibelMilliwatts
        return index
    }

    private static func check(_ command: LESetExtendedAdvertisingParameters) throws(HCIStatus) {
        guard command.advertisingHandle <= 0xEF, command.properties.isValid, command.ownAddressType.rawValue <= 3,
            command.peerAddressType.rawValue <= 1, command.filterPolicy.rawValue <= 3,
            !command.channelMap.isEmpty, command.channelMap.rawValue <= 7, command.advertisingSetIdentifier <= 0x0F,
            command.scanRequestNotificationEnable <= 1
        else { throw .invalidCommandParameters }
        guard
            command.transmitPower == .unspecified
                || Controller.transmitPowers.contains(command.transmitPower.decibelMilliwatts)
        else { throw .invalidCommandParameters }
        if !command.properties.contains(.highDutyCycle) {
            guard command.minimumInterval >= AdvertisingInterval(0x20),
                command.minimumInterval <= command.maximumInterval
            else { throw .invalidCommandParameters }
        }
        guard command.properties.contains(.legacy) || 1...3 ~= command.secondaryPHY.rawValue else {
            throw .invalidCommandParameters
        }
        // Of the PHYs that advertising may use, Coded is not there.
        guard command.primaryPHY != .coded, command.properties.contains(.legacy) || command.secondaryPHY != .coded
        else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard command.primaryPHY == .oneMegabit else { throw .invalidCommandParameters }
    }
}

extension AdvertisingSet {
    /// Whether the data that is there suits other properties.
    fileprivate func canBecome(_ properties: AdvertisingEventProperties) -> Bool {
        let limit = properties.contains(.legacy) ? Self.legacyDataLimit : Self.dataLimit
        guard data.isEmpty || properties.takesAdvertisingData, data.count <= limit else { return false }
        return !properties.takesScanResponseData || scanResponse.count <= limit
    }

    fileprivate mutating func apply(_ command: LESetExtendedAdvertisingParameters) {
        properties = command.properties
        setInterval(command.minimumInterval)
        channels = command.channelMap.rawValue
        filterPolicy = command.filterPolicy
        usesRandomAddress = command.ownAddressType.isRandom
        target = PackedAddress(onAir: command.peerAddress, type: command.peerAddressType)
        secondaryPHY = command.secondaryPHY.rawValue
        identifier = command.advertisingSetIdentifier
        notifiesScanRequests = command.scanRequestNotificationEnable == 1
    }
}

// MARK: - Data

extension AdvertisingSet {
    fileprivate mutating func setData(_ operation: AdvertisingDataOperation, _ octets: [UInt8]) throws(HCIStatus) {
        guard properties.takesAdvertisingData else { throw .invalidCommandParameters }
        if operation == .unchanged {
            guard isEnabled, !data.isEmpty, octets.isEmpty, !properties.contains(.legacy) else {
                throw .invalidCommandParameters
            }
        } else {
            try checkOperation(operation, octets)
            try Self.assemble(&data, &dataIsIncomplete, operation, octets, limit: limit)
        }
        dataIdentifier &+= 1
    }

    fileprivate mutating func setScanResponse(
        _ operation: AdvertisingDataOperation, _ octets: [UInt8]
    ) throws(HCIStatus) {
        // Hosts discard what is there also of sets that have no scan responses.
        let discards = operation == .complete && octets.isEmpty
        guard properties.takesScanResponseData || discards else { throw .invalidCommandParameters }
        try checkOperation(operation, octets)
        guard !isEnabled || !discards || properties.contains(.legacy) || !properties.takesScanResponseData else {
            throw .commandDisallowed
        }
        try Self.assemble(&scanResponse, &scanResponseIsIncomplete, operation, octets, limit: limit)
        dataIdentifier &+= 1
    }

    private var limit: Int { properties.contains(.legacy) ? Self.legacyDataLimit : Self.dataLimit }

    private func checkOperation(_ operation: AdvertisingDataOperation, _ octets: [UInt8]) throws(HCIStatus) {
        guard operation.rawValue <= AdvertisingDataOperation.complete.rawValue else { throw .invalidCommandParameters }
        guard operation != .complete else { return }
        guard !octets.isEmpty, !properties.contains(.legacy) else { throw .invalidCommandParameters }
        guard !isEnabled else { throw .commandDisallowed }
    }

    /// Puts fragments together; what is too long is discarded as a whole.
    private static func assemble(
        _ field: inout [UInt8], _ isIncomplete: inout Bool, _ operation: AdvertisingDataOperation, _ octets: [UInt8],
        limit: Int
    ) throws(HCIStatus) {
        let begins = operation == .complete || operation == .firstFragment
        guard begins || isIncomplete else { throw .commandDisallowed }
        let whole = begins ? octets : field + octets
        guard whole.count <= limit else {
            guard limit > legacyDataLimit else { throw .invalidCommandParameters }
            field = []
            isIncomplete = false
            throw .memoryCapacityExceeded
        }
        field = whole
        isIncomplete = operation == .firstFragment || operation == .intermediateFragment
    }
}

// MARK: - Enabling

extension Air {
    /// All sets are checked before the first is enabled.
    fileprivate mutating func enableSets(
        _ command: LESetExtendedAdvertisingEnable, _ controller: Int
    ) throws(HCIStatus) {
        guard command.enable <= 1, command.sets.count <= 0x3F else { throw .invalidCommandParameters }
        guard command.enable == 1 else { return try disableSets(command, controller) }
        let handles = Set(command.sets.map(\.advertisingHandle))
        guard !command.sets.isEmpty, handles.count == command.sets.count else { throw .invalidCommandParameters }
        var found: [Int] = []
        for wanted in command.sets {
            let index = try set(wanted.advertisingHandle, controller)
            try checkEnabling(index, duration: Int64(wanted.duration.count) * 10_000)
            found.append(index)
        }
        for (index, wanted) in zip(found, command.sets) {
            startAdvertising(
                index, duration: Int64(wanted.duration.count) * 10_000, maximumEvents: wanted.maximumEvents)
        }
    }

    private mutating func disableSets(
        _ command: LESetExtendedAdvertisingEnable, _ controller: Int
    ) throws(HCIStatus) {
        if command.sets.isEmpty {
            for set in controllers[controller].host.sets { stopAdvertising(Int(set)) }
        }
        var found: [Int] = []
        for wanted in command.sets { found.append(try set(wanted.advertisingHandle, controller)) }
        for index in found { stopAdvertising(index) }
    }

    private func checkEnabling(_ index: Int, duration: Int64) throws(HCIStatus) {
        let set = sets[index]
        guard !set.dataIsIncomplete, !set.scanResponseIsIncomplete else { throw .commandDisallowed }
        let needsResponse = set.properties.contains(.scannable) && !set.properties.contains(.legacy)
        guard !needsResponse || !set.scanResponse.isEmpty else { throw .commandDisallowed }
        if set.properties.contains(.highDutyCycle) {
            guard duration > 0, duration <= AdvertisingSet.highDutyDuration else { throw .invalidCommandParameters }
        }
        try checkRandomAddress(ofSet: index)
    }
}
