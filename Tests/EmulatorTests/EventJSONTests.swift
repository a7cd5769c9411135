// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Foundation
import JSON
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
}
