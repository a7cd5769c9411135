// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Synchronization
import TestTraits
import Testing

@testable import BlueZRadio

/// Waiting for a property of an object of bluetoothd.
@Suite(.realTime, .timeLimit(.minutes(10))) final class DeviceChangesTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let characteristic: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0010/char0011"
    private struct Failure: Error {}

    private static func waitForever(_ changes: DeviceChanges) async -> Int? {
        await changes.first(of: device, within: .seconds(600)) { () async -> Int? in nil }
    }

    private let changes = DeviceChanges()
    private let checks = Mutex(0)

    private func count() -> Int {
        checks.withLock { checks in
            checks += 1
            return checks
        }
    }

    @Test func resultOfTheFirstCheckIsReturnedAtOnce() async {
        let value = await changes.first(of: Self.device, within: .seconds(600)) { count() }
        #expect(value == 1)
    }

    /// The first check causes the signal itself, so that the second one cannot be that of the period.
    @Test(arguments: [device, characteristic])
    func changeOfAnObjectOrOfOneBelowItIsFollowedByACheck(_ path: ObjectPath) async {
        // One period is as long as the time limit of this suite.
        let changes = DeviceChanges(period: .seconds(600))
        for _ in 0..<100 {
            let start = checks.withLock { $0 }
            let value = await changes.first(of: Self.device, within: .seconds(600)) { () async -> Int? in
                let number = count() - start
                if number == 1 { changes.note(path) }
                return number == 2 ? number : nil
            }
            #expect(value == 2)
        }
    }

    @Test func objectWithoutASignalIsCheckedPeriodically() async {
        let changes = DeviceChanges(period: .milliseconds(1))
        let value = await changes.first(of: Self.device, within: .seconds(600)) { () async -> Int? in
            count() == 10 ? 10 : nil
        }
        #expect(value == 10)
    }

    @Test func changeOfAnotherObjectIsNotFollowedByACheck() async {
        let changes = DeviceChanges(period: .seconds(600))
        let value = await changes.first(of: Self.device, within: .milliseconds(50)) { () async -> Int? in
            changes.note("/org/bluez/hci0/dev_C0_FF_EE_00_00_02")
            return count() == 3 ? 3 : nil
        }
        #expect(value == nil)
    }

    @Test func objectIsCheckedWhenTheTimeIsOver() async {
        let changes = DeviceChanges(period: .seconds(600))
        let value = await changes.first(of: Self.device, within: .milliseconds(1)) { () async -> Int? in
            count() == 2 ? 2 : nil
        }
        #expect(value == 2)
        #expect(await changes.first(of: Self.device, within: .zero) { () async -> Int? in nil } == nil)
    }

    @Test func errorOfACheckEndsTheWait() async {
        await #expect(throws: Failure.self) {
            try await changes.first(of: Self.device, within: .seconds(600)) { () async throws(Failure) -> Int? in
                changes.note(Self.device)
                guard count() < 2 else { throw Failure() }
                return nil
            }
        }
    }

    @Test func cancelledTaskWaitsNoLonger() async {
        let values = await withTaskGroup { [changes] group in
            group.addTask { await Self.waitForever(changes) }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == [nil])
    }
}
