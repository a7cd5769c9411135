// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A warning for the user, with a stable code.
public struct Warning: Hashable, Sendable {
    /// A stable code in lower case with hyphens; `docs/warnings.md` lists them all.
    public let code: String
    /// The problem and its cause.
    public let message: String
    /// How to fix it.
    public let hint: String

    /// A warning of this code.
    public init(code: String, message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
