// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A question about a machine whose beacon is not received, and how its facts answer it.
///
/// `MachineCheck.all` is the list of the checks; each is a function of facts that were read before.
package struct MachineCheck: Sendable {
    /// What is checked: the facts, and the adapter of the beacons.
    struct Subject {
        let facts: MachineFacts
        /// The adapter; `nil` if there is none.
        let adapter: MachineFacts.Adapter?
        /// What is known of the adapter.
        let known: KnownAdapter?

        init(_ facts: MachineFacts, on adapter: MachineFacts.Adapter?) {
            self.facts = facts
            self.adapter = adapter
            known = adapter.flatMap(facts.knownAdapter)
        }
    }

    /// The checks, in the order in which a reader fixes what they find.
    package static let all = HostChecks.all + AdapterChecks.all

    /// The name, which scripts may rely on.
    package let name: String
    /// The question.
    package let question: String
    /// How the answer is read.
    package let source: String
    private let judge: @Sendable (Subject) -> [Finding]

    /// A check of the machine.
    init(
        _ name: String, _ question: String, from source: String, judge: @escaping @Sendable (Subject) -> [Finding]
    ) {
        self.name = name
        self.question = question
        self.source = source
        self.judge = judge
    }

    /// A check of the adapter, which finds nothing if there is none.
    init(
        _ name: String, _ question: String, from source: String,
        ofAdapter judge: @escaping @Sendable (MachineFacts.Adapter, Subject) -> [Finding]
    ) {
        self.init(name, question, from: source) { subject in
            subject.adapter.map { judge($0, subject) } ?? []
        }
    }

    /// The findings of this check, with its name.
    func findings(_ subject: Subject) -> [Finding] {
        judge(subject).map { finding in
            var finding = finding
            finding.check = name
            finding.question = question
            return finding
        }
    }

    /// The findings of all checks, in their order.
    /// - Parameter adapter: the adapter of the beacons; `nil` if there is none.
    package static func findings(_ facts: MachineFacts, on adapter: MachineFacts.Adapter?) -> [Finding] {
        let subject = Subject(facts, on: adapter)
        return all.flatMap { $0.findings(subject) }
    }

    /// What one must know of an adapter, whatever its state: sentences with what to do.
    package static func peculiarities(of adapter: MachineFacts.Adapter, _ facts: MachineFacts) -> [String] {
        let subject = Subject(facts, on: adapter)
        let findings = AdapterChecks.ofIdentity.flatMap { $0.findings(subject) }
        let notable = findings.filter { $0.result != .unknown && ($0.result != .ok || $0.meaning != nil) }
        return notable.map { finding in finding.meaning.map { "\(finding.finding); \($0)" } ?? finding.finding }
    }
}

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
    package let result: Result
    /// What was found, as a sentence without its full stop.
    package let finding: String
    /// What that means for beacons, or what to do, as a sentence without its full stop; `nil` if the finding is enough.
    package let meaning: String?
    /// One command that fixes it; `nil` if there is none.
    package let command: String?

    /// A finding of a check that is not in the list, such as a test of the air.
    package init(
        of check: String, _ question: String, _ result: Result, _ finding: String, meaning: String? = nil,
        command: String? = nil
    ) {
        self.check = check
        self.question = question
        self.result = result
        self.finding = finding
        self.meaning = meaning
        self.command = command
    }

    /// A finding of a check in the list, which adds its name and its question.
    init(_ result: Result, _ finding: String, meaning: String? = nil, command: String? = nil) {
        self.init(of: "", "", result, finding, meaning: meaning, command: command)
    }

    static func ok(_ finding: String) -> Finding { Finding(.ok, finding) }

    static func note(_ finding: String, meaning: String?, command: String? = nil) -> Finding {
        Finding(.note, finding, meaning: meaning, command: command)
    }

    static func problem(_ finding: String, meaning: String, command: String?) -> Finding {
        Finding(.problem, finding, meaning: meaning, command: command)
    }

    static func unknown(_ finding: String, meaning: String, command: String? = nil) -> Finding {
        Finding(.unknown, finding, meaning: meaning, command: command)
    }
}
