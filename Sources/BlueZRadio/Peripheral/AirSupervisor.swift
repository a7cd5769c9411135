// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import KernelBluetooth
import Radio

/// Compares what should be on the air with what a controller was observed to advertise, and decides what to report and
/// what to place again.
///
/// `BlueZRadio` passes it each confirmed advertisement (`supervise`), calls `check` after each packet that changed
/// something and at `nextDeadline`, and performs the actions. A supervised beacon is in one of three states:
///
/// * *on*: the controller advertises it, or did so less than one round of turns ago, or 2 s on a controller without turns; or
///   less than 2 s ago, if the controller advertises nothing at all since, unless an obstacle of the other instances explains
///   that;
/// * *off*: reported as stopped, because a central is connected, the controller was reset, or the patience is over;
/// * *obstructed*, on or off: the controller refused a command that the beacon needs. There is a warning until the
///   obstacle has ended and the beacon is on.
///
/// A beacon that is off is placed again, unless a central or an obstacle explains it: 1 s after what stopped it has ended,
/// or else when it is reported; then after 2, 4, 8, … s, at most every minute.
struct AirSupervisor {
    typealias Instant = ContinuousClock.Instant

    /// What the radio has to do.
    enum Action: Hashable {
        /// Reports that a beacon is on the air with this status.
        case report(BeaconIdentifier, AdvertisingStatus)
        /// Reports an obstacle.
        case warn(BeaconIdentifier, Warning)
        /// Reports that a beacon is off the air.
        case stop(BeaconIdentifier, reason: String)
        /// Places a beacon again.
        case restore(BeaconIdentifier)
    }

    private struct Entry {
        let requested: Advertisement
        /// Observations after this one are of the advertisement.
        let sequence: Int
        /// The reported status; `nil` while the beacon is reported as stopped.
        var reported: AdvertisingStatus?
        /// When it was reported to be on the air.
        var reportedAt: Instant
        /// When the controller ceased to advertise it; `nil` while it does.
        var offSince: Instant?
        /// A PDU type that nothing explains.
        var oddity: Oddity?
        var obstacle: ControllerActivity.Obstacle?
        /// Whether foreign data in the controller were reported that placing the beacon again did not replace.
        var isWarnedOfForeignData = false
        /// How often it was placed again, and when for the last time.
        var attempts = 0
        var lastAttempt: Instant?
    }

    /// A PDU type on the air that neither the request nor the settings of the adapter explain.
    private struct Oddity {
        let pdu: AdvertisingPDU
        let since: Instant
        var isReported = false
    }

    /// The time that the kernel may take to advertise again by itself, when what stopped it has ended, and to correct the
    /// PDU type: at the end of a connection it enables legacy advertising once with the wrong one.
    private static let settling = Duration.seconds(1)
    /// The time for which a beacon is on after the controller ceased to advertise anything.
    private static let silence = Duration.seconds(2)
    /// The number of attempts after which foreign data that stay in the controller are reported.
    private static let attemptsBeforeWarning = 2
    /// A beacon that was on the air for this time is placed again without a delay from earlier attempts.
    private static let recovery = Duration.seconds(30)
    private static let longestDelay = Duration.seconds(60)

    private var entries: [BeaconIdentifier: Entry] = [:]
    /// The number of resets at the last check; `nil` before the first one, since those before are of no concern.
    private var resetCount: Int?
    /// When an obstacle or the last connection of a central ended, or the controller was reset.
    private var freeSince: Instant?
    private var isFree = true
    /// When the controller ceased to advertise anything; `nil` while it advertises something.
    private var silentSince: Instant?
    /// The earliest time at which `check` may have something to do.
    private(set) var nextDeadline: Instant?

    /// Begins with an advertisement that was observed and reported.
    /// - Parameter sequence: observations after this one are of the advertisement.
    mutating func supervise(
        _ beacon: BeaconIdentifier, _ status: AdvertisingStatus, after sequence: Int, at now: Instant
    ) {
        entries[beacon] = Entry(
            requested: status.requested, sequence: sequence, reported: status, reportedAt: now)
    }

