// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import Bluetooth
import FoundationEssentials
import KernelBluetooth
import Persistence
package import Radio

/// `doctor`: finds out why a beacon is not received. It checks the machine and its adapter, advertises for some seconds, and
/// reports what that means and how to fix it.
package struct DoctorTool: Sendable {
    private let driver: any RadioDriver
    private let receiver: (any RadioDriver)?
    private let duration: Duration
    private let trial: String?
    private let version: String
    private let format: OutputFormat

    /// - Parameters:
    ///   - driver: the radio of the beacon. The machine is checked for an adapter of BlueZ only.
    ///   - receiver: another radio that receives it; `nil` for none.
    ///   - duration: how long each test beacon is on the air.
    ///   - trial: the file for the results of all stages; `nil` for the first stage and no file.
    ///   - version: the version of the program, for the file.
    package init(
        _ driver: any RadioDriver, via receiver: (any RadioDriver)?, for duration: Duration, trial: String?,
        version: String, as format: OutputFormat
    ) {
        self.driver = driver
        self.receiver = receiver
        self.duration = duration
        self.trial = trial
        self.version = version
        self.format = format
    }

    /// Checks, advertises, and writes the file of the trial. The findings are reported at the end, since what was on the air
    /// decides their order.
    /// - Throws: `Failure.unmetExpectation` if there is a problem; `RadioError` if the receiver cannot be used.
    package func run() async throws {
        let selector = (driver as? BlueZDriver)?.selector
        let folders = Folders.ledgers
        var facts = await MachineFacts.read(leftovers: { RunLedger.abandonedEntries(in: folders, since: $0) })
        let adapter = selector.flatMap { facts.adapter(selectedBy: $0) }
        var findings = selector == nil ? [] : MachineCheck.findings(facts, on: adapter)
        var results: [StageResult] = []
        var isComplete = true
        if let obstacle = selector.flatMap({ _ in Self.obstacle(facts, findings) }) {
            findings = (findings + [obstacle]).ordered(after: AirEvidence())
            report(findings)
        } else {
            let began = MachineFacts.now
            do {
                (results, isComplete) = try await test(place(facts, adapter))
            } catch {
                report(findings.ordered(after: AirEvidence()))
                throw error
            }
            let air = Self.evidence(results, since: began)
            (facts.kernelLog, facts.time) = (MachineFacts.readKernelLog(), MachineFacts.now)
            findings = selector == nil ? [] : MachineCheck.findings(facts, on: adapter, after: air)
            findings += Self.explained(results.flatMap(\.findings), beside: findings, isOfAdapter: selector != nil)
            findings += receiver == nil ? [Self.notReceived(facts, adapter)] : Self.notes(on: results)
            findings = findings.ordered(after: air)
            report(findings)
        }
        if let trial { try write(results, findings, facts, adapter, to: trial) }
        Output.report(DiagnosisReport(findings), as: format)
        guard isComplete else { throw Failure(exitCode: 1, message: "stopped before the end of the test") }
        if findings.contains(where: { $0.result == .problem }) { throw Failure.unmetExpectation }
    }

    private func report(_ findings: [Finding]) {
        for finding in findings { Output.report(FindingReport(finding), as: format) }
    }

    /// What the texts of faults name.
    private func place(_ facts: MachineFacts, _ adapter: MachineFacts.Adapter?) -> Fault.Place {
        let other = facts.adapters.first { $0.name != adapter?.name && $0.canAdvertise }
        return Fault.Place(
            adapter?.name ?? "the radio", isOnly: facts.adapters.count < 2, other: adapter.flatMap { _ in other?.name })
    }

    /// What the test of the air showed: its first stage, which is the one that `doctor` always has.
    static func evidence(_ results: [StageResult], since began: Double) -> AirEvidence {
        AirEvidence(
            results.first?.outcome ?? .notTried, warnings: Set(results.flatMap(\.codes)), began: began)
    }

    /// The findings of the test, in which an adapter that refuses to advertise has that fault, unless the checks explain it.
    static func explained(_ findings: [Finding], beside checks: [Finding], isOfAdapter: Bool) -> [Finding] {
        let isExplained = checks.contains { $0.result == .problem && $0.fault.map { $0.effect != .changed } == true }
        guard isOfAdapter, !isExplained else { return findings }
        return findings.map { finding in
            var finding = finding
            if finding.result == .problem, finding.fault == nil { finding.fault = .controllerRefuses }
            return finding
        }
    }

    // MARK: - The test of the air

    private static let major = UInt16.random(in: 1...UInt16.max)

    private func test(_ place: Fault.Place) async throws -> (results: [StageResult], isComplete: Bool) {
        let ledger = Folders.ledger()
        defer { ledger.close() }
        let stages = trial == nil ? Array(TrialStage.all.prefix(1)) : TrialStage.all
        let run = TrialRun(
            driver: driver, ledger: ledger, receiver: receiver?.makeCentral(maximumTransmissionUnit: 517),
            duration: duration, major: Self.major)
        let format = format
        let seconds = Formatting.seconds(duration)
        var (results, isComplete) = try await run.results(of: stages) { stage in
            guard format == .text else { return }
            Output.note(
                "advertising \(stage.title), for \(seconds): \(TrialStage.uuid), major \(Self.major)")
        }
        for index in results.indices {
            results[index].place = place
            results[index].place.receiver = results[index].receiver?.name
            Output.report(StageReport(results[index]), as: format)
        }
        return (results, isComplete)
    }

    /// Why nothing can be advertised, so that the test is left out; `nil` if it can be tried.
    static func obstacle(_ facts: MachineFacts, _ findings: [Finding]) -> Finding? {
        let isUnusable = findings.contains { $0.result == .problem && $0.fault?.effect == .unusable }
        guard isUnusable || !facts.kernelHasBluetooth else { return nil }
        return .advertising(
            .unknown, "nothing was advertised", meaning: "the adapter cannot be used yet; fix the problems above first")
    }

    private static func notReceived(_ facts: MachineFacts, _ adapter: MachineFacts.Adapter?) -> Finding {
        let other = facts.adapters.first { $0.name != adapter?.name && $0.isPowered == true }
        return .receiving(
            .unknown, "nothing received it here",
            meaning: "a controller may send other than what it gets: look for \(TrialStage.uuid) with a phone "
                + "(nRF Connect, AirLocate), or name a second adapter or an ESPHome Bluetooth proxy (esphome:HOST)",
            command: "beaconry doctor --via bluez:\(other?.name ?? "hci1")")
    }

    /// What the use of the receiver means for its other users.
    private static func notes(on results: [StageResult]) -> [Finding] {
        let limits = results.first?.receiver?.limits.filter { $0.subject == .exclusive } ?? []
        return limits.map { .receiving(.note, $0.reason, meaning: $0.hint) }
    }

    // MARK: - The file

    private func write(
        _ results: [StageResult], _ findings: [Finding], _ facts: MachineFacts, _ adapter: MachineFacts.Adapter?,
        to path: String
    ) throws(Failure) {
        let isOfAdapter = driver is BlueZDriver
        let file = TrialFile(
            beaconry: version, radio: results.first?.capabilities?.name ?? adapter.map { "bluez:\($0.name)" } ?? "",
            receiver: results.first?.receiver?.name, uuid: TrialStage.uuid.description, major: Self.major,
            adapter: adapter.flatMap(facts.knownAdapter)?.name, facts: isOfAdapter ? facts.anonymous : nil,
            checks: findings.map(FindingReport.init), stages: results.map(StageReport.init))
        let text = facts.withoutAddresses(Self.encode(file))
        do throws(SystemError) {
            try OutputFile.write(Array(text.utf8), to: path)
        } catch {
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        if format == .text { Output.note("\(path) is written; look at it before you attach it to a report") }
    }

    /// A file that people read before they attach it.
    private static func encode(_ file: TrialFile) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(file) else {
            preconditionFailure("the file holds nothing but strings, numbers and truth values")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
