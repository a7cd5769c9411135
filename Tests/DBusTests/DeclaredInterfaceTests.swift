// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import TestTraits
import Testing

/// An actor that serves one object on the executor of its connection.
private actor LampService {
    static let path: ObjectPath = "/lamp"
    static let interface = "org.example.Lamp"
    static let declaration = InterfaceDeclaration(
        interface,
        methods: [
            MethodDeclaration("Dim", in: ["level": "y", "options": "a{sv}"], out: ["previous": "y"]),
            MethodDeclaration("Blink"), MethodDeclaration("Wait"), MethodDeclaration("Forget"),
            MethodDeclaration("Open", out: ["file": "h", "mtu": "q"]),
        ],
        properties: [
            PropertyDeclaration("Level", "y"), PropertyDeclaration("Name", "s", .readWrite),
            PropertyDeclaration("Colour", "s", .readWrite),
        ],
        signals: [SignalDeclaration("Burst", ["reason": "s"])])

    let connection: DBusConnection
    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }
    private var level: UInt8 = 7
    private var name = "desk"
    private var waiting: [PendingReply] = []

    init(_ connection: DBusConnection) {
        self.connection = connection
    }

    static func start(on connection: DBusConnection) async throws -> LampService {
        let service = LampService(connection)
        try await service.export()
        return service
    }

    private func export() throws(DBusError) {
        let lamp = ExportedInterface(
            Self.declaration,
            properties: { [weak self] in self?.assumeIsolated { $0.properties } ?? [:] },
            set: { [weak self] write, reply in self?.assumeIsolated { $0.set(write, reply) } },
            call: { [weak self] call, reply in self?.assumeIsolated { $0.handle(call, reply) } })
        try connection.synchronously { connection throws(DBusError) in
            try connection.export(ExportedObject(path: .root, isObjectManager: true))
            try connection.export(ExportedObject(path: Self.path, interfaces: [lamp]))
        }
    }

    private var properties: [String: DBusValue] { ["Level": .byte(level), "Name": .string(name)] }

    private func set(_ write: PropertyWrite, _ reply: PendingReply) {
        name = write.value.stringValue ?? ""
        change("Name")
        reply.succeed()
    }

    private func handle(_ call: MethodCall, _ reply: PendingReply) {
        switch call.member {
        case "Dim":
            let previous = level
            level = call.arguments[0].byteValue ?? 0
            change("Level")
            change("Level", "Colour")
            reply.succeed([.byte(previous)])
        case "Blink":
            reply.succeed()
            level = 0
            change("Level")
            let path = Self.path
            try? connection.synchronously { connection throws(DBusError) in
                try connection.emit(path, Self.interface, "Burst", ["blink"])
            }
        case "Wait": waiting.append(reply)
        case "Open":
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(Data("light".utf8))
            let file = try? DBusFileDescriptor(duplicating: pipe.fileHandleForReading.fileDescriptor)
            reply.succeed([file.map(DBusValue.unixFileDescriptor) ?? "", .uint16(23)])
        default: break
        }
    }

    private func change(_ names: String...) {
        connection.assumeIsolated { $0.propertiesChanged(names, of: Self.interface, at: Self.path) }
    }

    func answerAll() {
        for reply in waiting {
            reply.succeed()
            reply.fail(.failed("a second reply"))
        }
        waiting = []
    }
}

