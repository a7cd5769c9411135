// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Devices
import Profiles

/// Makes a profile of received advertisers.
struct ProfileCloner {
    /// A beacon of the profile and its advertiser.
    struct Origin {
        let id: String
        let device: any ProfiledDevice
        let advertiser: RecordedAdvertiser
        /// The given or the estimated interval; `nil` if neither is known.
        let interval: AdvertisingInterval?
        /// Whether the profile cannot give it its address.
        let hasLostAddress: Bool
    }

    /// The beacons, in the order of their first advertisements.
    private(set) var origins: [Origin] = []
    /// The number of advertisers whose data does not fit into legacy advertising.
    private(set) var unrepeatable = 0

    /// Whether the receiver reported each advertisement, for remarks.
    private let hasRepetitions: Bool

    /// - Parameters:
    ///   - interval: the interval of all beacons; `nil` for the estimated intervals.
    ///   - hasRepetitions: whether the receiver reported each advertisement that it received.
    init(_ advertisers: [RecordedAdvertiser], interval: AdvertisingInterval? = nil, hasRepetitions: Bool = true) {
        self.hasRepetitions = hasRepetitions
        var numbers: [String: Int] = [:]
        for advertiser in advertisers {
            let interval = interval ?? advertiser.interval
            guard let raw = Self.configuration(of: advertiser, interval ?? Self.standardInterval) else {
                unrepeatable += 1
                continue
            }
            var device = DeviceRegistry.device(advertising: raw)
            if let beacon = device as? Beacon, let telemetry = advertiser.telemetry {
                device = beacon.sending(telemetry, every: advertiser.count / max(advertiser.telemetryCount, 1))
            }
            let number = numbers[device.kind, default: 0] + 1
            numbers[device.kind] = number
            origins.append(
                Origin(
                    id: "\(device.kind)-\(number)", device: device, advertiser: advertiser, interval: interval,
                    hasLostAddress: raw.advertising.address == nil))
        }
    }

    /// The profile's text, with a comment on every beacon.
    func text(name: String) -> String {
        let beacons = origins.map { BeaconDefinition(id: $0.id, device: $0.device) }
        let remarks = Dictionary(uniqueKeysWithValues: origins.map { ($0.id, self.remarks($0)) })
        let unknown = origins.filter { $0.interval == nil }.map { ($0.id, Set(["interval"])) }
        return ProfileWriter.text(
            of: Profile(name: name, beacons: beacons), remarks: remarks,
            leavingOut: Dictionary(uniqueKeysWithValues: unknown))
    }

    /// The interval of a beacon whose profile does not have one.
    static let standardInterval = AdvertisingInterval(160)

    private static func configuration(
        of advertiser: RecordedAdvertiser, _ interval: AdvertisingInterval
    ) -> RawAdvertiser.Configuration? {
        guard let (data, scanResponse) = payloads(of: advertiser) else { return nil }
        let pdu = advertiser.pdu ?? (scanResponse.isEmpty ? .nonConnectable : .scannable)
        let address = advertiser.device.address
        return RawAdvertiser.Configuration(
            pdu: pdu, advertisingData: data, scanResponse: pdu.isScannable ? scanResponse : [],
            advertising: AdvertisingSettings(
                interval: interval,
                address: advertiser.device.isRandom && address.isStaticRandom ? address : nil))
    }

    /// Advertising data and scan response. A radio that does not report PDU types merges both.
    private static func payloads(of advertiser: RecordedAdvertiser) -> (data: [UInt8], scanResponse: [UInt8])? {
        var (data, scanResponse) = (advertiser.advertisingData, advertiser.scanResponse ?? [])
        if advertiser.pdu == nil, data.count > AdvertisingPDU.capacity {
            (data, scanResponse) = split(data, scanResponse: scanResponse)
        }
        guard max(data.count, scanResponse.count) <= AdvertisingPDU.capacity else { return nil }
        return (data, scanResponse)
    }

    /// The parts of data that a radio has merged: the structures that fit into the first PDU stay there.
    static func split(
        _ merged: [UInt8], scanResponse: [UInt8] = []
    ) -> (data: [UInt8], scanResponse: [UInt8]) {
        var (data, scanResponse): ([UInt8], [UInt8]) = ([], scanResponse)
        for structure in AdvertisingData(verbatim: merged).structures.map({ $0.serialized() }) {
            if scanResponse.isEmpty, data.count + structure.count <= AdvertisingPDU.capacity {
                data += structure
            } else {
                scanResponse += structure
            }
        }
        return (data, scanResponse)
    }

    /// Whether another beacon of the profile repeats the same device.
    private func shares(_ origin: Origin) -> Bool {
        origins.contains { $0.id != origin.id && $0.advertiser.device == origin.advertiser.device }
    }

    /// The beacons whose device advertised other payloads of the same format, which the profile does not have.
    var reduced: [Origin] { origins.filter { $0.advertiser.variants > 1 } }

    private func remarks(_ origin: Origin) -> [String] {
        let advertiser = origin.advertiser
        let signal = advertiser.rssi.map { " at \($0)" } ?? ""
        return [
            "received \(advertiser.count) times\(signal), from \(advertiser.device)",
            origin.hasLostAddress ? "its address is left out: a host can only use static random addresses" : nil,
            origin.interval == nil
                ? "its interval is left out, so it is \(Self.standardInterval): "
                    + (hasRepetitions
                        ? "received too rarely to estimate it" : "the receiver left out repetitions of advertisements")
                : nil,
            advertiser.pdu == nil ? "the radio did not report its PDU type and the order of its data" : nil,
            advertiser.variants > 1
                ? "it advertised \(advertiser.variants) different payloads; this is the most frequent one" : nil,
            shares(origin)
                ? "the device advertised frames of several formats by turns: its entries have one address" : nil,
        ].compactMap(\.self)
    }
}
