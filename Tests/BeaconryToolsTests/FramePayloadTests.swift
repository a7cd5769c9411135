// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Foundation
import Profiles
import Testing

@testable import BeaconryTools

/// The frames of `encode` and `advertise`, of every format that can be sent.
struct FramePayloadTests {
    /// A frame with the values of its format's example.
    private static func example<Frame: TransmittableBeacon>(of _: Frame.Type) -> any TransmittableBeacon {
        var frame = Frame.template
        let required = Frame.keys.filter(\.isRequired).map(\.name)
        #expect(Set(required).isSubset(of: Frame.example.map(\.key)), "\(Frame.formatName)")
        for (key, text) in Frame.example {
            #expect(frame.set(key, to: text) == nil, "\(Frame.formatName): \(key)")
        }
        for (key, text) in frame.texts { #expect(frame.set(key, to: text) == nil, "\(Frame.formatName): \(key)") }
        return frame
    }

    private static func names<Frame: TransmittableBeacon>(of _: Frame.Type) -> [String] { Frame.keys.map(\.name) }

    private static func object(_ report: some Report) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(report.object.utf8))
        return try #require(object as? [String: Any])
    }

    @Test(arguments: BeaconFormats.transmittable.indices)
    func encodedFrameIsDecodedWithTheSameFields(_ index: Int) throws {
        let format = BeaconFormats.transmittable[index]
        for flags in [.beacon, nil] as [AdvertisingFlags?] {
            let payload = try FramePayload(Self.example(of: format), flags: flags)
            let encoded = try Self.object(payload)
            #expect(encoded["v"] as? Int == 1)
            #expect(encoded["format"] as? String == format.formatName)
            let digits = try #require(payload.lines.first)
            #expect(encoded["advertisingData"] as? String == digits)
            let parts = try [digits, encoded["scanResponse"] as? String].compactMap(\.self).flatMap { digits in
                AdvertisingData.prefix(of: try Hexadecimal.bytes(digits)).data.structures
            }
            let decoded = try Self.object(DecodedPayload(AdvertisingData(parts)))
            let all = try #require(decoded["frames"] as? [[String: Any]])
            // The frame of a hydrometer is an iBeacon, too.
            let frames = all.filter { $0["format"] as? String == format.formatName }
            var fields = try #require(encoded["fields"] as? [String: Any])
            #expect(!fields.isEmpty)
            fields["format"] = format.formatName
            #expect(frames.count == 1)
            #expect(NSDictionary(dictionary: try #require(frames.first)) == NSDictionary(dictionary: fields))
        }
    }

    @Test(arguments: BeaconFormats.transmittable.indices)
    func frameOfEveryFormatCanBeAdvertised(_ index: Int) throws {
        let payload = try FramePayload(Self.example(of: BeaconFormats.transmittable[index]), flags: .beacon)
        let profile = try advertised(payload).profile
        let beacon = try #require(profile.beacons.first)
        #expect(profile.beacons.count == 1)
        #expect(beacon.id == BeaconFormats.transmittable[index].formatName)
        #expect(beacon.device.pdu == BeaconFormats.transmittable[index].pdu)
        let advertisement = try #require(beacon.device.firstAdvertisement)
        #expect(Hexadecimal.string(advertisement.advertisingData.bytes) == payload.lines.first)
        #expect(try advertised(payload, name: "Sign").profile.beacons.first?.device.pdu?.isScannable == true)
    }

    /// The options of `advertise` that are no keys of a frame have other names than these, and so have the keys of every
    /// beacon in a profile.
    @Test func keysAreNoOtherOptions() {
        let others: Set = [
            "flags", "interval", "tx-power", "name", "pdu", "address", "telemetry", "telemetry-every",
            "telemetry-battery", "telemetry-temperature", "radio", "hci-server", "esphome", "esphome-key",
            "esphome-key-file", "seed", "air-timing", "physics", "path-loss", "rssi-noise", "replay", "wait", "strict",
            "duration", "ready-file", "capture", "control", "json", "help", "version",
            "id", "label", "device", "format", "position", "pairing", "schedule",
        ]
        for format in BeaconFormats.transmittable {
            #expect(others.isDisjoint(with: Self.names(of: format)), "\(format.formatName)")
        }
    }

    @Test func frameThatIsTooLongIsRefused() throws {
        var frame = BTHome.template
        for key in ["temperature", "humidity", "pressure", "illuminance", "voltage", "battery", "motion", "window"] {
            #expect(frame.set(key, to: "1") == nil)
        }
        #expect(throws: Never.self) { try FramePayload(frame, flags: nil) }
        #expect(frame.set("button", to: "1") == nil)
        #expect(frame.set("device-type", to: "1") == nil)
        let failure = #expect(throws: Failure.self) { try FramePayload(frame, flags: .beacon) }
        #expect(failure?.exitCode == 64)
        #expect(failure?.message.hasSuffix("a PDU carries 31; leave out keys, or the flags (--flags none)") == true)
    }

    private func advertised(
        _ payload: FramePayload, pdu: AdvertisingPDU? = nil, name: String? = nil, telemetry: BeaconTelemetry? = nil
    ) throws -> AdvertisedBeacon {
        try AdvertisedBeacon(payload, pdu: pdu, AdvertisingSettings(), name: name, telemetry: telemetry)
    }

    @Test func advertisingSettingsAreReadByTheirKeys() throws {
        let keys = AdvertisingSettings.declarations.map(\.key)
        let texts = ["interval": "1s", "tx-power": "-6dBm", "address": "C0:FF:EE:00:00:01"]
        let settings = AdvertisingSettings(
            interval: AdvertisingInterval(1600), transmitPower: TransmitPower(-6),
            address: BluetoothAddress("C0:FF:EE:00:00:01"))
        #expect(try AdvertisingSettings(texts) == settings)
        #expect(try AdvertisingSettings([:]) == AdvertisingSettings())
        #expect(Set(texts.keys).isSubset(of: keys))
        for key in texts.keys { #expect(throws: ValueFault.self) { try AdvertisingSettings([key: "x"]) } }
    }

    @Test func impossibleCombinationsAreRefused() throws {
        let bthome = try FramePayload(Self.example(of: BTHome.self), flags: .beacon)
        let withoutScanResponse = #expect(throws: Failure.self) {
            try advertised(bthome, pdu: .nonConnectable, name: "Sign")
        }
        #expect(withoutScanResponse?.exitCode == 64)
        let withoutTelemetry = #expect(throws: Failure.self) { try advertised(bthome, telemetry: BeaconTelemetry()) }
        #expect(
            withoutTelemetry?.message
                == "bthome has no telemetry; formats with telemetry are eddystone-uid, eddystone-url")
        let url = try FramePayload(Self.example(of: EddystoneURL.self), flags: .beacon)
        let beacon = try advertised(url, telemetry: BeaconTelemetry(every: 2)).profile.beacons.first?.device as? Beacon
        #expect(beacon?.configuration.telemetry == BeaconTelemetry(every: 2))
    }
}
