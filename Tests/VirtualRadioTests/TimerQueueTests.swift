// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct TimerQueueTests {
    @Test func timersFireInOrderOfDeadlineThenOfSetting() {
        var queue = TimerQueue()
        let timers = (0..<6).map { queue.add(.link(Int32($0))) }
        for (timer, deadline) in zip(timers, [30, 10, 20, 10, 30, 10] as [AirTime]) {
            queue.schedule(timer, at: deadline)
        }
        var owners: [TimerOwner] = []
        while let next = queue.popFirst(notAfter: 100) { owners.append(next.owner) }
        #expect(owners == [1, 3, 5, 2, 0, 4].map { .link($0) })
    }

    @Test func laterTimersStay() {
        var queue = TimerQueue()
        let timer = queue.add(.advertisingSet(7))
        queue.schedule(timer, at: 50)
        #expect(queue.popFirst(notAfter: 49) == nil)
        #expect(queue.firstDeadline == 50 && queue.deadline(of: timer) == 50)
        #expect(queue.popFirst(notAfter: 50)?.owner == .advertisingSet(7))
        #expect(queue.firstDeadline == nil && queue.deadline(of: timer) == nil)
    }

    @Test func queueAgreesWithASortedList() {
        var generator = SplitMix64(seed: 1)
        var queue = TimerQueue()
        let timers = (0..<200).map { queue.add(.link(Int32($0))) }
        var expected: [Int: (deadline: AirTime, order: Int)] = [:]
        for step in 0..<20_000 {
            let index = Int.random(in: 0..<timers.count, using: &generator)
            switch Int.random(in: 0...3, using: &generator) {
            case 0:
                queue.cancel(timers[index])
                expected[index] = nil
            case 1:
                let first = expected.min { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) }
                let next = queue.popFirst(notAfter: .max)
                #expect(next?.owner == first.map { .link(Int32($0.key)) })
                if let first { expected[first.key] = nil }
            default:
                let deadline = AirTime.random(in: 0...1000, using: &generator)
                queue.schedule(timers[index], at: deadline)
                expected[index] = (deadline, step)
            }
            #expect(queue.count == expected.count)
        }
    }

    @Test func timerThatIsSetAgainOccupiesOnePlace() {
        var queue = TimerQueue()
        let timer = queue.add(.link(0))
        for deadline in AirTime(0)..<1000 { queue.schedule(timer, at: deadline) }
        #expect(queue.count == 1)
        queue.remove(timer)
        #expect(queue.count == 0 && queue.add(.link(1)) == timer)
    }
}