@Suite(.realTime, .timeLimit(.minutes(10))) struct DeclaredInterfaceTests {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    private func with(_ body: (LampService, DBusConnection) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let service = try await LampService.start(on: bus.connect())
            try await body(service, try await bus.connect())
        }
    }

    private func call(
        _ service: LampService, _ client: DBusConnection, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = []
    ) async throws(DBusError) -> [DBusValue] {
        try await client.call(service.connection.uniqueName, LampService.path, interface, member, arguments)
    }

    private func error(
        _ service: LampService, _ client: DBusConnection, _ interface: String, _ member: String,
        _ arguments: [DBusValue]
    ) async -> DBusError? {
        do throws(DBusError) {
            _ = try await call(service, client, interface, member, arguments)
            return nil
        } catch {
            return error
        }
    }

    @Test func settablePropertyIsSet() async throws {
        try await with { service, client in
            let name = DBusValue.string(LampService.interface)
            _ = try await call(service, client, Self.properties, "Set", [name, "Name", .variant("ceiling")])
            #expect(
                try await call(service, client, Self.properties, "Get", [name, "Name"]) == [.variant("ceiling")])
        }
    }

    @Test func propertyErrorsAreThoseOfBluetoothd() async throws {
        try await with { service, client in
            let name = DBusValue.string(LampService.interface)
            let standard = "org.freedesktop.DBus.Error."
            for (member, arguments, error, text) in [
                ("Set", [name, "Nothing", .variant("")], "UnknownProperty", "No such property 'Nothing'"),
                ("Set", [name, "Colour", .variant("")], "UnknownProperty", "No such property 'Colour'"),
                ("Set", [name, "Level", .variant(.byte(1))], "PropertyReadOnly", "Property 'Level' is not writable"),
                ("Set", [name, "Name", .variant(.byte(1))], "InvalidSignature", "Invalid signature for 'Name'"),
                ("Set", [name, "Name", .variant(.variant("x"))], "InvalidSignature", "Invalid signature for 'Name'"),
                ("Get", [name, "Colour"], "InvalidArgs", "No such property 'Colour'"),
                ("Get", ["a.b", "Name"], "InvalidArgs", "No such interface 'a.b'"),
                ("GetAll", ["a.b"], "InvalidArgs", "No such interface 'a.b'"),
                (
                    "GetAll", [.byte(1)], "UnknownMethod",
                    "Method \"GetAll\" with signature \"y\" on interface \"\(Self.properties)\" doesn't exist"
                ),
            ] as [(String, [DBusValue], String, String)] {
                let received = await self.error(service, client, Self.properties, member, arguments)
                #expect(received?.name == standard + error)
                #expect(received?.message == text)
            }
        }
    }

    @Test func wrongArgumentTypesDoNotReachTheHandler() async throws {
        try await with { service, client in
            for arguments in [[], [.byte(1)], [.uint32(1), .variants([:])], [.byte(1), .variants([:]), "more"]]
                as [[DBusValue]]
            {
                let error = await self.error(service, client, LampService.interface, "Dim", arguments)
                #expect(error?.isStandard("UnknownMethod") == true)
            }
            let previous = try await call(
                service, client, LampService.interface, "Dim", [.byte(1), .variants([:])])
            #expect(previous == [.byte(7)])
        }
    }

    @Test func changesOfOneTurnMakeOneSignalBeforeTheReply() async throws {
        try await with { service, client in
            var journal = try await signals(of: service, to: client).makeAsyncIterator()
            _ = try await call(service, client, LampService.interface, "Dim", [.byte(1), .variants([:])])
            // The reply follows the signal, so the signal has arrived.
            #expect(
                await journal.next()?.body == [
                    .string(LampService.interface), .variants(["Level": .byte(1)]), .strings(["Colour"]),
                ])
            _ = try await call(service, client, LampService.interface, "Blink")
            #expect(await journal.next()?.body[1] == .variants(["Level": .byte(0)]))
            #expect(await journal.next()?.body == ["blink"])
        }
    }

    /// The signals of the service, as a client gets them.
    private func signals(of service: LampService, to client: DBusConnection) async throws -> AsyncStream<DBusMessage> {
        try await client.subscribe(MatchRule(sender: service.connection.uniqueName))
    }

    @Test func replyLeavesBeforeLaterSignals() async throws {
        try await TestBus.with { bus in
            let service = try await LampService.start(on: bus.connect())
            // Order on one connection: dbus-monitor sees what the service sends.
            let monitor = try await bus.connect()
            let client = try await bus.connect()
            let signals = try await monitor.subscribe(MatchRule(sender: service.connection.uniqueName))
            async let blink = call(service, client, LampService.interface, "Blink")
            var iterator = signals.makeAsyncIterator()
            let changed = try #require(await iterator.next())
            let burst = try #require(await iterator.next())
            _ = try await blink
            #expect([changed.member, burst.member] == ["PropertiesChanged", "Burst"])
            // Serials count the messages of a connection: the reply has the one before the first signal.
            #expect(burst.serial == changed.serial + 1)
        }
    }

    @Test func laterRepliesAreSentOnce() async throws {
        try await with { service, client in
            let calls = (0..<3).map { _ in
                Task { try await call(service, client, LampService.interface, "Wait") }
            }
            while await service.connection.unansweredCalls(of: client.uniqueName) < 3 { await Task.yield() }
            await service.answerAll()
            for call in calls {
                let values = try await call.value
                #expect(values == [])
            }
        }
    }

    @Test func forgottenReplyIsAnError() async throws {
        try await with { service, client in
            let error = await self.error(service, client, LampService.interface, "Forget", [])
            #expect(error?.isStandard("Failed") == true)
            #expect(error?.message.contains("Forget") == true)
        }
    }

    @Test func unansweredCallsAreLimited() async throws {
        try await with { service, client in
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<1100 {
                    group.addTask {
                        await self.error(service, client, LampService.interface, "Wait", [])?
                            .isStandard("LimitsExceeded") == true
                    }
                }
                var refused = 0
                for try await isRefused in group {
                    refused += isRefused ? 1 : 0
                    if refused == 1100 - 1024 { await service.answerAll() }
                }
                return refused
            }
            #expect(refused == 1100 - 1024)
            _ = try await call(service, client, LampService.interface, "Blink")
        }
    }

    @Test func replyCarriesFileDescriptors() async throws {
        try await with { service, client in
            let reply = try await call(service, client, LampService.interface, "Open")
            #expect(reply.count == 2 && reply[1] == .uint16(23))
            let file = try #require(reply[0].fileDescriptorValue)
            var text = [UInt8](repeating: 0, count: 8)
            #expect(read(file.rawValue, &text, 8) == 5)
            #expect(text.prefix(5).elementsEqual("light".utf8))
        }
    }

    @Test func interfacesComeAndGoOnOneObject() async throws {
        try await with { service, client in
            var journal = try await signals(of: service, to: client).makeAsyncIterator()
            let name = "org.example.Battery"
            let battery = ExportedInterface(
                InterfaceDeclaration(name, properties: [PropertyDeclaration("Percentage", "y")]),
                properties: { ["Percentage": .byte(90)] })
            try await service.connection.add(battery, at: LampService.path)
            let added = await journal.next()
            #expect(added?.path == .root && added?.member == "InterfacesAdded")
            #expect(
                added?.body == [
                    .objectPath(LampService.path),
                    .dictionary(
                        "s", "a{sv}",
                        [DBusDictionaryEntry(.string(name), .variants(["Percentage": .byte(90)]))]),
                ])
            #expect(
                try await call(service, client, Self.properties, "Get", [.string(name), "Percentage"])
                    == [.variant(.byte(90))])
            await service.connection.removeInterface(name, at: LampService.path)
            let removed = await journal.next()
            #expect(removed?.member == "InterfacesRemoved")
            #expect(removed?.body == [.objectPath(LampService.path), .strings([name])])
            await service.connection.removeInterface(name, at: LampService.path)
            let missing = await self.error(service, client, Self.properties, "Get", [.string(name), "Percentage"])
            #expect(missing?.message == "No such interface '\(name)'")
            await #expect(throws: DBusError.self) { try await service.connection.add(battery, at: "/nothing") }
        }
    }

    @Test func introspectionHasArgumentsAccessAndSignals() async throws {
        try await with { service, client in
            let reply = try await call(service, client, "org.freedesktop.DBus.Introspectable", "Introspect")
            let lines = try #require(reply.first?.stringValue).split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let start = try #require(lines.firstIndex(of: #"<interface name="org.example.Lamp">"#))
            #expect(
                Array(lines[start...].prefix(18)) == [
                    #"<interface name="org.example.Lamp">"#, #"<method name="Dim">"#,
                    #"<arg name="level" type="y" direction="in"/>"#,
                    #"<arg name="options" type="a{sv}" direction="in"/>"#,
                    #"<arg name="previous" type="y" direction="out"/>"#, "</method>", #"<method name="Blink"/>"#,
                    #"<method name="Wait"/>"#, #"<method name="Forget"/>"#, #"<method name="Open">"#,
                    #"<arg name="file" type="h" direction="out"/>"#, #"<arg name="mtu" type="q" direction="out"/>"#,
                    "</method>", #"<signal name="Burst">"#, #"<arg name="reason" type="s"/>"#, "</signal>",
                    #"<property name="Level" type="y" access="read"/>"#,
                    #"<property name="Name" type="s" access="readwrite"/>"#,
                ])
        }
    }

    @Test func treeIsRemovedChildrenFirst() async throws {
        try await with { service, client in
            for path in ["/a/b", "/a/b/c", "/a/b/c/d", "/a/bb"] as [ObjectPath] {
                try await service.connection.export(ExportedObject(path: path))
            }
            let objects = try await client.call(
                service.connection.uniqueName, .root, Self.objectManager, "GetManagedObjects")
            #expect(
                objects.first?.entriesValue?.compactMap(\.key.objectPathValue)
                    == ["/a/b", "/a/b/c", "/a/b/c/d", "/a/bb", "/lamp"])
            var journal = try await signals(of: service, to: client).makeAsyncIterator()
            await service.connection.unexportTree("/a/b")
            for path in ["/a/b/c/d", "/a/b/c", "/a/b"] as [ObjectPath] {
                #expect(await journal.next()?.body.first == .objectPath(path))
            }
            await service.connection.unexportTree("/a")
            #expect(await journal.next()?.body.first == .objectPath("/a/bb"))
        }
    }

    @Test func vanishedNamesAreUnique() async throws {
        try await TestBus.with { bus in
            let connection = try await bus.connect()
            let names = try await connection.vanishedNames()
            let peers = [
                try await bus.connect(), try await bus.connect(),
            ]
            try await peers[0].requestName("org.example.Name")
            try await peers[0].releaseName("org.example.Name")
            var iterator = names.makeAsyncIterator()
            // The next one closes when the bus has noticed the end of the one before it: its order is that of its sockets.
            for peer in peers {
                await peer.close()
                #expect(await iterator.next() == peer.uniqueName)
            }
        }
    }
}
