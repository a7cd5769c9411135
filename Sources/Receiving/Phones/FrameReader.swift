// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// How an app finds the beacons in a packet: which formats it knows, and what it accepts of frames that deviate from them.
///
/// docs/phones.md has the sources.
package enum FrameReader: Hashable, Sendable {
    /// All formats, as they are specified: an iBeacon has company 0x004C and 23 bytes.
    case specified
    /// iBeacons as they are specified. Core Location has no other beacons, and Apple publishes no leniency.
    case coreLocation
    /// The layouts of the Android Beacon Library for AltBeacon, iBeacon, Eddystone-UID and Eddystone-URL: a code at its
    /// place is enough. Any company is accepted and any length; what is missing is read from the following structures, or is
    /// zeros. The first layout that matches counts, once a packet.
    case androidBeaconLibrary
    /// iBeacons as Home Assistant reads them: company 0x004C and 23 bytes or more, but not those of Tilt hydrometers.
    case homeAssistant

    /// The beacons in a packet, in order.
    package func beacons(in sighting: Sighting) -> [ReceivedBeacon] {
        switch self {
        case .specified: AdvertisingData.prefix(of: sighting.data).data.beacons.compactMap(ReceivedBeacon.init)
        case .coreLocation: sighting.beacons.map { ReceivedBeacon($0) }
        case .androidBeaconLibrary: BeaconLayout.first(in: sighting.data).map { [$0] } ?? []
        case .homeAssistant: Self.homeAssistantBeacons(in: sighting)
        }
    }

    /// Whether it finds beacons of these identifiers.
    package func knows(_ identifiers: BeaconRegion.Identifiers) -> Bool {
        switch (self, identifiers) {
        case (_, .numbers), (.specified, _), (.androidBeaconLibrary, _): true
        case (.coreLocation, .namespace), (.homeAssistant, .namespace): false
        }
    }

    /// The UUIDs of Tilt hydrometers and of a device with changing numbers, which ibeacon-ble leaves out.
    private static let excludedByHomeAssistant: Set<UUID128> = Set(
        (["1CA92E23-F087-4DF7-B9A2-FD4B716A4BF6"] + (1...8).map { "A495BB\($0)0-C5B1-4B44-B512-1370F02D74DE" })
            .compactMap { UUID128($0) })

    private static func homeAssistantBeacons(in sighting: Sighting) -> [ReceivedBeacon] {
        // Its Bluetooth stacks have one value for each company: the last one.
        let structures = AdvertisingData.prefix(of: sighting.data).data.structures
        let data = structures.compactMap { structure -> [UInt8]? in
            if case .manufacturerSpecific(.apple, let data) = structure { data } else { nil }
        }
        guard let last = data.last, let frame = try? IBeacon(parsing: Array(last.prefix(23))),
            !excludedByHomeAssistant.contains(frame.uuid)
        else { return [] }
        return [ReceivedBeacon(frame)]
    }
}

/// A layout of the Android Beacon Library (`BeaconParser`): the places of a code and of the fields, in bytes from the company
/// identifier or the service UUID on.
private struct BeaconLayout: Sendable {
    /// An AD structure: its type, and the places of its first and last byte after the type.
    private typealias Structure = (type: UInt8, start: Int, last: Int)

    let format: String
    let type: UInt8
    /// The bytes that must be at these places.
    let code: [(place: Int, bytes: [UInt8])]
    let power: Int
    /// What is added to the power: it may be that at 0 m.
    var correction = 0
    /// The place after the last one that the layout has.
    let size: Int
    /// The identifiers, from the bytes after the code, which are as many as the layout has, and the number of those that are in
    /// the structure. `nil` if they are not enough.
    let identifiers: @Sendable (ArraySlice<UInt8>, Int) -> BeaconIdentity.Identifiers?

