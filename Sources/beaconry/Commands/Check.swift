// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BlueZRadio
import Emulator
import HCIRadio
import Radio

/// `beaconry check`
struct Check: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Check profiles for errors and for what receivers would not see.",
        discussion: """
            Example: beaconry check profiles/museum.yaml --radio bluez:hci0

            Exit code 1 when something will not work. With --radio, the capabilities of that radio are checked, too. \
            Profiles of phones (beaconry phone) are checked as well.
            """)

    @Argument(help: "Profiles, in YAML.")
    var profiles: [String]

    @OptionGroup var radio: RadioOption

    @Flag(help: "Print one JSON object a line on standard output.")
    var json = false

    private struct Fit: Encodable {
        let v = 1
        let radio: String
        let beacons: Int
        let fitting: Int
    }

    var writesJSON: Bool { json }

    func run() async throws {
        let (beacons, phones) = try ProfileFiles.loadWithPhones(profiles)
        let lint = ProfileLint(beacons)
        var findings = lint.findings
        if radio.isGiven, !beacons.isEmpty {
            let forecast = try await Self.forecast(lint.plans, on: try radio.selection())
            findings += lint.findings(on: forecast)
            let fit = Fit(radio: forecast.capabilities.name, beacons: lint.plans.count, fitting: forecast.fitting)
            Output.line(json ? JSONLine.encode(fit) : "\(fit.fitting) of \(fit.beacons) fit on \(fit.radio)")
        }
        for finding in findings { Output.line(json ? JSONLine.encode(finding) : Self.words(finding)) }
        if findings.contains(where: { $0.severity == .error }) { throw Failure.unmetExpectation }
        guard findings.isEmpty, !json else { return }
        let counts = [(lint.plans.count, "beacon"), (phones.count, "phone")].filter { $0.0 > 0 }
        let subjects = counts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        Output.line("\(subjects.joined(separator: " and ")): no problems found")
    }

    private static func forecast(_ plans: [HostedBeacon], on selection: RadioSelection) async throws -> RadioForecast {
        switch selection {
        case .bluez(let selector): try await BlueZRadio.forecast(plans, on: selector)
        case .controller(let transport): try await HCIRadio.forecast(plans, on: transport)
        case .virtual: HCIRadio.virtualForecast(plans)
        }
    }

    private static func words(_ finding: LintFinding) -> String {
        let who = finding.device.map { "\($0): " } ?? ""
        return "\(finding.severity.rawValue): \(who)\(finding.message) [\(finding.code); affects: "
            + "\(finding.receiver)]; \(finding.hint)"
    }
}
