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
    private let screen: LiveScreen?
    private var ranged: [String: [String]] = [:]

    init(isJSON: Bool, tellsRanging: Bool) {
        self.isJSON = isJSON
        self.tellsRanging = tellsRanging
        screen = !isJSON && tellsRanging && Terminal.isPossible ? LiveScreen() : nil
    }

    /// Tells a region's state or a change of it.
    mutating func tell(_ record: RegionRecord) {
        if isJSON { return Output.line(JSONLine.encode(record)) }
        guard let screen else { return Output.line(record.line) }
        screen.print(record.line)
        if record.state != RegionState.inside.rawValue { ranged[record.region] = nil }
        draw(on: screen)
    }

    /// Tells what is in range of a region.
    mutating func tell(_ report: RangingReport, in region: BeaconRegion) {
        guard tellsRanging else { return }
        let output = RangingOutput(report, in: region)
        if isJSON { return Output.line(JSONLine.encode(output)) }
        guard let screen else {
            for beacon in output.beacons { Output.line("\(region.identifier): \(beacon.proximity): \(beacon.line)") }
            return
        }
        ranged[region.identifier] = output.lines.map { "  \($0)" }
        draw(on: screen)
    }

    private func draw(on screen: LiveScreen) {
        let lines = ranged.sorted { $0.key < $1.key }.flatMap { ["\($0.key):"] + $0.value }
        let count = ranged.count
        screen.show(
            ListView.Content(title: "inside \(count) region\(count == 1 ? "" : "s"); Ctrl-C ends", lines: lines))
    }
}
