// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import Foundation
import Profiles
import Radio
import Testing

@testable import Emulator

/// The JSON of events: names and fields that scripts rely on.
struct EventJSONTests {
    private static let beacon = BeaconIdentifier("entrance")
    private static let requested = Advertisement(
        pdu: .connectableScannable, advertisingData: [.flags(.beacon)],
        scanResponse: [.transmitPower(TransmitPower(4))], interval: AdvertisingInterval(160),
        transmitPower: TransmitPower(0))

    private static func status(_ effective: EffectiveAdvertisement) -> AdvertisingStatus {
        AdvertisingStatus(
            requested: requested, effective: effective, differences: effective.differences(from: requested),
            warnings: [])
    }

    private static func fields(_ effective: EffectiveAdvertisement) throws -> [String: Any] {
        let posted = PostedEvent(.beacon(beacon, .advertising(status(effective), radio: "scripted", isNew: true)))
        let object = try JSONSerialization.jsonObject(with: Data(JSONLine.encode(posted).utf8))
        return try #require(object as? [String: Any])
    }

    @Test
    func everyMillisecondOfATimeIsShown() {
        // 2026-01-01 00:00 UTC, which neither seconds nor their sums with thousandths represent exactly.
        let shown = (0..<1000).map { Timestamp.text(Date(timeIntervalSince1970: 1_767_225_600 + Double($0) / 1000)) }
        #expect(shown == (0..<1000).map { "2026-01-01T00:00:00.\(String($0 + 1000).dropFirst())Z" })
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_767_225_600.0079)) == "2026-01-01T00:00:00.007Z")
    }

    @Test
    func unknownFieldsAreAbsentAndNamed() throws {
        var effective = EffectiveAdvertisement(unknown: "it is not read back")
        effective.pdu = .known(.connectableScannable)
        effective.advertisingData = .known([0x02, 0x01, 0x06])
        effective.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(160))
        let fields = try Self.fields(effective)
        #expect(fields["v"] as? Int == 1)
        #expect(fields["pdu"] as? String == "ADV_IND")
        #expect(fields["advertisingData"] as? String == "020106")
        #expect(fields["intervalTicks"] as? Int == 160)
        #expect(fields["unknown"] as? [String] == ["address", "scanResponse", "txPower"])
        for name in ["address", "scanResponse", "txPower", "intervalTicksRange", "different"] {
            #expect(fields[name] == nil)
        }
        let requested = try #require(fields["requested"] as? [String: Any])
        #expect(requested["scanResponse"] as? String == "020a04")
        #expect(requested["txPower"] as? Int == 0)
        #expect(requested["address"] == nil)
    }

    @Test
    func rangeOfIntervalsIsReportedAsRange() throws {
        var effective = EffectiveAdvertisement(unknown: "it is not read back")
        effective.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(320))
        let fields = try Self.fields(effective)
        #expect(fields["intervalTicksRange"] as? [Int] == [160, 320])
        #expect(fields["intervalTicks"] == nil)
        #expect((fields["unknown"] as? [String])?.contains("intervalTicks") == true)
        #expect(fields["different"] as? [String] == ["interval"])
    }

    @Test
    func eventIsOneLineWithItsTime() throws {
        let posted = PostedEvent(
            .beacon(Self.beacon, .warning(Warning(code: "c", message: "two\nlines / and \"quotes\"", hint: ""))))
        let line = JSONLine.encode(posted)
        #expect(!line.contains("\n"))
        let record = try #require(EventRecord(line: line))
        #expect(record.message == "two\nlines / and \"quotes\"")
        #expect(EventRecord(line: "{}") == nil)
        #expect(record.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    private static let central = "C0:FF:EE:00:00:02"
    private static let peer = RemoteAddress(
        BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 2]) ?? .zero, isRandom: true)
    private static let level = NamedCharacteristic(
        identifier: CharacteristicIdentifier(BluetoothUUID.bit16(0x2A19)), name: "level")
    private static let read = AttributeRequest(
        beacon: beacon, characteristic: level.identifier, central: central, operation: .read(offset: 0))
    private static let write = AttributeRequest(
        beacon: beacon, characteristic: level.identifier, central: central,
        operation: .write(offset: 0, value: [0xFF]))

    /// Events with their JSON, without `time`.
    private static let lines: [(EmulatorEvent, String)] = [
        (.ready(beacons: 2), #"{"beacons":2,"event":"ready","onAir":2,"v":1}"#),
        (.reloaded(beacons: 2), #"{"beacons":2,"event":"reloaded","v":1}"#),
        (.replayEnded(packets: 3), #"{"event":"replay-ended","packets":3,"v":1}"#),
        (.stopping, #"{"event":"stopping","v":1}"#),
        (
            .lost(count: 1),
            #"{"count":1,"event":"events-lost","message":"1 event was lost, because they were read too slowly","v":1}"#
        ),
        (
            .reloadFailed(EmulatorError(.badProfile, "it is wrong", hint: "fix the profile, then reload")),
            #"{"event":"reload-failed","hint":"fix the profile, then reload","message":"it is wrong","v":1}"#
        ),
        (
            .radioLost(RadioError(.noAdapter, "it is gone", hint: "plug it in")),
            #"{"code":"no-adapter","event":"radio-lost","hint":"plug it in","message":"it is gone","v":1}"#
        ),
        (
            .beacon(beacon, .advertisingStopped(.connected)),
            #"{"device":"entrance","event":"advertising-stopped","reason":"a central is connected","v":1}"#
        ),
        (
            .beacon(beacon, .connected(central: central)),
            #"{"central":"C0:FF:EE:00:00:02","device":"entrance","event":"connected","v":1}"#
        ),
        (
            .beacon(beacon, .disconnected(central: central)),
            #"{"central":"C0:FF:EE:00:00:02","device":"entrance","event":"disconnected","v":1}"#
        ),
        (
            .beacon(beacon, .subscribed(central: central, level, isOn: false)),
            #"{"central":"C0:FF:EE:00:00:02","characteristic":"2A19","characteristicName":"level","#
                + #""device":"entrance","event":"unsubscribed","v":1}"#
        ),
        (
            .beacon(beacon, .written(central: central, level, value: [0x50], settings: ["level": "80"])),
            #"{"central":"C0:FF:EE:00:00:02","characteristic":"2A19","characteristicName":"level","#
                + #""decoded":{"level":"80"},"device":"entrance","event":"written","v":1,"value":"50"}"#
        ),
        (
            .beacon(beacon, .refused(read, .readNotPermitted, name: nil)),
            #"{"attError":2,"central":"C0:FF:EE:00:00:02","characteristic":"2A19","code":"0x02","device":"entrance","#
                + #""event":"refused","operation":"read","reason":"0x02 (read not permitted)","v":1}"#
        ),
        (
            .beacon(beacon, .refused(write, .writeNotPermitted, name: "level")),
            #"{"attError":3,"central":"C0:FF:EE:00:00:02","characteristic":"2A19","characteristicName":"level","#
                + #""code":"0x03","device":"entrance","event":"refused","operation":"write","#
                + #""reason":"0x03 (write not permitted)","v":1,"value":"ff"}"#
        ),
        (
            .beacon(beacon, .settingsSaved(file: "/a/b.json")),
            #"{"device":"entrance","event":"persisted","file":"/a/b.json","v":1}"#
        ),
        (
            .beacon(beacon, .pairing(central: central, .comparisonWanted(42))),
            #"{"central":"C0:FF:EE:00:00:02","device":"entrance","event":"comparison-wanted","passkey":"000042","v":1}"#
        ),
        (
            .beacon(
                beacon,
                .pairing(
                    central: central, .paired(PairedPeer(address: peer, isBonded: true, isAuthenticated: false)))),
            #"{"authenticated":false,"bonded":true,"central":"C0:FF:EE:00:00:02","device":"entrance","#
                + #""event":"paired","peer":"C0:FF:EE:00:00:02","peerType":"random","v":1}"#
        ),
        (
            .phone(BeaconIdentifier("iphone"), accessory: peer, .disconnected(reason: "it is out of range")),
            #"{"central":"C0:FF:EE:00:00:02","device":"iphone","event":"disconnected","#
                + #""reason":"it is out of range","v":1}"#
        ),
        (
            .phone(BeaconIdentifier("iphone"), accessory: nil, .serviceChanged(isPresent: false)),
            #"{"device":"iphone","event":"service-away","v":1}"#
        ),
    ]

    @Test(arguments: lines)
    func eventIsEncoded(_ event: EmulatorEvent, as line: String) {
        let text = JSONLine.encode(PostedEvent(event))
        #expect(text.replacing(/"time":"[^"]*",/, with: "") == line)
    }
}
