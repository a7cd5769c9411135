// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import TestSupport
import TestTraits
import Testing

/// Deadlines, cancellation and the watchdog: the call ends, and the next call succeeds.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct DeadlineTests {
    @Test func nothingWaitsForARadioThatDoesNotReturn() async throws {
        let radio = MuteRadio(hangs: true)
        defer { radio.releaseCalls() }
        let central = Central(radio: radio)
        await expect(.timedOut(after: .milliseconds(20))) { try await central.open(timeout: .milliseconds(20)) }
        await #expect(throws: CentralError.self) { try await central.open() }
        let otherRadio = MuteRadio()
        defer { otherRadio.releaseCalls() }
        let other = Central(radio: otherRadio)
        try await other.open()
        let device = RemoteAddress(Stage.address, isRandom: true)
        let peripheral = await other.peripheral(at: device)
        await expect(.timedOut(after: .milliseconds(20))) { try await peripheral.connect(timeout: .milliseconds(20)) }
        await expect(.timedOut(after: .milliseconds(20))) { try await peripheral.connect(timeout: .milliseconds(20)) }
        let task = Task { try await peripheral.connect() }
        task.cancel()
        await expect(.cancelled) { try await task.value }
        await peripheral.disconnect(timeout: .milliseconds(20))
        await other.close()
    }

    @Test func disconnectingCancelsAnAttempt() async throws {
        try await Stage.with { stage in
            let absent = await stage.central.peripheral(at: RemoteAddress(.zero, isRandom: false))
            let task = Task { try await absent.connect() }
            try await until { absent.state == .connecting }
            await absent.disconnect()
            await expect(.cancelled) { try await task.value }
            #expect(absent.state == .disconnected(nil))
            try await stage.peripheral.connect()
        }
    }

    @Test func attemptsAreRepeated() async throws {
        let clock = ManualClock()
        let radio = MuteRadio()
        defer { radio.releaseCalls() }
        let central = Central(radio: radio, clock: clock)
        try await central.open()
        let peripheral = await central.peripheral(at: RemoteAddress(Stage.address, isRandom: true))
        let task = Task {
            try await peripheral.connect(
                timeout: .seconds(4), retry: ConnectRetry(attempts: 3, pause: .seconds(1)))
        }
        for attempt in 1...3 {
            await clock.waitForSleeper(of: .seconds(4))
            clock.advance(by: .seconds(4))
            guard attempt < 3 else { break }
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        await expect(.timedOut(after: .seconds(4))) { try await task.value }
        #expect(clock.now.offset == .seconds(14))
        let cancelled = Task { try await peripheral.connect(retry: ConnectRetry(attempts: 3)) }
        await clock.waitForSleeper(of: Central.defaultTimeout)
        clock.advance(by: Central.defaultTimeout)
        await clock.waitForSleeper(of: .milliseconds(500))
        cancelled.cancel()
        await expect(.cancelled) { try await cancelled.value }
        await central.close()
    }

    @Test func operationCancelledBeforeItsTurnDoesNotStart() async throws {
        let clock = ManualClock()
        try await Stage.with(clock: clock) { stage in
            let value = try await stage.value()
            stage.peer.follow { pdu in pdu.first == 0x0A ? .these([]) : .asUsual }
            let read = Task { try await value.read(timeout: .milliseconds(50)) }
            try await until { stage.peer.received.contains { $0.first == 0x0A } }
            await clock.waitForSleeper(of: .milliseconds(50))
            clock.advance(by: .milliseconds(50))
            await expect(.timedOut(after: .milliseconds(50))) { _ = try await read.value }
            let write = Task { try await value.write([1], timeout: .milliseconds(50)) }
            await clock.waitForSleeper(of: .milliseconds(50))
            clock.advance(by: .milliseconds(50))
            await expect(.timedOut(after: .milliseconds(50))) { try await write.value }
            let cancelled = Task { try await value.write([2], timeout: .milliseconds(70)) }
            await clock.waitForSleeper(of: .milliseconds(70))
            cancelled.cancel()
            await expect(.cancelled) { try await cancelled.value }
            // The late response belongs to the read whose time is over.
            let last = Task { try await value.write([3], timeout: .milliseconds(90)) }
            await clock.waitForSleeper(of: .milliseconds(90))
            stage.peer.send([[0x0B, 42]])
            try await last.value
            #expect(stage.peer[ScriptedPeer.value] == [3])
            #expect(stage.peer.received.filter { $0.first == 0x12 }.map { $0.last } == [3])
            stage.peer.behave()
            #expect(try await value.read() == [3])
        }
    }

    @Test func operationsOfManyTasksDoNotMix() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let constant = try await value.service.discoverCharacteristic(ScriptedPeer.constant)
            stage.peer[ScriptedPeer.value] = [1]
            stage.peer[ScriptedPeer.constant] = [2]
            // They wait for each other within their time.
            let readers = (0..<200).map { number in
                Task { try await (number.isMultiple(of: 2) ? value : constant).read(timeout: .seconds(60)) }
            }
            for (number, reader) in readers.enumerated() {
                #expect(try await reader.value == [number.isMultiple(of: 2) ? 1 : 2])
            }
        }
    }

    @Test func cancelledTaskStartsNoOperation() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let count = stage.peer.received.count
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await value.write([1])
            }
            await expect(.cancelled) { try await task.value }
            #expect(stage.peer.received.count == count)
        }
    }

    @Test func cancelledTaskStillDisconnects() async throws {
        try await Stage.with { stage in
            let peripheral = try await stage.value().peripheral
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await peripheral.disconnect()
            }
            await task.value
            #expect(peripheral.state == .disconnected(.requested))
            try await until { !stage.peer.isConnected }
        }
    }

    // MARK: - The watchdog

    @Test func watchdogEndsASilentConnection() async throws {
        let clock = ManualClock()
        try await Stage.with(clock: clock) { stage in
            let peripheral = await stage.peripheral
            peripheral.watchdogInterval = .seconds(5)
            let value = try await stage.value()
            var states = peripheral.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            await clock.waitForSleeper(of: .seconds(5))
            clock.advance(by: .seconds(3))
            _ = try await value.read()
            await clock.waitForSleeper(of: .seconds(2))
            clock.advance(by: .seconds(2))
            await clock.waitForSleeper(of: .seconds(3))
            #expect(peripheral.isConnected)
            clock.advance(by: .seconds(3))
            let end = ConnectionEnd.watchdog(.seconds(5))
            while let state = await states.next(), state != .disconnected(end) {}
            #expect(peripheral.state == .disconnected(end))
            await expect(.disconnected(end)) { _ = try await value.read() }
            try await until { !stage.peer.isConnected }
        }
    }

    @Test func notificationsRestartTheWatchdog() async throws {
        let clock = ManualClock()
        try await Stage.with(clock: clock) { stage in
            let value = try await stage.value()
            let peripheral = value.peripheral
            peripheral.watchdogInterval = .seconds(5)
            await clock.waitForSleeper(of: .seconds(5))
            var values = value.notifications().makeAsyncIterator()
            stage.peer.follow { pdu in
                let notification = [0x1B] + stage.peer.handle(of: ScriptedPeer.value).serialized() + [0]
                return pdu.first == 0x12 ? .usualAnd([notification]) : .asUsual
            }
            _ = try await values.next()
            clock.advance(by: .seconds(4))
            stage.peer.notify([1])
            _ = try await values.next()
            clock.advance(by: .seconds(1))
            await clock.waitForSleeper(of: .seconds(4))
            peripheral.watchdogInterval = nil
            clock.advance(by: .seconds(100))
            _ = try await value.read()
            #expect(peripheral.isConnected)
        }
    }
}
