// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Profiles
import Receiving
import Space
import Testing

@testable import BeaconryTools

/// What `plot` reads.
struct PlotInputTests {
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let other = "5A4BCFCE-174E-4BAC-A814-092E77F6B7E5"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func frame(_ minor: UInt16, uuid: String = PlotInputTests.uuid) throws -> [UInt8] {
        IBeacon(
            uuid: try #require(UUID128(uuid)), major: 1, minor: minor, measuredPower: MeasuredPower(-59)
        ).advertisingData(flags: AdvertisingFlags(rawValue: 6)).serialized()
    }

    private static func line(
        _ milliseconds: Int, _ address: String, _ data: [UInt8], pdu: String = "ADV_IND", rssi: Int? = -60
    ) -> String {
        let value = rssi.map { #","rssi":\#($0)"# } ?? ""
        return #"{"v":1,"microseconds":\#(milliseconds * 1000),"address":"\#(address)","addressType":"random","#
            + #""pdu":"\#(pdu)","data":"\#(Hexadecimal.string(data))"\#(value)}"#
    }

    private func read(_ lines: [String], _ names: SeriesCollector.Names = .init()) throws -> [RSSISeries] {
        var input = PlotInput(path: try folder.write(lines.map { $0 + "\n" }.joined(), to: "input"))
        try input.read()
        return input.collector.series(names)
    }

    private static let head = #"{"v":1,"began":"2026-01-31T12:00:00.000Z","limits":[],"radio":"x"}"#

    @Test func recordingHasASeriesForEachBeacon() throws {
        let name: [UInt8] = [3, 9, 65, 66]
        let series = try read([
            Self.head, Self.line(0, "C0:FF:EE:00:00:01", try Self.frame(2)),
            // The scan response of the same device, and the same beacon with another address.
            Self.line(1, "C0:FF:EE:00:00:01", name, pdu: "SCAN_RSP", rssi: -61),
            Self.line(100, "C0:FF:EE:00:00:09", try Self.frame(2), rssi: -62),
            Self.line(200, "C0:FF:EE:00:00:03", name, rssi: -70), Self.line(300, "C0:FF:EE:00:00:04", []),
            Self.line(400, "C0:FF:EE:00:00:05", [], rssi: nil), Self.line(500, "C0:FF:EE:00:00:05", [], rssi: 127),
        ])
        #expect(series.map(\.name) == ["ibeacon 1/2", "AB, C0:FF:EE:00:00:03", "C0:FF:EE:00:00:04"])
        #expect(series[0].points.map(\.time) == [0, 0.001, 0.1])
        #expect(series[0].points.map(\.rssi) == [-60, -61, -62])
    }

    @Test func rangingReportsHaveTheMeans() throws {
        func report(_ time: String, _ rssi: Int, packets: Int) -> String {
            #"{"v":1,"event":"ranged","time":"2026-01-31T12:00:\#(time)Z","beacons":[{"uuid":"\#(Self.uuid)","major":1,"#
                + #""minor":7,"rssi":\#(rssi),"packets":\#(packets),"accuracy":1,"proximity":"near","measuredPower":-59}]}"#
        }
        let series = try read([
            #"{"v":1,"event":"listening","time":"2026-01-31T12:00:00.000Z","radio":"x","way":"y"}"#,
            report("01.000", -60, packets: 10), report("02.500", -64, packets: 9), report("03.000", 0, packets: 0),
            // The clock was set back.
            report("00.500", -66, packets: 9), #"{"v":1,"event":"something-new"}"#,
        ])
        #expect(series.map(\.name) == ["ibeacon 1/7"])
        #expect(series[0].points.map(\.time) == [0, 0.5, 2])
        #expect(series[0].points.map(\.rssi) == [-66, -60, -64])
    }

    @Test func scannedDevicesAreRead() throws {
        let series = try read([
            #"{"v":1,"event":"heard","time":"2026-01-31T12:00:00.000Z","address":"C0:FF:EE:00:00:01","#
                + #""addressType":"random","advertisingData":"020106","rssi":-60,"services":[],"frames":[]}"#
        ])
        #expect(series.map(\.name) == ["C0:FF:EE:00:00:01"] && series[0].points.map(\.rssi) == [-60])
    }

    @Test func nameOfTheFileAndBeaconsOfSeveralUUIDsAreDistinguished() throws {
        var collector = SeriesCollector()
        for (uuid, minor) in [(Self.uuid, 1), (Self.other, 1), (Self.other, 1)] as [(String, UInt16)] {
            let identity = BeaconIdentity(uuid: try #require(UUID128(uuid)), major: 1, minor: minor)
            collector.add(-60, of: identity, at: 0)
        }
        let names = collector.series(prefix: "a.jsonl: ").map(\.name)
        #expect(names == ["a.jsonl: ibeacon 1/1 of E2C56DB5", "a.jsonl: ibeacon 1/1 of 5A4BCFCE"])
    }

    @Test func profileNamesItsBeacons() throws {
        let profile = try Profile(
            parsing: """
                profile: shop
                beacons:
                  - { id: door, device: ibeacon, position: [1, 2], ibeacon: { uuid: \(Self.uuid), major: 1, minor: 2 } }
                  - { id: shelf, device: raw, address: "C0:FF:EE:00:00:03", advertising-data: 020106 }
                """, file: "shop.yaml")
        let lines = [
            Self.line(0, "C0:FF:EE:00:00:01", try Self.frame(2)), Self.line(0, "C0:FF:EE:00:00:03", [2, 1, 6]),
            Self.line(0, "C0:FF:EE:00:00:04", try Self.frame(3)),
        ]
        #expect(try read(lines, .init([profile])).map(\.name) == ["door", "shelf", "ibeacon 1/3"])
        #expect(FloorPlan([profile]).beacons == [FloorPlan.Mark(name: "door", position: Position(x: 1, y: 2))])
    }

    @Test func severalBeaconsOfOneNameAreNumbered() throws {
        let profile = try Profile(
            parsing: """
                profile: shop
                beacons:
                  - { id: door, device: ibeacon, address: "C0:FF:EE:00:00:01", ibeacon: { uuid: \(Self.uuid), major: 1, minor: 2 } }
                """, file: "shop.yaml")
        let lines = [
            Self.line(0, "C0:FF:EE:00:00:01", try Self.frame(3)), Self.line(0, "C0:FF:EE:00:00:02", try Self.frame(2)),
        ]
        #expect(try read(lines, .init([profile])).map(\.name) == ["door", "door #2"])
    }

    @Test func memoryIsBounded() throws {
        var collector = SeriesCollector()
        for number in 0..<5000 {
            let octets = [0xC0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)]
            let device = RemoteAddress(try #require(BluetoothAddress(octets: octets)), isRandom: true)
            collector.add(Sighting(device: device, pdu: nil, data: [], rssi: RSSI(-60)), at: Double(number))
        }
        #expect(collector.count == 1024 && collector.packets == 5000)
        let identity = BeaconIdentity(uuid: try #require(UUID128(Self.uuid)), major: 1, minor: 1)
        var long = SeriesCollector(limit: 1000)
        for number in 0...1000 { long.add(-60, of: identity, at: Double(number)) }
        let points = long.series()[0].points
        #expect(points.count == 501 && points[1].time == 2 && points.last?.time == 1000)
    }

    @Test(arguments: [
        ("nonsense\n", "input:1: this is not what record FILE, range --json"),
        (#"{"v":1,"event":"ready","beacons":3}"# + "\n", "input: these events have no RSSI; "),
        (#"{"v":1,"event":"ranged","time":"yesterday","beacons":[]}"#, "input:1: this is not what"),
        (#"{"v":1,"event":"ranged","time":"2026-01-31T12:00:00.000Z","beacons":3}"#, "input:1: this is not what"),
        (#"{"v":1,"event":"heard","time":"2026-01-31T12:00:00.000Z","address":"x"}"#, "input:1: this is not what"),
        (PlotInputTests.head + "\n{}\n", "input:2: this is not what"),
        (String(repeating: "[", count: 70_000), "input:1: this is not"),
        ("", "input is empty"), ("btsnoop\0\0\0\0\u{1}\0\0", "ends within its header"),
        ("profile: shop\nbeacons: []\n", "input:1: this is not what"),
    ])
    func otherFilesAreRefused(_ text: String, _ words: String) throws {
        var input = PlotInput(path: try folder.write(text, to: "input"))
        let failure = #expect(throws: Failure.self) { try input.read() }
        #expect(failure?.exitCode == 65)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func chartIsWrittenIntoAFile() throws {
        let recording = try folder.write(
            [Self.head, Self.line(0, "C0:FF:EE:00:00:01", try Self.frame(2))].map { $0 + "\n" }.joined(), to: "a.jsonl")
        try PlotTool.run([recording, recording], profiles: [], to: folder.file("a.svg"), as: .text)
        let svg = try #require(folder.text(of: "a.svg"))
        #expect(svg.contains("<title>a.jsonl, a.jsonl</title>") && svg.contains(">a.jsonl: ibeacon 1/2, 1 packet<"))
        let failure = #expect(throws: Failure.self) {
            try PlotTool.run([recording], profiles: [], to: folder.file("missing/a.svg"), as: .text)
        }
        #expect(failure?.exitCode == 73)
    }
}
