// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import Radio
import Receiving

extension CentralRadio {
    /// Scans, and adds the time once a period (see `Reception.stream`).
    /// - Throws: `RadioError`.
    func receptions(
        _ parameters: ScanParameters = ScanParameters(), every period: Duration
    ) async throws(RadioError) -> AsyncStream<Reception> {
        Reception.stream(of: try await scan(parameters), every: period, clock: Simulation.clock)
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
        let ticking = Task {
            while await time.sleep(for: period) { continuation.yield(.passed(time.now())) }
        }
        continuation.onTermination = { _ in
            receiving.cancel()
            ticking.cancel()
        }
        return stream
    }
}
