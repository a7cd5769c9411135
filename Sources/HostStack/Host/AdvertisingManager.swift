// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI

/// The advertising sets of a host.
///
/// On a controller with advertising sets each set has its own chain of commands, one command at a time. On a legacy
/// controller the sets share its only advertiser in turns (`LegacyAdvertiser`).
///
/// Inputs change what is requested or acknowledged. After each, the host calls `next(for:…)`, which sends the next
/// command or notifies the owner; a legacy controller's next command is returned instead, because the scan has to
/// pause while the controller's only random address changes.
struct AdvertisingManager: Sendable {
    /// What the host does next.
    enum Next {
        case nothing
        /// Pause the scan, and call `next(for:…)` again when it is paused.
        case pauseScanning
        /// Resume the scan unless the step changes the random address, then call `proceed(with:_:)`.
        case proceed(AdvertiserStep?)
    }

    private var sets: [AdvertisingSetState] = []
    /// The shared advertiser of a controller without advertising sets.
    private var legacy: Indirect<LegacyAdvertiser>?

    // MARK: - Queries

    /// Whether the controller acknowledged that a set is on the air.
    var isAdvertising: Bool {
        legacy?.value.advertiser.isEnabled ?? false || sets.contains { $0.advertiser.isEnabled }
    }

    /// Whether the controller has no advertising sets, so that the host's sets take turns.
    var takesTurns: Bool { legacy != nil }

    var identifiers: [AdvertisingSetIdentifier] { sets.map(\.identifier) }

    /// When a turn begins or ends.
    var deadline: Duration? { legacy?.value.deadline }

    /// When a private address is due to change.
    var addressDeadline: Duration? {
        // By index: an element is large, and a loop over the elements would copy it.
        sets.indices.reduce(nil) { $0.orEarlier(sets[$1].addressDeadline) }
    }

    /// Whether the only random address of a legacy controller is in use for advertising.
    var usesOnlyRandomAddress: Bool {
        legacy != nil && (legacyRandomAddress != nil || sets.contains { $0.order != nil })
    }

    /// The only random address of a legacy controller.
    var legacyRandomAddress: BluetoothAddress? { legacy?.value.advertiser.randomAddress }

    /// The set that a central must have connected to, if only one is connectable.
    var onlyConnectableSet: AdvertisingSetIdentifier? {
        let candidates = sets.filter { $0.advertiser.isEnabled && $0.advertiser.isConnectable }
        return candidates.count == 1 ? candidates.first?.identifier : nil
    }

    /// The set that a central most likely connected to.
    var likelyConnectedSet: AdvertisingSetIdentifier? {
        sets.first { $0.advertiser.isEnabled && $0.advertiser.isConnectable }?.identifier
    }

    /// The random address in the PDUs of a set; `nil` if it advertises with the public address.
    func randomAddress(of set: AdvertisingSetIdentifier?) -> BluetoothAddress? {
        let advertiser = legacy?.value.advertiser ?? set.flatMap { index(of: $0) }.map { sets[$0].advertiser }
        return advertiser?.parameters?.ownAddressType.isRandom == true ? advertiser?.randomAddress : nil
    }

    func identity(of set: AdvertisingSetIdentifier) -> LocalIdentity? { index(of: set).flatMap { sets[$0].identity } }

    func database(of set: AdvertisingSetIdentifier) -> AttributeDatabase? {
        index(of: set).flatMap { sets[$0].database }
    }

    // MARK: - From the owner

    mutating func request(
        _ advertisement: Advertisement, for set: AdvertisingSetIdentifier, address: OwnAddress, whileConnected: Bool,
        _ context: inout HostContext
    ) {
        let index = indexOrNew(of: set)
        sets[index].request(advertisement, address: address, whileConnected: whileConnected, &context)
    }

    /// Withdraws the advertisement of a set.
    /// - Returns: `false` if there is none.
    mutating func stop(_ set: AdvertisingSetIdentifier) -> Bool {
        guard let index = index(of: set), sets[index].order != nil else { return false }
        sets[index].stop()
        return true
    }

