// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Emulator
import JSON
import Profiles
package import Radio

/// `check`: reports what will not work in profiles, and what receivers would not see.
package struct CheckTool: Sendable {
    private let paths: [String]
    private let patterns: BeaconPatterns
    private let format: CheckFormat
    private let version: String
    private let severity: ProfileFinding.Severity

    /// A check of these profiles.
    /// - Parameters:
    ///   - patterns: the beacons that are checked.
    ///   - format: the form of the results.
    ///   - version: the version of the program, for SARIF.
    ///   - severity: the least severity of a finding that is a failure.
    package init(
        _ paths: [String], only patterns: BeaconPatterns = BeaconPatterns([]), as format: CheckFormat, version: String,
        failingOn severity: ProfileFinding.Severity = .error
    ) {
        self.paths = paths
        self.patterns = patterns
        self.format = format
        self.version = version
        self.severity = severity
    }

    /// Checks the profiles, and how many of their beacons a radio can carry.
    /// - Parameter forecast: asks the radio; `nil` to check without one.
    /// - Throws: `ProfileFaults`, `Failure.unmetExpectation` when a finding is that severe, and what the forecast throws.
    package func run(forecast: (([HostedBeacon]) async throws -> RadioForecast)?) async throws {
        let beacons: [Profile]
        let phones: [PhoneProfile]
        do throws(ProfileFaults) {
            (beacons, phones) = try ProfileFiles.loadWithPhones(paths)
        } catch {
            // Else the sentences on standard error are all.
            if format == .sarif || format == .github { report(placed: error.faults.map { PlacedFinding($0) }) }
            throw error
        }
        try patterns.check(beacons)
        let lint = ProfileLint(patterns.selected(beacons))
        let cutTexts = beacons.flatMap(\.cutTexts) + phones.flatMap(\.cutTexts)
        var findings = cutTexts.map { ProfileFinding($0) } + lint.findings
        if let forecast, !beacons.isEmpty {
            let forecast = try await forecast(lint.plans)
            findings += lint.findings(on: forecast)
            let fit = FitReport(
                radio: forecast.capabilities.name, beacons: lint.plans.count, fitting: forecast.fitting)
            switch format {
            case .text: Output.report(fit, as: .text)
            case .json: Output.report(fit, as: .json)
            case .sarif, .github: break
            }
        }
        switch format {
        case .text where findings.isEmpty: break
        case .text:
            for line in FindingGroups.lines(findings, at: ProfileFiles.places(in: paths)) { Output.line(line) }
        case .json: for finding in findings { Output.line(JSONLine.encode(finding)) }
        case .sarif, .github: report(placed: placed(findings))
        }
        if findings.contains(where: { $0.severity.isAtLeast(severity) }) { throw Failure.unmetExpectation }
        guard findings.isEmpty, format == .text else { return }
        let isOfBeacons = !lint.plans.isEmpty || phones.isEmpty
        let counts =
            (isOfBeacons ? [(lint.plans.count, "beacon")] : []) + (phones.isEmpty ? [] : [(phones.count, "phone")])
        let subjects = counts.map { Formatting.count($0.0, $0.1) }
        Output.line("\(subjects.joined(separator: " and ")): no problems found")
    }

    private func report(placed findings: [PlacedFinding]) {
        if format == .github {
            for finding in findings { Output.line(GitHubCommands.line(finding)) }
        } else {
            Output.line(JSONLine.encode(SARIFLog(findings, version: version)))
        }
    }

    /// The findings with the places of their beacons; findings about all beacons are in the first file.
    private func placed(_ findings: [ProfileFinding]) -> [PlacedFinding] {
        let places = ProfileFiles.places(in: paths)
        let whole = paths.first.map { FilePlace(file: $0, line: 0, column: 0) }
        return findings.map { finding in
            PlacedFinding(finding, at: FilePlace(finding) ?? finding.device.flatMap { places[$0] } ?? whole)
        }
    }
}

/// How many beacons a radio can carry.
struct FitReport: Encodable, Report {
    let radio: String
    let beacons: Int
    let fitting: Int

    var lines: [String] { ["\(fitting) of \(beacons) fit on \(radio)"] }
}
