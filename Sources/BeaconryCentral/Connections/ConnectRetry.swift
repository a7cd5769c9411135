// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How often to try to connect.
public struct ConnectRetry: Hashable, Sendable {
    /// How many attempts there are, at least one, each with the whole timeout.
    public var attempts: Int
    /// How long to wait between two.
    public var pause: Duration

    /// So many attempts, half a second apart unless said otherwise.
    public init(attempts: Int, pause: Duration = .milliseconds(500)) {
        self.attempts = max(1, attempts)
        self.pause = pause
    }

    /// One attempt.
    public static let none = ConnectRetry(attempts: 1)
}
