// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

extension AdvertisingStructure {
    /// What data is known as that is no frame here: what phones, computers, trackers and sensors around a receiver advertise. `nil`
    /// for other data.
    package var recognized: String? {
        switch self {
        case .manufacturerSpecific(.apple, let data): Self.apple(data)
        case .manufacturerSpecific(let company, let data): Self.first(of: .manufacturer(company.rawValue), data)
        case .serviceData16(let service, let data): Self.first(of: .service(service), data)
        case .unknown(type: 0x29, _), .unknown(type: 0x2A, _), .unknown(type: 0x2B, _): "Bluetooth mesh"
        default: nil
        }
    }

    private enum Carrier: Hashable, Sendable {
        case manufacturer(UInt16)
        case service(UInt16)
    }

    private static func first(of carrier: Carrier, _ data: [UInt8]) -> String? {
        known.first { row in
            row.carrier == carrier
                && row.match.allSatisfy { $0.place < data.count && data[$0.place] & $0.mask == $0.byte }
        }?.name
    }

    /// A list of types, lengths and values (furiousMAC/continuity); iBeacons are frames.
    private static func apple(_ data: [UInt8]) -> String? {
        var names: [String] = []
        var rest = data[...]
        while let type = rest.first, let length = rest.dropFirst().first, rest.count >= 2 + Int(length) {
            guard type != 0x02 else { return nil }
            let name =
                type == 0x12
                ? length == 0x19 ? "Find My, separated from its owner" : "Find My, near its owner" : appleTypes[type]
            guard let name else { break }
            names.append(name)
            rest = rest.dropFirst(2 + Int(length))
        }
        return names.isEmpty ? nil : "Apple: " + names.joined(separator: ", ")
    }

    private static let appleTypes: [UInt8: String] = [
        0x03: "AirPrint", 0x05: "AirDrop", 0x06: "HomeKit", 0x07: "AirPods", 0x08: "Siri", 0x09: "AirPlay target",
        0x0A: "AirPlay source", 0x0B: "Magic Switch", 0x0C: "Handoff", 0x0D: "tethering target",
        0x0E: "tethering source",
        0x0F: "nearby action", 0x10: "nearby info",
    ]

    private typealias Row = (name: String, carrier: Carrier, match: [(place: Int, byte: UInt8, mask: UInt8)])

    private static func row(_ name: String, _ carrier: Carrier, _ bytes: (Int, UInt8, UInt8)...) -> Row {
        (name, carrier, bytes.map { (place: $0.0, byte: $0.1, mask: $0.2) })
    }

    /// The first row that matches counts.
    private static let known: [Row] = [
        row("tracker (DULT), near its owner", .service(0xFCB2), (1, 1, 1)), row("tracker (DULT)", .service(0xFCB2)),
        row("Google Find Hub", .service(0xFEAA), (0, 0x40, 0xFF)),
        row("Google Find Hub, separated from its owner", .service(0xFEAA), (0, 0x41, 0xFF)),
        row("Fast Pair", .service(0xFE2C)),
        row("Microsoft: Connected Devices Platform", .manufacturer(0x0006), (0, 1, 0xFF)),
        row("Microsoft: Swift Pair", .manufacturer(0x0006), (0, 3, 0xFF)),
        row("Samsung SmartTag", .service(0xFD5A), (0, 0x10, 0xF8)), row("Samsung Find", .service(0xFD69)),
        row("Samsung SmartTag, being set up", .service(0xFD59)), row("Tile", .service(0xFEED)),
        row("Tile", .service(0xFEEC)),
        row("Tile", .service(0xFD84)), row("Chipolo", .service(0xFE33)), row("Pebblebee", .service(0xFA25)),
        row("Exposure Notification", .service(0xFD6F)), row("Matter commissioning", .service(0xFFF6)),
        row("Open Drone ID", .service(0xFFFA), (0, 0x0D, 0xFF)), row("LE Audio: broadcast", .service(0x1852)),
        row("LE Audio: public broadcast", .service(0x1856)), row("LE Audio: audio stream control", .service(0x184E)),
        row("LE Audio: common audio", .service(0x1853)), row("LE Audio: hearing aid", .service(0x1854)),
        row("LE Audio: telephony and media audio", .service(0x1855)), row("mesh provisioning", .service(0x1827)),
        row("mesh proxy", .service(0x1828)), row("Google", .service(0xFE9F)), row("Google Nearby", .service(0xFEF3)),
        row("Google", .service(0xFCF1)), row("Nordic firmware update", .service(0xFE59)),
        row("Quuppa", .manufacturer(0x00C7)),
        row("LINE Beacon", .service(0xFE6F)), row("Kontakt.io: shuffled", .service(0xFE6A), (0, 1, 0xFF)),
        row("Kontakt.io: plain", .service(0xFE6A), (0, 2, 0xFF)),
        row("Kontakt.io: telemetry", .service(0xFE6A), (0, 3, 0xFF)),
        row("Kontakt.io: location", .service(0xFE6A), (0, 5, 0xFF)),
        row("Estimote nearable", .manufacturer(0x015D), (0, 1, 0xFF)),
        row("Estimote telemetry", .service(0xFE9A), (0, 2, 0x0F)), row("Estimote", .service(0xFE9A)),
        row("MokoSmart", .service(0xFEAB)), row("MokoBeacon", .service(0xFF01)),
        row("Feasycom", .service(0xFFF0), (10, 0, 0)),
        row("ELA Blue Puck", .manufacturer(0x0757)), row("Mopeka", .manufacturer(0x0059), (0, 0x03, 0xFF), (9, 0, 0)),
        row("Mopeka", .manufacturer(0x0059), (0, 0x08, 0xFF), (9, 0, 0)),
        row("Mopeka", .manufacturer(0x0059), (0, 0x0C, 0xFF), (9, 0, 0)), row("SwitchBot", .service(0xFD3D)),
        row("SwitchBot", .manufacturer(0x0969)), row("Minew", .service(0xFFE1), (0, 0xA1, 0xFF)),
        row("Minew", .manufacturer(0x0639)),
        row("KBeacon system", .service(0xFEAA), (0, 0x22, 0xFF)),
        row("Xiaomi, without values", .service(0xFE95), (0, 0x00, 0x40)),
    ]
}
