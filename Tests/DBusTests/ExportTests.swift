// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import TestTraits
import Testing

@testable import DBus

@Suite(.realTime, .timeLimit(.minutes(10))) struct ExportTests {
    private let path: ObjectPath = "/test"
    private let interface = "org.example.Test"

    @Test func callsAreHandledInOrderOneAtATime() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            let client = try await bus.connect()
            let journal = Journal()
            try await server.export(path) { call in
                await journal.begin()
                for _ in 0..<((call.arguments.first?.uint32Value ?? 0) % 7) { await Task.yield() }
                await journal.end(call.arguments)
                return .success([])
            }
            for number in 0..<500 {
                var message = DBusMessage.methodCall(
                    destination: server.uniqueName, path: path, interface: interface, member: "Write",
                    body: [.uint32(UInt32(number))])
                message.expectsReply = number % 2 == 0
                try await client.send(message)
            }
            _ = try await client.call(server.uniqueName, path, interface, "Write", [.uint32(500)])
            #expect(await journal.entries == (0...500).map { [.uint32($0)] })
            #expect(await journal.mostAtOnce == 1)
        }
    }

    private actor Journal {
        var entries: [[DBusValue]] = []
        var mostAtOnce = 0
        private var atOnce = 0

        func begin() {
            atOnce += 1
            mostAtOnce = max(mostAtOnce, atOnce)
        }

        func end(_ entry: [DBusValue]) {
            atOnce -= 1
            entries.append(entry)
        }
    }

    @Test func slowHandlerDoesNotDelayOtherPaths() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let gate = Gate()
            try await connection.export("/slow") { _ in
                await gate.pass()
                return .success(["slow"])
            }
            try await connection.export("/fast") { _ in .success(["fast"]) }
            async let slow = connection.call(connection.uniqueName, "/slow", interface, "Work")
            #expect(try await connection.call(connection.uniqueName, "/fast", interface, "Work") == ["fast"])
            await gate.open()
            #expect(try await slow == ["slow"])
        }
    }

    @Test func callsBeyondTheLimitAreRefused() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let gate = Gate()
            try await connection.export(path) { _ in
                await gate.pass()
                return .success([])
            }
            let refused = await withTaskGroup(of: DBusError?.self) { group in
                for _ in 0..<(Mailbox.capacity + 100) {
                    group.addTask {
                        do throws(DBusError) {
                            _ = try await connection.call(connection.uniqueName, path, interface, "Work")
                            return nil
                        } catch { return error }
                    }
                }
                var refused: [DBusError] = []
                for await error in group {
                    if let error { refused.append(error) }
                    // One call is in progress, and the capacity waits.
                    if refused.count == 99 { await gate.open() }
                }
                return refused
            }
            #expect((99...100).contains(refused.count))
            #expect(refused.allSatisfy { $0.isStandard("LimitsExceeded") })
        }
    }

    @Test func unexportFailsWaitingCalls() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let gate = Gate()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            try await connection.export(path) { _ in
                arrived.yield()
                await gate.pass()
                return .success(["served"])
            }
            async let atWork = connection.call(connection.uniqueName, path, interface, "Work")
            for await _ in arrivals { break }
            await connection.unexport(path)
            await connection.unexport(path)
            await gate.open()
            #expect(try await atWork == ["served"])
            let error = await #expect(throws: DBusError.self) {
                try await connection.call(connection.uniqueName, path, interface, "Work")
            }
            #expect(error?.isStandard("UnknownObject") == true)
        }
    }

    @Test func connectionAnswersPeerInterface() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let peer = "org.freedesktop.DBus.Peer"
            #expect(try await connection.call(connection.uniqueName, "/any", peer, "Ping") == [])
            let error = await #expect(throws: DBusError.self) {
                try await connection.call(connection.uniqueName, "/any", peer, "Pong")
            }
            #expect(error?.isStandard("UnknownMethod") == true)
        }
    }
}
