// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Testing

@testable import Emulator

/// The journal of a run, and what tests expect of it.
@Suite(.timeLimit(.minutes(10)))
struct JournalTests {
    private static func value(_ text: String) throws -> JSONValue { try #require(JSONValue(parsing: Array(text.utf8))) }

    @Test func patternMatchesMembersAndBeginningsOfTexts() throws {
        let event = try Self.value(#"{"event":"written","device":"door-1","decoded":{"major":"7","minor":"2"},"n":1}"#)
        #expect(event.matches(try Self.value(#"{"device":"door-*","decoded":{"major":"7"}}"#)))
        #expect(event.matches(try Self.value(#"{"n":1.0}"#)))
        #expect(event.matches(try Self.value(#"{"n":"1","decoded":{"major":7}}"#)))
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
        let pattern = try Self.value(#"{"event":"written","device":"a"}"#)
        let expectation = try JournalExpectation(pattern, count: 1)
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

    @Test(
        arguments: [
            ("written", #"{"event":"written"}"#),
            ("written,device=door,decoded.major=7", #"{"event":"written","device":"door","decoded":{"major":"7"}}"#),
            ("device=door", #"{"device":"door"}"#),
            ("warning,message=a, b,code=x", #"{"event":"warning","message":"a, b","code":"x"}"#),
            ("warning,code=", #"{"event":"warning","code":""}"#),
        ])
    func conditionIsAPattern(_ condition: String, _ pattern: String) throws {
        #expect(try JournalExpectation(condition: condition).pattern == (try Self.value(pattern)))
    }

    @Test(arguments: ["", "written,door", "=door", "a b", ",device=door", "written,a.=1"])
    func malformedConditionIsRefused(_ condition: String) {
        #expect(throws: EmulatorError.self) { try JournalExpectation(condition: condition) }
    }

    @Test func eventAsTextIsAConditionThatItMeets() throws {
        let event = try Self.value(
            #"{"v":1,"event":"written","device":"door","value":"07","decoded":{"major":"7"},"count":2}"#)
        let text = event.condition(without: ["v"])
        #expect(text == "written,device=door,count=2,decoded.major=7,value=07")
        #expect(event.matches(try JournalExpectation(condition: text).pattern))
    }

    @Test func requestsAreParsedAsTheyAreEncoded() throws {
        let expectation = try JournalExpectation(condition: "connected,device=door", atLeast: 2)
        let requests: [ControlRequest] = [
            .journal(), .journal(EventSelection(types: ["written"], device: "door"), since: "30s", clear: true),
            .wait([expectation.fields], within: "5s", since: "17"),
        ]
        for request in requests {
            #expect(try ControlRequest(parsing: Array(JSONLine.encode(request).utf8)) == request)
        }
        #expect(try JournalExpectation(expectation.fields) == expectation)
    }

    private static func expectation(_ count: Int, exactly: Bool = false) throws -> JournalExpectation {
        try JournalExpectation(
            condition: "ready", count: exactly ? count : nil, atLeast: exactly ? nil : count)
    }

    @Test func eventsOfTheJournalAndLaterOnesAreCounted() async throws {
        let expectation = try Self.expectation(3)
        let verdicts = try await Simulation.run { simulation in
            let hub = EventHub()
            hub.keepJournal()
            hub.post(.ready(beacons: 1))
            async let verdicts = hub.verify([expectation], within: .seconds(5))
            for count in 2...4 {
                try await simulation.sleep(until: .init(offset: .seconds(count)))
                hub.post(.ready(beacons: count))
            }
            return await verdicts
        }
        // Decided by the third, without the fourth.
        #expect(verdicts.map(\.ok) == [true])
        #expect(verdicts.map(\.count) == [3])
        #expect(verdicts[0].events.compactMap { $0.members?["beacons"]?.double } == [1, 2, 3])
    }

    @Test(arguments: [(0, true), (1, false)])
    func timeLimitDecidesAboutAbsence(_ posted: Int, _ isMet: Bool) async throws {
        let none = try Self.expectation(0, exactly: true)
        let (verdict, time) = try await Simulation.run { simulation in
            let hub = EventHub()
            hub.keepJournal()
            async let verdicts = hub.verify([none], within: .seconds(5))
            try await simulation.sleep(until: .init(offset: .seconds(2)))
            if posted > 0 { hub.post(.ready(beacons: posted)) }
            return (await verdicts[0], simulation.now.offset)
        }
        #expect(verdict.ok == isMet)
        #expect(time == (posted == 0 ? .seconds(5) : .seconds(2)))
    }

    @Test func eventsBeforeTheBeginningDoNotCount() async throws {
        let hub = EventHub()
        hub.keepJournal()
        for count in 1...3 { hub.post(.ready(beacons: count)) }
        let verdicts = await hub.verify([try Self.expectation(2)], from: { $0.sequence > 2 })
        #expect(verdicts.map(\.ok) == [false])
        #expect(verdicts.map(\.count) == [1])
        #expect(hub.clearJournal().map(\.sequence) == [1, 2, 3])
        #expect(await hub.verify([try Self.expectation(1)]).map(\.ok) == [false])
    }
}
