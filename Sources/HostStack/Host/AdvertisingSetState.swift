// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI

/// One advertising set: the advertisement that the owner requested, and the controller's progress towards it.
///
/// A set is *wanted* on the air while there is an order that the controller has not refused and no connection suspends
/// it. `Advertiser` holds the controller's side. On a legacy controller the sets share one, in `LegacyAdvertiser`.
struct AdvertisingSetState: Sendable {
    /// The last notification of the owner.
    enum Report: Hashable {
        /// A notification is due.
        case due
        /// Not on the air.
        case off
        /// On the air with this interval, and this number of sets that take turns; reported at this time.
        case advertising(interval: AdvertisingInterval, turns: Int, at: Duration)

        /// Whether the owner has yet to be notified of these values.
        ///
        /// If sets take turns, the interval is measured and varies with the load of the machine. A difference of a
        /// tenth or less is not reported, and a larger one at most every 10 s.
        func isDue(interval: AdvertisingInterval, turns: Int, at now: Duration) -> Bool {
            guard case .advertising(let reported, let reportedTurns, let time) = self else { return true }
            if turns != reportedTurns { return true }
            let difference = abs(Int64(interval.count) - Int64(reported.count))
            return difference * 10 > Int64(reported.count) && now >= time + .seconds(10)
        }
    }

    let identifier: AdvertisingSetIdentifier
    /// The requested advertisement; `nil` if the set is to be removed.
    private(set) var order: AdvertisingOrder?
    /// The acknowledged state of the set, on a controller with advertising sets.
    private(set) var advertiser = Advertiser(isSet: true)
    /// Whether a command of the set awaits its reply.
    private(set) var isWaiting = false
    /// Whether the controller refused the order. The next order is tried again.
    private(set) var hasFailed = false
    /// The activity of the controller whose end may let it carry out the refused order.
    private var obstacle: LEActivity?
    /// Whether the order is newer than the command that awaits its reply.
    private(set) var isRevised = false
    /// The connection that was made through the set.
    private(set) var connection: ConnectionIdentifier?
    private var advertisesWhileConnected = false
    private var report = Report.off
    private var privateAddress: Indirect<PrivateAddress>?
    /// The attributes that a central finds.
    var database: AttributeDatabase?

    init(_ identifier: AdvertisingSetIdentifier) { self.identifier = identifier }

    /// Whether the set should be on the air now.
    var isWanted: Bool {
        guard let order, !hasFailed else { return false }
        return connection == nil || advertisesWhileConnected || !order.parameters.pdu.isConnectable
    }

    /// Whether neither the owner nor the controller uses the set.
    var isUnused: Bool {
        order == nil && database == nil && connection == nil && !isWaiting && advertiser.parameters == nil
    }

    /// The identity behind the set's private addresses; `nil` without private addresses.
    var identity: LocalIdentity? { privateAddress?.value.identity }

    /// When the private address on the air is due to change.
    var addressDeadline: Duration? { order == nil ? nil : privateAddress?.value.end }

    /// The next command towards the order; `nil` when none is needed.
    var nextStep: AdvertiserStep? { advertiser.step(towards: order, enabling: isWanted) }

    // MARK: - From the owner

    mutating func request(
        _ advertisement: Advertisement, address: OwnAddress, whileConnected: Bool, _ context: inout HostContext
    ) {
        order = AdvertisingOrder(advertisement, address: present(address, &context))
        advertisesWhileConnected = whileConnected
        revise()
    }

    mutating func stop() {
        order = nil
        if connection == nil { privateAddress = nil }
        revise()
    }

    private mutating func revise() {
        hasFailed = false
        isRevised = true
        report = .due
    }

    /// The address to advertise with now; for an identity, its present private address.
    private mutating func present(_ address: OwnAddress, _ context: inout HostContext) -> OwnAddress {
        guard let identity = address.identity else {
            privateAddress = nil
            return address
        }
        if let present = privateAddress?.value, present.identity == identity { return .random(present.address) }
        return renewAddress(of: identity, &context)
    }

