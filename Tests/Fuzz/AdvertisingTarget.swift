// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Receiving

extension FuzzTarget {
    /// AD structures: parsed ones serialize to the same bytes, and so does the frame in each.
    static let advertising = FuzzTarget(name: "advertising") { generator in
        Bool.random(using: &generator) ? Mutation.noise(64, &generator) : Mutation.damaged(samples, &generator)
    } parse: { bytes in
        let (data, error) = AdvertisingData.prefix(of: bytes)
        let written = data.serialized()
        guard error == nil ? written == bytes : bytes.starts(with: written) else {
            FuzzReport.fail("AD \(Hexadecimal.string(bytes)) serializes to \(Hexadecimal.string(written))")
        }
        for structure in data.structures {
            for frame in AdvertisingData([structure]).frames {
                guard frame.structure == structure, !frame.format.isEmpty, frame.fields.allSatisfy({ !$0.key.isEmpty })
                else {
                    FuzzReport.fail("frame \(Hexadecimal.string(structure.serialized())) is read as \(frame)")
                }
                if let encrypted = frame.content as? any EncryptedBeacon { open(encrypted) }
            }
            guard structure.recognized?.isEmpty != true else { FuzzReport.fail("data is known by no name") }
        }
        guard data.nearMisses.allSatisfy({ !$0.text.isEmpty && !$0.hint.isEmpty }) else {
            FuzzReport.fail("\(Hexadecimal.string(bytes)) is a near miss without a name")
        }
        let sighting = Sighting(device: RemoteAddress(.zero, isRandom: true), pdu: nil, data: bytes, rssi: nil)
        for reader in [FrameReader.specified, .coreLocation, .androidBeaconLibrary, .homeAssistant] {
            for beacon in reader.beacons(in: sighting) where beacon.identity.description.isEmpty {
                FuzzReport.fail("a beacon without an identity in \(Hexadecimal.string(bytes))")
            }
        }
        if let error, !(0...bytes.count ~= error.offset) { FuzzReport.fail("\(error) is outside of its input") }
        return error == nil ? .parsed : .refused
    }

    /// Decrypts a frame with some key, and reads its ciphertext as values: both are what a sender of any bytes gets.
    private static func open(_ frame: any EncryptedBeacon) {
        guard let key else { FuzzReport.fail("no key") }
        _ = frame.opened(with: key, from: .zero)
        if let opened = frame.opened(frame.ciphertext), opened.fields.contains(where: { $0.key.isEmpty }) {
            FuzzReport.fail("a field without a name in \(opened)")
        }
    }

    private static let key = try? BindKey("e9ea895fac7cca6d30532432a516f3a8")

    private static let samples = [
        "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
        "110756611453ab5379ab6448551919e57321" + "0b09456e7472616e6365c3bc",
        "03036ffd17166ffd00112233445566778899aabbccddeeff40000000", "020a0400000000", "0303aafe0b16aafe10ba0062656163",
        "02011a1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509",
        "0201060303aafe1716aafe00e3123456789012346789010000000000010000",
        "0303aafe1316aafe10f8036769746875620063697472757a", "0201060303aafe1116aafe20000b18130000001467002ac4e4",
        "1bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f", "17ff990406170c5668c79e007000c90501d9ffcd004c884f",
        "10161a18a4c1380283f400a22f5f0bf819", "1216 1a18 f4830238c1a4a9066911b60b58f70d",
        "191695fe5020aa01a3bf2e3b342d580d1004b40095020a10013b", "09ff88ec0003215d6400", "07ffc2170127022c",
        "0aff9c08f41000ba4e6408",
        "09163dfd5400640098a6", "1016e1ffa1016315803200aabbccddeeff", "1216aafe21010f0e5b16531f95fffcffec03eb",
        "0eff9a0801b708b4120ccb0bffc767", "1aff4c000215a495bb10c5b14b44b5121370f02d74de004403f8c5",
        "1416d2fc40011703c409530548656c6c6f540301020377", "1116d2fc41e445f3c962001122336c7c2e1d",
        "0aff4c001005031cabcdef", "1a1695fe58585b0550f4830238c1a495ef58763c26000097e2abb5",
        "0e161a1811d603fbfa7b6dfb1e26fd",
        "191695fe5830b603d28b98c54124f8c3491476757e00000099", "0b161a1811d603fbfa7b6dfb",
        "0d1695fe4020aa010104100200ff",
        "1516aafe2001d5d89979ae79ebee4e385fa5f6830efb", "0201060303aafe0d16aafe30e34549445f74657374",
    ].map { (try? Hexadecimal.bytes($0)) ?? [] }
}
