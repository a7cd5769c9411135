// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
import Persistence
import Radio
package import RunAPI

/// A file with the metrics of a run, for the textfile collector of Prometheus' node exporter.
package final class MetricsFile: Sendable {
    private static let period = Duration.seconds(10)

    private let path: String
    private let report: MetricsReport
    private let emulator: Emulator
    private let watch = RunWatch()
    private let tasks: [Task<Void, Never>]

    /// Writes the file now, and every 10 s: before the run, so that it counts all events.
    /// - Parameter detail: which metrics have a sample for each beacon; `nil` for all up to 1,000 beacons, and none above.
    /// - Throws: `EmulatorError` `.cannotCreate` if it cannot be written.
    package init(
        _ path: String, of emulator: Emulator, version: String, detail: MetricsDetail? = nil
    ) throws(EmulatorError) {
        let report = MetricsReport(version: version, detail: detail)
        self.path = path
        self.report = report
        self.emulator = emulator
        do throws(SystemError) {
            try Self.write(report.text(watch), to: path)
        } catch {
            let hint = SystemError.missingFolder(of: path) == nil ? "choose another --metrics-file" : ""
            throw EmulatorError(.cannotCreate, "\(error)", hint: hint)
        }
        let events = emulator.events.listen()
        tasks = [
            Task { [watch] in await watch.follow(events) },
            Task { [watch] in
                var isWritten = true
                while (try? await Task.sleep(for: Self.period)) != nil {
                    let text = await report.text(of: emulator, watch)
                    do throws(SystemError) {
                        try Self.write(text, to: path)
                        isWritten = true
                    } catch {
                        if isWritten { emulator.events.post(.warning(Self.warning(error))) }
                        isWritten = false
                    }
                }
            },
        ]
    }

    /// Writes the file for the last time.
    package func close() async {
        for task in tasks { task.cancel() }
        try? Self.write(await report.text(of: emulator, watch), to: path)
    }

    /// Replaces the file at once, so that no reader finds a part of it.
    private static func write(_ text: [[UInt8]], to path: String) throws(SystemError) {
        try OutputFile.write(Array(text.joined()), to: path)
    }

    private static func warning(_ error: SystemError) -> Warning {
        Warning(
            code: "metrics-not-written", message: "the file of the metrics is not written: \(error)",
            hint: "it is tried again every 10 s")
    }
}
