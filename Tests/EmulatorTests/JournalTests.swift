// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import JSON
import Radio
import TestTraits
import Testing

@testable import Emulator

/// The journal of a run, and what tests expect of it.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct JournalTests {
    private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

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
        #expect(expectation.near([far, other, same]) == [other])
        #expect(expectation.matching([far, other, same]) == [same])
    }

    @Test func verdictHasTheNearestEventsOfTheJournal() async throws {
        let hub = EventHub()
        hub.keepJournal()
        func connect(_ beacon: String, _ central: String) {
            hub.post(.beacon(BeaconIdentifier(beacon), .connected(central: central)))
        }
        connect("door", "C0:FF:EE:00:00:01")
        for _ in 0..<200 { hub.post(.ready(beacons: 2)) }
        connect("gate", "C0:FF:EE:00:00:02")
        for _ in 0..<200 { hub.post(.beacon(BeaconIdentifier("gate"), .unmuted)) }
        let expectation = try JournalExpectation(condition: "connected,device=gate,central=C0:FF:EE:00:00:01")
        let verdict = await hub.verify([expectation])[0]
        #expect(!verdict.ok && verdict.count == 0 && verdict.near.count == 5)
        #expect(verdict.near.prefix(2).map { $0.members?["sequence"] } == [.number(202), .number(1)])
    }

    /// A wait must not keep the events of a busy run: its size is that of some events.
    @Test func waitKeepsTheNumberAndTheLastEvents() async throws {
        let hub = EventHub()
        hub.keepJournal(capacity: 10)
        var comparison = JournalComparison([try Self.expectation(1_000_000)])
        for count in 1...100 {
            hub.post(.ready(beacons: count))
            for posted in hub.journal.suffix(1) { comparison.take(posted, hub.lines) }
        }
        let verdict = await comparison.verdicts(hub.lines, [])[0]
        #expect(verdict.count == 100)
        #expect(verdict.events.compactMap { $0.members?["beacons"]?.double } == (81...100).map { Double($0) })
    }

    /// The events are in blocks of 256, of which a copy has what it had.
    @Test(arguments: [1, 255, 256, 257, 1000])
    func journalHasTheLastEventsInOrder(_ capacity: Int) {
        var journal = EventJournal(capacity: capacity)
        var former = journal
        var wrong: [UInt64] = []
        for number in 1...3000 as ClosedRange<UInt64> {
            if number == 2500 { former = journal }
            if number == 2700 { journal.clear(through: 2650) }
            var posted = PostedEvent(.ready(beacons: 1))
            posted.sequence = number
            journal.append(posted)
            let first = max(number < 2700 ? 1 : 2651, Int64(number) - Int64(capacity) + 1)
            let hasEnds = journal.first?.sequence == UInt64(first) && journal.last?.sequence == number
            if !hasEnds || journal.count != Int(number) - Int(first) + 1 { wrong.append(number) }
        }
        #expect(wrong.isEmpty)
        #expect(journal.map(\.sequence) == Array(UInt64(max(2651, 3001 - capacity))...3000))
        #expect(former.map(\.sequence) == Array(UInt64(max(1, 2500 - capacity))...2499))
        #expect(journal.event(3000)?.sequence == 3000 && journal.event(3001) == nil && journal.event(1) == nil)
        journal.clear()
        #expect(journal.isEmpty && journal.first(after: 0) == nil)
    }

    /// Work of a client that has left ends: the verdicts are there, without events.
    @Test func cancelledComparisonEnds() async throws {
        let hub = EventHub()
        hub.keepJournal()
        for _ in 0..<1000 { hub.post(.ready(beacons: 1)) }
        let expectations = try (0..<600).map { try JournalExpectation(condition: "ready,beacons=\($0)") }
        let requester = Requester()
        requester.leave()
        let verdicts = await Requester.$current.withValue(requester) { await hub.verify(expectations) }
        #expect(verdicts.count == 600 && verdicts.allSatisfy { $0.events.isEmpty && $0.near.isEmpty })
    }

    /// Events that cannot match do not get into the queue of a wait, so that it does not lose any of those that can.
    @Test func otherEventsDoNotFillTheQueueOfAWait() async throws {
        let hub = EventHub(capacity: 2)
        let stream = hub.listen { $0.kind.name == "ready" }
        hub.post(.ready(beacons: 1))
        for _ in 0..<100 { hub.post(.stopping) }
        hub.post(.ready(beacons: 2))
        hub.finish()
        var received: [EmulatorEvent] = []
        for await posted in stream { received.append(posted.event) }
        #expect(received == [.ready(beacons: 1), .ready(beacons: 2)])
    }

    @Test func exceptedEventsDoNotCount() async throws {
        let hub = EventHub()
        hub.keepJournal()
        for central in ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02", "C0:FF:EE:00:00:02#2"] {
            hub.post(.beacon(BeaconIdentifier("door"), .connected(central: central)))
        }
        let own = try JournalExpectation(condition: "connected")
            .except(.object(["central": .text("C0:FF:EE:00:00:02*")]))
        #expect(await hub.verify([own]).map(\.count) == [1])
    }

    @Test(
        arguments: [
            ("conected", "there is no event \"conected\"; did you mean \"connected\"?"),
            ("event=conn*,devise=door", "events have no \"devise\"; did you mean \"device\"?"),
            ("event=conx*", "there is no event \"conx*\""),
            ("device.x=door", "\"device\" of events is not an object"),
            (
                "connected,characteristic=2A19",
                "the event \"connected\" has no \"characteristic\"; its keys are central, device, event, label, time, v"
            ),
            ("written,decoded.major=1,code=0x0D", "the event \"written\" has no \"code\"; its keys are central, "),
            ("event=host-*,file=a", "the event \"host-*\" has no \"file\"; its keys are address, event, host, "),
            ("ready,device=door", "the event \"ready\" has no \"device\"; its keys are beacons, event, onAir, time, v"),
            ("advertising-started,requested.pdi=ADV_IND", "\"requested\" of events has no \"pdi\""),
        ])
    func unknownNamesOfEventsAndKeysAreRefused(_ condition: String, _ message: String) {
        let error = #expect(throws: EmulatorError.self) { try JournalExpectation(condition: condition) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "event=conn*", "notification-event-7", "written,decoded.anything=1", "requested.pdu=ADV_IND", "sequence=3",
        "event=advertising-*,requested.pdu=ADV_IND", "event=*,missing=1", "ready,v=1", "notification-event-7,central=a",
    ])
    func knownNamesOfEventsAndKeysAreAccepted(_ condition: String) throws {
        _ = try JournalExpectation(condition: condition)
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
            #"{"v":1,"event":"written","device":"door","value":"07","decoded":{"major":"7"},"central":2}"#)
        let text = event.condition(without: ["v"])
        #expect(text == "written,device=door,central=2,decoded.major=7,value=07")
        #expect(event.matches(try JournalExpectation(condition: text).pattern))
    }

    @Test func expectationsAreReadAsTheyAreWritten() throws {
        let expectation = try JournalExpectation(condition: "connected,device=door", atLeast: 2)
        let appearing = try expectation.except(.object(["central": .text("x")]))
        #expect(try JournalExpectation(appearing.fields) == appearing)
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
        hub.clearJournal(through: 2)
        #expect(hub.journal.map(\.sequence) == [3])
        hub.clearJournal()
        #expect(await hub.verify([try Self.expectation(1)]).map(\.ok) == [false])
    }
}
