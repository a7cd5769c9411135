// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
package import Bluetooth
import Concurrency
import Emulator
import Radio
import Receiving

/// `record`: writes what is received into a file.
package enum RecordTool {
    /// More devices than this are not counted: some change their address with every advertisement.
    private static let countedDevices = 65_536

    /// Records until the end of the listening, and reports the number of sightings.
    /// - Parameter plot: the file of the chart; `nil` for none.
    package static func run(
        _ settings: ScanParameters, on listening: Listening, to path: String, plot: String? = nil,
        as format: OutputFormat
    ) async throws {
        try await listening.run { radio, capabilities in
            let head = RecordingHead(
                began: Timestamp.now, radio: capabilities.name,
                limits: capabilities.limits(scanningActively: settings.isActive).map(\.subject.rawValue),
                air: capabilities.name == RadioCapabilities.virtualName ? RadioCapabilities.airVersion : nil)
            var writer = try RecordingWriter(path, head: head)
            let clock = Timekeeper(Simulation.clock)
            var devices: Set<RemoteAddress> = []
            var collector = SeriesCollector()
            for await sighting in try await radio.scan(settings) {
                if devices.count < countedDevices { devices.insert(sighting.device) }
                let offset = clock.now()
                try writer.write(
                    RecordedSighting(offset: offset, sighting: sighting), truth: listening.truth(of: sighting))
                if plot != nil { collector.add(sighting, at: offset / .seconds(1)) }
            }
            try writer.finish()
            Output.report(
                RecordingSummary(file: path, sightings: writer.count, devices: devices.count), as: format)
            if let plot { try PlotTool.write(collector, title: path, to: plot, as: format) }
        }.check()
    }
}

/// The result of `record`.
private struct RecordingSummary: Encodable, Report {
    let event = "recorded"
    let file: String
    let sightings: Int
    let devices: Int

    var lines: [String] { ["\(file): \(sightings) sightings of \(Formatting.count(devices, "device"))"] }
}
