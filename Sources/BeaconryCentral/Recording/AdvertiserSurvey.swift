// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import Bluetooth
import Radio
public import Receiving

/// What a recording contains of one advertiser of legacy PDUs; of a device that advertises frames of several formats by turns, what
/// it contains of one of them.
public struct RecordedAdvertiser: Hashable, Sendable {
    /// The device.
    public let device: RemoteAddress
    /// The PDU type; `nil` if the radio did not report it.
    public let pdu: AdvertisingPDU?
    /// The most frequent advertising data.
    public let advertisingData: [UInt8]
    /// The most frequent scan response; `nil` if none was received.
    public let scanResponse: [UInt8]?
    /// The number of different advertising data.
    public let variants: Int
    /// The estimated interval; `nil` if it was not received often enough, or by a receiver that leaves out repetitions.
    public let interval: AdvertisingInterval?
    /// The median RSSI; `nil` if unknown.
    public let rssi: RSSI?
    /// The number of advertisements received, without scan responses.
    public let count: Int
    /// The last Eddystone-TLM between frames of Eddystone-UID or Eddystone-URL; `nil` if none was received.
    public let telemetry: EddystoneTLM?
    /// The number of these, which `count` includes.
    public let telemetryCount: Int
}

/// Collects the advertisers of a recording, with their data, intervals and RSSI.
public struct AdvertiserSurvey: Sendable {
    /// The number of advertisers: more are ignored.
    private static let maximumAdvertisers = 65_536
    /// The number of formats of one advertiser: more are one.
    private static let maximumFormats = 16
    /// The number of different data, and of samples, of one advertiser: more are ignored.
    fileprivate static let maximumVariants = 64
    fileprivate static let maximumSamples = 4096

    fileprivate struct Track {
        var pdu: Sighting.PDU?
        var data: [[UInt8]: Int] = [:]
        var scanResponses: [[UInt8]: Int] = [:]
        var last: Duration?
        var gaps: [Duration] = []
        var samples: [RSSI] = []
        var count = 0
        var telemetry: EddystoneTLM?
        var telemetryCount = 0
    }

    /// What a device advertises of the formats of one packet; data without a frame is one.
    private struct Slot: Hashable {
        let device: RemoteAddress
        let formats: [String]
    }

    private var order: [Slot] = []
    private var tracks: [Slot: Track] = [:]
    /// The slots of each device, in the order of their first packets.
    private var slots: [RemoteAddress: [Slot]] = [:]
    private var leftOut: Set<RemoteAddress> = []

    /// Whether intervals are estimated: set it to `false` for a receiver that leaves out repetitions of advertisements
    /// (`ReceivingCapabilities.Limit.Subject.duplicates`).
    public var estimatesIntervals = true

    /// A survey without sightings.
    public init() {}

    /// Takes the next sighting.
    public mutating func take(_ recorded: RecordedSighting) {
        let sighting = recorded.sighting
        switch sighting.pdu {
        case .extended, .extendedScanResponse, .directed:
            if leftOut.count < Self.maximumAdvertisers { leftOut.insert(sighting.device) }
            return
        default: break
        }
        let frames = sighting.frames
        let known = slots[sighting.device] ?? []
        // A scan response, and telemetry, belong to what was advertised before.
        if sighting.pdu == .scanResponse, let slot = known.first {
            for slot in known { tracks[slot]?.takeScanResponse(sighting.data) }
            if tracks[slot] != nil { return }
        }
        if let telemetry = frames.first?.content as? EddystoneTLM, frames.count == 1,
            let slot = known.first(where: {
                $0.formats == [EddystoneUID.formatName] || $0.formats == [EddystoneURL.formatName]
            })
        {
            tracks[slot]?.take(telemetry, sighting, at: recorded.offset)
            return
        }
        var slot = Slot(device: sighting.device, formats: frames.map(\.format))
        if !known.contains(slot), let last = known.last, known.count >= Self.maximumFormats { slot = last }
        if tracks[slot] == nil {
            guard tracks.count < Self.maximumAdvertisers else { return }
            order.append(slot)
            slots[sighting.device, default: []].append(slot)
        }
        tracks[slot, default: Track()].take(sighting, at: recorded.offset)
    }

    /// The advertisers, in the order of their first advertisements.
    public var advertisers: [RecordedAdvertiser] {
        order.compactMap { slot in
            tracks[slot].flatMap { $0.advertiser(slot.device, estimatesInterval: estimatesIntervals) }
        }
    }

    /// The number of devices that were received only with extended or directed advertising, which no legacy advertisement
    /// can repeat.
    public var unrepeatable: Int { leftOut.subtracting(slots.keys).count }
}

extension AdvertiserSurvey.Track {
    fileprivate mutating func take(_ sighting: Sighting, at offset: Duration) {
        if sighting.pdu == .scanResponse { return takeScanResponse(sighting.data) }
        pdu = sighting.pdu ?? pdu
        count(sighting.data, in: \.data)
        note(sighting, at: offset)
    }

    fileprivate mutating func takeScanResponse(_ data: [UInt8]) { count(data, in: \.scanResponses) }

    fileprivate mutating func take(_ telemetry: EddystoneTLM, _ sighting: Sighting, at offset: Duration) {
        self.telemetry = telemetry
        telemetryCount += 1
        note(sighting, at: offset)
    }

    private mutating func note(_ sighting: Sighting, at offset: Duration) {
        count += 1
        if let last, gaps.count < AdvertiserSurvey.maximumSamples { gaps.append(offset - last) }
        last = offset
        if let rssi = sighting.rssi, samples.count < AdvertiserSurvey.maximumSamples { samples.append(rssi) }
    }

    private mutating func count(_ data: [UInt8], in variants: WritableKeyPath<Self, [[UInt8]: Int]>) {
        let isKnown = self[keyPath: variants][data] != nil
        guard isKnown || self[keyPath: variants].count < AdvertiserSurvey.maximumVariants else { return }
        self[keyPath: variants][data, default: 0] += 1
    }

    /// The advertiser; `nil` if only scan responses of it were received.
    fileprivate func advertiser(_ device: RemoteAddress, estimatesInterval: Bool) -> RecordedAdvertiser? {
        guard let advertisingData = Self.mostFrequent(data) else { return nil }
        return RecordedAdvertiser(
            device: device, pdu: pdu.flatMap { AdvertisingPDU(rawValue: $0.rawValue) },
            advertisingData: advertisingData, scanResponse: Self.mostFrequent(scanResponses), variants: data.count,
            interval: estimatesInterval ? IntervalEstimate.interval(gaps: gaps) : nil,
            rssi: samples.isEmpty ? nil : samples.sorted()[samples.count / 2], count: count, telemetry: telemetry,
            telemetryCount: telemetryCount)
    }

    /// The most frequent one, and always the same one of several.
    private static func mostFrequent(_ variants: [[UInt8]: Int]) -> [UInt8]? {
        variants.max {
            $0.value != $1.value ? $0.value < $1.value : $1.key.lexicographicallyPrecedes($0.key)
        }?.key
    }
}
