// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency

extension EventHub {
    /// The events of the journal after the one with this number as JSON, oldest first, each with its number as `sequence`.
    package func records(since sequence: Int = 0) -> [JSONValue] {
        journal.compactMap { $0.sequence > sequence ? EventSelection().record($0, lines) : nil }
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
        // First, so that no event is missed between the journal and the stream.
        let stream = listen()
        var reader = JournalReader(comparison: JournalComparison(expectations), isIncluded: isIncluded)
        reader.take(journal, lines)
        guard !reader.comparison.isDecided, time > .zero else { return reader.comparison.verdicts }
        let waiting = Task { [reader] in
            var reader = reader
            for await posted in stream {
                // What this reader lost, the journal may still have.
                if case .lost = posted.event { reader.take(journal, lines) } else { reader.take([posted], lines) }
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
        return comparison.verdicts
    }
}

/// The place in the journal up to which a comparison has taken the events.
private struct JournalReader: Sendable {
    var comparison: JournalComparison
    let isIncluded: @Sendable (PostedEvent) -> Bool
    private var last: UInt64 = 0

    init(comparison: JournalComparison, isIncluded: @escaping @Sendable (PostedEvent) -> Bool) {
        self.comparison = comparison
        self.isIncluded = isIncluded
    }

    mutating func take(_ events: [PostedEvent], _ lines: EventLines) {
        for event in events where event.sequence > last {
            last = event.sequence
            if isIncluded(event), let record = EventSelection().record(event, lines) { comparison.take(record) }
        }
    }
}
