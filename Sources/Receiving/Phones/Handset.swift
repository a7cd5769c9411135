// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The hardware of a phone as a receiver: how the RSSI that it reports differs from that of other phones at the same place.
///
/// The numbers are from two published lists (docs/phones.md). Each has a phone of reference of its own, whose offset is 0.
package struct Handset: Hashable, Sendable {
    /// The system of a phone.
    package enum System: String, Hashable, Sendable {
        case android
        case iOS = "ios"
    }

    /// Where the numbers are from.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// Google's calibration list of Exposure Notifications, as in microG's sources; CC BY 4.0, the file also Apache-2.0.
        case exposureNotifications = "exposure-notifications"
        /// The Android Beacon Library's measurements against an iPhone 5; Apache-2.0.
        case altBeacon = "altbeacon"

        /// How certain the numbers are, as in docs/phones.md: B for measurements of a maker, C for measurements of a single author.
        package var confidence: String {
            switch self {
            case .exposureNotifications: "B"
            case .altBeacon: "C"
            }
        }

        /// The licence of the numbers.
        package var licence: String {
            switch self {
            case .exposureNotifications: "CC-BY-4.0"
            case .altBeacon: "Apache-2.0"
            }
        }

        /// The address of the list.
        package var address: String {
            switch self {
            case .exposureNotifications:
                "https://github.com/microg/GmsCore/blob/9a206ae115d6f4d99300def2aea447332ac84260/play-services-nearby/core/"
                    + "src/main/kotlin/org/microg/gms/nearby/exposurenotification/DeviceInfo.kt"
            case .altBeacon: "https://github.com/AltBeacon/android-beacon-library/pull/251"
            }
        }
    }

    /// The name, as profiles have it.
    package let name: String
    /// The name of the model in the list.
    package let model: String
    /// The system.
    package let system: System
    /// What is added to each RSSI, in dB. Google's list has the correction, which is its negative.
    package let offset: Double
    /// The transmit power in the list, in dB of its scale; `nil` if the list has none.
    package let transmitPower: Int?
    /// Where the numbers are from.
    package let source: Source

    private init(_ name: String, _ model: String, _ offset: Double, transmitPower: Int) {
        (self.name, self.model, system, self.offset) = (name, model, .android, offset)
        (self.transmitPower, source) = (transmitPower, .exposureNotifications)
    }

    private init(_ name: String, _ model: String, againstIPhone5 offset: Double, _ system: System = .android) {
        (self.name, self.model, self.system, self.offset) = (name, model, system, offset)
        (transmitPower, source) = (nil, .altBeacon)
    }

    /// The names.
    package static let names = all.map(\.name)

    /// The handset of this name; `nil` if there is none.
    package static func named(_ name: String) -> Handset? { all.first { $0.name == name } }

    /// All, in the order in which they are documented.
    package static let all: [Handset] = [
        Handset("pixel", "Pixel", 3, transmitPower: -26),
        Handset("pixel-xl", "Pixel XL", 2, transmitPower: -26),
        Handset("pixel-3", "Pixel 3", -5, transmitPower: -33),
        Handset("pixel-3a", "Pixel 3a", -2, transmitPower: -29),
        Handset("pixel-3a-xl", "Pixel 3a XL", -2, transmitPower: -28),
        Handset("pixel-4", "Pixel 4", -8, transmitPower: -30),
        Handset("pixel-4-xl", "Pixel 4 XL", -7, transmitPower: -26),
        Handset("pixel-4a", "Pixel 4a", -1, transmitPower: -30),
        Handset("pixel-5", "Pixel 5", -5, transmitPower: -25),
        Handset("nexus-5x", "Nexus 5X", 6, transmitPower: -25),
        Handset("nexus-6", "Nexus 6", -10, transmitPower: -29),
        Handset("nexus-6p", "Nexus 6P", -6, transmitPower: -27),
        Handset("galaxy-s6", "SM-G920F", -9, transmitPower: -25),
        Handset("galaxy-s7", "SM-G930F", -9, transmitPower: -33),
        Handset("galaxy-s7-edge", "SM-G935F", -11, transmitPower: -33),
        Handset("galaxy-s8", "SM-G950F", -12, transmitPower: -29),
        Handset("galaxy-s8-plus", "SM-G955F", -9, transmitPower: -26),
        Handset("galaxy-s9", "SM-G960F", -8, transmitPower: -28),
        Handset("galaxy-s9-plus", "SM-G965F", -8, transmitPower: -27),
        Handset("galaxy-s10", "SM-G973F", -2, transmitPower: -29),
        Handset("galaxy-s10-plus", "SM-G975F", -1, transmitPower: -26),
        Handset("galaxy-note-8", "SM-N950F", -8, transmitPower: -24),
        Handset("galaxy-note-9", "SM-N960F", -7, transmitPower: -28),
        Handset("galaxy-a3-2017", "SM-A320FL", 10, transmitPower: -23),
        Handset("galaxy-a5-2017", "SM-A520F", 6, transmitPower: -25),
        Handset("galaxy-a10", "SM-A105F", -3, transmitPower: -23),
        Handset("galaxy-a20", "SM-A205F", -3, transmitPower: -26),
        Handset("galaxy-a20-us", "SM-A205U", -23, transmitPower: -47),
        Handset("galaxy-a20e", "SM-A202F", -2, transmitPower: -26),
        Handset("galaxy-a30", "SM-A305F", -4, transmitPower: -23),
        Handset("galaxy-a40", "SM-A405FN", -2, transmitPower: -23),
        Handset("galaxy-a50", "SM-A505F", 0, transmitPower: -20),
        Handset("galaxy-a51", "SM-A515F", -2, transmitPower: -28),
        Handset("galaxy-a70", "SM-A705FN", -5, transmitPower: -33),
        Handset("oneplus-5", "ONEPLUS A5000", -6, transmitPower: -25),
        Handset("oneplus-5t", "ONEPLUS A5010", -3, transmitPower: -22),
        Handset("oneplus-6", "ONEPLUS A6003", -4, transmitPower: -29),
        Handset("oneplus-6t", "ONEPLUS A6013", -1, transmitPower: -21),
        Handset("oneplus-7", "GM1900", -3, transmitPower: -17),
        Handset("oneplus-7-pro", "GM1910", -3, transmitPower: -18),
        Handset("oneplus-7t", "HD1905", -1, transmitPower: -16),
        Handset("oneplus-8", "IN2011", -4, transmitPower: -27),
        Handset("oneplus-8-pro", "IN2025", -6, transmitPower: -29),
        Handset("oneplus-8t", "KB2003", -5, transmitPower: -31),
        Handset("moto-g5", "Moto G (5)", -3, transmitPower: -19),
        Handset("moto-g7", "moto g(7)", -4, transmitPower: -23),
        Handset("moto-g7-play", "moto g(7) play", -6, transmitPower: -32),
        Handset("moto-g8-plus", "moto g(8) plus", -3, transmitPower: -23),
        Handset("moto-g-5g", "moto g 5G", -4, transmitPower: -26),
        Handset("moto-z4", "moto z4", -8, transmitPower: -30),
        Handset("motorola-one", "motorola one", -4, transmitPower: -21),
        Handset("motorola-edge", "motorola edge", 2, transmitPower: -27),
        Handset("nokia-3.1", "Nokia 3.1", -6, transmitPower: -23),
        Handset("nokia-6.1", "Nokia 6.1", -8, transmitPower: -28),
        Handset("nokia-7-plus", "Nokia 7 plus", -2, transmitPower: -20),
        Handset("nokia-7.2", "Nokia 7.2", -3, transmitPower: -7),
        Handset("nokia-8-sirocco", "Nokia 8 Sirocco", -12, transmitPower: -30),
        Handset("nokia-8.1", "Nokia 8.1", -5, transmitPower: -24),
        Handset("mi-8", "MI 8", -1, transmitPower: -22),
        Handset("mi-a1", "Mi A1", -1, transmitPower: -18),
        Handset("mi-a2", "Mi A2", -2, transmitPower: -23),
        Handset("mi-a3", "Mi A3", -1, transmitPower: -19),
        Handset("mi-9t", "Mi 9T", -3, transmitPower: -31),
        Handset("redmi-7", "Redmi 7", -4, transmitPower: -30),
        Handset("redmi-8", "Redmi 8", -10, transmitPower: -31),
        Handset("redmi-note-5", "Redmi Note 5", -1, transmitPower: -20),
        Handset("redmi-note-7-pro", "Redmi Note 7 Pro", -4, transmitPower: -30),
        Handset("xperia-xz", "F8331", 2, transmitPower: -29),
        Handset("xperia-xz1", "G8341", -10, transmitPower: -31),
        Handset("xperia-xz2", "H8266", -6, transmitPower: -30),
        Handset("lg-g4", "LG-H815", 3, transmitPower: -25),
        Handset("lg-v60", "LM-V600", 1, transmitPower: -33),
        Handset("nexus-5", "Nexus 5", againstIPhone5: -2.5),
        Handset("galaxy-s5", "Galaxy S5", againstIPhone5: -21.5),
        Handset("iphone-4s", "iPhone 4S", againstIPhone5: 0, .iOS),
        Handset("iphone-5", "iPhone 5", againstIPhone5: 0, .iOS),
        Handset("iphone-5s", "iPhone 5s", againstIPhone5: 0, .iOS),
    ]
}