    /// Ends the supervision of a beacon, whose advertisement is withdrawn, replaced or refused.
    mutating func release(_ beacon: BeaconIdentifier) {
        entries[beacon] = nil
    }

    /// Ends the supervision of all beacons.
    mutating func reset() {
        entries = [:]
        resetCount = nil
        silentSince = nil
        nextDeadline = nil
    }

    /// What to do now.
    mutating func check(
        at now: Instant, _ controller: ObservedController, by rules: AdvertisingRules
    ) -> [Action] {
        var actions: [Action] = []
        if let resetCount, controller.activity.resetCount != resetCount {
            freeSince = now
            actions += stopAll(because: "the controller was reset", at: now)
        }
        resetCount = controller.activity.resetCount
        let wasFree = isFree
        isFree = controller.activity.obstacle == nil && !controller.activity.hasCentral
        if isFree, !wasFree { freeSince = now }
        silentSince = controller.advertising.enabledCount == 0 ? silentSince ?? now : nil
        for beacon in entries.keys.sorted() {
            guard var entry = entries[beacon] else { continue }
            actions +=
                Self.isOn(entry, controller, rules)
                ? noteOn(&entry, beacon, controller, rules, now) : noteOff(&entry, beacon, controller, rules, now)
            entries[beacon] = entry
        }
        nextDeadline = entries.values.flatMap { deadlines(of: $0, controller, rules) }.min()
        return actions
    }

    // MARK: - On and off

    private static func isOn(_ entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules) -> Bool {
        controller.advertising.isAdvertising { rules.isCarried(entry.requested, by: $0) }
    }

    private func noteOn(
        _ entry: inout Entry, _ beacon: BeaconIdentifier, _ controller: ObservedController,
        _ rules: AdvertisingRules, _ now: Instant
    ) -> [Action] {
        entry.offSince = nil
        entry.isWarnedOfForeignData = false
        if controller.activity.obstacle == nil { entry.obstacle = nil }
        let status = status(of: entry, controller, rules)
        entry.oddity = status.flatMap { Self.oddity(of: $0, rules, now, since: entry.oddity) }
        guard let status, status == entry.reported || Self.settlingTime(of: entry).map({ $0 <= now }) ?? true else {
            return []
        }
        entry.oddity?.isReported = true
        guard status != entry.reported else { return [] }
        if entry.reported == nil { entry.reportedAt = now }
        entry.reported = status
        return [.report(beacon, status)]
    }

    private func noteOff(
        _ entry: inout Entry, _ beacon: BeaconIdentifier, _ controller: ObservedController,
        _ rules: AdvertisingRules, _ now: Instant
    ) -> [Action] {
        var actions: [Action] = []
        if entry.offSince == nil { entry.offSince = now }
        entry.oddity = nil
        if let obstacle = controller.activity.obstacle, obstacle.affects(entry.requested),
            entry.obstacle.map(obstacle.isSame(as:)) != true
        {
            entry.obstacle = obstacle
            // The next report is the one without the warning.
            let warning = obstacle.warning(at: rules.place)
            entry.reported = entry.reported.map { $0.adding(warning) }
            actions.append(.warn(beacon, warning))
        }
        if let end = stopTime(of: entry, controller, rules), end <= now {
            if now - entry.reportedAt > Self.recovery { entry.attempts = 0 }
            entry.reported = nil
            actions.append(.stop(beacon, reason: reason(of: entry, controller, rules)))
        }
        if entry.attempts >= Self.attemptsBeforeWarning, !entry.isWarnedOfForeignData,
            let data = Self.foreignData(controller, rules)
        {
            entry.isWarnedOfForeignData = true
            actions.append(.warn(beacon, Self.warning(ofForeignData: data, at: rules.place)))
        }
        if let time = restorationTime(of: entry, controller, rules), time <= now {
            entry.attempts += 1
            entry.lastAttempt = now
            actions.append(.restore(beacon))
        }
        return actions
    }

