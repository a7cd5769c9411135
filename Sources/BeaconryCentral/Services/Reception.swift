// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import Radio

/// What happens to a receiver, for values that have no clock: something is heard, or time has passed.
public enum Reception: Hashable, Sendable {
    /// This was heard, so long after the start.
    case heard(Sighting, at: Duration)
    /// It is so long after the start.
    case passed(Duration)

    /// When.
    public var time: Duration {
        switch self {
        case .heard(_, let time), .passed(let time): time
        }
    }

    /// All that is heard, and the time once a period.
    ///
    /// The start is now. The stream ends with the sightings; a consumer that falls 4,096 behind loses the oldest.
    public static func stream(
        of sightings: AsyncStream<Sighting>, every period: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> AsyncStream<Reception> {
        let (stream, continuation) = AsyncStream.makeStream(of: Reception.self, bufferingPolicy: .bufferingNewest(4096))
        let start = clock.now
        let listening = Task {
            for await sighting in sightings { continuation.yield(.heard(sighting, at: start.duration(to: clock.now))) }
            continuation.finish()
        }
        let ticking = Task {
            while (try? await clock.sleep(for: period)) != nil {
                continuation.yield(.passed(start.duration(to: clock.now)))
            }
        }
        continuation.onTermination = { _ in
            listening.cancel()
            ticking.cancel()
        }
        return stream
    }
}

extension CentralRadio {
    /// Listens, and tells the time once a period (see `Reception.stream`).
    /// - Throws: `RadioError`.
    public func receptions(
        _ settings: ScanParameters = ScanParameters(), every period: Duration
    ) async throws(RadioError) -> AsyncStream<Reception> {
        Reception.stream(of: try await scan(settings), every: period)
    }
}