    mutating func setDatabase(_ database: AttributeDatabase?, for set: AdvertisingSetIdentifier) {
        sets[indexOrNew(of: set)].database = database
        removeIfUnused(set)
    }

    // MARK: - From the controller

    /// Starts with a controller that is ready.
    mutating func start(_ capabilities: LEHostCapabilities, _ configuration: LEHostConfiguration) {
        guard !capabilities.hasExtendedAdvertising else { return }
        legacy = Indirect(LegacyAdvertiser(dwell: configuration.legacyDwell, seed: configuration.seed))
    }

    /// The controller restarts: the acknowledged values are void, and the requests remain.
    mutating func reset() {
        legacy = nil
        for index in sets.indices { sets[index].reset() }
        sets.removeAll { $0.order == nil }
    }

    /// Takes the reply to a command of a set.
    /// - Returns: whether there may be room for another set now.
    mutating func finish(
        _ step: AdvertiserStep, of set: AdvertisingSetIdentifier, _ reply: CommandReply, _ context: inout HostContext
    ) -> Bool {
        guard let index = index(of: set) else { return false }
        if let failure = sets[index].finish(step, reply) { fail(index, failure, &context) }
        return step == .remove
    }

    /// Takes the reply to a command of the only advertiser.
    mutating func finishTurn(
        _ step: AdvertiserStep, of set: AdvertisingSetIdentifier?, _ reply: CommandReply, _ context: inout HostContext
    ) {
        legacy?.value.finishCommand(at: context.now)
        if let failure = reply.failure, step != .disable {
            if reply.status == .commandDisallowed, legacy?.value.refuse(step) == true { return }
            if lengthensIntervals(step, reply.status, &context) { return }
            guard let index = set.flatMap({ index(of: $0) }), sets[index].isWanted, !sets[index].isRevised else {
                return
            }
            fail(index, failure, &context)
        } else {
            legacy?.value.acknowledge(step, for: set, at: context.now)
        }
    }

    /// Core 5.0 permits non-connectable intervals below 100 ms, but not every controller of that version takes them.
    /// - Returns: whether the refused parameters are to be repeated, with the interval that every controller takes.
    private func lengthensIntervals(
        _ step: AdvertiserStep, _ status: HCIStatus?, _ context: inout HostContext
    ) -> Bool {
        let limit = LEHostCapabilities().shortestNonConnectableInterval
        guard status == .unsupportedFeatureOrParameterValue || status == .invalidCommandParameters,
            case .parameters(let parameters) = step, !parameters.pdu.isConnectable, parameters.interval < limit
        else { return false }
        context.capabilities?.shortestNonConnectableInterval = limit
        return true
    }

    /// The controller disabled a set by itself.
    /// - Returns: whether the set was on the air.
    mutating func end(_ set: AdvertisingSetIdentifier, _ status: HCIStatus, _ context: inout HostContext) -> Bool {
        // Some controllers report this one after a command of this host.
        guard status != .operationCancelledByHost else { return false }
        guard let index = index(of: set), sets[index].advertiser.isEnabled else { return false }
        sets[index].end()
        context.emit(.advertisingStopped(set, .controller(status)))
        return true
    }

    /// A central connected to the only advertiser, which the controller disabled for it.
    /// - Returns: the set that was on the air.
    mutating func endTurnForConnection() -> AdvertisingSetIdentifier? { legacy?.value.endForConnection() }

    /// A central connected to a set, which the controller disabled for it.
    /// - Returns: whether that interrupts an advertisement.
    mutating func suspend(
        _ set: AdvertisingSetIdentifier, for connection: ConnectionIdentifier, _ context: inout HostContext
    ) -> Bool {
        guard let index = index(of: set), sets[index].suspend(for: connection) else { return false }
        context.emit(.advertisingStopped(set, .connected))
        return true
    }

    /// A connection has ended.
    /// - Returns: whether that concerns the set.
    mutating func resume(_ set: AdvertisingSetIdentifier, after connection: ConnectionIdentifier) -> Bool {
        index(of: set).map { sets[$0].resume(after: connection) } ?? false
    }

