// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import TestSupport
import Testing

@Suite struct ProfileFuzzTests {
    private static let sample = """
        profile: p
        beacons:
          - id: a
            device: ibeacon
            ibeacon: &f { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, measured-power: -59 }
            interval: 100ms
            flags: 0x1a
            schedule: { between: [mon-fri 09:00-17:00], on: 10s, off: 50s, rotate: { every: 15m, minor: [1, 2] } }
          - { id: b, device: ibeacon, ibeacon: *f, name: "Grüße", services: [] }
          - id: c
            device: iot-design-shop
            tx-power: 0dBm
            measured-power-by-tx-power: { 0dBm: -59 }
          - { id: d, device: sensortag, firmware: 1.4, temperature: { object: 36.6 }, keys: left }
        """

    /// Any text is a profile, or has faults with places in the text.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func mutatedProfileIsReadOrItsFaultsHavePlaces(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let alphabet = Array("\n\t -:?[]{}#&*!|>'\"%@`,0aü\u{0}\u{85}\u{2028}\u{FEFF}\\").flatMap(\.unicodeScalars)
        var read = 0
        for _ in 0..<500 {
            var scalars = Array(Self.sample.unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<scalars.count, using: &generator)
                let end = min(scalars.count, index + Int.random(in: 0...2, using: &generator))
                let scalar = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                scalars.replaceSubrange(index..<end, with: Bool.random(using: &generator) ? [scalar] : [])
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            let text = String(view)
            let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
            do throws(ProfileFaults) {
                _ = try Profile(parsing: text, file: "p.yaml")
                read += 1
            } catch {
                #expect(!error.faults.isEmpty)
                for fault in error.faults {
                    #expect(0...lines.count + 1 ~= fault.line, "\(fault)\n\(text)")
                    #expect((fault.line == 0) == (fault.column == 0), "\(fault)\n\(text)")
                    #expect(!fault.message.isEmpty)
                    #expect(!fault.description.contains { $0.isNewline }, "\(text)")
                }
                let places = error.faults.map { [$0.line, $0.column] }
                #expect(places == places.sorted { $0.lexicographicallyPrecedes($1) }, "\(error)\n\(text)")
            }
        }
        #expect(read > 20)
    }

    /// Every prefix of a profile.
    @Test func truncatedProfileIsReadOrRefused() {
        var refused = 0
        for count in 0..<Self.sample.count {
            do throws(ProfileFaults) {
                let profile = try Profile(parsing: String(Self.sample.prefix(count)), file: "p.yaml")
                #expect(!profile.beacons.isEmpty)
            } catch {
                #expect(!error.faults.isEmpty)
                refused += 1
            }
        }
        #expect(refused > Self.sample.count / 2)
    }
}
