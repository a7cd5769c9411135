// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The advertising state of all controllers (Core 5.4, Vol 6, Part B, 4.4.2).
///
/// The air runs an event of a set when its timer is due: `beginEvent` counts it or ends the set; after scanners and initiators
/// have received the event, `endEvent` schedules the next one or ends the set. Where packets collide, the timer is due at the
/// end of each PDU of the event as well, and `beginPDU` begins the next one.
struct AdvertisingSets: Sendable {
    private var sets: [AdvertisingSet] = []
    private var free: [Int] = []
    /// The indices of the sets of each controller.
    private var ofController: [[Int32]] = []
    /// The advertising delays of each controller, and how many of them were drawn.
    private var delays: [(draws: Draws, count: UInt64)] = []
    /// Whether each controller is of a beacon.
    private var ofBeacon: [Bool] = []
    /// Whether the first event of a set of a beacon comes at a phase.
    var drawsPhases = false
    /// The number of events of each controller.
    private var eventCounts: [UInt64] = []
    /// The number of all events.
    private(set) var events: UInt64 = 0
    /// How late the events were.
    private(set) var lateness = DurationHistogram()

    /// Reads a set in place: a copy would retain its data (hot path: several reads in each advertising event).
    subscript(index: Int) -> AdvertisingSet {
        @inline(__always) _read { yield sets[index] }
    }

    // MARK: - Controllers

    mutating func addController(_ index: Int, _ draws: Draws, isOfBeacon: Bool) {
        if index == ofController.count {
            ofController.append([])
            delays.append((draws, 0))
            eventCounts.append(0)
            ofBeacon.append(isOfBeacon)
        } else {
            ofController[index] = []
            delays[index] = (draws, 0)
            eventCounts[index] = 0
            ofBeacon[index] = isOfBeacon
        }
    }

    /// The number of events of a controller.
    func events(of controller: Int) -> UInt64 { eventCounts[controller] }

    /// Removes all sets of a controller.
    mutating func reset(_ controller: Int, _ context: inout AirContext) {
        for set in ofController[controller] { discard(Int(set), &context) }
        ofController[controller] = []
    }

    func isAdvertising(_ controller: Int) -> Bool {
        ofController[controller].contains { sets[Int($0)].isEnabled }
    }

    /// The transmit power in dBm of a controller's first enabled set; `nil` if it does not advertise.
    func transmitPower(of controller: Int) -> Int8? {
        ofController[controller].first { sets[Int($0)].isEnabled }.map { sets[Int($0)].transmitPower }
    }

    func isLegacySetEnabled(_ controller: Int) -> Bool {
        find(handle: nil, controller).map { sets[$0].isEnabled } ?? false
    }

    /// The sets of a controller's extended commands.
    func extendedSets(of controller: Int) -> [ControllerStates.AdvertisingSet] {
        ofController[controller].compactMap { index in
            sets[Int(index)].handle.map { handle in
                ControllerStates.AdvertisingSet(
                    handle: handle, isEnabled: sets[Int(index)].isEnabled,
                    endedByConnection: sets[Int(index)].endedByConnection)
            }
        }
    }

    /// Whether an enabled set uses the filter accept list.
    func usesAcceptList(_ controller: Int) -> Bool {
        ofController[controller].contains { sets[Int($0)].isEnabled && !sets[Int($0)].filterPolicy.isEmpty }
    }

    // MARK: - Sets

    /// The index of a controller's set; `nil` as the handle is the set of the legacy commands.
    private func find(handle: UInt8?, _ controller: Int) -> Int? {
        ofController[controller].first { sets[Int($0)].handle == handle }.map(Int.init)
    }

    fileprivate func find(_ handle: UInt8, _ controller: Int) throws(HCIStatus) -> Int {
        guard handle <= 0xEF else { throw .invalidCommandParameters }
        guard let index = find(handle: handle, controller) else { throw .unknownAdvertisingIdentifier }
        return index
    }

    private mutating func add(handle: UInt8?, _ controller: Int, _ context: inout AirContext) -> Int {
        let index = free.popLast() ?? sets.count
        let set = AdvertisingSet(
            controller: controller, handle: handle, timer: context.timers.add(.advertisingSet(Int32(index))),
            transmitPower: context.controllers.defaultTransmitPower(of: controller))
        if index == sets.count { sets.append(set) } else { sets[index] = set }
        ofController[controller].append(Int32(index))
        return index
    }

    /// Frees the index of a set; the list of its controller still holds it.
    private mutating func discard(_ index: Int, _ context: inout AirContext) {
        context.timers.remove(sets[index].timer)
        sets[index].discard()
        free.append(index)
    }

