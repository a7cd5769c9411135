// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// Encodes the parameters of advertising reports byte by byte: the hottest path of the air.
enum AdvertisingReportBytes {
    /// Data bytes in one extended report: 255 less the 26 before them.
    static let extendedDataLimit = 229
    /// The place of the RSSI in an extended report.
    static let extendedRSSIPlace = 15

    /// LE Advertising Report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    static func legacy(
        type: AdvertisingReportType, address: PackedAddress, data: [UInt8], rssi: Int8
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(12 + data.count)
        bytes.append(LEAdvertisingReport.subeventCode)
        bytes.append(1)
        bytes.append(type.rawValue)
        bytes.append(address.type)
        address.append(to: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes.append(contentsOf: data)
        bytes.append(UInt8(bitPattern: rssi))
        return bytes
    }

    /// LE Directed Advertising Report (Core 5.4, Vol 4, Part E, 7.7.65.11).
    static func directed(address: PackedAddress, target: PackedAddress, rssi: Int8) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(18)
        bytes.append(LEDirectedAdvertisingReport.subeventCode)
        bytes.append(1)
        bytes.append(AdvertisingReportType.connectableDirected.rawValue)
        bytes.append(address.type)
        address.append(to: &bytes)
        bytes.append(target.type)
        target.append(to: &bytes)
        bytes.append(UInt8(bitPattern: rssi))
        return bytes
    }

    /// The fields of an extended report before its data.
    struct ExtendedHeader {
        var eventType: ExtendedAdvertisingEventType
        var address: PackedAddress
        /// `nil` for an undirected advertisement.
        var target: PackedAddress?
        var secondaryPHY: UInt8
        var identifier: UInt8
        var transmitPower: Int8
        var rssi: Int8
    }

    /// LE Extended Advertising Report (Core 5.4, Vol 4, Part E, 7.7.65.13).
    static func extended(_ header: ExtendedHeader, data: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(26 + data.count)
        bytes.append(LEExtendedAdvertisingReport.subeventCode)
        bytes.append(1)
        bytes.append(UInt8(truncatingIfNeeded: header.eventType.rawValue))
        bytes.append(UInt8(truncatingIfNeeded: header.eventType.rawValue >> 8))
        bytes.append(header.address.type)
        header.address.append(to: &bytes)
        bytes.append(PHY.oneMegabit.rawValue)
        bytes.append(header.secondaryPHY)
        bytes.append(header.identifier)
        bytes.append(UInt8(bitPattern: header.transmitPower))
        bytes.append(UInt8(bitPattern: header.rssi))
        bytes.append(0)
        bytes.append(0)
        bytes.append(header.target?.type ?? 0)
        (header.target ?? .zero).append(to: &bytes)
        bytes.append(UInt8(truncatingIfNeeded: data.count))
        bytes.append(contentsOf: data)
        return bytes
    }
}