    /// An activity of the controller has ended, which may have been the reason of a refusal.
    /// - Returns: whether there is anything to try again.
    mutating func retry(after activity: LEActivity) -> Bool {
        var isAny = false
        for index in sets.indices where sets[index].retry(after: activity) { isAny = true }
        return isAny
    }

    /// Replaces one private address that has expired.
    /// - Returns: its set; `nil` when none is due.
    mutating func renewAddress(_ context: inout HostContext) -> AdvertisingSetIdentifier? {
        for index in sets.indices where sets[index].renewAddressIfDue(&context) { return sets[index].identifier }
        return nil
    }

    /// Removes a set that neither the owner nor the controller uses any more.
    mutating func removeIfUnused(_ set: AdvertisingSetIdentifier) {
        guard let index = index(of: set), sets[index].isUnused else { return }
        sets.remove(at: index)
    }

    // MARK: - The next command

    /// Takes the next step for a set, or for all of them (`nil`), on a controller that is ready.
    /// - Parameters:
    ///   - isConnecting: whether the controller makes a connection.
    ///   - isScanning: whether the controller scans, or has a command of the scan.
    mutating func next(
        for set: AdvertisingSetIdentifier?, isConnecting: Bool, isScanning: Bool, _ context: inout HostContext
    ) -> Next {
        if takesTurns { return nextTurn(isConnecting: isConnecting, isScanning: isScanning, &context) }
        if let set {
            continueSet(set, &context)
        } else {
            for set in identifiers { continueSet(set, &context) }
        }
        return .nothing
    }

    private mutating func continueSet(_ set: AdvertisingSetIdentifier, _ context: inout HostContext) {
        guard let index = index(of: set), !sets[index].isWaiting, !sets[index].hasFailed else { return }
        if let obstacle = obstacle(at: index, context) { return fail(index, obstacle, &context) }
        guard let step = sets[index].nextStep else { return reportSet(index, &context) }
        if case .parameters = step, sets[index].advertiser.parameters == nil, !hasRoomForSet(context) {
            // Another set may be about to be removed.
            guard !sets.contains(where: { $0.order == nil && $0.advertiser.parameters != nil }) else { return }
            let limit = context.knownCapabilities.advertisingSets
            return fail(index, .tooManyAdvertisingSets(limit: limit), &context)
        }
        sets[index].beginCommand()
        context.send(step.command(for: set), then: .advertisingSet(set, step))
    }

    private func hasRoomForSet(_ context: HostContext) -> Bool {
        sets.count { $0.advertiser.parameters != nil || ($0.isWaiting && $0.order != nil) }
            < context.knownCapabilities.advertisingSets
    }

    /// Notifies the owner that a set is as requested.
    private mutating func reportSet(_ index: Int, _ context: inout HostContext) {
        guard let order = sets[index].order else {
            let set = sets[index].identifier
            if sets[index].isStopReportDue { context.emit(.advertisingStopped(set, .requested)) }
            sets[index].markStopReported()
            return removeIfUnused(set)
        }
        guard sets[index].advertiser.isEnabled, sets[index].isReportDue else { return }
        let interval = order.parameters.interval
        sets[index].markReported(interval: interval, turns: 1, at: context.now)
        let effective = EffectiveAdvertising(
            order, sets[index].advertiser, of: sets[index].identity, interval: interval, context)
        context.emit(.advertising(sets[index].identifier, effective))
    }

    private mutating func nextTurn(isConnecting: Bool, isScanning: Bool, _ context: inout HostContext) -> Next {
        updateTurns(&context)
        reportStopped(&context)
        guard legacy?.value.isWaiting == false else { return .nothing }
        legacy?.value.chooseHolder(at: context.now)
        let order = legacy?.value.holder.flatMap { permittedOrder(of: $0, context) }
        let step = legacy?.value.advertiser.step(towards: order, enabling: true)
        // LE Set Random Address is not allowed while the controller scans or makes a connection.
        if step?.changesRandomAddress == true {
            if isConnecting { return .nothing }
            if isScanning { return .pauseScanning }
        }
        return .proceed(step)
    }

