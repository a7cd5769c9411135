// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Space

/// Where an estimator has a receiver, as JSON.
package struct EstimateRecord: Codable, Hashable, Sendable {
    /// The name of the estimator.
    package let estimator: String
    /// The id of the room; absent for none.
    package let room: String?
    /// x, y, z in metres, to the centimetre; absent if no place is estimated.
    package let position: [Double]?

    init(_ kind: PlaceEstimator.Kind, _ estimate: PlaceEstimate) {
        estimator = kind.rawValue
        room = estimate.room
        position = estimate.position.map { [$0.x, $0.y, $0.z].map { ($0 * 100).rounded() / 100 } }
    }
}

/// The estimates of a receiver's place among the beacons that do not move, once a second.
struct ReceiverEstimates {
    static let period = Duration.seconds(1)
    /// A place that has moved less than this since the last event is none, in metres.
    private static let noticed = 0.5

    private let kind: PlaceEstimator.Kind
    /// The last estimate.
    private(set) var last: EstimateRecord?
    /// When the next estimate is due.
    private(set) var due: Duration
    private var estimator: PlaceEstimator
    /// What was reported last.
    private var reported: EstimateRecord?

    /// - Parameters:
    ///   - map: the beacons and the air as they are now.
    ///   - now: the first estimate is at the next whole second.
    init(_ kind: PlaceEstimator.Kind, _ map: AnchorMap, at now: Duration) {
        self.kind = kind
        estimator = PlaceEstimator(kind, map)
        due = .seconds(now.count(of: Self.period) + 1)
    }

    /// Takes the beacons and the air as they are now.
    mutating func setMap(_ map: AnchorMap) { estimator.setMap(map) }

    /// Takes a packet of a beacon.
    mutating func take(_ sighting: Sighting, of beacon: String, at time: Duration) {
        guard let rssi = sighting.rssi else { return }
        estimator.take(
            AnchorReading(
                at: time, beacon, rssi: Double(rssi.decibelMilliwatts),
                power: sighting.frames.measuredPower.map(Double.init)))
    }

    /// Takes a ranging report of an app that gets no packets.
    /// - Parameter senders: the names of the beacons.
    mutating func take(_ report: RangingReport, from senders: [BeaconIdentity: String]) {
        for beacon in report.beacons {
            guard let name = senders[beacon.identity], let rssi = beacon.meanRSSI else { continue }
            let power = beacon.beacon.measuredPower.map { Double($0.decibelMilliwatts) }
            estimator.take(AnchorReading(at: report.time, name, rssi: rssi, power: power))
        }
    }

    /// Makes the estimate that is due.
    /// - Returns: the estimate, if it has another room than the one that was returned last, or has moved by half a metre.
    mutating func estimate(at now: Duration) -> EstimateRecord? {
        due = .seconds(now.count(of: Self.period) + 1)
        let estimate = EstimateRecord(kind, estimator.estimate(at: now))
        last = estimate
        guard estimate.room != reported?.room || moved(estimate.position, from: reported?.position) else { return nil }
        reported = estimate
        return estimate
    }

    private func moved(_ next: [Double]?, from former: [Double]?) -> Bool {
        guard let next, let former else { return (next == nil) != (former == nil) }
        let squares = zip(next, former).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return squares >= Self.noticed * Self.noticed
    }
}
