// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import JSON
import Radio
import Space

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

    // Rings of the same places: `removeFirst` and `append` of each second would make an array larger from time to time.
    /// The times of the samples, in seconds of the run.
    private var times: [Double] = []
    /// A sample for each place.
    private var samples: [Path: [Int8]] = [:]
    /// The number of all samples so far.
    private var count = 0

    /// Adds a sample of each path.
    /// - Parameter time: in seconds of the run, later than the last one.
    mutating func add(_ paths: [AirPath], at time: Double) {
        let place = count % Self.capacity
        count += 1
        if place == times.count { times.append(time) } else { times[place] = time }
        var index = samples.startIndex
        while index != samples.endIndex {
            samples.values[index][place] = Self.none
            samples.formIndex(after: &index)
        }
        let strongest = paths.count > Self.maximumPaths ? paths.sorted { $0.meanRSSI > $1.meanRSSI } : paths
        for path in strongest {
            let key = Path(from: path.transmitter, to: path.receiver)
            if samples[key] == nil {
                guard samples.count < Self.maximumPaths else { continue }
                samples[key] = Array(repeating: Self.none, count: Self.capacity)
            }
            samples[key]?[place] = Self.sample(path)
        }
        for (path, values) in samples where !values.contains(where: { $0 != Self.none }) { samples[path] = nil }
    }

    /// The places of the samples after a time, oldest first.
    private func places(after start: Double) -> ArraySlice<Int> {
        (count - times.count..<count).map { $0 % Self.capacity }.drop { times[$0] <= start }
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
        let places = places(after: start)
        let links = samples.filter { name == nil || $0.key.from == name || $0.key.to == name }
            .sorted { ($0.key.from, $0.key.to) < ($1.key.from, $1.key.to) }
        return Record(
            elapsed: elapsed, times: places.map { times[$0] },
            links: links.map { path, values in
                Record.Link(
                    from: path.from, to: path.to, rssi: places.map { values[$0] == Self.none ? nil : values[$0] })
            })
    }
}

extension LinkHistory.Record: Record {
    package var content: Content {
        .json(JSONBody("links", links, ["elapsed": .number(elapsed), "times": .array(times.map { .number($0) })]))
    }

    package static let schema = Schema.record(
        "LinkHistory",
        [
            .required("elapsed", .number, "the present time of the run in seconds"),
            .required("times", .array(.number), "the times of the samples in seconds of the run, oldest first"),
            .required(
                "links",
                .array(
                    .object([
                        .required("from", .text, "the beacon, or another advertiser"),
                        .required("to", .text, "the host that scans"),
                        .required(
                            "rssi", .array(Schema(["type": .array([.text("integer"), .text("null")])])),
                            "in dBm, for each of the times; null where nothing could be received"),
                    ])), "the paths"),
        ])
}