    private static func oddity(
        of status: AdvertisingStatus, _ rules: AdvertisingRules, _ now: Instant, since before: Oddity?
    ) -> Oddity? {
        guard let pdu = status.effective.pdu.value, pdu != rules.prediction(of: status.requested).pdu else {
            return nil
        }
        return before?.pdu == pdu ? before : Oddity(pdu: pdu, since: now)
    }

    /// When a PDU type that nothing explains is reported; `nil` if there is none, or if it has been.
    private static func settlingTime(of entry: Entry) -> Instant? {
        entry.oddity.flatMap { $0.isReported ? nil : $0.since + settling }
    }

    private mutating func stopAll(because reason: String, at now: Instant) -> [Action] {
        entries.keys.sorted().compactMap { beacon in
            guard var entry = entries[beacon] else { return nil }
            let wasReported = entry.reported != nil
            entry.offSince = entry.offSince ?? now
            entry.reported = nil
            entry.obstacle = nil
            entries[beacon] = entry
            return wasReported ? .stop(beacon, reason: reason) : nil
        }
    }

    /// The status by the latest observation, with the obstacle that still exists.
    private func status(
        of entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules
    ) -> AdvertisingStatus? {
        let found = rules.observation(of: entry.requested, by: controller.advertising, after: entry.sequence)
        guard let found else { return nil }
        let status = rules.status(of: entry.requested, observation: found, unknownBecause: "")
        return entry.obstacle.map { status.adding($0.warning(at: rules.place)) } ?? status
    }

    /// The data that another program has given the controller past the kernel: what it advertises although the only
    /// instance is ours.
    private static func foreignData(_ controller: ObservedController, _ rules: AdvertisingRules) -> [UInt8]? {
        rules.isExtended || rules.instancesOnAir != 1 ? nil : controller.advertising.legacyDataOnAir
    }

    private static func warning(ofForeignData data: [UInt8], at place: Fault.Place) -> Warning {
        let command = Fault.controllerRefuses.command(at: place) ?? ""
        return Warning(
            code: "foreign-data",
            message:
                "the controller advertises \(Hexadecimal.string(data)), which another program has set past the kernel, "
                + "and does not take the beacon's data",
            hint: "end that program (an old hcitool script?), and power the adapter off and on (\(command))")
    }

    private func reason(of entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules) -> String {
        if controller.activity.hasCentral {
            return entry.requested.pdu.isConnectable
                ? "a central is connected" : "this controller does not advertise while it has a connection"
        }
        if let obstacle = entry.obstacle { return obstacle.reason }
        return Self.foreignData(controller, rules) == nil
            ? "the controller does not advertise it any more"
            : "the controller advertises other data, which another program has set past the kernel"
    }

    // MARK: - Times

    /// The times at which something is to be done for a beacon.
    private func deadlines(
        of entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules
    ) -> [Instant] {
        guard entry.offSince != nil else { return [Self.settlingTime(of: entry)].compactMap { $0 } }
        return [stopTime(of: entry, controller, rules), restorationTime(of: entry, controller, rules)].compactMap { $0 }
    }

    /// When a beacon that is off is reported as stopped; `nil` if it has been.
    private func stopTime(
        of entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules
    ) -> Instant? {
        guard let offSince = entry.offSince, entry.reported != nil else { return nil }
        // A controller with advertising sets does not advertise a set again before the end of its connection. The kernel
        // reports the central some milliseconds after the controller.
        let isEnded = rules.isExtended && controller.activity.hasCentral && entry.requested.pdu.isConnectable
        if isEnded { return offSince + Self.settling }
        let time = offSince + rules.round
        // During the turns of instances that the controller refuses, it advertises nothing.
        if rules.takesTurns, let obstacle = controller.activity.obstacle, !obstacle.affects(entry.requested) {
            return time
        }
        return silentSince.map { min(time, max($0, offSince) + Self.silence) } ?? time
    }

