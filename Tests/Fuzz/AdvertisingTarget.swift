// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

extension FuzzTarget {
    /// AD structures: what can be read of them is written as it was, and a frame in one is the frame of that one.
    static let advertising = FuzzTarget(name: "advertising") { generator in
        Bool.random(using: &generator) ? Mutation.noise(64, &generator) : Mutation.damaged(samples, &generator)
    } parse: { bytes in
        var reader = ByteReader(bytes)
        let (data, error) = AdvertisingData.parsePrefix(of: &reader)
        let written = data.serialized()
        guard error == nil ? written == bytes : bytes.starts(with: written) else {
            FuzzReport.fail("AD \(Hexadecimal.string(bytes)) is written as \(Hexadecimal.string(written))")
        }
        for structure in data.structures {
            guard let frame = IBeacon(structure) else { continue }
            guard frame.structure == structure else {
                FuzzReport.fail("frame \(Hexadecimal.string(structure.serialized())) is written as \(frame)")
            }
        }
        if let error, !(0...bytes.count ~= error.offset) { FuzzReport.fail("\(error) is outside of its input") }
        return error == nil ? .parsed : .refused
    }

    private static let samples = [
        "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
        "110756611453ab5379ab6448551919e57321" + "0b09456e7472616e6365c3bc",
        "03036ffd17166ffd00112233445566778899aabbccddeeff40000000", "020a0400000000", "0303aafe0b16aafe10ba0062656163",
    ].map { (try? Hexadecimal.bytes($0)) ?? [] }
}
