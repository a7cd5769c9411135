// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import TestTraits
import Testing

@Suite(.realTime, .timeLimit(.minutes(10))) struct ExportedObjectTests {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let introspectable = "org.freedesktop.DBus.Introspectable"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let service = ExportedInterface("org.bluez.GattService1", properties: { ["Primary": true] })
    private static let characteristic = ExportedInterface(
        "org.bluez.GattCharacteristic1",
        properties: { ["UUID": "180f", "Flags": .strings(["read"]), "Value": .bytes([1])] },
        methods: ["ReadValue": { call in .success([.bytes([42]), .string(call.member)]) }])

    private func with(_ body: (DBusConnection) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            try await connection.export(ExportedObject(path: "/app", isObjectManager: true))
            try await connection.export(ExportedObject(path: "/app/service0", interfaces: [Self.service]))
            try await connection.export(
                ExportedObject(path: "/app/service0/char0", interfaces: [Self.characteristic]))
            try await body(connection)
        }
    }

    private static func call(
        _ connection: DBusConnection, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = []
    ) async throws -> [DBusValue] {
        try await connection.call(connection.uniqueName, path, interface, member, arguments)
    }

    private static func errorName(
        _ connection: DBusConnection, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = []
    ) async -> String? {
        do throws(DBusError) {
            _ = try await connection.call(connection.uniqueName, path, interface, member, arguments)
            return nil
        } catch {
            return error.name.split(separator: ".").last.map(String.init)
        }
    }

    @Test func propertiesAreReadable() async throws {
        try await with { connection in
            let path: ObjectPath = "/app/service0/char0"
            let name = DBusValue.string(Self.characteristic.name)
            let value = try await Self.call(connection, path, Self.properties, "Get", [name, "Value"])
            #expect(value == [.variant(.bytes([1]))])
            let all: [DBusValue] = [
                .variants(["UUID": "180f", "Flags": .strings(["read"]), "Value": .bytes([1])])
            ]
            #expect(try await Self.call(connection, path, Self.properties, "GetAll", [name]) == all)
            #expect(try await Self.call(connection, path, Self.properties, "GetAll", [""]) == all)
            #expect(
                try await Self.call(connection, path, Self.properties, "GetAll", [.string(Self.properties)])
                    == [.variants([:])])
        }
    }

    @Test func invalidCallsHaveErrors() async throws {
        try await with { connection in
            let path: ObjectPath = "/app/service0/char0"
            let name = DBusValue.string(Self.characteristic.name)
            let value = DBusValue.variant(.byte(1))
            for (interface, member, arguments, error) in [
                (Self.properties, "Get", [name, "Nothing"], "InvalidArgs"),
                (Self.properties, "Get", ["org.example.No", "Value"], "InvalidArgs"),
                (Self.properties, "Get", [name], "UnknownMethod"),
                (Self.properties, "Get", [.byte(1), "Value"], "UnknownMethod"),
                (Self.properties, "GetAll", [], "UnknownMethod"),
                (Self.properties, "GetAll", ["org.example.No"], "InvalidArgs"),
                (Self.properties, "Set", [name, "Value", value], "PropertyReadOnly"),
                (Self.properties, "Set", [name, "Nothing", value], "UnknownProperty"),
                (Self.properties, "Set", [name], "UnknownMethod"),
                (Self.properties, "Set", ["org.example.No", "Value", value], "InvalidArgs"),
                (Self.properties, "Steal", [], "UnknownMethod"),
                (Self.characteristic.name, "Nothing", [], "UnknownMethod"),
                ("org.example.No", "ReadValue", [], "UnknownMethod"),
                (Self.objectManager, "GetManagedObjects", [], "UnknownMethod"),
            ] as [(String, String, [DBusValue], String)] {
                #expect(await Self.errorName(connection, path, interface, member, arguments) == error)
            }
            #expect(await Self.errorName(connection, "/app/x", Self.properties, "GetAll", [""]) == "UnknownObject")
        }
    }

    @Test func methodsAreCalled() async throws {
        try await with { connection in
            let reply = try await Self.call(
                connection, "/app/service0/char0", Self.characteristic.name, "ReadValue", [.variants([:])])
            #expect(reply == [.bytes([42]), "ReadValue"])
        }
    }

    @Test func objectManagerListsItsObjects() async throws {
        try await with { connection in
            try await connection.export(ExportedObject(path: "/application", interfaces: [Self.service]))
            let reply = try await Self.call(connection, "/app", Self.objectManager, "GetManagedObjects")
            #expect(reply.first?.signature == "a{oa{sa{sv}}}")
            let objects = try #require(reply.first?.dictionaryValue)
            #expect(Set(objects.keys) == ["/app/service0", "/app/service0/char0"])
            let service = objects["/app/service0"]?.dictionaryValue?[Self.service.name]?.dictionaryValue
            #expect(service == ["Primary": true])
        }
    }

    @Test func objectManagerSignalsObjects() async throws {
        try await with { connection in
            let signals = try await connection.subscribe(
                MatchRule(sender: connection.uniqueName, path: "/app", interface: Self.objectManager))
            try await connection.export(ExportedObject(path: "/app/service1", interfaces: [Self.service]))
            await connection.unexport("/app/service1")
            var iterator = signals.makeAsyncIterator()
            let added = await iterator.next()
            #expect(added?.member == "InterfacesAdded")
            #expect(
                added?.body == [
                    .objectPath("/app/service1"),
                    .dictionary(
                        "s", "a{sv}",
                        [DBusDictionaryEntry(.string(Self.service.name), .variants(["Primary": true]))]),
                ])
            let removed = await iterator.next()
            #expect(removed?.member == "InterfacesRemoved")
            #expect(removed?.body == [.objectPath("/app/service1"), .strings([Self.service.name])])
        }
    }

    @Test func changedPropertiesAreSignalled() async throws {
        try await with { connection in
            let signals = try await connection.subscribe(
                MatchRule(interface: Self.properties, member: "PropertiesChanged", argument0: "a.b"))
            try await connection.emitPropertiesChanged("/app", "a.b", ["Value": .bytes([2])], invalidated: ["UUID"])
            var iterator = signals.makeAsyncIterator()
            #expect(
                await iterator.next()?.body == ["a.b", .variants(["Value": .bytes([2])]), .strings(["UUID"])])
        }
    }

    @Test func objectIsIntrospectable() async throws {
        try await with { connection in
            let reply = try await Self.call(connection, "/app/service0/char0", Self.introspectable, "Introspect")
            let text = try #require(reply.first?.stringValue)
            #expect(text.contains(#"<method name="ReadValue"/>"#))
            #expect(text.contains(#"<property name="Value" type="ay" access="read"/>"#))
            #expect(!text.contains("<node name="))
            let root = try await Self.call(connection, "/", Self.introspectable, "Introspect")
            #expect(root.first?.stringValue?.contains(#"<node name="app"/>"#) == true)
            #expect(await Self.errorName(connection, "/nothing", Self.introspectable, "Introspect") == "UnknownObject")
        }
    }

    @Test func invalidInterfaceNameIsRefused() async throws {
        try await with { connection in
            let wrong = ExportedObject(path: "/app", interfaces: [ExportedInterface("nodot")])
            let error = await #expect(throws: DBusError.self) { try await connection.export(wrong) }
            #expect(error?.kind == .invalidArgument)
        }
    }
}