    /// When a beacon that is off is placed again; `nil` while a central or an obstacle explains it.
    private func restorationTime(
        of entry: Entry, _ controller: ObservedController, _ rules: AdvertisingRules
    ) -> Instant? {
        guard let offSince = entry.offSince, controller.activity.obstacle?.ends != true else { return nil }
        if controller.activity.hasCentral, !rules.isExtended || entry.requested.pdu.isConnectable { return nil }
        if let lastAttempt = entry.lastAttempt, entry.attempts > 0 {
            return lastAttempt + min(.seconds(1 << min(entry.attempts, 6)), Self.longestDelay)
        }
        guard let freeSince, freeSince >= offSince else { return offSince + rules.round }
        return freeSince + (rules.takesTurns ? rules.round : Self.settling)
    }
}

// MARK: - Obstacles

extension ControllerActivity.Obstacle {
    /// Whether its end is observed, and need not be tried.
    fileprivate var ends: Bool { if case .unknown = self { false } else { true } }

    /// Whether it is another refusal for the same reason: a controller that refuses everything refuses several commands in
    /// each turn.
    fileprivate func isSame(as other: Self) -> Bool {
        if case (.unknown, .unknown) = (self, other) { true } else { self == other }
    }

    /// The statuses of a controller that will refuse the same command again (Core 5.4, Vol 1, Part F, 2).
    private static let lasting: Set<HCIStatus> = [
        .unknownCommand, .unsupportedFeatureOrParameterValue, .invalidCommandParameters, .unknownAdvertisingIdentifier,
    ]

    /// Whether it may end without a change of what is requested: a run waits for its end.
    var mayPass: Bool { if case .unknown(_, let status) = self { !Self.lasting.contains(status) } else { true } }

    /// Whether it keeps an advertisement off the air.
    func affects(_ advertisement: Advertisement) -> Bool {
        switch self {
        // Only non-connectable instances get a new random address.
        case .scan: !advertisement.pdu.isConnectable
        case .connectionAttempt, .connection, .unknown: true
        }
    }

    /// Why a beacon is off the air, as a clause.
    var reason: String {
        switch self {
        case .scan(.program): "another program scans with this adapter"
        case .scan(.kernel):
            "the kernel scans with this adapter in the background, for a paired device that is away, a pending "
                + "connection, or a program that scans passively"
        case .connectionAttempt: "another program connects to a device with this adapter"
        case .connection: "this controller does not advertise while it has a connection"
        case .unknown(_, .memoryCapacityExceeded): "the controller has no free advertising set"
        case .unknown: "the controller refuses to advertise"
        }
    }

    private static let effectOfScan =
        "meanwhile the controller takes no new random address, so non-connectable advertisements are not sent"

    /// The warning while it exists.
    func warning(at place: Fault.Place) -> Warning {
        switch self {
        case .scan(.program):
            Warning(
                code: "scan-in-the-way", message: "\(reason): \(Self.effectOfScan)",
                hint: Fault.scan.hint())
        case .scan(.kernel):
            Warning(
                code: "background-scan-in-the-way", message: "\(reason): \(Self.effectOfScan)",
                hint: "\(Fault.backgroundScan.hint()); beaconry doctor names the device")
        case .connectionAttempt:
            Warning(
                code: "connection-in-the-way", message: "\(reason), and the controller refuses to advertise meanwhile",
                hint: "stop that program, or give the beacons an adapter of their own")
        case .connection:
            Warning(
                code: "connection-in-the-way", message: reason,
                hint: "\(Fault.connection.hint()); beaconry doctor names the device")
        case .unknown(_, .memoryCapacityExceeded):
            Warning(
                code: "controller-in-the-way",
                message: "\(reason), although the kernel has a free instance: the adapter itself may have one since it "
                    + "was discoverable or advertised",
                hint: "\(Fault.instancesFull.hint(at: place)); or \(Fault.controllerRefuses.hint(at: place))")
        case .unknown(let opcode, let status):
            Warning(
                code: "controller-in-the-way",
                message: "\(reason): \(opcode.name) has the status 0x\(Hexadecimal.string([status.rawValue]))",
                hint: "\(Fault.controllerRefuses.hint(at: place)); see dmesg")
        }
    }
}

extension AdvertisingStatus {
    fileprivate func adding(_ warning: Warning) -> AdvertisingStatus {
        AdvertisingStatus(
            requested: requested, effective: effective, differences: differences, warnings: warnings + [warning])
    }
}
