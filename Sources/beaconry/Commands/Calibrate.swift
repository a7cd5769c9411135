// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryCentral
import BluetoothCore
import Emulator
import Profiles
import Radio
import Receiving

/// `beaconry calibrate`
struct Calibrate: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Measure the measured power of a beacon: its RSSI at 1 m.",
        discussion: """
            Example: beaconry calibrate --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --write profiles/airlocate.yaml

            Hold the receiver one metre away from the beacon for 20 s; one beacon of the kind may be on. Exit code 1 when \
            there is more than one or none, or when it is cancelled.
            """)

    @OptionGroup var selection: BeaconSelection

    @Option(help: "Time to listen.")
    var duration = "20s"

    @Option(help: "Profile in which the beacon of the same numbers gets the measured power.")
    var write: String?

    @OptionGroup var options: ListeningOptions

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        let regions = try selection.regions(defaults: [BeaconSelection.airLocate[0]])
        guard regions.count == 1 else { throw Failure.usage("--uuid: one is expected here, not \(regions.count)") }
        let duration = try named("--duration") { () throws(ValueFault) in
            try ValueText.duration(self.duration)
        }
        if let write { _ = try ProfileFiles.load([write]) }
        let outcome = try await outcome(of: Calibration(regions[0], duration: duration))
        let result: CalibrationResult
        do throws(CalibrationError) {
            result = try outcome.get()
        } catch {
            if options.isJSON { Output.line(JSONLine.encode(CalibrationFailure(error))) }
            throw Failure(exitCode: 1, message: options.isJSON ? "" : "\(error)")
        }
        let ids = try write.map { try ProfileFiles.setMeasuredPower(result.measuredPower, of: result.beacon, in: $0) }
        let output = CalibrationOutput(result, profile: write, ids: ids)
        if options.isJSON { Output.line(JSONLine.encode(output)) } else { output.lines.forEach(Output.line) }
    }

    private func outcome(of calibration: Calibration) async throws -> Calibration.Outcome {
        let listening = try Listening(options, limits: [.duplicates])
        let (outcomes, outcome) = AsyncStream.makeStream(of: Calibration.Outcome.self)
        let isJSON = options.isJSON
        let ending = try await listening.run { radio, _ in
            var calibration = calibration
            var bar = ProgressBar(isShown: !isJSON)
            try calibration.start(at: .zero)
            for await reception in try await radio.receptions(every: .milliseconds(50)) {
                if let end = calibration.take(reception) {
                    outcome.yield(end)
                    break
                }
                bar.show(calibration.progress(at: reception.time))
            }
            bar.finish()
            if let cancelled = calibration.cancel() { outcome.yield(cancelled) }
        }
        outcome.finish()
        for await end in outcomes {
            // The radio's reason says more than that it was cancelled.
            if case .failure(.cancelled) = end { try ending.check() }
            return end
        }
        try ending.check()
        return .failure(.cancelled)
    }
}
