// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Receiving

/// Why an app does not show the distance of the walk.
enum BenchProblem: Hashable, Sendable {
    /// The measured power on the radio is the nearest possible one instead of the exact one.
    case clamped
    /// The beacon has no measured power.
    case noMeasuredPower
}

/// What the beacons of a walk on the bench advertise on the radio.
///
/// Its inputs are the advertisements that the devices request, the packets that the walking receiver gets on the virtual air,
/// and the time. A beacon is waiting until its first packet; then it is in range, and is advertised with the measured power of
/// `BenchMapping`, or out of range when no packet has arrived for `rangeTimeout`, and is not advertised. A value without a clock.
struct BenchPlan: Sendable {
    /// What the radio has to do for a beacon.
    enum Decision: Hashable, Sendable {
        case advertise(Advertisement, BenchProblem?)
        /// It is beyond the range of the receiver.
        case leave
    }

    private struct Place: Sendable {
        var requested: Advertisement
        /// When the device began to request an advertisement.
        let start: Duration
        var history: RSSIHistory
        var lastPacket: Duration?
        var state = BenchState.waiting
        /// What is on the radio.
        var sent: Advertisement?
        /// The filtered RSSI of the last decision, in dBm.
        var rssi: Double?
        var isClamped = false
        /// Whether that was so before the last decision.
        var wasClamped = false
    }

    let settings: BenchSettings
    private let mapping: BenchMapping
    private var places: [BeaconIdentifier: Place] = [:]

    init(_ settings: BenchSettings) {
        self.settings = settings
        mapping = BenchMapping(settings.app, benchRSSI: settings.rssi)
    }

    /// The time without a packet after which a beacon is out of range: five advertising intervals, and at least 3 s.
    static func rangeTimeout(of advertisement: Advertisement) -> Duration {
        max(.seconds(3), advertisement.interval.duration * 5)
    }

    private func filter(of advertisement: Advertisement) -> RSSIFilter {
        if let lag = settings.lag { return lag }
        return .runningMean(max(.seconds(1), advertisement.interval.duration * 2))
    }

    // MARK: - Inputs

    /// Takes what a device requests; `nil` for no advertisement.
    /// - Returns: the decision, if the beacon is in range.
    mutating func request(_ advertisement: Advertisement?, of beacon: BeaconIdentifier, at now: Duration) -> Decision? {
        guard let advertisement else {
            places[beacon] = nil
            return nil
        }
        guard var place = places[beacon] else {
            places[beacon] = Place(
                requested: advertisement, start: now, history: RSSIHistory(filter(of: advertisement)))
            return nil
        }
        if place.requested.interval != advertisement.interval { place.history = RSSIHistory(filter(of: advertisement)) }
        place.requested = advertisement
        places[beacon] = place
        return place.state == .inRange ? decide(beacon, at: now) : nil
    }

    /// Takes a packet of a beacon that the receiver got.
    mutating func take(_ rssi: RSSI, of beacon: BeaconIdentifier, at time: Duration) {
        guard places[beacon] != nil else { return }
        places[beacon]?.history.add(rssi, at: time)
        places[beacon]?.lastPacket = time
    }

    // MARK: - Decisions

    /// The beacons that request an advertisement, in the order of their names.
    var beacons: [BeaconIdentifier] { places.keys.sorted() }

    /// What has to change on the radio; `nil` if it has what it should have, or while nothing is known of the beacon.
    mutating func decide(_ beacon: BeaconIdentifier, at now: Duration) -> Decision? {
        guard var place = places[beacon] else { return nil }
        defer { places[beacon] = place }
        guard now - (place.lastPacket ?? place.start) < Self.rangeTimeout(of: place.requested) else {
            // What was received before does not count when it is in range again, as in an app.
            place.history = RSSIHistory(filter(of: place.requested))
            (place.rssi, place.sent, place.wasClamped) = (nil, nil, false)
            defer { place.state = .outOfRange }
            return place.state == .outOfRange ? nil : .leave
        }
        if let rssi = place.history.value(at: now) { place.rssi = rssi }
        guard let rssi = place.rssi else { return nil }
        place.state = .inRange
        let (advertisement, isClamped) = mapped(place.requested, rssi)
        place.isClamped = isClamped
        guard advertisement != place.sent else { return nil }
        let isFirst = place.sent == nil
        place.sent = advertisement
        // Other frames of a beacon, such as telemetry, have no measured power.
        let problem: BenchProblem? =
            isClamped ? .clamped : isFirst && advertisement.measuredPower == nil ? .noMeasuredPower : nil
        defer { place.wasClamped = isClamped }
        return .advertise(advertisement, problem == .clamped && place.wasClamped ? nil : problem)
    }

    /// The advertisement with the measured power for an RSSI, and whether that is clamped.
    private func mapped(_ requested: Advertisement, _ rssi: Double) -> (Advertisement, isClamped: Bool) {
        var (mapped, isClamped) = (requested, false)
        func power(of measured: MeasuredPower) -> MeasuredPower {
            guard let result = mapping.power(of: measured, receivedWith: rssi) else { return measured }
            isClamped = isClamped || result.isClamped
            return result.power
        }
        mapped.advertisingData = requested.advertisingData.mapMeasuredPower(power)
        mapped.scanResponse = requested.scanResponse.mapMeasuredPower(power)
        return (mapped, isClamped)
    }

    // MARK: - What clients read

    /// The beacons that request an advertisement, in the order of their names.
    var records: [BenchRecord.Beacon] {
        beacons.compactMap { beacon in
            places[beacon].map { place in
                BenchRecord.Beacon(
                    beacon: beacon.name, state: place.state, rssi: place.rssi,
                    measuredPower: place.requested.measuredPower?.decibelMilliwatts,
                    benchPower: place.sent?.measuredPower?.decibelMilliwatts, isClamped: place.isClamped)
            }
        }
    }
}

extension Advertisement {
    /// The same, of a kind that no host can connect to.
    var notConnectable: Advertisement {
        var advertisement = self
        advertisement.pdu = scanResponse.size > 0 ? .scannable : .nonConnectable
        return advertisement
    }
}
