// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio

/// Gathers from a recording who advertised what, how often and how strongly.
public struct AdvertiserSurvey: Sendable {
    /// More advertisers than this are not told apart any more; they are counted as left out.
    private static let maximumAdvertisers = 65_536
    /// Of one advertiser, more different data than this, or more times, add nothing.
    fileprivate static let maximumVariants = 64
    fileprivate static let maximumSamples = 4096

    fileprivate struct Heard {
        var pdu: Sighting.PDU?
        var data: [[UInt8]: Int] = [:]
        var scanResponses: [[UInt8]: Int] = [:]
        var last: Duration?
        var gaps: [Duration] = []
        var strengths: [RSSI] = []
        var count = 0
    }

    private var order: [RemoteAddress] = []
    private var heard: [RemoteAddress: Heard] = [:]
    private var leftOut: Set<RemoteAddress> = []

    /// Nothing heard.
    public init() {}

    /// Takes what was heard next.
    public mutating func take(_ recorded: RecordedSighting) {
        let sighting = recorded.sighting
        switch sighting.pdu {
        case .extended, .extendedScanResponse, .directed:
            if leftOut.count < Self.maximumAdvertisers { leftOut.insert(sighting.device) }
            return
        default: break
        }
        if heard[sighting.device] == nil {
            guard heard.count < Self.maximumAdvertisers else { return }
            order.append(sighting.device)
        }
        heard[sighting.device, default: Heard()].take(sighting, at: recorded.offset)
    }

    /// Who was heard, in the order of their first advertisements.
    public var advertisers: [HeardAdvertiser] {
        order.compactMap { device in heard[device].flatMap { $0.advertiser(device) } }
    }

    /// How many were heard only with extended or directed advertising, which no legacy advertisement can repeat.
    public var unrepeatable: Int { leftOut.subtracting(heard.keys).count }
}

extension AdvertiserSurvey.Heard {
    fileprivate mutating func take(_ sighting: Sighting, at offset: Duration) {
        if sighting.pdu == .scanResponse { return count(sighting.data, in: \.scanResponses) }
        pdu = sighting.pdu ?? pdu
        count += 1
        count(sighting.data, in: \.data)
        if let last, gaps.count < AdvertiserSurvey.maximumSamples { gaps.append(offset - last) }
        last = offset
        if let rssi = sighting.rssi, strengths.count < AdvertiserSurvey.maximumSamples { strengths.append(rssi) }
    }

    private mutating func count(_ data: [UInt8], in variants: WritableKeyPath<Self, [[UInt8]: Int]>) {
        let isKnown = self[keyPath: variants][data] != nil
        guard isKnown || self[keyPath: variants].count < AdvertiserSurvey.maximumVariants else { return }
        self[keyPath: variants][data, default: 0] += 1
    }

    /// `nil` for whom only scan responses were heard: what it advertises is not known.
    fileprivate func advertiser(_ device: RemoteAddress) -> HeardAdvertiser? {
        guard let advertisingData = Self.mostFrequent(data) else { return nil }
        return HeardAdvertiser(
            device: device, pdu: pdu.flatMap { AdvertisingPDU(rawValue: $0.rawValue) },
            advertisingData: advertisingData, scanResponse: Self.mostFrequent(scanResponses), variants: data.count,
            interval: IntervalEstimate.interval(gaps: gaps),
            rssi: strengths.isEmpty ? nil : strengths.sorted()[strengths.count / 2], count: count)
    }

    /// The same one every time, also where several were heard as often.
    private static func mostFrequent(_ variants: [[UInt8]: Int]) -> [UInt8]? {
        variants.max {
            $0.value != $1.value ? $0.value < $1.value : $1.key.lexicographicallyPrecedes($0.key)
        }?.key
    }
}
