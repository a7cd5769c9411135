// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@Suite struct HexadecimalTests {
    @Test(
        arguments: [
            ("", []), ("0x", []), ("00", [0]), ("fF", [255]), ("0201061aFF4c00", [2, 1, 6, 0x1A, 0xFF, 0x4C, 0]),
            ("0x0201", [2, 1]), ("0X0201", [2, 1]), ("02 01 06", [2, 1, 6]), ("02:01:06", [2, 1, 6]),
            ("0x02 01:06\n", [2, 1, 6]),
        ] as [(String, [UInt8])])
    func digitsAreParsed(_ text: String, bytes: [UInt8]) throws {
        #expect(try Hexadecimal.bytes(text) == bytes)
    }

    @Test(arguments: [
        ("0", 0), ("g0", 0), ("0g", 0), ("020", 1), ("02 0", 1), ("0201zz", 2), ("02:01:0", 2), ("é", 0), ("00é", 1),
        ("01 0x02", 1), ("0x0x", 0), ("02,01", 1), ("02-01", 1), ("+1", 0), ("00\t01", 1), ("０１", 0), ("0201\u{0}1", 2),
    ])
    func errorsHaveTheOffset(_ text: String, offset: Int) {
        let error = #expect(throws: WireError.self) { try Hexadecimal.bytes(text) }
        #expect(error == WireError(.notHexadecimal, offset: offset))
    }

    @Test func everyByteIsSerializedAndParsed() throws {
        let all = [UInt8](0...255)
        let text = Hexadecimal.string(all)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(text.hasSuffix("feff"))
        #expect(try Hexadecimal.bytes(text) == all)
        #expect(try Hexadecimal.bytes(text.uppercased()) == all)
        #expect(Hexadecimal.string([]).isEmpty)
    }

    @Test func randomTextNeverTraps() {
        var generator = SplitMix64(seed: 7)
        let alphabet = Array("0123456789abcdefABCDEFxX :\n-gé")
        var accepted = 0
        for _ in 0..<5000 {
            let count = Int.random(in: 0...8, using: &generator)
            let text = String((0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
            do {
                let bytes = try Hexadecimal.bytes(text)
                #expect(bytes.count <= count / 2)
                accepted += 1
            } catch {
                #expect(0...text.utf8.count / 2 ~= error.offset, "\(text)")
            }
        }
        #expect(accepted > 100)
    }
}
