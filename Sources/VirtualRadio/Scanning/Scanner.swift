// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// What makes an advertisement the same as one before (Core 5.4, Vol 6, Part B, 4.3.5).
struct SeenAdvertisement: Hashable, Sendable {
    let address: PackedAddress
    /// The type of the PDU; of extended PDUs also the set and the identifier of its data.
    let detail: UInt32
}

/// Which of the same advertisements a scanner reports.
enum DuplicateFilter: UInt8, Sendable {
    case off = 0
    case untilDisabled = 1
    case eachPeriod = 2
}

/// What a scan is asked to be, before it is enabled.
struct ScanParameters: Hashable, Sendable {
    var isActive = false
    /// Microseconds.
    var interval: Int64 = 10_000
    /// Microseconds.
    var window: Int64 = 10_000
    var usesRandomAddress = false
    var filterPolicy = ScanningFilterPolicy.unfiltered

    /// Whether directed advertisements to a resolvable private address pass.
    var passesUnresolvedTargets: Bool { filterPolicy.rawValue & 2 == 2 }
}

/// A controller that scans now.
struct Scanner: Sendable {
    let controller: Int
    let parameters: ScanParameters
    let schedule: ScanSchedule
    /// Whether it hears extended PDUs, and reports as `LEExtendedAdvertisingReport`.
    let isExtended: Bool
    /// What it sends scan requests with, and what directed advertisements must name.
    let ownAddress: PackedAddress
    let filter: DuplicateFilter
    /// Of each period it scans for `duration`; microseconds, 0 for all the time.
    let period: Int64
    let duration: Int64
    private var seen: Set<SeenAdvertisement> = []
    private var periodNumber: Int64 = 0

    /// What it remembers at most; then it begins anew, and reports again what it had.
    private static let seenLimit = 65_536

    init(
        controller: Int, parameters: ScanParameters, start: AirTime, isExtended: Bool, ownAddress: PackedAddress,
        filter: DuplicateFilter, duration: Int64 = 0, period: Int64 = 0
    ) {
        self.controller = controller
        self.parameters = parameters
        self.schedule = ScanSchedule(start: start, interval: parameters.interval, window: parameters.window)
        self.isExtended = isExtended
        self.ownAddress = ownAddress
        self.filter = filter
        self.duration = duration
        self.period = period
    }

    /// Whether it listens on one of these channels.
    func hears(channels: UInt8, at time: AirTime) -> Bool {
        if period > 0, (time - schedule.start) % period >= duration { return false }
        return schedule.channelBit(at: time) & channels != 0
    }

    /// Whether an advertisement is to be reported, which is remembered.
    mutating func admits(_ advertisement: SeenAdvertisement, at time: AirTime) -> Bool {
        guard filter != .off else { return true }
        if filter == .eachPeriod, period > 0, (time - schedule.start) / period != periodNumber {
            periodNumber = (time - schedule.start) / period
            seen.removeAll(keepingCapacity: true)
        }
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        return seen.insert(advertisement).inserted
    }
}
