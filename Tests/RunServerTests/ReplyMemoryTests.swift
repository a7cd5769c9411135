// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import RunServer

@Suite struct ReplyMemoryTests {
    /// The replies that were cut, in order.
    private final class Cuts: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func cut(_ name: String) -> @Sendable () -> Void { { [self] in names.withLock { $0.append(name) } } }
    }

    @Test func repliesWithinTheLimitAreNotCut() {
        let (memory, cuts) = (ReplyMemory(limit: 100), Cuts())
        _ = memory.hold(60, cut: cuts.cut("first"))
        _ = memory.hold(40, cut: cuts.cut("second"))
        #expect(cuts.all == [] && memory.bytes == 100)
    }

    @Test func replyThatWasReadLongestAgoIsCut() {
        let (memory, cuts) = (ReplyMemory(limit: 100), Cuts())
        let first = memory.hold(50, cut: cuts.cut("first"))
        _ = memory.hold(50, cut: cuts.cut("second"))
        first.advance()
        _ = memory.hold(50, cut: cuts.cut("third"))
        #expect(cuts.all == ["second"] && memory.bytes == 100)
    }

    @Test func replyLargerThanTheLimitIsAlone() {
        let (memory, cuts) = (ReplyMemory(limit: 100), Cuts())
        _ = memory.hold(50, cut: cuts.cut("small"))
        let large = memory.hold(500, cut: cuts.cut("large"))
        #expect(cuts.all == ["small"] && memory.bytes == 500)
        large.end()
        #expect(memory.bytes == 0)
    }

    @Test func endOfAReplyThatWasCutChangesNothing() {
        let (memory, cuts) = (ReplyMemory(limit: 100), Cuts())
        let first = memory.hold(80, cut: cuts.cut("first"))
        _ = memory.hold(80, cut: cuts.cut("second"))
        first.end()
        first.advance()
        #expect(cuts.all == ["first"] && memory.bytes == 80)
    }
}
