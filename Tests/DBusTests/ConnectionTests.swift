// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite(.realTime, .timeLimit(.minutes(10))) struct ConnectionTests {
    @Test(arguments: [
        Bus.address("unix:path=/nonexistent/bus"), .address("nonsense"), .address(""), .address("tcp:host=127.0.0.1"),
    ])
    func unreachableBusHasHint(_ bus: Bus) async {
        let error = await #expect(throws: DBusError.self) { try await DBusConnection.connect(to: bus) }
        #expect(error?.kind == .connectionFailed)
        #expect(error?.message.contains("cannot connect to the bus at") == true)
    }

    @Test func addressWithNULIsRefused() async {
        let error = await #expect(throws: DBusError.self) {
            try await DBusConnection.connect(to: .address("unix:path=/\0"))
        }
        #expect(error?.kind == .invalidArgument)
    }

    @Test func environmentHasTheAddressOfTheSystemBus() async {
        await #expect(processExitsWith: .exitCode(7)) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            do throws(DBusError) {
                _ = try await DBusConnection.connect(to: .system)
            } catch {
                exit(error.message.contains("DBUS_SYSTEM_BUS_ADDRESS") && error.kind == .connectionFailed ? 7 : 8)
            }
        }
    }

    @Test func closeFailsCallsInFlight() async throws {
        try await TestBus.with { bus in
            try await Self.expectEverythingEnds(bus) { connection in await connection.close() }
        }
    }

    @Test func endOfTheBusFailsCallsInFlight() async throws {
        try await TestBus.with { bus in
            try await Self.expectEverythingEnds(bus) { _ in await bus.kill() }
        }
    }

    private static func expectEverythingEnds(
        _ bus: TestBus, by end: (DBusConnection) async -> Void
    ) async throws {
        let connection = try await bus.connect()
        let server = try await bus.connect()
        let gate = Gate()
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await server.export("/test") { _ in
            arrived.yield()
            await gate.pass()
            return .success([])
        }
        let signals = try await connection.subscribe(MatchRule(interface: "org.example.Test"))
        let call = Task {
            try await connection.call(server.uniqueName, "/test", "org.example.Test", "Wait")
        }
        let waiting = Task { await connection.waitUntilClosed() }
        for await _ in arrivals { break }
        await end(connection)
        let error = await #expect(throws: DBusError.self) { try await call.value }
        #expect(error?.kind == .notConnected)
        await waiting.value
        await connection.waitUntilClosed()
        for await signal in signals { Issue.record("unexpected signal: \(signal)") }
        #expect(await !connection.isConnected)
        let later = await #expect(throws: DBusError.self) { try await connection.nameOwner("org.example.Name") }
        #expect(later?.kind == .notConnected)
        await #expect(throws: DBusError.self) { try await connection.export("/late") { _ in .success([]) } }
        await connection.close()
        await gate.open()
    }

    @Test func waitForTheEndCanBeCancelled() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let waiting = Task { await connection.waitUntilClosed() }
            waiting.cancel()
            await waiting.value
            #expect(await connection.isConnected)
        }
    }

    /// The bus signals the end of a name when the socket, with all its duplicates, is closed.
    @Test func releasedConnectionIsClosed() async throws {
        try await TestBus.with { bus in
            let observer = try await bus.connect()
            let changes = try await observer.subscribe(
                MatchRule(sender: DBusConnection.busName, member: "NameOwnerChanged"))
            let name = try await Self.connectAndRelease(bus)
            for await change in changes where change.body == [.string(name), .string(name), ""] { break }
        }
    }

    private static func connectAndRelease(_ bus: TestBus) async throws -> String {
        let connection = try await bus.connect()
        try await connection.export("/test") { _ in .success([]) }
        try await connection.export(ExportedObject(path: "/object", isObjectManager: true))
        _ = try await connection.subscribe(MatchRule(sender: "org.example.Name"))
        return connection.uniqueName
    }
}
