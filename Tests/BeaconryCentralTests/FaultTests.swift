// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import HCIRadio
import TestSupport
import TestTraits
import Testing

/// A device that misbehaves in every way, during every operation: the call ends with a typed error within its deadline,
/// and the next call succeeds.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct FaultTests {
    /// An operation on the device.
    enum Operation: String, CaseIterable, CustomTestStringConvertible {
        case discoverServices, discoverService, discoverCharacteristics, discoverDescriptors
        case read, readDescriptor, write, writeDescriptor, subscribe

        var testDescription: String { rawValue }

        /// The opcode of its request.
        var request: UInt8 {
            switch self {
            case .discoverServices: 0x10
            case .discoverService: 0x06
            case .discoverCharacteristics: 0x08
            case .discoverDescriptors: 0x04
            case .read, .readDescriptor: 0x0A
            case .write, .writeDescriptor, .subscribe: 0x12
            }
        }

        /// Whether error 0x0A ends a discovery.
        var isSearch: Bool {
            switch self {
            case .discoverServices, .discoverService, .discoverCharacteristics, .discoverDescriptors: true
            default: false
            }
        }
    }

    /// The attributes that were found before the fault.
    struct Found {
        let peripheral: Peripheral
        let value: Characteristic
        let descriptor: Descriptor

        init(_ stage: Stage) async throws {
            value = try await stage.value()
            peripheral = value.peripheral
            descriptor = try #require(try await value.discoverDescriptors().last)
        }

        func perform(_ operation: Operation, timeout: Duration) async throws {
            switch operation {
            case .discoverServices: _ = try await peripheral.discoverServices(timeout: timeout)
            case .discoverService: _ = try await peripheral.discoverServices([ScriptedPeer.service], timeout: timeout)
            case .discoverCharacteristics: _ = try await value.service.discoverCharacteristics(timeout: timeout)
            case .discoverDescriptors: _ = try await value.discoverDescriptors(timeout: timeout)
            case .read: _ = try await value.read(timeout: timeout)
            case .readDescriptor: _ = try await descriptor.read(timeout: timeout)
            case .write: try await value.write([9], timeout: timeout)
            case .writeDescriptor: try await descriptor.write([9], timeout: timeout)
            case .subscribe: for try await _ in value.notifications(timeout: timeout) {}
            }
        }
    }

    /// Checks that all operations succeed; connects first if necessary.
    private static func checkThatAllWorks(_ stage: Stage) async throws {
        let value = try await stage.value()
        let byte = UInt8.random(in: 0...255)
        try await value.write([byte])
        #expect(try await value.read() == [byte])
        #expect(try await value.discoverDescriptors().count == 2)
        let values = Task {
            for try await next in value.notifications() { return next }
            return []
        }
        try await until { stage.peer.subscription(to: ScriptedPeer.value) == .notification }
        stage.peer.notify([byte])
        #expect(try await values.value == [byte])
        try await until { stage.peer.subscription(to: ScriptedPeer.value) == [] }
    }

    @Test(arguments: Operation.allCases)
    func errorOfTheDeviceIsThrown(operation: Operation) async throws {
        try await Stage.with { stage in
            let found = try await Found(stage)
            for code in 0...255 as ClosedRange<UInt8> where code != 0x0A || !operation.isSearch {
                stage.peer.follow { pdu in
                    pdu.first == operation.request
                        ? .these([[0x01, operation.request, 0x01, 0x00, code]]) : .asUsual
                }
                let error = ATTError(rawValue: code)
                await expect(.refused(error)) { try await found.perform(operation, timeout: .seconds(300)) }
            }
            stage.peer.behave()
            #expect(found.peripheral.isConnected)
            try await found.perform(operation == .subscribe ? .read : .discoverServices, timeout: .seconds(300))
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test(arguments: Operation.allCases)
    func disconnectionByTheDeviceIsThrown(operation: Operation) async throws {
        try await Stage.with { stage in
            let found = try await Found(stage)
            stage.peer.follow { pdu in pdu.first == operation.request ? .hangUp : .asUsual }
            let end = ConnectionEnd.lost("remote user terminated connection (0x13)")
            await expect(.disconnected(end)) { try await found.perform(operation, timeout: .seconds(300)) }
            #expect(found.peripheral.state == .disconnected(end))
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test(arguments: Operation.allCases)
    func powerLossOfTheDeviceIsThrown(operation: Operation) async throws {
        try await Stage.with { stage in
            let found = try await Found(stage)
            stage.peer.follow { pdu in pdu.first == operation.request ? .vanish : .asUsual }
            // The link layer notices after its supervision timeout of 4.2 s.
            let end = ConnectionEnd.lost("connection timeout (0x08)")
            await expect(.disconnected(end)) { try await found.perform(operation, timeout: .seconds(30)) }
            let again = try stage.restartPeer()
            try await Self.checkThatAllWorks(again)
            again.peer.vanish()
        }
    }

    @Test(arguments: Operation.allCases)
    func lateResponseIsIgnored(operation: Operation) async throws {
        let (clock, time) = (ManualClock(), Duration.milliseconds(100))
        try await Stage.with(clock: clock) { stage in
            let found = try await Found(stage)
            let count = stage.peer.received.count
            stage.peer.follow { pdu in pdu.first == operation.request ? .these([]) : .asUsual }
            let late = Task { try await found.perform(operation, timeout: time) }
            try await until { stage.peer.received.dropFirst(count).contains { $0.first == operation.request } }
            await clock.waitForSleeper(of: time)
            clock.advance(by: time)
            await expect(.timedOut(after: time)) { try await late.value }
            stage.peer.send([Self.refusal(of: operation.request)])
            stage.peer.behave()
            #expect(found.peripheral.isConnected)
            try await Self.checkThatAllWorks(stage)
        }
    }

    private static func refusal(of request: UInt8) -> [UInt8] { [0x01, request, 0x01, 0x00, 0x0E] }

    @Test(arguments: Operation.allCases)
    func secondResponseIsIgnored(operation: Operation) async throws {
        try await Stage.with { stage in
            let found = try await Found(stage)
            let refusal = Self.refusal(of: operation.request)
            stage.peer.follow { pdu in
                pdu.first == operation.request ? .these([refusal, refusal, refusal]) : .asUsual
            }
            await expect(.refused(.unlikely)) { try await found.perform(operation, timeout: .seconds(300)) }
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test(arguments: Operation.allCases)
    func malformedResponsesAreErrors(operation: Operation) async throws {
        let response = operation.request + 1
        // Responses that cannot be parsed, or that do not match the request.
        let garbage: [[UInt8]] =
            switch operation {
            case .discoverServices:
                [[response], [response, 6], [response, 6, 0, 0, 0, 0, 0, 0], [response, 5, 1, 0, 9, 0, 1]]
            case .discoverService: [[response], [response, 1], [response, 0, 0, 0, 0], [response, 9, 0, 1, 0]]
            case .discoverCharacteristics:
                [[response], [response, 7], [response, 7, 1, 0, 2, 0xFF, 0xFF, 0, 0], [response, 2, 0xFF, 0xFF]]
            case .discoverDescriptors:
                [[response], [response, 1], [response, 1, 0, 0, 2, 0x29], [response, 9, 1, 1]]
            case .read, .readDescriptor, .write, .writeDescriptor, .subscribe: []
            }
        // PDUs that are not responses are ignored, and then the request has no response.
        let noise: [[UInt8]] = [
            [], [0x01], [0x01, operation.request], [0xFF], [0x01, 0x77, 0, 0, 1], [0x1E], [0x55, 1, 2],
            [UInt8](repeating: 0xA5, count: 200),
        ]
        try await Stage.with { stage in
            let found = try await Found(stage)
            for answer in garbage {
                stage.peer.follow { pdu in pdu.first == operation.request ? .these([answer]) : .asUsual }
                let error = await #expect(throws: CentralError.self) {
                    try await found.perform(operation, timeout: .seconds(300))
                }
                #expect(error?.code == "impossible", "\(answer): \(String(describing: error))")
            }
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
            stage.peer.follow { pdu in
                pdu.first == operation.request
                    ? .late(.milliseconds(100), noise + [Self.refusal(of: operation.request)]) : .asUsual
            }
            await expect(.refused(.unlikely)) { try await found.perform(operation, timeout: .seconds(300)) }
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
        }
    }

    // MARK: - Connecting

    @Test func absentDeviceTimesOut() async throws {
        try await Stage.with { stage in
            let absent = await stage.central.peripheral(at: RemoteAddress(.zero, isRandom: true))
            await expect(.timedOut(after: .milliseconds(100))) {
                try await absent.connect(timeout: .milliseconds(100))
            }
            #expect(absent.state == .disconnected(nil))
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test func connectionThatEndsAtOnceIsAnError() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            stage.peer.follow { _ in .hangUp }
            let error = await #expect(throws: CentralError.self) {
                try await peripheral.connect(timeout: .seconds(300))
            }
            #expect(error?.code == "radio" && error?.message.contains("lost at once") == true)
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test func nextAttemptSucceeds() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            let attempts = Counter()
            stage.peer.follow { _ in
                attempts.add()
                return attempts.count < 3 ? .hangUp : .asUsual
            }
            try await peripheral.connect(retry: ConnectRetry(attempts: 5, pause: .milliseconds(10)))
            #expect(attempts.count == 3)
            stage.peer.behave()
            try await Self.checkThatAllWorks(stage)
        }
    }

    @Test func powerLossWhileConnectingIsAnError() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            stage.peer.follow { _ in .vanish }
            await expect(.timedOut(after: .milliseconds(500))) {
                try await peripheral.connect(timeout: .milliseconds(500))
            }
            let again = try stage.restartPeer()
            try await peripheral.connect(timeout: .seconds(20), retry: ConnectRetry(attempts: 5))
            try await Self.checkThatAllWorks(again)
            again.peer.vanish()
        }
    }

    @Test func lostAirIsReported() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let scan = Task { for try await _ in stage.central.scan() {} }
            await stage.air.close()
            let error = await #expect(throws: CentralError.self) { _ = try await value.read() }
            #expect(error?.code == "disconnected")
            let end = await #expect(throws: CentralError.self) { try await scan.value }
            #expect(end?.code == "radio")
            await #expect(throws: CentralError.self) { try await value.peripheral.connect(timeout: .seconds(1)) }
            await #expect(throws: CentralError.self) { _ = try await stage.central.find(timeout: .seconds(1)) }
        }
    }
}
