// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Devices
import FoundationEssentials
import JSON
import Radio

// Whether the names in selections and expectations of events exist in the run: a misspelt name would select no event,
// and an expectation of no event would be met.
extension Emulator {
    /// Checks a selection of events: their names, and the beacon.
    /// - Throws: `EmulatorError` `.badProfile` for the name of no event, `.unknownBeacon`.
    package func check(_ selection: EventSelection) async throws(EmulatorError) {
        try selection.check()
        if let device = selection.device { try await requireDevices([.text(device)]) }
    }

    /// Compares the events of the run with expectations, as `EventHub.verify` does, after a check of the names in them.
    /// - Parameters:
    ///   - since: The number of an event, or a duration, from which on events count; `nil` for all of the journal.
    ///   - time: In the time of the run; zero to compare at once.
    /// - Throws: `EmulatorError` `.unknownBeacon` for a beacon, a host or a receiver that the run does not have and did not have, unless it
    ///   may appear; `.badProfile` if `since` is neither.
    package func verify(
        _ expectations: [JournalExpectation], since: String?, within time: Duration
    ) async throws(EmulatorError) -> [JournalExpectation.Verdict] {
        await (try await comparison(expectations, since: since))(time)
    }

    /// Checks the names in expectations.
    /// - Parameters: as of `verify`.
    /// - Returns: A function that compares, with a time to wait.
    /// - Throws: as `verify`.
    package func comparison(
        _ expectations: [JournalExpectation], since: String?
    ) async throws(EmulatorError) -> @Sendable (Duration) async -> [JournalExpectation.Verdict] {
        let begin = try JournalStart.isIncluded(since)
        let patterns = expectations.filter { !$0.mayAppear }.compactMap(\.pattern.members)
        try await requireDevices(patterns.compactMap { $0["device"] })
        try await requireHosts(patterns.compactMap { $0["host"] })
        try await requireReceivers(patterns.compactMap { $0["receiver"] })
        return { [events] time in await events.verify(expectations, from: begin, within: time) }
    }

    private func requireDevices(_ patterns: [JSONValue]) async throws(EmulatorError) {
        guard !patterns.isEmpty else { return }
        let unknown = await LongWork.journal.perform { [names, journal = events.journal] in
            // Those that were removed have events.
            Self.unknown(patterns, in: Set(names), or: { Set(journal.compactMap(\.event.device)) })
        }
        if let unknown { throw self.unknown(unknown.setting ?? "") }
    }

    private func requireHosts(_ patterns: [JSONValue]) async throws(EmulatorError) {
        // Radios without positions have no hosts.
        guard !patterns.isEmpty, let served = try? await air.receivers(), let present = try? await air.hosts() else {
            return
        }
        let hosts = Set([Self.unnamedHost] + served.map(\.name) + present.map(\.name))
        let (unknown, known) = await LongWork.journal.perform { [journal = events.journal] in
            var known = hosts
            for case .host(let host) in journal.lazy.map(\.event) { known.insert(host.name) }
            // Hosts that share a name have a number after it.
            let numbered = patterns.filter { pattern in
                pattern.setting.map { !known.contains($0.replacing(/-[0-9]+$/, with: "")) } ?? false
            }
            return (Self.unknown(numbered, in: known), known.sorted())
        }
        try Self.refuse(unknown, "host", known)
    }

    private func requireReceivers(_ patterns: [JSONValue]) async throws(EmulatorError) {
        guard !patterns.isEmpty else { return }
        let present = listeners.names.union((try? await air.receivers())?.map(\.name) ?? [])
        let (unknown, known) = await LongWork.journal.perform { [journal = events.journal] in
            var known = present
            for case .receiver(let name, _) in journal.lazy.map(\.event) { known.insert(name) }
            return (Self.unknown(patterns, in: known), known.sorted())
        }
        try Self.refuse(unknown, "receiver", known)
    }

    /// Throws if there is an unknown name of a kind.
    private static func refuse(_ unknown: JSONValue?, _ kind: String, _ known: [String]) throws(EmulatorError) {
        guard let text = unknown?.setting else { return }
        throw EmulatorError(
            .unknownBeacon, "there is no \(kind) \"\(text)\"", hint: Spelling.hint(text, "\(kind)s", known))
    }

    /// The first of patterns that matches no name; `nil` for none.
    /// - Parameter others: Further names.
    private static func unknown(
        _ patterns: [JSONValue], in names: Set<String>, or others: () -> Set<String> = { [] }
    ) -> JSONValue? {
        func isUnknown(_ pattern: JSONValue, _ names: Set<String>) -> Bool {
            if let text = pattern.setting, names.contains(text) { return false }
            return !names.contains { JSONValue.text($0).matches(pattern) }
        }
        let absent = patterns.filter { isUnknown($0, names) }
        guard !absent.isEmpty else { return nil }
        let others = others()
        return absent.first { isUnknown($0, others) }
    }

    /// The name of the hosts of a server without a name.
    private static let unnamedHost = "host"
}

/// The beginning of what is read of the journal.
package enum JournalStart {
    /// Whether an event is after the one with a number, or not older than a duration; all are without either.
    /// - Throws: `EmulatorError` `.badProfile` for another text.
    package static func isIncluded(
        _ since: String?
    ) throws(EmulatorError) -> @Sendable (PostedEvent) -> Bool {
        guard let since else { return { _ in true } }
        if let number = UInt64(since) { return { $0.sequence > number } }
        let time: Duration
        do throws(ValueFault) {
            time = try ValueText.duration(since)
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
        let begin = (.sinceUnixEpoch - time) / Duration.seconds(1)
        return { $0.time.timeIntervalSince1970 >= begin }
    }
}
