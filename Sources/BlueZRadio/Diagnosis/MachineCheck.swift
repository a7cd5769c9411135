// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth

/// A question about a machine whose beacon is not received, and how its facts answer it.
///
/// `MachineCheck.all` is the list of the checks; each is a function of facts that were read before.
package struct MachineCheck: Sendable {
    /// What is checked: the facts, the adapter of the beacons, and the test of the air.
    struct Subject {
        let facts: MachineFacts
        /// The adapter; `nil` if there is none.
        let adapter: MachineFacts.Adapter?
        /// What is known of the adapter.
        let known: KnownAdapter?
        /// What the test of the air showed.
        let air: AirEvidence

        init(_ facts: MachineFacts, on adapter: MachineFacts.Adapter?, _ air: AirEvidence = AirEvidence()) {
            self.facts = facts
            self.adapter = adapter
            self.air = air
            known = adapter.flatMap(facts.knownAdapter)
        }

        /// What the texts of a fault of the adapter name.
        /// - Parameters:
        ///   - device: the address of a device.
        ///   - other: another adapter; `nil` for one that can be used instead.
        func place(device: String? = nil, other: String? = nil, process: Int32? = nil) -> Fault.Place {
            let usable = facts.adapters.first { $0.name != adapter?.name && $0.canAdvertise }
            return Fault.Place(
                adapter?.name ?? "", isOnly: facts.adapters.count < 2, device: device, other: other ?? usable?.name,
                process: process)
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
    /// - Parameters:
    ///   - adapter: the adapter of the beacons; `nil` if there is none.
    ///   - air: what the test of the air showed.
    package static func findings(
        _ facts: MachineFacts, on adapter: MachineFacts.Adapter?, after air: AirEvidence = AirEvidence()
    ) -> [Finding] {
        let subject = Subject(facts, on: adapter, air)
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
