// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct FrameReaderTests {
    private static let uuid = "3d1f7a606a0b4c3f9d0e51a27c44e980"
    private static let numbers = "\(uuid)00010002"

    /// Data, and what each reader makes of it: the identifiers and the power of its beacons.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let data: String
        var specified: [String] = []
        var coreLocation: [String] = []
        var library: [String] = []
        var homeAssistant: [String] = []

        var testDescription: String { name }

        func beacons(of reader: FrameReader) -> [String] {
            switch reader {
            case .specified: specified
            case .coreLocation: coreLocation
            case .androidBeaconLibrary: library
            case .homeAssistant: homeAssistant
            }
        }
    }

    private static let iBeacon = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980 major 1 minor 2"
    private static let altBeacon = "altbeacon 3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980 id2 1 id3 2"

    static let rows = [
        Row(
            name: "iBeacon", data: "0201061aff4c000215\(numbers)c5", specified: ["\(iBeacon) -59"],
            coreLocation: ["\(iBeacon) -59"], library: ["\(iBeacon) -59"], homeAssistant: ["\(iBeacon) -59"]),
        Row(
            name: "iBeacon with a battery byte", data: "0201041bff4c000215\(numbers)bb4e", library: ["\(iBeacon) -69"],
            homeAssistant: ["\(iBeacon) -69"]),
        // The power byte of the library is the length of the next structure, or zero at the end.
        Row(name: "iBeacon without its power", data: "02010619ff4c000215\(numbers)", library: ["\(iBeacon) 0"]),
        Row(
            name: "iBeacon without its power, and a name", data: "02010619ff4c000215\(numbers)020941",
            library: ["\(iBeacon) 2"]),
        Row(name: "iBeacon of company 0x0059", data: "0201061aff59000215\(numbers)c5", library: ["\(iBeacon) -59"]),
        Row(name: "iBeacon of company 0xFFFE", data: "0201061afffeff0215\(numbers)c5", library: ["\(iBeacon) -59"]),
        Row(
            name: "structure longer than the data", data: "0201061eff4c000215\(numbers)c5", library: ["\(iBeacon) -59"]),
        Row(
            name: "AltBeacon", data: "0201061bff1801beac\(numbers)c500", specified: ["\(altBeacon) -59"],
            library: ["\(altBeacon) -59"]),
        Row(
            name: "AltBeacon without its last byte", data: "0201061aff1801beac\(numbers)c5",
            library: ["\(altBeacon) -59"]),
        Row(
            name: "Eddystone-UID", data: "0201060303aafe1716aafe00ee8b0ca750e7a7f6e3b0c20123456789ab0000",
            specified: ["eddystone-uid 8b0ca750e7a7f6e3b0c2 0123456789ab -59"],
            library: ["eddystone-uid 8b0ca750e7a7f6e3b0c2 0123456789ab -59"]),
        Row(
            name: "Eddystone-URL", data: "0201060303aafe0a16aafe10ee0361626307",
            specified: ["eddystone-url https://abc.com -59"],
            library: ["eddystone-url https://abc.com -59"]),
        Row(name: "Eddystone-TLM", data: "0201060303aafe1116aafe20000b18130000001467002ac4e4"),
        Row(
            name: "Tilt", data: "0201061aff4c000215a495bb10c5b14b44b5121370f02d74de004403f8c5",
            specified: ["A495BB10-C5B1-4B44-B512-1370F02D74DE major 68 minor 1016 -59"],
            coreLocation: ["A495BB10-C5B1-4B44-B512-1370F02D74DE major 68 minor 1016 -59"],
            library: ["A495BB10-C5B1-4B44-B512-1370F02D74DE major 68 minor 1016 -59"]),
        Row(name: "nothing", data: "020106"), Row(name: "empty", data: ""),
    ]

    @Test(arguments: rows, [FrameReader.specified, .coreLocation, .androidBeaconLibrary, .homeAssistant])
    func readerFindsBeacons(_ row: Row, _ reader: FrameReader) throws {
        let sighting = Sighting(
            device: RemoteAddress(.zero, isRandom: true), pdu: .nonConnectable, data: try Hexadecimal.bytes(row.data),
            rssi: RSSI(-60))
        let found = reader.beacons(in: sighting).map { "\($0.identity) \($0.measuredPower?.decibelMilliwatts ?? 0)" }
        #expect(found == row.beacons(of: reader))
    }

    /// Formats of sensors have no identity; those of beacons have one, but telemetry.
    @Test func formatsSayWhetherTheyIdentify() throws {
        for format in BeaconFormats.transmittable { try Self.check(format) }
    }

    private static func check<Frame: TransmittableBeacon>(_ format: Frame.Type) throws {
        var frame = Frame.template
        for (key, text) in Frame.example { #expect(frame.set(key, to: text) == nil) }
        let isOfBeacon = BeaconFormats.beacons.contains { $0.formatName == Frame.formatName }
        let isTelemetry = Frame.formatName == EddystoneTLM.formatName
        #expect((frame.identity != nil) == (isOfBeacon && !isTelemetry), "\(Frame.formatName)")
        #expect((frame is any MeasuredBeacon) == (frame.identity != nil), "\(Frame.formatName)")
    }

    @Test func regionsOfIdentifiersContainThem() throws {
        let uuid: UUID128 = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"
        let altBeacon = BeaconIdentity(format: "altbeacon", .numbers(uuid, major: 1, minor: 2))
        #expect(BeaconRegion(identifier: "a", uuid: uuid, major: 1).contains(altBeacon))
        #expect(!BeaconRegion(identifier: "a", uuid: uuid, major: 2).contains(altBeacon))
        let namespace = [UInt8](repeating: 7, count: 10)
        let uid = BeaconIdentity(format: "eddystone-uid", .namespace(namespace, instance: [1, 2, 3, 4, 5, 6]))
        #expect(BeaconRegion(identifier: "a", .namespace(namespace, instance: nil)).contains(uid))
        #expect(BeaconRegion(identifier: "a", .namespace(namespace, instance: [1, 2, 3, 4, 5, 6])).contains(uid))
        #expect(!BeaconRegion(identifier: "a", .namespace(namespace, instance: [0, 2, 3, 4, 5, 6])).contains(uid))
        #expect(!BeaconRegion(identifier: "a", uuid: uuid).contains(uid))
        #expect(!FrameReader.coreLocation.knows(.namespace(namespace, instance: nil)))
    }
}
