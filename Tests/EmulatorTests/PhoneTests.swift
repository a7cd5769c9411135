// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Radio
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Emulator

@Suite(.realTime, .timeLimit(.minutes(10))) struct PhoneTests {
    private static let profile = """
        phone: iphone
        pairing: off
        notifications:
          - { id: text, category: social, title: Robert, positive-action: Answer }
          - { id: call, at: 1s, category: incoming-call, title: Davidson }
        changes: [{ at: 2s, service: away }]
        """
    private static let accessory = ANCSAccessory(ANCSAccessory.Configuration()).advertisement.advertisingData
        .serialized()

    /// A radio with scripted sightings and connections.
    private final class OneDeviceRadio: ServingRadio {
        let name = "one device"
        let served = EventLog<ServedAttributes?>()
        let link = ScriptedLink()
        private let data: [[UInt8]]
        private let refusals: Mutex<Int>

        /// - Parameter refusals: The number of failed connection attempts.
        init(receiving data: [[UInt8]], refusals: Int = 0) {
            self.data = data
            self.refusals = Mutex(refusals)
        }

        func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities {
            ReceivingCapabilities(name: name, way: "script", address: nil)
        }
        func states() async -> AsyncStream<CentralRadioState> { AsyncStream { $0.yield(.ready) } }
        func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
            let (stream, continuation) = AsyncStream.makeStream(of: Sighting.self)
            for data in data {
                continuation.yield(
                    Sighting(
                        device: RemoteAddress(.zero, isRandom: true), pdu: .connectableScannable, data: data, rssi: nil)
                )
            }
            return stream
        }
        func stopScanning() async {}
        func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
            let isRefused = refusals.withLock { count in
                count -= 1
                return count >= 0
            }
            if isRefused { throw RadioError(.refused, "it does not answer", hint: "try again") }
            return link
        }
        func serve(_ attributes: ServedAttributes?) async throws(RadioError) { served.append(attributes) }
        func close() async {}
    }

    private struct Run {
        let events = EventLog<EventRecord>()
        let clock = ManualClock()
        let radio: OneDeviceRadio
        let task: Task<Void, any Error>

        init(_ radio: OneDeviceRadio) throws {
            self.radio = radio
            let phone = Phone(try PhoneProfile(parsing: PhoneTests.profile, file: "phone.yaml"), clock: clock)
            let stream = phone.events.listen()
            Task { [events] in
                for await event in stream { events.append(EventRecord(event)) }
                events.end()
            }
            task = Task { try await phone.run(on: radio) }
        }

        func event(_ name: String, _ count: Int = 1) async throws -> EventRecord {
            try await events.entry(count) { $0.event == name }
        }

        func end() async {
            task.cancel()
            _ = await task.result
        }
    }

    private static let source = CharacteristicIdentifier(ANCSService.notificationSource)
    private static let control = CharacteristicIdentifier(ANCSService.controlPoint)
    private static let data = CharacteristicIdentifier(ANCSService.dataSource)

    private static func write(_ number: UInt64, _ value: [UInt8], offset: Int = 0) -> ServedRequest {
        ServedRequest(number: number, characteristic: control, operation: .write(offset: offset, value: value))
    }

    @Test func accessoryIsFoundServedAndNotified() async throws {
        let other = try Hexadecimal.bytes("020106" + "1107" + String(repeating: "00", count: 16))
        let run = try Run(OneDeviceRadio(receiving: [[], other, Self.accessory]))
        let link = run.radio.link
        #expect(try await run.event("accessory-found").advertisingData == Hexadecimal.string(Self.accessory))
        _ = try await run.event("connected")
        link.serving.yield(.subscribed(Self.data, .notification))
        link.serving.yield(.subscribed(Self.source, .notification))
        _ = try await run.event("session-began")
        #expect(try await run.event("notification-added").notification?.name == "text")
        try await link.calls.entry { $0 == .notify([0, 0x0C, 4, 1, 0, 0, 0, 0], Self.source) }

        let asking = Self.write(1, [0, 0, 0, 0, 0, 1, 64, 0])
        link.serving.yield(.request(asking))
        let answer = try Hexadecimal.bytes("0000000000010600526f62657274")
        try await link.calls.entry { $0 == .notify(answer, Self.data) }
        let calls = link.calls.entries
        let responded = try #require(calls.firstIndex(of: .respond(asking, .success([]))))
        let notified = try #require(calls.firstIndex(of: .notify(answer, Self.data)))
        #expect(responded < notified, "the command is acknowledged before it is answered")

        let nonsense = Self.write(2, [9])
        link.serving.yield(.request(nonsense))
        try await link.calls.entry { $0 == .respond(nonsense, .failure(.ancsUnknownCommand)) }
        #expect(try await run.event("refused").code == "0xA0")
        let part = Self.write(3, [0], offset: 4)
        link.serving.yield(.request(part))
        try await link.calls.entry { $0 == .respond(part, .failure(.invalidOffset)) }

        link.serving.yield(.request(Self.write(4, [2, 0, 0, 0, 0, 0])))
        #expect(try await run.event("action-performed").name == "text")
        await run.end()
    }

    @Test func scriptRunsAndTheServiceIsRemoved() async throws {
        let run = try Run(OneDeviceRadio(receiving: [Self.accessory]))
        let link = run.radio.link
        link.serving.yield(.subscribed(Self.source, .notification))
        _ = try await run.event("notification-added")
        await run.clock.waitForSleeper(of: .seconds(1))
        run.clock.advance(by: .seconds(1))
        #expect(try await run.event("notification-added", 2).notification?.name == "call")
        await run.clock.waitForSleeper(of: .seconds(1))
        run.clock.advance(by: .seconds(1))
        _ = try await run.event("session-ended")
        _ = try await run.event("service-away")
        #expect(run.radio.served.entries.map { $0?.services.count } == [1, 0])
        #expect(run.radio.served.entries.first??.name == "iphone")
        await run.end()
    }

    @Test func disconnectedAccessoryIsLookedForAgain() async throws {
        let run = try Run(OneDeviceRadio(receiving: [Self.accessory], refusals: 1))
        #expect(try await run.event("connection-failed").hint == "try again")
        await run.clock.waitForSleeper(of: .seconds(1))
        run.clock.advance(by: .seconds(1))
        _ = try await run.event("connected")
        run.radio.link.end("it is out of range")
        #expect(try await run.event("disconnected").reason == "it is out of range")
        _ = try await run.event("looking", 3)
        await run.end()
    }

    @Test func phoneThatNeedsPairingRequiresEncryption() async throws {
        let text = Self.profile.replacing("pairing: off", with: "pairing: required")
        let phone = Phone(try PhoneProfile(parsing: text, file: "phone.yaml"), clock: ManualClock())
        let events = phone.events.listen()
        let radio = OneDeviceRadio(receiving: [Self.accessory])
        let task = Task { try await phone.run(on: radio) }
        for await event in events.map({ EventRecord($0) }) where event.event == "pairing-failed" {
            #expect(event.code == "unsupported")
            break
        }
        #expect(radio.served.entries.first??.services == [ANCSService.declaration(security: .encryption)])
        task.cancel()
        _ = await task.result
    }
}
