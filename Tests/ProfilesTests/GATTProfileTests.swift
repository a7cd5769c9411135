// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Foundation
import Profiles
import Testing

@Suite struct GATTProfileTests {
    /// The configuration of the only beacon.
    private static func configuration(
        _ keys: String, files: @escaping ProfileFileReader = noProfileFiles
    ) throws -> GATTPeripheral.Configuration {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        let profile = try Profile(
            parsing: "profile: p\nbeacons:\n  - id: a\n    device: gatt\n" + lines, file: "p.yaml",
            sources: ProfileSources(files: files))
        guard let device = profile.beacons[0].device as? GATTPeripheral else { throw ProfileFaults([]) }
        let configuration = device.configuration
        return configuration
    }

    private static func characteristic(_ keys: String, files: @escaping ProfileFileReader = noProfileFiles) throws
        -> DeclaredCharacteristic
    {
        let configuration = try configuration(
            "services: [{ uuid: 180F, characteristics: [{ uuid: 2A19, \(keys) }] }]\n", files: files)
        return try #require(configuration.services.first?.characteristics.first)
    }

    private static let octet = ValueFormat.integer(IntegerFormat(size: 1, isSigned: false))

    @Test func defaultsAreThoseOfTheDocumentation() throws {
        let characteristic = try Self.characteristic("properties: [read, notify]")
        #expect(characteristic.name == "2A19")
        #expect(characteristic.fields == [ValueField(format: .octets, source: .fixed([]))])
        #expect(characteristic.notificationPolicy == .onChange)
        #expect(characteristic.permissions == .open)
        #expect(characteristic.possibleLengths == 0...512)
        let configuration = try Self.configuration("name: n\n")
        #expect(configuration.services.isEmpty)
        #expect(configuration.centrals == 1)
        #expect(configuration.content.pdu == .nonConnectable)
        #expect(configuration.advertising.interval == AdvertisingInterval(160))
    }

    @Test func valuesAreReadInTheirTypes() throws {
        let rows: [(String, [UInt8])] = [
            ("value: \"0A 1b\"", [0x0A, 0x1B]), ("type: text, value: ab", [0x61, 0x62]),
            ("type: uint16 be, value: 1", [0, 1]),
            ("type: int16, scale: 0.01, value: 36.6", [0x4C, 0x0E]), ("type: uint32", [0, 0, 0, 0]),
            ("type: float, value: 36.4", [0x6C, 0x01, 0x00, 0xFF]), ("type: boolean, value: true", [1]),
            ("type: uint8, range: [5, 9]", [5]), ("length: { min: 3 }", [0, 0, 0]),
            ("type: text, length: 2", [0x20, 0x20]),
            ("fields: [{ name: a, type: uint8, value: 7 }, { name: b, type: text, value: x }]", [7, 0x78]),
        ]
        for (keys, octets) in rows {
            let characteristic = try Self.characteristic("properties: [read], \(keys)")
            let value = characteristic.fields.flatMap { $0.octets(at: .zero, sinceUnixEpoch: .zero) }
            #expect(value == octets, "\(keys)")
            #expect(characteristic.possibleLengths.contains(value.count), "\(keys)")
        }
    }

    @Test func behaviourIsRead() throws {
        let characteristic = try Self.characteristic(
            "properties: [read, write, indicate], permissions: { write: authenticated }, type: uint8, value: 7, "
                + "range: [1, 9], range-error: 0x80, notify: 250ms, stored: true, echo: true, restarts: [2A19], "
                + "read-error: { code: 0x81, until-written: true }, write-error: { code: 0x82, time: 3 }, read-delay: 1s, "
                + "description: d, presentation: { format: 4, unit: 0x27AD }, descriptors: [{ uuid: 2908, value: \"01\" }]"
        )
        var expected = DeclaredCharacteristic(
            name: "2A19", uuid: .bit16(0x2A19), properties: [.read, .write, .indicate],
            permissions: AttributePermissions(write: [.encryption, .authentication]),
            descriptors: [
                .userDescription("d"), .presentationFormat(PresentationFormat(format: 4, unit: 0x27AD)),
                GATTDescriptor(uuid: .bit16(0x2908), value: [1]),
            ],
            fields: [ValueField(format: Self.octet, source: .fixed([7]), accepted: 1...9)])
        expected.rangeError = ATTError(rawValue: 0x80)
        expected.notificationPolicy = .every(.milliseconds(250))
        expected.isStored = true
        expected.echo = "2A19"
        expected.restarts = ["2A19"]
        expected.readFault = AttributeFault(ATTError(rawValue: 0x81), .untilWritten)
        expected.writeFault = AttributeFault(ATTError(rawValue: 0x82), .time(3))
        expected.readDelay = .seconds(1)
        #expect(characteristic == expected)
    }

