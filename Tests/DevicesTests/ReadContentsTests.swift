// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

/// What the readers of one profile share.
@Suite struct ReadContentsTests {
    @Test func pointsOfAllFilesAreLimited() throws {
        let contents = ReadContents()
        try contents.add(points: ReadContents.maximumPoints - 20)
        try contents.add(points: 20)
        let fault = #expect(throws: ValueFault.self) { try contents.add(points: 1) }
        #expect(
            fault?.message == "1,000,001 points of tracks and traces in all; a profile has at most 1,000,000 in files; "
                + "write fewer files, or shorter ones")
    }

    @Test func valueAndFaultAreMadeOnce() throws {
        let contents = ReadContents()
        var made = 0
        func make() throws(ValueFault) -> Int {
            made += 1
            if made > 1 { throw ValueFault("made twice") }
            return made
        }
        #expect(try contents.value("a", make) == 1)
        #expect(try contents.value("a", make) == 1)
        #expect(throws: ValueFault.self) { try contents.value("b", make) }
        #expect(throws: ValueFault.self) { try contents.value("b", make) }
        #expect(made == 2)
    }
}
