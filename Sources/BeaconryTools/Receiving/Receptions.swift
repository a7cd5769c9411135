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

    /// The same, with all sightings of a period at its end, for what makes a report once in some periods.
    /// - Throws: `RadioError`.
    func receptionsByPeriod(
        _ parameters: ScanParameters = ScanParameters(), every period: Duration
    ) async throws(RadioError) -> AsyncStream<[Reception]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Reception].self, bufferingPolicy: .bufferingNewest(64))
        let time = Timekeeper(Simulation.clock)
        let batch = ReceptionBatch()
        let receiving: Task<Void, Never>?
        if let radio = self as? any DirectCentralRadio {
            try await radio.scan(
                parameters,
                to: SightingSink(
                    receive: { batch.add(.received($0, at: time.now())) },
                    end: {
                        continuation.yield(batch.take())
                        continuation.finish()
                    }))
            receiving = nil
        } else {
            let sightings = try await scan(parameters)
            receiving = Task {
                for await sighting in sightings { batch.add(.received(sighting, at: time.now())) }
                continuation.yield(batch.take())
                continuation.finish()
            }
        }
        let ticking = Reception.tick(every: period, time) { continuation.yield(batch.take() + [.passed($0)]) }
        continuation.onTermination = { _ in
            receiving?.cancel()
            ticking.cancel()
        }
        return stream
    }
}

/// The receptions of a period.
private final class ReceptionBatch: Sendable {
    /// Of more sightings in a period, the first count.
    private static let capacity = 65_536

    private let receptions = Mutex<[Reception]>([])

    func add(_ reception: Reception) {
        receptions.withLock { if $0.count < Self.capacity { $0.append(reception) } }
    }

    func take() -> [Reception] {
        receptions.withLock { receptions in
            defer { receptions.removeAll(keepingCapacity: true) }
            return receptions
        }
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

    /// Calls a function once a period with the time.
    fileprivate static func tick(
        every period: Duration, _ time: Timekeeper, _ body: @escaping @Sendable (Duration) -> Void
    ) -> Task<Void, Never> {
        Task { while await time.sleep(for: period) { body(time.now()) } }
    }
}
