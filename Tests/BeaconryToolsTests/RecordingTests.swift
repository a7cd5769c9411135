// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Devices
import Profiles
import Radio
import Receiving
import Testing

@testable import BeaconryTools

struct RecordingTests {
    private let folder: TemporaryFolder
    private let device: RemoteAddress
    private let frame: IBeacon

    init() throws {
        folder = try TemporaryFolder()
        device = RemoteAddress(try #require(BluetoothAddress("C0:FF:EE:00:00:01")), isRandom: true)
        frame = IBeacon(
            uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 1, minor: 2,
            measuredPower: MeasuredPower(-59))
    }

    private var data: [UInt8] { frame.advertisingData(flags: AdvertisingFlags(rawValue: 6)).serialized() }

    private func sighting(at milliseconds: Int, pdu: Sighting.PDU? = .nonConnectable, rssi: RSSI? = RSSI(-60))
        -> RecordedSighting
    {
        RecordedSighting(
            offset: .milliseconds(milliseconds), sighting: Sighting(device: device, pdu: pdu, data: data, rssi: rssi))
    }

    private func write(_ sightings: [RecordedSighting], limits: [String] = []) throws -> String {
        let path = folder.file("shop.jsonl")
        var writer = try RecordingWriter(
            path, head: RecordingHead(began: "2026-01-31T12:00:00.000Z", radio: "x", limits: limits))
        #expect(folder.text(of: "shop.jsonl") == nil, "the file appears when it is complete")
        for sighting in sightings { try writer.write(sighting) }
        try writer.finish()
        #expect(folder.text(of: "shop.jsonl.part") == nil)
        return path
    }

    private func read(_ path: String) throws -> [RecordedSighting] {
        var sightings: [RecordedSighting] = []
        try RecordingReader(path: path).readAll { sightings.append($0) }
        return sightings
    }

    @Test func recordingIsReadBack() throws {
        let sightings = [
            sighting(at: 0), sighting(at: 100, pdu: nil, rssi: nil), sighting(at: 1234, pdu: .scanResponse),
        ]
        #expect(try read(write(sightings)) == sightings)
    }

    @Test func recordingLongerThanABufferIsReadBack() throws {
        let sightings = (0..<2000).map { sighting(at: $0) }
        #expect(try read(write(sightings)) == sightings)
    }

    @Test(arguments: [
        #"{"v":2,"microseconds":0,"address":"C0:FF:EE:00:00:01","addressType":"random","data":""}"#,
        #"{"v":1,"microseconds":-1,"address":"C0:FF:EE:00:00:01","addressType":"random","data":""}"#,
        #"{"v":1,"microseconds":0,"address":"C0:FF:EE","addressType":"random","data":""}"#,
        #"{"v":1,"microseconds":0,"address":"C0:FF:EE:00:00:01","addressType":"odd","data":""}"#,
        #"{"v":1,"microseconds":0,"address":"C0:FF:EE:00:00:01","addressType":"random","data":"0"}"#,
        #"{"v":1,"microseconds":0,"address":"C0:FF:EE:00:00:01","addressType":"random","data":"","pdu":"ODD"}"#,
        "", "nonsense", String(repeating: "x", count: 70_000),
    ])
    func invalidLineIsNamed(_ line: String) throws {
        let good = #"{"v":1,"microseconds":0,"address":"C0:FF:EE:00:00:01","addressType":"random","data":"020106"}"#
        let path = try folder.write("\(good)\n\(line)\n", to: "bad.jsonl")
        let failure = #expect(throws: Failure.self) { _ = try read(path) }
        #expect(failure?.exitCode == 65)
        #expect(failure?.message.hasPrefix("\(path):2: ") == true)
    }

    @Test func unusableFilesAreRefused() throws {
        for (text, words) in [("", "is empty"), ("btsnoop\0\0\0\0\u{1}\0\0", "ends within its header")] {
            let path = try folder.write(text, to: "odd")
            let failure = #expect(throws: Failure.self) { _ = try read(path) }
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        }
        let missing = #expect(throws: Failure.self) { _ = try read(folder.file("missing")) }
        let path = folder.file("missing")
        #expect(missing?.message == "\(path): there is no such file; beaconry record FILE makes a recording")
    }

    private func cloner(_ sightings: [RecordedSighting]) -> ProfileCloner {
        var survey = AdvertiserSurvey()
        for sighting in sightings { survey.take(sighting) }
        return ProfileCloner(survey.advertisers)
    }

    @Test func iBeaconIsClonedAsOne() throws {
        let cloner = cloner((0..<20).map { sighting(at: $0 * 100) })
        #expect(cloner.origins.map(\.id) == ["ibeacon-1"])
        let text = cloner.text(name: "copy")
        #expect(text.contains("# received 20 times at -60 dBm, from C0:FF:EE:00:00:01"))
        let profile = try Profile(parsing: text, file: "copy.yaml")
        #expect(profile.name == "copy")
        #expect(profile.beacons.map(\.id) == ["ibeacon-1"])
    }

    /// Of the limits of receivers, one concerns the times between advertisements.
    @Test(
        arguments: [
            .pdu, .duplicates, .passiveScanning, .exactData, .patterns, .rssi, .exclusive,
        ] as [ReceivingCapabilities.Limit.Subject])
    func intervalsAreUnknownIfRepetitionsAreMissing(_ subject: ReceivingCapabilities.Limit.Subject) throws {
        // With the random delay, of 5 ms on average.
        let path = try write((0..<20).map { sighting(at: $0 * 205) }, limits: [subject.rawValue])
        // A new subject has to be added here and above.
        let isUnknown =
            switch subject {
            case .duplicates: true
            case .pdu, .passiveScanning, .exactData, .patterns, .rssi, .exclusive: false
            }
        for (given, written) in [(nil, isUnknown ? nil : "200ms"), (AdvertisingInterval(480), "300ms")] {
            let profile = folder.file("copy.yaml")
            try CloneTool.run(path, to: profile, name: "copy", interval: given, as: .json)
            let text = try #require(folder.text(of: "copy.yaml"))
            let line = text.split(separator: "\n").first { $0.hasPrefix("    interval: ") }
            #expect(line.map { $0.dropFirst(14) } == written.map { $0[...] })
            #expect(text.contains("the receiver left out repetitions") == (written == nil))
            // A key that is left out is the default that the comment names.
            let interval = try Profile(parsing: text, file: "copy.yaml").beacons.first?.device.firstAdvertisement?
                .interval
            #expect(interval == given ?? AdvertisingInterval(isUnknown ? 160 : 320))
        }
    }

    @Test func publicAddressIsLeftOut() throws {
        let device = RemoteAddress(device.address, isRandom: false)
        let cloner = cloner([
            RecordedSighting(
                offset: .zero, sighting: Sighting(device: device, pdu: .nonConnectable, data: data, rssi: nil))
        ])
        #expect(cloner.origins.map(\.hasLostAddress) == [true])
        #expect(cloner.text(name: "copy").contains("its address is left out"))
    }

    @Test(arguments: [("shop.yaml", "shop"), ("/a/b/shop.yml", "shop"), ("shop", "shop"), ("a.yaml.yaml", "a.yaml")])
    func profileIsNamedAfterItsFile(_ path: String, _ name: String) {
        #expect(CloneTool.name(of: path) == name)
    }
}