    // MARK: - Enabling

    /// Starts advertising with the first event within 10 ms, or at a phase; an enabled set restarts its duration and its count of
    /// events.
    /// - Parameters:
    ///   - duration: microseconds; 0 without a limit.
    ///   - maximumEvents: 0 without a limit.
    private mutating func start(
        _ index: Int, duration: Int64 = 0, maximumEvents: UInt8 = 0, _ context: inout AirContext
    ) {
        sets[index].enable(
            address: ownAddress(of: index, context.controllers), now: context.now, duration: duration,
            maximumEvents: maximumEvents)
        let next = context.timers.deadline(of: sets[index].timer) ?? context.now + firstDelay(of: index, &context)
        context.timers.schedule(sets[index].timer, at: min(next, sets[index].end))
    }

    mutating func stop(_ index: Int, _ context: inout AirContext) {
        sets[index].disable()
        context.timers.cancel(sets[index].timer)
    }

    /// The address that a set uses when it is enabled.
    private func ownAddress(of index: Int, _ controllers: Controllers) -> PackedAddress {
        let controller = sets[index].controller
        if sets[index].properties.contains(.anonymous) { return .anonymous }
        guard sets[index].usesRandomAddress else { return controllers.publicAddress(of: controller) }
        return randomAddress(of: index, controllers) ?? controllers.publicAddress(of: controller)
    }

    private func randomAddress(of index: Int, _ controllers: Controllers) -> PackedAddress? {
        sets[index].handle == nil ? controllers.randomAddress(of: sets[index].controller) : sets[index].randomAddress
    }

    /// Advertising with a random address requires one.
    private func checkRandomAddress(of index: Int, _ controllers: Controllers) throws(HCIStatus) {
        guard sets[index].usesRandomAddress, !sets[index].properties.contains(.anonymous) else { return }
        guard randomAddress(of: index, controllers) != nil else { throw .invalidCommandParameters }
    }

    /// The time until the first event of a set.
    private mutating func firstDelay(of index: Int, _ context: inout AirContext) -> Int64 {
        // Also with a phase: the delays after it are the same as without.
        let delay = nextDelay(of: index)
        let controller = sets[index].controller
        guard drawsPhases, ofBeacon[controller], !sets[index].isHighDuty else { return delay }
        let interval = context.controllers.characters.interval(sets[index].interval, of: controller)
        return delays[controller].draws.upTo(interval - 1, 0, 1)
    }

    private mutating func nextDelay(of index: Int) -> Int64 {
        if sets[index].isHighDuty { return 0 }
        let controller = sets[index].controller
        delays[controller].count += 1
        return delays[controller].draws.upTo(AdvertisingSet.delayLimit, delays[controller].count, 0)
    }

    // MARK: - Events

    /// Begins an advertising event; `false` if the set has ended instead.
    mutating func beginEvent(_ index: Int, _ context: inout AirContext) -> Bool {
        guard context.now < sets[index].end else {
            end(index, status: .advertisingTimeout, &context)
            return false
        }
        sets[index].beginEvent(now: context.now)
        events += 1
        eventCounts[sets[index].controller] += 1
        lateness.add(max(context.limit - context.now, 0))
        return true
    }

    /// Begins the next PDU of an advertising event where packets collide, and sets the timer to its end; `nil` after the
    /// last one.
    mutating func beginPDU(_ index: Int, _ context: inout AirContext) -> AdvertisingEvent? {
        guard sets[index].beginPDU() else { return nil }
        let event = sets[index].event
        context.timers.schedule(sets[index].timer, at: (event.start ?? context.now) + AirTime(event.bits))
        return event
    }

    /// Schedules the next event, or ends the set after its last one.
    mutating func endEvent(_ index: Int, _ context: inout AirContext) {
        if sets[index].isExhausted { return end(index, status: .limitReached, &context) }
        let interval = context.controllers.characters.interval(sets[index].interval, of: sets[index].controller)
        // A chain ends before the next event.
        let next = sets[index].eventStart + max(interval + nextDelay(of: index), sets[index].chainDuration)
        context.timers.schedule(sets[index].timer, at: min(next, sets[index].end))
    }

    /// Ends a set at its limit, and notifies the host.
    private mutating func end(_ index: Int, status: HCIStatus, _ context: inout AirContext) {
        stop(index, &context)
        let controller = sets[index].controller
        if let handle = sets[index].handle {
            context.controllers.emit(
                LEAdvertisingSetTerminated(
                    status: status, advertisingHandle: handle,
                    completedExtendedAdvertisingEvents: sets[index].completedEvents), to: controller)
        } else {
            context.controllers.emit(
                ConnectionOutcome(status: status, role: .peripheral, peer: sets[index].target), to: controller)
        }
    }

