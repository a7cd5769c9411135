// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether a client that caches robustly knows the table as it is (Core 5.4, Vol 3, Part G, 2.5.2.1).
enum ChangeAwareness: Hashable, Sendable {
    /// It does.
    case aware
    /// It does not.
    case unaware
    /// It does not, and was told so by an error response: its next request says that it has understood.
    case told
    /// It does not yet, but has read the hash: its next request says that it has understood.
    case hasReadHash

    /// Takes a request of any kind.
    mutating func receiveRequest() {
        switch self {
        case .told, .hasReadHash: self = .aware
        case .aware, .unaware: break
        }
    }

    /// The client has read the hash.
    mutating func readHash() {
        if self != .aware { self = .hasReadHash }
    }
}
