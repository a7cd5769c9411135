// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
package import JSON

extension EventHub {
    /// The events of the journal after the one with this number as JSON, oldest first, each with its number as `sequence`.
    package func records(since sequence: Int = 0) -> [JSONValue] {
        journal.filter { $0.sequence > sequence }.compactMap { EventSelection().record($0, lines) }
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
        let journal = journal.filter(isIncluded)
        return await LongWork.journal.perform { [lines] in await comparison.verdicts(lines, journal) }
    }

    private func compare(
        _ expectations: [JournalExpectation], _ isWanted: @escaping @Sendable (PostedEvent) -> Bool,
        _ stream: AsyncStream<PostedEvent>, within time: Duration
    ) async -> JournalComparison {
        let reader = await take(from: isWanted, by: JournalReader(JournalComparison(expectations)))
        guard !reader.comparison.isDecided, time > .zero else { return reader.comparison }
        let waiting = Task {
            var reader = reader
            for await posted in stream {
                // The journal may still have the events that this stream lost.
                if case .lost = posted.event {
                    reader = await take(from: isWanted, by: reader)
                } else {
                    reader.take(posted, lines)
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

    /// A reader that has received the events of the journal.
    private func take(
        from isWanted: @escaping @Sendable (PostedEvent) -> Bool, by reader: JournalReader
    ) async -> JournalReader {
        await LongWork.journal.perform { [journal, lines] in
            var reader = reader
            for (index, event) in journal.enumerated() {
                if isWanted(event) { reader.take(event, lines) }
                if index.isMultiple(of: 64), await !LongWork.pause() { break }
            }
            return reader
        }
    }
}

/// A comparison, and the number of the last event that it has received.
private struct JournalReader: Sendable {
    private(set) var comparison: JournalComparison
    private var last: UInt64 = 0

    init(_ comparison: JournalComparison) { self.comparison = comparison }

    mutating func take(_ event: PostedEvent, _ lines: EventLines) {
        guard event.sequence > last else { return }
        last = event.sequence
        comparison.take(event, lines)
    }
}
