// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// What a device has advertised, as properties of `org.bluez.Device1`.
///
/// Reports are merged over time: the data of a company or a service stays until it is replaced, a complete name replaces any
/// other, a short one only fills a gap (bluez 5.82 src/adapter.c, `btd_adapter_device_found`).
struct AdvertisedState: Sendable {
    /// How reports are merged.
    struct Rules: Hashable, Sendable {
        /// Whether data is signalled with each report, changed or not, and replaced instead of merged.
        var hasDuplicates = false
        /// The least change of the RSSI that is signalled, in dB; 0 for every report.
        var rssiThreshold: Int
    }

    private(set) var name: String?
    private var rssi: Int16?
    private var transmitPower: Int8?
    private(set) var appearance: UInt16?
    /// The flags; `nil` before an advertisement with flags was received.
    private var flags: UInt8?
    private var manufacturerData: [UInt16: [UInt8]] = [:]
    private var serviceData: [BluetoothUUID: [UInt8]] = [:]
    private var otherData: [UInt8: [UInt8]] = [:]
    /// The advertised services, in the order of their first report.
    private(set) var services: [BluetoothUUID] = []

    /// The number of entries that one device may have of a kind: a device could advertise a new one each time.
    private static let capacity = 128

    /// Takes a report.
    /// - Returns: the names of the properties to signal.
    mutating func merge(_ report: AdvertisingReport, rssi: Int16?, _ rules: Rules) -> [String] {
        var changed: [String] = []
        if mergeRSSI(rssi, threshold: rules.rssiThreshold) { changed.append("RSSI") }
        if let power = report.transmitPower, power != transmitPower {
            transmitPower = power
            changed.append("TxPower")
        }
        if let value = report.appearance, setAppearance(value) { changed += ["Appearance", "Icon"] }
        if let text = report.name, report.isNameComplete || name == nil, setName(text) {
            changed += ["Name", "Alias"]
        }
        let count = services.count
        for service in report.services where services.count < Self.capacity && !services.contains(service) {
            services.append(service)
        }
        if services.count != count { changed.append("UUIDs") }
        if mergeManufacturerData(report, rules) { changed.append("ManufacturerData") }
        if mergeServiceData(report, rules) { changed.append("ServiceData") }
        for (type, data) in report.otherData where otherData[type] != data {
            otherData[type] = data
            // Only transport discovery data is signalled (bluez 5.82 src/device.c, `add_data`).
            if type == 0x26 { changed.append("AdvertisingData") }
        }
        // The flags of the advertisement: a scan response has none.
        if !report.isScanResponse, let new = report.flags, new != flags {
            flags = new
            changed.append("AdvertisingFlags")
        }
        return changed
    }

    private mutating func mergeRSSI(_ new: Int16?, threshold: Int) -> Bool {
        guard let new else { return false }
        if let rssi, abs(Int(rssi) - Int(new)) < threshold { return false }
        rssi = new
        return true
    }

    private mutating func mergeManufacturerData(_ report: AdvertisingReport, _ rules: Rules) -> Bool {
        guard !report.manufacturerData.isEmpty else { return false }
        if rules.hasDuplicates { manufacturerData = [:] }
        var isChanged = false
        for entry in report.manufacturerData where manufacturerData[entry.company] != entry.data {
            guard manufacturerData[entry.company] != nil || manufacturerData.count < Self.capacity else { continue }
            manufacturerData[entry.company] = entry.data
            isChanged = true
        }
        return isChanged
    }

    private mutating func mergeServiceData(_ report: AdvertisingReport, _ rules: Rules) -> Bool {
        guard !report.serviceData.isEmpty else { return false }
        if rules.hasDuplicates { serviceData = [:] }
        var isChanged = false
        for entry in report.serviceData where serviceData[entry.service] != entry.data {
            guard serviceData[entry.service] != nil || serviceData.count < Self.capacity else { continue }
            serviceData[entry.service] = entry.data
            isChanged = true
        }
        return isChanged
    }

    /// Forgets RSSI and transmit power, because nothing is received any more.
    /// - Returns: the names of the properties that ceased to exist.
    mutating func forgetPower() -> [String] {
        defer { (rssi, transmitPower) = (nil, nil) }
        return (rssi == nil ? [] : ["RSSI"]) + (transmitPower == nil ? [] : ["TxPower"])
    }

    /// Sets the name: an advertised name, or the name in the device's Generic Access service.
    /// - Returns: whether the name changed.
    mutating func setName(_ text: String) -> Bool {
        guard !text.isEmpty, text != name else { return false }
        name = text
        return true
    }

    /// Sets the appearance: an advertised appearance, or the appearance in the device's Generic Access service.
    /// - Returns: whether the appearance changed.
    mutating func setAppearance(_ value: UInt16) -> Bool {
        guard value != appearance else { return false }
        appearance = value
        return true
    }

    /// The properties of `Device1` that are known; not `Alias` and `UUIDs`.
    var properties: [String: DBusValue] {
        var properties: [String: DBusValue] = [:]
        properties["AdvertisingFlags"] = flags.map { .bytes([$0]) }
        properties["Name"] = name.map(DBusValue.string)
        properties["RSSI"] = rssi.map(DBusValue.int16)
        properties["TxPower"] = transmitPower.map { .int16(Int16($0)) }
        properties["Appearance"] = appearance.map(DBusValue.uint16)
        properties["Icon"] = appearance.flatMap(AppearanceIcon.name).map(DBusValue.string)
        if !manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                "q", "v",
                manufacturerData.sorted { $0.key < $1.key }.map {
                    DBusDictionaryEntry(.uint16($0.key), .variant(.bytes($0.value)))
                })
        }
        if !serviceData.isEmpty {
            properties["ServiceData"] = .variants(
                Dictionary(uniqueKeysWithValues: serviceData.map { ($0.key.busText, .bytes($0.value)) }))
        }
        if !otherData.isEmpty {
            properties["AdvertisingData"] = .dictionary(
                "y", "v",
                otherData.sorted { $0.key < $1.key }.map {
                    DBusDictionaryEntry(.byte($0.key), .variant(.bytes($0.value)))
                })
        }
        return properties
    }
}

extension BluetoothUUID {
    /// The form on the bus: 128 bits in lower case.
    var busText: String { expanded.description.lowercased() }
}

/// The icons that bluetoothd derives from an appearance (bluez 5.82 src/dbus-common.c, `gap_appearance_to_icon`).
enum AppearanceIcon {
    /// The name of the icon for an appearance; `nil` without one.
    static func name(_ appearance: UInt16) -> String? {
        switch appearance >> 6 {
        case 0x01: "phone"
        case 0x02: "computer"
        case 0x05: "video-display"
        case 0x0A: "multimedia-player"
        case 0x0B: "scanner"
        case 0x0F:
            switch appearance & 0x3F {
            case 0x01: "input-keyboard"
            case 0x02: "input-mouse"
            case 0x03, 0x04: "input-gaming"
            case 0x05: "input-tablet"
            case 0x08: "scanner"
            default: nil
            }
        default: nil
        }
    }
}