    /// In the order of the library's default, which is AltBeacon, and the layouts that apps add.
    static let all: [BeaconLayout] = [
        manufacturer(AltBeacon.formatName, [0xBE, 0xAC], size: 26),
        manufacturer(IBeacon.formatName, [0x02, 0x15], size: 25),
        eddystone(EddystoneUID.formatName, 0x00, size: 20) { bytes, _ in
            .namespace(Array(bytes.prefix(10)), instance: Array(bytes.dropFirst(10).prefix(6)))
        },
        eddystone(EddystoneURL.formatName, 0x10, size: 22) { bytes, count in
            guard count > 0 else { return nil }
            var reader = ByteReader([0x10, 0] + bytes.prefix(count))
            let frame = try? EddystoneURL(parsing: &reader)
            return .text(frame?.url ?? Hexadecimal.string(Array(bytes.prefix(count))))
        },
    ]

    private static func manufacturer(_ format: String, _ code: [UInt8], size: Int) -> BeaconLayout {
        BeaconLayout(format: format, type: 0xFF, code: [(2, code)], power: 24, size: size) { bytes, _ in
            let bytes = Array(bytes.prefix(20))
            guard let uuid = UUID128(octets: bytes.prefix(16)) else { return nil }
            return .numbers(
                uuid, major: UInt16(bytes[16]) << 8 | UInt16(bytes[17]),
                minor: UInt16(bytes[18]) << 8 | UInt16(bytes[19]))
        }
    }

    private static func eddystone(
        _ format: String, _ frame: UInt8, size: Int,
        _ identifiers: @escaping @Sendable (ArraySlice<UInt8>, Int) -> BeaconIdentity.Identifiers?
    ) -> BeaconLayout {
        BeaconLayout(
            format: format, type: 0x16, code: [(0, [0xAA, 0xFE]), (2, [frame])], power: 3,
            correction: -Eddystone.lossToOneMetre, size: size, identifiers: identifiers)
    }

    /// The beacon of the first layout that matches.
    static func first(in data: [UInt8]) -> ReceivedBeacon? {
        let structures = structures(of: data)
        for layout in all {
            for structure in structures where structure.type == layout.type {
                if let beacon = layout.beacon(structure, in: data) { return beacon }
            }
        }
        return nil
    }

    /// The structures, of which the last one may be longer than the data.
    private static func structures(of data: [UInt8]) -> [Structure] {
        var structures: [Structure] = []
        var place = 0
        while place + 2 < data.count, data[place] > 0 {
            let next = place + 1 + Int(data[place])
            structures.append((data[place + 1], place + 2, min(next, data.count) - 1))
            place = next
        }
        return structures
    }

    private func beacon(_ structure: Structure, in data: [UInt8]) -> ReceivedBeacon? {
        let matches = code.allSatisfy { data.dropFirst(structure.start + $0.place).starts(with: $0.bytes) }
        guard matches else { return nil }
        // What the structure lacks is read from what follows, then zeros.
        let missing = [UInt8](repeating: 0, count: max(structure.start + size - data.count, 0))
        let bytes = (data + missing).dropFirst(structure.start)
        let place = bytes.startIndex + 4
        guard let identifiers = identifiers(bytes[place...], structure.last + 1 - place) else { return nil }
        let power = Int(Int8(bitPattern: bytes[bytes.startIndex + power])) + correction
        return ReceivedBeacon(
            identity: BeaconIdentity(format: format, identifiers),
            measuredPower: MeasuredPower(Int8(truncatingIfNeeded: power)))
    }
}

extension Sighting {
    /// The beacon frames in the data, even if not all of it is well-formed.
    package var frames: [BeaconFrame] { AdvertisingData.prefix(of: data).data.frames }
}

extension [BeaconFrame] {
    /// The RSSI at 1 m in dBm that the first one with a measured power claims; `nil` if none does.
    package var measuredPower: Int8? { lazy.compactMap { $0.measuredPower?.decibelMilliwatts }.first }
}