    /// Notifies the host that a set of the extended commands ended with a connection.
    mutating func noteConnection(of index: Int, handle: ConnectionHandle, _ context: inout AirContext) {
        sets[index].noteConnection()
        guard let set = sets[index].handle else { return }
        context.controllers.emit(
            LEAdvertisingSetTerminated(
                advertisingHandle: set, connectionHandle: handle,
                completedExtendedAdvertisingEvents: sets[index].completedEvents), to: sets[index].controller)
    }

    // MARK: - Requests of peers

    /// Whether a set answers the scan request of an address (Core 5.4, Vol 6, Part B, 4.3.2); a directed advertisement
    /// answers its target only.
    func answersScanRequest(of address: PackedAddress, to index: Int, _ controllers: inout Controllers) -> Bool {
        if sets[index].properties.contains(.directed), sets[index].target != address { return false }
        return !sets[index].filterPolicy.contains(.scanRequestsOfList)
            || controllers.accepts(address, on: sets[index].controller)
    }

    /// Notifies the host of a scan request, if it asked for that and has room.
    func noteScanRequest(of address: PackedAddress, to index: Int, _ controllers: inout Controllers) {
        guard sets[index].notifiesScanRequests, let handle = sets[index].handle else { return }
        let controller = sets[index].controller
        guard controllers.hasRoom(controller) else { return }
        controllers.emit(
            LEScanRequestReceived(
                advertisingHandle: handle, scannerAddressType: AddressType(rawValue: address.type),
                scannerAddress: address.address), to: controller)
    }

    /// Whether a set accepts a connection request of an address (Core 5.4, Vol 6, Part B, 4.3.2).
    func acceptsConnection(from address: PackedAddress, to index: Int, _ controllers: Controllers) -> Bool {
        let usesList =
            sets[index].filterPolicy.contains(.connectionRequestsOfList)
            && !sets[index].properties.contains(.directed)
        return !usesList || controllers.accepts(address, on: sets[index].controller)
    }
}

// MARK: - Commands

extension AdvertisingSets {
    /// The set of a controller's legacy commands, which is added when it is first used.
    private mutating func legacySet(_ controller: Int, _ context: inout AirContext) -> Int {
        find(handle: nil, controller) ?? add(handle: nil, controller, &context)
    }

    fileprivate mutating func withLegacySet(
        _ controller: Int, _ context: inout AirContext, _ change: (inout AdvertisingSet) throws(HCIStatus) -> Void
    ) throws(HCIStatus) {
        let index = legacySet(controller, &context)
        try change(&sets[index])
    }

    fileprivate mutating func enableLegacySet(
        _ enable: UInt8, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        guard enable <= 1 else { throw .invalidCommandParameters }
        let set = legacySet(controller, &context)
        guard enable == 1 else { return stop(set, &context) }
        guard !sets[set].isEnabled else { return }
        try checkRandomAddress(of: set, context.controllers)
        start(set, &context)
    }

    fileprivate mutating func withSet(
        _ handle: UInt8, _ controller: Int, _ change: (inout AdvertisingSet) throws(HCIStatus) -> Void
    ) throws(HCIStatus) {
        let index = try find(handle, controller)
        try change(&sets[index])
    }

    /// Sets the parameters of an extended set, which is added if its handle is new.
    /// - Returns: the selected transmit power in dBm.
    fileprivate mutating func setParameters(
        _ command: LESetExtendedAdvertisingParameters, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) -> Int8 {
        try AdvertisingSet.check(command)
        let found = find(handle: command.advertisingHandle, controller)
        if let found {
            try sets[found].checkState(for: command)
        } else if ofController[controller].count >= Capabilities.setLimit {
            throw .memoryCapacityExceeded
        }
        let index = found ?? add(handle: command.advertisingHandle, controller, &context)
        sets[index].apply(command, defaultPower: context.controllers.defaultTransmitPower(of: controller))
        return sets[index].transmitPower
    }

