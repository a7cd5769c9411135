// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The keys of a SensorTag, in their bits on the wire.
package struct SensorTagKeys: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// S2, which some clients' makers call the right one.
    package static let left = SensorTagKeys(rawValue: 0x01)
    /// S3.
    package static let right = SensorTagKeys(rawValue: 0x02)
    /// The small one at the side; told to a central in test mode only.
    package static let side = SensorTagKeys(rawValue: 0x04)

    private static let names: [(name: String, key: SensorTagKeys)] = [
        ("left", .left), ("right", .right), ("side", .side),
    ]

    /// Reads `none`, `left`, `left+right` and so on; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        guard text != "none" else {
            self = []
            return
        }
        var keys: SensorTagKeys = []
        for part in text.split(separator: "+", omittingEmptySubsequences: false) {
            guard let key = Self.names.first(where: { $0.name == part })?.key, keys.insert(key).inserted else {
                return nil
            }
        }
        self = keys
    }
}

extension SensorTagKeys: CustomStringConvertible {
    /// `none`, `left`, `left+right`.
    package var description: String {
        isEmpty ? "none" : Self.names.filter { contains($0.key) }.map(\.name).joined(separator: "+")
    }
}
