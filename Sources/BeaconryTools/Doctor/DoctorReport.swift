// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import Emulator
import KernelBluetooth
import Radio

/// A finding of `doctor`.
struct FindingReport: Encodable, Report {
    /// The widths of the columns of result and check.
    private static let columns = (result: 7, check: 17)

    private let event = "check"
    private let check: String
    private let question: String
    private let result: String
    private let finding: String
    private let meaning: String?
    /// What to do; absent if that is nothing.
    private let action: String?
    private let command: String?
    /// The identifier of the row in docs/troubleshooting.md; absent if there is none.
    private let fault: String?

    init(_ finding: Finding) {
        check = finding.check
        question = finding.question
        result = finding.result.rawValue
        self.finding = finding.finding
        meaning = finding.meaning
        action = finding.action
        command = finding.command
        fault = finding.fault?.rawValue
    }

    var lines: [String] {
        let columns = Self.columns
        let head = "\(result.padding(to: columns.result))  \(check.padding(to: columns.check))  "
        let indent = String(repeating: " ", count: head.count)
        let more = [meaning.map { "Meaning: \($0)" }, (command ?? action).map { "Fix: \($0)" }].compactMap(\.self)
        return [head + finding] + more.map { indent + $0 }
    }
}

/// A stage of the test of the air.
struct StageReport: Encodable, Report {
    private struct Received: Encodable {
        let beacon: String
        let count: Int
        let rssi: Int8?
        let pdus: [String]
        /// The times between advertisements, in milliseconds; absent if the receiver leaves out some of them.
        let gaps: [Int64]?
    }

    private let event = "stage"
    private let stage: String
    private let title: String
    private let seconds: Double
    private let radio: String?
    private let way: String?
    private let instances: Int?
    private let receiver: String?
    /// What is effective, as `run --json` prints it.
    private let advertising: [PostedEvent]
    private let received: [Received]?
    private let refused: [ErrorText]?

    private struct ErrorText: Encodable {
        let code: String
        let message: String
        let hint: String
    }

    init(_ result: StageResult) {
        stage = result.stage.name
        title = result.stage.title
        seconds = (result.duration / .milliseconds(1)).rounded() / 1000
        radio = result.capabilities?.name
        way = result.capabilities?.way
        instances = result.capabilities?.instances
        receiver = result.receiver?.name
        advertising = result.events
        received = result.receiver.map { receiver in
            result.receptions.sorted { $0.key < $1.key }.map { beacon, reception in
                let gaps =
                    receiver.reportsRepetitions(scanningActively: true)
                    ? zip(reception.times, reception.times.dropFirst()).map { Int64(($1 - $0) / .milliseconds(1)) }
                    : nil
                return Received(
                    beacon: beacon.name, count: reception.times.count, rssi: reception.medianRSSI,
                    pdus: reception.pdus.sorted(), gaps: gaps)
            }
        }
        let errors = [result.failure].compactMap(\.self) + result.refusals.sorted { $0.key < $1.key }.map(\.value)
        refused =
            errors.isEmpty
            ? nil : errors.map { ErrorText(code: $0.code.rawValue, message: $0.message, hint: $0.hint) }
    }

    // Its findings are the text.
    var lines: [String] { [] }
}

/// The end of `doctor`.
struct DiagnosisReport: Encodable, Report {
    private let event = "diagnosis"
    private let problems: Int
    private let notes: Int
    private let unknown: Int

    init(_ findings: [Finding]) {
        problems = findings.count { $0.result == .problem }
        notes = findings.count { $0.result == .note }
        unknown = findings.count { $0.result == .unknown }
    }

    var lines: [String] {
        let counts = [(problems, "problem"), (notes, "note")].filter { $0.0 > 0 }.map { Formatting.count($0.0, $0.1) }
        let unread = unknown == 0 ? "" : "; \(Formatting.count(unknown, "answer")) could not be read"
        return [(counts.isEmpty ? "no problems found" : counts.joined(separator: ", ")) + unread]
    }
}

/// What `doctor --trial` writes: facts, findings and stages, without addresses of other devices.
struct TrialFile: Encodable {
    let v = 1
    let beaconry: String
    let time = Timestamp.now
    let radio: String
    let receiver: String?
    /// The numbers by which a phone or another receiver finds the beacons of the test.
    let uuid: String
    let major: UInt16
    /// The known adapter that it is; absent if it is none.
    let adapter: String?
    let facts: MachineFacts?
    let checks: [FindingReport]
    let stages: [StageReport]
}
