// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio
import TestTraits
import Testing

@testable import BlueZService

@Suite(.realTime, .timeLimit(.minutes(10)))
@ServiceActor
struct ReceivedValuesTests {
    @Test func replyWaitsForTheValuesBeforeIt() async {
        let values = ReceivedValues()
        let link = CountedLink(2)
        var events: [String] = []
        let waiting = Task {
            await values.waitForThose(of: link)
            events.append("reply")
        }
        await Task.yield()
        for number in 1...2 {
            events.append("value \(number)")
            values.take()
        }
        await waiting.value
        #expect(events == ["value 1", "value 2", "reply"])
        // All are passed on: nothing to wait for.
        await values.waitForThose(of: link)
    }

    @Test func endOfTheLinkEndsTheWaiting() async {
        let values = ReceivedValues()
        let waiting = Task { await values.waitForThose(of: CountedLink(3)) }
        await Task.yield()
        values.end()
        await waiting.value
        await values.waitForThose(of: CountedLink(9))
        values.take()
    }
}

/// A link that has received a number of values.
private struct CountedLink: CountingLink {
    let notificationCount: Int
    let device = RemoteAddress(.zero, isRandom: false)
    let notifications = AsyncStream<RemoteNotification> { $0.finish() }

    init(_ count: Int) { notificationCount = count }

    func maximumTransmissionUnit() async throws(RemoteError) -> Int { 23 }
    func readRSSI() async throws(RemoteError) -> RSSI { throw .impossible("there is no radio") }
    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService] { [] }
    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic] { [] }
    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor] {
        []
    }
    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8] { [] }
    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {}
    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError) {}
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError) {}
    func waitForEnd() async -> String { "it has ended" }
    func disconnect() async {}
}