    private mutating func renewAddress(of identity: LocalIdentity, _ context: inout HostContext) -> OwnAddress {
        let new = PrivateAddress(identity, &context)
        privateAddress = Indirect(new)
        return .random(new.address)
    }

    /// Replaces a private address that has expired.
    /// - Returns: `false` if none is due.
    mutating func renewAddressIfDue(_ context: inout HostContext) -> Bool {
        guard let addressDeadline, addressDeadline <= context.now, let identity else { return false }
        let address = renewAddress(of: identity, &context)
        order?.address = address
        isRevised = true
        report = .due
        return true
    }

    // MARK: - From the controller

    /// A command of the present order is sent, to the set itself or to the shared advertiser.
    mutating func beginCommand(ofSet isOfSet: Bool = true) {
        isWaiting = isOfSet
        isRevised = false
    }

    /// Takes the reply to a command of the set.
    /// - Returns: the failure that the owner is to be notified of.
    mutating func finish(_ step: AdvertiserStep, _ reply: CommandReply) -> LEHostFailure? {
        isWaiting = false
        if reply.status == .commandDisallowed, advertiser.refuse(step) { return nil }
        if let failure = reply.failure, step != .remove, step != .disable {
            // The failure of an order that the owner has withdrawn or replaced does not matter.
            return order == nil || isRevised ? nil : failure
        }
        advertiser.acknowledge(step)
        if case .parameters = step {
            advertiser.select(reply.value(of: LESetExtendedAdvertisingParameters.self)?.selectedTransmitPower)
        }
        return nil
    }

    /// The controller cannot carry out the order.
    mutating func fail(_ failure: LEHostFailure) {
        hasFailed = true
        obstacle = failure.activity
    }

    /// An activity of the controller has ended: an order that was refused because of it is tried again.
    /// - Returns: `false` if there is none.
    mutating func retry(after activity: LEActivity) -> Bool {
        guard hasFailed, obstacle == activity else { return false }
        hasFailed = false
        report = .due
        return true
    }

    /// The controller disabled the set by itself.
    mutating func end() {
        advertiser.acknowledge(.disable)
        report = .due
    }

    /// A central connected, and the controller disabled the set for it.
    /// - Returns: whether there is an order that the connection interrupts.
    mutating func suspend(for connection: ConnectionIdentifier) -> Bool {
        self.connection = connection
        advertiser.acknowledge(.disable)
        guard order != nil else { return false }
        report = isWanted ? .due : .off
        return true
    }

    /// A connection has ended: a set that it suspended advertises again, and a failed order is tried again, since the
    /// connection may have been the reason.
    /// - Returns: `false` if that changes nothing.
    mutating func resume(after connection: ConnectionIdentifier) -> Bool {
        guard self.connection == connection || hasFailed else { return false }
        if self.connection == connection { self.connection = nil }
        hasFailed = false
        if order != nil { report = .due }
        return true
    }

    /// The controller restarts: the acknowledged state is void, and the order is carried out again.
    mutating func reset() {
        advertiser = Advertiser(isSet: true)
        isWaiting = false
        hasFailed = false
        connection = nil
        isRevised = false
        report = order == nil ? .off : .due
    }

    // MARK: - Notifications of the owner

    /// Whether the owner has yet to be notified that the set, without an order, is off the air.
    var isStopReportDue: Bool { order == nil && report == .due }

    /// Whether the owner has yet to be notified of these values.
    func isReportDue(interval: AdvertisingInterval, turns: Int, at now: Duration) -> Bool {
        report.isDue(interval: interval, turns: turns, at: now)
    }

    /// Whether the owner has yet to be notified that the set is on the air.
    var isReportDue: Bool { report == .due }

    mutating func markStopReported() { report = .off }

    mutating func markReported(interval: AdvertisingInterval, turns: Int, at now: Duration) {
        report = .advertising(interval: interval, turns: turns, at: now)
    }
}
