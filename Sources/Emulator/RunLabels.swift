// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
import Profiles
import Radio
import Synchronization

/// A label that a client sets, or removes by an empty text.
package struct LabelChange: Hashable, Sendable {
    /// The label; `nil` to remove it.
    package let label: String?

    /// - Throws: `ValueFault` for a text of more than 100 characters, or with control characters.
    package init(_ text: String) throws(ValueFault) { label = text.isEmpty ? nil : try ValueText.label(text) }
}

/// The labels of the beacons and receivers of a run: those of the profiles, and those that clients have set since.
package final class RunLabels: Sendable {
    private struct State {
        /// By the name in the run.
        var labels: [String: String] = [:]
        /// The names of the profiles in use.
        var declared: Set<String> = []
    }

    private let state = Mutex(State())

    init() {}

    /// The label of a beacon or receiver; `nil` if it has none.
    package subscript(name: String) -> String? { state.withLock { $0.labels[name] } }

    /// All labels.
    var all: [String: String] { state.withLock(\.labels) }

    /// Takes the labels of the profiles in use. Receivers that clients have added keep theirs.
    func replace(by profiles: [Profile]) {
        let beacons = BeaconFactory.identified(profiles).map { ($0.2.name, $0.1.label) }
        let declared = beacons + profiles.flatMap(\.receivers).map { ($0.id, $0.label) }
        state.withLock { state in
            for name in state.declared { state.labels[name] = nil }
            for (name, label) in declared { state.labels[name] = label }
            state.declared = Set(declared.map(\.0))
        }
    }

    /// Sets a label; `nil` removes it.
    func set(_ label: String?, of name: String) { state.withLock { $0.labels[name] = label } }
}
