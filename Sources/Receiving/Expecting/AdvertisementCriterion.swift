// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth

/// Something that an expected advertisement has.
package enum AdvertisementCriterion: Hashable, Sendable {
    /// An iBeacon frame with one of these proximity UUIDs.
    case uuid([UUID128])
    /// An iBeacon frame with this major number.
    case major(UInt16)
    /// An iBeacon frame with this minor number.
    case minor(UInt16)
    /// A frame of the format with this name, or of Eddystone (see `BeaconFormats.named`).
    case format(String)
    /// A frame with this value of a field, by the key that the field has in JSON.
    case field(String, ExpectedValue)
    /// This local name, in the advertising data or the scan response.
    case name(ExpectedValue)
    /// This address of the device.
    case address(BluetoothAddress)
    /// This service, in the advertising data or the scan response.
    case service(BluetoothUUID)
    /// A proximity, by the RSSI of the packet.
    case proximity(Proximity)
    /// An RSSI in this range, in dBm.
    case rssi(NumberRange)
    /// A distance in this range by the RSSI of the packet, in metres.
    case distance(NumberRange)

    /// What the criteria of a condition are about.
    package enum Subject: Hashable, Sendable {
        /// iBeacon frames.
        case iBeacons
        /// Beacon frames of any format.
        case frames
        /// Advertisements with any data.
        case devices
    }

    /// What these criteria are about: without one about frames or the device, about iBeacons.
    static func subject(of criteria: [AdvertisementCriterion]) -> Subject {
        var subjects: Set<Subject> = []
        for criterion in criteria {
            switch criterion {
            case .uuid, .major, .minor: subjects.insert(.iBeacons)
            case .format, .field: subjects.insert(.frames)
            case .name, .address, .service: subjects.insert(.devices)
            case .proximity, .rssi, .distance: break
            }
        }
        if subjects.contains(.iBeacons) { return .iBeacons }
        return subjects.contains(.frames) ? .frames : subjects.contains(.devices) ? .devices : .iBeacons
    }

    /// Whether it is met by what may follow in a scan response.
    var mayBeInScanResponse: Bool {
        switch self {
        case .name, .service: true
        default: false
        }
    }

    /// Whether an advertisement meets it.
    func isMet(by advertisement: CandidateAdvertisement) -> Bool {
        switch self {
        case .uuid(let uuids): advertisement.iBeacon.map { uuids.contains($0.uuid) } ?? false
        case .major(let major): advertisement.iBeacon?.major == major
        case .minor(let minor): advertisement.iBeacon?.minor == minor
        case .format(let name): advertisement.frame?.isNamed(name) ?? false
        case .field(let key, let value):
            advertisement.frame?.fields.contains { $0.key == key && value.accepts($0.value) } ?? false
        case .name(let value): advertisement.name.map(value.accepts) ?? false
        case .address(let address): advertisement.device.address == address
        case .service(let service): advertisement.services.contains(service)
        case .proximity(let proximity): advertisement.proximity == proximity
        case .rssi(let range): advertisement.rssi.map { range.contains(Double($0.decibelMilliwatts)) } ?? false
        case .distance(let range): advertisement.distance.map(range.contains) ?? false
        }
    }

    /// What it adds to the text of what is expected, after `any device`: `with service 180F`.
    var phrase: String {
        switch self {
        case .uuid, .format: ""
        case .major(let major): "major \(major)"
        case .minor(let minor): "minor \(minor)"
        default: reason
        }
    }

    /// What is missing where it is not met, after `none`.
    var reason: String {
        switch self {
        case .uuid(let uuids): uuids.count == 1 ? "of this UUID" : "of these UUIDs"
        case .major(let major): "with major \(major)"
        case .minor(let minor): "with minor \(minor)"
        case .format(let name): "of \(name)"
        case .field(let key, let value): "with \(key) \(value)"
        case .name(let name): "named \"\(name)\""
        case .address(let address): "from \(address)"
        case .service(let service): "with service \(service)"
        case .proximity(let proximity): "in \(proximity.rawValue) proximity"
        case .rssi(let range): "at \(range.text(unit: "dBm"))"
        case .distance(let range): "at a distance of \(range.text(unit: "m"))"
        }
    }
}

/// A packet, or one frame of it, with what is known of its device.
struct CandidateAdvertisement {
    /// The sender.
    let device: RemoteAddress
    /// The local name; `nil` if none is known.
    let name: String?
    /// The services of the advertising data and of the scan response.
    let services: [BluetoothUUID]
    /// The frame; `nil` for a packet without one.
    let frame: BeaconFrame?
    /// The RSSI of the packet; `nil` if unknown.
    let rssi: RSSI?
    /// The distance in metres by this RSSI; `nil` if it cannot be estimated.
    let distance: Double?
    /// The proximity by this distance.
    let proximity: Proximity
    /// Whether it is an earlier advertisement with the scan response that follows it.
    let isCompletion: Bool

    /// The frame, if it is an iBeacon.
    var iBeacon: IBeacon? { frame?.content as? IBeacon }
}
