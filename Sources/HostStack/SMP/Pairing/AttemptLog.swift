// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How long peers must wait whose pairings failed (Core 5.4, Vol 3, Part H, 2.3.6).
struct AttemptLog: Sendable {
    private struct Entry: Sendable {
        let peer: PeerAddress
        var interval: Duration
        var end: Duration
    }

    /// The wait after the first failure; each further one doubles it.
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(64)
    /// How many peers are remembered.
    static let capacity = 32

    private var entries: [Entry] = []

    /// How long a peer must wait yet; `nil` when it need not.
    func wait(of peer: PeerAddress, at now: Duration) -> Duration? {
        entries.first { $0.peer == peer && $0.end > now }.map { $0.end - now }
    }

    /// A pairing with this peer failed.
    mutating func note(_ peer: PeerAddress, at now: Duration) {
        // Who kept quiet for as long again as it had to wait begins anew.
        entries.removeAll { $0.end + $0.interval <= now }
        let interval = entries.first { $0.peer == peer }.map { min($0.interval * 2, Self.longest) } ?? Self.shortest
        entries.removeAll { $0.peer == peer }
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(Entry(peer: peer, interval: interval, end: now + interval))
    }

    /// A pairing with this peer has come about.
    mutating func forget(_ peer: PeerAddress) { entries.removeAll { $0.peer == peer } }
}
