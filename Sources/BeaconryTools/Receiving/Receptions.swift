// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Radio
import Receiving
import Synchronization

extension CentralRadio {
    /// Scans, and adds the time once a period (see `Reception.stream`).
    /// - Throws: `RadioError`.
    func receptions(
        _ parameters: ScanParameters = ScanParameters(), every period: Duration
    ) async throws(RadioError) -> AsyncStream<Reception> {
        guard let radio = self as? any DirectCentralRadio else {
            return Reception.stream(of: try await scan(parameters), every: period, clock: Simulation.clock)
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Reception.self, bufferingPolicy: .bufferingNewest(4096))
        let time = Timekeeper(Simulation.clock)
        try await radio.scan(
            parameters,
            to: SightingSink(
                receive: { continuation.yield(.received($0, at: time.now())) }, end: { continuation.finish() }))
        let ticking = Reception.tick(every: period, time) { continuation.yield(.passed($0)) }
        continuation.onTermination = { _ in ticking.cancel() }
        return stream
    }

    /// The same, with the sightings of a period at its end, for what makes a report once a period.
    /// - Parameter end: when a shorter period ends, too, and with it the passing of time; `nil` for never.
    /// - Throws: `RadioError`.
    func receptionsByPeriod(
        _ parameters: ScanParameters = ScanParameters(), every period: Duration, until end: Duration? = nil
    ) async throws(RadioError) -> AsyncStream<[Reception]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Reception].self, bufferingPolicy: .bufferingNewest(64))
        let time = Timekeeper(Simulation.clock)
        let batch = ReceptionBatch()
        @Sendable func receive(_ sighting: Sighting) {
            if let full = batch.add(.received(sighting, at: time.now())) { continuation.yield(full) }
        }
        @Sendable func finish() {
            continuation.yield(batch.take())
            continuation.finish()
        }
        let receiving: Task<Void, Never>?
        if let radio = self as? any DirectCentralRadio {
            try await radio.scan(parameters, to: SightingSink(receive: receive, end: finish))
            receiving = nil
        } else {
            let sightings = try await scan(parameters)
            receiving = Task {
                for await sighting in sightings { receive(sighting) }
                finish()
            }
        }
        let ticking = Reception.tick(every: period, until: end, time) {
            continuation.yield(batch.take() + [.passed($0)])
        }
        continuation.onTermination = { _ in
            receiving?.cancel()
            ticking.cancel()
        }
        return stream
    }
}

/// The receptions since the last ones were taken.
private final class ReceptionBatch: Sendable {
    /// The number of receptions that are taken at once at most.
    private static let capacity = 65_536

    private let receptions = Mutex<[Reception]>([])

    /// Adds a reception.
    /// - Returns: all receptions, if there is no room for more.
    func add(_ reception: Reception) -> [Reception]? {
        receptions.withLock { receptions in
            receptions.append(reception)
            return receptions.count < Self.capacity ? nil : Self.take(&receptions)
        }
    }

    func take() -> [Reception] { receptions.withLock { Self.take(&$0) } }

    private static func take(_ receptions: inout [Reception]) -> [Reception] {
        defer { receptions.removeAll(keepingCapacity: true) }
        return receptions
    }
}

extension Reception {
    /// All sightings of a stream, and the time once a period.
    ///
    /// The start is now. The stream ends with the sightings; a consumer that falls 4,096 inputs behind loses the oldest.
    static func stream(
        of sightings: AsyncStream<Sighting>, every period: Duration, clock: any Clock<Duration>
    ) -> AsyncStream<Reception> {
        let (stream, continuation) = AsyncStream.makeStream(of: Reception.self, bufferingPolicy: .bufferingNewest(4096))
        let time = Timekeeper(clock)
        let receiving = Task {
            for await sighting in sightings { continuation.yield(.received(sighting, at: time.now())) }
            continuation.finish()
        }
        let ticking = tick(every: period, time) { continuation.yield(.passed($0)) }
        continuation.onTermination = { _ in
            receiving.cancel()
            ticking.cancel()
        }
        return stream
    }

    /// Calls a function with the time, at whole periods since the start, and for the last time at this end.
    fileprivate static func tick(
        every period: Duration, until end: Duration? = nil, _ time: Timekeeper,
        _ body: @escaping @Sendable (Duration) -> Void
    ) -> Task<Void, Never> {
        Task {
            var due = period
            while await time.sleep(for: min(due, end ?? due) - time.now()) {
                let now = time.now()
                body(now)
                if let end, end <= now { return }
                due = period * (now.count(of: period) + 1)
            }
        }
    }
}
