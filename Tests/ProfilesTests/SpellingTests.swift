// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import Profiles

@Suite struct SpellingTests {
    @Test(
        arguments: [
            ("", "", 0), ("run", "run", 0), ("", "run", 3), ("rnu", "run", 1), ("runs", "run", 1), ("un", "run", 1),
            ("ran", "run", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("quiet", "wait", 3),
        ])
    func distancesAreCounted(_ left: String, _ right: String, _ distance: Int) {
        #expect(Spelling.distance(Array(left), Array(right)) == distance)
        #expect(Spelling.distance(Array(right), Array(left)) == distance)
    }

    @Test(
        arguments: [
            ("rnu", "run"), ("RUN", "run"), ("txpower", "tx-power"), ("tx_power", "tx-power"), ("iBeacon", "ibeacon"),
            ("advertize", "advertise"), ("quiet", nil), ("add", nil), ("eddystone", nil), ("", nil), ("x", nil),
        ])
    func onlyCloseNamesAreSuggested(_ text: String, _ expected: String?) {
        let names = ["run", "wait", "tx-power", "ibeacon", "advertise", "act", "set"]
        #expect(Spelling.closest(to: text, among: names) == expected)
    }

    @Test func withoutNamesNothingIsSuggested() {
        #expect(Spelling.closest(to: "run", among: []) == nil)
    }
}
