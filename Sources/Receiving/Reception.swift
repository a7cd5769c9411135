// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An input of the values that range, monitor, seek, calibrate and expect: a sighting, or the time.
package enum Reception: Hashable, Sendable {
    /// A sighting at a time since the start.
    case received(Sighting, at: Duration)
    /// The time since the start.
    case passed(Duration)

    /// The time since the start.
    package var time: Duration {
        switch self {
        case .received(_, let time), .passed(let time): time
        }
    }

    /// All sightings of a stream, and the time once a period.
    ///
    /// The start is now. The stream ends with the sightings; a consumer that falls 4,096 inputs behind loses the oldest.
    package static func stream(
        of sightings: AsyncStream<Sighting>, every period: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> AsyncStream<Reception> {
        let (stream, continuation) = AsyncStream.makeStream(of: Reception.self, bufferingPolicy: .bufferingNewest(4096))
        let start = clock.now
        let receiving = Task {
            for await sighting in sightings {
                continuation.yield(.received(sighting, at: start.duration(to: clock.now)))
            }
            continuation.finish()
        }
        let ticking = Task {
            while (try? await clock.sleep(for: period)) != nil {
                continuation.yield(.passed(start.duration(to: clock.now)))
            }
        }
        continuation.onTermination = { _ in
            receiving.cancel()
            ticking.cancel()
        }
        return stream
    }
}
