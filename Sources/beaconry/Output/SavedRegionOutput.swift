// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// A region of the saved list, as `monitor add`, `remove` and `list` tell it.
struct SavedRegionOutput: Encodable {
    let v = 1
    /// added, removed or saved.
    let event: String
    let region: SavedRegion
    /// Its last state; absent when it is not known.
    let state: String?

    init(_ event: String, _ region: SavedRegion, state: String? = nil) {
        self.event = event
        self.region = region
        self.state = state
    }

    /// Says it on standard output.
    func tell(asJSON: Bool) {
        if asJSON { return Output.line(JSONLine.encode(self)) }
        let cells: [String?] = [
            region.identifier, region.uuid, region.major.map { "major \($0)" }, region.minor.map { "minor \($0)" },
            state, event == "saved" ? nil : event,
        ]
        Output.line(cells.compactMap(\.self).joined(separator: "  "))
    }
}
