// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

/// An advertising data payload as `decode` tells it.
struct DecodedPayload: Encodable {
    /// An AD structure.
    struct Structure: Encodable {
        let type: UInt8
        let name: String?
        let data: String
    }

    let v = 1
    let frames: [DecodedFrame]
    let structures: [Structure]
    /// What stands behind the significant part; absent when nothing does.
    let padding: String?

    init(_ data: AdvertisingData) {
        frames = data.frames.map(DecodedFrame.init)
        structures = data.structures.map {
            Structure(
                type: $0.type, name: AdvertisingStructure.name(ofType: $0.type), data: Hexadecimal.string($0.data))
        }
        padding = data.padding.isEmpty ? nil : Hexadecimal.string(data.padding)
    }

    /// In words.
    var lines: [String] { Self.lines(frames, structures, padding) }

    static func lines(_ frames: [DecodedFrame], _ structures: [Structure], _ padding: String?) -> [String] {
        frames.map(\.line)
            + structures.map {
                let type = "0x" + Hexadecimal.string([$0.type])
                return "  \(type) \($0.name ?? "unknown type"): \($0.data)"
            } + [padding.map { "  padding: \($0)" }].compactMap(\.self)
    }
}
