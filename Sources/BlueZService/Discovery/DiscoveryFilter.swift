// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import Receiving

/// The filter of one caller's discovery: the argument of `SetDiscoveryFilter`
/// (bluez 5.82 src/adapter.c, `parse_discovery_filter_dict`).
struct DiscoveryFilter: Hashable, Sendable {
    /// The advertised services, of which one is enough; empty for any.
    private(set) var services: Set<BluetoothUUID> = []
    /// The lowest RSSI, in dBm.
    private(set) var rssi: Int16?
    /// The highest path loss, in dB.
    private(set) var pathLoss: UInt16?
    /// What the caller discovers: `auto`, `le` or `bredr`.
    private(set) var transport = "auto"
    /// Whether each report is signalled, changed or not.
    private(set) var hasDuplicates = false
    /// Whether the adapter is discoverable while the caller discovers.
    private(set) var isDiscoverable = false
    /// What the address or the name begins with.
    private(set) var pattern: String?
    /// Whether the device with exactly this address is connected at once; bluetoothd 5.70 and later.
    private(set) var connectsAutomatically = false

    private static let highestPathLoss: UInt16 = 137

    /// A filter of these values.
    /// - Returns: `nil` without any, which is no filter.
    /// - Throws: `InvalidArguments` for an unknown key, or a value of a wrong type or range.
    init?(_ values: [String: DBusValue]) throws(DBusError) {
        guard !values.isEmpty else { return nil }
        for (key, value) in values {
            guard set(key, value) else { throw BlueZError.invalidArguments() }
        }
        guard rssi == nil || pathLoss == nil else { throw BlueZError.invalidArguments() }
    }

    private mutating func set(_ key: String, _ value: DBusValue) -> Bool {
        switch key {
        case "UUIDs":
            guard let texts = value.stringsValue else { return false }
            let uuids = texts.compactMap { BluetoothUUID($0) }
            services = Set(uuids)
            return uuids.count == texts.count
        case "RSSI":
            rssi = value.int16Value
            return rssi.map { (-127...20).contains($0) } ?? false
        case "Pathloss":
            pathLoss = value.uint16Value
            return pathLoss.map { $0 <= Self.highestPathLoss } ?? false
        case "Transport":
            transport = value.stringValue ?? ""
            return ["auto", "le", "bredr"].contains(transport)
        case "DuplicateData": return set(&hasDuplicates, value)
        case "Discoverable": return set(&isDiscoverable, value)
        case "Pattern":
            pattern = value.stringValue
            return pattern != nil
        case "AutoConnect": return set(&connectsAutomatically, value)
        default: return false
        }
    }

    private func set(_ flag: inout Bool, _ value: DBusValue) -> Bool {
        guard let new = value.boolValue else { return false }
        flag = new
        return true
    }

    /// The keys of `SetDiscoveryFilter`.
    static let keys = [
        "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern", "AutoConnect",
    ]

    /// Whether a report matches.
    /// - Parameters:
    ///   - report: what the device advertises.
    ///   - related: its last scan response, or for a scan response its last advertisement: Linux reports both as one.
    ///   - rssi: the RSSI of the report, in dBm.
    ///   - name: the name, if the device has one.
    func matches(
        _ report: AdvertisingReport, _ related: AdvertisingReport? = nil, rssi reported: Int16?, name: String?
    ) -> Bool {
        guard transport != "bredr" else { return false }
        if let pattern, !pattern.isEmpty {
            let address = report.device.address.description
            guard address.hasPrefix(pattern.uppercased()) || (name?.hasPrefix(pattern) ?? false) else { return false }
        }
        if !services.isEmpty, services.isDisjoint(with: report.services + (related?.services ?? [])) { return false }
        if let rssi {
            guard let reported, reported >= rssi else { return false }
        }
        if let pathLoss {
            guard let reported, let power = report.transmitPower ?? related?.transmitPower else { return false }
            guard Int(power) - Int(reported) <= Int(pathLoss) else { return false }
        }
        return true
    }
}
