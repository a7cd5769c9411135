// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Protobuf
import Radio
import TestSupport
import Testing

@testable import ESPHomeProxy

/// The session of a client with a proxy, message by message, in plaintext.
@Suite struct ClientSessionTests {
    private static let identity = ProxyIdentity(
        name: "Kitchen", address: BluetoothAddress("06:BE:AC:01:02:03") ?? .zero, isEncrypted: false)

    /// A session, and what it does.
    private struct Bench {
        var session = ClientSession(key: nil)
        var time = Duration.zero
        var actions: [ClientSession.Action] = []

        /// The messages that were sent since the last call, by their types.
        mutating func sent() throws -> [ClientMessage] {
            var channel = MessageChannel(key: nil, name: "", address: .zero)
            for case .send(let bytes) in actions { channel.append(bytes) }
            var messages: [ClientMessage] = []
            while case .message(let type, let body)? = channel.next() {
                messages.append(try ClientMessage(type: type, body: body))
            }
            actions = []
            return messages
        }

        /// What was done except for sending since the last call.
        mutating func results() -> [ClientSession.Action] {
            defer { actions = [] }
            return actions.filter { if case .send = $0 { false } else { true } }
        }

        mutating func start() { actions += session.start(at: time) }

        mutating func receive(_ message: ServerMessage) { receive(type: message.type, message.body) }

        mutating func receive(type: UInt16, _ body: [UInt8]) {
            actions += session.receive(Frame.plaintext(type: type, body: body) ?? [], at: time)
        }

        mutating func wait(_ duration: Duration) {
            time += duration
            actions += session.tick(at: time)
        }

        /// Brings the session to its state `ready`.
        mutating func open() {
            start()
            receive(.hello(ProxyGreeting(ClientSessionTests.identity)))
            receive(.deviceInfo(ClientSessionTests.identity))
            actions = []
        }

        mutating func subscribe() {
            actions += session.subscribe(at: time)
            receive(.scannerState(.running, isActive: true, isActiveByDefault: true))
            actions = []
        }
    }

    /// A description with certain fields.
    private static func description(features: UInt32, version: String = "2026.10.0") -> [UInt8] {
        var writer = ProtobufWriter()
        writer.string(2, "kitchen")
        writer.string(4, version)
        writer.uint32(15, features)
        return writer.bytes
    }

