// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
package import Radio

/// `check`: reports what will not work in profiles, and what receivers would not see.
package enum CheckTool {
    /// Checks profiles, and how many of their beacons a radio can carry.
    /// - Parameter forecast: asks the radio; `nil` to check without one.
    /// - Throws: `ProfileFaults`, or `Failure.unmetExpectation` when a finding is an error.
    package static func run(
        _ paths: [String], as format: OutputFormat, forecast: (([HostedBeacon]) async throws -> RadioForecast)?
    ) async throws {
        let (beacons, phones) = try ProfileFiles.loadWithPhones(paths)
        let lint = ProfileLint(beacons)
        var findings = lint.findings
        if let forecast, !beacons.isEmpty {
            let forecast = try await forecast(lint.plans)
            findings += lint.findings(on: forecast)
            let fit = FitReport(
                radio: forecast.capabilities.name, beacons: lint.plans.count, fitting: forecast.fitting)
            Output.report(fit, as: format)
        }
        for finding in findings { Output.report(RecordReport(finding, lines: [text(finding)]), as: format) }
        if findings.contains(where: { $0.severity == .error }) { throw Failure.unmetExpectation }
        guard findings.isEmpty, format == .text else { return }
        let counts = [(lint.plans.count, "beacon"), (phones.count, "phone")].filter { $0.0 > 0 }
        let subjects = counts.map { Formatting.count($0.0, $0.1) }
        Output.line("\(subjects.joined(separator: " and ")): no problems found")
    }

    private static func text(_ finding: LintFinding) -> String {
        let device = finding.device.map { "\($0): " } ?? ""
        return "\(finding.severity.rawValue): \(device)\(finding.message) [\(finding.code); affects: "
            + "\(finding.receiver)]; \(finding.hint)"
    }
}

/// How many beacons a radio can carry.
private struct FitReport: Encodable, Report {
    let radio: String
    let beacons: Int
    let fitting: Int

    var lines: [String] { ["\(fitting) of \(beacons) fit on \(radio)"] }
}
