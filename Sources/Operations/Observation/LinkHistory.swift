// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Radio

/// The RSSI on the paths of the virtual air in the last two minutes of the run: samples of all paths at the same times.
///
/// Its size is bounded: 120 samples of each path, and 1,000 paths. A path that is not there any more stays, without values,
/// as long as it has one.
package struct LinkHistory: Sendable {
    /// The samples of a path.
    static let capacity = 120
    /// The paths that are kept; more are left out, the weakest first.
    static let maximumPaths = 1000
    /// The value of a sample without RSSI: no controller reports it (Core 5.4, Vol 4, Part E, 7.7.65.2).
    private static let none: Int8 = 127

    private struct Path: Hashable {
        let from: String
        let to: String
    }

    /// The times of the samples, in seconds of the run, oldest first.
    private var times: [Double] = []
    /// A sample for each time.
    private var samples: [Path: [Int8]] = [:]

    /// Adds a sample of each path.
    /// - Parameter time: in seconds of the run, later than the last one.
    mutating func add(_ paths: [AirPath], at time: Double) {
        let removed = times.count < Self.capacity ? 0 : 1
        times.removeFirst(removed)
        times.append(time)
        for path in samples.keys {
            samples[path]?.removeFirst(removed)
            samples[path]?.append(Self.none)
        }
        let strongest = paths.count > Self.maximumPaths ? paths.sorted { $0.meanRSSI > $1.meanRSSI } : paths
        for path in strongest {
            let key = Path(from: path.transmitter, to: path.receiver)
            if samples[key] == nil {
                guard samples.count < Self.maximumPaths else { continue }
                samples[key] = Array(repeating: Self.none, count: times.count)
            }
            samples[key]?[times.count - 1] = Self.sample(path)
        }
        samples = samples.filter { $0.value.contains { $0 != Self.none } }
    }

    private static func sample(_ path: AirPath) -> Int8 {
        guard path.override?.isBlocked != true, !path.isMuted else { return none }
        return path.lastRSSI?.decibelMilliwatts ?? Int8(min(max(path.meanRSSI.rounded(), -127), 20))
    }

    /// The history as JSON.
    package struct Record: Encodable, Sendable {
        /// The samples of a path.
        package struct Link: Encodable, Sendable {
            /// The beacon, or another advertiser.
            let from: String
            /// The host that scans.
            let to: String
            /// In dBm, for each of the times; `null` where nothing could be received: no advertising, no scan, a muted
            /// beacon or a blocked path.
            let rssi: [Int8?]
        }

        /// The present time of the run, in seconds.
        let elapsed: Double
        /// The times of the samples, in seconds of the run, oldest first.
        let times: [Double]
        let links: [Link]
    }

    /// The samples after a time.
    /// - Parameter name: the beacon or the host of the paths; `nil` for all.
    func record(at elapsed: Double, after start: Double, of name: String?) -> Record {
        let first = times.firstIndex { $0 > start } ?? times.count
        let links = samples.filter { name == nil || $0.key.from == name || $0.key.to == name }
            .sorted { ($0.key.from, $0.key.to) < ($1.key.from, $1.key.to) }
        return Record(
            elapsed: elapsed, times: Array(times[first...]),
            links: links.map { path, values in
                Record.Link(
                    from: path.from, to: path.to, rssi: values[first...].map { $0 == Self.none ? nil : $0 })
            })
    }
}
