// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Testing

@Suite struct LocalNameTests {
    @Test(arguments: [
        ("Entrance", 13, "Entrance", true), ("Museum Foyer", 13, "Museum Foye", false),
        ("IoT Beacons", 13, "IoT Beacons", true), ("Grüße", 9, "Grüße", true), ("Grüße", 8, "Grüß", false),
        ("Grüße", 7, "Grü", false), ("Grüße", 6, "Grü", false), ("Grüße", 5, "Gr", false),
        ("a🇦🇹b", 11, "a🇦🇹", false), ("a🇦🇹b", 10, "a", false), ("a👨‍👩‍👧b", 20, "a", false),
        ("x\u{65}\u{301}y", 6, "x\u{65}\u{301}", false), ("x\u{65}\u{301}y", 5, "x", false), ("ab", 3, "a", false),
    ])
    func isCutToWholeCharacters(_ name: String, budget: Int, expected: String, isComplete: Bool) {
        #expect(
            AdvertisingStructure.localName(name, fitting: budget)
                == .localName(expected, isComplete: isComplete))
    }

    @Test(arguments: [
        ("", 31), ("a", 2), ("a", 1), ("a", 0), ("a", -5), ("a", Int.min + 2), ("ü", 3), ("🇦🇹", 9),
    ])
    func isLeftOutIfNothingFits(_ name: String, budget: Int) {
        #expect(AdvertisingStructure.localName(name, fitting: budget) == nil)
    }

    @Test(arguments: ["Entrance", "Grüße aus Köln", "👨‍👩‍👧👨‍👩‍👧", "e\u{301}e\u{301}e\u{301}", "展示室一"])
    func fittingNameIsAPrefix(_ name: String) {
        var longest = 0
        for budget in 0...40 {
            guard let structure = AdvertisingStructure.localName(name, fitting: budget) else { continue }
            guard case .localName(let shown, let isComplete) = structure else {
                Issue.record("\(structure) is not a name")
                return
            }
            #expect(structure.size <= budget)
            #expect(name.hasPrefix(shown))
            #expect(Array(name.utf8).starts(with: shown.utf8))
            #expect(isComplete == (shown == name))
            #expect(shown.count >= longest)
            longest = shown.count
        }
        #expect(longest == name.count)
    }
}
