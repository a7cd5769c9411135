// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import DBus

/// What a monitor reports: the properties of `org.bluez.AdvertisementMonitor1` (bluez 5.82 src/adv_monitor.c).
struct MonitorRules: Hashable, Sendable {
    /// Bytes that a structure of an advertisement has at a place.
    struct Pattern: Hashable, Sendable {
        /// The first byte of the structure's data that is compared.
        let start: Int
        /// The type of the structure.
        let type: UInt8
        /// The bytes.
        let content: [UInt8]

        /// The longest content, in bytes (bluez 5.82 src/shared/ad.h, `BT_AD_MAX_DATA_LEN`).
        private static let capacity = 31

        /// - Parameter value: `(yyay)`.
        init?(_ value: DBusValue) {
            guard let fields = value.structureValue, fields.count == 3, let start = fields[0].byteValue,
                let type = fields[1].byteValue, let content = fields[2].bytesValue
            else { return nil }
            guard !content.isEmpty, Int(start) + content.count <= Self.capacity else { return nil }
            self.start = Int(start)
            self.type = type
            self.content = content
        }

        /// Whether an advertisement with these structures has it.
        func matches(_ structures: [AdvertisingStructure]) -> Bool {
            structures.contains { $0.type == type && $0.data.dropFirst(start).starts(with: content) }
        }
    }

    /// The limits of the RSSI between which a device is found and lost.
    struct Thresholds: Hashable, Sendable {
        /// Above it a device is found, in dBm.
        let high: Int16
        /// Below it a device is lost, in dBm.
        let low: Int16
        /// How long the RSSI must be above the high threshold.
        let highTime: Duration
        /// How long it must be below the low threshold, or the device not be received.
        let lowTime: Duration
    }

    /// The patterns, of which one is enough.
    let patterns: [Pattern]
    /// The thresholds; `nil` if each match is a find.
    let thresholds: Thresholds?

    /// The rules of a monitor.
    /// - Returns: `nil` for properties that bluetoothd refuses.
    init?(_ properties: [String: DBusValue]) {
        guard properties["Type"]?.stringValue == "or_patterns", let values = properties["Patterns"]?.arrayValue,
            !values.isEmpty
        else { return nil }
        patterns = values.compactMap(Pattern.init)
        guard patterns.count == values.count else { return nil }
        guard let thresholds = Self.thresholds(properties) else { return nil }
        // A sampling period alone limits nothing.
        let names = ["RSSIHighThreshold", "RSSILowThreshold", "RSSIHighTimeout", "RSSILowTimeout"]
        self.thresholds = properties.keys.contains(where: names.contains) ? thresholds : nil
    }

    private static func thresholds(_ properties: [String: DBusValue]) -> Thresholds? {
        func value<Value>(_ name: String, _ read: (DBusValue) -> Value?, default: Value) -> Value? {
            guard let value = properties[name] else { return `default` }
            return read(value)
        }
        guard let low = value("RSSILowThreshold", \.int16Value, default: -127),
            let high = value("RSSIHighThreshold", \.int16Value, default: low),
            let highTime = value("RSSIHighTimeout", \.uint16Value, default: 10),
            let lowTime = value("RSSILowTimeout", \.uint16Value, default: 5),
            let period = value("RSSISamplingPeriod", \.uint16Value, default: 0xFF)
        else { return nil }
        guard (-127...20).contains(low), (-127...20).contains(high), low <= high, (1...300).contains(highTime),
            (1...300).contains(lowTime), period <= 0xFF
        else { return nil }
        return Thresholds(high: high, low: low, highTime: .seconds(highTime), lowTime: .seconds(lowTime))
    }

    /// Whether an advertisement with these structures matches.
    func matches(_ structures: [AdvertisingStructure]) -> Bool { patterns.contains { $0.matches(structures) } }
}

/// Whether a monitor has found a device (bluez 5.82 src/adv_monitor.c, `adv_monitor_filter_rssi`).
struct MonitoredDevice {
    /// A change to report.
    enum Change {
        case found
        case lost
    }

    private(set) var isFound = false
    /// Since when the RSSI is beyond the threshold that would change the state.
    private var since: ContinuousClock.Instant?
    /// When it was received last.
    private(set) var lastSeen: ContinuousClock.Instant?

    /// Takes a match.
    mutating func receive(
        rssi: Int16?, _ thresholds: MonitorRules.Thresholds?, at now: ContinuousClock.Instant
    ) -> Change? {
        defer { lastSeen = now }
        guard let thresholds else {
            defer { isFound = true }
            return isFound ? nil : .found
        }
        guard let rssi, isFound ? rssi < thresholds.low : rssi > thresholds.high else {
            since = nil
            return nil
        }
        let time = isFound ? thresholds.lowTime : thresholds.highTime
        if let lastSeen, now - lastSeen > time { since = nil }
        guard let begin = since else {
            since = now
            return nil
        }
        guard now - begin >= time else { return nil }
        since = nil
        isFound.toggle()
        return isFound ? .found : .lost
    }

    /// Whether it is lost because it was not received for a time.
    mutating func expire(_ thresholds: MonitorRules.Thresholds, at now: ContinuousClock.Instant) -> Bool {
        guard isFound, let lastSeen, now - lastSeen >= thresholds.lowTime else { return false }
        self = MonitoredDevice()
        return true
    }
}
