// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import KernelBluetooth

/// The answer of a check.
package struct Finding: Codable, Hashable, Sendable {
    /// How an answer counts.
    package enum Result: String, Codable, Sendable {
        /// Nothing is wrong.
        case ok
        /// It may explain what is seen, and may be as intended.
        case note
        /// It prevents or changes beacons.
        case problem
        /// It could not be read.
        case unknown
    }

    /// The name of the check.
    package var check: String
    /// The question of the check.
    package var question: String
    /// How it counts.
    package var result: Result
    /// The fault that was found; `nil` for an answer that is none.
    package var fault: Fault?
    /// What was found, as a sentence without its full stop.
    package let finding: String
    /// What that means for beacons, as a sentence without its full stop; `nil` if the finding is enough.
    package var meaning: String?
    /// What to do, as a clause; `nil` if that is nothing.
    package let action: String?
    /// One command that does it; `nil` if there is none.
    package let command: String?
    /// Whether it is of the past, so that it explains nothing by itself.
    package var isOld = false

    /// A finding of a check that is not in the list, such as a test of the air.
    package init(
        of check: String, _ question: String, _ result: Result, _ finding: String, meaning: String? = nil,
        action: String? = nil, command: String? = nil, fault: Fault? = nil
    ) {
        self.check = check
        self.question = question
        self.result = result
        self.finding = finding
        self.meaning = meaning
        self.action = action
        self.command = command
        self.fault = fault
    }

    /// A fault, found by a check that is not in the list.
    package init(
        of check: String, _ question: String, _ result: Result, _ fault: Fault, at place: Fault.Place,
        _ sentence: String? = nil, meaning: String? = nil
    ) {
        self.init(
            of: check, question, result, sentence ?? fault.sentence(at: place), meaning: meaning ?? fault.meaning,
            action: fault.action(at: place), command: fault.command(at: place), fault: fault)
    }

    /// A finding of a check in the list, which adds its name and its question.
    init(_ result: Result, _ finding: String, meaning: String? = nil, command: String? = nil) {
        self.init(of: "", "", result, finding, meaning: meaning, command: command)
    }

    static func ok(_ finding: String) -> Finding { Finding(.ok, finding) }

    static func note(_ finding: String, meaning: String?, command: String? = nil) -> Finding {
        Finding(.note, finding, meaning: meaning, command: command)
    }

    static func unknown(_ finding: String, meaning: String, command: String? = nil) -> Finding {
        Finding(.unknown, finding, meaning: meaning, command: command)
    }

    /// A fault of a check in the list.
    /// - Parameter sentence: what is wrong, if it is more than the table has.
    static func problem(_ fault: Fault, at place: Fault.Place = Fault.Place(), _ sentence: String? = nil) -> Finding {
        Finding(of: "", "", .problem, fault, at: place, sentence)
    }

    /// A fault of a check in the list that may be as intended.
    static func note(
        _ fault: Fault, at place: Fault.Place = Fault.Place(), _ sentence: String? = nil, meaning: String? = nil
    ) -> Finding {
        Finding(of: "", "", .note, fault, at: place, sentence, meaning: meaning)
    }
}

// MARK: - The test of the air

/// What a test of the air showed, which decides which fault explains what is seen.
package struct AirEvidence: Hashable, Sendable {
    /// What was on the air.
    package enum Outcome: Hashable, Sendable {
        /// Nothing was advertised.
        case notTried
        /// It is not known whether the beacon was on the air.
        case unknown
        /// The beacon was not on the air.
        case silent
        /// The beacon was on the air: the controller got its commands, or another radio received it.
        case onAir
    }

    /// What was on the air.
    package var outcome: Outcome
    /// The codes of the radio's warnings.
    package var warnings: Set<String>
    /// When it began, on the clock of the kernel's messages; `nil` if nothing was tried.
    package var began: Double?

    package init(_ outcome: Outcome = .notTried, warnings: Set<String> = [], began: Double? = nil) {
        self.outcome = outcome
        self.warnings = warnings
        self.began = began
    }
}

extension [Finding] {
    /// The findings in the order of what explains what is seen: faults that keep beacons off the air, unless the test shows that
    /// the beacon was on the air, then what the test found, other faults, notes, messages of the past, and the rest.
    package func ordered(after air: AirEvidence) -> [Finding] {
        let judged = map { finding in
            guard air.outcome == .onAir, finding.result == .problem, finding.fault?.effect == .silent,
                ![Self.Element.receiving, Self.Element.kernelLog].contains(finding.check)
            else { return finding }
            var finding = finding
            finding.result = .note
            let meaning = finding.meaning.map { "\($0); " } ?? ""
            finding.meaning = meaning + "the beacon of the test was on the air nonetheless"
            return finding
        }
        let places = Dictionary(uniqueKeysWithValues: zip(Fault.allCases, 0...))
        func key(_ finding: Finding) -> (Int, Int) {
            let place = finding.fault.flatMap { places[$0] } ?? places.count
            switch finding.result {
            case .problem: return (finding.fault.map { $0.effect == .changed ? 2 : 0 } ?? 1, place)
            case .note: return (finding.isOld ? 4 : 3, place)
            case .unknown: return (5, 0)
            case .ok: return (6, 0)
            }
        }
        let sorted = judged.enumerated().sorted { left, right in
            let (leftKey, rightKey) = (key(left.element), key(right.element))
            return leftKey == rightKey ? left.offset < right.offset : leftKey < rightKey
        }
        return sorted.map(\.element)
    }
}

extension Finding {
    /// The check of what another radio received.
    package static let receiving = "receiving"
    /// The check of the kernel's messages.
    static let kernelLog = "kernel-log"
}
