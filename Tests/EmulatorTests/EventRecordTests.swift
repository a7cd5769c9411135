// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Foundation
import Radio
import Testing

@testable import Emulator

struct EventRecordTests {
    private static let requested = Advertisement(
        pdu: .connectableScannable, advertisingData: [.flags(.beacon)],
        scanResponse: [.transmitPower(TransmitPower(4))], interval: AdvertisingInterval(160),
        transmitPower: TransmitPower(0))

    private static func record(_ effective: EffectiveAdvertisement) -> EventRecord {
        EventRecord(
            "advertising-started", device: "entrance", radio: "scripted",
            report: AdvertisingStatus(
                requested: requested, effective: effective, differences: effective.differences(from: requested),
                warnings: []))
    }

    private static func fields(_ record: EventRecord) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(JSONLine.encode(record).utf8))
        return try #require(object as? [String: Any])
    }

    @Test
    func whatIsKnownIsThereAndWhatIsNotIsNamed() throws {
        var effective = EffectiveAdvertisement(unknown: "it is not read back")
        effective.pdu = .known(.connectableScannable)
        effective.advertisingData = .known([0x02, 0x01, 0x06])
        effective.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(160))
        let fields = try Self.fields(Self.record(effective))
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
    func aRangeOfIntervalsIsNoInterval() throws {
        var effective = EffectiveAdvertisement(unknown: "it is not read back")
        effective.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(320))
        let fields = try Self.fields(Self.record(effective))
        #expect(fields["intervalTicksRange"] as? [Int] == [160, 320])
        #expect(fields["intervalTicks"] == nil)
        #expect((fields["unknown"] as? [String])?.contains("intervalTicks") == true)
        #expect(fields["different"] as? [String] == ["interval"])
    }

    @Test
    func aRecordIsOneLineAndReadsBack() throws {
        var record = EventRecord("written", device: "entrance")
        record.message = "two\nlines / and \"quotes\""
        let line = JSONLine.encode(record)
        #expect(!line.contains("\n"))
        #expect(EventRecord(line: line) == record)
        #expect(EventRecord(line: "{}") == nil)
        #expect(record.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test
    func everyListenerHearsEverythingFromThenOn() async {
        let hub = EventHub()
        hub.post(EventRecord("before"))
        let first = hub.listen()
        hub.post(EventRecord("one"))
        let second = hub.listen()
        hub.post(EventRecord("two"))
        hub.finish()
        var heard: [[String]] = []
        for stream in [first, second] {
            var names: [String] = []
            for await record in stream { names.append(record.event) }
            heard.append(names)
        }
        #expect(heard == [["one", "two"], ["two"]])
    }

    /// A listener that reads too slowly costs bounded memory: it misses the oldest, and is told so.
    @Test
    func aSlowListenerMissesTheOldest() async {
        let hub = EventHub()
        let stream = hub.listen()
        for number in 0..<5000 { hub.post(EventRecord("\(number)")) }
        hub.finish()
        var names: [String] = []
        var lost: [Int] = []
        for await record in stream {
            if record.event == "events-lost" { lost.append(record.count ?? 0) } else { names.append(record.event) }
        }
        #expect(lost == [904])
        #expect(names.count == 4096)
        #expect(names.first == "904")
        #expect(names.last == "4999")
    }
}
