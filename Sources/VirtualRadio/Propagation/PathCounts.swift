// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The packets of each path on which one was received.
///
/// Entries are in pages of a transmitter and of 16 receivers; there is no page before the first packet. Receivers are numbered in
/// the order of their first packet, so that the page of a path is found in a flat array.
struct PathCounts: Sendable {
    /// The packets of a path, from the first that was received on.
    struct Count: Sendable {
        var packets: UInt32 = 0
        var lost: UInt32 = 0
        /// The RSSI of the last packet that was received, in dBm; NaN before it.
        var lastRSSI = Float.nan
    }

    private static let pageSize = 16

    /// The packets of a path that were received.
    private struct Received {
        var packets: UInt32 = 0
        var lastRSSI = Float.nan
    }

    /// The lost packets of a path before its first packet that counts.
    private static let uncounted = UInt32.max

    private var received: [Received] = []
    /// The lost packets, or `uncounted`; apart, since most packets in a crowd are lost, and this is all that each of them needs.
    private var lost: [UInt32] = []
    private var freePages: [Int32] = []
    /// The number of a receiver by its controller; -1 before its first packet.
    private var receivers: [Int32] = []
    private var receiverCount = 0
    /// The page of a transmitter's controller and of 16 receivers; -1 for none.
    private var pages: [Int32] = []
    private var pagesPerTransmitter = 1
    private var transmitterCount = 0

    /// The packets from a transmitter to a receiver; `nil` if none was received.
    func count(from transmitter: Int, to receiver: Int) -> Count? {
        guard let index = index(transmitter, receiver), lost[index] != Self.uncounted else { return nil }
        return Count(
            packets: received[index].packets &+ lost[index], lost: lost[index], lastRSSI: received[index].lastRSSI)
    }

    /// Counts a packet that was received.
    mutating func noteReceived(from transmitter: Int, to receiver: Int, rssi: Double) {
        let index = index(transmitter, receiver) ?? add(transmitter, receiver)
        if lost[index] == Self.uncounted { lost[index] = 0 }
        received[index].packets &+= 1
        received[index].lastRSSI = Float(rssi)
    }

    /// Counts a packet that was lost.
    /// - Parameter isFirst: whether it counts even if no packet was received before.
    mutating func noteLost(from transmitter: Int, to receiver: Int, isFirst: Bool) {
        guard let index = index(transmitter, receiver) ?? (isFirst ? add(transmitter, receiver) : nil) else { return }
        if lost[index] != Self.uncounted {
            lost[index] = min(lost[index] + 1, Self.uncounted - 1)
        } else if isFirst {
            lost[index] = 1
        }
    }

    /// Removes all paths of a controller.
    mutating func remove(_ controller: Int) {
        if controller < transmitterCount {
            for place in controller * pagesPerTransmitter..<(controller + 1) * pagesPerTransmitter
            where pages[place] >= 0 {
                freePages.append(pages[place])
                pages[place] = -1
            }
        }
        guard controller < receivers.count, receivers[controller] >= 0 else { return }
        for transmitter in 0..<transmitterCount {
            guard let index = index(transmitter, controller) else { continue }
            (received[index], lost[index]) = (Received(), Self.uncounted)
        }
    }

    @inline(__always)
    private func index(_ transmitter: Int, _ receiver: Int) -> Int? {
        guard transmitter < transmitterCount, receiver < receivers.count, receivers[receiver] >= 0 else { return nil }
        let number = Int(receivers[receiver])
        let page = pages[transmitter * pagesPerTransmitter + number / Self.pageSize]
        return page < 0 ? nil : Int(page) * Self.pageSize + number % Self.pageSize
    }

    private mutating func add(_ transmitter: Int, _ receiver: Int) -> Int {
        while receivers.count <= receiver { receivers.append(-1) }
        if receivers[receiver] < 0 {
            receivers[receiver] = Int32(receiverCount)
            receiverCount += 1
        }
        let column = Int(receivers[receiver]) / Self.pageSize
        if column >= pagesPerTransmitter { widen(to: max(column + 1, 2 * pagesPerTransmitter)) }
        if transmitter >= transmitterCount {
            pages += Array(repeating: -1, count: (transmitter + 1 - transmitterCount) * pagesPerTransmitter)
            transmitterCount = transmitter + 1
        }
        let place = transmitter * pagesPerTransmitter + column
        if pages[place] < 0 { pages[place] = newPage() }
        return Int(pages[place]) * Self.pageSize + Int(receivers[receiver]) % Self.pageSize
    }

    private mutating func newPage() -> Int32 {
        let (none, uncounted) = (
            repeatElement(Received(), count: Self.pageSize), repeatElement(Self.uncounted, count: Self.pageSize)
        )
        guard let page = freePages.popLast() else {
            received += none
            lost += uncounted
            return Int32(lost.count / Self.pageSize - 1)
        }
        let entries = Int(page) * Self.pageSize..<Int(page + 1) * Self.pageSize
        received.replaceSubrange(entries, with: none)
        lost.replaceSubrange(entries, with: uncounted)
        return page
    }

    private mutating func widen(to width: Int) {
        var wider: [Int32] = []
        wider.reserveCapacity(width * transmitterCount)
        for transmitter in 0..<transmitterCount {
            wider += pages[transmitter * pagesPerTransmitter..<(transmitter + 1) * pagesPerTransmitter]
            wider += repeatElement(-1, count: width - pagesPerTransmitter)
        }
        pages = wider
        pagesPerTransmitter = width
    }
}
