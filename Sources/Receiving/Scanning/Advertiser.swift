// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A device that advertises, with its latest data.
package struct Advertiser<Source: Hashable & Sendable>: Sendable {
    /// The number of different payloads that are remembered, so that a rotating one is not new each time.
    private static var rememberedPayloads: Int { 4 }

    /// Its identity: an address, or another value by which the caller distinguishes advertisers.
    package let source: Source
    /// When it was first seen.
    package let firstSeen: Duration
    /// When it was last seen.
    package private(set) var lastSeen: Duration
    /// The number of advertisements received, without scan responses.
    package private(set) var advertisements = 0
    /// The number of scan responses received.
    package private(set) var scanResponses = 0
    /// The last RSSI; `nil` if unknown.
    package private(set) var lastRSSI: RSSI?
    /// The latest advertising data, as far as it is well-formed.
    package private(set) var advertisingData = AdvertisingData()
    /// The latest scan response, as far as it is well-formed; empty if none was received.
    package private(set) var scanResponse = AdvertisingData()
    /// The latest advertising data as received.
    package private(set) var advertisingBytes: [UInt8] = []
    /// The latest scan response as received.
    package private(set) var scanResponseBytes: [UInt8] = []

    private var samples = 0
    private var sum = 0
    private var gaps = AdvertisingGaps()
    private var payloads: [[UInt8]] = []

    init(source: Source, at time: Duration) {
        self.source = source
        firstSeen = time
        lastSeen = time
    }

    /// The mean of all known RSSI values, in dBm; `nil` without one.
    package var meanRSSI: Double? { samples > 0 ? Double(sum) / Double(samples) : nil }
    /// The estimated advertising interval; `nil` for fewer than four advertising events (see `IntervalEstimate`).
    package var interval: AdvertisingInterval? { gaps.interval }
    /// The local name, of the advertising data before the scan response.
    package var localName: String? { advertisingData.localName ?? scanResponse.localName }
    /// The services that it names, in advertising data and scan response, each once.
    package var services: [BluetoothUUID] {
        var seen: Set<BluetoothUUID> = []
        return (advertisingData.services + scanResponse.services).filter { seen.insert($0).inserted }
    }
    /// The beacon frames in advertising data and scan response.
    package var frames: [BeaconFrame] { advertisingData.frames + scanResponse.frames }
    /// What its data is known as that is no frame here, such as "Find My", each once.
    package var recognized: [String] {
        let structures = advertisingData.structures + scanResponse.structures
        return structures.compactMap(\.recognized).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    /// The classic mistakes in its data.
    package var nearMisses: [NearMiss] { advertisingData.nearMisses + scanResponse.nearMisses }

    /// Takes a packet.
    /// - Returns: whether its payload is not one of the remembered ones.
    mutating func receive(_ data: [UInt8], isScanResponse: Bool, rssi: RSSI?, at time: Duration) -> Bool {
        lastSeen = max(lastSeen, time)
        lastRSSI = rssi.known
        if let rssi = rssi.known {
            samples += 1
            sum += Int(rssi.decibelMilliwatts)
        }
        if isScanResponse {
            scanResponses += 1
            guard data != scanResponseBytes || scanResponses == 1 else { return false }
            scanResponseBytes = data
            scanResponse = AdvertisingData.prefix(of: data).data
        } else {
            advertisements += 1
            gaps.receive(at: time)
            guard data != advertisingBytes || advertisements == 1 else { return false }
            advertisingBytes = data
            advertisingData = AdvertisingData.prefix(of: data).data
        }
        return remember(data)
    }

    private mutating func remember(_ payload: [UInt8]) -> Bool {
        if payloads.contains(payload) { return false }
        if payloads.count == Self.rememberedPayloads { payloads.removeFirst() }
        payloads.append(payload)
        return true
    }
}