    private static func greeting(_ major: UInt32, _ minor: UInt32) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.uint32(1, major)
        writer.uint32(2, minor)
        return writer.bytes
    }

    @Test func sessionGoesThroughItsStates() throws {
        var bench = Bench()
        bench.start()
        #expect(try bench.sent() == [.hello(info: "Beaconry", major: 1, minor: 15), .authentication])
        bench.receive(.hello(ProxyGreeting(Self.identity)))
        bench.receive(.authenticated(true))
        #expect(try bench.sent() == [.deviceInfo])
        bench.receive(.deviceInfo(Self.identity))
        #expect(bench.results() == [.ready(Self.identity)])
        bench.actions += bench.session.subscribe(at: bench.time)
        #expect(try bench.sent() == [.subscribeAdvertisements])
        bench.receive(.scannerState(.starting, isActive: true, isActiveByDefault: true))
        bench.receive(.scannerState(.running, isActive: true, isActiveByDefault: true))
        #expect(bench.results() == [.subscribed])
        bench.receive(type: 93, [10, 9, 8, 1, 16, 117, 34, 3, 2, 1, 6])
        let device = RemoteAddress(BluetoothAddress(number: 1) ?? .zero, isRandom: false)
        #expect(bench.results() == [.received([Sighting(device: device, pdu: nil, data: [2, 1, 6], rssi: RSSI(-59))])])
        bench.actions += bench.session.unsubscribe()
        #expect(try bench.sent() == [.unsubscribeAdvertisements])
        // Those on the way are left out.
        bench.receive(type: 93, [10, 9, 8, 1, 16, 117, 34, 3, 2, 1, 6])
        #expect(bench.results().isEmpty)
        bench.actions += bench.session.leave(at: bench.time)
        #expect(try bench.sent() == [.disconnect])
        bench.receive(.disconnected)
        #expect(bench.results() == [.end(nil)])
        #expect(bench.session.connectionEnded().isEmpty)
    }

    @Test func leavingEndsTheSubscription() throws {
        var bench = Bench()
        bench.open()
        bench.subscribe()
        bench.actions += bench.session.leave(at: bench.time)
        #expect(try bench.sent() == [.unsubscribeAdvertisements, .disconnect])
    }

    @Test func capabilitiesReplaceTheDescriptionOfNewProxies() throws {
        var bench = Bench()
        bench.start()
        bench.receive(type: 2, Self.greeting(1, 19))
        bench.receive(type: 10, Self.description(features: 0))
        #expect(try bench.sent().suffix(2) == [.deviceInfo, .capabilities])
        let address = try #require(BluetoothAddress("06:BE:AC:01:02:04"))
        bench.receive(.capabilities(Self.identity.features, address))
        guard case .ready(let identity)? = bench.results().first else {
            Issue.record("the session is not ready")
            return
        }
        #expect(identity.address == address && identity.features == Self.identity.features)
        #expect(identity.name == "kitchen" && identity.version == "2026.10.0")
    }

    private static let endings: [(name: String, play: @Sendable (inout Bench) -> Void, fault: ProxyFault?)] = [
        (
            "no answer",
            {
                $0.start()
                $0.wait(.seconds(9))
                $0.wait(.seconds(1))
            }, .silent(.seconds(10))
        ),
        (
            "no description",
            { bench in
                bench.start()
                bench.wait(.seconds(9))
                bench.receive(.hello(ProxyGreeting(identity)))
                bench.wait(.seconds(9))
                bench.wait(.seconds(1))
            }, .silent(.seconds(10))
        ),
        (
            "another API",
            {
                $0.start()
                $0.receive(type: 2, greeting(3, 0))
            }, .version(3)
        ),
        (
            "a password",
            {
                $0.start()
                $0.receive(.authenticated(false))
            }, .password
        ),
        (
            "not a proxy",
            { bench in
                bench.start()
                bench.receive(type: 2, greeting(1, 12))
                bench.receive(type: 10, description(features: 0))
                bench.receive(.disconnected)
            }, .notAProxy("kitchen")
        ),
        (
            "not a proxy by its capabilities",
            { bench in
                bench.start()
                bench.receive(type: 2, greeting(1, 15))
                bench.receive(type: 10, description(features: 0xFF))
                bench.receive(type: 150, [])
                bench.wait(.seconds(2))
            }, .notAProxy("kitchen")
        ),
        (
            "parsed advertisements",
            { bench in
                bench.start()
                bench.receive(type: 2, greeting(1, 9))
                bench.receive(type: 10, description(features: 0x1F, version: "2023.2.0"))
                bench.actions += bench.session.connectionEnded()
            }, .parsedOnly("2023.2.0")
        ),
        (
            "a malformed message",
            {
                $0.start()
                $0.receive(type: 2, [8])
            }, .channel(.malformed("its message of type 2 is malformed (byte 1: 1 more byte expected, 0 left)"))
        ),
        (
            "a wrong frame",
            {
                $0.start()
                $0.actions += $0.session.receive([0x48], at: $0.time)
            }, .channel(.malformed("it does not send frames of ESPHome's API"))
        ),
        (
            "an early end",
            {
                $0.start()
                $0.actions += $0.session.connectionEnded()
            }, .ended(isEarly: true)
        ),
        (
            "an end",
            {
                $0.open()
                $0.actions += $0.session.connectionEnded()
            }, .ended(isEarly: false)
        ),
        (
            "the proxy leaves",
            {
                $0.open()
                $0.receive(.disconnect)
            }, .left
        ),
        (
            "another subscriber",
            { bench in
                bench.open()
                bench.actions += bench.session.subscribe(at: bench.time)
                bench.receive(.ping)
                bench.wait(.seconds(10))
                bench.receive(.disconnected)
            }, .subscribed
        ),
        (
            "a scanner that is idle",
            { bench in
                bench.open()
                bench.actions += bench.session.subscribe(at: bench.time)
                bench.receive(.scannerState(.failed, isActive: true, isActiveByDefault: true))
                bench.wait(.seconds(10))
                bench.receive(.disconnect)
            }, .notScanning(.failed)
        ),
        (
            "silence",
            { bench in
                bench.open()
                bench.subscribe()
                for _ in 0..<6 { bench.wait(.seconds(10)) }
            }, .silent(.seconds(60))
        ),
        (
            "leaving early",
            {
                $0.start()
                $0.actions += $0.session.leave(at: $0.time)
            }, nil
        ),
        (
            "leaving without an answer",
            {
                $0.open()
                $0.actions += $0.session.leave(at: $0.time)
                $0.wait(.seconds(2))
            }, nil
        ),
        (
            "both leave",
            {
                $0.open()
                $0.actions += $0.session.leave(at: $0.time)
                $0.receive(.disconnect)
            }, nil
        ),
        (
            "the connection ends while leaving",
            {
                $0.open()
                $0.actions += $0.session.leave(at: $0.time)
                $0.actions += $0.session.connectionEnded()
            }, nil
        ),
    ]

    @Test(arguments: endings.indices)
    func sessionsEndForAReason(_ index: Int) {
        let (name, play, fault) = Self.endings[index]
        var bench = Bench()
        play(&bench)
        let ends = bench.results().filter { if case .end = $0 { true } else { false } }
        #expect(ends == [.end(fault)], "\(name)")
        // Nothing follows.
        bench.wait(.seconds(100))
        bench.receive(.ping)
        #expect(bench.actions.isEmpty, "\(name)")
    }

    @Test func pingsAreAnsweredAndSent() throws {
        var bench = Bench()
        bench.start()
        bench.receive(.ping)
        #expect(try bench.sent().last == .pong)
        bench.receive(.hello(ProxyGreeting(Self.identity)))
        bench.receive(.deviceInfo(Self.identity))
        bench.actions = []
        bench.wait(.seconds(19))
        #expect(try bench.sent().isEmpty)
        bench.wait(.seconds(1))
        #expect(try bench.sent() == [.ping])
        bench.wait(.seconds(1))
        #expect(try bench.sent().isEmpty)
        // A second one, before the proxy is lost.
        bench.wait(.seconds(20))
        #expect(try bench.sent() == [.ping])
        bench.receive(.pong)
        bench.wait(.seconds(10))
        #expect(bench.actions.isEmpty)
    }

    @Test func olderProxiesDoNotReportTheirScanner() throws {
        var bench = Bench()
        bench.start()
        bench.receive(type: 2, Self.greeting(1, 9))
        bench.receive(type: 10, Self.description(features: 0x3F))
        bench.actions = []
        bench.actions += bench.session.subscribe(at: bench.time)
        #expect(bench.results() == [.subscribed])
        bench.wait(.seconds(15))
        #expect(bench.results().isEmpty)
    }

    @Test func advertisementsAcceptTheSubscription() {
        var bench = Bench()
        bench.open()
        // Without a subscription nothing is passed on.
        bench.receive(type: 93, [10, 2, 8, 1])
        #expect(bench.results().isEmpty)
        bench.actions += bench.session.subscribe(at: bench.time)
        bench.receive(type: 93, [10, 2, 8, 1])
        #expect(bench.results().first == .subscribed)
    }

    @Test func everyFaultIsASentenceWithAHint() {
        let faults: [ProxyFault] = [
            .unreachable("Connection refused (ECONNREFUSED)"), .silent(.seconds(10)), .notReading,
            .channel(.keyRequired),
            .channel(.noKey),
            .channel(.otherKey), .channel(.refusedHandshake("Handshake error")),
            .channel(.malformed("its frame is malformed")),
            .password, .version(3), .notAProxy("kitchen"), .parsedOnly("2023.2.0"), .subscribed, .notScanning(.idle),
            .left,
            .ended(isEarly: true), .ended(isEarly: false), .closed,
        ]
        let errors = faults.map { $0.error(of: "esphome:kitchen:6053") }
        #expect(Set(errors.map(\.message)).count == faults.count)
        for error in errors {
            #expect(!error.hint.isEmpty && !error.message.hasSuffix(".") && !error.message.contains("\n"))
            #expect(error.message.hasPrefix("esphome:kitchen:6053 ") || error.message == "the radio was closed")
        }
        // Texts of a peer are for people only after a check.
        let text = ProxyFault.notAProxy("\u{1B}[31m\n" + String(repeating: "x", count: 500)).error(of: "esphome:a:1")
            .message
        #expect(text.count < 130 && !text.contains("\u{1B}") && !text.contains("\n"))
    }
}
