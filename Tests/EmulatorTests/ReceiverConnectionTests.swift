// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Concurrency
import JSON
import Radio
import TestSupport
import TestTraits
import Testing

@testable import Emulator

@Suite(.realTime, .timeLimit(.minutes(10))) struct ReceiverConnectionTests {
    private static let service = RemoteService(uuid: .bit16(0x180F), handles: 0x0010...0x0030)
    private static let level = characteristic(0x2A19, 0x0012, [.read, .notify])
    private static let rate = characteristic(0x2A37, 0x0015, .indicate)
    private static let twins = [characteristic(0xFFF1, 0x0020, .read), characteristic(0xFFF1, 0x0022, .read)]

    private static func characteristic(
        _ uuid: UInt16, _ value: UInt16, _ properties: CharacteristicProperties
    ) -> RemoteCharacteristic {
        RemoteCharacteristic(
            uuid: .bit16(uuid), properties: properties, declaration: AttributeHandle(value - 1),
            value: AttributeHandle(value), end: AttributeHandle(value))
    }

    private static func device(_ number: UInt8) -> RemoteAddress {
        RemoteAddress(BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero, isRandom: true)
    }

    private static func link(_ number: UInt8 = 1, refusals: [AttributeHandle: RemoteError] = [:]) -> ScriptedLink {
        ScriptedLink(device(number), services: [(service, [level, rate] + twins)], refusals: refusals)
    }

    private static func connections(
        _ host: ScriptedListeningHost, _ clock: any Clock<Duration> = ManualClock()
    ) -> ReceiverConnections {
        ReceiverConnections(of: "phone", on: host, .cooperative(), clock: RunClock(clock, epoch: .zero))
    }

    private static func connect(
        _ connections: ReceiverConnections, _ number: UInt8 = 1, as beacon: String? = nil
    ) async throws(EmulatorError) -> (connection: ReceiverConnection, isNew: Bool) {
        try await connections.connect(to: device(number), beacon: beacon, timeout: .seconds(1))
    }

    private static func connection(_ link: ScriptedLink) async throws -> ReceiverConnection {
        try await connect(connections(ScriptedListeningHost([link]))).connection
    }

    /// Appends the records of a stream to a log, which ends with it.
    private static func follow(
        _ connection: ReceiverConnection, _ characteristic: String?, in log: EventLog<JSONValue>
    ) async throws -> Task<Void, Never> {
        let reference = try characteristic.map { try #require(CharacteristicReference($0)) }
        let values = try await connection.notifications(of: reference)
        return Task {
            for await line in values { log.append((try? JSONValue(parsing: Array(line.utf8))) ?? .null) }
            log.end()
        }
    }

    private static func error(of request: () async throws -> Void) async -> EmulatorError? {
        do {
            try await request()
            return nil
        } catch {
            return error as? EmulatorError
        }
    }

    // MARK: - Connections

    @Test func deviceIsConnectedOnce() async throws {
        let host = ScriptedListeningHost([Self.link()])
        let connections = Self.connections(host)
        let (first, isNew) = try await Self.connect(connections, as: "door")
        let (second, isSecondNew) = try await Self.connect(connections)
        #expect(isNew && !isSecondNew && first === second)
        #expect(host.attempts.entries == [Self.device(1)])
        #expect(try await connections.connection(to: DeviceReference("door")) === first)
        #expect(try await connections.connection(to: DeviceReference("c0:00:00:00:00:01")) === first)
        let records = await connections.records
        #expect(records.map(\.address) == ["C0:00:00:00:00:01"])
        #expect(records.first?.device == "door" && records.first?.addressType == "random" && records.first?.mtu == 23)
    }

    @Test func requestsForTheSameDeviceShareAnAttempt() async throws {
        let gate = EventLog<Void>()
        let host = ScriptedListeningHost([Self.link()], gate: gate)
        let connections = Self.connections(host)
        async let first = Self.connect(connections)
        try await host.attempts.entry { _ in true }
        async let second = Self.connect(connections)
        gate.append(())
        let results = try await [first, second]
        #expect(results[0].connection === results[1].connection)
        #expect(results.map(\.isNew) == [true, false])
        #expect(host.attempts.entries.count == 1)
    }

    @Test func connectionsOfAReceiverAreLimited() async throws {
        let numbers = 1...UInt8(ReceiverConnections.limit + 1)
        let host = ScriptedListeningHost(numbers.map { Self.link($0) })
        let connections = Self.connections(host)
        for number in numbers.dropLast() { _ = try await Self.connect(connections, number) }
        let refused = await Self.error { _ = try await Self.connect(connections, numbers.last ?? 0) }
        #expect(refused?.code == .conflict)
        try await connections.disconnect(from: DeviceReference("C0:00:00:00:00:01"))
        _ = try await Self.connect(connections, numbers.last ?? 0)
        #expect(await connections.records.count == ReceiverConnections.limit)
    }

    @Test func streamsEndWithTheConnectionWhichIsGoneByThen() async throws {
        let link = Self.link()
        let connections = Self.connections(ScriptedListeningHost([link]))
        let (connection, _) = try await Self.connect(connections)
        let log = EventLog<JSONValue>()
        let following = try await Self.follow(connection, nil, in: log)
        link.notification.yield(RemoteNotification(handle: 0x0012, value: [7]))
        link.end("the device was switched off")
        await following.value
        #expect(log.entries.map { $0.members?["value"] } == [.text("07")])
        #expect(await connections.records.isEmpty)
        let missing = await Self.error {
            _ = try await connections.connection(to: DeviceReference("C0:00:00:00:00:01"))
        }
        #expect(missing?.code == .unknownPeer)
    }

    /// A peripheral can have 65,535 attributes; here it never ends its list.
    @Test func discoveryHasALimitOfItsTime() async throws {
        let clock = ManualClock()
        let gate = EventLog<Void>()
        let link = ScriptedLink(Self.device(1), services: [(Self.service, [Self.level])], discoveryGate: gate)
        let connections = Self.connections(ScriptedListeningHost([link]), clock)
        let (connection, _) = try await Self.connect(connections)
        let request = Task { await Self.error { _ = try await connection.services() } }
        let read = Task {
            await Self.error { _ = try await connection.read(try #require(CharacteristicReference("2A19"))) }
        }
        await clock.waitForSleeper(of: ReceiverConnection.discoveryLimit)
        clock.advance(by: ReceiverConnection.discoveryLimit)
        let error = try #require(await request.value)
        #expect(error.code == .radio && error.message.contains("takes more than 60 s"), "\(error)")
        #expect(await read.value?.message == error.message)
        // A later request fails at once, and a disconnection is not kept.
        #expect(await Self.error { _ = try await connection.services() }?.message == error.message)
        try await connections.disconnect(from: DeviceReference("C0:00:00:00:00:01"))
        #expect(await connections.records.isEmpty)
        gate.append(())
    }

    @Test func attemptIsEndedByADisconnection() async throws {
        let host = ScriptedListeningHost([Self.link()], gate: EventLog<Void>())
        let connections = Self.connections(host)
        let attempt = Task { await Self.error { _ = try await Self.connect(connections, as: "door") } }
        try await host.attempts.entry { _ in true }
        try await connections.disconnect(from: DeviceReference("door"))
        #expect(await attempt.value?.code == .conflict)
        let missing = await Self.error { try await connections.disconnect(from: DeviceReference("door")) }
        #expect(missing?.code == .unknownPeer)
    }

    @Test(
        arguments: [
            (.removal, "the receiver phone was removed"), (.run, "the run has ended"),
        ] as [(ReceiverEnd, String)])
    func receiverThatHasEndedHasNoConnectionsAndAttempts(_ end: ReceiverEnd, _ message: String) async throws {
        let link = Self.link()
        let connections = Self.connections(ScriptedListeningHost([link]))
        let (connection, _) = try await Self.connect(connections)
        let following = try await Self.follow(connection, nil, in: EventLog())
        await connections.close(end)
        await following.value
        #expect(await connections.records.isEmpty)
        #expect(await Self.error { _ = try await Self.connect(connections) }?.message == message)
        let held = ScriptedListeningHost([link], gate: EventLog<Void>())
        let others = Self.connections(held)
        let attempt = Task { await Self.error { _ = try await Self.connect(others) } }
        try await held.attempts.entry { _ in true }
        await others.close(end)
        #expect(await attempt.value?.message == message)
    }

    @Test func deviceThatDoesNotAnswerIsAConflict() async throws {
        let connections = Self.connections(ScriptedListeningHost([]))
        #expect(await Self.error { _ = try await Self.connect(connections) }?.code == .conflict)
        #expect(await connections.records.isEmpty)
    }

    // MARK: - Attributes

    @Test func servicesHaveTheNamesOfTheProfile() async throws {
        let connections = Self.connections(ScriptedListeningHost([Self.link()]))
        let (connection, _) = try await connections.connect(
            to: Self.device(1), beacon: "door", timeout: .seconds(1)
        ) { $0 == CharacteristicIdentifier(.bit16(0xFFF1), occurrence: 1) ? "other" : nil }
        let services = try await connection.services()
        #expect(services.map(\.uuid) == ["180F"])
        #expect(services.first?.characteristics.map(\.handle) == [0x0012, 0x0015, 0x0020, 0x0022])
        #expect(services.first?.characteristics.map(\.name) == [nil, nil, nil, "other"])
        #expect(services.first?.characteristics.first?.properties == ["read", "notify"])
    }

    @Test(
        arguments: [
            ("2A19", 0x0012), ("00002a19-0000-1000-8000-00805f9b34fb", 0x0012), ("18", 0x0012), ("0x0012", 0x0012),
            ("34", 0x0022),
        ] as [(String, UInt16)])
    func characteristicIsNamedByItsHandleOrItsType(_ text: String, _ handle: UInt16) async throws {
        let connection = try await Self.connection(Self.link())
        let value = try await connection.read(try #require(CharacteristicReference(text)))
        #expect(value.handle == handle && value.value == Hexadecimal.string([UInt8(handle)]))
    }

    @Test(arguments: ["", "0", "-1", "+18", "65536", "0x", "0x12345", "2A1", "2A19 ", "level", "２A"])
    func otherTextsNameNoCharacteristic(_ text: String) { #expect(CharacteristicReference(text) == nil) }

    @Test func fourDigitsAreTheTypeIfThereIsSuchACharacteristic() throws {
        let device = Self.device(1)
        let reference = try #require(CharacteristicReference("1525"))
        let (byHandle, byType) = (Self.characteristic(0x2A19, 1525, .read), Self.characteristic(0x1525, 3, .read))
        #expect(try reference.find(among: [byHandle, byType], of: device) == byType)
        #expect(try reference.find(among: [byHandle], of: device) == byHandle)
    }

    @Test func requestsThatFailHaveCodes() async throws {
        let link = Self.link(refusals: [0x0012: .refused(.readNotPermitted), 0x0020: .disconnected("it is off")])
        let connection = try await Self.connection(link)
        func read(_ text: String) async -> EmulatorError? {
            await Self.error { _ = try await connection.read(try #require(CharacteristicReference(text))) }
        }
        #expect(await read("2A00")?.code == .unknownCharacteristic)
        let ambiguous = await read("FFF1")
        #expect(ambiguous?.code == .badProfile && ambiguous?.hint.contains("32, 34") == true)
        let refused = await read("18")
        #expect(refused?.code == .refusedAttribute && refused?.attError == 0x02)
        #expect(refused?.message == "C0:00:00:00:00:01 refused it: 0x02 (read not permitted)")
        #expect(await read("32")?.code == .conflict)
        let notNotifying = await Self.error {
            _ = try await connection.notifications(of: CharacteristicReference("32"))
        }
        #expect(notNotifying?.code == .badProfile)
    }

    @Test func requestThatRequiresEncryptionIsRefusedWithoutPairing() async throws {
        let connection = try await Self.connection(Self.link(refusals: [0x0012: .refused(.insufficientEncryption)]))
        let error = await Self.error { _ = try await connection.read(try #require(CharacteristicReference("2A19"))) }
        #expect(error?.attError == 0x0F)
    }

    // MARK: - Values that the device sends

    @Test func characteristicIsSubscribedWhileClientsFollowIt() async throws {
        let link = Self.link()
        let connection = try await Self.connection(link)
        let (first, second, all) = (EventLog<JSONValue>(), EventLog<JSONValue>(), EventLog<JSONValue>())
        let tasks = [
            try await Self.follow(connection, "2A19", in: first), try await Self.follow(connection, "18", in: second),
            try await Self.follow(connection, nil, in: all),
        ]
        link.notification.yield(RemoteNotification(handle: 0x0015, value: [1]))
        link.notification.yield(RemoteNotification(handle: 0x0012, value: [2]))
        link.notification.yield(RemoteNotification(handle: 0x0099, value: []))
        for log in [first, second] {
            let record = try await log.entry { _ in true }.members ?? [:]
            #expect(
                record["value"] == .text("02") && record["uuid"] == .text("2A19") && record["handle"] == .number(18))
        }
        let unknown = try await all.entry(3) { _ in true }.members ?? [:]
        #expect(unknown["uuid"] == nil && unknown["value"] == .text(""))
        for task in tasks { task.cancel() }
        try await link.calls.entry { $0 == .setNotifying(false, 0x0012) }
        #expect(link.calls.entries == [.setNotifying(true, 0x0012), .setNotifying(false, 0x0012)])
        let again = try await Self.follow(connection, "2A19", in: EventLog())
        #expect(link.calls.entries.last == .setNotifying(true, 0x0012))
        again.cancel()
    }

    @Test func unsubscriptionEndsTheStreamsOfTheCharacteristic() async throws {
        let link = Self.link()
        let connection = try await Self.connection(link)
        let (level, rate, all) = (EventLog<JSONValue>(), EventLog<JSONValue>(), EventLog<JSONValue>())
        let following = [
            try await Self.follow(connection, "2A19", in: level),
            try await Self.follow(connection, "2A19", in: EventLog()),
        ]
        let others = [
            try await Self.follow(connection, "2A37", in: rate), try await Self.follow(connection, nil, in: all),
        ]
        try await connection.unsubscribe(from: try #require(CharacteristicReference("2A19")))
        #expect(link.calls.entries.last == .setNotifying(false, 0x0012))
        for task in following { await task.value }
        #expect(level.entries.isEmpty)
        // The streams that ended do not end the next subscription.
        let again = EventLog<JSONValue>()
        let last = try await Self.follow(connection, "2A19", in: again)
        link.notification.yield(RemoteNotification(handle: 0x0015, value: [1]))
        link.notification.yield(RemoteNotification(handle: 0x0012, value: [2]))
        try await rate.entry { _ in true }
        try await again.entry { _ in true }
        try await all.entry(2) { _ in true }
        try await connection.unsubscribe(from: try #require(CharacteristicReference("2A37")))
        #expect(
            link.calls.entries == [
                .setNotifying(true, 0x0012), .setNotifying(true, 0x0015), .setNotifying(false, 0x0012),
                .setNotifying(true, 0x0012), .setNotifying(false, 0x0015),
            ])
        for task in others + [last] { task.cancel() }
    }

    @Test func subscriptionThatFailsHasNoFollower() async throws {
        let link = Self.link(refusals: [0x0015: .refused(.insufficientResources)])
        let connection = try await Self.connection(link)
        for _ in 0..<2 {
            let error = await Self.error { _ = try await connection.notifications(of: CharacteristicReference("2A37")) }
            #expect(error?.attError == 0x11)
        }
        #expect(link.calls.entries == [.setNotifying(true, 0x0015), .setNotifying(true, 0x0015)])
    }

    /// Requests in any order leave the characteristic as the last client needs it.
    @Test func clientsThatComeAndGoLeaveNoSubscription() async throws {
        let link = Self.link()
        let connection = try await Self.connection(link)
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let following = try? await Self.follow(connection, "2A19", in: EventLog())
                    following?.cancel()
                    await following?.value
                }
            }
        }
        while link.calls.entries.last != .setNotifying(false, 0x0012) { try await Task.sleep(for: .milliseconds(1)) }
        let calls = link.calls.entries
        let expected = calls.indices.map { ScriptedLink.Call.setNotifying($0.isMultiple(of: 2), 0x0012) }
        #expect(calls == expected)
    }
}