    /// Enables or disables extended sets; checks all of them before it changes the first.
    fileprivate mutating func enable(
        _ command: LESetExtendedAdvertisingEnable, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        guard command.enable <= 1, command.sets.count <= 0x3F else { throw .invalidCommandParameters }
        guard command.enable == 1 else { return try disable(command, controller, &context) }
        let handles = Set(command.sets.map(\.advertisingHandle))
        guard !command.sets.isEmpty, handles.count == command.sets.count else { throw .invalidCommandParameters }
        var found: [Int] = []
        for wanted in command.sets {
            let index = try find(wanted.advertisingHandle, controller)
            try sets[index].checkEnabling(duration: Int64(wanted.duration.count) * 10_000)
            try checkRandomAddress(of: index, context.controllers)
            found.append(index)
        }
        for (index, wanted) in zip(found, command.sets) {
            start(
                index, duration: Int64(wanted.duration.count) * 10_000, maximumEvents: wanted.maximumEvents, &context)
        }
    }

    private mutating func disable(
        _ command: LESetExtendedAdvertisingEnable, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        if command.sets.isEmpty {
            for set in ofController[controller] { stop(Int(set), &context) }
        }
        var found: [Int] = []
        for wanted in command.sets { found.append(try find(wanted.advertisingHandle, controller)) }
        for index in found { stop(index, &context) }
    }

    fileprivate mutating func remove(
        _ handle: UInt8, _ controller: Int, _ context: inout AirContext
    ) throws(HCIStatus) {
        let index = try find(handle, controller)
        guard !sets[index].isEnabled else { throw .commandDisallowed }
        ofController[controller].removeAll { $0 == Int32(index) }
        discard(index, &context)
    }

    fileprivate mutating func removeAll(_ controller: Int, _ context: inout AirContext) throws(HCIStatus) {
        guard !isAdvertising(controller) else { throw .commandDisallowed }
        reset(controller, &context)
    }
}

extension CommandTable {
    /// Legacy advertising commands (Core 5.4, Vol 4, Part E, 7.8.5 to 7.8.9).
    static var legacyAdvertisingCommands: [CommandHandler] {
        let handlers: [CommandHandler] = [
            .completing(LESetAdvertisingParameters.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withLegacySet(controller, &air.context) { set throws(HCIStatus) in
                    try set.apply(command)
                }
            },
            .returning(LEReadAdvertisingPhysicalChannelTransmitPower.self) { air, controller, _ in
                .init(transmitPowerLevel: TransmitPower(air.context.controllers.defaultTransmitPower(of: controller)))
            },
            .completing(LESetAdvertisingData.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withLegacySet(controller, &air.context) { $0.setLegacyData(command.data) }
            },
            .completing(LESetScanResponseData.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withLegacySet(controller, &air.context) { $0.setLegacyScanResponse(command.data) }
            },
            .completing(LESetAdvertisingEnable.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.enableLegacySet(command.enable, controller, &air.context)
            },
        ]
        return handlers.map { $0.of(.legacy) }
    }

    /// Extended advertising commands (Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.60).
    static var extendedAdvertisingCommands: [CommandHandler] {
        let handlers: [CommandHandler] = [
            .completing(LESetAdvertisingSetRandomAddress.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withSet(command.advertisingHandle, controller) { set throws(HCIStatus) in
                    try set.setRandomAddress(PackedAddress(command.randomAddress, type: 1))
                }
            },
            .returning(LESetExtendedAdvertisingParameters.self) { air, controller, command throws(HCIStatus) in
                let power = try air.advertising.setParameters(command, controller, &air.context)
                return .init(selectedTransmitPower: TransmitPower(power))
            },
            .completing(LESetExtendedAdvertisingData.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withSet(command.advertisingHandle, controller) { set throws(HCIStatus) in
                    try set.setData(command.operation, command.data)
                }
            },
            .completing(LESetExtendedScanResponseData.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.withSet(command.advertisingHandle, controller) { set throws(HCIStatus) in
                    try set.setScanResponse(command.operation, command.data)
                }
            },
            .completing(LESetExtendedAdvertisingEnable.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.enable(command, controller, &air.context)
            },
            .returning(LEReadMaximumAdvertisingDataLength.self) { _, _, _ in
                .init(maximumAdvertisingDataLength: UInt16(AdvertisingSet.dataLimit))
            },
            .returning(LEReadNumberOfSupportedAdvertisingSets.self) { _, _, _ in
                .init(supportedAdvertisingSets: UInt8(Capabilities.setLimit))
            },
            .completing(LERemoveAdvertisingSet.self) { air, controller, command throws(HCIStatus) in
                try air.advertising.remove(command.advertisingHandle, controller, &air.context)
            },
            .completing(LEClearAdvertisingSets.self) { air, controller, _ throws(HCIStatus) in
                try air.advertising.removeAll(controller, &air.context)
            },
        ]
        return handlers.map { $0.of(.extended) }
    }
}
