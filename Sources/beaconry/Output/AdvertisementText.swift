// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

/// Advertising data in the words that people know a beacon by.
enum AdvertisementText {
    /// The iBeacon in data of hexadecimal digits.
    static func beacon(_ hex: String) -> IBeacon? { data(hex)?.structures.lazy.compactMap(IBeacon.init).first }

    /// `iBeacon 1/7` with its major and minor number, else as `identity`.
    static func name(_ hex: String, _ scanResponse: String) -> String? {
        beacon(hex).map { "iBeacon \($0.major)/\($0.minor)" } ?? identity(hex, scanResponse)
    }

    /// The beacon frame, else the device's name and the first of its services; `nil` where the data has none of these.
    static func identity(_ hex: String, _ scanResponse: String) -> String? {
        let parts = [hex, scanResponse].compactMap(data)
        if let frame = parts.lazy.flatMap(\.frames).first { return ScanRecord.printable(DecodedFrame(frame).line) }
        let service = parts.lazy.flatMap(\.services).first.map { "\($0)" }
        return BeaconText.identity(name: parts.lazy.compactMap(\.localName).first, service: service)
    }

    private static func data(_ hex: String) -> AdvertisingData? {
        guard let bytes = try? Hexadecimal.bytes(hex) else { return nil }
        return try? AdvertisingData(parsing: bytes)
    }
}
