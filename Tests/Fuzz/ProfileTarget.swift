// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Emulator
import Profiles
import TestSupport

extension FuzzTarget {
    /// Profiles: beacons that can be run and looked at, or faults with their places.
    static let profile = FuzzTarget(name: "profile", divisor: 10) { generator in
        switch Int.random(in: 0...15, using: &generator) {
        case 0: Mutation.noise(256, &generator)
        case 1, 2: Mutation.damaged(ProfileMutation.samples.map { Array($0.utf8) }, &generator)
        default: Array(ProfileMutation.text(&generator).utf8)
        }
    } parse: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(ProfileFaults) {
            let profile = try Profile(parsing: text, file: "fuzz.yaml")
            guard !profile.name.isEmpty, !profile.beacons.isEmpty,
                Set(profile.beacons.map(\.id)).count == profile.beacons.count
            else { FuzzReport.fail("a profile without a name, without beacons, or with a double one: \(text)") }
            for finding in ProfileLint([profile]).findings where finding.message.isEmpty {
                FuzzReport.fail("a finding that says nothing: \(text)")
            }
            return .parsed
        } catch {
            let isGood = error.faults.allSatisfy { $0.line >= 0 && $0.column >= 0 && !$0.message.isEmpty }
            guard isGood, !error.faults.isEmpty else { FuzzReport.fail("faults that say nothing: \(text)") }
            return .refused
        }
    }
}
