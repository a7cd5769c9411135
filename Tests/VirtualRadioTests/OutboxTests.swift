// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing

@testable import VirtualRadio

@Suite struct OutboxTests {
    private func event(_ number: UInt8) -> HCIEventPacket { HCIEventPacket(code: 0x3E, parameters: [number]) }
    private func data(_ number: UInt8) -> HCIPacket {
        .acl(ACLDataPacket(handle: ConnectionHandle(1), boundary: .firstFlushable, payload: [number]))
    }

    private func drain(_ outbox: inout Outbox) -> [HCIPacket] {
        var packets: [HCIPacket] = []
        while let packet = outbox.popFirst() { packets.append(packet) }
        return packets
    }

    @Test func reportsAndOtherPacketsStayInOrder() {
        var outbox = Outbox()
        outbox.appendReport(event(1), limit: 10)
        outbox.append(data(2))
        outbox.append(data(3))
        outbox.appendReport(event(4), limit: 10)
        outbox.append(data(5))
        #expect(drain(&outbox) == [.event(event(1)), data(2), data(3), .event(event(4)), data(5)])
    }

    @Test func onlyTheOldestReportsAreDropped() {
        var outbox = Outbox()
        for number in UInt8(0)..<100 {
            outbox.appendReport(event(number), limit: 3)
            outbox.append(data(number))
        }
        let packets = drain(&outbox)
        #expect(packets.filter { if case .acl = $0 { true } else { false } } == (0..<100).map { data($0) })
        #expect(packets.filter { if case .event = $0 { true } else { false } } == (97..<100).map { .event(event($0)) })
        #expect(outbox.droppedReports == 97)
    }

    @Test func ringBufferIsAQueueOfAnySize() {
        var ring = RingBuffer<Int>()
        var expected: [Int] = []
        for number in 0..<1000 {
            ring.append(number)
            expected.append(number)
            if number % 3 == 0 { #expect(ring.popFirst(isBusy: number % 2 == 0) == expected.removeFirst()) }
            #expect(ring.count == expected.count && ring.first == expected.first)
        }
        while let number = ring.popFirst(isBusy: true) { #expect(number == expected.removeFirst()) }
        #expect(ring.isEmpty && expected.isEmpty && ring.first == nil)
    }
}
