// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials
import JSON
import Radio

// Whether the names in selections and expectations of events exist in the run: a misspelt name would select no event,
// and an expectation of no event would be met.
extension Emulator {
    /// Checks a selection of events: their names, and the beacon.
    /// - Throws: `EmulatorError` `.badProfile` for the name of no event, `.unknownBeacon`.
    package func check(_ selection: EventSelection) throws(EmulatorError) {
        try selection.check()
        if let device = selection.device { try requireDevice(.text(device)) }
    }

    /// Compares the events of the run with expectations, as `EventHub.verify` does, after a check of the names in them.
    /// - Parameters:
    ///   - since: The number of an event, or a duration, from which on events count; `nil` for all of the journal.
    ///   - time: In the time of the run; zero to compare at once.
    /// - Throws: `EmulatorError` `.unknownBeacon` for a beacon or a host that the run does not have and did not have, unless it
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
        for expectation in expectations where !expectation.mayAppear {
            if let device = expectation.pattern.members?["device"] { try requireDevice(device) }
            if let host = expectation.pattern.members?["host"] { try await requireHost(host) }
        }
        return { [events] time in await events.verify(expectations, from: begin, within: time) }
    }

    private func requireDevice(_ pattern: JSONValue) throws(EmulatorError) {
        if names.contains(where: { JSONValue.text($0).matches(pattern) }) { return }
        // Those that were removed have events.
        let former = events.select { posted in posted.event.device.map { JSONValue.text($0).matches(pattern) } ?? false
        }
        guard former.isEmpty else { return }
        throw unknown(pattern.setting ?? "")
    }

    private func requireHost(_ pattern: JSONValue) async throws(EmulatorError) {
        // Radios without positions have no hosts.
        guard let served = try? await air.receivers(), let present = try? await air.hosts() else { return }
        var known = Set([Self.unnamedHost] + served.map(\.name) + present.map(\.name))
        _ = events.select { posted in
            if case .host(let host) = posted.event { known.insert(host.name) }
            return false
        }
        guard let text = pattern.setting else { return }
        // Hosts that share a name have a number after it.
        let name = text.replacing(/-[0-9]+$/, with: "")
        guard !known.contains(name), !known.contains(where: { JSONValue.text($0).matches(pattern) }) else { return }
        throw EmulatorError(
            .unknownBeacon, "there is no host \"\(text)\"", hint: Spelling.hint(text, "hosts", known.sorted()))
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
