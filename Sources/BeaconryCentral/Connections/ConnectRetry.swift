// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The attempts to connect.
public struct ConnectRetry: Hashable, Sendable {
    /// The number of attempts, at least one, each with the whole timeout.
    public var attempts: Int
    /// The time between two attempts.
    public var pause: Duration

    /// A number of attempts, by default half a second apart.
    public init(attempts: Int, pause: Duration = .milliseconds(500)) {
        self.attempts = max(1, attempts)
        self.pause = pause
    }

    /// One attempt.
    public static let none = ConnectRetry(attempts: 1)
}
