// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// What an expected advertisement has, by the names that options and files use.
package struct AdvertisementCriteria: Hashable, Sendable {
    /// The proximity UUIDs of which an iBeacon has one; empty for any.
    package var uuids: [UUID128] = []
    /// The major number of an iBeacon; `nil` for any.
    package var major: UInt16?
    /// The minor number of an iBeacon; `nil` for any.
    package var minor: UInt16?
    /// The name of the frame's format; `nil` for any.
    package var format: String?
    /// Values of the frame's fields, by their keys in JSON.
    package var fields: [String: ExpectedValue] = [:]
    /// The device's address; `nil` for any.
    package var address: BluetoothAddress?
    /// The local name; `nil` for any, and for none.
    package var name: ExpectedValue?
    /// Services, all of which are advertised.
    package var services: [BluetoothUUID] = []
    /// The proximity; `nil` for any.
    package var proximity: Proximity?
    /// The range of the RSSI in dBm; `nil` for any.
    package var rssi: NumberRange?
    /// The range of the distance in metres; `nil` for any.
    package var distance: NumberRange?

    /// No criteria.
    package init() {}

    /// The criteria in the order in which they are compared. The nearest miss is the sender that meets most of them from the
    /// first on, so what identifies a sender comes before what varies.
    package var list: [AdvertisementCriterion] {
        var list: [AdvertisementCriterion?] = [
            uuids.isEmpty ? nil : .uuid(uuids), major.map { .major($0) }, minor.map { .minor($0) },
            format.map { .format($0) },
        ]
        list += fields.sorted { $0.key < $1.key }.map { .field($0.key, $0.value) }
        list += [address.map { .address($0) }, name.map { .name($0) }]
        list += services.map { .service($0) }
        list += [proximity.map { .proximity($0) }, rssi.map { .rssi($0) }, distance.map { .distance($0) }]
        return list.compactMap(\.self)
    }

    /// Why no advertisement can meet the criteria, with the names of two that exclude each other or of one that needs another;
    /// `nil` if one can.
    package var contradiction: (key: String, message: String)? {
        if minor != nil, major == nil { return ("minor", "minor needs a major number") }
        let isIBeacon = !uuids.isEmpty || major != nil
        if isIBeacon, let format, format != "ibeacon" {
            return ("format", "uuid, major and minor are of iBeacons, not of \(format)")
        }
        return nil
    }
}
