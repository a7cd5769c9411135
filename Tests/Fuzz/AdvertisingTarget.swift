// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

extension FuzzTarget {
    /// AD structures: parsed ones serialize to the same bytes, and so does the frame in each.
    static let advertising = FuzzTarget(name: "advertising") { generator in
        Bool.random(using: &generator) ? Mutation.noise(64, &generator) : Mutation.damaged(samples, &generator)
    } parse: { bytes in
        var reader = ByteReader(bytes)
        let (data, error) = AdvertisingData.parsePrefix(of: &reader)
        let written = data.serialized()
        guard error == nil ? written == bytes : bytes.starts(with: written) else {
            FuzzReport.fail("AD \(Hexadecimal.string(bytes)) serializes to \(Hexadecimal.string(written))")
        }
        for structure in data.structures {
            guard let frame = BeaconFrame(structure) else { continue }
            guard frame.structure == structure else {
                FuzzReport.fail("frame \(Hexadecimal.string(structure.serialized())) is read as \(frame)")
            }
        }
        if let error, !(0...bytes.count ~= error.offset) { FuzzReport.fail("\(error) is outside of its input") }
        return error == nil ? .parsed : .refused
    }

    private static let samples = [
        "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
        "110756611453ab5379ab6448551919e57321" + "0b09456e7472616e6365c3bc",
        "03036ffd17166ffd00112233445566778899aabbccddeeff40000000", "020a0400000000", "0303aafe0b16aafe10ba0062656163",
        "02011a1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509",
        "0201060303aafe1716aafe00e3123456789012346789010000000000010000",
        "0303aafe1316aafe10f8036769746875620063697472757a", "0201060303aafe1116aafe20000b18130000001467002ac4e4",
        "1516aafe2001d5d89979ae79ebee4e385fa5f6830efb", "0201060303aafe0d16aafe30e34549445f74657374",
    ].map { (try? Hexadecimal.bytes($0)) ?? [] }
}
