// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// Someone who advertises, as far as was heard.
public struct Advertiser<Source: Hashable & Sendable>: Sendable {
    /// How many different payloads are remembered of each, to tell repetitions of a rotating one from news.
    private static var rememberedPayloads: Int { 4 }

    /// Who it is: an address, or whatever the caller tells advertisers apart by.
    public let source: Source
    /// When it was heard first.
    public let firstHeard: Duration
    /// When it was heard last.
    public private(set) var lastHeard: Duration
    /// How many advertisements were heard, scan responses not counted.
    public private(set) var advertisements = 0
    /// How many scan responses were heard.
    public private(set) var scanResponses = 0
    /// The strength at which it was heard last; `nil` when that is not known.
    public private(set) var lastRSSI: RSSI?
    /// The latest advertising data, as far as it is well-formed.
    public private(set) var advertisingData = AdvertisingData()
    /// The latest scan response, as far as it is well-formed; empty when none was heard.
    public private(set) var scanResponse = AdvertisingData()
    /// The latest advertising data as heard.
    public private(set) var advertisingBytes: [UInt8] = []
    /// The latest scan response as heard.
    public private(set) var scanResponseBytes: [UInt8] = []

    private var strengths = 0
    private var strengthSum = 0
    private var gaps = AdvertisingGaps()
    private var payloads: [[UInt8]] = []

    init(source: Source, at time: Duration) {
        self.source = source
        firstHeard = time
        lastHeard = time
    }

    /// The mean of all known strengths, in dBm; `nil` when none is known.
    public var meanRSSI: Double? { strengths > 0 ? Double(strengthSum) / Double(strengths) : nil }
    /// The estimated advertising interval; `nil` for fewer than four advertising events (see `IntervalEstimate`).
    public var interval: AdvertisingInterval? { gaps.interval }
    /// The local name, of the advertising data before the scan response.
    public var localName: String? { advertisingData.localName ?? scanResponse.localName }
    /// The services that it names, in advertising data and scan response, each once.
    public var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (advertisingData.services + scanResponse.services).filter { seen.insert($0).inserted }
    }
    /// The beacon frames in advertising data and scan response.
    public var frames: [BeaconFrame] { advertisingData.frames + scanResponse.frames }

    /// Takes what was heard.
    /// - Returns: whether it is none of the payloads heard of late.
    mutating func hear(_ data: [UInt8], isScanResponse: Bool, rssi: RSSI?, at time: Duration) -> Bool {
        lastHeard = max(lastHeard, time)
        lastRSSI = rssi.known
        if let rssi = rssi.known {
            strengths += 1
            strengthSum += Int(rssi.decibelMilliwatts)
        }
        if isScanResponse {
            scanResponses += 1
            guard data != scanResponseBytes || scanResponses == 1 else { return false }
            scanResponseBytes = data
            scanResponse = Self.parse(data)
        } else {
            advertisements += 1
            gaps.receive(at: time)
            guard data != advertisingBytes || advertisements == 1 else { return false }
            advertisingBytes = data
            advertisingData = Self.parse(data)
        }
        return remember(data)
    }

    private mutating func remember(_ payload: [UInt8]) -> Bool {
        if payloads.contains(payload) { return false }
        if payloads.count == Self.rememberedPayloads { payloads.removeFirst() }
        payloads.append(payload)
        return true
    }

    private static func parse(_ bytes: [UInt8]) -> AdvertisingData {
        var reader = ByteReader(bytes)
        return AdvertisingData.parsePrefix(of: &reader).0
    }
}
