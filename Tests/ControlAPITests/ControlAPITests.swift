// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Testing

@testable import ControlAPI

@Suite struct ControlAPITests {
    @Test(
        arguments: [
            ("127.0.0.1:8080", ControlAddress.tcp(host: "127.0.0.1", port: 8080)),
            ("[::1]:0", .tcp(host: "::1", port: 0)), ("unix:/tmp/a:1", .unix(path: "/tmp/a:1")),
            ("::1:80", nil), ("8080", nil), (":80", nil), ("host:65536", nil), ("unix:", nil),
        ])
    func addressIsParsed(_ text: String, _ address: ControlAddress?) { #expect(ControlAddress(text) == address) }

    @Test func onlyAddressesOfThisMachineNeedNoToken() {
        #expect(ControlAddress("localhost:1")?.isLocal == true)
        #expect(ControlAddress("127.9.9.9:1")?.isLocal == true)
        #expect(ControlAddress("0.0.0.0:1")?.isLocal == false)
        #expect(ControlAddress("[::]:1")?.isLocal == false)
    }

    private static func value(_ text: String) throws -> JSONValue { try #require(JSONValue(parsing: Array(text.utf8))) }

    @Test func patternMatchesMembersAndBeginningsOfTexts() throws {
        let event = try Self.value(#"{"event":"written","device":"door-1","decoded":{"major":"7","minor":"2"},"n":1}"#)
        #expect(event.matches(try Self.value(#"{"device":"door-*","decoded":{"major":"7"}}"#)))
        #expect(event.matches(try Self.value(#"{"n":1.0}"#)))
        #expect(!event.matches(try Self.value(#"{"decoded":{"major":"8"}}"#)))
        #expect(!event.matches(try Self.value(#"{"central":"x"}"#)))
    }

    @Test func numbersOfSettingsAreWrittenWithoutAnExponent() throws {
        #expect(try Self.value("7").setting == "7")
        #expect(try Self.value("4.5e-304").setting == "0")
        #expect(try Self.value("59.0786571").setting == "59.078657")
        #expect(try Self.value("-0.05").setting == "-0.05")
        #expect(try Self.value("-1.5").setting == "-1.5")
        #expect(try Self.value("true").setting == "true")
        #expect(try Self.value("null").setting == nil)
    }

    @Test func unmetExpectationHasTheNearestEvents() throws {
        let members = try #require(Self.value(#"{"match":{"event":"written","device":"a"},"count":1}"#).members)
        let expectation = try Expectation(members)
        let other = try Self.value(#"{"event":"written","device":"b"}"#)
        let same = try Self.value(#"{"event":"written","device":"a"}"#)
        let far = try Self.value(#"{"event":"connected","device":"c"}"#)
        let unmet = expectation.verdict(on: [far, other])
        #expect(!unmet.ok && unmet.count == 0 && unmet.near == [other])
        #expect(expectation.verdict(on: [other, same]).ok)
        #expect(!expectation.verdict(on: [same, same]).ok)
    }

    @Test func journalKeepsTheLastEventsAndReportsWhatIsMissing() async {
        let hub = EventHub(capacity: 100)
        hub.post(.stopping)
        hub.keepJournal(capacity: 3)
        for count in 1...5 { hub.post(.ready(beacons: count)) }
        #expect(hub.journal.map(\.sequence) == [4, 5, 6])
        var resumed = hub.listen(after: 2).makeAsyncIterator()
        #expect(await resumed.next()?.event == .lost(count: 1))
        #expect(await resumed.next()?.sequence == 4)
        var present = hub.listen(after: 5).makeAsyncIterator()
        #expect(await present.next()?.sequence == 6)
        hub.post(.ready(beacons: 6))
        #expect(await present.next()?.sequence == 7)
        hub.clearJournal()
        #expect(hub.journal.isEmpty)
    }
}
