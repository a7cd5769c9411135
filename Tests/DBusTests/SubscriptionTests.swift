// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import TestTraits
import Testing

@testable import DBus

@Suite(.realTime, .timeLimit(.minutes(10))) struct SubscriptionTests {
    private let interface = "org.example.Test"

    @Test func signalsArriveInOrder() async throws {
        try await TestBus.with { bus in
            let source = try await bus.connect()
            let listener = try await bus.connect()
            let signals = try await listener.subscribe(
                MatchRule(sender: source.uniqueName, pathNamespace: "/a", interface: interface))
            let ticks = try await listener.subscribe(MatchRule(member: "Tick", argument0: "7"))
            for number in 0..<1000 {
                try await source.emit(number % 3 == 0 ? "/a/b" : "/a", interface, "Tick", [.string("\(number)")])
                try await source.emit("/b", interface, "Other")
            }
            try await source.emit("/a", interface, "End")
            var received: [String] = []
            for await signal in signals {
                if signal.member == "End" { break }
                received.append(signal.body.first?.stringValue ?? "")
            }
            #expect(received == (0..<1000).map(String.init))
            var iterator = ticks.makeAsyncIterator()
            #expect(await iterator.next()?.body == ["7"])
        }
    }

    @Test func ownerChangesAreSignalled() async throws {
        try await TestBus.with { bus in
            let listener = try await bus.connect()
            let changes = try await listener.subscribe(
                MatchRule(
                    sender: DBusConnection.busName, interface: DBusConnection.busName, member: "NameOwnerChanged",
                    argument0: "org.example.Name"))
            let owner = try await bus.connect()
            try await owner.requestName("org.example.Name")
            await owner.close()
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next()?.body == ["org.example.Name", "", .string(owner.uniqueName)])
            #expect(await iterator.next()?.body == ["org.example.Name", .string(owner.uniqueName), ""])
        }
    }

    @Test func wellKnownSenderMatchesOnlyItsOwner() async throws {
        try await TestBus.with { bus in
            let (first, second) = (
                try await bus.connect(), try await bus.connect()
            )
            let listener = try await bus.connect()
            try await first.requestName("org.example.Name")
            // This subscription makes the bus deliver the signals of the impostor, too.
            let all = try await listener.subscribe(MatchRule(interface: interface))
            let owned = try await listener.subscribe(MatchRule(sender: "org.example.Name", interface: interface))
            let unowned = try await listener.subscribe(MatchRule(sender: "org.example.Unowned", interface: interface))

            try await Self.emit("impostor", from: second)
            try await Self.emit("owner", from: first)
            try await first.releaseName("org.example.Name")
            try await Self.emit("former owner", from: first)
            try await second.requestName("org.example.Name")
            try await Self.emit("new owner", from: second)
            try await Self.emit("end", from: second)

            #expect(await Self.untilEnd(all) == ["impostor", "owner", "former owner", "new owner"])
            #expect(await Self.untilEnd(owned) == ["owner", "new owner"])
            await listener.close()
            #expect(await Self.untilEnd(unowned) == [])
        }
    }

    /// Returns when the bus has delivered the signal.
    private static func emit(_ text: String, from connection: DBusConnection) async throws {
        try await connection.emit("/", "org.example.Test", "Said", [.string(text)])
        _ = try await connection.nameOwner(connection.uniqueName)
    }

    private static func untilEnd(_ signals: AsyncStream<DBusMessage>) async -> [String] {
        var texts: [String] = []
        for await signal in signals {
            guard let text = signal.body.first?.stringValue, text != "end" else { break }
            texts.append(text)
        }
        return texts
    }

    @Test func signalWithDestinationReachesOnlyIt() async throws {
        try await TestBus.with { bus in
            let source = try await bus.connect()
            let listener = try await bus.connect()
            let other = try await bus.connect()
            let mine = try await listener.subscribe(MatchRule(interface: interface))
            let theirs = try await other.subscribe(MatchRule(interface: interface))
            try await source.emit("/", interface, "Said", ["secret"], to: listener.uniqueName)
            try await source.emit("/", interface, "Said", ["end"])
            #expect(await Self.untilEnd(mine) == ["secret"])
            #expect(await Self.untilEnd(theirs) == [])
        }
    }

    @Test func oldestSignalsAreDropped() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let signals = try await connection.subscribe(MatchRule(interface: interface), capacity: 3)
            for text in ["1", "2", "3", "4"] { try await Self.emit(text, from: connection) }
            try await Self.emit("end", from: connection)
            #expect(await Self.untilEnd(signals) == ["3", "4"])
        }
    }

    @Test func releasedStreamEndsSubscription() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            try await connection.requestName("org.example.Name")
            do {
                let rule = MatchRule(sender: "org.example.Name", interface: interface)
                let signals = try await connection.subscribe(rule)
                let again = try await connection.subscribe(rule)
                #expect(await connection.subscriptions.count == 2)
                #expect(await connection.subscriptions.uses(of: "org.example.Name") == 2)
                try await Self.emit("end", from: connection)
                #expect(await Self.untilEnd(signals) == [])
                #expect(await Self.untilEnd(again) == [])
            }
            // A subscription that stays runs into the time limit.
            while await connection.subscriptions.count > 0 { await Task.yield() }
            #expect(await connection.subscriptions.isEmpty)
        }
    }

    @Test func refusedRuleLeavesNoSubscription() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let tooLong = MatchRule(sender: "org.example.Name", argument0: String(repeating: "x", count: 2000))
            let error = await #expect(throws: DBusError.self) { try await connection.subscribe(tooLong) }
            #expect(error?.kind == .remote)
            let invalid = await #expect(throws: DBusError.self) {
                try await connection.subscribe(MatchRule(argument0: "a\0"))
            }
            #expect(invalid?.kind == .invalidArgument)
            #expect(await connection.subscriptions.isEmpty)
        }
    }
}
