// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
import Testing

@Suite struct ProfileMistakeTests {
    @Test(
        arguments: ProfileMistake.file + ProfileMistake.identity + ProfileMistake.frames + ProfileMistake.radio
            + ProfileMistake.others + ProfileMistake.movement + ProfileMistake.receivers + ProfileMistake.pairing
            + ProfileMistake.syntax + GATTMistake.structure + GATTMistake.values + GATTMistake.behaviours
            + GATTMistake.others + GATTMistake.battery + ProfileMistake.air + ProfileMistake.rooms
            + ProfileMistake.schedule)
    func mistakeIsReported(_ mistake: ProfileMistake) throws {
        let marked = MarkedText(mistake.profile)
        let place = try #require(marked.places.first)
        let error = #expect(throws: ProfileFaults.self) { try Profile(parsing: marked.text, file: "p.yaml") }
        let expected = ProfileFault(
            file: "p.yaml", line: place.line, column: place.column, field: mistake.field, message: mistake.message)
        #expect(error?.faults == [expected])
    }
}
