// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Emulator
import Receiving

/// Tells what a region watch has to tell.
struct MonitorOutput: Sendable {
    let isJSON: Bool
    let tellsRanging: Bool
    private var area = TerminalArea()
    private var ranged: [String: [String]] = [:]

    init(isJSON: Bool, tellsRanging: Bool) {
        self.isJSON = isJSON
        self.tellsRanging = tellsRanging
    }

    private var isTable: Bool { !isJSON && TerminalArea.isPossible }

    /// Tells a region's state or a change of it.
    mutating func tell(_ record: RegionRecord) {
        if isJSON { return Output.line(JSONLine.encode(record)) }
        area.erase()
        Output.line(record.line)
        if record.state != RegionState.inside.rawValue { ranged[record.region] = nil }
        draw()
    }

    /// Tells what is in range of a region.
    mutating func tell(_ report: RangingReport, in region: BeaconRegion) {
        guard tellsRanging else { return }
        let output = RangingOutput(report, in: region)
        if isJSON { return Output.line(JSONLine.encode(output)) }
        guard isTable else {
            for beacon in output.beacons { Output.line("\(region.identifier): \(beacon.proximity): \(beacon.line)") }
            return
        }
        ranged[region.identifier] = output.lines.map { "  \($0)" }
        draw()
    }

    private mutating func draw() {
        guard isTable else { return }
        let size = TerminalArea.size
        let lines = ranged.sorted { $0.key < $1.key }.flatMap { ["\($0.key):"] + $0.value }
        area.show(lines.prefix(max(1, size.rows - 2)).map { String($0.prefix(max(1, size.columns))) })
    }
}
