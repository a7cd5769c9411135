// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
package import JSON

extension EventHub {
    /// The events of the journal after the one with this number as JSON, oldest first, each with its number as `sequence`.
    package func records(since sequence: Int = 0) -> [JSONValue] {
        select { $0.sequence > sequence }.compactMap { EventSelection().record($0, lines) }
    }

    /// Compares the journal with expectations, until all are met, one cannot be met any more, or the time is over.
    /// - Parameters:
    ///   - isIncluded: Whether an event counts.
    ///   - time: In the time of the run; zero to compare at once.
    /// - Returns: A verdict for each expectation.
    package func verify(
        _ expectations: [JournalExpectation],
        from isIncluded: @escaping @Sendable (PostedEvent) -> Bool = { _ in true },
        within time: Duration = .zero
    ) async -> [JournalExpectation.Verdict] {
        let isWanted: @Sendable (PostedEvent) -> Bool = { posted in
            isIncluded(posted) && expectations.contains { $0.mayMatch(posted) }
        }
        // First, so that no event is missed between the journal and the stream.
        let stream = listen(where: isWanted)
        let comparison = await compare(expectations, isWanted, stream, within: time)
        return await LongWork.perform { [self] in
            comparison.verdicts(lines) { candidates(for: $0, from: isIncluded) }
        }
    }

    private func compare(
        _ expectations: [JournalExpectation], _ isWanted: @escaping @Sendable (PostedEvent) -> Bool,
        _ stream: AsyncStream<PostedEvent>, within time: Duration
    ) async -> JournalComparison {
        let reader = await LongWork.perform { [self] in
            var reader = JournalReader(JournalComparison(expectations))
            reader.take(select(isWanted), lines)
            return reader
        }
        guard !reader.comparison.isDecided, time > .zero else { return reader.comparison }
        let waiting = Task {
            var reader = reader
            for await posted in stream {
                // The journal may still have the events that this stream lost.
                if case .lost = posted.event {
                    reader.take(select(isWanted), lines)
                } else {
                    reader.take([posted], lines)
                }
                if reader.comparison.isDecided { break }
            }
            return reader.comparison
        }
        let clock = Simulation.clock
        let timer = Task {
            try? await clock.sleep(for: time)
            waiting.cancel()
        }
        let comparison = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        timer.cancel()
        return comparison
    }

    /// The events that come nearest to an expectation, for the report of a failure: those with its name and beacon first, then
    /// with one of them. Oldest first.
    private func candidates(
        for expectation: JournalExpectation, from isIncluded: @Sendable (PostedEvent) -> Bool
    ) -> [PostedEvent] {
        var scored: [[PostedEvent]] = [[], [], [], []]
        for posted in select({ isIncluded($0) && (expectation.needsRecord || !expectation.mayMatch($0)) }) {
            scored[expectation.score(of: posted)].append(posted)
        }
        let count = JournalExpectation.candidates
        return scored.flatMap { $0.suffix(count) }.suffix(count).sorted { $0.sequence < $1.sequence }
    }
}

/// A comparison, and the number of the last event that it has received.
private struct JournalReader: Sendable {
    private(set) var comparison: JournalComparison
    private var last: UInt64 = 0

    init(_ comparison: JournalComparison) { self.comparison = comparison }

    mutating func take(_ events: [PostedEvent], _ lines: EventLines) {
        for event in events where event.sequence > last {
            last = event.sequence
            comparison.take(event, lines)
        }
    }
}