    @Test func quantitiesAreRead() throws {
        let rows: [(String, Quantity)] = [
            (
                "counter: { every: 1s, max: 9 }",
                .counter(Counter(start: 0, step: 1, every: .seconds(1), range: 0...9, wraps: true))
            ),
            (
                "drain: { every: 1s }",
                .counter(Counter(start: 100, step: -1, every: .seconds(1), range: 0...100, wraps: false))
            ),
            (
                "waveform: { shape: sine, min: 1, max: 2.5, period: 4s }",
                .waveform(Waveform(.sine, range: 1...2.5, period: .seconds(4), every: .milliseconds(100)))
            ),
            (
                "random-walk: { min: 2, max: 4, step: 0.5, every: 1s }",
                .randomWalk(RandomWalk(seed: 1, start: 3, step: 0.5, range: 2...4, every: .seconds(1)))
            ),
        ]
        for (keys, quantity) in rows {
            let field = try Self.characteristic("properties: [read], type: uint8, \(keys)").fields.first
            #expect(field?.source == .quantity(quantity), "\(keys)")
        }
    }

    // MARK: - Traces

    private static func trace(_ text: String) throws -> ValueSource? {
        try characteristic("properties: [read], type: uint8, trace: { file: a/b.csv }") { path throws(ValueFault) in
            guard path == "a/b.csv" else { throw ValueFault("not that file") }
            return text
        }.fields.first?.source
    }

    @Test func traceIsReadFromItsFile() throws {
        let points = [(0, 1.0), (1500, 2.5), (60_000, 3)].map { Trace.Point(.milliseconds($0.0), $0.1) }
        let trace = try #require(Trace(points, repeats: false))
        for text in [
            "0,1\n1.5,2.5\n60,3", "time,value\r\n0s, 1 , more\r\n\r\n# remark\r\n1500ms,2.5\r\n1m,3\r\n",
        ] {
            #expect(try Self.trace(text) == .quantity(.trace(trace)))
        }
    }

    @Test(
        arguments: [
            ("", "it has no values; write lines such as 5,21.5"),
            ("time,value\n", "it has no values; write lines such as 5,21.5"),
            ("0,1\n5", "line 2 is not a time and a value with a comma between"),
            ("0,1\n1,x", "line 2: \"x\" is not a number; write one such as 36.6"),
            ("-1,1", "line 1: \"-1\" is not a duration; write 10s, 500ms or 2m"),
            ("0,1\ntime,value", "line 2: \"time\" is not a duration; write 10s, 500ms or 2m"),
            ("0,1\n2,1\n2,3", "its times do not go up after 2.0 seconds"),
        ])
    func invalidTraceIsReportedWithItsLine(_ text: String, _ message: String) {
        let faults = #expect(throws: ProfileFaults.self) { try Self.trace(text) }
        #expect(faults?.faults.map(\.message) == ["a/b.csv: \(message)"])
    }

    /// The table of mistakes must not shrink.
    @Test func mistakeTableIsComplete() {
        #expect((GATTMistake.structure + GATTMistake.values + GATTMistake.behaviours + GATTMistake.others).count >= 50)
    }

    // MARK: - The tutorial

    private static func file(_ path: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// The profile of each step of the tutorial is valid, and its final lines are in the shipped profile.
    @Test func tutorialMatchesItsProfile() throws {
        func line(_ text: Substring) -> String {
            text.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
        }
        let blocks = try Self.file("docs/device-of-your-own.md").components(separatedBy: "```yaml\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 7)
        let first = try Profile(parsing: try #require(blocks.first), file: "step-1.yaml")
        #expect(first.beacons.map(\.id) == ["pot"])
        let second =
            blocks[0].components(separatedBy: "            properties:")[0]
            + blocks[1]
            .replacing("waveform", with: "type: uint16\n            scale: 0.01\n            waveform")
        #expect(try Profile(parsing: second, file: "step-2.yaml").beacons.count == 1)
        let lines = Set(try Self.file("profiles/plant.yaml").split(separator: "\n").map(line))
        for block in blocks.dropFirst(2) {
            for text in block.split(separator: "\n").map(line) where !text.isEmpty {
                #expect(lines.contains(text), "the profile does not contain: \(text)")
            }
        }
    }
}