    /// Sends the command that `next(for:…)` returned; without one, notifies the owner of the set on the air.
    mutating func proceed(with step: AdvertiserStep?, _ context: inout HostContext) {
        guard let step, let command = step.legacyCommand else { return reportHolder(&context) }
        let set = legacy?.value.beginCommand(at: context.now)
        if let index = set.flatMap({ index(of: $0) }) { sets[index].beginCommand(ofSet: false) }
        context.send(command, then: .legacyAdvertising(set, step))
    }

    private mutating func updateTurns(_ context: inout HostContext) {
        for index in sets.indices where sets[index].isWanted {
            if let obstacle = obstacle(at: index, context) { fail(index, obstacle, &context) }
        }
        let wanted = sets.filter(\.isWanted).compactMap { set in
            set.order.map { (set: set.identifier, interval: Self.permittedInterval($0, context)) }
        }
        legacy?.value.setSets(wanted, at: context.now)
    }

    /// Notifies the owner of sets that are no longer requested and not on the air.
    private mutating func reportStopped(_ context: inout HostContext) {
        for set in identifiers {
            guard let index = index(of: set), sets[index].isStopReportDue, legacy?.value.isOnAir(set) != true else {
                continue
            }
            sets[index].markStopReported()
            context.emit(.advertisingStopped(set, .requested))
            removeIfUnused(set)
        }
    }

    /// The order of a set, with values that a legacy controller supports.
    private func permittedOrder(of set: AdvertisingSetIdentifier, _ context: HostContext) -> AdvertisingOrder? {
        guard let index = index(of: set), sets[index].isWanted, var order = sets[index].order else { return nil }
        order.parameters.interval = Self.permittedInterval(order, context)
        order.parameters.transmitPower = nil
        return order
    }

    private static func permittedInterval(_ order: AdvertisingOrder, _ context: HostContext) -> AdvertisingInterval {
        let requested = order.parameters.interval
        if order.parameters.pdu.isConnectable { return requested }
        return max(requested, context.knownCapabilities.shortestNonConnectableInterval)
    }

    /// Notifies the owner of new values of the set on the air.
    private mutating func reportHolder(_ context: inout HostContext) {
        guard let legacy = legacy?.value, let set = legacy.holder, legacy.advertiser.isEnabled,
            let index = index(of: set), let order = permittedOrder(of: set, context)
        else { return }
        let turns = legacy.turns
        let requested = order.parameters.interval
        let interval = turns > 1 ? legacy.effectiveInterval(of: set) ?? requested : requested
        guard sets[index].isReportDue(interval: interval, turns: turns, at: context.now) else { return }
        sets[index].markReported(interval: interval, turns: turns, at: context.now)
        var advertiser = legacy.advertiser
        advertiser.select(context.knownCapabilities.transmitPower?.lowerBound)
        let effective = EffectiveAdvertising(
            order, advertiser, of: sets[index].identity, interval: interval, turns: turns, share: legacy.share(of: set),
            context)
        context.emit(.advertising(set, effective))
    }

    // MARK: - Sets

    private func index(of set: AdvertisingSetIdentifier) -> Int? { sets.firstIndex { $0.identifier == set } }

    private mutating func indexOrNew(of set: AdvertisingSetIdentifier) -> Int {
        if let index = index(of: set) { return index }
        sets.append(AdvertisingSetState(set))
        return sets.count - 1
    }

    /// The reason why the controller cannot carry out a set's order; `nil` if it may.
    private func obstacle(at index: Int, _ context: HostContext) -> LEHostFailure? {
        sets[index].order?.address == .publicDevice && context.knownCapabilities.address == nil
            ? .noPublicAddress : nil
    }

    /// Discards a set's order until the owner requests another.
    private mutating func fail(_ index: Int, _ failure: LEHostFailure, _ context: inout HostContext) {
        sets[index].fail(failure)
        context.emit(.advertisingFailed(sets[index].identifier, failure))
    }
}
