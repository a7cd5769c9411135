// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite(.realTime, .timeLimit(.minutes(10))) struct CallTests {
    private let path: ObjectPath = "/test"
    private let interface = "org.example.Test"

    @Test func busMethodsAreAnswered() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            #expect(connection.uniqueName.hasPrefix(":"))
            #expect(try await connection.nameOwner(connection.uniqueName) == connection.uniqueName)
            #expect(try await connection.nameOwner("org.example.Unowned") == nil)
            let own = ProcessInfo.processInfo.processIdentifier
            #expect(try await connection.processIdentifier(of: connection.uniqueName) == UInt32(own))
            let names = try await connection.call(
                DBusConnection.busName, "/org/freedesktop/DBus", DBusConnection.busName, "ListNames")
            #expect(names.first?.stringsValue?.contains(connection.uniqueName) == true)
            #expect(try await connection.requestName("org.example.Name"))
            #expect(try await connection.requestName("org.example.Name"))
            let other = try await bus.connect()
            #expect(try await !other.requestName("org.example.Name"))
            try await connection.releaseName("org.example.Name")
            #expect(try await other.requestName("org.example.Name"))
        }
    }

    @Test func errorReplyIsThrown() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            let client = try await bus.connect()
            try await server.export(path) { call in
                .failure(DBusError(name: "org.example.Error.Refused", message: "no \(call.member)"))
            }
            let error = await #expect(throws: DBusError.self) {
                try await client.call(server.uniqueName, path, interface, "Work")
            }
            #expect(error == DBusError(name: "org.example.Error.Refused", message: "no Work"))
            let unknown = await #expect(throws: DBusError.self) {
                try await client.call(server.uniqueName, "/elsewhere", interface, "Work")
            }
            #expect(unknown?.isStandard("UnknownObject") == true)
            let unowned = await #expect(throws: DBusError.self) {
                try await client.call("org.example.Unowned", path, interface, "Work")
            }
            #expect(unowned?.isStandard("ServiceUnknown") == true)
            #expect(unowned?.kind == .remote)
        }
    }

    @Test func valuesRoundTripOverTheBus() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            let client = try await bus.connect()
            try await server.export(path) { call in
                #expect(call.sender == client.uniqueName)
                #expect(call.interface == "org.example.Test")
                return .success(call.arguments)
            }
            #expect(try await client.call(server.uniqueName, path, interface, "Echo", Samples.values) == Samples.values)
            let large: [DBusValue] = [.bytes((0..<(10 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 3) })]
            #expect(try await client.call(server.uniqueName, path, interface, "Echo", large) == large)
        }
    }

    @Test func invalidReplyBecomesError() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            try await connection.export(path) { _ in .success(["a\0b"]) }
            let error = await #expect(throws: DBusError.self) {
                try await connection.call(connection.uniqueName, path, interface, "Work")
            }
            #expect(error?.isStandard("InvalidArgs") == true)
        }
    }

    @Test func invalidCallIsNotSent() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            for (destination, interface, member, value) in [
                ("org", "a.b", "A", "x"), ("org.x", "a", "A", "x"), ("org.x", "a.b", "1", "x"),
                ("org.x", "a.b", "A", "\0"),
            ] {
                let error = await #expect(throws: DBusError.self) {
                    try await connection.call(destination, path, interface, member, [.string(value)])
                }
                #expect(error?.kind == .invalidArgument)
            }
            #expect(await connection.isConnected)
        }
    }

    @Test func fileDescriptorsAreSent() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            let client = try await bus.connect()
            try await server.export(path) { call in
                guard let descriptor = call.arguments.first?.fileDescriptorValue else {
                    return .failure(.invalidArgument("no descriptor"))
                }
                return .success([.boolean(write(descriptor.rawValue, "x", 1) == 1)])
            }
            let pipe = Pipe()
            let end = try DBusFileDescriptor(duplicating: pipe.fileHandleForWriting.fileDescriptor)
            let reply = try await client.call(
                server.uniqueName, path, interface, "Write", [.unixFileDescriptor(end)])
            #expect(reply == [.boolean(true)])
            #expect(pipe.fileHandleForReading.availableData == Data("x".utf8))
        }
    }

    @Test func messageWithTooManyValuesIsRefused() async throws {
        try await TestBus.with { bus in
            let server = try await bus.connect()
            let client = try await bus.connect()
            let many = DBusValue.array("n", Array(repeating: .int16(0), count: 1 << 20))
            try await server.export(path) { _ in .success([many]) }
            let error = await #expect(throws: DBusError.self) {
                try await client.call(server.uniqueName, path, interface, "Get")
            }
            #expect(error?.kind == .limitExceeded)
            let refused = await #expect(throws: DBusError.self) {
                try await client.call(server.uniqueName, path, interface, "Set", [many])
            }
            #expect(refused?.kind == .remote)
            #expect(refused?.isStandard("LimitsExceeded") == true)
        }
    }

    @Test func lateReplyIsTimeout() async throws {
        try await TestBus.with { bus in
            let connection = try await DBusConnection.connect(to: bus.bus)
            let gate = Gate()
            try await connection.export(path) { call in
                if call.member == "Wait" { await gate.pass() }
                return .success([])
            }
            for timeout in [Duration.milliseconds(20), .zero, .seconds(-1)] {
                let error = await #expect(throws: DBusError.self) {
                    try await connection.call(connection.uniqueName, path, interface, "Wait", timeout: timeout)
                }
                #expect(error?.kind == .timeout)
            }
            await gate.open()
            for timeout in [Duration.seconds(3600), .seconds(Int64.max)] {
                #expect(
                    try await connection.call(connection.uniqueName, path, interface, "Work", timeout: timeout) == [])
            }
        }
    }

    @Test func cancellationEndsCall() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let gate = Gate()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            try await connection.export(path) { _ in
                arrived.yield()
                await gate.pass()
                return .success([])
            }
            let call = Task { try await connection.call(connection.uniqueName, path, interface, "Wait") }
            for await _ in arrivals { break }
            call.cancel()
            let error = await #expect(throws: DBusError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await connection.call(connection.uniqueName, path, interface, "Wait")
            }
            let second = await #expect(throws: DBusError.self) { try await before.value }
            #expect(second?.kind == .cancelled)
            await gate.open()
            #expect(try await connection.call(connection.uniqueName, path, interface, "Work") == [])
        }
    }
}
